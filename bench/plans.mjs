/**
 * `npm run bench -- plans`: a run of operations on a PostgreSQL with `PLANS_ACCOUNTS` (1,000,000) accounts, five times as
 * many sessions and one-time secrets, and the plan and time of each statement that it sent. `DATABASE_URL` names a server;
 * a database of its own is made there and dropped.
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
