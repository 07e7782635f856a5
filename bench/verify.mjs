/**
 * `npm run bench -- verify`: measures services that use `@gatehouse-auth/verify`. Compares the CPU time of a request with
 * a kept admission, with the same server without authentication. Compares the time of a request with a kept admission,
 * of forward authentication and of an introspection per request. Measures the memory of 100,000 kept admissions. Uses
 * PostgreSQL if `DATABASE_URL` names a database.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../scripts/build.mjs';
import { importFrom } from '../scripts/packages.mjs';
import { call, enrol } from './enrol.mjs';
import { median, ownDatabase, preciseCpuSeconds, quantile, start, stop, table } from './lib.mjs';

const autocannon = await importFrom('scripts', 'autocannon');
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20);
const SLICE_SECONDS = 1;
const CONNECTIONS = 32;
const KEPT = 100_000;
const POLICY = 'documents-read';
const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-verify-'));

await build();
const policies = join(directory, 'policies.json');
writeFileSync(policies, JSON.stringify({ policies: { [POLICY]: { accepts: 'authenticated' } } }));
const { DATABASE_URL } = process.env;
const database = DATABASE_URL ? await ownDatabase(DATABASE_URL, 'verify') : undefined;
const env = {
  ...(database && { DATABASE_URL: database.url }),
  ...{ NODE_ENV: 'test', RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off' },
  ...{
    LOG_LEVEL: 'warn',
    HTTP_PLATFORM: 'fastify',
    SERVICE_POLICIES_FILE: policies,
    DATA_DIR: join(directory, 'data'),
  },
  GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
};

/** Gives an account all rights, before the service opens the embedded database. @returns ID, session and application */
async function prepare() {
  const first = await start(join(root, 'dist/service/main.cjs'), env);
  const { id, email, session } = await enrol(first.url);
  await stop(first);
  const cli = ['dist/src/cli.js', 'user', 'grant-acl', email, '*'];
  const { status, stderr } = spawnSync(process.execPath, cli, { cwd: root, env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`The account has no rights: ${stderr}`);
  const gatehouse = await start(join(root, 'dist/service/main.cjs'), env);
  const { id: clientId, client_secret: clientSecret } = await call(gatehouse.url, 'POST', '/v1/oauth2/applications', {
    ...{ authorization: session, body: { name: 'Documents', redirect_uris: ['http://127.0.0.1/callback'] } },
  });
  await call(gatehouse.url, 'PATCH', `/v1/admin/applications/${clientId}`, {
    ...{ authorization: session, body: { resource_policies: [POLICY] } },
  });
  return { gatehouse, id, session, clientId, clientSecret };
}

const { gatehouse, session, clientId, clientSecret } = await prepare();
const server = (kind) =>
  start(join(import.meta.dirname, 'servers/protected.mjs'), {
    ...{ KIND: kind, GATEHOUSE_URL: gatehouse.url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, POLICY },
  });
const servers = {
  'without authentication': await server('bare'),
  'kept admission': await server('verify'),
  'forward authentication': await server('forward'),
  'introspection per request': await server('introspection'),
};

async function slice({ url, child }) {
  const before = preciseCpuSeconds(child.pid);
  const { requests, latency, non2xx } = await autocannon({
    ...{ url: `${url}/documents`, connections: CONNECTIONS, duration: SLICE_SECONDS },
    headers: { authorization: session },
  });
  if (non2xx > 0) throw new Error(`${non2xx} requests were not admitted`);
  const cpu = ((preciseCpuSeconds(child.pid) - before) / requests.total) * 1e6;
  return { rate: requests.total / SLICE_SECONDS, p99: latency.p99, cpu };
}

const slices = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, one] of Object.entries(servers)) slices[name].push(await slice(one));
}
const figures = (name) => ({
  rate: median(slices[name].map(({ rate }) => rate)),
  cpu: quantile(
    slices[name].map(({ cpu }) => cpu),
    0.25,
  ),
  p99: median(slices[name].map(({ p99 }) => p99)),
});
const bare = figures('without authentication');
const rows = [
  ['requests of a service', 'per second', 'CPU time', 'p99', 'speed by CPU time', 'target'],
  ...Object.keys(servers).map((name) => {
    const { rate, cpu, p99 } = figures(name);
    const target = name === 'kept admission' ? '0.9' : '';
    return [name, rate.toFixed(0), `${cpu.toFixed(1)} us`, `${p99} ms`, (bare.cpu / cpu).toFixed(2), target];
  }),
];
console.log(table(rows));
for (const one of [...Object.values(servers), gatehouse]) await stop(one);
await database?.drop();

/** The heap of this process, in bytes per kept admission, with a server that admits everything. */
async function memory() {
  const { Verifier } = await import('../verify/dist/index.js');
  const mark = '1-1800000000-aa';
  let count = 0;
  const admits = createServer((request, response) => {
    if (request.url.endsWith('revocations')) {
      const beats = setInterval(() => response.write(`event: alive\nid: ${mark}\n\n`), 250);
      response.on('close', () => clearInterval(beats)).flushHeaders();
      return;
    }
    request.resume().on('end', () => {
      const number = String(1_573_653_208_159_485_952n + BigInt(++count));
      const identity = { kind: 'session', account_id: number, username: `person${count}#1393` };
      const tags = ['0'.repeat(22), number.padEnd(22, 'a'), number.padEnd(22, 'b')];
      response.end(JSON.stringify({ admitted: true, status: 200, identity, expires_in: 300, tags, as_of: mark }));
    });
  });
  await new Promise((resolve) => admits.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${admits.address().port}`;
  const verifier = new Verifier({ url, clientId: '1', clientSecret: '2', maxKept: KEPT, timeoutMs: 20_000 });
  await verifier.require({ policy: POLICY, authorization: 'first' });
  while (verifier.metrics().lagSeconds === null) await new Promise((resolve) => setTimeout(resolve, 20));
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let done = 0; verifier.metrics().kept < KEPT; done += 64) {
    const asked = Array.from({ length: 64 }, (_, index) => ({
      policy: POLICY,
      authorization: `token ${done + index}`,
    }));
    await Promise.all(asked.map((question) => verifier.require(question)));
  }
  globalThis.gc?.();
  const bytes = process.memoryUsage().heapUsed - before;
  verifier.close();
  admits.closeAllConnections();
  admits.close();
  return bytes;
}
const bytes = await memory();
console.log(`\n${KEPT} kept admissions: ${(bytes / 2 ** 20).toFixed(0)} MiB, ${(bytes / KEPT).toFixed(0)} bytes each`);
rmSync(directory, { recursive: true, force: true });
