/**
 * `npm run bench -- plans`: runs operations on a PostgreSQL with `PLANS_ACCOUNTS` (1,000,000) accounts and five times
 * as many sessions and one-time secrets. Shows the plan and the time of each statement that it sent. `DATABASE_URL`
 * names a server, on which it creates a database and drops it.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const { DATABASE_URL, PLANS_ACCOUNTS = '1000000' } = process.env;
if (!DATABASE_URL) throw new Error('DATABASE_URL must name a PostgreSQL server');
const test = ['scripts/test.mjs', '--maxWorkers=1', '--testTimeout=7200000', 'test/contract/statement-plans'];
const { status } = spawnSync(process.execPath, test, {
  cwd: join(import.meta.dirname, '..'),
  stdio: 'inherit',
  env: { ...process.env, TEST_DATABASE_URL: DATABASE_URL, PLANS_ACCOUNTS },
});
process.exit(status ?? 1);
