/**
 * What the driver and our statements rely on, for every connection: a server, a database or a role may have other
 * defaults. `search_path`, `synchronous_commit` and what plans depend on stay as the operator has them.
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

/** In one statement: a connection begins with a single question. */
const APPLY = Object.entries(SETTINGS)
  .map(([name, value]) => `SET ${name} = '${value.replaceAll(', ', "', '")}'`)
  .join('; ');

interface Connection {
  query(text: string): Promise<unknown>;
}

/** Makes a new connection one that does not depend on the defaults of its server. */
export async function applySettings(connection: Connection): Promise<void> {
  await connection.query(APPLY);
}
