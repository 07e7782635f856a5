/**
 * `npm run bench -- fan-out`: measures how long the event of a largest webhook message blocks the event loop, at 1, 10
 * and 100 sockets of one account. Compares it with plain `ws`, in turns. Results are medians of `BENCH_ROUNDS` (15)
 * rounds. The exit code is 1 if a median of the service is more than 50 ms of CPU time.
 * `DATABASE_URL` names a server, on which it creates a database and drops it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { build } from '../scripts/build.mjs';
import { call, enrol } from './enrol.mjs';
import { ask, median, ownDatabase, preciseCpuSeconds, start, stop, table } from './lib.mjs';
import { message } from './loop/operations.mjs';

const { DATABASE_URL } = process.env;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const BOUND_MS = 50;
if (!DATABASE_URL) throw new Error('DATABASE_URL must name a PostgreSQL server');

await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-fan-out-'));
const database = await ownDatabase(DATABASE_URL, 'fan_out');
const path = (name) => join(import.meta.dirname, name);
const options = { args: ['--import', path('servers/turns.mjs')] };
const service = await start(
  path('../dist/service/main.cjs'),
  {
    ...{ NODE_ENV: 'test', LOG_LEVEL: 'warn', DATA_DIR: directory, DATABASE_URL: database.url, MAX_LOOP_DELAY_MS: '0' },
    ...{ RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off', MAIL_TRANSPORT: 'none' },
    GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
    GATEWAY_NUMBERS: JSON.stringify({ sockets_per_address: 1e6, attempts_per_address: 1e6, sessions_per_user: 1e6 }),
  },
  options,
);
const plain = await start(path('servers/broadcast.mjs'), {}, options);

const { session } = await enrol(service.url);
const webhook = await call(service.url, 'POST', '/v1/users/@me/webhooks', {
  authorization: session,
  body: { name: 'Bench' },
});
const sides = {
  service: { server: service, url: `${service.url}/gateway`, target: `/v1/webhooks/${webhook.id}/${webhook.token}` },
  plain: { server: plain, url: plain.url, target: '/' },
};

/** Opens a socket that counts the messages that it receives. */
const reader = (url) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false });
    const found = { socket, count: 0, onMessage: () => {} };
    socket.on('message', (data) => {
      const { op, t } = JSON.parse(data.toString());
      if (op === 10)
        socket.send(JSON.stringify({ op: 2, d: { token: session, ignored_events: ['SESSIONS_REPLACE'] } }));
      else if (t === 'READY') resolve(found);
      else if (t === 'WEBHOOK_MESSAGE_CREATE') found.onMessage();
    });
    socket.on('error', reject);
  });

/** Sends one message, and waits until every socket has received its event. Returns milliseconds. */
async function measure({ server, target }, readers) {
  await ask(server, 'turns');
  const before = preciseCpuSeconds(server.child.pid);
  const received = readers.map(
    (each) =>
      new Promise((resolve) => {
        each.onMessage = resolve;
      }),
  );
  await call(server.url, 'POST', target, { body: message() });
  await Promise.all(received);
  const { cpu } = await ask(server, 'turns');
  return { block: cpu, all: (preciseCpuSeconds(server.child.pid) - before) * 1000 };
}

const ms = (value) => value.toFixed(1);
const rows = [['sockets', 'longest turn ms', 'of plain ws', 'ratio', 'CPU ms per event', 'of plain ws', 'ratio']];
let isWithin = true;
const readers = { service: [], plain: [] };
for (const sockets of [1, 10, 100]) {
  const samples = { service: [], plain: [] };
  for (const [name, { url }] of Object.entries(sides)) {
    while (readers[name].length < sockets) readers[name].push(await reader(url));
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, side] of Object.entries(sides)) {
      const sample = await measure(side, readers[name]);
      // The first round only warms the servers up.
      if (round > 0) samples[name].push(sample);
    }
  }
  const of = (name, value) => median(samples[name].map((sample) => sample[value]));
  const columns = ['block', 'all'].flatMap((value) => {
    const [ours, theirs] = [of('service', value), of('plain', value)];
    return [ms(ours), ms(theirs), (ours / theirs).toFixed(2)];
  });
  rows.push([sockets, ...columns]);
  isWithin &&= of('service', 'block') <= BOUND_MS;
}
console.log(table(rows));
for (const { socket } of [...readers.service, ...readers.plain]) socket.terminate();
await Promise.all([stop(service), stop(plain)]);
await database.drop();
rmSync(directory, { recursive: true });
process.exit(isWithin ? 0 : 1);
