import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  CONNECTIONS,
  connect,
  IDENTITIES,
  PUBLIC,
  RecordedProvider,
  signInWith,
  startLink,
  startVisit,
} from '../machine/connections.js';
import {
  environmentOf,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  ScriptedProvider,
  superuser,
  type TestResponse,
  verifiedPerson,
} from '../support/index.js';
import { eventually } from '../support/mail.js';

const RESPONSE_TIMEOUT_MS = 10_000;
const SHORTENED_MS = 300;

let provider: ScriptedProvider;
let recorded: RecordedProvider;
let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  recorded = await RecordedProvider.start(provider.certificate);
  service = await gatehouse({ env: { ...environmentOf(provider), DATABASE_POOL_SIZE: '2' } });
  provider.seconds = () => service.clock.seconds();
  root = await superuser(service);
  await connect(service, root, provider);
  const { origin } = recorded;
  await connect(
    service,
    root,
    { clientId: 'gatehouse', clientSecret: 'a secret' },
    {
      ...{ id: 'github', kind: 'github', display_name: 'GitHub', authorization_url: `${origin}/authorize` },
      ...{ token_url: `${origin}/token`, userinfo_url: `${origin}/user`, emails_url: `${origin}/emails` },
    },
  );
});
afterAll(async () => {
  await service.close();
  await provider.stop();
  await recorded.stop();
});

/** The time limit of a response, shortened while a test runs. All others stay as they are. */
const realTimeout = AbortSignal.timeout;
let limits: number[] = [];
beforeEach(() => {
  limits = [];
  AbortSignal.timeout = (milliseconds) => {
    limits.push(milliseconds);
    return realTimeout.call(AbortSignal, milliseconds === RESPONSE_TIMEOUT_MS ? SHORTENED_MS : milliseconds);
  };
});
afterEach(() => {
  AbortSignal.timeout = realTimeout;
  provider.reset();
  for (const path of Object.keys(recorded.insteadOf)) delete recorded.insteadOf[path];
});

/** Responses that were not finished by the provider, and have to be ended by the service. */
let closed: Promise<unknown>[] = [];
beforeEach(() => {
  closed = [];
});
type Handler = (req: IncomingMessage, res: ServerResponse) => void;
const watched =
  (handler: Handler): Handler =>
  (req, res) => {
    closed.push(once(res, 'close'));
    handler(req, res);
  };

const SLOW: readonly [string, Handler][] = [
  ['does not respond', watched(() => {})],
  [
    'responds with a byte at a time',
    watched((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const dripping = setInterval(() => res.write(' '), 20);
      res.once('close', () => clearInterval(dripping));
    }),
  ],
  [
    'sends the headers and no body',
    watched((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).flushHeaders();
    }),
  ],
];

const stateOf = async () => ({
  accounts: await service.sql('SELECT id, epoch, traits FROM account ORDER BY id'),
  links: await service.sql('SELECT id FROM connection_identity ORDER BY id'),
  sessions: await service.sql('SELECT id FROM session WHERE revoked_at IS NULL ORDER BY id'),
  mails: await service.sql('SELECT id FROM outbox ORDER BY id'),
});

/** Runs a request whose provider is too slow. Asserts that it changes nothing and leaves no connection open. */
async function expectWithoutEffect(
  attempt: () => Promise<TestResponse>,
  expectError: (response: TestResponse) => void,
) {
  const before = await stateOf();
  expectError(await attempt());
  expect(await stateOf()).toEqual(before);
  expect(limits).toContain(RESPONSE_TIMEOUT_MS);
  expect(closed.length).toBeGreaterThan(0);
  await Promise.all(closed);
}

const expectOutage = (response: TestResponse): void => {
  expectApiError(response, 'BAD_GATEWAY');
  expect(response.headers.get('retry-after')).toBe('5');
};

describe.each(SLOW)('connections.md section 5: a provider that %s', (_how, slow) => {
  test.each(['token', 'keys'] as const)('at %s: 502 after the time limit, without effect', async (endpoint) => {
    await service.sql('DELETE FROM sso_document');
    const { url, state, nonce } = await startVisit(service, 'corp');
    const body = { code: provider.visit(url), state, nonce };
    const complete = () => service.anonymous.post(`${PUBLIC}/corp/complete`, body);
    provider.overrides[endpoint] = slow;
    await expectWithoutEffect(complete, expectOutage);
    // The state stays consumed, and the next sign-in works.
    provider.reset();
    expectInvalid(await complete(), 'state: INVALID_OR_EXPIRED_SSO_STATE');
    expect((await signInWith(service, provider)).status).toBe(200);
  });

  test('at the user information: the sign-in fails without effect', async () => {
    provider.overrides.userinfo = slow;
    await expectWithoutEffect(
      () => signInWith(service, provider, { email: undefined }),
      (response) => expectInvalid(response, 'code: FAILED_TO_FETCH_SSO_USER_INFO'),
    );
  });

  test('at the discovery document: the start fails and stores no state', async () => {
    await service.sql('DELETE FROM sso_document');
    provider.overrides.description = slow;
    const states = async () => service.sql(`SELECT count(*)::int AS n FROM one_time_secret`);
    const before = await states();
    await expectWithoutEffect(
      () => service.anonymous.post(`${PUBLIC}/corp/start`, { nonce_hash: 'a'.repeat(64) }),
      expectOutage,
    );
    expect(await states()).toEqual(before);
  });

  test('while a user links an identity: nothing is linked, and no notice is sent', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const body = await startLink(service.as(alice), alice.password, provider, { sub: randomBytes(8).toString('hex') });
    provider.overrides.token = slow;
    await expectWithoutEffect(() => service.as(alice).post(`${IDENTITIES}/complete`, body), expectOutage);
    expect((await service.as(alice).get(IDENTITIES)).body).toEqual({ identities: [] });
  });

  test.each([
    ['/token', expectOutage],
    ['/user', (response: TestResponse) => expectInvalid(response, 'code: FAILED_TO_FETCH_SSO_USER_INFO')],
    ['/emails', (response: TestResponse) => expectInvalid(response, 'code: FAILED_TO_FETCH_SSO_USER_INFO')],
  ] as const)('of OAuth 2, at %s: the sign-in fails without effect', async (path, expectError) => {
    Object.assign(recorded.routes, {
      '/token': () => [200, { access_token: 'a token', token_type: 'bearer' }],
      '/user': () => [200, { id: 583231, login: 'octocat' }],
      '/emails': () => [200, [{ email: 'octocat@github.example.com', primary: true, verified: true }]],
    });
    recorded.insteadOf[path] = slow;
    const { state, nonce } = await startVisit(service, 'github');
    const complete = () => service.anonymous.post(`${PUBLIC}/github/complete`, { code: 'a code', state, nonce });
    await expectWithoutEffect(complete, expectError);
  });

  test('in the test of an administrator: the failed check is named', async () => {
    await service.sql('DELETE FROM sso_document');
    provider.overrides.description = slow;
    const { status, body } = await service.as(root).post(`${CONNECTIONS}/corp/test`);
    expect([status, body.ok]).toEqual([200, false]);
    expect(body.checks.filter(({ ok }: { ok: boolean }) => !ok)).not.toEqual([]);
  });
});

describe('while a provider does not respond', () => {
  test('32 waiting sign-ins hold no connection of the database, and others sign in as before', async () => {
    AbortSignal.timeout = realTimeout;
    const waiting: ServerResponse[] = [];
    provider.overrides.token = (_req, res) => void waiting.push(res);
    const pending: Promise<TestResponse>[] = [];
    for (let attempt = 0; attempt < 32; attempt++) pending.push(Promise.resolve(signInWith(service, provider)));
    await eventually('the requests to the provider', async () => waiting.length === 32 || undefined);
    const alice = await verifiedPerson(service, 'alice');
    await service.as(alice).get('/v1/users/@me').expect(200);
    for (const res of waiting) res.writeHead(503).end();
    for (const response of await Promise.all(pending)) expectOutage(response);
  });
});

describe('connections.md section 2: a sign-up counts towards the registration allowances', () => {
  let limited: Gatehouse;
  beforeAll(async () => {
    limited = await gatehouse({ env: { ...environmentOf(provider), REGISTRATION_ALLOWANCES: 'on' } });
    provider.seconds = () => limited.clock.seconds();
    await connect(limited, await superuser(limited), provider);
  });
  afterAll(async () => {
    await limited.close();
    provider.seconds = () => service.clock.seconds();
  });

  test('three per hour and IP address; the next one creates nothing, and sign-ins are not counted', async () => {
    const rows = async () => [
      await limited.sql('SELECT id FROM account ORDER BY id'),
      await limited.sql('SELECT id FROM connection_identity ORDER BY id'),
    ];
    const caller = limited.anonymous.from('127.0.9.1');
    const signIn = async (sub: string) => {
      const { url, state, nonce } = await startVisit(limited, 'corp');
      const code = provider.visit(url, { sub, email: `${sub}@corp.example.com` });
      return caller.post(`${PUBLIC}/corp/complete`, { code, state, nonce });
    };
    for (const sub of ['one', 'two', 'three']) expect((await signIn(sub)).status).toBe(200);
    const before = await rows();
    expectApiError(await signIn('four'), 'RATE_LIMITED', { global: false, retry_after: expect.any(Number) });
    expect(await rows()).toEqual(before);
    for (const sub of ['one', 'two', 'three', 'one']) expect((await signIn(sub)).status).toBe(200);
  });
});
