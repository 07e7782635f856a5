/** Settings of the sessions that a pooler shares between clients. A service sets them itself only on other sessions. */
const SHARED_SETTINGS = { statement_timeout: '5s', lock_timeout: '4s', idle_in_transaction_session_timeout: '10s' };

type Settings = Readonly<Record<string, string | undefined>>;

/** Adds the pooler of the test run (`TEST_POOLER`) to the settings of a service, if both use the same server. */
export function throughPooler<T extends Settings>(settings: T): T {
  const { GATEHOUSE_TEST_POOLER: pooler, TEST_DATABASE_URL: server } = process.env;
  const { DATABASE_URL: url } = settings;
  if (!pooler || !server || !url || !URL.canParse(url)) return settings;
  const hosts = [new URL(pooler).host, new URL(server).host];
  if (!hosts.includes(new URL(url).host)) return settings;
  const [pooled, direct] = hosts.map((host) => Object.assign(new URL(url), { host }).href);
  return { DATABASE_DIRECT_URL: direct, ...settings, DATABASE_URL: pooled };
}

/** Options of a connection that a test itself uses: without the pooler of the test run, and without its time limits. */
export function withoutPooler(connectionString: string): { connectionString: string; options?: string } {
  const { DATABASE_DIRECT_URL: direct } = throughPooler({ DATABASE_URL: connectionString }) as Settings;
  return direct ? { connectionString: direct, options: '-c statement_timeout=0' } : { connectionString };
}

/** Statements after which a new database can be used through the pooler of the test run. */
export const statementsForPooler = (database: string): string[] =>
  process.env.GATEHOUSE_TEST_POOLER
    ? Object.entries(SHARED_SETTINGS).map(([name, value]) => `ALTER DATABASE ${database} SET ${name} = '${value}'`)
    : [];
