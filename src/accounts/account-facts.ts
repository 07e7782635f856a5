import type { Account, Authenticators } from '../policy/account.js';

/** Bits of `account.flags` (admin.md 5.1). */
export const ACCOUNT_FLAGS = {
  STAFF: 1n << 0n,
  HIGH_GLOBAL_RATE_LIMIT: 1n << 33n,
  DELETED: 1n << 34n,
  DISABLED_SUSPICIOUS_ACTIVITY: 1n << 35n,
  SELF_DELETED: 1n << 36n,
  DISABLED: 1n << 38n,
  RATE_LIMIT_BYPASS: 1n << 47n,
  NOT_SUSPICIOUS: 1n << 62n,
} as const;

const INACTIVE =
  ACCOUNT_FLAGS.DELETED |
  ACCOUNT_FLAGS.SELF_DELETED |
  ACCOUNT_FLAGS.DISABLED |
  ACCOUNT_FLAGS.DISABLED_SUSPICIOUS_ACTIVITY;

/** Whether the account is deleted, disabled or banned, for operations that reject such accounts (source.md 5.9). */
export const isInactive = (account: Account): boolean =>
  account.deletedAt !== null || account.banned || (account.flags & INACTIVE) !== 0n;

/**
 * Whether the account is deleted or an administrator has scheduled its deletion. Operations respond as if it did not
 * exist (auth.md section 2).
 */
export const isDeletedOrScheduled = (account: Account): boolean =>
  account.deletedAt !== null || (account.flags & ACCOUNT_FLAGS.DELETED) !== 0n;

/**
 * Whether the account has an authenticator app or a passkey, which sudo mode requires instead of a password (account.md
 * 8.3).
 */
export const hasFactor = ({ hasTotp, passkeys }: Pick<Account, 'hasTotp' | 'passkeys'>): boolean =>
  hasTotp || passkeys > 0;

/** SQL condition for an account `a` that is not inactive. */
export const IS_ACTIVE_SQL = `(a.deleted_at IS NULL AND a.flags & ${INACTIVE} = 0
  AND NOT (a.banned AND (a.banned_until IS NULL OR a.banned_until > now())))`;

/**
 * Suspicion bits that are satisfied while an email address or phone number is verified. Bits that require a fresh
 * verification are not included.
 */
export const SATISFIED_WHILE_VERIFIED = { email: 0b0101_0001, phone: 0b0011_0100 } as const;

/**
 * Suspicion bits that verifying an email address or phone number clears, including those that require a fresh
 * verification.
 */
export const CLEARED_BY_VERIFICATION = { email: 0b1111_0011, phone: 0b1111_1100 } as const;

/** Stored suspicion bits 0-7 without those that the account currently satisfies (account.md section 7). */
export function effectiveSuspicion(stored: number, verifiedEmail: boolean, verifiedPhone: boolean): number {
  const met =
    (verifiedEmail ? SATISFIED_WHILE_VERIFIED.email : 0) | (verifiedPhone ? SATISFIED_WHILE_VERIFIED.phone : 0);
  return stored & 0xff & ~met;
}

/** Formats a time in the database as the contract requires, so that it need not be parsed and formatted again. */
const isoColumn = (column: string, name: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${name}`;

/** Columns of an account `a`, shared by all SQL that reads accounts. */
export const ACCOUNT_COLUMNS = `
  a.id AS account_id, a.bot, a.system, a.username, a.discriminator, a.global_name, a.email, a.email_verified,
  a.email_bounced, a.has_verified_phone, a.password_hash IS NOT NULL AS has_password,
  a.totp_secret IS NOT NULL AS has_totp,
  (SELECT count(*)::int FROM passkey p WHERE p.account_id = a.id) AS passkeys, a.passkey_second_factor,
  CASE WHEN a.bot THEN (
    SELECT json_build_object('hasTotp', o.totp_secret IS NOT NULL, 'passkeySecondFactor', o.passkey_second_factor,
      'passkeys', (SELECT count(*) FROM passkey p WHERE p.account_id = o.id))
    FROM application t JOIN account o ON o.id = t.owner_id WHERE t.id = a.id
  ) END AS owner_authenticators,
  a.bio, a.pronouns, a.accent_color, a.avatar, a.avatar_color, a.banner, a.locale, a.flags, a.traits, a.acls,
  a.suspicious_flags, a.epoch, a.address_epoch, a.banned_until, a.ban_reason,
  a.banned AND (a.banned_until IS NULL OR a.banned_until > now()) AS banned,
  ${isoColumn('a.password_changed_at', 'password_changed_at')}, ${isoColumn('a.terms_agreed_at', 'terms_agreed_at')},
  ${isoColumn('a.deleted_at', 'deleted_at')}, ${isoColumn('a.created_at', 'account_created_at')}`;

/** A row with `ACCOUNT_COLUMNS`. */
export interface AccountRow {
  readonly account_id: string;
  readonly bot: boolean;
  readonly system: boolean;
  readonly username: string;
  readonly discriminator: number;
  readonly global_name: string | null;
  readonly email: string | null;
  readonly email_verified: boolean;
  readonly email_bounced: boolean;
  readonly has_verified_phone: boolean;
  readonly has_password: boolean;
  readonly has_totp: boolean;
  readonly passkeys: number;
  readonly passkey_second_factor: boolean;
  readonly owner_authenticators: Authenticators | null;
  readonly bio: string | null;
  readonly pronouns: string | null;
  readonly accent_color: number | null;
  readonly avatar: string | null;
  readonly avatar_color: number | null;
  readonly banner: string | null;
  readonly locale: string;
  readonly flags: string;
  readonly traits: readonly string[];
  readonly acls: readonly string[];
  readonly suspicious_flags: number;
  readonly epoch: number;
  readonly address_epoch: number;
  readonly banned_until: Date | null;
  readonly ban_reason: string | null;
  readonly banned: boolean;
  readonly password_changed_at: string | null;
  readonly terms_agreed_at: string | null;
  readonly deleted_at: string | null;
  readonly account_created_at: string;
}

export function toAccount(row: AccountRow): Account {
  return {
    id: row.account_id,
    bot: row.bot,
    system: row.system,
    username: row.username,
    discriminator: row.discriminator,
    globalName: row.global_name,
    email: row.email,
    emailVerified: row.email_verified,
    emailBounced: row.email_bounced,
    hasVerifiedPhone: row.has_verified_phone,
    hasPassword: row.has_password,
    hasTotp: row.has_totp,
    passkeys: row.passkeys,
    passkeySecondFactor: row.passkey_second_factor,
    ownerAuthenticators: row.owner_authenticators,
    passwordChangedAt: row.password_changed_at,
    bio: row.bio,
    pronouns: row.pronouns,
    accentColor: row.accent_color,
    avatar: row.avatar,
    avatarColor: row.avatar_color,
    banner: row.banner,
    locale: row.locale,
    flags: BigInt(row.flags),
    traits: row.traits,
    acls: row.acls,
    suspicious: effectiveSuspicion(
      row.suspicious_flags,
      row.email !== null && row.email_verified && !row.email_bounced,
      row.has_verified_phone,
    ),
    epoch: row.epoch,
    addressEpoch: row.address_epoch,
    termsAgreedAt: row.terms_agreed_at,
    banned: row.banned,
    bannedUntil: row.banned_until,
    banReason: row.ban_reason,
    deletedAt: row.deleted_at,
    createdAt: row.account_created_at,
  };
}
