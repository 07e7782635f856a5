/**
 * `npm run bench -- workers`: measures `GET /v1/users/@me` with a session on `HTTP_PLATFORM` (fastify). Compares one
 * process, two workers, and two workers that accept connections themselves (`NODE_CLUSTER_SCHED_POLICY=none`),
 * interleaved. Nothing is pinned, so the load generator and the database share the same cores. The output therefore
 * shows the CPU time of each, and what the machine allows. Needs an empty PostgreSQL database in `DATABASE_URL`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { build } from '../scripts/build.mjs';
import { importFrom } from '../scripts/packages.mjs';
import { enrol } from './enrol.mjs';
import { cpuSeconds, median, start, stop, table } from './lib.mjs';

const autocannon = await importFrom('scripts', 'autocannon');
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 32);
const { DATABASE_URL, HTTP_PLATFORM: PLATFORM = 'fastify' } = process.env;
if (!DATABASE_URL) throw new Error('name a PostgreSQL database in DATABASE_URL');

await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-workers-'));
const script = join(import.meta.dirname, '..', 'dist/src/main.cjs');
const serve = (env) =>
  start(
    script,
    {
      ...{ NODE_ENV: 'test', HTTP_PLATFORM: PLATFORM, RATE_LIMITS: 'off', REGISTRATION_ALLOWANCES: 'off' },
      ...{ LOG_LEVEL: 'warn', MAX_LOOP_DELAY_MS: '0', REDIS_URL: '', DATA_DIR: directory },
      GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
      ...env,
    },
    { pinned: false },
  );

const childrenOf = ({ child: { pid } }) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const processes = (server) => [server, ...childrenOf(server).map((pid) => ({ child: { pid } }))];
const sum = (values) => values.reduce((all, value) => all + value, 0);
const serviceSeconds = (server) => sum(processes(server).map(cpuSeconds));

const watch = new pg.Client({ connectionString: DATABASE_URL });
await watch.connect();
async function databaseSeconds() {
  const { rows } = await watch.query('SELECT pid FROM pg_stat_activity WHERE datname = current_database()');
  return new Map(rows.map(({ pid }) => [pid, cpuSeconds({ child: { pid } })]));
}
const ownSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const one = await serve({});
const session = (await enrol(one.url)).session;
const servers = {
  'one process': one,
  'WORKERS=2': await serve({ WORKERS: '2' }),
  'WORKERS=2, none': await serve({ WORKERS: '2', NODE_CLUSTER_SCHED_POLICY: 'none' }),
};
for (const server of Object.values(servers)) {
  while (server !== one && !/^gatehouse_workers 2$/m.test(await (await fetch(`${server.url}/metrics`)).text()));
}

const names = Object.keys(servers);
const samples = new Map(names.map((name) => [name, { rate: [], service: [], load: [], database: [], p99: [] }]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const name of names) {
    const server = servers[name];
    const before = { service: serviceSeconds(server), load: ownSeconds(), database: await databaseSeconds() };
    const result = await autocannon({
      url: `${server.url}/v1/users/@me`,
      connections: CONNECTIONS,
      duration: round === 0 ? 1 : SECONDS,
      headers: { authorization: session },
    });
    if (result.non2xx + result.errors > 0)
      throw new Error(`${name}: ${result.non2xx} refused, ${result.errors} failed`);
    // The first round only warms the servers up.
    if (round === 0) continue;
    const requests = result.requests.total;
    const micros = (seconds) => (seconds * 1e6) / requests;
    const found = samples.get(name);
    const database = [...(await databaseSeconds())].map(([pid, seconds]) => seconds - (before.database.get(pid) ?? 0));
    found.rate.push(requests / result.duration);
    found.service.push(micros(serviceSeconds(server) - before.service));
    found.load.push(micros(ownSeconds() - before.load));
    found.database.push(micros(sum(database)));
    found.p99.push(result.latency.p99);
  }
  names.reverse();
}

const found = Object.fromEntries(
  [...samples].map(([name, kinds]) => [
    name,
    Object.fromEntries(Object.entries(kinds).map(([kind, values]) => [kind, median(values)])),
  ]),
);
const base = found['one process'];
const head = [`GET /v1/users/@me, ${PLATFORM}`, 'req/s', 'of one process', 'p99 ms'];
const rows = [[...head, 'CPU us: service', 'x one process', 'load', 'database']];
for (const [name, { rate, service, load, database, p99 }] of Object.entries(found)) {
  const figures = [Math.round(rate), (rate / base.rate).toFixed(2), p99, service.toFixed(1)];
  rows.push([name, ...figures, (service / base.service).toFixed(2), load.toFixed(1), database.toFixed(1)]);
}
console.log(table(rows));

const { service, load, database } = found['WORKERS=2'];
const cores = availableParallelism();
const most = Math.min(2, (cores * base.service) / (service + load + database));
console.log(`
Target: 1.8 times one process. Load and database run on the same ${cores} cores: with all of them busy, two workers can reach
${most.toFixed(2)} times what one process does that has a core to itself. With those elsewhere it is by processor time ${((2 * base.service) / service).toFixed(2)} times.
`);
const memory = (server) =>
  processes(server).map(({ child: { pid } }) =>
    Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024),
  );
console.log(
  `Resident memory, MiB: one process ${memory(one)}; primary and workers ${memory(servers['WORKERS=2']).join(', ')}`,
);
await watch.end();
await Promise.all(Object.values(servers).map(stop));
rmSync(directory, { recursive: true, force: true });
