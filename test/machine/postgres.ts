import { describe, test } from '@jest/globals';

const hasServer = Boolean(process.env.TEST_DATABASE_URL);
const REASON = 'skipped: the embedded database serves one process; TEST_DATABASE_URL names no server';

/** `describe`, or a skipped suite with the reason in its title if the tests run on the embedded database. */
export const describeOnPostgres = (title: string, suite: () => void): void => {
  if (hasServer) describe(title, suite);
  else describe.skip(`${title} (${REASON})`, suite);
};

const isShared = process.env.TEST_POOLER === 'transaction';

/** `describeOnPostgres`, also skipped if a pooler shares sessions, in which the service changes and keeps nothing. */
export const describeWithOwnSessions = (title: string, suite: () => void): void => {
  if (isShared) describe.skip(`${title} (skipped: the pooler shares sessions)`, suite);
  else describeOnPostgres(title, suite);
};

/** `test`, or a skipped test with the reason in its title if the tests run on the embedded database. */
export const testOnPostgres = (title: string, work: () => Promise<void>): void => {
  if (hasServer) test(title, work);
  else test.skip(`${title} (${REASON})`, work);
};

/** Advisory locks of the current database. Other test files have locks in their own databases on the same server. */
export const ADVISORY_LOCKS = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
