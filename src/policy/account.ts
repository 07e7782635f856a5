/** What an account can use to sign in, apart from a password. */
export interface Authenticators {
  readonly hasTotp: boolean;
  readonly passkeys: number;
  readonly passkeySecondFactor: boolean;
}

/** Values of PostgreSQL types, as the driver returns them. */
interface SqlValues {
  readonly bigint: string;
  readonly boolean: boolean;
  readonly bytea: Buffer;
  readonly integer: number;
  readonly smallint: number;
  readonly text: string;
  readonly 'text[]': string[];
  readonly timestamptz: Date;
}

/** What happens to a column when its account is erased. */
export interface ColumnErasure {
  /** SQL value after the erasure. `null`: the value stays. */
  readonly value: string | null;
  /** Whether a hand-over to another owner sets the same value. */
  readonly isReset: boolean;
}

const KEPT: ColumnErasure = { value: null, isReset: false };
const erasedTo = (value: string): ColumnErasure => ({ value, isReset: false });
const resetTo = (value: string): ColumnErasure => ({ value, isReset: true });

export interface AccountColumn {
  readonly type: keyof SqlValues;
  readonly isNullable?: true;
  /** Whether each `Account` has it, only the `AccountRecord` of administrators, or neither. */
  readonly readBy: 'guards' | 'administrators' | 'none';
  /** SQL that each `Account` has instead of the stored value. */
  readonly effective?: string;
  /** Whether an `Account` has a time as a `Date`. Default: in ISO 8601, as the API returns it. */
  readonly isDate?: true;
  /** Whether the export has it, or the SQL that the export has instead. */
  readonly exported: boolean | string;
  readonly erasure: ColumnErasure;
}

/**
 * The columns of an account, in the order of the table. The type of `Account`, the statements that read it, the export,
 * the erasure and the simulated caller of `explain` follow from them.
 */
export const ACCOUNT_COLUMNS = {
  id: { type: 'bigint', readBy: 'guards', exported: true, erasure: KEPT },
  bot: { type: 'boolean', readBy: 'guards', exported: false, erasure: KEPT },
  system: { type: 'boolean', readBy: 'guards', exported: false, erasure: KEPT },
  username: { type: 'text', readBy: 'guards', exported: true, erasure: erasedTo("'DeletedUser'") },
  discriminator: {
    type: 'smallint',
    readBy: 'guards',
    exported: "lpad(discriminator::text, 4, '0')",
    erasure: erasedTo('0'),
  },
  globalName: { type: 'text', isNullable: true, readBy: 'guards', exported: true, erasure: erasedTo('NULL') },
  email: { type: 'text', isNullable: true, readBy: 'guards', exported: true, erasure: erasedTo('NULL') },
  emailVerified: { type: 'boolean', readBy: 'guards', exported: true, erasure: erasedTo('false') },
  emailBounced: { type: 'boolean', readBy: 'guards', exported: true, erasure: resetTo('false') },
  phoneDigest: { type: 'bytea', isNullable: true, readBy: 'none', exported: false, erasure: resetTo('NULL') },
  hasVerifiedPhone: { type: 'boolean', readBy: 'guards', exported: true, erasure: resetTo('false') },
  passwordHash: { type: 'text', isNullable: true, readBy: 'none', exported: false, erasure: resetTo('NULL') },
  passwordChangedAt: {
    type: 'timestamptz',
    isNullable: true,
    readBy: 'guards',
    exported: true,
    erasure: resetTo('NULL'),
  },
  totpSecret: { type: 'bytea', isNullable: true, readBy: 'none', exported: false, erasure: resetTo('NULL') },
  totpLastStep: { type: 'bigint', readBy: 'none', exported: false, erasure: resetTo('0') },
  passkeySecondFactor: { type: 'boolean', readBy: 'guards', exported: true, erasure: resetTo('false') },
  bio: { type: 'text', isNullable: true, readBy: 'guards', exported: true, erasure: resetTo('NULL') },
  pronouns: { type: 'text', isNullable: true, readBy: 'guards', exported: true, erasure: resetTo('NULL') },
  accentColor: { type: 'integer', isNullable: true, readBy: 'guards', exported: true, erasure: resetTo('NULL') },
  avatar: { type: 'text', isNullable: true, readBy: 'guards', exported: true, erasure: resetTo('NULL') },
  avatarColor: { type: 'integer', isNullable: true, readBy: 'guards', exported: true, erasure: erasedTo('NULL') },
  banner: { type: 'text', isNullable: true, readBy: 'guards', exported: true, erasure: resetTo('NULL') },
  locale: { type: 'text', readBy: 'guards', exported: true, erasure: resetTo("'en-US'") },
  flags: { type: 'bigint', readBy: 'guards', exported: true, erasure: KEPT },
  traits: { type: 'text[]', readBy: 'guards', exported: true, erasure: erasedTo("'{}'") },
  acls: { type: 'text[]', readBy: 'guards', exported: true, erasure: erasedTo("'{}'") },
  suspiciousFlags: { type: 'integer', readBy: 'administrators', exported: true, erasure: erasedTo('0') },
  /** Incremented to invalidate sudo proofs and all pending operations (credentials.md sections 6 and 7). */
  epoch: { type: 'integer', readBy: 'guards', exported: false, erasure: KEPT },
  /** Incremented when the email address changes, which invalidates everything pending for the former one. */
  addressEpoch: { type: 'integer', readBy: 'guards', exported: false, erasure: KEPT },
  termsAgreedAt: { type: 'timestamptz', isNullable: true, readBy: 'guards', exported: true, erasure: resetTo('NULL') },
  banned: {
    type: 'boolean',
    readBy: 'guards',
    effective: 'a.banned AND (a.banned_until IS NULL OR a.banned_until > now())',
    exported: true,
    erasure: KEPT,
  },
  bannedUntil: { type: 'timestamptz', isNullable: true, isDate: true, readBy: 'guards', exported: true, erasure: KEPT },
  /** Public: the account's owner can see it. */
  banReason: { type: 'text', isNullable: true, readBy: 'guards', exported: true, erasure: resetTo('NULL') },
  deletionAt: { type: 'timestamptz', isNullable: true, readBy: 'administrators', exported: true, erasure: KEPT },
  deletionReasonCode: { type: 'smallint', isNullable: true, readBy: 'administrators', exported: true, erasure: KEPT },
  deletionPublicReason: {
    type: 'text',
    isNullable: true,
    readBy: 'administrators',
    exported: true,
    erasure: resetTo('NULL'),
  },
  deletedAt: { type: 'timestamptz', isNullable: true, readBy: 'guards', exported: false, erasure: erasedTo('now()') },
  registrationIp: {
    type: 'text',
    isNullable: true,
    readBy: 'administrators',
    exported: true,
    erasure: erasedTo('NULL'),
  },
  lastActiveAt: {
    type: 'timestamptz',
    isNullable: true,
    readBy: 'administrators',
    exported: true,
    erasure: resetTo('NULL'),
  },
  lastActiveIp: { type: 'text', isNullable: true, readBy: 'administrators', exported: true, erasure: resetTo('NULL') },
  createdAt: { type: 'timestamptz', readBy: 'guards', exported: true, erasure: KEPT },
} as const satisfies Readonly<Record<string, AccountColumn>>;

type Columns = typeof ACCOUNT_COLUMNS;

/**
 * Suspicion bits that are satisfied while an email address or phone number is verified. Bits that require a fresh
 * verification are not included.
 */
export const SATISFIED_WHILE_VERIFIED = { email: 0b0101_0001, phone: 0b0011_0100 } as const;

const NO_AUTHENTICATORS: Authenticators | null = null;

/** What an `Account` has besides its columns: the SQL, and the value of a simulated caller. */
export const ACCOUNT_FACTS = {
  hasPassword: { sql: 'a.password_hash IS NOT NULL', simulated: false as boolean },
  hasTotp: { sql: 'a.totp_secret IS NOT NULL', simulated: false as boolean },
  passkeys: { sql: '(SELECT count(*)::int FROM passkey p WHERE p.account_id = a.id)', simulated: 0 as number },
  /** The authenticators of a bot's owner, shown as the bot's own; a bot has none. */
  ownerAuthenticators: {
    sql: `CASE WHEN a.bot THEN (
      SELECT json_build_object('hasTotp', o.totp_secret IS NOT NULL, 'passkeySecondFactor', o.passkey_second_factor,
        'passkeys', (SELECT count(*) FROM passkey p WHERE p.account_id = o.id))
      FROM application t JOIN account o ON o.id = t.owner_id WHERE t.id = a.id
    ) END`,
    simulated: NO_AUTHENTICATORS as Authenticators | null,
  },
  /** Effective flags (account.md section 7), computed each time a credential is resolved. */
  suspicious: {
    sql: `a.suspicious_flags & 255
      & ~CASE WHEN a.email IS NOT NULL AND a.email_verified AND NOT a.email_bounced
        THEN ${SATISFIED_WHILE_VERIFIED.email} ELSE 0 END
      & ~CASE WHEN a.has_verified_phone THEN ${SATISFIED_WHILE_VERIFIED.phone} ELSE 0 END`,
    simulated: 0 as number,
  },
} as const;

type Nullable<C> = C extends { isNullable: true } ? null : never;
type Stored<C extends AccountColumn> = SqlValues[C['type']] | Nullable<C>;
type Read<C extends AccountColumn> = C extends { isDate: true }
  ? Stored<C>
  : C extends { type: 'timestamptz' }
    ? string | Nullable<C>
    : C extends { type: 'text[]' }
      ? readonly string[]
      : Stored<C>;

type ColumnsReadBy<R extends AccountColumn['readBy']> = {
  [K in keyof Columns]: Columns[K]['readBy'] extends R ? K : never;
}[keyof Columns];

/** A stored account, as TypeORM reads and writes it. */
export type StoredAccount = { -readonly [K in keyof Columns]: Stored<Columns[K]> };

/** A row with all columns and facts that guards need. */
export type AccountRow = { readonly [K in ColumnsReadBy<'guards'>]: Read<Columns[K]> } & {
  readonly [K in keyof typeof ACCOUNT_FACTS]: (typeof ACCOUNT_FACTS)[K]['simulated'];
};

/** The columns that only administrators read. */
export type AdministratorColumns = Readonly<Pick<StoredAccount, ColumnsReadBy<'administrators'>>>;

type AccountMembers = { readonly [K in keyof AccountRow]: K extends 'flags' ? bigint : AccountRow[K] };

/** The account of a credential, with all data for guards and the private user object. */
export interface Account extends AccountMembers {}
