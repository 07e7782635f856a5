/**
 * `npm run bench -- capacity`: measures what one operation, account or gateway session costs, and writes the constants of
 * `gatehouse capacity` to `src/cli/capacity/measured.json`. Starts its own PostgreSQL with a standby, and its own Redis.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis as RedisClient } from 'ioredis';
import { WebSocket } from 'ws';
import { build } from '../scripts/build.mjs';
import { importFrom } from '../scripts/packages.mjs';
import { Pair } from './chaos/postgres.mjs';
import { Redis } from './chaos/servers.mjs';
import { call, enrol } from './enrol.mjs';
import { databaseCpuSeconds, preciseCpuSeconds, rssMib, start, stop } from './lib.mjs';

const autocannon = await importFrom('scripts', 'autocannon');
const SOCKETS = 2000;
const OPERATIONS = 300;
const PARALLEL = 4;
const REQUEST_SECONDS = 8;
const IDLE_SECONDS = 10;
const SETUP_TOKEN = 'a-setup-token-of-the-capacity-benchmark';
const MIB = 1024 * 1024;
const root = join(import.meta.dirname, '..');

await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-capacity-'));
// PostgreSQL runs as another user.
chmodSync(directory, 0o755);
const pair = new Pair(directory);
const redis = new Redis();
await Promise.all([pair.open(), redis.open()]);
const { primary } = pair;
const store = new RedisClient(redis.port);
const server = await start(join(root, 'dist/service/main.cjs'), {
  NODE_ENV: 'test',
  HTTP_PLATFORM: 'fastify',
  RATE_LIMITS: 'off',
  LOGIN_ALLOWANCES: 'off',
  REGISTRATION_ALLOWANCES: 'off',
  LOG_LEVEL: 'warn',
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
  GATEHOUSE_SETUP_TOKEN: SETUP_TOKEN,
  DATA_DIR: join(directory, 'data'),
  DATABASE_URL: primary.url,
  REDIS_URL: `redis://127.0.0.1:${redis.port}`,
  GATEWAY_NUMBERS: JSON.stringify({ sockets_per_address: 1e6 }),
});

const one = async (text) => Number(Object.values((await primary.query(text))[0])[0]);
const tableBytes = () => one('SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables');
const auditBytes = () => one("SELECT pg_total_relation_size('audit_log')");
const walBytes = () => one("SELECT pg_current_wal_lsn() - '0/0'");
const changedRows = async () => {
  // Backends report their counts at most once per second.
  await delay(1200);
  return one(
    'SELECT tup_inserted + tup_updated + tup_deleted FROM pg_stat_database WHERE datname = current_database()',
  );
};
const redisBytes = async () => Number(/used_memory:(\d+)/.exec(await store.info('memory'))[1]);

const READINGS = {
  cpu: async () => preciseCpuSeconds(server.child.pid),
  databaseCpu: async () => databaseCpuSeconds(primary.data),
  tableBytes,
  auditBytes,
  walBytes,
  changedRows,
};

/** The increase of each reading per second while there is no work, such as cleanup tasks. */
let idle = {};

/** The increase of each reading because of some work, per operation. `work` returns the number of operations. */
async function costs(work) {
  const read = async () => {
    const values = {};
    for (const [name, reading] of Object.entries(READINGS)) values[name] = await reading();
    return values;
  };
  const begun = performance.now();
  const before = await read();
  const count = await work();
  const after = await read();
  const seconds = (performance.now() - begun) / 1000;
  const costOf = (name) => (after[name] - before[name] - seconds * (idle[name] ?? 0)) / count;
  return Object.fromEntries(Object.keys(READINGS).map((name) => [name, costOf(name)]));
}

/** Runs an operation `OPERATIONS` times, a few in parallel. */
async function repeat(operation) {
  let next = 0;
  const worker = async () => {
    while (next < OPERATIONS) await operation(next++);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return OPERATIONS;
}

function identified(token) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/gateway`, { perMessageDeflate: false });
    socket.on('message', (data) => {
      const { op, t, d } = JSON.parse(data.toString());
      if (op === 10) {
        socket.interval = d.heartbeat_interval;
        socket.send(JSON.stringify({ op: 2, d: { token, ignored_events: ['SESSIONS_REPLACE'] } }));
      } else if (op === 1) socket.send('{"op":1,"d":null}');
      else if (op === 11) socket.emit('acknowledged');
      else if (t === 'READY') resolve(socket);
    });
    socket.on('error', reject);
  });
}

async function heartbeat(socket) {
  const acknowledged = new Promise((resolve) => socket.once('acknowledged', resolve));
  socket.send('{"op":1,"d":null}');
  await acknowledged;
}

const us = (seconds) => Math.round(seconds * 1e6);
const idleMib = rssMib(server);

const people = [];
for (let index = 0; index < SOCKETS / 50; index++) people.push(await enrol(server.url));
idle = await costs(async () => {
  await delay(IDLE_SECONDS * 1000);
  return IDLE_SECONDS;
});
const registration = await costs(() =>
  repeat((index) =>
    call(server.url, 'POST', '/v1/auth/register', {
      body: { email: `user${index}@example.com`, password: 'a long enough password' },
    }),
  ),
);
const login = (index) => {
  const { email, password } = people[index % people.length];
  return call(server.url, 'POST', '/v1/auth/login', { body: { email, password } });
};
for (let index = 0; index < people.length; index++) await login(index);
const signIn = await costs(() => repeat(login));

const request = await costs(async () => {
  const { requests } = await autocannon({
    url: `${server.url}/v1/users/@me`,
    headers: { authorization: people[0].session },
    connections: 32,
    duration: REQUEST_SECONDS,
  });
  return requests.total;
});

const [{ session: administrator }] = people;
await call(server.url, 'POST', '/v1/setup', { authorization: administrator, body: { token: SETUP_TOKEN } });
const admin = await costs(() =>
  repeat((index) =>
    call(server.url, 'POST', '/v1/admin/blocklists/ip/entries', {
      authorization: administrator,
      headers: { 'X-Audit-Log-Reason': 'A reason of usual length' },
      body: { ip: `9.9.${index >> 8}.${index & 255}` },
    }),
  ),
);

const [residentBefore, redisBefore] = [rssMib(server), await redisBytes()];
const sockets = [];
while (sockets.length < SOCKETS) {
  const some = Array.from({ length: 50 }, (_, index) =>
    identified(people[(sockets.length + index) % people.length].session),
  );
  sockets.push(...(await Promise.all(some)));
}
await delay(3000);
const [residentAfter, redisAfter] = [rssMib(server), await redisBytes()];
const beats = await costs(async () => {
  for (let round = 0; round < 5; round++) await Promise.all(sockets.map(heartbeat));
  return 5 * sockets.length;
});

const measured = {
  measured_on: new Date().toISOString().slice(0, 10),
  machine: `${cpus()[0].model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / MIB / 1024)} GiB, Node.js ${process.versions.node}`,
  process: { idle_mib: idleMib },
  request: { cpu_us: us(request.cpu), database_cpu_us: us(request.databaseCpu) },
  sign_in: {
    cpu_us: us(signIn.cpu),
    database_cpu_us: us(signIn.databaseCpu),
    wal_bytes: Math.round(signIn.walBytes),
    rows: Number(signIn.changedRows.toFixed(1)),
    stored_bytes: Math.round(signIn.tableBytes),
  },
  account: { stored_bytes: Math.round(registration.tableBytes), wal_bytes: Math.round(registration.walBytes) },
  audit_entry: { stored_bytes: Math.round(admin.auditBytes) },
  socket: {
    bytes: Math.round(((residentAfter - residentBefore) * MIB) / SOCKETS),
    redis_bytes: Math.round((redisAfter - redisBefore) / SOCKETS),
    heartbeat_cpu_us: us(beats.cpu),
    heartbeat_seconds: sockets[0].interval / 1000,
  },
};
writeFileSync(join(root, 'src/cli/capacity/measured.json'), `${JSON.stringify(measured, null, 2)}\n`);
console.log(JSON.stringify(measured, null, 2));
for (const socket of sockets) socket.terminate();
store.disconnect();
await stop(server);
await Promise.all([pair.close(), redis.kill()]);
rmSync(directory, { recursive: true, force: true });
