import { defineFeature } from '../../src/policy/feature.js';
import {
  APACHE_MODULES,
  FORWARD_AUTH_PROXIES,
  type ProtectedService,
  protectedService,
} from '../machine/forward-auth-proxies.js';
import { describeUnless, missing } from '../machine/programs.js';
import {
  ban,
  type CredentialSet,
  createCredentialSet,
  expectApiError,
  type Gatehouse,
  gatehouse,
  liftBan,
  RawConnection,
  sendRaw,
} from '../support/index.js';

const documents = defineFeature('documents', {
  servicePolicies: { 'documents-read': { accepts: 'authenticated', requests: 30, seconds: 3600 } },
});

/** Spellings of the headers that a client could forge, also those that CGI and WSGI read as equal. */
const FORGED = [
  ...['Account-Id', 'Kind', 'Username', 'Application-Id', 'Scopes', 'Policy', 'Assertion'].flatMap((name) => [
    ...[`X-Auth-${name}`, `x-auth-${name.toLowerCase()}`, `X_AUTH_${name.toUpperCase().replace('-', '_')}`],
    ...[`X-Auth_${name}`, `X_Auth-${name}`, `X-Auth-${name.replace('-', '_')}`, `x_aUtH-${name}`],
  ]),
];

const needs: Record<keyof typeof FORWARD_AUTH_PROXIES, string[]> = {
  nginx: ['nginx'],
  caddy: ['caddy'],
  haproxy: ['haproxy'],
  apache: ['apache2', `${APACHE_MODULES}/mod_lua.so`, '/usr/share/lua/5.3/socket/http.lua'],
};

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ features: [documents], env: { RATE_LIMITS: 'on', TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => service.close());

for (const [index, name] of (Object.keys(FORWARD_AUTH_PROXIES) as (keyof typeof FORWARD_AUTH_PROXIES)[]).entries()) {
  const address = `127.0.0.${index + 11}`;
  describeUnless(missing(...needs[name]))(`forward authentication with ${name}`, () => {
    let front: ProtectedService;
    let alice: CredentialSet;
    beforeAll(async () => {
      front = await protectedService(name, service.port);
    });
    beforeEach(async () => {
      alice = await createCredentialSet(service);
      front.received.length = 0;
    });
    afterAll(async () => {
      await front.close();
      await liftBan(service, address);
    });

    const send = async (start: string, lines: string[] = [], body = '') => {
      const connection = await RawConnection.open(front, address);
      try {
        const length = body === '' ? [] : [`Content-Length: ${body.length}`];
        connection.send([`${start} HTTP/1.1`, 'Host: x', ...lines, ...length, '', body].join('\r\n'));
        return await connection.readResponse();
      } finally {
        connection.close();
      }
    };
    const withCredential = (value: string) => [`Authorization: ${value}`];

    /** The headers that reached the service whose name is a spelling of `wanted`. */
    const seen = (wanted: RegExp) =>
      (front.received.at(-1)?.raw ?? []).flatMap((text, index, raw) =>
        index % 2 === 0 && wanted.test(text) ? [[text.toLowerCase(), raw[index + 1]]] : [],
      );

    test('an admitted request reaches the service with its body and the identity, without the credential', async () => {
      const proof = 'X-Service-Sudo-Mode-JWT: a.b.c';
      const response = await send('POST /documents/1?x=%2F', [...withCredential(alice.session), proof], 'text');
      expect([response.status, response.text]).toEqual([200, 'document']);
      expect(front.received).toHaveLength(1);
      expect(front.received[0]).toMatchObject({ method: 'POST', url: '/documents/1?x=%2F', body: 'text' });
      expect(Object.fromEntries(seen(/^x.auth/i))).toEqual({
        ...{ 'x-auth-account-id': alice.accountId, 'x-auth-kind': 'session', 'x-auth-scopes': '-' },
        ...{ 'x-auth-username': expect.stringMatching(/%23\d{4}$/), 'x-auth-application-id': '-' },
        ...{ 'x-auth-policy': 'documents-read', 'x-auth-assertion': expect.stringMatching(/\..+\./) },
      });
      expect(seen(/^(authorization|x.service.sudo)/i)).toEqual([]);
      expect((await send('GET /', withCredential(alice.bot))).status).toBe(200);
      expect(seen(/^x.auth.kind/i)).toEqual([['x-auth-kind', 'bot']]);
    });

    test('forged headers never reach the service', async () => {
      const forged = FORGED.map((header) => `${header}: forged`);
      const response = await send('GET /', [...withCredential(alice.session), ...forged]);
      expect(response.status).toBe(200);
      expect(seen(/./).filter(([, value]) => String(value).includes('forged'))).toEqual([]);
      expect(seen(/^x.auth/i)).toHaveLength(7);
      expect((await send('GET /', forged)).status).toBe(401);
      expect((await send('GET /', [...forged, ...withCredential('flx_wrong')])).status).toBe(401);
      expect(front.received).toHaveLength(1);
    });

    test('a rejected request does not reach the service, and the client gets the response as far as the proxy can', async () => {
      const own = (credential: string) =>
        service.as(credential).with({ 'x-forwarded-for': address }).get('/v1/forward-auth/documents-read');
      for (const [credential, status] of [
        ['flx_wrong', 401],
        [alice.bearer, 403],
      ] as const) {
        const direct = await own(credential);
        for (const start of ['GET /', 'POST /x', 'OPTIONS /x']) {
          const response = await send(start, withCredential(credential));
          expect([start, response.status]).toEqual([start, status]);
          if (name === 'nginx') continue;
          expect(response.text).toBe(direct.text);
          expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
          expect(response.headers.get('x-ratelimit-limit')).toBe('30');
        }
      }
      const doubled = [...withCredential(alice.session), ...withCredential(alice.session)];
      expect([400, 401]).toContain((await send('GET /', doubled)).status);
      expect(front.received).toEqual([]);
    });

    test('429 has its status and Retry-After', async () => {
      const { session } = await createCredentialSet(service);
      for (let sent = 0; sent < 30; sent++) expect((await send('GET /', withCredential(session))).status).toBe(200);
      const limited = await send('GET /', withCredential(session));
      expect([limited.status, JSON.parse(limited.text).code]).toEqual([429, 'RATE_LIMITED']);
      expect(limited.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(front.received).toHaveLength(30);
    });

    test('a ban is for the client, whatever it says about its IP address', async () => {
      const lines = [...withCredential(alice.session), 'X-Forwarded-For: 192.0.2.1'];
      await ban(service, address, null);
      const banned = await send('GET /', lines);
      expect(banned.status).toBe(403);
      if (name !== 'nginx') expect(JSON.parse(banned.text)).toMatchObject({ ip_address: address });
      expect(front.received).toEqual([]);
      await liftBan(service, address);
      await ban(service, '192.0.2.1', null);
      expect((await send('GET /', lines)).status).toBe(200);
      await liftBan(service, '192.0.2.1');
    });

    test('nothing is admitted while Gatehouse does not respond', async () => {
      const alone = await protectedService(name, 9);
      try {
        const connection = await RawConnection.open(alone);
        connection.send(`GET / HTTP/1.1\r\nHost: x\r\nAuthorization: ${alice.session}\r\n\r\n`);
        expect((await connection.readResponse()).status).toBeGreaterThanOrEqual(500);
        connection.close();
        expect(alone.received).toEqual([]);
      } finally {
        await alone.close();
      }
    });
  });
}

/** The requests that the documentation of a proxy describes. These proxies do not run here. */
const DOCUMENTED = {
  // https://doc.traefik.io/traefik/middlewares/http/forwardauth/
  traefik: (credential: string) => [
    'GET /v1/forward-auth/documents-read HTTP/1.1',
    ...[`Authorization: ${credential}`, 'X-Forwarded-For: 192.0.2.7', 'X-Forwarded-Host: documents.example.com'],
    ...[
      'X-Forwarded-Method: POST',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Uri: /documents?x=1',
      'Accept-Encoding: gzip',
    ],
  ],
  // https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/ext_authz_filter
  envoy: (credential: string) => [
    'POST /v1/forward-auth/documents-read/documents/%2F?x=1 HTTP/1.1',
    ...[`authorization: ${credential}`, 'content-length: 0', 'x-envoy-internal: true', 'x-forwarded-for: 192.0.2.7'],
    ...['x-request-id: 1f4c', 'x-envoy-expected-rq-timeout-ms: 5000', 'connection: keep-alive'],
  ],
};

test.each(Object.entries(DOCUMENTED))('the documented requests of %s are decided', async (_name, request) => {
  const { session, bearer } = await createCredentialSet(service);
  expect((await sendRaw(service, request(session))).headers.get('x-auth-kind')).toBe('session');
  expectApiError(await sendRaw(service, request(bearer)), 'ACCESS_DENIED');
  expectApiError(await sendRaw(service, request('flx_wrong')), 'UNAUTHORIZED');
});
