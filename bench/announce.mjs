/**
 * `npm run bench -- announce`: measures the cost of notifying the other replicas. Compares the commits per second of
 * transactions with and without an announced event of their account, at 1, 4, 16 and 32 connections. Also measures how
 * long after the response a socket of another replica is notified. With `REDIS_URL`, it also measures the size of an
 * event in the shared store at 50 sessions. It then also compares the CPU time of an Identify and its end with and
 * without that store. Needs an empty PostgreSQL database in `DATABASE_URL`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { WebSocket } from 'ws';
import { build } from '../scripts/build.mjs';
import { enrol } from './enrol.mjs';
import { measure } from './identify.mjs';
import { median, start, stop, table } from './lib.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const SLICE_MS = 250;
const SESSIONS = 50;
const EVENTS = 100;
const { DATABASE_URL, REDIS_URL } = process.env;
const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-announce-'));

if (!DATABASE_URL) throw new Error('name a PostgreSQL database in DATABASE_URL');
await build();
const quiet = {
  ...{
    NODE_ENV: 'test',
    RATE_LIMITS: 'off',
    LOGIN_ALLOWANCES: 'off',
    REGISTRATION_ALLOWANCES: 'off',
    LOG_LEVEL: 'warn',
  },
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
  GATEWAY_NUMBERS: JSON.stringify({ sockets_per_address: 1e6, sessions_per_user: 1e6, retention_ms: 5000 }),
};

async function commits() {
  const { databaseSchema, loadConfig } = await import('../dist/src/features.js');
  const { Database } = await import('../dist/src/platform/database/database.js');
  const { joinReplicas } = await import('../dist/src/platform/replicas/join-replicas.js');
  const { Log } = await import('../dist/src/core/log.js');
  const first = await Database.open(loadConfig({ ...process.env, ...quiet, DATA_DIR: directory }), databaseSchema());
  await first.migrate();
  await first.close();
  const rows = [['commits/s', 'announcing', 'plain', 'ratio', 'target']];
  for (const connections of [1, 4, 16, 32]) {
    const config = loadConfig({
      ...process.env,
      ...quiet,
      DATABASE_POOL_SIZE: String(connections),
      DATA_DIR: directory,
    });
    const database = await Database.open(config, databaseSchema());
    const replica = await joinReplicas(config, database, new Log(config));
    await replica.start();
    await database.manager.query(
      `INSERT INTO account (id, username, discriminator, created_at) SELECT n, 'bench' || n, 1, now()
       FROM generate_series(1, 64) n ON CONFLICT DO NOTHING`,
    );
    // On a busy machine, a connection may take longer than a request waits for it.
    const warm = () => database.manager.query('SELECT pg_sleep(0.2)').catch(() => delay(100).then(warm));
    await Promise.all(Array.from({ length: connections }, warm));
    const work = (isAnnouncing) => (id) =>
      database.transaction(async (tx) => {
        await tx.query('SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE', [id]);
        await tx.query('UPDATE account SET bio = $2 WHERE id = $1', [id, String(performance.now())]);
        if (isAnnouncing) await replica.announce(tx, { topic: 'event', data: { type: 'USER_UPDATE', account_id: id } });
      });
    const rate = async (transaction) => {
      const begun = performance.now();
      const endsAt = begun + SLICE_MS;
      let count = 0;
      const lane = async (_, n) => {
        while (performance.now() < endsAt) {
          await transaction(String(1 + 2 * n + (count % 2))).then(
            () => count++,
            () => {},
          );
        }
      };
      await Promise.all(Array.from({ length: connections }, lane));
      return (count * 1000) / (performance.now() - begun);
    };
    const rates = { announcing: [], plain: [] };
    const kinds = Object.keys(rates);
    // Both kinds take turns in short slices, so that other load on the machine affects both equally.
    for (let slice = 0; slice < (ROUNDS * SECONDS * 1000) / SLICE_MS; slice++) {
      for (const kind of kinds) rates[kind].push(await rate(work(kind === 'announcing')));
      kinds.reverse();
    }
    const [announcing, plain] = [median(rates.announcing), median(rates.plain)];
    const ratios = rates.announcing.map((value, round) => value / rates.plain[round]);
    rows.push([connections, announcing.toFixed(0), plain.toFixed(0), median(ratios).toFixed(2), '>= 0.85']);
    await replica.close();
    await database.close();
  }
  console.log(`${table(rows)}\n`);
}

/** An identified socket. `hear` receives its dispatches. */
const identified = ({ url }, token, hear = () => {}) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/gateway`, { perMessageDeflate: false });
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString());
      if (message.op === 10) socket.send(JSON.stringify({ op: 2, d: { token } }));
      else if (message.t === 'READY') resolve(socket);
      else if (message.op === 0) hear(message);
    });
    socket.on('error', reject);
  });

const patch = ({ url }, { session }, custom) =>
  fetch(`${url}/v1/users/@me/settings`, {
    method: 'PATCH',
    headers: { authorization: session, 'content-type': 'application/json' },
    body: JSON.stringify({ custom: { text: custom } }),
  }).then((answer) => answer.text());

async function storedBytes(redis) {
  let sum = 0;
  for (const key of await redis.keys('gatehouse:gateway:*'))
    sum += (await redis.memory('USAGE', key, 'SAMPLES', 0)) ?? 0;
  return sum;
}

async function perEvent(server, redis) {
  const account = await enrol(server.url);
  let bytes = 0;
  let heard = 0;
  const hear = ({ t, d }) => {
    if (t !== 'USER_SETTINGS_UPDATE') return;
    heard++;
    bytes = Buffer.byteLength(JSON.stringify(d));
  };
  const sockets = [];
  while (sockets.length < SESSIONS) sockets.push(await identified(server, account.session, hear));
  await delay(2000);
  const before = await storedBytes(redis);
  for (let n = 0; n < EVENTS; n++) await patch(server, account, `${n} ${'x'.repeat(500)}`);
  while (heard < SESSIONS * EVENTS) await delay(10);
  const each = ((await storedBytes(redis)) - before) / EVENTS;
  for (const socket of sockets) socket.terminate();
  return [
    ['at 50 sessions', 'payload', 'in the store', 'ratio', 'target'],
    ['bytes per event', bytes, each.toFixed(0), (each / bytes).toFixed(2), '<= 2'],
  ];
}

async function identifies(alone, shared) {
  const tokens = [];
  while (tokens.length < 32) tokens.push((await enrol(alone.url)).session);
  const samples = { alone: [], shared: [] };
  for (let round = 0; round < ROUNDS; round++) {
    samples.alone.push((await measure(alone, '/gateway', tokens)).cpu);
    samples.shared.push((await measure(shared, '/gateway', tokens)).cpu);
  }
  const ratio = median(samples.shared.map((cpu, round) => cpu / samples.alone[round]));
  return [
    ['Identify and its end', 'without Redis', 'with it', 'ratio', 'target'],
    ['CPU us', median(samples.alone).toFixed(0), median(samples.shared).toFixed(0), ratio.toFixed(2), '<= 1.2'],
  ];
}

async function latency(near, far) {
  const account = await enrol(near.url);
  const heardAt = new Map();
  const socket = await identified(far, account.session, ({ d }) => heardAt.set(d?.custom?.text, performance.now()));
  const times = [];
  for (let n = 0; n < 4 * EVENTS; n++) {
    await patch(near, account, `text ${n}`);
    const answeredAt = performance.now();
    while (!heardAt.has(`text ${n}`)) await delay(1);
    times.push(Math.max(0, heardAt.get(`text ${n}`) - answeredAt));
  }
  socket.terminate();
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor((times.length - 1) * share)].toFixed(1);
  return [
    ['answer to a socket elsewhere, ms', 'p50', 'p99', 'max'],
    ['', at(0.5), at(0.99), at(1)],
  ];
}

await commits();
const serve = (name, env) =>
  start(join(root, 'dist/src/main.js'), {
    ...quiet,
    HTTP_PLATFORM: 'fastify',
    DATA_DIR: join(directory, name),
    ...env,
  });
const alone = await serve('alone', { REDIS_URL: '' });
if (REDIS_URL) {
  const [one, other] = [await serve('one', {}), await serve('other', {})];
  const redis = new Redis(REDIS_URL);
  console.log(`${table(await perEvent(one, redis))}\n`);
  console.log(`${table(await identifies(alone, one))}\n`);
  console.log(`with Redis: ${table(await latency(one, other))}\n`);
  redis.disconnect();
  await Promise.all([stop(one), stop(other)]);
}
const second = await serve('second', { REDIS_URL: '' });
console.log(`PostgreSQL alone: ${table(await latency(alone, second))}`);
await Promise.all([stop(alone), stop(second)]);
rmSync(directory, { recursive: true, force: true });
