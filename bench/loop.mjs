/**
 * `npm run bench -- loop`: measures how long the largest allowed requests block the event loop of the service.
 * Each process also measures its first request of a kind, and the same while it is idle.
 * `LOOP_STARTS` (3) processes try each operation `LOOP_TRIES` (7) times.
 * `LOOP_ONLY` lists beginnings of names of operations.
 * The exit code is 1 if the longest block takes more than 50 ms of CPU time.
 * `DATABASE_URL` names a server, on which it creates a database with 5,000 accounts and drops it.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { build } from '../scripts/build.mjs';
import { call, enrol } from './enrol.mjs';
import { ask, markdown, median, ownDatabase, start, stop, table, writeResult } from './lib.mjs';
import { operations } from './loop/operations.mjs';
import { fill } from './loop/rows.mjs';

const { DATABASE_URL, LOOP_ONLY = '', LOOP_NOTE = '', NODE_ARGS = '' } = process.env;
const STARTS = Number(process.env.LOOP_STARTS ?? 3);
const TRIES = Number(process.env.LOOP_TRIES ?? 7);
const BOUND_MS = 50;
const ONLY = LOOP_ONLY.split(',');
const IDLE = 'idle';
if (!DATABASE_URL) throw new Error('DATABASE_URL must name a PostgreSQL server');

await build();
const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-loop-'));
const database = await ownDatabase(DATABASE_URL, 'loop');
const SETUP_TOKEN = randomBytes(32).toString('hex');
const service = () =>
  start(
    join(root, 'dist/service/main.cjs'),
    {
      NODE_ENV: 'test',
      RATE_LIMITS: 'off',
      LOGIN_ALLOWANCES: 'off',
      REGISTRATION_ALLOWANCES: 'off',
      MAIL_TRANSPORT: 'none',
      LOG_LEVEL: 'warn',
      MAX_LOOP_DELAY_MS: '0',
      GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
      GATEHOUSE_SETUP_TOKEN: SETUP_TOKEN,
      GATEWAY_NUMBERS: JSON.stringify({ attempts_per_address: 1e6, sessions_per_user: 1e6 }),
      DATABASE_URL: database.url,
      DATA_DIR: directory,
    },
    { args: ['--import', join(import.meta.dirname, 'servers/turns.mjs'), ...NODE_ARGS.split(' ').filter(Boolean)] },
  );

/** Creates the account with as much data as is allowed, which is also an administrator. */
async function enter() {
  const server = await service();
  const person = await enrol(server.url);
  await call(server.url, 'POST', '/v1/setup', { authorization: person.session, body: { token: SETUP_TOKEN } });
  const webhook = await call(server.url, 'POST', '/v1/users/@me/webhooks', {
    authorization: person.session,
    body: { name: 'Bench' },
  });
  await stop(server);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await fill(client, database.url, person, webhook);
  await client.end();
  return { ...person, webhook };
}

const person = await enter();
const found = new Map();
for (let run = 0; run < STARTS; run++) {
  const server = await service();
  // Waits for work that the start left, which is not part of a request.
  await delay(3000);
  await ask(server, 'turns');
  for (const [name, work, tries = TRIES] of [[IDLE, () => delay(250)], ...(await operations(server, person))]) {
    if (name !== IDLE && !ONLY.some((beginning) => name.startsWith(beginning))) continue;
    const seen = found.get(name) ?? { first: [], later: [] };
    found.set(name, seen);
    for (let attempt = 0; attempt < tries; attempt++) {
      await ask(server, 'turns');
      await work();
      (attempt === 0 ? seen.first : seen.later).push(await ask(server, 'turns'));
    }
  }
  await stop(server);
}
await database.drop();
rmSync(directory, { recursive: true });

const most = (turns, of) => (turns.length > 0 ? Math.max(...turns.map((turn) => turn[of])) : 0);
const resultOf = ({ first, later }) => ({
  tries: first.length + later.length,
  first: most(first, 'cpu'),
  later: most(later, 'cpu'),
  median: median([...first, ...later].map(({ cpu }) => cpu)),
  wallMedian: median([...first, ...later].map(({ wall }) => wall)),
  wall: most([...first, ...later], 'wall'),
});
const results = Object.fromEntries([...found].map(([name, seen]) => [name, resultOf(seen)]));
const { [IDLE]: idle, ...measured } = results;
const ms = (value) => value.toFixed(1);
const rowOf = ([name, { tries, first, later, median: middle, wallMedian, wall }]) => [
  ...[name, tries, ms(first), ms(later), ms(middle), ms(idle.median), ms(wallMedian), ms(wall)],
  Math.max(first, later) <= BOUND_MS ? 'within' : 'BEYOND',
];
const rows = [
  [
    'operation',
    'tries',
    'first CPU',
    'later CPU',
    'median CPU',
    'idle CPU',
    'median wall',
    'longest wall',
    `${BOUND_MS} ms`,
  ],
  ...Object.entries(results).map(rowOf),
];
console.log(table(rows));
const load = loadavg()[0].toFixed(1);
const data = { node: process.version, processor: cpus()[0]?.model, load, starts: STARTS, tries: TRIES, results };
const text = `# Blocks of the event loop

The longest turn of the event loop of the service during an operation, in milliseconds: ${STARTS} processes of \`dist/service\` on
PostgreSQL, ${TRIES} tries each unless fewer are listed. The database has 5,000 accounts with 25,000 sessions and audit entries. "First CPU" is the
longest turn of the first requests of each process, "later CPU" of all others. CPU time is that of the main thread (\`schedstat\`, up to
4 ms coarse), so other work of the machine adds to the wall time but not to it. "Idle CPU" is the median of the same measure
without a request. Background work of the service is in all of them. The bound of ${BOUND_MS} ms applies to CPU time. Load average: ${load}. ${LOOP_NOTE}

${markdown(rows)}
`;
if (!LOOP_ONLY) console.log(`\nwritten to ${writeResult('loop', data, text)}`);
process.exit(Object.values(measured).some(({ first, later }) => Math.max(first, later) > BOUND_MS) ? 1 : 0);
