/**
 * `npm run bench -- start`: measures the time and CPU time from process start until ready, and the resident memory
 * `IDLE_SECONDS` (5) later. Results are medians of `BENCH_ROUNDS` (5) interleaved rounds. Compares a bare server, the
 * service on PostgreSQL if `DATABASE_URL` names a database, and the service on an existing and on a new embedded
 * database. Runs the service with and without the bundle. If Node has a compile cache, the first round fills it and
 * does not count. `LOAD_SECONDS` adds the resident memory after this many seconds of `GET /v1/users/@me` with a
 * session, and `IDLE_SECONDS` after their end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from '../scripts/build.mjs';
import { importFrom } from '../scripts/packages.mjs';
import { enrol } from './enrol.mjs';
import { cpuSeconds, median, rssMib, start, stop, table } from './lib.mjs';

const autocannon = await importFrom('scripts', 'autocannon');
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const IDLE_SECONDS = Number(process.env.IDLE_SECONDS ?? 5);
const LOAD_SECONDS = Number(process.env.LOAD_SECONDS ?? 0);
const root = join(import.meta.dirname, '..');

await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const quiet = {
  NODE_ENV: 'test',
  LOG_LEVEL: 'warn',
  RATE_LIMITS: 'off',
  LOGIN_ALLOWANCES: 'off',
  REGISTRATION_ALLOWANCES: 'off',
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
};
const { DATABASE_URL } = process.env;

let made = 0;
const PLACES = {
  ...(DATABASE_URL ? { PostgreSQL: () => ({ DATABASE_URL, DATA_DIR: join(directory, 'postgresql') }) } : {}),
  'embedded, existing': () => ({ DATABASE_URL: undefined, DATA_DIR: join(directory, 'existing') }),
  'embedded, new': () => ({ DATABASE_URL: undefined, DATA_DIR: join(directory, `new-${made++}`) }),
};
const cases = [['bare node:http', 'bench/servers/bare.mjs', () => ({})]];
for (const [place, env] of Object.entries(PLACES)) {
  for (const entry of ['dist/src/main.cjs', 'dist/service/main.cjs']) {
    cases.push([`${place}, ${entry}`, entry, () => ({ ...quiet, ...env() })]);
  }
}

const measured = new Map(cases.map(([name]) => [name, { ready: [], cpu: [], idle: [], loaded: [], settled: [] }]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, entry, env] of cases) {
    const server = await start(join(root, entry), env());
    const sample = { ready: server.bootMs, cpu: cpuSeconds(server) * 1000 };
    await delay(IDLE_SECONDS * 1000);
    sample.idle = rssMib(server);
    if (LOAD_SECONDS && round === ROUNDS && entry.startsWith('dist')) {
      await load(server);
      sample.loaded = rssMib(server);
      await delay(IDLE_SECONDS * 1000);
      sample.settled = rssMib(server);
    }
    await stop(server);
    if (round === 0) continue;
    for (const [what, value] of Object.entries(sample)) measured.get(name)[what].push(value);
  }
}

async function load(server) {
  const { session } = await enrol(server.url);
  const headers = { authorization: session };
  await autocannon({ url: `${server.url}/v1/users/@me`, connections: 32, duration: LOAD_SECONDS, headers });
}

const shown = (values) => (values.length > 0 ? median(values).toFixed(0) : '');
const columns = ['ready', 'cpu', 'idle', 'loaded', 'settled'];
const rows = [...measured].map(([name, samples]) => [name, ...columns.map((column) => shown(samples[column]))]);
console.log(
  table([[`Node ${process.version}`, 'ready ms', 'CPU ms', 'idle MiB', 'after load MiB', 'and a rest'], ...rows]),
);
