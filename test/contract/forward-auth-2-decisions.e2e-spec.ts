import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module } from '@nestjs/common';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { Config } from '../../src/core/config/config.js';
import { ServicePolicies } from '../../src/pipeline/service-policies.service.js';
import {
  AllowSuspicious,
  Authenticated,
  BearerOnly,
  BotOnly,
  OAuthScope,
  Public,
  UserOnly,
} from '../../src/policy/decorators.js';
import { defineFeature } from '../../src/policy/feature.js';
import type { PolicyKind } from '../../src/policy/route-policy.js';
import {
  ban,
  type CredentialSet,
  createCredentialSet,
  expectApiError,
  type Gatehouse,
  gatehouse,
  liftBan,
  person,
  race,
  sendRaw,
  signIn,
  sudoProof,
  type TestResponse,
  withTotp,
} from '../support/index.js';
import { Matrix } from '../support/matrix.js';
import { createPersonalToken } from '../support/personal-token.js';

/** The service policies of this file, each with a route of the same policy at `/v1/notes/<name>`. */
const FILE = {
  'notes-anyone': { accepts: 'public' },
  'notes-both': { accepts: 'authenticated' },
  'notes-both-scope': { accepts: 'authenticated', scope: 'notes.read' },
  'notes-user': { accepts: 'user' },
  'notes-user-scope': { accepts: 'user', scope: 'notes.read' },
  'notes-user-any-state': { accepts: 'user', allow_suspicious: true },
  'notes-bot': { accepts: 'bot' },
  'notes-bearer': { accepts: 'bearer', scope: 'notes.read' },
};

@Controller('v1/notes')
class NotesController {
  @Get('notes-anyone')
  @Public()
  anyone() {}

  @Get('notes-both')
  @Authenticated()
  both() {}

  @Get('notes-both-scope')
  @Authenticated()
  @OAuthScope('notes.read' as never)
  bothScope() {}

  @Get('notes-user')
  @UserOnly()
  user() {}

  @Get('notes-user-scope')
  @UserOnly()
  @OAuthScope('notes.read' as never)
  userScope() {}

  @Get('notes-user-any-state')
  @UserOnly()
  @AllowSuspicious()
  userAnyState() {}

  @Get('notes-bot')
  @BotOnly()
  bot() {}

  @Get('notes-bearer')
  @BearerOnly()
  @OAuthScope('notes.read' as never)
  bearer() {}
}

@Module({ controllers: [NotesController] })
class NotesModule {}

const notes = defineFeature('notes', {
  modules: [NotesModule],
  scopes: { 'notes.read': { 'en-US': 'Read notes' } },
  servicePolicies: {
    'notes-sudo': { accepts: 'user', sudo: true },
    'notes-limited': { accepts: 'authenticated', requests: 5, seconds: 3600 },
  },
});

const SCOPES = { scopes: ['notes.read'] };
const POLICIES = Object.keys(FILE);
const folder = mkdtempSync(join(tmpdir(), 'service-policies-'));
const file = join(folder, 'policies.json');
writeFileSync(file, JSON.stringify({ policies: FILE }));
const extension = { features: [notes] };

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ ...extension, env: { SERVICE_POLICIES_FILE: file } });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const at = (policy: string, rest = '') => `/v1/forward-auth/${policy}${rest}`;
const ask = (policy: string, credential?: string) =>
  (credential === undefined ? service.anonymous : service.as(credential)).get(at(policy));

/** The headers about the caller, without the assertion. */
const identityIn = ({ headers }: TestResponse) =>
  Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith('x-auth-') && name !== 'x-auth-assertion').map(([n, v]) => [n, v]),
  );
const ANONYMOUS = {
  'x-auth-account-id': '-',
  'x-auth-kind': 'anonymous',
  'x-auth-username': '-',
  'x-auth-application-id': '-',
  'x-auth-scopes': '-',
};

describe('forward-auth.md 2: the response to an admitted caller', () => {
  let alice: CredentialSet;
  beforeAll(async () => {
    alice = await createCredentialSet(service, SCOPES);
  });

  test('is empty and names the caller in all headers, with - for no value', async () => {
    const [account] = await service.sql('SELECT username, discriminator FROM account WHERE id = $1', [alice.accountId]);
    const username = `${account?.username}%23${String(account?.discriminator).padStart(4, '0')}`;
    const self = { 'x-auth-account-id': alice.accountId, 'x-auth-username': username };
    const [bot] = await service.sql('SELECT username, discriminator FROM account WHERE id = $1', [alice.applicationId]);
    const botName = `${bot?.username}%23${String(bot?.discriminator).padStart(4, '0')}`;
    const expected: [policy: string, credential: string | undefined, headers: Record<string, string>][] = [
      ['notes-anyone', undefined, ANONYMOUS],
      ['notes-anyone', 'flx_unknown', ANONYMOUS],
      ['notes-anyone', alice.session, { ...ANONYMOUS, ...self, 'x-auth-kind': 'session' }],
      ['notes-user', alice.session, { ...ANONYMOUS, ...self, 'x-auth-kind': 'session' }],
      [
        'notes-bot',
        alice.bot,
        {
          ...{ ...ANONYMOUS, 'x-auth-kind': 'bot', 'x-auth-account-id': alice.applicationId },
          ...{ 'x-auth-username': botName, 'x-auth-application-id': alice.applicationId },
        },
      ],
      [
        'notes-bearer',
        alice.bearer,
        {
          ...{ ...self, 'x-auth-kind': 'bearer' },
          ...{ 'x-auth-application-id': alice.applicationId, 'x-auth-scopes': 'notes.read' },
        },
      ],
    ];
    for (const [policy, credential, headers] of expected) {
      const response = await ask(policy, credential);
      expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: '' });
      expect(identityIn(response)).toEqual({ ...headers, 'x-auth-policy': policy });
      expect(response.headers.get('x-auth-assertion')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-type')).toBeNull();
    }
  });

  test('percent-encodes the username', async () => {
    const bob = await createCredentialSet(service);
    await service.sql("UPDATE account SET username = 'J\u00f6rg %x', discriminator = 7 WHERE id = $1", [bob.accountId]);
    const response = await ask('notes-user', bob.session);
    expect(response.headers.get('x-auth-username')).toBe('J%C3%B6rg%20%25x%230007');
  });

  test('contains an assertion, which a key of its own signs for 10 seconds', async () => {
    const { publicOrigin: origin } = service.app.get(Config);
    const jwks = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
    const verify = (policy: string, assertion: string) =>
      jwtVerify(assertion, jwks, {
        ...{ issuer: origin, audience: `urn:gatehouse:policy:${policy}`, typ: 'gatehouse-assertion+jwt' },
        ...{ algorithms: ['ES256'], currentDate: new Date(service.clock.now()) },
      });
    const assertionOf = async (policy: string, credential?: string) =>
      (await ask(policy, credential)).headers.get('x-auth-assertion') ?? '';
    const ofBearer = await verify('notes-bearer', await assertionOf('notes-bearer', alice.bearer));
    expect(ofBearer.payload).toEqual({
      ...{ iss: origin, aud: 'urn:gatehouse:policy:notes-bearer', sub: alice.accountId, kind: 'bearer' },
      ...{ application_id: alice.applicationId, scope: 'notes.read', jti: expect.any(String) },
      ...{ iat: expect.any(Number), exp: (ofBearer.payload.iat ?? 0) + 10 },
    });
    const ofNobody = await verify('notes-anyone', await assertionOf('notes-anyone'));
    expect(Object.keys(ofNobody.payload).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'kind']);
    expect(ofNobody.payload.kind).toBe('anonymous');
    await expect(verify('notes-user', await assertionOf('notes-anyone'))).rejects.toThrow('aud');
    const { kid } = decodeProtectedHeader(await assertionOf('notes-anyone'));
    const { keys } = (await service.anonymous.get('/.well-known/jwks.json')).body;
    expect(keys.filter((key: { kid: string }) => key.kid === kid)).toHaveLength(1);
    const signing = await service.sql("SELECT kid FROM openid_key WHERE alg = 'ES256'");
    expect(signing.map((key) => key.kid)).not.toContain(kid);
  });

  test('repeats the assertion of the same credential and policy for at most 5 seconds', async () => {
    const bob = await createCredentialSet(service);
    const get = async (policy: string, credential: string) =>
      (await ask(policy, credential)).headers.get('x-auth-assertion');
    const first = await get('notes-user', bob.session);
    service.clock.advance({ seconds: 4 });
    expect(await get('notes-user', bob.session)).toBe(first);
    expect(await get('notes-both', bob.session)).not.toBe(first);
    expect(await get('notes-both', bob.bot)).not.toBe(await get('notes-both', bob.session));
    service.clock.advance({ seconds: 1.1 });
    const later = await get('notes-user', bob.session);
    expect(later).not.toBe(first);
    await service.as(bob.session).post('/v1/auth/logout');
    expectApiError(await ask('notes-user', bob.session), 'UNAUTHORIZED');
  });
});

describe('forward-auth.md 2: a rejected caller', () => {
  test('gets status and body of the guard, byte for byte as on a route of the same policy', async () => {
    const plain = await createCredentialSet(service);
    const scoped = await createCredentialSet(service, SCOPES);
    const suspicious = await createCredentialSet(service, { ...SCOPES, suspicious: 5 });
    const revoked = await createCredentialSet(service, SCOPES);
    await service.as(revoked.session).post('/v1/auth/logout').expect(204);
    const callers: (string | undefined)[] = [
      ...[undefined, 'Basic x', `Bot  ${plain.bot}`, 'x'.repeat(513), plain.adminKey, revoked.session],
      ...[plain, scoped, suspicious].flatMap(({ session, bot, bearer, adminBearer }) => [
        ...[session, `Bearer ${session}`, bot, bearer, adminBearer],
      ]),
      await createPersonalToken(service, plain.accountId, SCOPES),
      await createPersonalToken(service, plain.accountId, { ...SCOPES, networks: ['198.51.100.0/24'] }),
    ];
    const codes = new Set<string>();
    for (const policy of POLICIES) {
      for (const credential of callers) {
        const client = credential === undefined ? service.anonymous : service.as(credential);
        const [own, route] = await Promise.all([client.get(at(policy)), client.get(`/v1/notes/${policy}`)]);
        expect([policy, credential, own.status, own.text]).toEqual([policy, credential, route.status, route.text]);
        expect(own.headers.get('content-type')).toBe(route.headers.get('content-type'));
        if (own.status !== 200) expect([...own.headers.keys()].filter((name) => name.startsWith('x-auth'))).toEqual([]);
        codes.add(own.body?.code ?? 'admitted');
      }
    }
    expect([...codes].sort()).toEqual([
      ...['ACCESS_DENIED', 'ACCOUNT_SUSPICIOUS_ACTIVITY', 'MISSING_OAUTH_SCOPE', 'UNAUTHORIZED', 'admitted'],
    ]);
  });

  test('gets 401 for two Authorization lines', async () => {
    const { session } = await createCredentialSet(service);
    const lines = [`Authorization: ${session}`, `Authorization: ${session}`];
    const response = await sendRaw(service, [`GET ${at('notes-user')} HTTP/1.1`, ...lines]);
    expect(response.status).toBe(401);
  });

  test('walks the matrix of all credentials', async () => {
    const plans = service.app.get(ServicePolicies).all.map(({ plan }) => plan);
    expect(plans).toHaveLength(POLICIES.length + 2);
    expect(new Set(plans.map(({ policy }) => policy.kind))).toEqual(
      new Set<PolicyKind>(['Public', 'Authenticated', 'UserOnly', 'BotOnly', 'BearerOnly']),
    );
    expect(await new Matrix(service, plans).ofCallers()).toEqual([]);
  });
});

describe('forward-auth.md 2: sudo mode', () => {
  test('needs a valid proof; a factor in a body does not count', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const methods = { totp: true, webauthn: false, backup_codes: true };
    expectApiError(await ask('notes-sudo', alice.authorization), 'SUDO_MODE_REQUIRED', { has_mfa: true, methods });
    const members = JSON.stringify({ mfa_method: 'totp', mfa_code: authenticator.next() });
    const lines = [`Authorization: ${alice.authorization}`, `Content-Length: ${members.length}`];
    const start = `POST ${at('notes-sudo')} HTTP/1.1`;
    const withFactor = await sendRaw(service, [start, ...lines, 'Content-Type: application/json'], { body: members });
    expectApiError(withFactor, 'SUDO_MODE_REQUIRED');
    const proof = await sudoProof(service, alice, authenticator);
    const admitted = await service.as(alice).sudo(proof).get(at('notes-sudo')).expect(200);
    expect(admitted.headers.get('x-service-sudo-mode-jwt')).toBeNull();
    const bob = await person(service, 'bob');
    expectApiError(await service.as(bob).sudo(proof).get(at('notes-sudo')), 'SUDO_MODE_REQUIRED', { has_mfa: false });
    const other = await signIn(service, bob).catch(() => bob.authorization);
    expectApiError(await ask('notes-sudo', other), 'SUDO_MODE_REQUIRED');
    service.clock.advance({ seconds: 301 });
    expectApiError(await service.as(alice).sudo(proof).get(at('notes-sudo')), 'SUDO_MODE_REQUIRED');
    const { bot, bearer } = await createCredentialSet(service, SCOPES);
    expectApiError(await ask('notes-sudo', bot), 'ACCESS_DENIED');
    expectApiError(await ask('notes-sudo', bearer), 'ACCESS_DENIED');
  });
});

describe('forward-auth.md 2: requests', () => {
  test('any method and any rest of the path give the same response, and CORS does not exist', async () => {
    const { session } = await createCredentialSet(service);
    const origin = { origin: service.url, 'access-control-request-method': 'POST' };
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'MKCOL', 'QUERY', 'HEAD']) {
      for (const rest of ['', '/', '/a/b', '//a', '/%zz', '/a?x=%zz', '?x=1', '/v1/users/@me']) {
        const lines = Object.entries(origin).map(([name, value]) => `${name}: ${value}`);
        const start = `${method} ${at('notes-user', rest)} HTTP/1.1`;
        const rejected = await sendRaw(service, [start, ...lines]);
        expect([method, rest, rejected.status]).toEqual([method, rest, 401]);
        const admitted = await sendRaw(service, [start, `Authorization: ${session}`, ...lines]);
        expect([method, rest, admitted.status]).toEqual([method, rest, 200]);
        const names = [...admitted.headers.keys()].filter((name) => /^access-control|^vary$/.test(name));
        expect(names).toEqual([]);
      }
    }
  });

  test('no body is read, whatever it contains', async () => {
    const { session } = await createCredentialSet(service);
    const head = [`POST ${at('notes-user')} HTTP/1.1`, `Authorization: ${session}`];
    const type = ['Content-Type: text/evil', 'Content-Encoding: gzip', 'Content-Length: 999999999'];
    const response = await sendRaw(service, [...head, ...type, 'Expect: 100-continue']);
    expect(response.status).toBe(200);
    const json = [...head, 'Content-Type: application/json', 'Content-Length: 5'];
    expect((await sendRaw(service, json, { body: '{"a":' })).status).toBe(200);
  });

  test('an unknown policy is not found, with any credential', async () => {
    const { session, adminKey } = await createCredentialSet(service, { acls: ['*'] });
    for (const path of [at('unknown'), at('Notes-user'), at('__proto__'), '/v1/forward-auth/', '/v1/forward-auth']) {
      for (const credential of [session, adminKey]) expectApiError(await service.as(credential).get(path), 'NOT_FOUND');
    }
    const browser = { headers: { accept: 'text/html' } };
    expectApiError(await service.anonymous.get(at('unknown'), browser), 'NOT_FOUND');
    expectApiError(await service.anonymous.get(at('notes-user'), browser), 'UNAUTHORIZED');
  });

  test('other IP addresses than those allowed find nothing, whatever a header says', async () => {
    const own = await gatehouse({
      ...extension,
      env: { SERVICE_POLICIES_FILE: file, FORWARD_AUTH_ALLOW: '127.0.0.7', TRUSTED_PROXIES: '127.0.0.1,127.0.0.7' },
    });
    try {
      const { session } = await createCredentialSet(own);
      const forwarded = own.as(session).with({ 'x-forwarded-for': '127.0.0.7' });
      expectApiError(await forwarded.from('127.0.0.1').get(at('notes-user')), 'NOT_FOUND');
      expectApiError(await forwarded.from('127.0.0.1').get(at('unknown')), 'NOT_FOUND');
      const client = own.as(session).with({ 'x-forwarded-for': '203.0.113.9' }).from('127.0.0.7');
      await client.get(at('notes-user')).expect(200);
      expectApiError(await own.as(session).from('127.0.0.7').get(at('notes-user')), 'FORBIDDEN');
      await ban(own, '203.0.113.9', null);
      expectApiError(await client.get(at('notes-user')), 'GLOBAL_IP_BANNED', { ip_address: '203.0.113.9' });
      await liftBan(own, '203.0.113.9');
      await client.get(at('notes-user')).expect(200);
      const guesser = own.anonymous.with({ 'x-forwarded-for': '9.9.9.9' }).from('127.0.0.7');
      for (let guess = 0; guess < 20; guess++)
        await guesser.get(at('notes-user'), { headers: { authorization: `flx_${guess}` } }).expect(401);
      await own.idle();
      expectApiError(await guesser.get(at('notes-anyone')), 'GLOBAL_IP_TEMPORARILY_BANNED', { ip_address: '9.9.9.9' });
      await client.get(at('notes-user')).expect(200);
      const active = await own.sql('SELECT last_active_ip FROM account WHERE last_active_ip IS NOT NULL');
      expect(active.map((row) => row.last_active_ip).filter((ip) => ip.startsWith('127.'))).toEqual([]);
    } finally {
      await own.close();
    }
  });
});

describe('forward-auth.md 1: the limits of a policy', () => {
  let limited: Gatehouse;
  beforeAll(async () => {
    limited = await gatehouse({ ...extension, env: { SERVICE_POLICIES_FILE: file, RATE_LIMITS: 'on' } });
  });
  afterAll(() => limited.close());

  test('32 requests at once get exactly as many admissions as the bucket allows', async () => {
    const alice = await createCredentialSet(limited);
    const { statuses, codes, of } = await race(32, () => limited.as(alice.session).get(at('notes-limited')));
    expect([statuses, codes]).toEqual([{ 200: 5, 429: 27 }, { RATE_LIMITED: 27 }]);
    const [rejected] = of(429);
    expect(rejected?.body).toEqual({ ...rejected?.body, global: false, retry_after: expect.any(Number) });
    expect(rejected?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(rejected?.headers.get('x-ratelimit-limit')).toBe('5');
    await limited.as(alice.bot).get(at('notes-limited')).expect(200);
    await limited.as(alice.session).get(at('notes-both')).expect(200);
    const other = await createCredentialSet(limited);
    await limited.as(other.session).get(at('notes-limited')).expect(200);
  });

  test('a bucket has 600 requests per 10 seconds by default, and the global limit does not apply', async () => {
    const { session } = await createCredentialSet(limited);
    const { statuses, responses } = await race(120, () => limited.as(session).get(at('notes-user')));
    expect(statuses).toEqual({ 200: 120 });
    expect(responses[0]?.headers.get('x-ratelimit-limit')).toBe('600');
    await limited.as(session).get('/v1/users/@me').expect(200);
    const anonymous = await race(120, () =>
      limited.anonymous.with({ 'x-request-id': randomUUID() }).get(at('notes-user')),
    );
    expect(anonymous.statuses).toEqual({ 401: 120 });
  });

  test('RATE_LIMIT_OVERRIDES changes the bucket', async () => {
    const env = { RATE_LIMIT_OVERRIDES: '{"service_policy:notes-user":"1/60"}', RATE_LIMITS: 'on' };
    const own = await gatehouse({ ...extension, env: { ...env, SERVICE_POLICIES_FILE: file } });
    try {
      const { session } = await createCredentialSet(own);
      await own.as(session).get(at('notes-user')).expect(200);
      expectApiError(await own.as(session).get(at('notes-user')), 'RATE_LIMITED', { global: false });
    } finally {
      await own.close();
    }
  });
});
