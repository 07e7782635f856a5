/**
 * Session settings that the driver and the built-in statements rely on, because a server, database or role may have
 * other defaults. `search_path`, `synchronous_commit` and planner settings stay as the operator configured them.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  array_nulls: 'on',
  backslash_quote: 'safe_encoding',
  bytea_output: 'hex',
  DateStyle: 'ISO, YMD',
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'read committed',
  extra_float_digits: '1',
  idle_session_timeout: '0',
  IntervalStyle: 'postgres',
  quote_all_identifiers: 'off',
  standard_conforming_strings: 'on',
  TimeZone: 'UTC',
  transform_null_equals: 'off',
};

/** One statement, so that a new connection needs one round trip. */
const APPLY_SETTINGS_SQL = Object.entries(SETTINGS)
  .map(([name, value]) => `SET ${name} = '${value.replaceAll(', ', "', '")}'`)
  .join('; ');

interface Connection {
  query(text: string): Promise<unknown>;
}

/** Applies the settings to a new connection. */
export async function applySettings(connection: Connection): Promise<void> {
  await connection.query(APPLY_SETTINGS_SQL);
}
