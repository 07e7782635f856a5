import type { ServerResponse } from 'node:http';
import { Database } from '../../src/platform/database/database.js';
import { Network } from '../../src/platform/outbound/network.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { freePort } from '../machine/ports.js';
import { administrator, adminKey, auditOf, withoutAudit } from '../support/admin.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  newTokens,
  type Persona,
  person,
  refresh,
  signIn,
  verifyEmail,
  withTotp,
} from '../support/index.js';
import {
  configureSso,
  gatehouseWithSso,
  json,
  patchSso,
  ScriptedProvider,
  signInBySso,
  startSso,
} from '../support/sso.js';

const REDIRECT_URI = 'http://localhost:8080/auth/sso/callback';
const DEFAULTS = {
  enabled: false,
  enforced: false,
  display_name: null,
  issuer: null,
  authorization_url: null,
  token_url: null,
  userinfo_url: null,
  jwks_url: null,
  client_id: null,
  client_secret_set: false,
  scope: 'openid email profile',
  allowed_domains: [],
  auto_provision: false,
  redirect_uri: REDIRECT_URI,
};
/** A configuration with all endpoints set, so that the service sends no discovery request. */
const described = (origin: string) => ({
  issuer: origin,
  authorization_url: `${origin}/authorize`,
  token_url: `${origin}/token`,
  jwks_url: `${origin}/keys`,
});
const storedSso = async (service: Gatehouse) =>
  (await service.sql("SELECT value FROM instance WHERE name = 'sso'"))[0]?.value;

describe('sso.md section 1: the stored configuration', () => {
  let service: Gatehouse;
  let admin: Persona;
  beforeAll(async () => {
    service = await gatehouse({ env: { SSO_ALLOW_PRIVATE_ADDRESSES: 'true' } });
    admin = await administrator(service, '*');
  });
  afterAll(() => service.close());

  const show = async () => (await service.as(admin).get('/v1/admin/instance/config')).body.sso;
  const patch = (sso: unknown) => service.as(admin).patch('/v1/admin/instance/config', { sso });
  const patched = async (sso: unknown) => {
    const { status, body } = await patch(sso);
    expect({ status, body }).toEqual({ status: 200, body: expect.anything() });
    return body.sso;
  };

  test('defaults, and exactly these members', async () => {
    expect(await show()).toEqual(DEFAULTS);
  });

  test('an absent member is unchanged, null clears, lists replace; read-only members are ignored', async () => {
    const set = {
      ...described('https://idp.example.com/realm'),
      ...{ display_name: 'Corp', userinfo_url: 'https://idp.example.com/me', client_id: 'gate', auto_provision: true },
    };
    const sent = { ...set, client_secret_set: false, redirect_uri: 'https://evil.example' };
    expect(await patched({ ...sent, client_secret: 'a client secret' })).toEqual({
      ...DEFAULTS,
      ...set,
      client_secret_set: true,
    });
    expect(await patched({ allowed_domains: ['B.example', 'a.example', 'b.EXAMPLE', 'BÜCHER.example'] })).toEqual(
      expect.objectContaining({ ...set, allowed_domains: ['b.example', 'a.example', 'xn--bcher-kva.example'] }),
    );
    expect((await patched({ allowed_domains: ['c.example'] })).allowed_domains).toEqual(['c.example']);
    expect((await patched({})).client_secret_set).toBe(true);
    const nothing = Object.fromEntries(
      Object.entries(DEFAULTS)
        .filter(([, value]) => value === null)
        .map(([name]) => [name, null]),
    );
    expect(
      await patched({ ...nothing, client_secret: null, scope: null, allowed_domains: [], auto_provision: false }),
    ).toEqual(DEFAULTS);
  });

  test('openid is added to the scope', async () => {
    expect((await patched({ scope: 'email' })).scope).toBe('openid email');
    expect((await patched({ scope: 'email openid groups' })).scope).toBe('email openid groups');
    await patched({ scope: null });
  });

  test('the client secret is encrypted at rest, never returned, never audited; the audit lists only member names', async () => {
    const secret = 'a secret that nobody may see';
    const { text } = await patch({ client_secret: secret, display_name: 'Shown' });
    expect(text).not.toContain(secret);
    const stored = await storedSso(service);
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(Buffer.from(stored.clientSecret, 'base64').toString('latin1')).not.toContain(secret);
    const entries = await auditOf(service, 'update_instance_config');
    expect(entries.at(-1)?.metadata).toEqual({ changed: 'sso.client_secret,sso.display_name' });
    expect(JSON.stringify(entries)).not.toContain('Shown');
    await patched({ client_secret: null, display_name: null });
  });

  const REFUSED: [member: string, value: unknown, code: string][] = [
    ['enabled', 'yes', 'INVALID_FORMAT'],
    ['enabled', null, 'INVALID_FORMAT'],
    ['enforced', 1, 'INVALID_FORMAT'],
    ['display_name', '', 'INVALID_FORMAT'],
    ['display_name', 'x'.repeat(65), 'CONTENT_EXCEEDS_MAX_LENGTH'],
    ['issuer', '', 'INVALID_FORMAT'],
    ['issuer', 5, 'INVALID_FORMAT'],
    ['issuer', 'idp.example.com', 'INVALID_URL_FORMAT'],
    ['issuer', 'http://idp.example.com', 'INVALID_URL_FORMAT'],
    ['issuer', 'https://', 'INVALID_URL_FORMAT'],
    ['issuer', 'https://user@idp.example.com', 'INVALID_URL_FORMAT'],
    ['issuer', 'https://@idp.example.com', 'INVALID_URL_FORMAT'],
    ['issuer', 'https://user:password@idp.example.com', 'INVALID_URL_FORMAT'],
    ['issuer', 'https://idp.example.com/#', 'INVALID_URL_FORMAT'],
    ['issuer', 'https://idp.example.com#x', 'INVALID_URL_FORMAT'],
    ['issuer', 'https:\\\\idp.example.com', 'INVALID_URL_FORMAT'],
    ['issuer', 'https://idp.example.com ', 'INVALID_URL_FORMAT'],
    ['issuer', 'https://idp\t.example.com', 'INVALID_URL_FORMAT'],
    ['issuer', `https://idp.example.com/${'x'.repeat(2048)}`, 'CONTENT_EXCEEDS_MAX_LENGTH'],
    ['authorization_url', 'javascript:alert(1)', 'INVALID_URL_FORMAT'],
    ['token_url', 'file:///etc/passwd', 'INVALID_URL_FORMAT'],
    ['userinfo_url', 'ftp://idp.example.com', 'INVALID_URL_FORMAT'],
    ['jwks_url', 'data:application/json,{}', 'INVALID_URL_FORMAT'],
    ['client_id', '', 'INVALID_FORMAT'],
    ['client_id', 'x'.repeat(257), 'CONTENT_EXCEEDS_MAX_LENGTH'],
    ['client_secret', '', 'INVALID_FORMAT'],
    ['client_secret', 'x'.repeat(1025), 'CONTENT_EXCEEDS_MAX_LENGTH'],
    ['scope', '', 'INVALID_FORMAT'],
    ['scope', 'a  b', 'INVALID_FORMAT'],
    ['scope', 'x'.repeat(257), 'CONTENT_EXCEEDS_MAX_LENGTH'],
    ['allowed_domains', null, 'INVALID_FORMAT'],
    ['allowed_domains', 'corp.example', 'INVALID_FORMAT'],
    ['allowed_domains', Array(101).fill('corp.example'), 'INVALID_FORMAT'],
    ['auto_provision', 'true', 'INVALID_FORMAT'],
  ];
  const named = REFUSED.map(
    ([member, value, code]) => [member, JSON.stringify(value).slice(0, 60), code, value] as const,
  );
  test.each(named)('%s: %s is rejected with %s', async (member, _text, code, value) => {
    const before = await show();
    await withoutAudit(service, async () => {
      expectInvalid(await patch({ display_name: 'not stored', [member]: value }), `sso.${member}: ${code}`);
    });
    expect(await show()).toEqual(before);
  });

  test('invalid domains are reported by index', async () => {
    const domains = ['corp.example', 'no domain', '', '@corp.example', '127.0.0.1', 'corp', 'corp.example.', 5];
    expectInvalid(
      await patch({ allowed_domains: domains }),
      ...[1, 2, 3, 4, 5, 6, 7].map((place) => `sso.allowed_domains.${place}: INVALID_FORMAT`),
    );
    expectInvalid(await patch([]), 'sso: INVALID_FORMAT');
    expectInvalid(await patch(null), 'sso: INVALID_FORMAT');
  });

  test('enforced without enabled, or with an incomplete configuration, is misconfigured', async () => {
    for (const sso of [
      { enforced: true },
      { enforced: true, enabled: true },
      { enforced: true, enabled: true, client_id: 'x' },
      { enforced: true, enabled: true, ...described('https://idp.example.com') },
      { enforced: true, enabled: false, client_id: 'x', ...described('https://idp.example.com') },
    ]) {
      expectInvalid(await patch(sso), 'sso: SSO_MISCONFIGURED');
    }
    expect(await show()).toEqual(DEFAULTS);
  });

  test('a change that would break an enforced configuration is rejected; switching both off is not', async () => {
    await patched({ enabled: true, enforced: true, client_id: 'x', ...described('https://idp.example.com') });
    for (const sso of [{ enabled: false }, { client_id: null }, { issuer: null }]) {
      expectInvalid(await patch(sso), 'sso: SSO_MISCONFIGURED');
    }
    expect((await patched({ enabled: false, enforced: false })).enforced).toBe(false);
  });

  test('sections are stored together or not at all', async () => {
    const response = await service.as(admin).patch('/v1/admin/instance/config', {
      registration: { mode: 'closed' },
      sso: { issuer: 'http://idp.example.com' },
    });
    expectInvalid(response, 'sso.issuer: INVALID_URL_FORMAT');
    const { body } = await service.as(admin).get('/v1/admin/instance/config');
    expect(body.registration.mode).toBe('open');
  });

  test('parallel changes are all kept', async () => {
    const names = Array.from({ length: 16 }, (_, index) => `name ${index}`);
    const responses = await Promise.all(names.map((display_name) => patch({ display_name })));
    const stored = responses.filter(({ status }) => status === 200);
    expect(stored.length).toBeGreaterThanOrEqual(1);
    for (const response of responses) if (response.status !== 200) expectApiError(response, 'CONFLICT');
    expect(names).toContain((await show()).display_name);
    const entries = await auditOf(service, 'update_instance_config');
    const changes = entries.filter(({ metadata }) => metadata.changed === 'sso.display_name');
    expect(changes).toHaveLength(stored.length);
  });

  test('only administrators with the ACLs can read and change it', async () => {
    const viewer = await administrator(service, 'instance:config:view');
    expectApiError(await service.as(viewer).patch('/v1/admin/instance/config', { sso: {} }), 'MISSING_ACL');
    expectApiError(await service.as(viewer).post('/v1/admin/instance/sso/test'), 'MISSING_ACL');
    expectApiError(await service.anonymous.post('/v1/admin/instance/sso/test'), 'UNAUTHORIZED');
  });
});

/** Resolves names to the IP addresses that a test sets. Connections to any of them reach the provider. */
class FakeNetwork extends Network {
  addresses: Record<string, readonly string[]> = { 'idp.example.com': ['93.184.216.34'] };
  readonly ways: string[] = [];
  port = 0;

  override async resolve(name: string): Promise<readonly string[]> {
    const found = this.addresses[name];
    if (!found) throw new Error('ENOTFOUND');
    return found;
  }

  override endpointFor(address: string) {
    this.ways.push(address);
    return { address: '127.0.0.1', port: this.port };
  }
}

describe('sso.md section 1: endpoints have public IP addresses', () => {
  const network = new FakeNetwork();
  let provider: ScriptedProvider;
  let service: Gatehouse;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    network.port = provider.listeningPort;
    const NODE_EXTRA_CA_CERTS = provider.certificate.path;
    service = await gatehouse({ network, env: { NODE_EXTRA_CA_CERTS } });
  });
  beforeEach(() => {
    network.addresses = { 'idp.example.com': ['93.184.216.34'] };
    network.ways.length = 0;
    provider.calls.length = 0;
  });
  afterAll(async () => {
    await service.close();
    await provider.stop();
  });

  test('a host with any private address, or with none, is rejected, enabled or not', async () => {
    const inner = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00:ec2::254', '64:ff9b::7f00:1', '100.64.0.1'];
    for (const address of inner) {
      network.addresses['inner.example.com'] = ['93.184.216.34', address];
      for (const member of ['issuer', 'authorization_url', 'token_url', 'userinfo_url', 'jwks_url']) {
        expectInvalid(
          await patchSso(service, { [member]: 'https://inner.example.com/x' }),
          `sso.${member}: URL_NOT_PUBLICLY_ROUTABLE`,
        );
      }
    }
    const literals = ['https://127.0.0.1', 'https://[::1]', 'https://2130706433', 'https://[::ffff:7f00:1]:8443'];
    for (const issuer of [...literals, 'https://nowhere.example.com', 'https://localhost']) {
      expectInvalid(await patchSso(service, { issuer }), 'sso.issuer: URL_NOT_PUBLICLY_ROUTABLE');
    }
    expect(network.ways).toEqual([]);
    expect(provider.calls).toEqual([]);
  });

  test('the merged result is checked: a stored host that became private rejects any change', async () => {
    await configureSso(service, { issuer: 'https://idp.example.com' });
    network.addresses['idp.example.com'] = ['10.0.0.1'];
    expectInvalid(await patchSso(service, { display_name: 'x' }), 'sso.issuer: URL_NOT_PUBLICLY_ROUTABLE');
    await configureSso(service, { issuer: null });
  });

  test('IP addresses are checked again when connecting, and a redirect is not followed', async () => {
    const issuer = 'https://idp.example.com';
    provider.description = {
      ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
      ...{ jwks_uri: `${issuer}/keys`, userinfo_endpoint: 'https://169.254.169.254/latest' },
    };
    await configureSso(service, { enabled: true, issuer, client_id: provider.clientId });
    expect(network.ways).toEqual(['93.184.216.34']);
    network.ways.length = 0;
    network.addresses['idp.example.com'] = ['93.184.216.34', '127.0.0.1'];
    const { body } = await service.anonymous.post('/v1/auth/sso/start');
    const response = await service.anonymous.post('/v1/auth/sso/complete', { code: 'x', state: body.state });
    expectApiError(response, 'BAD_GATEWAY');
    expect(network.ways).toEqual([]);
    network.addresses['idp.example.com'] = ['93.184.216.34'];
    provider.calls.length = 0;
    provider.overrides.token = (_req, res) => void res.writeHead(307, { location: 'https://127.0.0.1/' }).end();
    const { body: again } = await service.anonymous.post('/v1/auth/sso/start');
    expectApiError(
      await service.anonymous.post('/v1/auth/sso/complete', { code: 'x', state: again.state }),
      'BAD_GATEWAY',
    );
    delete provider.overrides.token;
    expect(provider.calls).toHaveLength(1);
  });

  test('the test reports an endpoint that is not allowed', async () => {
    const admin = await administrator(service, '*');
    const { body } = await service.as(admin).post('/v1/admin/instance/sso/test');
    expect(body.checks[1]).toEqual({
      name: 'endpoints',
      ok: false,
      detail: 'the userinfo endpoint has no address that may be asked',
    });
  });
});

describe('sso.md: discovery, status, enforcement', () => {
  let provider: ScriptedProvider;
  let service: Gatehouse;
  let admin: Persona;
  beforeAll(async () => {
    provider = await ScriptedProvider.start(await freePort());
    service = await gatehouseWithSso(provider);
    admin = await administrator(service, '*');
  });
  afterEach(async () => {
    provider.reset();
    await configureSso(service, {
      ...{ enabled: true, enforced: false, issuer: provider.issuer, client_id: provider.clientId, display_name: null },
      ...{ authorization_url: null, token_url: null, userinfo_url: null, jwks_url: null },
    });
  });
  afterAll(async () => {
    await service.close();
    await provider.stop();
  });

  const status = async () => (await service.anonymous.get('/v1/auth/sso/status')).body;
  const start = () => service.anonymous.post('/v1/auth/sso/start');
  const complete = (body: object) => service.anonymous.post('/v1/auth/sso/complete', body);
  const tryOut = async () => (await service.as(admin).post('/v1/admin/instance/sso/test')).body;

  test('2.1 status, which is also a member of the discovery document', async () => {
    await configureSso(service, { display_name: 'Corp', enforced: true });
    const expected = { enabled: true, enforced: true, display_name: 'Corp', redirect_uri: REDIRECT_URI };
    expect(await status()).toEqual(expected);
    expect((await service.anonymous.get('/.well-known/service')).body.sso).toEqual(expected);
    await configureSso(service, { enabled: false, enforced: false, display_name: null });
    expect(await status()).toEqual({ ...expected, enabled: false, enforced: false, display_name: null });
  });

  test('enabled but incomplete counts as disabled', async () => {
    await configureSso(service, { client_id: null });
    expect((await status()).enabled).toBe(false);
    expectApiError(await start(), 'FEATURE_TEMPORARILY_DISABLED');
    expectApiError(await complete({ code: 'x', state: 'x' }), 'FEATURE_TEMPORARILY_DISABLED');
  });

  test('disabled: rejected before the state is consumed', async () => {
    const { state } = await startSso(service);
    await service.sql(`UPDATE instance SET value = value || '{"enabled": false}' WHERE name = 'sso'`);
    const replica = service.app.get(ReplicaBus);
    await service.app.get(Database).transaction((tx) => replica.announce(tx, { topic: 'instance', data: {} }));
    const pending = () => service.sql("SELECT 1 FROM one_time_secret WHERE purpose = 'sso-state'");
    const before = await pending();
    expectApiError(await start(), 'FEATURE_TEMPORARILY_DISABLED');
    expectApiError(await complete({ code: 'x', state }), 'FEATURE_TEMPORARILY_DISABLED');
    expect(await pending()).toEqual(before);
  });

  test('6: if the provider does not respond, the change that enables it is rejected with 502, and nothing is stored', async () => {
    await configureSso(service, { enabled: false });
    const before = await storedSso(service);
    for (const fail of [
      (res: ServerResponse) => void res.socket?.destroy(),
      (res: ServerResponse) => json(res, 503, {}),
      (res: ServerResponse) => void res.end('<html>'),
    ]) {
      provider.overrides.description = (_req, res) => fail(res);
      await withoutAudit(service, async () => {
        const response = await patchSso(service, { enabled: true });
        expectApiError(response, 'BAD_GATEWAY');
        expect(response.headers.get('retry-after')).toBe('5');
      });
    }
    expect(await storedSso(service)).toEqual(before);
    delete provider.overrides.description;
    for (const issuer of ['https://evil.example', `${provider.issuer}/`]) {
      provider.description = { issuer };
      expectInvalid(await patchSso(service, { enabled: true }), 'sso: SSO_MISCONFIGURED');
    }
    expect(await storedSso(service)).toEqual(before);
  });

  test('other changes do not need the provider; the configuration stays complete', async () => {
    await provider.stop();
    await configureSso(service, { display_name: 'still here', enforced: true });
    expect(await status()).toEqual(expect.objectContaining({ enabled: true, enforced: true }));
    await configureSso(service, { enforced: false });
    expectApiError(await patchSso(service, { issuer: 'https://localhost:9' }), 'BAD_GATEWAY');
    await provider.listen();
  });

  test('configured endpoints override the discovered ones; if all are configured, nothing is discovered', async () => {
    await configureSso(service, { enabled: false });
    provider.overrides.description = (_req, res) => json(res, 503, {});
    await configureSso(service, {
      ...{ enabled: true, ...described(provider.issuer), authorization_url: `${provider.issuer}/other?tenant=1` },
    });
    const { status: code, body } = await start();
    expect(code).toBe(200);
    const url = new URL(body.authorization_url);
    expect([url.pathname, url.searchParams.get('tenant')]).toEqual(['/other', '1']);
    await configureSso(service, { authorization_url: `${provider.issuer}/authorize` });
    expect((await signInBySso(service, provider)).status).toBe(200);
  });

  test('4: disabling, or another issuer or client ID, revokes pending states; other settings do not', async () => {
    const pending = async () => {
      const { authorization_url: url, state } = await startSso(service);
      return { code: provider.visit(url), state };
    };
    const kept = await pending();
    await configureSso(service, { display_name: 'new', allowed_domains: [], scope: 'openid email', enforced: true });
    await configureSso(service, { enforced: false, scope: null });
    expect((await complete(kept)).status).toBe(200);
    const changes = [
      { there: { enabled: false }, back: { enabled: true } },
      { there: { client_id: 'another' }, back: { client_id: provider.clientId } },
      {
        there: described('https://former.example.com'),
        back: { issuer: provider.issuer, authorization_url: null, token_url: null, jwks_url: null },
      },
    ];
    for (const { there, back } of changes) {
      const voided = await pending();
      await configureSso(service, there);
      await configureSso(service, back);
      expectInvalid(await complete(voided), 'state: INVALID_OR_EXPIRED_SSO_STATE');
    }
  });

  test('4: links belong to their issuer and work again if it returns', async () => {
    const { body: first } = await signInBySso(service, provider, { sub: 'reviving' });
    await configureSso(service, described('https://former.example.com'));
    expect((await service.as(first.token).get('/v1/users/@me')).status).toBe(200);
    await configureSso(service, { issuer: provider.issuer, authorization_url: null, token_url: null, jwks_url: null });
    const claims = { sub: 'reviving', email: 'reviving@new.example.com' };
    expect((await signInBySso(service, provider, claims)).body.user_id).toBe(first.user_id);
  });

  describe('enforcement', () => {
    test('every issued credential stays valid, and password and MFA of a signed-in account can be changed', async () => {
      const alice = await person(service, 'alice');
      await verifyEmail(service, alice);
      const app = await newApp(service, alice);
      const tokens = await newTokens(service, alice, app);
      const key = await adminKey(service, admin, 'instance:config:view');
      const second = await signIn(service, alice);
      await configureSso(service, { enforced: true });
      for (const credential of [alice.authorization, second, app.bot, `Bearer ${tokens.access_token}`]) {
        expect((await service.as(credential).get('/v1/users/@me')).status).toBe(200);
      }
      expect((await service.as(key).get('/v1/admin/instance/config')).status).toBe(200);
      expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200);
      expect((await service.as(alice).get('/v1/auth/sessions')).body).toHaveLength(2);
      const fresh = 'an entirely new password';
      const change = { password: alice.password, new_password: fresh };
      const changed = await service.as(alice).patch('/v1/users/@me', change);
      expect(changed.status).toBe(200);
      const renamed = { ...alice, password: fresh, authorization: changed.body.token };
      expect((await withTotp(service, renamed)).backupCodes).toHaveLength(10);
      expect((await service.as(renamed).post('/v1/auth/logout')).status).toBe(204);
    });

    test('other ways to sign in are rejected before any check of the input', async () => {
      const alice = await person(service, 'alice');
      await configureSso(service, { enforced: true });
      for (const body of [alice, { ...alice, password: 'wrong password' }, {}, '{']) {
        expectApiError(await service.anonymous.post('/v1/auth/login', body), 'SSO_REQUIRED');
        expectApiError(await service.as(alice).post('/v1/auth/register', body), 'SSO_REQUIRED');
        expectApiError(await service.anonymous.post('/v1/auth/forgot', body), 'SSO_REQUIRED');
      }
      expect((await signInBySso(service, provider)).status).toBe(200);
    });

    test('a login ticket cannot be redeemed while it is enforced, and works again afterwards', async () => {
      const alice = await person(service, 'alice');
      const { authenticator } = await withTotp(service, alice);
      const { body } = await service.anonymous.post('/v1/auth/login', alice);
      const redeem = () =>
        service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: body.ticket, code: authenticator.next() });
      await configureSso(service, { enforced: true });
      expectApiError(await redeem(), 'SSO_REQUIRED');
      await configureSso(service, { enforced: false });
      expect((await redeem()).status).toBe(200);
    });
  });

  describe('6: test before enforcing', () => {
    test('a valid configuration', async () => {
      expect(await tryOut()).toEqual({
        ok: true,
        issuer: provider.issuer,
        checks: [
          { name: 'discovery', ok: true, detail: expect.any(String) },
          { name: 'endpoints', ok: true, detail: expect.any(String) },
          { name: 'jwks', ok: true, detail: '1 usable' },
          { name: 'algorithms', ok: true, detail: 'RS256, ES256, EdDSA' },
        ],
      });
      const [entry] = (await auditOf(service, 'test_sso')).slice(-1);
      expect(entry).toEqual(expect.objectContaining({ target_type: 'instance', metadata: { ok: 'true', failed: '' } }));
    });

    const failing = async () => {
      const { ok, checks } = await tryOut();
      expect(ok).toBe(false);
      return checks.filter((check: { ok: boolean }) => !check.ok).map(({ name }: { name: string }) => name);
    };

    test('each failure is named, without text of the provider', async () => {
      provider.overrides.description = (_req, res) => json(res, 500, { error: 'words of the provider' });
      expect(await failing()).toEqual(['discovery', 'endpoints', 'jwks']);
      expect(JSON.stringify(await tryOut())).not.toContain('words of the provider');
      delete provider.overrides.description;
      provider.description = { issuer: 'https://evil.example' };
      expect(await failing()).toContain('discovery');
      provider.description = { token_endpoint: undefined };
      expect(await failing()).toEqual(['endpoints']);
      provider.description = { token_endpoint: 'http://localhost/token' };
      expect(await failing()).toEqual(['endpoints']);
      provider.description = { id_token_signing_alg_values_supported: ['HS256', 'none'] };
      expect(await failing()).toEqual(['algorithms']);
      provider.description = {};
      provider.overrides.keys = (_req, res) => json(res, 200, { keys: [{ kty: 'oct', k: 'AAAA' }] });
      expect(await failing()).toEqual(['jwks']);
      provider.overrides.keys = (_req, res) => json(res, 404, {});
      expect(await failing()).toEqual(['jwks']);
      await configureSso(service, { client_id: null });
      expect(await failing()).toEqual(['endpoints', 'jwks']);
    });

    test('it never shows the client secret', async () => {
      expect(JSON.stringify(await tryOut())).not.toContain(provider.clientSecret);
    });
  });
});
