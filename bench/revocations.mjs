/**
 * `npm run bench -- revocations`: measures how many revocations per second one PostgreSQL announces to three replicas,
 * each with a third of the sockets. Also measures how long after the response a socket of another replica is closed.
 * Ends one session after another, and all sessions of an account together. Compares both with one replica that notifies
 * no other. A socket that stays open is a lost revocation, which ends the run with exit code 1. Needs an empty
 * PostgreSQL database in `DATABASE_URL`. Uses `REDIS_URL` if it is set.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { WebSocket } from 'ws';
import { build } from '../scripts/build.mjs';
import { call } from './enrol.mjs';
import { cpuSeconds, median, ownDatabase, quantile, start, stop, table } from './lib.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ACCOUNTS = 24;
const SESSIONS = 240;
const AT_ONCE = 48;
const TARGET = 2000;
/** A socket that is still open this long after the last response was never notified. */
const LOST_MS = 30_000;
const PASSWORD = 'four words of everybody';
const { DATABASE_URL, REDIS_URL } = process.env;
const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-revocations-'));

if (!DATABASE_URL) throw new Error('name a PostgreSQL database in DATABASE_URL');
await build();
const settings = {
  ...{ NODE_ENV: 'test', LOG_LEVEL: 'warn', DATA_DIR: directory },
  ...{ RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off', ABUSE_BANS: 'off' },
  ...{ ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1', MAX_IN_FLIGHT: '4096', MAX_LOOP_DELAY_MS: '0' },
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
  GATEWAY_NUMBERS: JSON.stringify({
    ...{ sockets_per_address: 1e6, payloads_per_address: 1e6, attempts_per_address: 1e6, sessions_per_user: 1e6 },
  }),
};

/** Runs `work` on each of the items, at most `atOnce` in parallel. */
async function each(items, atOnce, work) {
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** Opens a socket that closes with 4004 when the session ends. `closed` resolves with the code and the time. */
const socketOf = ({ url }, token) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/gateway`, { perMessageDeflate: false });
    const closed = new Promise((heard) => socket.on('close', (code) => heard({ code, at: performance.now() })));
    socket.on('message', (data) => {
      const { op, t } = JSON.parse(data.toString());
      if (op === 10) socket.send(JSON.stringify({ op: 2, d: { token } }));
      else if (t === 'READY') resolve({ socket, closed });
    });
    socket.on('error', reject);
  });

/** Creates sessions with one socket each, at one replica after another. */
async function sessionsAt(replicas, people) {
  const sessions = people.flatMap((person) => Array.from({ length: SESSIONS }, () => ({ person })));
  await each([...sessions.entries()], 16, async ([n, session]) => {
    const { url } = replicas[n % replicas.length];
    const body = { email: session.person.email, password: PASSWORD };
    session.token = (await call(url, 'POST', '/v1/auth/login', { body })).token;
    Object.assign(session, await socketOf(replicas[n % replicas.length], session.token));
    session.teller = replicas[(n + 1) % replicas.length];
  });
  return sessions;
}

async function ask(pool, path, authorization) {
  const answer = await pool.request({ method: 'POST', path, headers: { authorization } });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`POST ${path} answered ${answer.statusCode} ${text}`);
}

const ONE_BY_ONE = 'one session after another';
const BY_ACCOUNT = 'all sessions of an account at once';

/** Ends every session and waits until its socket is closed. */
async function round(kind, replicas, pools, people) {
  const sessions = await sessionsAt(replicas, people);
  await delay(1500);
  const before = replicas.map(cpuSeconds);
  const begun = performance.now();
  if (kind === ONE_BY_ONE) {
    await each(sessions, AT_ONCE, async (session) => {
      await ask(pools.get(session.teller), '/v1/auth/logout', session.token);
      session.answeredAt = performance.now();
    });
  } else {
    await each([...people.entries()], AT_ONCE, async ([n, person]) => {
      await ask(pools.get(replicas[n % replicas.length]), '/v1/users/@me/lockdown', person.token);
      const at = performance.now();
      for (const session of sessions) if (session.person === person) session.answeredAt = at;
    });
  }
  const answered = performance.now();
  const ends = await Promise.all(
    sessions.map(({ closed }) => Promise.race([closed, delay(LOST_MS, null, { ref: false })])),
  );
  const seconds = (performance.now() - begun) / 1000;
  const lost = ends.filter((end) => end?.code !== 4004).length;
  for (const { socket } of sessions) socket.terminate();
  const after = ends.flatMap((end, n) => (end ? [Math.max(0, end.at - sessions[n].answeredAt)] : []));
  const processor = replicas.map((replica, n) => cpuSeconds(replica) - before[n]).reduce((sum, one) => sum + one);
  return {
    answered: (sessions.length * 1000) / (answered - begun),
    heard: sessions.length / seconds,
    p50: quantile(after, 0.5),
    p99: quantile(after, 0.99),
    processor: (processor * 1e6) / sessions.length,
    lost,
  };
}

const found = [];
for (const count of [1, 3]) {
  const database = await ownDatabase(DATABASE_URL, 'revocations');
  const env = { ...settings, DATABASE_URL: database.url, ...(REDIS_URL ? { REDIS_URL } : {}) };
  const replicas = [];
  while (replicas.length < count) {
    replicas.push(await start(join(root, 'dist/service/main.cjs'), env, { pinned: false }));
  }
  const pools = new Map(replicas.map((replica) => [replica, new Pool(replica.url, { connections: AT_ONCE })]));
  for (const kind of [ONE_BY_ONE, BY_ACCOUNT]) {
    const rounds = [];
    while (rounds.length < ROUNDS) {
      const people = [];
      while (people.length < ACCOUNTS) {
        const email = `${kind.length}.${count}.${rounds.length}.${people.length}@example.com`;
        const { token } = await call(replicas[0].url, 'POST', '/v1/auth/register', {
          body: { email, password: PASSWORD },
        });
        people.push({ email, token });
      }
      rounds.push(await round(kind, replicas, pools, people));
    }
    found.push({ count, kind, rounds });
  }
  for (const pool of pools.values()) await pool.close();
  for (const replica of replicas) await stop(replica);
  await database.drop();
}
rmSync(directory, { recursive: true, force: true });

const rows = [['revocations', 'answered/s', 'closed/s', 'p50 ms', 'p99 ms', 'CPU us each', 'lost', 'target']];
for (const { count, kind, rounds } of found) {
  const middle = (name) => median(rounds.map((one) => one[name])).toFixed(0);
  rows.push([
    `${count === 1 ? 'one replica' : `${count} replicas`}, ${kind}`,
    ...['answered', 'heard', 'p50', 'p99', 'processor'].map(middle),
    rounds.reduce((sum, { lost }) => sum + lost, 0),
    count === 1 ? '' : `>= ${TARGET}/s, 0 lost`,
  ]);
}
console.log(table(rows));
if (found.some(({ rounds }) => rounds.some(({ lost }) => lost > 0))) process.exitCode = 1;
