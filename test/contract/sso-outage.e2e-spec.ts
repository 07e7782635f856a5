import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { freePort } from '../machine/ports.js';
import {
  eventually,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  person,
  type TestResponse,
} from '../support/index.js';
import {
  type Claims,
  configureSso,
  gatehouseWithSso,
  json,
  ScriptedProvider,
  signInBySso,
  startSso,
} from '../support/sso.js';

const WARN = 40;

let provider: ScriptedProvider;
let service: Gatehouse;
beforeAll(async () => {
  provider = await ScriptedProvider.start(await freePort());
  service = await gatehouseWithSso(provider);
});
/** Starts each test with a working provider, a freshly cached discovery document and no cached keys. */
beforeEach(async () => {
  provider.reset();
  await provider.rotate();
  service.clock.advance({ minutes: 1 });
  await service.sql('DELETE FROM sso_document');
  await startSso(service);
  provider.calls.length = 0;
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

const start = () => service.anonymous.post('/v1/auth/sso/start');
const complete = (body: object) => service.anonymous.post('/v1/auth/sso/complete', body);

/** Also expects the cause in the log. The caller does not get it. */
async function expectOutage(response: TestResponse): Promise<void> {
  expectApiError(response, 'BAD_GATEWAY');
  expect(response.headers.get('retry-after')).toBe('5');
  const id = response.headers.get('x-request-id');
  const line = await eventually('the line of the failed request', async () =>
    service.log.map((text) => JSON.parse(text)).find(({ request_id, level }) => request_id === id && level === WARN),
  );
  expect(line).toMatchObject({ status: 502, cause: expect.stringMatching(/[a-z]{3}/) });
}

/** Every way in which an endpoint can fail to return a usable response. */
const FAILURES: [name: string, handler: (req: IncomingMessage, res: ServerResponse) => void][] = [
  ['a broken connection', (_req, res) => void res.socket?.destroy()],
  ['500', (_req, res) => json(res, 500, { error: 'server_error' })],
  ['503 without a body', (_req, res) => void res.writeHead(503).end()],
  ['a redirect', (_req, res) => void res.writeHead(302, { location: 'https://localhost/' }).end()],
  ['HTML', (_req, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')],
  ['a list', (_req, res) => json(res, 200, [])],
  ['half a document', (_req, res) => void res.end('{"issuer":')],
  ['404 in HTML', (_req, res) => void res.writeHead(404, { 'content-type': 'text/html' }).end('<html></html>')],
];

describe('sso.md section 5: discovery', () => {
  test('the description is cached for 1 hour', async () => {
    for (let attempt = 0; attempt < 5; attempt++) expect((await start()).status).toBe(200);
    expect(provider.callsOf('description')).toHaveLength(0);
    service.clock.advance({ minutes: 59 });
    expect((await start()).status).toBe(200);
    expect(provider.callsOf('description')).toHaveLength(0);
    service.clock.advance({ minutes: 2 });
    await Promise.all(Array.from({ length: 32 }, start));
    expect(provider.callsOf('description')).toHaveLength(1);
  });

  test('a changed endpoint applies from the next refresh', async () => {
    provider.description = { authorization_endpoint: `${provider.issuer}/elsewhere` };
    service.clock.advance({ minutes: 61 });
    const { body } = await start();
    expect(new URL(body.authorization_url).pathname).toBe('/elsewhere');
  });

  test('the last good copy is used for up to 24 hours while the provider is down', async () => {
    await provider.stop();
    service.clock.advance({ minutes: 61 });
    expect((await start()).status).toBe(200);
    service.clock.advance({ minutes: 22 * 60 });
    expect((await start()).status).toBe(200);
    expect((await service.anonymous.get('/v1/auth/sso/status')).body.enabled).toBe(true);
    service.clock.advance({ minutes: 2 * 60 });
    await expectOutage(await start());
    // Despite the outage, the configuration counts as complete.
    const { body } = await service.anonymous.get('/v1/auth/sso/status');
    expect([body.enabled, body.enforced]).toEqual([true, false]);
    await provider.listen();
    expect((await start()).status).toBe(200);
  });

  test('a provider that is down is not requested again for some time if there is a copy', async () => {
    provider.overrides.description = (_req, res) => void res.writeHead(503).end();
    service.clock.advance({ minutes: 61 });
    for (let attempt = 0; attempt < 10; attempt++) expect((await start()).status).toBe(200);
    expect(provider.callsOf('description')).toHaveLength(1);
    service.clock.advance({ seconds: 31 });
    delete provider.overrides.description;
    expect((await start()).status).toBe(200);
    expect(provider.callsOf('description')).toHaveLength(2);
  });

  test.each(FAILURES)('%s instead of the description is an outage', async (_name, handler) => {
    provider.overrides.description = handler;
    service.clock.advance({ minutes: 25 * 60 });
    await expectOutage(await start());
  });

  test('a description of another issuer is not accepted', async () => {
    for (const issuer of ['https://evil.example', `${provider.issuer}/`, undefined, 5]) {
      provider.description = { issuer };
      service.clock.advance({ minutes: 25 * 60 });
      await expectOutage(await start());
    }
  });

  test('a provider that does not respond times out after 10 s', async () => {
    const requested: number[] = [];
    const real = AbortSignal.timeout;
    AbortSignal.timeout = (milliseconds) => {
      requested.push(milliseconds);
      return real.call(AbortSignal, milliseconds === 10_000 ? 100 : milliseconds);
    };
    try {
      for (const endpoint of ['token', 'keys'] as const) {
        provider.overrides[endpoint] = () => {};
        await expectOutage(await signInBySso(service, provider));
        delete provider.overrides[endpoint];
      }
      expect(requested).toContain(10_000);
    } finally {
      AbortSignal.timeout = real;
    }
  });
});

describe('sso.md section 5: token endpoint', () => {
  test.each(FAILURES)('%s is an outage, and the state stays consumed', async (_name, handler) => {
    const sessions = (await service.sql('SELECT 1 FROM session')).length;
    const { authorization_url: url, state } = await startSso(service);
    const code = provider.visit(url);
    provider.overrides.token = handler;
    await expectOutage(await complete({ code, state }));
    delete provider.overrides.token;
    expectInvalid(await complete({ code, state }), 'state: INVALID_OR_EXPIRED_SSO_STATE');
    expect(await service.sql('SELECT 1 FROM session')).toHaveLength(sessions);
  });

  test('a provider that is down: existing sessions and the status are unaffected', async () => {
    const { body } = await signInBySso(service, provider);
    const alice = await person(service, 'alice');
    const { authorization_url: url, state } = await startSso(service);
    const code = provider.visit(url);
    await provider.stop();
    await expectOutage(await complete({ code, state }));
    for (const credential of [body.token, alice.authorization]) {
      expect((await service.as(credential).get('/v1/users/@me')).status).toBe(200);
    }
    expect((await service.anonymous.get('/v1/auth/sso/status')).body.enabled).toBe(true);
    expect((await start()).status).toBe(200);
    await provider.listen();
  });
});

describe('sso.md section 5: keys', () => {
  test('keys are cached for 10 minutes', async () => {
    for (let attempt = 0; attempt < 5; attempt++) expect((await signInBySso(service, provider)).status).toBe(200);
    expect(provider.callsOf('keys')).toHaveLength(1);
    service.clock.advance({ minutes: 9 });
    expect((await signInBySso(service, provider)).status).toBe(200);
    expect(provider.callsOf('keys')).toHaveLength(1);
    service.clock.advance({ minutes: 2 });
    expect((await signInBySso(service, provider)).status).toBe(200);
    expect(provider.callsOf('keys')).toHaveLength(2);
  });

  test('a rotated key is found immediately: an unknown kid triggers a request', async () => {
    expect((await signInBySso(service, provider)).status).toBe(200);
    await provider.rotate();
    expect((await signInBySso(service, provider)).status).toBe(200);
    expect(provider.callsOf('keys')).toHaveLength(2);
  });

  test('unknown kids trigger one request per 60 s and instance; known keys still work', async () => {
    expect((await signInBySso(service, provider)).status).toBe(200);
    const known = provider.signer;
    const unknown = await provider.rotate();
    provider.keys = [known];
    const sign = (claims: Claims) => {
      const kid = randomBytes(8).toString('hex');
      return new SignJWT(claims).setProtectedHeader({ alg: unknown.alg, kid }).sign(unknown.privateKey);
    };
    const flood = await Promise.all(Array.from({ length: 32 }, () => signInBySso(service, provider, {}, { sign })));
    for (const response of flood) expectInvalid(response, 'code: INVALID_SSO_TOKEN');
    for (let attempt = 0; attempt < 5; attempt++) {
      expectInvalid(await signInBySso(service, provider, {}, { sign }), 'code: INVALID_SSO_TOKEN');
    }
    expect(provider.callsOf('keys')).toHaveLength(2);
    expect((await signInBySso(service, provider)).status).toBe(200);
    expect(provider.callsOf('keys')).toHaveLength(2);
    service.clock.advance({ seconds: 61 });
    expectInvalid(await signInBySso(service, provider, {}, { sign }), 'code: INVALID_SSO_TOKEN');
    expect(provider.callsOf('keys')).toHaveLength(3);
  });

  test('the first load does not count towards the refetch', async () => {
    const hidden = provider.signer;
    const published = await provider.rotate();
    provider.keys = [hidden];
    provider.overrides.keys = (_req, res) => json(res, 200, { keys: [published.jwk] });
    expectInvalid(await signInBySso(service, provider), 'code: INVALID_SSO_TOKEN');
    expect(provider.callsOf('keys')).toHaveLength(2);
  });

  test('a key that the provider removed is rejected after the refresh', async () => {
    const old = provider.signer;
    expect((await signInBySso(service, provider)).status).toBe(200);
    await provider.rotate();
    const sign = (claims: Claims) => {
      return new SignJWT(claims).setProtectedHeader({ alg: old.alg, kid: old.kid }).sign(old.privateKey);
    };
    expect((await signInBySso(service, provider, {}, { sign })).status).toBe(200);
    service.clock.advance({ minutes: 11 });
    expectInvalid(await signInBySso(service, provider, {}, { sign }), 'code: INVALID_SSO_TOKEN');
  });

  test.each(FAILURES)(
    '%s instead of the keys: the last good copy serves known keys for 24 hours',
    async (_, handler) => {
      expect((await signInBySso(service, provider)).status).toBe(200);
      provider.overrides.keys = handler;
      service.clock.advance({ minutes: 11 });
      expect((await signInBySso(service, provider)).status).toBe(200);
      service.clock.advance({ minutes: 23 * 60 });
      expect((await signInBySso(service, provider)).status).toBe(200);
      service.clock.advance({ minutes: 60 });
      await expectOutage(await signInBySso(service, provider));
    },
  );

  test('an invalid key set is an outage', async () => {
    for (const keys of [undefined, 'x', [1], Array(101).fill({ kty: 'EC' })]) {
      await service.sql('DELETE FROM sso_document WHERE url LIKE $1', ['%/keys']);
      provider.overrides.keys = (_req, res) => json(res, 200, { keys });
      await expectOutage(await signInBySso(service, provider));
    }
  });

  test('keys are read only from the configured URL', async () => {
    provider.description = { jwks_uri: `${provider.issuer}/nowhere` };
    service.clock.advance({ minutes: 61 });
    await expectOutage(await signInBySso(service, provider));
    await configureSso(service, { jwks_url: `${provider.issuer}/keys` });
    expect((await signInBySso(service, provider)).status).toBe(200);
    await configureSso(service, { jwks_url: null });
  });
});
