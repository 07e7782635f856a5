import { featureRegistry } from '../../src/features.js';
import type { RoutePlan } from '../../src/policy/plan.js';
import { Routes } from '../../src/policy/routes.js';
import { membersOf } from '../machine/input-members.js';
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
  service = await gatehouse();
});
afterAll(() => service.close());

/** Values that no field expects, in JSON notation. */
const VALUES = [
  ...[
    'null',
    'true',
    '0',
    '-1',
    '1.5',
    '1e400',
    '-0',
    '9007199254740993',
    '[]',
    '[null]',
    '[[]]',
    '{}',
    '{"length":9}',
  ],
  ...['""', '" "', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\r\\nX: y"', '"-1"', '"0x10"', '"1e3"', '"\u0663"'],
  ...['"9223372036854775807"', '"9223372036854775808"', '"99999999999999999999"', '{"$gt":""}', '{"toString":1}'],
  ...['"\' OR 1=1--"', '"\'; SELECT pg_sleep(9)--"', '"%"', '"\\\\"', '"../../etc/passwd"', '"{{7*7}}<script>"'],
  ...['"2020-02-30T00:00:00Z"', '"http://127.0.0.1/"', '"a@b.c"', '"\u202e\ud83d\ude00"', '["1","1"]', '[{"id":"1"}]'],
  ...[JSON.stringify('x'.repeat(300)), JSON.stringify('x'.repeat(70_000)), JSON.stringify(Array(1001).fill('1'))],
  ...['"flx_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"', '"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"'],
];

/** Bodies that are malformed or not a JSON object, and objects that are malicious or exceed a limit. */
const BODIES: (string | Uint8Array)[] = [
  ...['', ' ', '{', '[]', 'null', '1', '"x"', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}'],
  `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
  '['.repeat(100_000),
  `{"a":[${'0,'.repeat(20_000)}0]}`,
  new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
];

/** Values for path and query parameters, percent-encoded. */
const TEXTS = [
  ...[
    '0',
    '-1',
    '1.5',
    '01',
    '9223372036854775808',
    '99999999999999999999',
    'null',
    '@me',
    '%00',
    'a%00b',
    '%0d%0aX:%20y',
  ],
  ...[
    '%27%20OR%201=1--',
    '%25',
    '%2F',
    '..%2F..%2F',
    '%F0%9F%98%80',
    '%E2%80%AE',
    '%5B%5D',
    '%7B%7D',
    'x'.repeat(3000),
  ],
];

const codes = new Set(featureRegistry().errors.keys());

/** Returns a client that the policy of a route accepts. */
function admittedTo({ policy }: RoutePlan, of: CredentialSet): Client {
  switch (policy.kind) {
    case 'Authenticated':
    case 'UserOnly':
    case 'AdminAcl':
      return service.as(of.session);
    case 'BotOnly':
      return service.as(of.bot);
    case 'BearerOnly':
      return service.as(of.bearer);
    default:
      return service.anonymous;
  }
}

const surprises = new Set<string>();

/** Records responses that are server errors, or errors that the contract does not define. */
function inspect({ method, path }: RoutePlan, what: string, { status, body, headers }: TestResponse): void {
  const isKnown = status < 400 || codes.has(body?.code);
  const isOurs = status < 400 || headers.get('content-type') === 'application/json; charset=utf-8';
  if (status < 500 && isKnown && isOurs) return;
  surprises.add(`${method} ${path} with ${what.slice(0, 60)}: ${status} ${body?.code ?? ''}`);
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += 8) await Promise.all(items.slice(at, at + 8).map(work));
}

const isJson = ({ accepts }: RoutePlan): boolean => accepts.kind === 'json';
const targetOf = (path: string, value = '1'): string => path.replace(/[:*]\w+/g, value);

describe('conventions.md 4 and 6: no input makes an operation fail', () => {
  beforeEach(() => surprises.clear());
  const routes = () => service.app.get(Routes).all;

  /** Calls every route for which `concerns` returns true, each with its own caller. */
  async function sweep(
    concerns: (route: RoutePlan) => boolean,
    work: (route: RoutePlan, client: Client) => Promise<void>,
  ): Promise<void> {
    await inTurns(routes().filter(concerns), async (route) => {
      const of = await createCredentialSet(service, { acls: ['*'], scopes: SCOPES });
      await work(route, admittedTo(route, of));
    });
    expect([...surprises]).toEqual([]);
  }

  test('malformed bodies', async () => {
    await sweep(isJson, async (route, client) => {
      const headers = { 'content-type': 'application/json' };
      for (const body of BODIES) {
        const response = await client.send(route.method, targetOf(route.path), body, { headers });
        inspect(route, String(body), response);
      }
      for (const type of ['text/plain', ';', 'application/json;charset="', 'multipart/form-data']) {
        const response = await client.send(route.method, targetOf(route.path), '{}', {
          headers: { 'content-type': type },
        });
        inspect(route, type, response);
      }
    });
  });

  test('members of wrong types', async () => {
    const takesMembers = ({ input }: RoutePlan) => input?.body !== undefined || input?.sudo !== undefined;
    await sweep(takesMembers, async (route, client) => {
      const names = [...membersOf(route.input?.body), ...membersOf(route.input?.sudo)];
      for (const value of VALUES) {
        const body = `{${[...new Set(names)].map((name) => `${JSON.stringify(name)}:${value}`).join()}}`;
        inspect(route, value, await client.send(route.method, targetOf(route.path), body));
      }
    });
  });

  test('one member at a time', async () => {
    const some = VALUES.filter((value) => /^(\[|\{|"9|"\\|"x|null)/.test(value) && value.length < 40);
    await sweep(
      ({ input }) => input?.body !== undefined,
      async (route, client) => {
        for (const [index, name] of membersOf(route.input?.body).entries()) {
          const value = some[index % some.length] as string;
          const body = `{${JSON.stringify(name)}:${value}}`;
          inspect(route, body, await client.send(route.method, targetOf(route.path), body));
        }
      },
    );
  });

  test('paths', async () => {
    await sweep(
      ({ path }) => /[:*]/.test(path),
      async (route, client) => {
        for (const text of TEXTS) inspect(route, text, await client.send(route.method, targetOf(route.path, text)));
      },
    );
  });

  test('queries', async () => {
    await sweep(
      ({ method }) => method === 'GET',
      async (route, client) => {
        const names = [...membersOf(route.input?.query), 'unknown', '__proto__', 'a[b]'];
        for (const text of TEXTS) {
          const query = names.map((name) => `${encodeURIComponent(name)}=${text}`).join('&');
          inspect(route, query, await client.send('GET', `${targetOf(route.path)}?${query}`));
        }
        const twice = names.flatMap((name) => [`${name}=1`, `${name}=2`]).join('&');
        inspect(route, twice, await client.send('GET', `${targetOf(route.path)}?${twice}`));
      },
    );
  });

  test('forms', async () => {
    const names = [
      'grant_type',
      'code',
      'redirect_uri',
      'code_verifier',
      'refresh_token',
      'scope',
      'token',
      'client_secret',
    ];
    const values = VALUES.map((value) => (value.startsWith('"') ? JSON.parse(value) : value) as string);
    await sweep(
      ({ accepts }) => accepts.kind === 'form',
      async (route, client) => {
        for (const value of [...values, '9999999999999999999']) {
          const form = new URLSearchParams([['client_id', value], ...names.map((name) => [name, value])] as [
            string,
            string,
          ][]);
          inspect(route, value, await client.send(route.method, targetOf(route.path), form));
          form.append('client_id', value);
          inspect(route, `${value} twice`, await client.send(route.method, targetOf(route.path), form));
        }
        for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded;charset="']) {
          const headers = { 'content-type': type };
          inspect(route, type, await client.send(route.method, targetOf(route.path), '%zz=%ff&=&&', { headers }));
        }
      },
    );
  });

  test('headers', async () => {
    const headers: Record<string, string>[] = [
      { 'x-service-client-properties': 'x' },
      { 'x-service-client-properties': Buffer.from('[1]').toString('base64') },
      { 'x-service-client-properties': Buffer.from('{"os":"\\u0000\\ud800"}').toString('base64') },
      { 'x-service-client-properties': Buffer.from(JSON.stringify({ os: { a: 1 } })).toString('base64') },
      { 'user-agent': 'x'.repeat(5000), 'accept-language': ';q=,,*;'.repeat(500) },
      { 'x-service-sudo-mode-jwt': 'a.b.c', 'x-captcha-token': '{}', 'x-captcha-type': '__proto__' },
      { 'x-audit-log-reason': '\u0080'.repeat(600), origin: 'null', referer: 'x', range: 'bytes=9-1,x' },
      { 'if-none-match': '*', 'content-encoding': 'gzip' },
    ];
    await sweep(
      () => true,
      async (route, client) => {
        for (const more of headers) {
          const response = await client.with(more).send(route.method, targetOf(route.path));
          inspect(route, JSON.stringify(more), response);
        }
      },
    );
  });
});
