/**
 * `npm run bench -- oauth`: compares code exchange, refresh, introspection and userinfo of the service with those of
 * oidc-provider on comparable storage. Both run interleaved. Results are medians of `BENCH_ROUNDS` (3) rounds of
 * `BENCH_SECONDS` (2).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../scripts/build.mjs';
import { median, start, stop, table } from './lib.mjs';
import { CONNECTIONS, inTurn, measure, Peer, repeatedly, Service } from './oauth/subjects.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const CODES = 256;
const TOKENS = 64;
const OPERATIONS = ['code exchange', 'refresh', 'introspection', 'userinfo'];
const root = join(import.meta.dirname, '..');

async function round(subject) {
  const { codes, tokens } = await subject.prepare(CODES, TOKENS);
  const pairs = [];
  const exchange = await measure(subject, SECONDS, async () => {
    const left = [...codes];
    pairs.push(...(await inTurn(CODES, () => subject.exchange(left.pop()))));
    return CODES;
  });
  const refreshTokens = pairs.slice(0, CONNECTIONS).map(({ refresh_token }) => refresh_token);
  const accessTokens = tokens.slice(0, CONNECTIONS);
  return [
    exchange,
    await measure(subject, SECONDS, (deadline) =>
      repeatedly(refreshTokens, deadline, async (token) => (await subject.refresh(token)).refresh_token),
    ),
    await measure(subject, SECONDS, (deadline) =>
      repeatedly(accessTokens, deadline, async (token) => {
        if (!(await subject.introspect(token)).active) throw new Error('a live token is not active');
        return token;
      }),
    ),
    await measure(subject, SECONDS, (deadline) =>
      repeatedly(accessTokens, deadline, async (token) => {
        await subject.userinfo(token);
        return token;
      }),
    ),
  ];
}

await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const environment = (name) => ({
  NODE_ENV: 'test',
  RATE_LIMITS: 'off',
  REGISTRATION_ALLOWANCES: 'off',
  LOG_LEVEL: 'warn',
  // Nothing is measured that hashes passwords.
  ...{ ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' },
  // A busy machine must not make the service shed load.
  ...{ MAX_LOOP_DELAY_MS: '0', MAX_IN_FLIGHT: '4096' },
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
  DATA_DIR: join(directory, name),
});
const service = async (platform) =>
  new Service(await start(join(root, 'dist/service/main.cjs'), { ...environment(platform), HTTP_PLATFORM: platform }));
const peerScript = join(import.meta.dirname, 'servers/oidc-provider.mjs');
const subjects = {
  'oidc-provider': new Peer(await start(peerScript, environment('peer'))),
  'Gatehouse, express': await service('express'),
  'Gatehouse, fastify': await service('fastify'),
};

const samples = new Map(Object.keys(subjects).map((name) => [name, OPERATIONS.map(() => [])]));
for (let n = 0; n <= ROUNDS; n++) {
  for (const [name, subject] of Object.entries(subjects)) {
    const measured = await round(subject);
    // The first round only warms the servers up.
    if (n > 0) measured.forEach((sample, index) => void samples.get(name)[index].push(sample));
  }
}

const result = Object.fromEntries(
  [...samples].map(([name, operations]) => [
    name,
    operations.map((taken) => ({
      requestsPerSecond: median(taken.map(({ rate }) => rate)),
      cpuMicroseconds: median(taken.map(({ cpu }) => cpu)),
    })),
  ]),
);
const rows = [['operation', 'server', 'req/s', 'x oidc-provider', 'CPU us', 'of its CPU']];
OPERATIONS.forEach((operation, index) => {
  const peer = result['oidc-provider'][index];
  for (const name of Object.keys(subjects)) {
    const { requestsPerSecond: rate, cpuMicroseconds: cpu } = result[name][index];
    const ratios = [(rate / peer.requestsPerSecond).toFixed(2), (cpu / peer.cpuMicroseconds).toFixed(2)];
    rows.push([operation, name, Math.round(rate), ratios[0], cpu.toFixed(0), ratios[1]]);
  }
});
console.log(table(rows));

mkdirSync(join(import.meta.dirname, 'results'), { recursive: true });
const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '');
const file = join(import.meta.dirname, 'results', `oauth-${stamp}.json`);
const facts = { node: process.version, processor: cpus()[0]?.model, cores: cpus().length };
const conditions = { database: process.env.DATABASE_URL ? 'PostgreSQL' : 'embedded', connections: CONNECTIONS };
const taken = { rounds: ROUNDS, seconds: SECONDS, operations: OPERATIONS };
writeFileSync(file, `${JSON.stringify({ ...facts, ...conditions, ...taken, result }, null, 2)}\n`);
console.log(`\nwritten to ${file.slice(root.length + 1)}`);

for (const { pool, server } of Object.values(subjects)) {
  await pool.close();
  await stop(server);
}
rmSync(directory, { recursive: true, force: true });
