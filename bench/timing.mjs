/**
 * `npm run bench -- timing`: whether the time of an answer tells an existing account from an unknown one. Requests of
 * both classes go out in random order, one at a time, `TIMING_N` (2000) of each; Welch's t over all of them and over the
 * fastest nine tenths, where a difference is not drowned by what else the machine does. Beyond 4.5 there is one, and the
 * exit code is 1. `TIMING_ONLY=login,forgot` measures some operations only.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../scripts/build.mjs';
import { median, start, stop, table } from './lib.mjs';

const N = Number(process.env.TIMING_N ?? 2000);
const ONLY = process.env.TIMING_ONLY?.split(',');
const WARM_UP = Math.min(100, N);
const THRESHOLD = 4.5;
/** Allowances of an address that stay on whatever is switched off: so many requests with one of them. */
const PER_ADDRESS = 20;
const PER_EMAIL = 5;
const root = join(import.meta.dirname, '..');

await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-timing-'));
const setupToken = randomBytes(32).toString('hex');
const server = await start(join(root, 'dist/src/main.cjs'), {
  NODE_ENV: 'test',
  RATE_LIMITS: 'off',
  LOGIN_ALLOWANCES: 'off',
  REGISTRATION_ALLOWANCES: 'off',
  ABUSE_BANS: 'off',
  LOG_LEVEL: 'warn',
  MAIL_TRANSPORT: 'inbox',
  TRUSTED_PROXIES: '127.0.0.1',
  GATEHOUSE_SETUP_TOKEN: setupToken,
  GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
  DATA_DIR: directory,
});

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends one request and answers its status, its body and how long it took in milliseconds. */
const send = (path, body, { authorization, address = '192.0.2.1', method = 'POST' } = {}) =>
  new Promise((resolve, reject) => {
    const text = JSON.stringify(body ?? {});
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'x-forwarded-for': address,
      ...(authorization ? { authorization } : {}),
    };
    const begun = performance.now();
    const sent = request(server.url + path, { method, agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const took = performance.now() - begun;
        const answer = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode, body: answer ? JSON.parse(answer) : undefined, took });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });

const freshEmail = () => `${randomBytes(10).toString('hex')}@example.com`;
const password = () => randomBytes(12).toString('hex');

async function register(email) {
  const { status, body } = await send('/v1/auth/register', { email, password: password() });
  if (status !== 200) throw new Error(`registration answered ${status}`);
  return body.token;
}

const accounts = Math.ceil((N + WARM_UP) / PER_EMAIL);
const existing = [];
let administrator;
for (let made = 0; made < accounts; made++) {
  const email = freshEmail();
  const token = await register(email);
  administrator ??= token;
  existing.push(email);
}
const unknown = existing.map(freshEmail);

let sent = 0;
/** Every address of a client serves for so many requests as its allowance admits. */
const address = () => {
  const block = Math.floor(sent++ / PER_ADDRESS);
  return `10.${(block >> 16) & 255}.${(block >> 8) & 255}.${block & 255}`;
};
const emailOf = (isKnown, round) => (isKnown ? existing : unknown)[round % accounts];

const OPERATIONS = {
  login: {
    status: 400,
    ask: (isKnown, round) => send('/v1/auth/login', { email: emailOf(isKnown, round), password: password() }),
  },
  forgot: {
    status: 204,
    ask: (isKnown, round) => send('/v1/auth/forgot', { email: emailOf(isKnown, round) }, { address: address() }),
  },
  'passkey options': {
    status: 200,
    ask: (isKnown, round) => send('/v1/auth/webauthn/authentication-options', { email: emailOf(isKnown, round) }),
  },
  'IP resend': {
    status: 400,
    ask: (isKnown, round) => send('/v1/auth/ip-authorization/resend', { ticket: emailOf(isKnown, round) }),
  },
  /** Last: from here on registrations answer alike for every address. */
  register: {
    status: 200,
    prepare: hideExistingAccounts,
    ask: (isKnown, round) =>
      send('/v1/auth/register', { email: isKnown ? emailOf(true, round) : freshEmail(), password: password() }),
  },
};

async function hideExistingAccounts() {
  const authorization = administrator;
  const steps = [
    await send('/v1/setup', { token: setupToken }, { authorization }),
    await send(
      '/v1/admin/instance/config',
      { registration: { hide_existing_accounts: true } },
      { authorization, method: 'PATCH' },
    ),
  ];
  for (const { status } of steps) if (status !== 200) throw new Error(`the set-up answered ${status}`);
}

async function measure({ ask, status: expected }) {
  const times = { known: [], unknown: [] };
  const plan = [];
  for (let round = 0; round < N; round++) plan.push([true, round], [false, round]);
  for (let last = plan.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [plan[last], plan[other]] = [plan[other], plan[last]];
  }
  const warm = Array.from({ length: WARM_UP * 2 }, (_, index) => [index % 2 === 0, N + (index >> 1)]);
  for (const [index, [isKnown, round]] of [...warm, ...plan].entries()) {
    const { status, took } = await ask(isKnown, round);
    if (status !== expected) throw new Error(`answered ${status} instead of ${expected}`);
    if (index >= warm.length) times[isKnown ? 'known' : 'unknown'].push(took);
  }
  return times;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values, of = mean(values)) =>
  values.reduce((sum, value) => sum + (value - of) ** 2, 0) / (values.length - 1);

/** Welch's t of two samples. */
const welch = (a, b) => (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length);

/** Both samples below the ninth decile of all of them. */
function cropped(a, b) {
  const all = [...a, ...b].sort((x, y) => x - y);
  const limit = all[Math.floor(all.length * 0.9)];
  return [a, b].map((values) => values.filter((value) => value < limit));
}

const rows = [['existing against unknown', 'n each', 'median ms', 'gap us', 't', 't of 9/10', '']];
let differs = false;
for (const [name, operation] of Object.entries(OPERATIONS)) {
  if (ONLY && !ONLY.includes(name)) continue;
  await operation.prepare?.();
  const { known, unknown: strange } = await measure(operation);
  const [all, most] = [welch(known, strange), welch(...cropped(known, strange))];
  const isDifferent = Math.max(Math.abs(all), Math.abs(most)) > THRESHOLD;
  differs ||= isDifferent;
  rows.push([
    name,
    known.length,
    median([...known, ...strange]).toFixed(3),
    ((median(known) - median(strange)) * 1000).toFixed(1),
    all.toFixed(2),
    most.toFixed(2),
    isDifferent ? 'DIFFERS' : 'alike',
  ]);
}
console.log(table(rows));
agent.destroy();
await stop(server);
rmSync(directory, { recursive: true, force: true });
process.exitCode = differs ? 1 : 0;
