import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { RoutePlan } from '../../src/policy/plan.js';
import { Routes } from '../../src/policy/routes.js';
import { startFront } from '../machine/bundled-front.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { copyOfTemplate, gatehouse, outfit } from '../support/index.js';

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
const still = (answer: string): string =>
  answer.replace(/^Date: .+\r$/m, 'Date: then\r').replace(/^X-Request-ID: [\da-f-]{36}\r$/m, 'X-Request-ID: any\r');

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

describeOnPostgres('dist/service answers as the sources do, byte for byte', () => {
  test.each(['express', 'fastify'])('on %s', async (HTTP_PLATFORM) => {
    const env = { HTTP_PLATFORM, BUILD_ID: 'one', DATABASE_URL: (await copyOfTemplate()) as string };
    const service = await gatehouse({ env });
    const settings = { RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off', NODE_ENV: 'test' };
    const bundle = await startFront({ ...settings, ...env, GATEHOUSE_SECRET, DATABASE_PATIENCE: '20' }, () => {});
    const { session } = await outfit(service, { acls: ['*'] });
    const routes = service.app.get(Routes).all.filter(({ path }) => !OWN.test(path));
    const corpus = routes.flatMap((route) => corpusOf(route, session));
    const differences: object[] = [];
    let same = 0;
    for (let at = 0; at < corpus.length; at += 16) {
      const ask = async (sent: Sent) => {
        const [ofSources, ofBundle] = [
          still(await rawAnswer(service.port, sent)),
          still(await rawAnswer(bundle.port, sent)),
        ];
        if (ofSources === ofBundle && ofSources !== '') same++;
        else differences.push({ sent, ofSources, ofBundle });
      };
      await Promise.all(corpus.slice(at, at + 16).map(ask));
    }
    await bundle.close();
    await service.close();
    expect(differences).toEqual([]);
    expect(same).toBe(corpus.length);
    expect(same).toBeGreaterThan(4000);
  });
});

describeOnPostgres('the log of a 500 names the sources', () => {
  afterAll(endProcesses);

  test.each(['dist/service/main.cjs', 'dist/src/main.js'])('of %s', async (script) => {
    const DATABASE_URL = (await copyOfTemplate()) as string;
    const other = await gatehouse({ env: { DATABASE_URL } });
    const { session } = await outfit(other);
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
