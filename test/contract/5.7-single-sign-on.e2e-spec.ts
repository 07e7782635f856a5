import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { administrator, adminKey } from '../support/admin.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  createCredentialSet,
  enforceSso,
  expectApiError,
  type Gatehouse,
  gatehouse,
  inboxOf,
  isTokenActive,
  mailTo,
  newApp,
  newTokens,
  newWebhook,
  type Persona,
  passkeySudo,
  person,
  refresh,
  sudoProof,
  verifyEmail,
  waitForDelivery,
  withPasskey,
  withTotp,
} from '../support/index.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());
afterEach(() => enforceSso(service, false));

/** The operations of sso.md section 4, each with a body that it would otherwise process. */
const BLOCKED = (who: Persona, link: string): [method: 'GET' | 'POST', path: string, body: object][] => [
  ['POST', '/v1/auth/register', { email: 'new@example.com', password: 'a long enough password', username: 'fresh' }],
  ['POST', '/v1/auth/login', { email: who.email, password: who.password }],
  ['POST', '/v1/auth/login/mfa/totp', { ticket: link, code: '123456' }],
  ['POST', '/v1/auth/login/mfa/webauthn/authentication-options', { ticket: link }],
  ['POST', '/v1/auth/login/mfa/webauthn', { ticket: link, challenge: 'x', response: {} }],
  ['POST', '/v1/auth/webauthn/authentication-options', {}],
  ['POST', '/v1/auth/webauthn/authenticate', { challenge: 'x', response: {} }],
  ['POST', '/v1/auth/passkey-bridge', {}],
  ['POST', `/v1/auth/passkey-bridge/${link}/redeem`, {}],
  ['POST', '/v1/auth/verify', { token: link }],
  ['POST', '/v1/auth/verify/resend', {}],
  ['POST', '/v1/auth/forgot', { email: who.email }],
  ['GET', `/v1/auth/reset/${link}`, {}],
  ['POST', '/v1/auth/reset', { token: link, password: 'another long password' }],
  ['POST', '/v1/auth/email-revert', { token: link, password: 'another long password' }],
  ['POST', '/v1/auth/authorize-ip', { token: link }],
  ['POST', '/v1/auth/ip-authorization/resend', { ticket: link }],
  ['GET', `/v1/auth/ip-authorization/poll?ticket=${link}`, {}],
  ['POST', '/v1/auth/username-suggestions', { global_name: 'Fresh' }],
];

const ROUTES = readFileSync(join(import.meta.dirname, '../routes.snapshot.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('WS '))
  .map((line) => {
    const [method = '', path = ''] = line.split(' ');
    return { method, path: path.replace(/[:*]\w+/g, '1'), isBlocked: line.includes('@BlockedBySso()') };
  });

describe('5.7.1 operations that enforcement blocks', () => {
  test('SSOE-01 every listed operation is blocked for every caller and body: no lookup, no email, nothing consumed', async () => {
    const alice = await person(service, 'alice');
    const { metadata } = await mailTo(service, alice.email, 'email_verification');
    const credentials = await createCredentialSet(service);
    await enforceSso(service, true);
    const state = async () => {
      await waitForDelivery(service);
      const [row] = await service.sql(`SELECT (SELECT count(*) FROM account)::int AS accounts,
        (SELECT count(*) FROM session)::int AS sessions, (SELECT count(*) FROM one_time_secret)::int AS secrets`);
      return { ...row, mails: (await inboxOf(service, alice.email)).length };
    };
    const before = await state();
    const callers = [undefined, alice.authorization, credentials.bot, credentials.bearer, 'flx_nobody', 'Nonsense  1'];
    for (const [method, path, body] of BLOCKED(alice, metadata.token ?? '')) {
      for (const caller of callers) {
        const client = caller === undefined ? service.anonymous : service.as(caller);
        for (const sent of method === 'GET' ? [undefined] : [body, {}, { token: 5 }, '{', '[]']) {
          const response = await client.send(method, path, sent);
          expectApiError(response, 'SSO_REQUIRED');
          expect(response.body).toEqual({ code: 'SSO_REQUIRED', message: expect.any(String) });
        }
      }
    }
    expect(await state()).toEqual(before);
  });

  test('the list equals that of the routes', async () => {
    const listed = BLOCKED(await person(service), '1').map(([method, path]) => `${method} ${path.split('?')[0]}`);
    const blocked = ROUTES.filter(({ isBlocked }) => isBlocked).map(({ method, path }) => `${method} ${path}`);
    expect(listed.sort()).toEqual(blocked.sort());
  });

  test('no other operation is blocked, for any caller', async () => {
    const credentials = await createCredentialSet(service, { acls: ['*'], scopes: ['identify'] });
    await enforceSso(service, true);
    for (const { method, path, isBlocked } of ROUTES) {
      if (isBlocked || path.startsWith('/dev/')) continue;
      for (const client of [service.anonymous, service.as(credentials.bot), service.as(credentials.bearer)]) {
        const { body } = await client.send(method, path);
        expect({ method, path, code: body?.code }).not.toEqual({ method, path, code: 'SSO_REQUIRED' });
      }
    }
  });

  test('enforcement comes before the rate limits: a blocked operation charges none and shows none', async () => {
    const limited = await gatehouse({ env: { RATE_LIMITS: 'on' } });
    await enforceSso(limited, true);
    for (let n = 0; n < 15; n++) {
      const response = await limited.anonymous.post('/v1/auth/login', {});
      expectApiError(response, 'SSO_REQUIRED');
      expect(response.headers.has('x-ratelimit-limit')).toBe(false);
    }
    await enforceSso(limited, false);
    const response = await limited.anonymous.post('/v1/auth/login', {});
    expectApiError(response, 'INVALID_FORM_BODY');
    expect(response.headers.get('x-ratelimit-remaining')).toBe('9');
    await limited.close();
  });

  test('SSOE-06 links emailed earlier work again after enforcement ends', async () => {
    const alice = await person(service, 'alice');
    const { metadata: verification } = await mailTo(service, alice.email, 'email_verification');
    await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
    const { metadata: recovery } = await mailTo(service, alice.email, 'password_reset');
    const redeem = [
      () => service.anonymous.post('/v1/auth/verify', { token: verification.token }),
      () => service.anonymous.get(`/v1/auth/reset/${recovery.token}`),
      () => service.anonymous.post('/v1/auth/reset', { token: recovery.token, password: 'an entirely new password' }),
    ];
    await enforceSso(service, true);
    for (const attempt of redeem) expectApiError(await attempt(), 'SSO_REQUIRED');
    await enforceSso(service, false);
    for (const attempt of redeem) expect((await attempt()).status).toBeLessThan(300);
  });
});

describe('section 3: enforcement leaves every issued credential valid', () => {
  let alice: Persona;
  let admin: Persona;
  beforeAll(async () => {
    alice = await person(service, 'alice');
    admin = await administrator(service, '*');
  });

  test('a session, bare and after Bearer', async () => {
    await enforceSso(service, true);
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
    expect((await service.as(`Bearer ${alice.authorization}`).get('/v1/users/@me')).status).toBe(200);
  });

  test('a bot token', async () => {
    const app = await newApp(service, alice);
    await enforceSso(service, true);
    expect((await service.as(app.bot).get('/v1/applications/@me')).status).toBe(200);
  });

  test('access and refresh tokens, and the operations that issue new ones', async () => {
    const app = await newApp(service, alice);
    const tokens = await newTokens(service, alice, app);
    await enforceSso(service, true);
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
    expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200);
    expect((await newTokens(service, alice, app)).scope).toBe('identify');
  });

  test('an Admin key, a bearer of the Admin application, and the session of an administrator', async () => {
    const key = await adminKey(service, admin, '*');
    const { adminBearer } = await createCredentialSet(service, { acls: ['*'] });
    await enforceSso(service, true);
    for (const credential of [key, adminBearer, admin]) {
      expect((await service.as(credential).get('/v1/admin/users/@me')).status).toBe(200);
    }
  });

  test('a sudo proof', async () => {
    const owner = await person(service, 'owner');
    const app = await newApp(service, owner);
    const { authenticator } = await withTotp(service, owner);
    const proof = await sudoProof(service, owner, authenticator);
    await enforceSso(service, true);
    expect((await service.as(owner).sudo(proof).delete(`/v1/oauth2/applications/${app.id}`)).status).toBe(204);
  });

  test('open sockets, and Identify with either kind of token', async () => {
    const app = await newApp(service, alice);
    const tokens = [alice.authorization, app.bot.slice(4)];
    const open = await Promise.all(tokens.map((token) => GatewayClient.identify(service, token)));
    await enforceSso(service, true);
    for (const { client } of open) await client.sendHeartbeat();
    for (const token of tokens) {
      const { client } = await GatewayClient.identify(service, token);
      await client.terminate();
    }
    for (const { client } of open) await client.terminate();
  });

  test('the secrets in URLs', async () => {
    const hook = await newWebhook(service, alice);
    await enforceSso(service, true);
    expect((await service.anonymous.post(hook.path, { content: 'x' })).status).toBe(204);
  });
});

describe('5.7.3 enforcement gates neither password change nor multi-factor management', () => {
  test('for an account that is signed in', async () => {
    const alice = await person(service, 'alice');
    await verifyEmail(service, alice);
    await enforceSso(service, true);
    const me = service.as(alice);
    expect((await me.post('/v1/users/@me/password-change/start')).status).toBeLessThan(300);
    const { authenticator } = await withTotp(service, alice);
    const proof = { mfa_method: 'totp', mfa_code: authenticator.next() };
    const key = await withPasskey(service, alice, undefined, proof);
    const disabled = await me.post('/v1/users/@me/mfa/totp/disable', {
      ...{ code: authenticator.next() },
      ...(await passkeySudo(service, alice, key)),
    });
    expect({ status: disabled.status, body: disabled.body }).toEqual({ status: 204, body: undefined });
    const changed = await me.patch('/v1/users/@me', {
      ...{ password: alice.password, new_password: 'an entirely new password' },
      ...(await passkeySudo(service, alice, key)),
    });
    expect({ status: changed.status, body: changed.body }).toMatchObject({ status: 200 });
  });
});
