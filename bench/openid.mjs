/**
 * `npm run bench -- openid`: compares code exchange with an ID token and userinfo with oidc-provider, for each
 * signature algorithm, interleaved on PostgreSQL. Also measures the exchange without an ID token, and one signature.
 * Results are medians of `BENCH_ROUNDS` (3) rounds, for userinfo of `BENCH_SECONDS` (2). `DATABASE_URL` names a server,
 * on which it creates databases and drops them. The exit code is 1 if a ratio misses its target. Writes
 * `results/openid-<day>.md`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPair, SignJWT } from 'jose';
import { build } from '../scripts/build.mjs';
import { markdown, median, ownDatabase, start, stop, writeResult } from './lib.mjs';
import { CONNECTIONS, inTurn, measure, Peer, repeatedly, Service } from './oauth/subjects.mjs';

const { DATABASE_URL } = process.env;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const CODES = 256;
const SIGNATURES = 300;
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const NO_ID_TOKEN = 'none';
const PEER = 'oidc-provider';
/** The lowest rates, as multiples of the rate of the peer. */
const TARGETS = {
  exchange: { 'Gatehouse, express': 1, 'Gatehouse, fastify': 1.3 },
  userinfo: { 'Gatehouse, express': 2, 'Gatehouse, fastify': 2 },
};
const root = join(import.meta.dirname, '..');
if (!DATABASE_URL) throw new Error('DATABASE_URL must name a PostgreSQL server');

/** Mean CPU time of a signature in microseconds, including that of the thread pool. */
async function signatureCost(alg) {
  const { privateKey } = await generateKeyPair(alg);
  const sign = () => new SignJWT({ sub: '1', sid: 'x' }).setProtectedHeader({ alg, typ: 'JWT' }).sign(privateKey);
  for (let n = 0; n < SIGNATURES; n++) await sign();
  const before = process.cpuUsage();
  for (let n = 0; n < SIGNATURES; n++) await sign();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / SIGNATURES;
}

async function round(subject, alg) {
  const withIdToken = alg !== NO_ID_TOKEN;
  const { codes, tokens } = await subject.prepare(
    CODES,
    withIdToken ? CONNECTIONS : 0,
    withIdToken ? { scope: 'openid', alg } : {},
  );
  const exchange = await measure(subject, SECONDS, async () => {
    const pairs = await inTurn(CODES, () => subject.exchange(codes.pop()));
    if (pairs.some((pair) => (pair.id_token !== undefined) !== withIdToken)) throw new Error('wrong ID tokens');
    return CODES;
  });
  if (!withIdToken) return { exchange };
  const read = async (token) => {
    await subject.userinfo(token);
    return token;
  };
  return { exchange, userinfo: await measure(subject, SECONDS, (end) => repeatedly(tokens, end, read)) };
}

const signatures = [];
for (const alg of ALGORITHMS) signatures.push([alg, (await signatureCost(alg)).toFixed(0)]);

await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-openid-'));
const databases = [];
async function environment(name) {
  const database = await ownDatabase(DATABASE_URL, `openid_${name}`);
  databases.push(database);
  return {
    ...{ NODE_ENV: 'test', LOG_LEVEL: 'warn', DATABASE_URL: database.url, DATA_DIR: join(directory, name) },
    ...{ RATE_LIMITS: 'off', REGISTRATION_ALLOWANCES: 'off', MAIL_TRANSPORT: 'none' },
    ...{ MAX_LOOP_DELAY_MS: '0', MAX_IN_FLIGHT: '4096' },
    ...{ ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' },
    GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
  };
}
const service = async (platform) =>
  new Service(
    await start(join(root, 'dist/service/main.cjs'), {
      ...(await environment(platform)),
      HTTP_PLATFORM: platform,
    }),
    '/v1/oauth2/openid/userinfo',
  );
const subjects = {
  [PEER]: new Peer(await start(join(import.meta.dirname, 'servers/oidc-provider.mjs'), await environment('peer'))),
  'Gatehouse, express': await service('express'),
  'Gatehouse, fastify': await service('fastify'),
};

const rows = [['ID token', 'operation', 'server', 'req/s', 'x peer', 'CPU us', 'x peer', 'target']];
const found = [];
let isMet = true;
for (const alg of [NO_ID_TOKEN, ...ALGORITHMS]) {
  const samples = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  for (let n = 0; n <= ROUNDS; n++) {
    for (const [name, subject] of Object.entries(subjects)) {
      const measured = await round(subject, alg);
      // The first round only warms the servers up.
      if (n > 0) samples[name].push(measured);
    }
  }
  for (const operation of Object.keys(samples[PEER][0])) {
    const of = (name, value) => median(samples[name].map((sample) => sample[operation][value]));
    for (const name of Object.keys(subjects)) {
      const [rate, cpu] = [of(name, 'rate'), of(name, 'cpu')];
      const ratio = rate / of(PEER, 'rate');
      const target = alg === NO_ID_TOKEN ? undefined : TARGETS[operation][name];
      isMet &&= target === undefined || ratio >= target;
      found.push({ alg, operation, name, rate, cpu });
      rows.push([
        ...[alg, operation, name, Math.round(rate), ratio.toFixed(2)],
        ...[cpu.toFixed(0), (cpu / of(PEER, 'cpu')).toFixed(2), target === undefined ? '' : `>= ${target}`],
      ]);
    }
  }
}
const load = loadavg()[0].toFixed(1);
const text = `# OpenID Connect

Code exchange and userinfo with ${CONNECTIONS} connections, one process per server, each on its own PostgreSQL database:
medians of ${ROUNDS} rounds. A round exchanges ${CODES} codes, and calls userinfo for ${SECONDS} seconds. "CPU" is the CPU time of the server
without its database. Load average: ${load}.

${markdown(rows)}

CPU time of one signature by \`jose\`, in microseconds, mean of ${SIGNATURES}:

${markdown([['algorithm', 'CPU us'], ...signatures])}
`;
console.log(text);
console.log(`written to ${writeResult('openid', { rounds: ROUNDS, load, found, signatures }, text)}`);
for (const { pool, server } of Object.values(subjects)) {
  await pool.close();
  await stop(server);
}
for (const database of databases) await database.drop();
rmSync(directory, { recursive: true, force: true });
process.exit(isMet ? 0 : 1);
