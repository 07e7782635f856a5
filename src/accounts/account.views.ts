import type { Account } from '../policy/account.js';
import type { Identity } from '../policy/identity.js';

/** Names of the suspicious-activity bits, lowest first (account.md section 7). */
export const SUSPICION_NAMES = [
  'REQUIRE_VERIFIED_EMAIL',
  'REQUIRE_REVERIFIED_EMAIL',
  'REQUIRE_VERIFIED_PHONE',
  'REQUIRE_REVERIFIED_PHONE',
  'REQUIRE_VERIFIED_EMAIL_OR_VERIFIED_PHONE',
  'REQUIRE_REVERIFIED_EMAIL_OR_VERIFIED_PHONE',
  'REQUIRE_VERIFIED_EMAIL_OR_REVERIFIED_PHONE',
  'REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE',
] as const;

export const formatDiscriminator = (discriminator: number): string => String(discriminator).padStart(4, '0');

/** Only the low 31 flag bits are public. */
const publicFlags = (flags: bigint): number => Number(flags & 0x7fffffffn);

/** The public view of an account. Deleted accounts are anonymized (auth.md section 3). */
export function partialUserView(account: Account) {
  // A scheduled deletion is not visible yet.
  const isDeleted = account.deletedAt !== null;
  return {
    id: account.id,
    username: isDeleted ? 'DeletedUser' : account.username,
    discriminator: isDeleted ? '0000' : formatDiscriminator(account.discriminator),
    global_name: isDeleted ? 'Deleted User' : account.globalName,
    avatar: isDeleted ? null : account.avatar,
    avatar_color: isDeleted ? null : account.avatarColor,
    // JSON omits undefined members.
    bot: account.bot || undefined,
    system: account.system || undefined,
    flags: isDeleted ? 0 : publicFlags(account.flags),
  };
}

/**
 * Returns `0` for a TOTP secret and `2` for passkeys if they are enabled as second factor. For a bot, those of its
 * owner (account.md 1.1).
 */
export function authenticatorTypes(account: Account): number[] {
  const { hasTotp, passkeys, passkeySecondFactor } = account.ownerAuthenticators ?? account;
  return [...(hasTotp ? [0] : []), ...(passkeys > 0 && passkeySecondFactor ? [2] : [])];
}

export const needsSecondFactor = (account: Account): boolean => authenticatorTypes(account).length > 0;

/** The account as shown to its owner (account.md 1.1). */
export function privateUserView(account: Account) {
  const types = authenticatorTypes(account);
  const view = partialUserView(account);
  // Written out, because spreading an object before so many members costs more than the rest of the request.
  return {
    id: view.id,
    username: view.username,
    discriminator: view.discriminator,
    global_name: view.global_name,
    avatar: view.avatar,
    avatar_color: view.avatar_color,
    bot: view.bot,
    system: view.system,
    flags: view.flags,
    acls: sorted(account.acls),
    traits: sorted(account.traits),
    email: account.email,
    email_bounced: account.emailBounced || undefined,
    phone: null,
    has_verified_phone: account.hasVerifiedPhone,
    bio: account.bio,
    pronouns: account.pronouns,
    banner: account.banner,
    accent_color: account.accentColor,
    locale: account.locale,
    mfa_enabled: types.length > 0,
    authenticator_types: types.length > 0 ? types : undefined,
    verified: account.email !== null && account.emailVerified,
    password_last_changed_at: account.passwordChangedAt,
    required_actions:
      account.suspicious === 0 ? [] : SUSPICION_NAMES.filter((_, bit) => account.suspicious & (1 << bit)),
    terms_agreed_at: account.termsAgreedAt,
    created_at: account.createdAt,
  };
}

const sorted = (names: readonly string[]): readonly string[] => (names.length > 1 ? [...names].sort() : names);

/** The account as shown to the caller. A bearer token only shows what its scopes allow. */
export function currentUserView(me: Identity) {
  const view = privateUserView(me.account);
  if (me.via !== 'bearer') return view;
  const showsEmail = me.scopes.includes('email');
  return {
    ...view,
    email_bounced: undefined,
    authenticator_types: undefined,
    acls: [],
    traits: [],
    email: showsEmail ? view.email : null,
    verified: showsEmail && view.verified,
    mfa_enabled: false,
    password_last_changed_at: null,
    required_actions: [],
  };
}
