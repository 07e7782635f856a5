/**
 * `npm run bench -- timing`: checks whether response times leak what responses must hide (timing side channels). Sends
 * pairs of requests (`timing/`), one request at a time on one connection, `TIMING_N` (10,000) of each class in random
 * order. The exit code is 1 if Welch's t exceeds 4.5 at any crop, or if a planted leak is not found.
 * `TIMING_ONLY=login,webhook` measures the pairs whose names begin with these words, and keeps what was measured of the
 * others that day. `DATABASE_URL` names a server, on which it creates a database and drops it.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { build } from '../scripts/build.mjs';
import { median, ownDatabase, start, stop, table, writeResult } from './lib.mjs';
import { ask } from './timing/ask.mjs';
import { PLANTED } from './timing/controls.mjs';
import { CONTROLS, PAIRS } from './timing/pairs.mjs';
import { document, isPassed, rowOf, rows, withRun } from './timing/report.mjs';
import { ENVIRONMENT, Stage } from './timing/stage.mjs';
import { compare } from './timing/statistics.mjs';

const { DATABASE_URL, TIMING_N = '10000', TIMING_ONLY, TIMING_NOTE = 'nothing else ran.' } = process.env;
if (!DATABASE_URL) throw new Error('DATABASE_URL must name a PostgreSQL server');
const N = Number(TIMING_N);
const WARM_UP = Math.min(200, N);
const ONLY = TIMING_ONLY?.split(',');
const root = join(import.meta.dirname, '..');
const load = () => loadavg().map((value) => Number(value.toFixed(2)));

await build();
const before = load();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-timing-'));
const database = await ownDatabase(DATABASE_URL, 'timing');
const pool = new pg.Pool({ connectionString: database.url, max: 1 });
const sql = async (text, values) => (await pool.query(text, values)).rows;
// Disk latency is the same for both classes, and would hide other differences.
await sql(`ALTER DATABASE ${database.name} SET synchronous_commit = off`);
const server = await start(
  join(import.meta.dirname, 'servers/leaking.mjs'),
  {
    ...ENVIRONMENT,
    DATABASE_URL: database.url,
    DATA_DIR: directory,
    GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
    LEAK_MICROSECONDS: String(PLANTED),
  },
  { args: ['-r', join(root, 'dist/src/core/thread-pool.cjs')] },
);
const stage = new Stage(server.url, N + WARM_UP, sql);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** All requests of both classes, as class and round, in random order, so that the order does not favor a class. */
function shuffled(from, to) {
  const plan = [];
  for (let round = from; round < to; round++) plan.push([true, round], [false, round]);
  for (let last = plan.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [plan[last], plan[other]] = [plan[other], plan[last]];
  }
  return plan;
}

/** The microseconds of both classes. Tables are vacuumed before the measurement, not during it. */
async function measure(pair) {
  const prepared = await pair.prepare?.(stage);
  await sql('VACUUM ANALYZE');
  const times = { first: [], second: [] };
  for (const [isFirst, round] of [...shuffled(N, stage.rounds), ...shuffled(0, N)]) {
    const [status, took] = await ask(stage, await pair.request(isFirst, round, prepared), agent);
    if (status !== pair.status) throw new Error(`${pair.name}: answered ${status} instead of ${pair.status}`);
    if (round < N) times[isFirst ? 'first' : 'second'].push(took);
  }
  await pair.cleanUp?.(stage);
  return times;
}

const [{ server_version: postgresql }] = await sql('SHOW server_version');
const date = new Date().toISOString().slice(0, 10);
const written = join(import.meta.dirname, `results/timing-${date}.json`);
const earlier = existsSync(written) ? JSON.parse(readFileSync(written, 'utf8')).runs : [];
const run = { load: { before, after: before }, note: TIMING_NOTE, pairs: [] };
const dayOf = () => ({
  date,
  machine: {
    processor: cpus()[0]?.model.trim(),
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
  },
  versions: { node: process.versions.node, postgresql },
  platform: process.env.HTTP_PLATFORM ?? 'express',
  runs: withRun(earlier, run),
});
try {
  for (const pair of [...CONTROLS, ...PAIRS]) {
    if (ONLY && !CONTROLS.includes(pair) && !ONLY.some((name) => pair.name.startsWith(name))) continue;
    const { first, second } = await measure(pair);
    const { crops, worst } = compare(first, second);
    const medians = { median: median([...first, ...second]), gap: median(first) - median(second) };
    const { name, isLeak, known } = pair;
    const isControl = CONTROLS.includes(pair) || undefined;
    run.pairs.push({ name, n: N, ...medians, crops, worst, isControl, isLeak, known });
    run.load.after = load();
    // Written after each pair, so that its results are kept if a later one fails.
    writeResult('timing', dayOf(), document(dayOf()));
    console.log(rowOf(run.pairs.at(-1)).join('  '));
  }
} finally {
  agent.destroy();
  await pool.end();
  await stop(server);
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
}
console.log(`\n${table(rows({ runs: [run] }))}`);
process.exitCode = isPassed({ runs: [run] }) ? 0 : 1;
