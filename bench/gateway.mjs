/**
 * `npm run bench -- gateway`: opens `GATEWAY_SOCKETS` (10000) sockets on one process, identifies `GATEWAY_RATE` (300)
 * per second and leaves them idle. Measures how long an Identify takes, and the resident memory of an idle session.
 * Heartbeats are answered. Needs PostgreSQL in `DATABASE_URL`, because the embedded database is a part of the process
 * and larger than all sessions.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { build } from '../scripts/build.mjs';
import { enrol } from './enrol.mjs';
import { rssMib, start, stop, table } from './lib.mjs';

const SOCKETS = Number(process.env.GATEWAY_SOCKETS ?? 10_000);
const RATE = Number(process.env.GATEWAY_RATE ?? 300);
const SESSIONS_PER_ACCOUNT = 50;
const WARM_UP = 200;
const TARGET_KIB = 10;
const root = join(import.meta.dirname, '..');

if (!process.env.DATABASE_URL) throw new Error('name a PostgreSQL database in DATABASE_URL');
await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-gateway-'));
const server = await start(join(root, 'dist/service/main.cjs'), {
  NODE_ENV: 'test',
  RATE_LIMITS: 'off',
  LOGIN_ALLOWANCES: 'off',
  REGISTRATION_ALLOWANCES: 'off',
  LOG_LEVEL: 'warn',
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
  DATA_DIR: directory,
  GATEWAY_NUMBERS: JSON.stringify({ sockets_per_address: 1e6 }),
});
const url = `${server.url.replace('http', 'ws')}/gateway`;

/** An identified socket, and the milliseconds from Identify to READY. */
const identified = (token) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    let begun = 0;
    socket.on('message', (data) => {
      const { op, t } = JSON.parse(data.toString());
      if (op === 10) {
        begun = performance.now();
        // Ignores events about other sessions of the account, because the session must be idle.
        socket.send(JSON.stringify({ op: 2, d: { token, ignored_events: ['SESSIONS_REPLACE'] } }));
      } else if (op === 1) socket.send('{"op":1,"d":null}');
      else if (t === 'READY') resolve({ socket, milliseconds: performance.now() - begun });
    });
    socket.on('error', reject);
    socket.on('close', (code) => reject(new Error(`closed with ${code}`)));
  });

async function identifyAll(count, tokens) {
  const begun = performance.now();
  const running = [];
  while (running.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - begun) / 1000) * RATE));
    while (running.length < due) running.push(identified(tokens[running.length % tokens.length]));
    await delay(2);
  }
  return Promise.all(running);
}

const tokens = [];
while (tokens.length * SESSIONS_PER_ACCOUNT < SOCKETS) tokens.push((await enrol(server.url)).session);
for (const { socket } of await identifyAll(WARM_UP, tokens)) socket.terminate();
await delay(1000);
const before = rssMib(server);
const sockets = await identifyAll(SOCKETS, tokens);
await delay(3000);
const after = rssMib(server);
const open = sockets.filter(({ socket }) => socket.readyState === WebSocket.OPEN).length;
const times = sockets.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1);
console.log(
  table([
    ['sockets', 'open', 'RSS before MiB', 'RSS after MiB', 'KiB per socket', 'target'],
    [SOCKETS, open, before, after, (((after - before) * 1024) / SOCKETS).toFixed(1), `<= ${TARGET_KIB}`],
  ]),
);
console.log(
  `\n${table([
    [`Identify at ${RATE}/s, ms`, 'median', 'p99', 'max'],
    ['', at(0.5), at(0.99), at(1)],
  ])}`,
);
for (const { socket } of sockets) socket.terminate();
await stop(server);
rmSync(directory, { recursive: true, force: true });
