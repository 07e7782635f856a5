import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { LastUsed } from '../../src/auth/sessions/last-used.service.js';
import { Database } from '../../src/platform/database/database.js';
import type { RoutePlan } from '../../src/policy/plan.js';
import { Routes } from '../../src/policy/routes.js';
import { startFront } from '../machine/bundled-front.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { copyTemplate, createCredentialSet, type Gatehouse, gatehouse, newWebhook } from '../support/index.js';

const GATEHOUSE_SECRET = process.env.GATEHOUSE_TEST_SECRET;
const at = (path: string): string => join(import.meta.dirname, '../..', path);

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly lines?: readonly string[];
  readonly body?: string;
}

/** Returns everything that the service sends on a connection until it closes the connection. */
async function rawAnswer(port: number, { method, target, lines = [], body = '' }: Sent): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
  const framed = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  const head = [`${method} ${target} HTTP/1.1`, 'Host: gatehouse.test', 'X-Request-ID: same', 'Connection: close'];
  socket.write(Buffer.from([...head, ...lines, ...framed, '', body].join('\r\n'), 'latin1'));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

/** Replaces the headers that differ for each response. */
const still = (response: string): string =>
  response.replace(/^Date: .+\r$/m, 'Date: then\r').replace(/^X-Request-ID: [\da-f-]{36}\r$/m, 'X-Request-ID: any\r');

const TEXTS = ['1', '%', '%zz', '%ff', '%ed%a0%80', '%00', '..%2f', '%E2%80%AE', '%25', 'x'.repeat(300)];
const BODIES = ['{}', '[]', '{', '{"__proto__":{"a":1}}', '"\\ud800"', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`];
/**
 * Routes that return counters of the process, the time, or a value created for the request. Also the API descriptions,
 * because the order of their unions depends on what was compiled before.
 */
const OWN =
  /^\/(?:metrics|health|openapi|asyncapi)|\/(?:sessions|statistics|register|authentication-options|handoff\/initiate)$/;

const fill = ({ path }: RoutePlan, text: string): string => path.replace(/[:*]\w+/g, text);

/** Requests to a route. No request changes the result of another. */
function corpusOf(route: RoutePlan, session: string): Sent[] {
  const { method } = route;
  const plain = fill(route, '1');
  const caller = [`Authorization: ${session}`];
  const targets = [...TEXTS.map((text) => fill(route, text)), ...TEXTS.map((text) => `${plain}?${text}=${text}`)];
  const reads =
    method === 'GET'
      ? [
          { method, target: plain, lines: caller },
          { method: 'HEAD', target: plain },
        ]
      : [];
  const bodies = route.accepts.kind === 'none' ? [] : BODIES.map((body) => ({ method, target: plain, body }));
  return [
    ...[...new Set(targets)].map((target) => ({ method, target })),
    ...['%', '%zz', '%00'].map((text) => ({ method, target: `${plain}/${text}`, lines: caller })),
    ...[
      { method, target: plain, lines: ['Authorization: Bot x'] },
      { method: 'PROPFIND', target: plain },
    ],
    ...reads,
    ...bodies,
  ];
}

interface Replicas {
  readonly service: Gatehouse;
  readonly ports: readonly [sources: number, bundle: number];
  close(): Promise<void>;
}

/** The sources and the bundle as two replicas with the same data. */
async function replicasOn(HTTP_PLATFORM: string): Promise<Replicas> {
  const MEDIA_LOCAL_ROOT = join(process.env.GATEHOUSE_TEST_DIR ?? tmpdir(), randomBytes(4).toString('hex'));
  const env = { HTTP_PLATFORM, MEDIA_LOCAL_ROOT, BUILD_ID: 'one', DATABASE_URL: (await copyTemplate()) as string };
  const service = await gatehouse({ env });
  const settings = { RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off', NODE_ENV: 'test' };
  const bundle = await startFront({ ...settings, ...env, GATEHOUSE_SECRET, DATABASE_PATIENCE: '20' }, () => {});
  return {
    service,
    ports: [service.port, bundle.port],
    async close() {
      await bundle.close();
      await service.close();
    },
  };
}

/** Makes no record of use due, which would change a response of one replica while the other one responds. */
async function stopRecordingUse({ app }: Gatehouse): Promise<void> {
  await app.get(LastUsed).flushNow();
  const { manager } = app.get(Database);
  await manager.query("UPDATE account SET last_active_at = now() + interval '1 hour'");
  await manager.query("UPDATE session SET last_used_at = now() + interval '1 hour'");
}

/** Sends requests to both replicas. Returns the responses that both agree on, and the differences. */
async function compare({ ports }: Replicas, corpus: readonly Sent[]) {
  const same: string[] = [];
  const differences: object[] = [];
  for (let at = 0; at < corpus.length; at += 16) {
    const ask = async (sent: Sent) => {
      const [ofSources = '', ofBundle] = await Promise.all(
        ports.map(async (port) => still(await rawAnswer(port, sent))),
      );
      if (ofSources === ofBundle && ofSources !== '') same.push(ofSources);
      else differences.push({ sent, ofSources, ofBundle });
    };
    await Promise.all(corpus.slice(at, at + 16).map(ask));
  }
  return { same, differences };
}

/** A path of each kind of route that both replicas serve with 200. */
async function kindsOf(service: Gatehouse): Promise<Readonly<Record<string, Sent>>> {
  const owner = await createCredentialSet(service, { acls: ['*'], scopes: ['identify', 'email'] });
  const { accountId, applicationId, session, bot, bearer, adminBearer, adminKey } = owner;
  const hook = await newWebhook(service, session);
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const { body: user } = await service.as(session).patch('/v1/users/@me', { avatar: image.toString('base64') });
  await stopRecordingUse(service);
  const [script] = readdirSync(at('dist/web/assets')).filter((name) => name.endsWith('.js'));
  const get = (target: string, authorization?: string): Sent => ({
    method: 'GET',
    target,
    lines: authorization ? [`Authorization: ${authorization}`] : [],
  });
  return {
    'public JSON': get(`/v1/oauth2/applications/${applicationId}/public`),
    session: get('/v1/users/@me', session),
    bot: get('/v1/users/@me', bot),
    'OAuth2 token': get('/v1/oauth2/userinfo', bearer),
    'administrator by token': get(`/v1/admin/users/${accountId}`, adminBearer),
    'administrator by key': get(`/v1/admin/users/${accountId}`, adminKey),
    page: get('/login'),
    'static file': get(`/assets/${script}`),
    media: get(`/media/avatars/${accountId}/${user.avatar}.png`),
    'webhook URL': get(hook.path),
    metadata: get('/.well-known/openid-configuration'),
  };
}

/** A request in all forms that the platforms and our checks treat separately. */
function variantsOf(sent: Sent): Sent[] {
  const { target } = sent;
  const parent = target.slice(0, target.lastIndexOf('/'));
  const malformed = TEXTS.flatMap((text) => [`${target}/${text}`, `${target}${text}`, `${parent}/${text}`]);
  const targets = [
    ...malformed,
    ...TEXTS.map((text) => `${target}?${text}=${text}`),
    `/${target}`,
    `${target}/`,
    `${target}//`,
  ];
  const lines = sent.lines ?? [];
  const headers = [
    'Range: bytes=0-3',
    'Range: bytes=9999999-',
    'If-None-Match: *',
    'Origin: https://other.test',
    'Accept: text/html',
  ];
  return [
    ...['HEAD', 'OPTIONS', 'PROPFIND'].map((method) => ({ ...sent, method })),
    ...targets.map((each) => ({ ...sent, target: each })),
    ...headers.map((header) => ({ ...sent, lines: [...lines, header] })),
    { ...sent, lines: [...lines, 'Authorization: Bearer two'] },
    { ...sent, body: '{' },
  ];
}

describeOnPostgres('dist/service responds like the sources, byte for byte', () => {
  let replicas: Replicas;
  afterEach(() => replicas.close());

  test.each(['express', 'fastify'])('every route, on %s', async (platform) => {
    replicas = await replicasOn(platform);
    const { service } = replicas;
    const { session } = await createCredentialSet(service, { acls: ['*'] });
    await stopRecordingUse(service);
    const routes = service.app.get(Routes).all.filter(({ path }) => !OWN.test(path));
    const corpus = routes.flatMap((route) => corpusOf(route, session));
    const { same, differences } = await compare(replicas, corpus);
    expect(differences).toEqual([]);
    expect(same).toHaveLength(corpus.length);
    expect(same.length).toBeGreaterThan(4000);
  });

  test.each(['express', 'fastify'])('every kind of route with what it accepts and rejects, on %s', async (platform) => {
    replicas = await replicasOn(platform);
    const kinds = Object.entries(await kindsOf(replicas.service));
    const served = await compare(
      replicas,
      kinds.map(([, sent]) => sent),
    );
    expect(served.differences).toEqual([]);
    expect(served.same.map((response) => response.slice(0, 'HTTP/1.1 200'.length))).toEqual(
      kinds.map(() => 'HTTP/1.1 200'),
    );
    for (const [kind, sent] of kinds) {
      const variants = variantsOf(sent);
      const { same, differences } = await compare(replicas, variants);
      expect({ kind, differences }).toEqual({ kind, differences: [] });
      expect(same).toHaveLength(variants.length);
      const malformed = same.filter((response) => response.startsWith('HTTP/1.1 400 '));
      expect(malformed.length).toBeGreaterThan(5);
    }
  });
});

describeOnPostgres('the log of a 500 names the sources', () => {
  afterAll(endProcesses);

  test.each(['dist/service/main.cjs', 'dist/src/main.js'])('of %s', async (script) => {
    const DATABASE_URL = (await copyTemplate()) as string;
    const other = await gatehouse({ env: { DATABASE_URL } });
    const { session } = await createCredentialSet(other);
    const service = await ServiceProcess.ready({ DATABASE_URL, GATEHOUSE_SECRET, LOG_FORMAT: 'json' }, at(script));
    await other.sql('ALTER TABLE session RENAME TO elsewhere');
    const { status } = await service.as(session).get('/v1/users/@me');
    await until(() => service.out.includes('"stack"'));
    await service.stop();
    await other.close();
    expect(status).toBe(500);
    const line = service.out.split('\n').find((text) => text.includes('"stack"')) as string;
    const [, path = '', number] = /\(.+(\/src\/[\w/.-]+\.ts):(\d+)\)/.exec(JSON.parse(line).error.stack) ?? [];
    expect(path).toBe('/src/platform/database/database.ts');
    expect(readFileSync(at(`.${path}`), 'utf8').split('\n')[Number(number) - 1]).toContain('await connection.query');
  });
});
