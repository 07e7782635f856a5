import pg from 'pg';
import { StartError } from '../../core/config/start-error.js';

/** Settings that a pooler keeps for each client, also if clients share sessions. */
const PER_CLIENT: Readonly<Record<string, string>> = {
  DateStyle: 'ISO, YMD',
  standard_conforming_strings: 'on',
  TimeZone: 'UTC',
};

/**
 * Session settings that the driver and the built-in statements rely on, because a server, database or role may have
 * other defaults. `search_path`, `synchronous_commit` and planner settings stay as the operator configured them.
 */
const PER_SESSION: Readonly<Record<string, string>> = {
  array_nulls: 'on',
  backslash_quote: 'safe_encoding',
  bytea_output: 'hex',
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'read committed',
  extra_float_digits: '1',
  idle_session_timeout: '0',
  IntervalStyle: 'postgres',
  quote_all_identifiers: 'off',
  transform_null_equals: 'off',
};

/** Timeouts of requests, in milliseconds, for `DATABASE_PATIENCE` = 1. */
const TIMEOUTS_MS: Readonly<Record<string, number>> = {
  statement_timeout: 5000,
  lock_timeout: 4000,
  idle_in_transaction_session_timeout: 10_000,
};

/** One statement, so that a new connection needs one round trip. */
const setAll = (settings: Readonly<Record<string, string>>, scope = 'SET'): string =>
  Object.entries(settings)
    .map(([name, value]) => `${scope} ${name} = '${value.replaceAll(', ', "', '")}'`)
    .join('; ');

const timeouts = (patience: number): Record<string, string> =>
  Object.fromEntries(Object.entries(TIMEOUTS_MS).map(([name, ms]) => [name, `${ms * patience}ms`]));

/** Statements that set, set for one transaction, lift and reset the timeouts of requests. */
export const timeoutsSql = (patience: number): string => setAll(timeouts(patience));
export const localTimeoutsSql = (patience: number): string => setAll(timeouts(patience), 'SET LOCAL');
export const NO_TIMEOUTS_SQL = setAll(Object.fromEntries(Object.keys(TIMEOUTS_MS).map((name) => [name, '0'])));
export const RESET_TIMEOUTS_SQL = Object.keys(TIMEOUTS_MS)
  .map((name) => `RESET ${name}`)
  .join('; ');

const PER_CLIENT_SQL = setAll(PER_CLIENT);
const SETTINGS_SQL = setAll({ ...PER_CLIENT, ...PER_SESSION });

/** A new connection on which a pooler returned the result of an earlier statement. All later results would be wrong. */
export class WrongResultError extends Error {
  constructor(command: string) {
    super(`The pooler returned the result of another statement (${command}) on a new connection`);
  }
}

/** Attempts to get a connection on which a pooler returns the right results. */
export const MAX_CONNECT_ATTEMPTS = 5;

/** Connects again if a pooler returns a wrong result. */
export async function connectWithRightResults<T>(connect: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      if (!(error instanceof WrongResultError) || attempt >= MAX_CONNECT_ATTEMPTS) throw error;
    }
  }
}

interface Connection {
  /** Returns an array for several statements. */
  query<R extends pg.QueryResultRow>(text: string): Promise<pg.QueryResult<R> | pg.QueryResult<R>[]>;
}

/**
 * pgpool-II 4.3 sometimes gives a server connection to the next client before it has read the result of `DISCARD ALL`.
 * Each statement of that client would then get the result of the statement before it.
 * @throws WrongResultError
 */
async function set(connection: Connection, sql: string): Promise<void> {
  const result = await connection.query<never>(sql);
  const results = Array.isArray(result) ? result : [result];
  const wrong = results.find(({ command }) => command !== 'SET');
  if (wrong || results.length !== sql.split('; ').length) throw new WrongResultError(wrong?.command ?? 'SET');
}

/**
 * Applies the settings to a new connection, and the timeouts of requests if `patience` is given.
 * @throws WrongResultError
 */
export async function applySettings(connection: Connection, patience?: number): Promise<void> {
  await set(connection, patience === undefined ? SETTINGS_SQL : `${SETTINGS_SQL}; ${timeoutsSql(patience)}`);
}

/**
 * Applies the settings that a pooler keeps for each client. Others would stay in sessions that clients share.
 * @throws WrongResultError
 */
export async function applyClientSettings(connection: Connection): Promise<void> {
  await set(connection, PER_CLIENT_SQL);
}

const CURRENT_SQL = `
  SELECT current_user AS role, current_database() AS database, name, setting FROM pg_settings WHERE name = ANY ($1)`;

interface CurrentSetting {
  readonly role: string;
  readonly database: string;
  readonly name: string;
  readonly setting: string;
}

/**
 * Checks the settings of sessions that a pooler shares between clients, which Gatehouse does not change.
 * @throws StartError with the statements that set them for the role
 */
export async function assertSharedSettings(client: pg.Client, patience: number): Promise<void> {
  const needed = timeouts(patience);
  const isInForce = ({ name, setting }: CurrentSetting): boolean => {
    const limit = TIMEOUTS_MS[name];
    if (limit === undefined) return PER_SESSION[name] === setting;
    return Number(setting) > 0 && Number(setting) <= limit * patience;
  };
  const names = [...Object.keys(PER_SESSION), ...Object.keys(TIMEOUTS_MS)];
  const { rows } = await client.query<CurrentSetting>(CURRENT_SQL, [names]);
  const missing = rows.filter((row) => !isInForce(row));
  if (missing.length === 0) return;
  const statements = missing.map(({ role, database, name }) => {
    const value = PER_SESSION[name] ?? needed[name];
    return `ALTER ROLE ${pg.escapeIdentifier(role)} IN DATABASE ${pg.escapeIdentifier(database)} SET ${name} = '${value}';`;
  });
  throw new StartError(
    `Sessions behind the connection pooler of DATABASE_URL need other settings. Run: ${statements.join(' ')} ` +
      'Then let the pooler reconnect, for example with RECONNECT in the console of PgBouncer',
  );
}
