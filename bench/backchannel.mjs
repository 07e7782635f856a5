/**
 * `npm run bench -- backchannel`: measures how long after the end of all sessions of an account the logout tokens are
 * first sent. The time starts with the response. Accounts have 100 or 1,000 sessions, at 20 applications. The receivers
 * have their own IP addresses, because a host gets at most 10 requests per second. Also measures 100 sessions of one
 * application. Repeats each case `BENCH_ROUNDS` (3) times. `DATABASE_URL` names a server, on which it creates a
 * database and drops it. The exit code is 1 if a token is missing, or if p99 for 100 sessions at 20 hosts is more than
 * a second. Writes `results/backchannel-<day>.md`.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from '../scripts/build.mjs';
import { call } from './enrol.mjs';
import { markdown, ownDatabase, quantile, start, stop, writeResult } from './lib.mjs';

const { DATABASE_URL } = process.env;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const HOSTS = 20;
const TARGET_MS = 1000;
const CASES = [
  { sessions: 100, hosts: HOSTS, targetMs: TARGET_MS },
  { sessions: 1000, hosts: HOSTS },
  { sessions: 100, hosts: 1 },
];
const LANES = 8;
/** A token that has not arrived after this time is missing. */
const MISSING_MS = 120_000;
const ALG = 'ES256';
if (!DATABASE_URL) throw new Error('DATABASE_URL must name a PostgreSQL server');

/** Times of the first attempts, by `sid`. */
const attempts = new Map();
const receiver = createServer(async (req, res) => {
  const at = performance.now();
  let body = '';
  for await (const part of req.setEncoding('utf8')) body += part;
  res.end();
  const [, payload] = new URLSearchParams(body).get('logout_token').split('.');
  const { sid } = JSON.parse(Buffer.from(payload, 'base64url'));
  if (!attempts.has(sid)) attempts.set(sid, at);
});
await new Promise((listening) => receiver.listen(0, '0.0.0.0', listening));

await build();
const database = await ownDatabase(DATABASE_URL, 'backchannel');
const service = await start(join(import.meta.dirname, '../dist/service/main.cjs'), {
  ...{ NODE_ENV: 'test', LOG_LEVEL: 'warn', DATABASE_URL: database.url, DATA_DIR: tmpdir(), MAIL_TRANSPORT: 'none' },
  ...{ RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off', ABUSE_BANS: 'off' },
  ...{ ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1', MAX_LOOP_DELAY_MS: '0' },
  ...{ BACKCHANNEL_ALLOW_PRIVATE_ADDRESSES: 'true', SESSIONS_PER_ACCOUNT: '2000' },
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
});
const send = (method, path, given) => call(service.url, method, path, given);
const redirect_uri = 'https://client.example/callback';

async function register() {
  const account = { email: `${randomBytes(6).toString('hex')}@example.com`, password: 'four words of everybody' };
  return { ...account, ...(await send('POST', '/v1/auth/register', { body: account })) };
}

const owner = await register();
const applications = [];
for (let n = 1; n <= HOSTS; n++) {
  const body = {
    ...{ name: `Bench ${n}`, redirect_uris: [redirect_uri], id_token_signed_response_alg: ALG },
    backchannel_logout_uri: `http://127.0.2.${n}:${receiver.address().port}/logout`,
  };
  applications.push(await send('POST', '/v1/oauth2/applications', { authorization: owner.token, body }));
}

/** Signs in at an application with a new session. @returns the `sid` of the session */
async function signIn({ email, password }, { id, client_secret }) {
  const { token } = await send('POST', '/v1/auth/login', { body: { email, password } });
  const { redirect_to } = await send('POST', '/v1/oauth2/authorize/consent', {
    authorization: token,
    body: { client_id: id, redirect_uri, scope: 'openid' },
  });
  const code = new URL(redirect_to).searchParams.get('code');
  const form = { grant_type: 'authorization_code', code, redirect_uri, client_id: id, client_secret };
  const { id_token } = await send('POST', '/v1/oauth2/token', { form });
  return JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url')).sid;
}

/** Ends all sessions of a new account. @returns milliseconds from the response to each first attempt */
async function round({ sessions, hosts }) {
  const person = await register();
  const sids = [];
  const left = Array.from({ length: sessions }, (_, n) => applications[n % hosts]).values();
  const lane = async () => {
    for (const application of left) sids.push(await signIn(person, application));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await send('POST', '/v1/users/@me/lockdown', { authorization: person.token });
  const answeredAt = performance.now();
  while (!sids.every((sid) => attempts.has(sid)) && performance.now() - answeredAt < MISSING_MS) await delay(50);
  // The first attempt may arrive before the response.
  return sids.map((sid) => Math.max(0, (attempts.get(sid) ?? Number.POSITIVE_INFINITY) - answeredAt));
}

const rows = [['sessions', 'hosts', 'rounds', 'p50 ms', 'p99 ms', 'longest ms', 'missing', 'target']];
const found = [];
let isMet = true;
for (const one of CASES) {
  const times = [];
  for (let n = 0; n < ROUNDS; n++) {
    times.push(...(await round(one)));
    await delay(1500);
  }
  const missing = times.filter((ms) => ms === Number.POSITIVE_INFINITY).length;
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => quantile(times, share));
  isMet &&= missing === 0 && (one.targetMs === undefined || p99 <= one.targetMs);
  found.push({ ...one, p50, p99, longest, missing });
  const target = one.targetMs === undefined ? '' : `p99 ${one.targetMs} ms`;
  rows.push([one.sessions, one.hosts, ROUNDS, ...[p50, p99, longest].map((ms) => ms.toFixed(0)), missing, target]);
}
const load = loadavg()[0].toFixed(1);
const text = `# Back-channel logout

Milliseconds from the response that ends all sessions of an account to the first attempt of the logout token of each
session: one process of \`dist/service\` on PostgreSQL, tokens signed with ${ALG}. A host gets at most 10 requests per second.
1,000 sessions at ${HOSTS} hosts therefore need at least ${1000 / HOSTS / 10 - 1} seconds. Load average: ${load}.

${markdown(rows)}
`;
console.log(text);
console.log(`written to ${writeResult('backchannel', { rounds: ROUNDS, load, found }, text)}`);
await stop(service);
await database.drop();
receiver.closeAllConnections();
receiver.close();
process.exit(isMet ? 0 : 1);
