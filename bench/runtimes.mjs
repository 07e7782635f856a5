/**
 * `npm run bench -- runtimes`: compares the service on this Node version and on the other release lines that it is
 * tested on. Measures `GET /v1/users/@me` with a session on `HTTP_PLATFORM` (fastify), next to a bare server on the
 * same Node. Also measures time and CPU time until ready, and resident memory at rest and after the load. Runs
 * interleaved. Results are medians of `BENCH_ROUNDS` (5) rounds of `BENCH_SECONDS` (3). Needs an empty PostgreSQL
 * database in `DATABASE_URL`. The Node binaries come from the registry. Writes `results/runtimes-<day>`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from '../scripts/build.mjs';
import { binaryOf } from '../scripts/node-binaries.mjs';
import { importFrom } from '../scripts/packages.mjs';
import { enrol } from './enrol.mjs';
import { cpuSeconds, markdown, median, ownDatabase, rssMib, start, stop, writeResult } from './lib.mjs';

const autocannon = await importFrom('scripts', 'autocannon');
const LINES = [22, 24, 26];
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const IDLE_SECONDS = 5;
const { DATABASE_URL, HTTP_PLATFORM: PLATFORM = 'fastify' } = process.env;
if (!DATABASE_URL) throw new Error('name a PostgreSQL server in DATABASE_URL');

const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-runtimes-'));
await build();
const runtimes = [[process.version, process.execPath]];
for (const line of LINES) {
  const bin = await binaryOf(line, directory);
  if (bin) runtimes.push([`v${line}`, join(bin, 'node')]);
  else console.log(`the registry has no binary of Node ${line} for this machine, or does not answer`);
}

const database = await ownDatabase(DATABASE_URL, 'runtimes');
const env = {
  ...{ NODE_ENV: 'test', LOG_LEVEL: 'warn', MAX_LOOP_DELAY_MS: '0', HTTP_PLATFORM: PLATFORM, REDIS_URL: '' },
  ...{ RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off' },
  ...{ DATABASE_URL: database.url, DATA_DIR: directory },
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
};
const SERVERS = {
  bare: [join(root, 'bench/servers/bare.mjs'), {}, '/'],
  service: [join(root, 'dist/service/main.cjs'), env, '/v1/users/@me'],
};
const FIGURES = ['ready', 'readyCpu', 'idle', 'rate', 'cpu', 'loaded'];
const samples = new Map(
  runtimes.flatMap(([name]) =>
    Object.keys(SERVERS).map((server) => [
      `${name} ${server}`,
      Object.fromEntries(FIGURES.map((figure) => [figure, []])),
    ]),
  ),
);
let session;

/** Starts a server, leaves it idle, and puts it under load once. */
async function sample(node, [script, settings, path], seconds) {
  const server = await start(script, settings, { node });
  const readyCpu = cpuSeconds(server) * 1000;
  await delay(IDLE_SECONDS * 1000);
  const idle = rssMib(server);
  session ??= path === '/' ? undefined : (await enrol(server.url)).session;
  const load = (duration) =>
    autocannon({
      url: server.url + path,
      connections: 32,
      duration,
      headers: path === '/' ? {} : { authorization: session },
    });
  // Warm-up, after which just-in-time compilation is mostly complete.
  await load(2);
  const before = cpuSeconds(server);
  const { requests, duration, non2xx, errors } = await load(seconds);
  if (non2xx + errors > 0) throw new Error(`${non2xx} refused, ${errors} failed`);
  const cpu = ((cpuSeconds(server) - before) * 1e6) / requests.total;
  const loaded = rssMib(server);
  await stop(server);
  return { ready: server.bootMs, readyCpu, idle, rate: requests.total / duration, cpu, loaded };
}

for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, node] of runtimes) {
    for (const [server, how] of Object.entries(SERVERS)) {
      const taken = await sample(node, how, round === 0 ? 1 : SECONDS);
      // The first round migrates the database and fills the compile cache.
      if (round > 0) for (const figure of FIGURES) samples.get(`${name} ${server}`)[figure].push(taken[figure]);
    }
  }
  runtimes.reverse();
}
await database.drop();
rmSync(directory, { recursive: true, force: true });

const found = Object.fromEntries(
  [...samples].map(([name, figures]) => [
    name,
    Object.fromEntries(FIGURES.map((figure) => [figure, median(figures[figure])])),
  ]),
);
const rows = [
  [
    'Node',
    'req/s',
    'of bare',
    'CPU us',
    'x bare',
    'ready ms',
    'its CPU ms',
    'bare ready ms',
    'idle MiB',
    'after load MiB',
  ],
];
if (ROUNDS % 2 === 0) runtimes.reverse();
for (const [name] of runtimes) {
  const { [`${name} bare`]: bare, [`${name} service`]: service } = found;
  const ratios = [(service.rate / bare.rate).toFixed(2), (service.cpu / bare.cpu).toFixed(2)];
  rows.push([
    name,
    ...[Math.round(service.rate), ratios[0], service.cpu.toFixed(0), ratios[1]],
    ...[service.ready, service.readyCpu, bare.ready, service.idle, service.loaded].map(Math.round),
  ]);
}
const text = `${markdown(rows)}\n`;
console.log(text);
const data = {
  processor: cpus()[0]?.model,
  cores: cpus().length,
  platform: PLATFORM,
  rounds: ROUNDS,
  seconds: SECONDS,
  found,
};
const day = new Date().toISOString().slice(0, 10);
const head = `# Lines of Node\n\n${day}, ${data.processor}, ${data.cores} cores, ${PLATFORM}, PostgreSQL, ${ROUNDS} rounds of ${SECONDS} s.\n\n`;
console.log(`written to ${writeResult('runtimes', data, head + text)}`);
