/**
 * `npm run bench -- soak`: runs a mixed load of `SOAK_RATE` (30) operations per second for `SOAK_MINUTES` (20). Every
 * `SOAK_SAMPLE_SECONDS` (5), it samples memory (after garbage collection), event loop resources, open files,
 * connections, and the duration of a request and a statement. In the second half, each figure must stay flat within its
 * bound, and every response must be as expected. Otherwise the exit code is 1. Uses its own database on the server that
 * `DATABASE_URL` names, otherwise the embedded one. `SOAK_LEAK` (`heap`, `handles` or both) plants leaks that must be
 * found.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import sharp from 'sharp';
import { Pool } from 'undici';
import { WebSocket } from 'ws';
import { build } from '../scripts/build.mjs';
import { enrol } from './enrol.mjs';
import { ask, markdown, median, ownDatabase, start, startWatched, stop, table, writeResult } from './lib.mjs';
import { trend } from './trend.mjs';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 20);
const RATE = Number(process.env.SOAK_RATE ?? 30);
const SAMPLE_MS = Number(process.env.SOAK_SAMPLE_SECONDS ?? 5) * 1000;
const { DATABASE_URL, SOAK_LEAK, HTTP_PLATFORM } = process.env;
const PEOPLE = Math.min(16, Math.max(4, RATE));
/**
 * One operation in a hundred sets a new avatar, which a user may do 25 times in half an hour. This is twice the number
 * of users needed.
 */
const CHANGING = Math.max(4, Math.ceil((2 * RATE * 18) / 25));
const ADDRESSES = 500;
const SESSIONS = 64;
const SOCKETS = 32;
const AT_ONCE = 64;
const PROBES = 15;
const FEWEST_SAMPLES = 10;
const MOST_SHED = 0.01;
const LOOKUP = 'identity-session';
const MIB = 2 ** 20;
const SETUP_TOKEN = randomBytes(32).toString('hex');

await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-soak-'));
const database = DATABASE_URL ? await ownDatabase(DATABASE_URL, 'soak') : undefined;
const server = await startWatched({
  // Development mode runs background jobs, as in production.
  NODE_ENV: 'development',
  LOG_LEVEL: 'warn',
  // Turns load shedding off, because other load on the machine could trigger it.
  MAX_LOOP_DELAY_MS: '0',
  MAIL_TRANSPORT: 'none',
  TRUSTED_PROXIES: '127.0.0.1',
  LOGIN_ALLOWANCES: 'off',
  REGISTRATION_ALLOWANCES: 'off',
  IP_AUTHORIZATION: 'off',
  ABUSE_BANS: 'off',
  RATE_LIMIT_OVERRIDES: JSON.stringify({
    'user:settings:get': '1000/1',
    'oauth:token': '1000/1',
    'admin:lookup': '1000/1',
  }),
  GATEWAY_NUMBERS: JSON.stringify({ sessions_per_user: 1000 }),
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
  GATEHOUSE_SETUP_TOKEN: SETUP_TOKEN,
  DATABASE_URL: database?.url ?? '',
  DATA_DIR: directory,
  LEAK: SOAK_LEAK ?? '',
});
const bare = await start(join(import.meta.dirname, 'servers/bare.mjs'), {});
const pools = new Map([server, bare].map((one) => [one, new Pool(one.url, { connections: 16 })]));
const client = database && new pg.Client({ connectionString: database.url });
await client?.connect();

const me = '/v1/users/@me';
const pick = (list) => list[randomInt(list.length)];
const address = () => `10.9.${randomInt(2)}.${randomInt(ADDRESSES / 2)}`;

async function send(method, path, { status = 200, authorization, body, form, on = server } = {}) {
  const { statusCode, body: answer } = await pools.get(on).request({
    method,
    path,
    headers: {
      'x-forwarded-for': address(),
      ...(authorization ? { authorization } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    body: form ? new URLSearchParams(form).toString() : body && JSON.stringify(body),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (statusCode !== status) {
    const what = `${method} ${path} answered ${statusCode} ${bytes.toString().slice(0, 200)}`;
    throw Object.assign(new Error(what), { status: statusCode });
  }
  return bytes.length > 0 && String(bytes[0]) === '123' ? JSON.parse(bytes.toString()) : undefined;
}

const enrolled = () => enrol(server.url, { 'x-forwarded-for': address() });
const people = [];
/** `seen`: users whose avatars are read and do not change. `dressed`: users who change their avatars. */
const [seen, dressed] = [[], []];
const picture = () =>
  sharp({ create: { width: 96, height: 96, channels: 3, background: { r: randomInt(256), g: randomInt(256), b: 0 } } })
    .png()
    .toBuffer();

async function dress(person) {
  const body = { avatar: (await picture()).toString('base64') };
  person.avatar = (await send('PATCH', me, { authorization: person.session, body })).avatar;
}

/** Creates users with credentials of each kind and an avatar. The first one is an administrator. */
async function enter() {
  while (people.length < PEOPLE) people.push(await enrolled());
  while (dressed.length < CHANGING) dressed.push(await enrolled());
  for (const person of people) await dress(person);
  seen.push(...people);
  await send('POST', '/v1/setup', { authorization: people[0].session, body: { token: SETUP_TOKEN } });
}

/** Sessions that signed in under the load, oldest first. */
const sessions = [];
async function signIn() {
  const { email, password } = pick(people);
  sessions.push((await send('POST', '/v1/auth/login', { body: { email, password } })).token);
  if (sessions.length > SESSIONS) await signOut();
}
const signOut = () => send('POST', '/v1/auth/logout', { authorization: sessions.shift(), status: 204 });

async function refresh() {
  const person = pick(people.filter(({ busy }) => !busy));
  person.busy = true;
  try {
    const form = { grant_type: 'refresh_token', refresh_token: person.refresh };
    const basic = Buffer.from(`${person.applicationId}:${person.clientSecret}`).toString('base64');
    const tokens = await send('POST', '/v1/oauth2/token', { authorization: `Basic ${basic}`, form });
    Object.assign(person, { refresh: tokens.refresh_token, bearer: `Bearer ${tokens.access_token}` });
  } finally {
    person.busy = false;
  }
}

/** Opens a socket, sends `payload` after Hello and waits for the dispatch `type`. */
const connected = (payload, type) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/gateway`, {
      perMessageDeflate: false,
      headers: { 'x-forwarded-for': address() },
    });
    const held = { socket, seq: 0, id: payload.d.session_id, token: payload.d.token };
    socket.on('message', (data) => {
      const { op, s, t, d } = JSON.parse(data.toString());
      held.seq = s ?? held.seq;
      if (op === 10) socket.send(JSON.stringify(payload));
      if (op === 1) socket.send('{"op":1,"d":null}');
      if (op === 9) reject(new Error(`the gateway refused op ${payload.op}`));
      if (t !== type) return;
      held.id ??= d.session_id;
      resolve(held);
    });
    socket.on('error', reject);
    socket.on('close', (code) => reject(new Error(`the gateway closed with ${code}`)));
  });

/** Open gateway sessions, oldest first. */
const sockets = [];
async function gateway() {
  sockets.push(await connected({ op: 2, d: { token: pick(people).session } }, 'READY'));
  if (sockets.length <= SOCKETS) return;
  const { socket, token, id, seq } = sockets.shift();
  if (randomInt(2) === 0) return socket.close(1000);
  socket.terminate();
  const { socket: next } = await connected({ op: 6, d: { token, session_id: id, seq } }, 'RESUMED');
  next.close(1000);
}

async function upload() {
  const bytes = randomBytes(2048);
  const { session: authorization } = pick(people);
  const attachments = [
    { id: 0, filename: 'file.bin', file_size: bytes.length, content_type: 'application/octet-stream' },
  ];
  const { attachments: planned } = await send('POST', '/v1/media/uploads', { authorization, body: { attachments } });
  const { upload_url: url, upload_filename: name } = planned[0];
  const { pathname, search } = new URL(url);
  const { statusCode, body } = await pools.get(server).request({
    method: 'PUT',
    path: pathname + search,
    headers: { 'x-forwarded-for': address() },
    body: bytes,
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`the upload answered ${statusCode}`);
  const uploads = [{ upload_filename: name }];
  await send('POST', '/v1/media/uploads/complete', { authorization, body: { uploads } });
}

const asAdmin = (path) => send('GET', path, { authorization: people[0].session });
/** The percentage of each operation, and its function. */
const LOAD = {
  'read by session': [26, () => send('GET', me, { authorization: pick(people).session })],
  'read by bot': [9, () => send('GET', me, { authorization: pick(people).bot })],
  'read by OAuth token': [9, () => send('GET', me, { authorization: pick(people).bearer })],
  'malformed credential': [8, () => send('GET', me, { authorization: 'Bearer  two blanks', status: 401 })],
  'unknown credential': [
    6,
    () => send('GET', me, { authorization: `flx_${randomBytes(18).toString('hex')}`, status: 401 }),
  ],
  'wrong password': [
    1,
    () => send('POST', '/v1/auth/login', { body: { email: pick(people).email, password: 'not his own' }, status: 400 }),
  ],
  'sign-in, and the oldest session revoked': [4, signIn],
  refresh: [8, refresh],
  'list of sessions': [5, () => send('GET', '/v1/auth/sessions', { authorization: pick(people).session })],
  'admin search': [4, () => asAdmin(`/v1/admin/users?email=${pick(people).email}`)],
  'audit search': [2, () => asAdmin(`/v1/admin/audit-logs?target_id=${pick(people).id}`)],
  'gateway session': [8, gateway],
  'picture, transformed': [
    6,
    () => {
      const { id, avatar } = pick(seen);
      return send('GET', `/media/avatars/${id}/${avatar}.webp?size=${pick([16, 32, 64])}`);
    },
  ],
  'new picture': [1, () => dress(pick(dressed))],
  upload: [1, upload],
  readiness: [2, () => send('GET', '/health/ready')],
};

const names = Object.entries(LOAD).flatMap(([name, [often]]) => Array.from({ length: often }, () => name));
const done = Object.fromEntries(Object.keys(LOAD).map((name) => [name, 0]));
const faults = new Map();
const running = new Set();
let skipped = 0;
let shed = 0;

function launch() {
  if (running.size >= AT_ONCE) {
    skipped++;
    return;
  }
  const name = pick(names);
  const [, operation] = LOAD[name];
  const work = operation()
    .then(
      () => {
        done[name]++;
      },
      (error) => {
        if (error.status === 503) shed++;
        else faults.set(`${name}: ${error.message}`, (faults.get(`${name}: ${error.message}`) ?? 0) + 1);
      },
    )
    .finally(() => running.delete(work));
  running.add(work);
}

async function load(begun, signal) {
  for (let launched = 0; !signal.aborted; await delay(10)) {
    const due = ((performance.now() - begun) / 1000) * RATE;
    for (; launched < due; launched++) launch();
  }
  await Promise.all(running);
}

/** Measures a duration. If the service is overloaded, it tries again. */
async function timed(work) {
  const begun = performance.now();
  try {
    await work();
    return performance.now() - begun;
  } catch (error) {
    if (error.status !== 503) throw error;
    shed++;
    await delay(SAMPLE_MS);
    return timed(work);
  }
}

/** Durations of a few requests to the service and to the bare server, in turns, and of a statement. */
async function probe() {
  const times = { request: [], bare: [], plain: [] };
  for (let n = 0; n < PROBES; n++) {
    times.request.push(await timed(() => send('GET', me, { authorization: people[1].session })));
    times.bare.push(await timed(() => send('GET', '/', { on: bare })));
    if (client) times.plain.push(await timed(() => client.query('SELECT 1')));
  }
  return times;
}

async function sample(begun) {
  const { request, bare: floor, plain } = await probe();
  const statements = await ask(server, 'recorded');
  const lookups = statements.find(({ name }) => name === LOOKUP)?.ms ?? [];
  const held = await ask(server, 'sample');
  const connections = await client?.query(
    'SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()',
  );
  const count = Object.values(held.resources).reduce((sum, n) => sum + n, 0);
  return {
    minutes: (performance.now() - begun) / 60_000,
    load: loadavg()[0],
    rss: held.rss / MIB,
    heap: held.heapUsed / MIB,
    buffers: (held.external + held.arrayBuffers) / MIB,
    resources: count,
    byKind: held.resources,
    files: held.files,
    connections: connections?.rows[0].n ?? 0,
    request: median(request) / median(floor),
    requestMs: median(request),
    statement: lookups.length > 0 && client ? median(lookups) / median(plain) : undefined,
    statementMs: lookups.length > 0 ? median(lookups) : undefined,
  };
}

/** The figures that must stay flat, and how much each may rise in the second half. */
const MEASURES = {
  rss: ['RSS, MiB', { most: 12 }],
  heap: ['heap after collection, MiB', { most: 2 }],
  buffers: ['buffers, MiB', { most: 4 }],
  resources: ['resources of the event loop', { most: 12 }],
  files: ['open files', { most: 12 }],
  connections: ['connections', { most: 2 }],
  request: ['GET by session, x bare', { most: 0.3, share: true }],
  ...(client ? { statement: ['lookup of a session, x SELECT 1', { most: 0.3, share: true }] } : {}),
};

const samples = [];

async function soak() {
  await enter();
  await ask(server, 'record');
  const begun = performance.now();
  const end = new AbortController();
  const loading = load(begun, end.signal);
  const isOver = () => performance.now() - begun >= MINUTES * 60_000 && samples.length >= FEWEST_SAMPLES;
  while (!isOver()) {
    await delay(SAMPLE_MS);
    samples.push(await sample(begun));
    const { minutes, rss, heap, resources, files } = samples.at(-1);
    const numbers = [rss, heap].map((value) => `${value.toFixed(1)} MiB`);
    console.log(`${minutes.toFixed(1)} min: ${[...numbers, `${resources} resources`, `${files} files`].join(', ')}`);
  }
  end.abort();
  await loading;
}

try {
  await soak();
} finally {
  for (const { socket } of sockets) socket.terminate();
  for (const pool of pools.values()) await pool.destroy();
  await client?.end();
  await stop(server);
  await stop(bare);
  await database?.drop();
  rmSync(directory, { recursive: true, force: true });
}

const verdicts = Object.entries(MEASURES).map(([key, [name, bound]]) => {
  const points = samples.filter((one) => one[key] !== undefined).map((one) => [one.minutes, one[key]]);
  return { name, ...trend(points, bound) };
});
const rows = [['over the second half', 'mean', 'a minute', 'in all', 'bound', '']];
for (const { name, mean, slope, climb, bound, isFlat } of verdicts) {
  rows.push([name, ...[mean, slope, climb, bound].map((value) => value.toFixed(2)), isFlat ? 'flat' : 'CLIMBS']);
}
const operations = [['operation', 'done'], ...Object.entries(done)];
const unexpected = [...faults].map(([what, count]) => `${count} x ${what}`);
const loads = samples.map(({ load: average }) => average);
const told = `${MINUTES} minutes, ${RATE} operations a second, load average ${median(loads).toFixed(1)}, ${skipped} skipped, ${shed} shed`;
console.log(`\n${table(rows)}\n\n${table(operations)}\n\n${told}`);
for (const line of unexpected) console.log(`unexpected: ${line}`);
if (!SOAK_LEAK) {
  const text = `# Soak\n\n${told}.\n\n${markdown(rows)}\n\n${markdown(operations)}\n\nUnexpected answers: ${unexpected.join('; ') || 'none'}.\n`;
  const facts = { node: process.version, processor: cpus()[0]?.model, platform: HTTP_PLATFORM ?? 'express' };
  const data = {
    ...facts,
    database: client ? 'PostgreSQL' : 'embedded',
    minutes: MINUTES,
    rate: RATE,
    skipped,
    shed,
    done,
    unexpected,
    verdicts,
    samples,
  };
  console.log(`written to ${writeResult('soak', data, text)}`);
}

// If other programs use the CPU, the service may reject some requests because of overload.
const isServed =
  unexpected.length === 0 && shed <= Object.values(done).reduce((sum, count) => sum + count, 0) * MOST_SHED;
process.exitCode = isServed && verdicts.every(({ isFlat }) => isFlat) ? 0 : 1;
