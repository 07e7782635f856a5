import { describe, test } from '@jest/globals';

const hasServer = Boolean(process.env.TEST_DATABASE_URL);
const REASON = 'skipped: the embedded database serves one process; TEST_DATABASE_URL names no server';

/** `describe`, or a skipped one that says why, where the suite runs on the embedded database. */
export const describeOnPostgres = (title: string, suite: () => void): void => {
  if (hasServer) describe(title, suite);
  else describe.skip(`${title} (${REASON})`, suite);
};

/** `test`, or a skipped one that says why, where the suite runs on the embedded database. */
export const testOnPostgres = (title: string, work: () => Promise<void>): void => {
  if (hasServer) test(title, work);
  else test.skip(`${title} (${REASON})`, work);
};
