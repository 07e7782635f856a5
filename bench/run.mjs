/**
 * `npm run bench`: compares the service with a bare server and a bare framework, interleaved in one run. Results are
 * medians of `BENCH_ROUNDS` (5) rounds of `BENCH_SECONDS` (3). Uses PostgreSQL if `DATABASE_URL` names a database. With
 * `-- oauth`: compares the OAuth2 operations with those of a peer, see `oauth.mjs`.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../scripts/build.mjs';
import { answerHelp } from '../scripts/help.mjs';
import { importFrom } from '../scripts/packages.mjs';
import { enrol } from './enrol.mjs';
import { identifyRate } from './identify.mjs';
import { cpuSeconds, median, rssMib, start, stop, table } from './lib.mjs';

answerHelp(import.meta.filename);

// Loaded only if there is work to do.
const autocannon = await importFrom('scripts', 'autocannon');

const PARTS = [
  ...['timing', 'peers', 'start', 'modules', 'oauth', 'gateway', 'plans'],
  ...[
    'announce',
    'revocations',
    'revocation-screen',
    'workers',
    'runtimes',
    'growth',
    'soak',
    'chaos',
    'loop',
    'fan-out',
    'backchannel',
    'openid',
    'verify',
    'capacity',
    'primary',
  ],
];
if (PARTS.includes(process.argv[2])) {
  await import(`./${process.argv[2]}.mjs`);
  process.exit();
}

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const CONNECTIONS = 32;
const root = join(import.meta.dirname, '..');
const path = (name) => join(import.meta.dirname, 'servers', name);

await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const quiet = {
  NODE_ENV: 'test',
  RATE_LIMITS: 'off',
  LOGIN_ALLOWANCES: 'off',
  REGISTRATION_ALLOWANCES: 'off',
  LOG_LEVEL: 'warn',
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
  // Every session stays resumable for a while after its socket closes, so one account has thousands of them here.
  GATEWAY_NUMBERS: JSON.stringify({
    attempts_per_address: 1e6,
    payloads_per_address: 1e6,
    sessions_per_user: 1e6,
    sessions_per_bot: 1e6,
  }),
};
const service = (platform) =>
  start(join(root, 'dist/service/main.cjs'), {
    ...quiet,
    HTTP_PLATFORM: platform,
    DATA_DIR: join(directory, platform),
  });

const servers = {
  bare: await start(path('bare.mjs'), {}),
  nestExpress: await start(path('nest.mjs'), { HTTP_PLATFORM: 'express' }),
  nestFastify: await start(path('nest.mjs'), { HTTP_PLATFORM: 'fastify' }),
  express: await service('express'),
  fastify: await service('fastify'),
};
const idle = { express: rssMib(servers.express), fastify: rssMib(servers.fastify) };
const credentials = { express: await enrol(servers.express.url), fastify: await enrol(servers.fastify.url) };

// Uses many accounts, because the sessions of one account are notified of each other.
const crowd = { express: [], fastify: [] };
for (let person = 0; person < 32; person++) {
  for (const platform of ['express', 'fastify']) crowd[platform].push(await enrol(servers[platform].url));
}

const cases = [
  ['bare node:http', 'bare', '/', undefined],
  ['bare Nest on Express', 'nestExpress', '/v1/users/@me', undefined],
  ['bare Nest on Fastify', 'nestFastify', '/v1/users/@me', undefined],
];
for (const platform of ['express', 'fastify']) {
  const { session, bot, bearer } = credentials[platform];
  cases.push(
    [`session, ${platform}`, platform, '/v1/users/@me', session],
    [`bot, ${platform}`, platform, '/v1/users/@me', bot],
    [`bearer, ${platform}`, platform, '/v1/users/@me', bearer],
    [`malformed (401), ${platform}`, platform, '/v1/users/@me', 'Bearer  two blanks'],
    [`unknown (401), ${platform}`, platform, '/v1/users/@me', `flx_${'A'.repeat(36)}`],
    [
      `public route, ${platform}`,
      platform,
      `/v1/oauth2/applications/${credentials[platform].applicationId}/public`,
      undefined,
    ],
    [`credential-free, ${platform}`, platform, '/.well-known/service', undefined],
  );
}

const samples = new Map(cases.map(([name]) => [name, { rate: [], cpu: [] }]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, server, route, authorization] of cases) {
    const before = cpuSeconds(servers[server]);
    const result = await autocannon({
      url: servers[server].url + route,
      connections: CONNECTIONS,
      duration: round === 0 ? 1 : SECONDS,
      headers: authorization ? { authorization } : {},
    });
    // The first round only warms the servers up.
    if (round === 0) continue;
    const requests = result.requests.total;
    samples.get(name).rate.push(requests / result.duration);
    samples.get(name).cpu.push(((cpuSeconds(servers[server]) - before) * 1e6) / requests);
  }
}
const loaded = { express: rssMib(servers.express), fastify: rssMib(servers.fastify) };

const result = Object.fromEntries(
  [...samples].map(([name, { rate, cpu }]) => [
    name,
    { requestsPerSecond: median(rate), cpuMicroseconds: median(cpu) },
  ]),
);
const bare = result['bare node:http'];
const nest = { express: result['bare Nest on Express'], fastify: result['bare Nest on Fastify'] };
const rows = [['GET', 'req/s', 'of bare', 'of bare Nest', 'CPU us', 'x bare', 'x bare Nest']];
for (const [name, server] of cases) {
  const { requestsPerSecond: rate, cpuMicroseconds: cpu } = result[name];
  const peer = nest[server];
  rows.push([
    name,
    Math.round(rate),
    (rate / bare.requestsPerSecond).toFixed(3),
    peer ? (rate / peer.requestsPerSecond).toFixed(2) : '',
    cpu.toFixed(1),
    (cpu / bare.cpuMicroseconds).toFixed(2),
    peer ? (cpu / peer.cpuMicroseconds).toFixed(2) : '',
  ]);
}
console.log(table(rows));

const identify = await identifyRate(servers, crowd, ROUNDS, path('sockets.mjs'));
console.log(`\n${table(identify.rows)}`);

const facts = [['start to ready', 'ms'], ...Object.entries(servers).map(([name, { bootMs }]) => [name, bootMs])];
console.log(`\n${table(facts)}\n`);
console.log(
  table([
    ['resident memory', 'idle MiB', 'after load MiB'],
    ...['express', 'fastify'].map((name) => [name, idle[name], loaded[name]]),
  ]),
);

mkdirSync(join(import.meta.dirname, 'results'), { recursive: true });
const file = join(import.meta.dirname, 'results', `${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.json`);
writeFileSync(
  file,
  `${JSON.stringify(
    {
      node: process.version,
      processor: cpus()[0]?.model,
      cores: cpus().length,
      database: process.env.DATABASE_URL ? 'PostgreSQL' : 'embedded',
      rounds: ROUNDS,
      seconds: SECONDS,
      connections: CONNECTIONS,
      http: result,
      identify: identify.result,
      bootMs: Object.fromEntries(Object.entries(servers).map(([name, { bootMs }]) => [name, bootMs])),
      rssMib: { idle, loaded },
    },
    null,
    2,
  )}\n`,
);
console.log(`\nwritten to ${file.slice(root.length + 1)}`);
await Promise.all(Object.values(servers).map(stop));
