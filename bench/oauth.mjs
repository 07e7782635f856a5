/**
 * `npm run bench -- oauth`: compares code exchange, refresh, introspection and userinfo of the service with those of
 * oidc-provider on comparable storage. Both run interleaved. Results are medians of `BENCH_ROUNDS` (3) rounds of
 * `BENCH_SECONDS` (2).
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { build } from '../scripts/build.mjs';
import { cpuSeconds, median, start, stop, table } from './lib.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const CONNECTIONS = 32;
const CODES = 256;
const TOKENS = 64;
const OPERATIONS = ['code exchange', 'refresh', 'introspection', 'userinfo'];
const root = join(import.meta.dirname, '..');

/** A server, the paths of its operations, and the connections of the load. */
class Subject {
  constructor(server, paths) {
    this.server = server;
    this.paths = paths;
    this.pool = new Pool(server.url, { connections: CONNECTIONS });
  }

  async call(method, path, { authorization, body, form } = {}) {
    const { statusCode, body: answer } = await this.pool.request({
      method,
      path,
      headers: {
        ...(authorization ? { authorization } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      body: form ? new URLSearchParams(form).toString() : body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode !== 200) throw new Error(`${method} ${path} answered ${statusCode} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  asClient(path, form) {
    const { client_id: id, client_secret: secret } = this.client;
    const credentials = [id, secret].map(encodeURIComponent).join(':');
    return this.call('POST', path, { authorization: `Basic ${Buffer.from(credentials).toString('base64')}`, form });
  }

  exchange(code) {
    const redirect_uri = this.client.redirect_uris[0];
    return this.asClient(this.paths.token, { grant_type: 'authorization_code', code, redirect_uri });
  }

  refresh(token) {
    return this.asClient(this.paths.token, { grant_type: 'refresh_token', refresh_token: token });
  }

  introspect(token) {
    return this.asClient(this.paths.introspection, { token });
  }

  userinfo(token) {
    return this.call('GET', this.paths.userinfo, { authorization: `Bearer ${token}` });
  }
}

class Service extends Subject {
  constructor(server) {
    const base = '/v1/oauth2';
    super(server, { token: `${base}/token`, introspection: `${base}/introspect`, userinfo: `${base}/userinfo` });
  }

  async prepare(codes, tokens) {
    this.session ??= await this.register();
    const made = await inTurn(codes + tokens, () => this.code());
    const pairs = await Promise.all(made.slice(codes).map((code) => this.exchange(code)));
    return { codes: made.slice(0, codes), tokens: pairs.map(({ access_token }) => access_token) };
  }

  async register() {
    const account = {
      email: `${randomBytes(6).toString('hex')}@example.com`,
      password: randomBytes(12).toString('hex'),
    };
    const { token } = await this.call('POST', '/v1/auth/register', { body: account });
    const body = { name: 'Bench', redirect_uris: ['https://client.example/callback'] };
    const { id, ...rest } = await this.call('POST', '/v1/oauth2/applications', { authorization: token, body });
    this.client = { client_id: id, ...rest };
    return token;
  }

  async code() {
    const { client_id, redirect_uris } = this.client;
    const { redirect_to } = await this.call('POST', '/v1/oauth2/authorize/consent', {
      authorization: this.session,
      body: { client_id, redirect_uri: redirect_uris[0], scope: 'identify' },
    });
    return new URL(redirect_to).searchParams.get('code');
  }
}

class Peer extends Subject {
  constructor(server) {
    super(server, { token: '/token', introspection: '/token/introspection', userinfo: '/me' });
  }

  async prepare(codes, tokens) {
    const people = this.client ? '' : '&people=1';
    const made = await this.call('GET', `/prepare?codes=${codes}&tokens=${tokens}${people}`);
    this.client = made.client;
    return made;
  }
}

/** Returns `count` results of `make`, which as many workers call as there are connections. */
async function inTurn(count, make) {
  const results = [];
  let begun = 0;
  const worker = async () => {
    while (begun < count) {
      begun++;
      results.push(await make());
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return results;
}

/** Measures the request rate of `CONNECTIONS` workers, and the CPU time of the server per request. */
async function measure({ server }, work) {
  const cpu = cpuSeconds(server);
  const begun = performance.now();
  const requests = await work(begun + SECONDS * 1000);
  const seconds = (performance.now() - begun) / 1000;
  return { rate: requests / seconds, cpu: ((cpuSeconds(server) - cpu) * 1e6) / requests };
}

/** Each worker repeats `step` on its own state until the deadline. Returns the number of steps of all workers. */
async function repeatedly(states, deadline, step) {
  let count = 0;
  const worker = async (state) => {
    for (let current = state; performance.now() < deadline; count++) current = await step(current);
  };
  await Promise.all(states.map(worker));
  return count;
}

async function round(subject) {
  const { codes, tokens } = await subject.prepare(CODES, TOKENS);
  const pairs = [];
  const exchange = await measure(subject, async () => {
    const left = [...codes];
    pairs.push(...(await inTurn(CODES, () => subject.exchange(left.pop()))));
    return CODES;
  });
  const refreshTokens = pairs.slice(0, CONNECTIONS).map(({ refresh_token }) => refresh_token);
  const accessTokens = tokens.slice(0, CONNECTIONS);
  return [
    exchange,
    await measure(subject, (deadline) =>
      repeatedly(refreshTokens, deadline, async (token) => (await subject.refresh(token)).refresh_token),
    ),
    await measure(subject, (deadline) =>
      repeatedly(accessTokens, deadline, async (token) => {
        if (!(await subject.introspect(token)).active) throw new Error('a live token is not active');
        return token;
      }),
    ),
    await measure(subject, (deadline) =>
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
