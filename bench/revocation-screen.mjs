/**
 * `npm run bench -- revocation-screen`: measures how long a page in Chromium takes to show that its session was ended
 * elsewhere. The time starts with the request, over `BENCH_ROUNDS` (50) rounds. web.md section 1 promises one second.
 * Uses PostgreSQL if `DATABASE_URL` names a database.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../scripts/build.mjs';
import { importFrom } from '../scripts/packages.mjs';
import { call } from './enrol.mjs';
import { median, start, stop, table } from './lib.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 50);
const WARM_UP = 3;
const TARGET_MS = 1000;
const SIGNED_OUT = 'You’ve been signed out. Sign in again to continue.';
const person = { email: 'person@example.com', password: 'four words of a person' };
const root = join(import.meta.dirname, '..');

const executablePath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));
if (!executablePath) throw new Error('no Chromium is installed');
await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-revocation-'));
const server = await start(join(root, 'dist/service/main.cjs'), {
  NODE_ENV: 'test',
  RATE_LIMITS: 'off',
  LOGIN_ALLOWANCES: 'off',
  REGISTRATION_ALLOWANCES: 'off',
  LOG_LEVEL: 'warn',
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
  DATA_DIR: directory,
});
const origin = server.url.replace('127.0.0.1', 'localhost');
const { chromium } = await importFrom('test', 'playwright-core');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

/** Resolves when the page has received READY from the gateway. */
const greeting = (page) =>
  new Promise((resolve) =>
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => String(payload).includes('"READY"') && resolve()),
    ),
  );

/** The milliseconds from the request that ends a session until its page shows it. */
async function round() {
  const { token } = await call(server.url, 'POST', '/v1/auth/login', { body: person });
  const context = await browser.newContext({ locale: 'en-US' });
  await context.addInitScript(`if (!sessionStorage.getItem('arrived')) {
    sessionStorage.setItem('arrived', '1');
    sessionStorage.setItem('gatehouse.session', ${JSON.stringify(token)});
  }`);
  const page = await context.newPage();
  const greeted = greeting(page);
  await page.goto(`${origin}/account`);
  await greeted;
  const shown = page.getByText(SIGNED_OUT).waitFor();
  const begun = performance.now();
  await Promise.all([call(server.url, 'POST', '/v1/auth/logout', { authorization: token }), shown]);
  const milliseconds = performance.now() - begun;
  await context.close();
  return milliseconds;
}

await call(server.url, 'POST', '/v1/auth/register', { body: person });
for (let warm = 0; warm < WARM_UP; warm++) await round();
const times = [];
while (times.length < ROUNDS) times.push(await round());
times.sort((a, b) => a - b);
const p99 = times[Math.ceil(times.length * 0.99) - 1];
console.log(
  table([
    ['signed out elsewhere, ms', 'median', 'p99', 'target', 'load'],
    [`${ROUNDS} rounds`, ...[median(times), p99].map(Math.round), `<= ${TARGET_MS}`, loadavg()[0].toFixed(1)],
  ]),
);
await browser.close();
await stop(server);
rmSync(directory, { recursive: true, force: true });
