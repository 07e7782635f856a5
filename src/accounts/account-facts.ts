import {
  ACCOUNT_COLUMNS,
  ACCOUNT_FACTS,
  type Account,
  type AccountColumn,
  type AccountRow,
} from '../policy/account.js';

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
 * Suspicion bits that verifying an email address or phone number clears, including those that require a fresh
 * verification.
 */
export const CLEARED_BY_VERIFICATION = { email: 0b1111_0011, phone: 0b1111_1100 } as const;

const COLUMNS = Object.entries<AccountColumn>(ACCOUNT_COLUMNS);
const FACTS = Object.entries(ACCOUNT_FACTS);

export const columnName = (member: string): string => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Formats a time in the database as the contract requires, so that it need not be parsed and formatted again. */
const isoSql = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

function readSql(name: string, { type, effective, isDate }: AccountColumn): string {
  if (effective !== undefined) return effective;
  const column = `a.${columnName(name)}`;
  return type === 'timestamptz' && !isDate ? isoSql(column) : column;
}

/** Select list of an account `a`, shared by all SQL that reads accounts. */
export const ACCOUNT_SQL = [
  ...COLUMNS.flatMap(([name, column]) => (column.readBy === 'guards' ? [`${readSql(name, column)} AS "${name}"`] : [])),
  ...FACTS.map(([name, { sql }]) => `${sql} AS "${name}"`),
].join(', ');

/** The same with the columns that only administrators read. */
export const ACCOUNT_RECORD_SQL = [
  ACCOUNT_SQL,
  ...COLUMNS.flatMap(([name, { readBy }]) =>
    readBy === 'administrators' ? [`a.${columnName(name)} AS "${name}"`] : [],
  ),
].join(', ');

/** The account in the export of its data. */
export const ACCOUNT_EXPORT_SQL = `SELECT ${[
  ...COLUMNS.flatMap(([name, { exported }]) =>
    exported === false ? [] : [exported === true ? columnName(name) : `${exported} AS ${columnName(name)}`],
  ),
  'password_hash IS NOT NULL AS has_password',
  'totp_secret IS NOT NULL AS has_totp',
].join(', ')} FROM account WHERE id = $1`;

const assignments = (columns: typeof COLUMNS): string =>
  columns
    .flatMap(([name, { erasure }]) => (erasure.value === null ? [] : [`${columnName(name)} = ${erasure.value}`]))
    .join(', ');

/** Assignments that erase an account except for its ID and what administrators decided about it. */
export const ACCOUNT_ERASURE_SQL = assignments(COLUMNS);

/** Assignments that reset the profile, the credentials and the verified contact data of an account. */
export const ACCOUNT_RESET_SQL = assignments(COLUMNS.filter(([, { erasure }]) => erasure.isReset));

export const toAccount = <R extends AccountRow>(row: R): Omit<R, 'flags'> & { readonly flags: bigint } => ({
  ...row,
  flags: BigInt(row.flags),
});

const EMPTY_VALUES = {
  bigint: '0',
  boolean: false,
  bytea: Buffer.alloc(0),
  integer: 0,
  smallint: 0,
  text: '',
  'text[]': [],
  timestamptz: '',
} satisfies Record<AccountColumn['type'], unknown>;

/** An account without data, for a simulated caller. */
export const EMPTY_ACCOUNT: Account = toAccount<AccountRow>(
  Object.fromEntries([
    ...COLUMNS.map(([name, { type, isNullable }]) => [name, isNullable ? null : EMPTY_VALUES[type]]),
    ...FACTS.map(([name, { simulated }]) => [name, simulated]),
  ]),
);
