/** What an account can use to sign in, apart from a password. */
export interface Authenticators {
  readonly hasTotp: boolean;
  readonly passkeys: number;
  readonly passkeySecondFactor: boolean;
}

/** The account of a credential, with all data for guards and the private user object. */
export interface Account extends Authenticators {
  readonly id: string;
  readonly bot: boolean;
  readonly system: boolean;
  readonly username: string;
  readonly discriminator: number;
  readonly globalName: string | null;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly emailBounced: boolean;
  readonly hasVerifiedPhone: boolean;
  readonly hasPassword: boolean;
  /** The authenticators of a bot's owner, shown as the bot's own; a bot has none. */
  readonly ownerAuthenticators: Authenticators | null;
  /** ISO 8601, as the API returns it, like the other times of an account. */
  readonly passwordChangedAt: string | null;
  readonly bio: string | null;
  readonly pronouns: string | null;
  readonly accentColor: number | null;
  readonly avatar: string | null;
  readonly avatarColor: number | null;
  readonly banner: string | null;
  readonly locale: string;
  readonly flags: bigint;
  readonly traits: readonly string[];
  readonly acls: readonly string[];
  /** Effective flags (account.md section 7), computed each time a credential is resolved. */
  readonly suspicious: number;
  readonly epoch: number;
  readonly addressEpoch: number;
  readonly termsAgreedAt: string | null;
  readonly banned: boolean;
  readonly bannedUntil: Date | null;
  /** Public: the account's owner can see it. */
  readonly banReason: string | null;
  readonly deletedAt: string | null;
  readonly createdAt: string;
}
