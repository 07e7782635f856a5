import { featureRegistry } from '../../src/features.js';
import type { RoutePlan } from '../../src/policy/plan.js';
import { Routes } from '../../src/policy/routes.js';
import { membersOf } from '../machine/input-members.js';
import { cpuTime, longestHold, minimumOf } from '../support/cpu-time.js';
import {
  type Client,
  type CredentialSet,
  createCredentialSet,
  type Gatehouse,
  gatehouse,
  type TestResponse,
} from '../support/index.js';

const SCOPES = [...featureRegistry().scopes.keys()];

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
});
afterAll(() => service.close());

const KIB = 1024;
const MEMBERS = 10_000;

describe('conventions.md 12: no request of the allowed size holds the event loop for 50 ms', () => {
  const LIMIT_MS = 50;
  const json = { 'content-type': 'application/json' };
  let worst = { ms: 0, of: '' };
  afterAll(() => {
    if (process.env.SHOW_LONGEST_HOLD) process.stderr.write(`longest hold: ${JSON.stringify(worst)}\n`);
  });

  /** The milliseconds that the parser alone needs for a body on this machine. No service can be faster. */
  const parsing = (bytes: Buffer): number =>
    Math.min(
      ...Array.from({ length: 3 }, () =>
        cpuTime(() => {
          try {
            JSON.parse(bytes.toString());
          } catch {
            // Some bodies are invalid on purpose.
          }
        }),
      ),
    );

  async function expectShort(of: string, send: () => Promise<TestResponse>, body = Buffer.alloc(0)): Promise<void> {
    const hold = () =>
      longestHold(async () => {
        const { status } = await send();
        if (status >= 500) throw new Error(`${of}: ${status}`);
      });
    const ms = await minimumOf({ enough: LIMIT_MS }, hold);
    if (ms > worst.ms) worst = { ms, of };
    const limit = ms > LIMIT_MS ? Math.max(LIMIT_MS, 2 * parsing(body)) : LIMIT_MS;
    expect([of, ms > limit ? ms : 0]).toEqual([of, 0]);
  }

  function admittedTo({ policy }: RoutePlan, of: CredentialSet): Client {
    const known = service.anonymous.with({ 'x-forwarded-for': '203.0.113.1' });
    if (['Authenticated', 'UserOnly', 'AdminAcl'].includes(policy.kind))
      return known.with({ authorization: of.session });
    if (policy.kind === 'BotOnly') return known.with({ authorization: of.bot });
    return policy.kind === 'BearerOnly' ? known.with({ authorization: of.bearer }) : known;
  }
  const targetOf = (path: string, value = '1'): string => path.replace(/[:*]\w+/g, value);
  const routes = (concerns: (route: RoutePlan) => boolean) => service.app.get(Routes).all.filter(concerns);
  const someone = () => createCredentialSet(service, { acls: ['*'], scopes: SCOPES });

  const list = (count: number, element: string): string => `[${Array(Math.max(1, count)).fill(element).join()}]`;
  const object = (count: number, value: string): string =>
    `{${Array.from({ length: Math.max(1, count) }, (_, i) => `"m${i.toString(36)}":${value}`).join()}}`;
  const all = (names: readonly string[], value: string): string =>
    `{${names.map((name) => `"${name}":${value}`).join()}}`;
  const nested = (count: number): string => list(count, `${'['.repeat(28)}${']'.repeat(28)}`);

  /** Bodies of the allowed size that are as expensive to process as possible. */
  function* bodiesFor(names: readonly string[], limit: number): Generator<[string, string]> {
    const each = Math.floor((MEMBERS - names.length) / names.length);
    const room = Math.floor((limit - 64) / names.length) - 40;
    yield ['members that nobody knows', object(MEMBERS, '0')];
    yield ['members with long names', object(MEMBERS, '0').replaceAll('"m', `"${'k'.repeat(limit / MEMBERS - 8)}`)];
    yield ['more members than allowed', object(Math.floor(limit / 9), '0')];
    yield ['more elements than allowed', all(names, list(Math.floor(room / 2), '0'))];
    yield ['objects', all(names, object(each, '0'))];
    yield ['lists', all(names, list(each, '0'))];
    yield ['lists of texts', all(names, list(each, '"aaaa"'))];
    yield ['lists of objects', all(names, list(Math.floor(each / 2), '{"id":"x"}'))];
    yield ['deep lists', all(names, nested(Math.floor(each / 29)))];
    yield ['too deep', '{"a":'.repeat(limit / 5 - 1)];
    yield ['escapes', all(names, `"${'\\u0300'.repeat(room / 6)}"`)];
    yield ['white space', `${' '.repeat(limit - 2)}{}`];
    yield ['a long number', all(names, '1'.repeat(room))];
    for (const pump of ['\u0300\u0316', '=', ' ', 'a.', '@', '\ufdfa', '-_', 'A']) {
      yield [`texts of ${pump}`, all(names, JSON.stringify(pump.repeat(room / Buffer.byteLength(pump))))];
    }
  }

  test('JSON bodies of every input class', async () => {
    const tried = new Set<unknown>();
    const bodied = routes(({ accepts, input }) => accepts.kind === 'json' && Boolean(input?.body ?? input?.sudo));
    for (const route of bodied) {
      const shape = route.input?.body ?? route.input?.sudo;
      if (tried.has(shape)) continue;
      tried.add(shape);
      const client = admittedTo(route, await someone());
      const names = [...new Set([...membersOf(route.input?.body), ...membersOf(route.input?.sudo)])];
      for (const [what, body] of bodiesFor(names, route.accepts.limit)) {
        const bytes = Buffer.from(body).subarray(0, route.accepts.limit);
        const send = () => client.send(route.method, targetOf(route.path), bytes, { headers: json });
        await expectShort(`${route.method} ${route.path} with ${what}`, send, bytes);
      }
    }
    expect(tried.size).toBeGreaterThan(40);
  });

  test('forms', async () => {
    for (const route of routes(({ accepts }) => accepts.kind === 'form')) {
      const fields = ['a&'.repeat(4999), 'client_id=1&'.repeat(9999), '&'.repeat(250 * KIB), '%41'.repeat(80 * KIB)];
      const many = Array.from({ length: 40_000 }, (_, i) => i.toString(36)).join('&');
      const long = [
        'client_id',
        'client_secret',
        'token',
        'code',
        'scope',
        'redirect_uri',
        'code_verifier',
        'refresh_token',
      ];
      for (const body of [...fields, many, ...long.map((name) => `${name}=${'a+%20'.repeat(50_000)}`)]) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const client = admittedTo(route, await someone());
        const bytes = Buffer.from(body);
        const send = () => client.send(route.method, targetOf(route.path), bytes, { headers });
        await expectShort(`${route.path} with ${body.slice(0, 20)}`, send);
      }
    }
  });

  test('paths and queries', async () => {
    for (const route of routes(
      ({ method, input, path }) => method === 'GET' && (Boolean(input) || /[:*]/.test(path)),
    )) {
      const client = admittedTo(route, await someone());
      const [name = 'a'] = membersOf(route.input?.query);
      const value = [
        '%CC%80'.repeat(2000),
        '0'.repeat(12_000),
        'a.'.repeat(6000),
        '%20'.repeat(4000),
        '-'.repeat(12_000),
      ];
      const queries = [
        'a&'.repeat(6000),
        `${name}&`.repeat(12_000 / (name.length + 1)),
        ...value.map((text) => `${name}=${text}`),
      ];
      const targets = [
        ...queries.map((query) => `${targetOf(route.path)}?${query}`),
        ...(/[:*]/.test(route.path) ? value.map((text) => targetOf(route.path, text)) : []),
      ];
      for (const target of targets) {
        await expectShort(`${route.path} at ${target.slice(-30)}`, () => client.get(target));
      }
    }
  });

  test('headers', async () => {
    const of = await someone();
    const names = [
      ...['accept', 'accept-encoding', 'accept-language', 'content-type', 'cookie', 'forwarded', 'from'],
      ...['if-match', 'if-modified-since', 'if-none-match', 'if-range', 'origin', 'range', 'referer', 'user-agent'],
      ...['via', 'x-audit-log-reason', 'x-captcha-token', 'x-captcha-type', 'x-forwarded-for', 'x-request-id'],
      ...['x-service-client-properties', 'x-service-sudo-mode-jwt', 'traceparent', 'tracestate', 'authorization'],
    ];
    const pumps = [
      ...[
        'a',
        '=',
        ',',
        ';',
        ' \t',
        'a,',
        'a;q=',
        '1.',
        ':',
        'a:',
        '::',
        '0:',
        '%',
        '"',
        '\\',
        '(',
        '(;',
        'Mozilla/5.0 (',
      ],
      ...['Chrome/1 ', 'eyJ', 'flx_', 'Bearer ', 'fa_1_', '\u00e9', '*', '-', '_', '/', '.', 'W/"', 'bytes=0-', 'en-'],
    ];
    const bodies: [string, string, unknown][] = [
      ['POST', '/v1/auth/login', { email: 'nobody@example.com', password: 'x' }],
      ['GET', '/v1/users/@me', undefined],
      ['POST', '/v1/admin/users/1/ban', { duration_hours: -1 }],
      ['GET', '/media/avatars/1/x.png', undefined],
    ];
    for (const [method, path, body] of bodies) {
      for (const name of names) {
        for (const pump of pumps) {
          const text = pump.repeat(Math.floor(12_000 / pump.length)).trim();
          for (const value of [text, `${text}\u00a1`, `x,${' '.repeat(12_000)}x y`]) {
            const known = { 'x-forwarded-for': '203.0.113.1', authorization: of.session };
            const client = service.anonymous.with({ ...known, [name]: value });
            await expectShort(`${path} with ${name} of ${pump}`, () => client.send(method, path, body));
            if (pump !== ' \t' && value === text && name !== 'x-forwarded-for') break;
          }
        }
      }
    }
  });
});
