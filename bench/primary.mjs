/**
 * `npm run bench -- primary`: measures how many sign-ins per second one PostgreSQL primary on one core commits. The CPU
 * time gives the bound that `gatehouse capacity` calculates. The service runs in this process on another
 * core, without HTTP and with cheap password hashes, so that the primary is busy first.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../scripts/build.mjs';
import { Pair } from './chaos/postgres.mjs';
import { call } from './enrol.mjs';
import { databaseCpuSeconds, databaseProcesses, table } from './lib.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const ACCOUNTS = 256;
const PARALLEL = [1, 8, 32, 64];
const root = join(import.meta.dirname, '..');

await build({ types: true });
const { createApp } = await import(join(root, 'dist/src/app.js'));
const { loadConfig } = await import(join(root, 'dist/src/features.js'));
const { SignInService } = await import(join(root, 'dist/src/auth/sign-in/sign-in.service.js'));

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-primary-'));
// PostgreSQL runs as another user.
chmodSync(directory, 0o755);
const pair = new Pair(directory);
await pair.open();
// A primary without a standby.
await pair.fail();
const { primary } = pair;

const app = await createApp(
  loadConfig({
    NODE_ENV: 'test',
    RATE_LIMITS: 'off',
    LOGIN_ALLOWANCES: 'off',
    REGISTRATION_ALLOWANCES: 'off',
    LOG_LEVEL: 'error',
    ARGON2_MEMORY_KIB: '8',
    ARGON2_PASSES: '1',
    DATABASE_POOL_SIZE: '64',
    GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
    DATA_DIR: join(directory, 'data'),
    DATABASE_URL: primary.url,
  }),
);
await app.listen(0, '127.0.0.1');
const url = `http://127.0.0.1:${app.getHttpServer().address().port}`;
const people = Array.from({ length: ACCOUNTS }, (_, index) => ({
  email: `user${index}@example.com`,
  password: 'a long enough password',
}));
for (const body of people) await call(url, 'POST', '/v1/auth/register', { body });

const signIns = app.get(SignInService);
const origin = { ip: '127.0.0.1', userAgent: 'bench', os: null };

/** Signs in with so many requests under way at any time. Returns sign-ins per second, and how busy both sides were. */
async function measure(parallel) {
  const deadline = performance.now() + SECONDS * 1000;
  const [begun, database, own] = [performance.now(), databaseCpuSeconds(primary.data), process.cpuUsage()];
  let count = 0;
  const worker = async () => {
    while (performance.now() < deadline) await signIns.login(people[count++ % ACCOUNTS], origin);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  const seconds = (performance.now() - begun) / 1000;
  const databaseCpu = databaseCpuSeconds(primary.data) - database;
  const { user, system } = process.cpuUsage(own);
  return [
    parallel,
    Math.round(count / seconds),
    `${((databaseCpu / count) * 1e6).toFixed(0)} µs`,
    `${Math.round((databaseCpu / seconds) * 100)} %`,
    `${Math.round(((user + system) / 1e6 / seconds) * 100)} %`,
  ];
}

await measure(8);
const pin = (core, pid) => execFileSync('taskset', ['-a', '-cp', String(core), String(pid)]);
pin(0, process.pid);
for (const pid of databaseProcesses(primary.data)) pin(1, pid);
const rows = [];
for (const parallel of PARALLEL) rows.push(await measure(parallel));
console.log(
  `${cpus()[0].model.trim()}, Node.js ${process.versions.node}, PostgreSQL on one core, the service on another\n`,
);
const HEADINGS = [
  'Parallel sign-ins',
  'Sign-ins per second',
  'CPU time of the primary',
  'Busy: primary',
  'Busy: service',
];
console.log(table([HEADINGS, ...rows]));
await app.close();
await pair.close();
rmSync(directory, { recursive: true, force: true });
