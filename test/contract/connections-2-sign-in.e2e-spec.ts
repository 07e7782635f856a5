import { randomBytes } from 'node:crypto';
import { CONNECTIONS, connect, newNonce, PUBLIC, signInWith, startVisit } from '../machine/connections.js';
import {
  configureSso,
  environmentOf,
  eraseAccount,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  mailTo,
  offerSso,
  type Persona,
  person,
  race,
  ScriptedProvider,
  setAcls,
  superuser,
  verifiedPerson,
  withTotp,
} from '../support/index.js';

let provider: ScriptedProvider;
let other: ScriptedProvider;
let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  other = await ScriptedProvider.start(0, provider.certificate);
  service = await gatehouse({ env: environmentOf(provider) });
  provider.seconds = () => service.clock.seconds();
  other.seconds = () => service.clock.seconds();
  root = await superuser(service);
  await connect(service, root, provider);
});
afterAll(async () => {
  await service.close();
  await provider.stop();
  await other.stop();
});
afterEach(async () => {
  provider.reset();
  await configure({
    ...{ enabled: true, allow_sign_up: true, link_by_email: false, require_second_factor: true, allowed_domains: [] },
    ...{ client_id: provider.clientId },
  });
});

const subject = () => randomBytes(8).toString('hex');
const configure = (members: Record<string, unknown>, id = 'corp') =>
  service.as(root).patch(`${CONNECTIONS}/${id}`, members).expect(200);
const me = async (token: string) => (await service.as(token).get('/v1/users/@me').expect(200)).body;
const stateOf = async () => ({
  accounts: await service.sql('SELECT id, email, traits FROM account ORDER BY id'),
  links: await service.sql('SELECT id, account_id FROM connection_identity ORDER BY id'),
  sessions: await service.sql('SELECT id FROM session WHERE revoked_at IS NULL ORDER BY id'),
});

/** Runs a request that must be rejected, and asserts that it changes no account, link or session. */
async function withoutEffect(refused: () => Promise<void>): Promise<void> {
  const before = await stateOf();
  await refused();
  expect(await stateOf()).toEqual(before);
}

const linksOf = ({ id }: { id: string }) =>
  service.sql('SELECT connection_id, issuer, subject FROM connection_identity WHERE account_id = $1', [id]);

describe('connections.md section 2: operations', () => {
  test('the enabled connections are public, also in the description of the service', async () => {
    const corp = { id: 'corp', kind: 'oidc', display_name: 'Corp', icon: 'oidc' };
    const listed = await service.anonymous.get(PUBLIC);
    expect([listed.status, listed.body]).toEqual([200, { connections: [corp] }]);
    expect((await service.anonymous.get('/.well-known/service')).body.connections).toEqual([corp]);
    await configure({ enabled: false });
    expect((await service.anonymous.get(PUBLIC)).body).toEqual({ connections: [] });
  });

  test('start returns the URL of the provider, with PKCE, nonce and the callback of the connection', async () => {
    const { url } = await startVisit(service, 'corp');
    const { origin, searchParams } = new URL(url);
    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ response_type: 'code', client_id: provider.clientId, scope: 'openid email profile' },
      redirect_uri: expect.stringMatching(/\/auth\/connections\/corp\/callback$/),
      ...{ state: expect.stringMatching(/^.{43}$/), nonce: expect.stringMatching(/^.{43}$/) },
      ...{ code_challenge: expect.stringMatching(/^.{43}$/), code_challenge_method: 'S256' },
    });
  });

  test('start with `prompt` makes the provider authenticate the user again, for a fresh sign-in', async () => {
    const { url } = await startVisit(service, 'corp', { prompt: 'login' });
    expect(new URL(url).searchParams.get('prompt')).toBe('login');
    const { nonce_hash } = newNonce();
    const wrong = await service.anonymous.post(`${PUBLIC}/corp/start`, { nonce_hash, prompt: 'none' });
    expectInvalid(wrong, 'prompt: INVALID_FORMAT');
  });

  test('nonce_hash is required at the start, and nonce at the completion, which keeps the state', async () => {
    expectInvalid(await service.anonymous.post(`${PUBLIC}/corp/start`, {}), 'nonce_hash: INVALID_FORMAT');
    const { url, state, nonce } = await startVisit(service, 'corp');
    const code = provider.visit(url);
    expectInvalid(await service.anonymous.post(`${PUBLIC}/corp/complete`, { code, state }), 'nonce: INVALID_FORMAT');
    await service.anonymous.post(`${PUBLIC}/corp/complete`, { code, state, nonce }).expect(200);
  });

  test('another callback than the one of the connection is rejected', async () => {
    const { nonce_hash } = newNonce();
    const response = await service.anonymous.post(`${PUBLIC}/corp/start`, {
      ...{ nonce_hash, redirect_uri: 'https://attacker.example/auth/connections/corp/callback' },
    });
    expectInvalid(response, 'redirect_uri: INVALID_URL_FORMAT');
  });

  test('an unknown or disabled connection is 404, and leaves a state as it is', async () => {
    const { url, state, nonce } = await startVisit(service, 'corp');
    const code = provider.visit(url);
    const { nonce_hash } = newNonce();
    const body = { code, state, nonce };
    expectApiError(await service.anonymous.post(`${PUBLIC}/unknown/start`, { nonce_hash }), 'UNKNOWN_CONNECTION');
    expectApiError(await service.anonymous.post(`${PUBLIC}/unknown/complete`, body), 'UNKNOWN_CONNECTION');
    await configure({ enabled: false });
    expectApiError(await service.anonymous.post(`${PUBLIC}/corp/start`, { nonce_hash }), 'UNKNOWN_CONNECTION');
    await withoutEffect(async () =>
      expectApiError(await service.anonymous.post(`${PUBLIC}/corp/complete`, body), 'UNKNOWN_CONNECTION'),
    );
    await configure({ enabled: true });
    await service.anonymous.post(`${PUBLIC}/corp/complete`, body).expect(200);
  });

  test('single sign-on is the connection `sso`, and the only one while it is enforced', async () => {
    const { nonce, nonce_hash } = newNonce();
    expectApiError(await service.anonymous.post(`${PUBLIC}/sso/start`, { nonce_hash }), 'UNKNOWN_CONNECTION');
    await offerSso(service, provider, { display_name: 'Company', enforced: true });
    try {
      const { body: listed } = await service.anonymous.get(PUBLIC);
      expect(listed).toEqual({ connections: [{ id: 'sso', kind: 'oidc', display_name: 'Company', icon: 'oidc' }] });
      expectApiError(await service.anonymous.post(`${PUBLIC}/corp/start`, { nonce_hash }), 'UNKNOWN_CONNECTION');
      const { body } = await service.anonymous.post(`${PUBLIC}/sso/start`, { nonce_hash }).expect(200);
      const code = provider.visit(body.authorization_url);
      const done = await service.anonymous.post(`${PUBLIC}/sso/complete`, { code, state: body.state, nonce });
      expect(done.status).toBe(200);
      expect(await service.sql('SELECT 1 FROM sso_identity WHERE account_id = $1', [done.body.user_id])).toHaveLength(
        1,
      );
    } finally {
      await configureSso(service, { enabled: false, enforced: false });
    }
  });
});

describe('connections.md section 2: account resolution', () => {
  test('row 1: a linked identity decides, whatever email address the provider states later', async () => {
    const sub = subject();
    const { body: first } = await signInWith(service, provider, { sub, email: `${sub}@corp.example.com` });
    const victim = await verifiedPerson(service, 'victim');
    const { status, body } = await signInWith(service, provider, { sub, email: victim.email });
    expect([status, body.user_id, body.redirect_to]).toEqual([200, first.user_id, '']);
    const unverified = await signInWith(service, provider, { sub, email: victim.email, email_verified: false });
    expect(unverified.body.user_id).toBe(first.user_id);
    expect((await me(body.token)).email).toBe(`${sub}@corp.example.com`);
    expect(await linksOf(victim)).toEqual([]);
  });

  test.each([
    ['none', { email: undefined }],
    ['an unverified one', { email_verified: false }],
    ['one without a statement', { email_verified: undefined }],
  ])('row 2: a provider that returns no verified email address: %s', async (_what, claims) => {
    const sub = subject();
    await withoutEffect(async () =>
      expectInvalid(
        await signInWith(service, provider, { sub, ...claims }, { info: { sub } }),
        'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL',
      ),
    );
  });

  test('row 3: an account is linked by its verified email address if the connection does this, with a notice', async () => {
    await configure({ link_by_email: true });
    const alice = await verifiedPerson(service, 'alice');
    const sub = subject();
    const { status, body } = await signInWith(service, provider, { sub, email: alice.email.toUpperCase() });
    expect([status, body.user_id]).toEqual([200, alice.id]);
    expect(await linksOf(alice)).toEqual([{ connection_id: 'corp', issuer: provider.issuer, subject: sub }]);
    const { metadata } = await mailTo(service, alice.email, 'security_notice');
    expect(metadata.event).toBe('identity_linked');
    // Another identity of the same connection does not replace it.
    await withoutEffect(async () =>
      expectApiError(
        await signInWith(service, provider, { sub: subject(), email: alice.email }),
        'CONNECTION_ACCOUNT_EXISTS',
      ),
    );
  });

  test.each<[string, Record<string, unknown>, () => Promise<Persona>]>([
    ['the connection does not link by email address', {}, () => verifiedPerson(service, 'owner')],
    ['its email address is not verified here', { link_by_email: true }, () => person(service, 'owner')],
    [
      'it has an admin ACL',
      { link_by_email: true },
      async () => {
        const owner = await verifiedPerson(service, 'owner');
        await setAcls(service, owner, ['user:lookup']);
        return owner;
      },
    ],
  ])('row 4: an account with that email address is never taken over: %s', async (_what, members, owner) => {
    await configure(members);
    const { email } = await owner();
    await withoutEffect(async () =>
      expectApiError(await signInWith(service, provider, { email }), 'CONNECTION_ACCOUNT_EXISTS'),
    );
  });

  test('row 5: no account is created without sign-up or while registration is closed', async () => {
    await configure({ allow_sign_up: false });
    await withoutEffect(async () => expectApiError(await signInWith(service, provider), 'REGISTRATION_CLOSED'));
    await configure({ allow_sign_up: true });
    await service.as(root).patch('/v1/admin/instance/config', { registration: { mode: 'closed' } });
    await withoutEffect(async () => expectApiError(await signInWith(service, provider), 'REGISTRATION_CLOSED'));
    await service.as(root).patch('/v1/admin/instance/config', { registration: { mode: 'open' } });
  });

  test('row 6: an account is created with the verified email address and the names of the provider', async () => {
    const sub = subject();
    const email = `${sub}@corp.example.com`;
    const claims = { sub, email, name: 'Ada Lovelace', preferred_username: `ada_${sub}` };
    const { status, body } = await signInWith(service, provider, claims);
    expect(status).toBe(200);
    expect(await me(body.token)).toMatchObject({
      ...{ username: `ada_${sub}`, global_name: 'Ada Lovelace', email, verified: true },
    });
    const [row] = await service.sql('SELECT traits, password_hash FROM account WHERE id = $1', [body.user_id]);
    expect(row).toEqual({ traits: ['connection'], password_hash: null });
  });

  test('row 6: with approval, the account waits for the administrator and gets no session', async () => {
    await service.as(root).patch('/v1/admin/instance/config', { registration: { mode: 'approval' } });
    const claims = { sub: subject() };
    for (const _ of [1, 2]) {
      expectApiError(await signInWith(service, provider, claims), 'REGISTRATION_PENDING_APPROVAL');
    }
    await service.as(root).patch('/v1/admin/instance/config', { registration: { mode: 'open' } });
    const found = await service.sql(
      'SELECT a.id FROM account a JOIN connection_identity i ON i.account_id = a.id WHERE i.subject = $1',
      [claims.sub],
    );
    expect(found).toHaveLength(1);
    expect(await service.sql('SELECT 1 FROM session WHERE account_id = $1', [found[0]?.id])).toEqual([]);
  });

  test('only email addresses of the allowed domains are accepted, also for linked identities', async () => {
    const sub = subject();
    await signInWith(service, provider, { sub, email: `${sub}@corp.example.com` });
    await configure({ allowed_domains: ['Corp.Example.com'] });
    expect((await signInWith(service, provider, { sub, email: `${sub}@corp.example.com` })).status).toBe(200);
    await withoutEffect(async () => {
      const left = await signInWith(service, provider, { sub, email: `${sub}@elsewhere.example` });
      expectInvalid(left, 'code: EMAIL_DOMAIN_NOT_ALLOWED_FOR_SSO');
      const unverified = await signInWith(service, provider, { sub, email_verified: false });
      expectInvalid(unverified, 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
    });
  });

  test('the state of the account counts: locked down, suspended', async () => {
    const { body } = await signInWith(service, provider, { sub: 'stateful' });
    const inState = async (change: string, code: string) => {
      await service.sql(`UPDATE account SET ${change} WHERE id = $1`, [body.user_id]);
      await withoutEffect(async () => expectApiError(await signInWith(service, provider, { sub: 'stateful' }), code));
    };
    await inState("traits = traits || '{locked_down}'", 'ACCESS_DENIED');
    await inState("traits = '{connection}', banned = true", 'ACCOUNT_SUSPENDED_PERMANENTLY');
  });

  test('an identity and an email address of a deleted account lead to a new account', async () => {
    const sub = subject();
    const email = `${sub}@corp.example.com`;
    const { body: first } = await signInWith(service, provider, { sub, email });
    await eraseAccount(service, { id: first.user_id });
    const { body } = await signInWith(service, provider, { sub, email });
    expect(body.user_id).not.toBe(first.user_id);
  });

  test('32 parallel first sign-ins of one identity create one account', async () => {
    const claims = { sub: subject(), email: `${subject()}@corp.example.com` };
    const visits = await Promise.all(Array.from({ length: 32 }, () => startVisit(service, 'corp')));
    const bodies = visits.map(({ url, ...rest }) => ({ code: provider.visit(url, claims), ...rest }));
    const { responses } = await race(32, (n) => service.anonymous.post(`${PUBLIC}/corp/complete`, bodies[n]));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ body }) => body.user_id)).size).toBe(1);
    expect(await service.sql('SELECT 1 FROM account WHERE email = $1', [claims.email])).toHaveLength(1);
  });
});

describe('connections.md section 2: second factor', () => {
  const withFactor = async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    return { alice, authenticator };
  };

  test('a required second factor leads to a challenge instead of a session', async () => {
    await configure({ link_by_email: true });
    const { alice, authenticator } = await withFactor();
    const sub = subject();
    const before = await stateOf();
    const { status, body } = await signInWith(service, provider, { sub, email: alice.email });
    expect([status, body]).toEqual([
      200,
      {
        ...{ mfa: true, ticket: expect.any(String), allowed_methods: ['totp'], totp: true, webauthn: false },
        ...{ backup_codes: true, redirect_to: '' },
      },
    ]);
    // Row 3: nothing is linked before the second factor.
    expect(await stateOf()).toEqual(before);
    const wrong = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: body.ticket, code: '000000' });
    expectInvalid(wrong, 'code: INVALID_CODE');
    expect(await stateOf()).toEqual(before);
    const code = authenticator.next();
    const done = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: body.ticket, code }).expect(200);
    expect(done.body.user_id).toBe(alice.id);
    expect(await linksOf(alice)).toEqual([{ connection_id: 'corp', issuer: provider.issuer, subject: sub }]);
    expect((await mailTo(service, alice.email, 'security_notice', 2)).metadata.event).toMatch(
      /totp_enabled|identity_linked/,
    );
    // A linked identity also leads to a challenge.
    expect((await signInWith(service, provider, { sub })).body.mfa).toBe(true);
    await configure({ require_second_factor: false });
    expect((await signInWith(service, provider, { sub })).body.user_id).toBe(alice.id);
  });

  test('no identity is linked if the account gets an admin ACL during the challenge', async () => {
    await configure({ link_by_email: true });
    const { alice, authenticator } = await withFactor();
    const { body } = await signInWith(service, provider, { email: alice.email });
    await service.sql("UPDATE account SET acls = '{user:lookup}' WHERE id = $1", [alice.id]);
    await withoutEffect(async () => {
      const code = authenticator.next();
      const response = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: body.ticket, code });
      expectInvalid(response, 'ticket: SESSION_TIMEOUT');
    });
  });
});

describe('connections.md section 5: attacks', () => {
  beforeAll(() => connect(service, root, other, { id: 'second', display_name: 'Second' }));

  test('mix-up: a response for one connection is never accepted for another', async () => {
    const { url, state, nonce } = await startVisit(service, 'corp');
    const code = provider.visit(url);
    const calls = other.calls.length;
    await withoutEffect(async () =>
      expectInvalid(
        await service.anonymous.post(`${PUBLIC}/second/complete`, { code, state, nonce }),
        'state: INVALID_OR_EXPIRED_SSO_STATE',
      ),
    );
    // The code did not reach the other provider, and the state is spent.
    expect(other.calls.length).toBe(calls);
    expectInvalid(
      await service.anonymous.post(`${PUBLIC}/corp/complete`, { code, state, nonce }),
      'state: INVALID_OR_EXPIRED_SSO_STATE',
    );
    const sso = await startVisit(service, 'corp');
    const ofSso = await service.anonymous.post('/v1/auth/sso/complete', {
      ...{ code: provider.visit(sso.url), state: sso.state, nonce: sso.nonce },
    });
    expect(ofSso.status).not.toBe(200);
  });

  test('mix-up: the issuer of the response must be the one of the connection', async () => {
    const { url, state, nonce } = await startVisit(service, 'corp');
    const body = { code: provider.visit(url), state, nonce, iss: other.issuer };
    await withoutEffect(async () =>
      expectInvalid(
        await service.anonymous.post(`${PUBLIC}/corp/complete`, body),
        'state: INVALID_OR_EXPIRED_SSO_STATE',
      ),
    );
  });

  test('login CSRF and state fixation: a state works only with the nonce of the browser that started it', async () => {
    const { url, state } = await startVisit(service, 'corp');
    const body = { code: provider.visit(url), state, nonce: newNonce().nonce };
    await withoutEffect(async () =>
      expectInvalid(
        await service.anonymous.post(`${PUBLIC}/corp/complete`, body),
        'state: INVALID_OR_EXPIRED_SSO_STATE',
      ),
    );
  });

  test('code injection: a code of another visit is rejected', async () => {
    const [mine, stolen] = [await startVisit(service, 'corp'), await startVisit(service, 'corp')];
    const body = { code: provider.visit(stolen.url), state: mine.state, nonce: mine.nonce };
    await withoutEffect(async () =>
      expectInvalid(
        await service.anonymous.post(`${PUBLIC}/corp/complete`, body),
        'code: INVALID_SSO_AUTHORIZATION_CODE',
      ),
    );
  });

  test('the same subject of another connection or issuer is another user', async () => {
    const sub = subject();
    const { body: first } = await signInWith(service, provider, { sub, email: `${sub}@corp.example.com` });
    const { body: second } = await signInWith(
      service,
      other,
      { sub, email: `${sub}@other.example.com` },
      { id: 'second' },
    );
    expect(second.user_id).not.toBe(first.user_id);
    // The former issuer is dormant, and revives.
    const former = { issuer: provider.issuer };
    await configure({ issuer: other.issuer, client_secret: other.clientSecret });
    const { body: third } = await signInWith(service, other, { sub, email: `${sub}@third.example.com` });
    expect([first.user_id, second.user_id]).not.toContain(third.user_id);
    await configure({ ...former, client_secret: provider.clientSecret });
    expect((await signInWith(service, provider, { sub })).body.user_id).toBe(first.user_id);
  });

  test('32 parallel completions of one state sign in once', async () => {
    const { url, state, nonce } = await startVisit(service, 'corp');
    const body = { code: provider.visit(url), state, nonce };
    const { of, codes } = await race(32, () => service.anonymous.post(`${PUBLIC}/corp/complete`, body));
    expect([of(200).length, codes]).toEqual([1, { INVALID_FORM_BODY: 31 }]);
  });

  test('an outage of one connection changes nothing for the others', async () => {
    other.overrides.token = (_req, res) => void res.writeHead(503).end();
    const broken = await signInWith(service, other, {}, { id: 'second' });
    expect([broken.status, broken.body.code]).toEqual([502, 'BAD_GATEWAY']);
    expect((await signInWith(service, provider)).status).toBe(200);
    other.reset();
  });

  test.each<[string, (res: import('node:http').ServerResponse) => void]>([
    ['a redirect', (res) => void res.writeHead(302, { location: `${provider.issuer}/token` }).end()],
    [
      '10 MiB',
      (res) => void res.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.alloc(10 << 20, 32)),
    ],
    ['HTML', (res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')],
  ])('a token endpoint that answers with %s leads to 502 without effect', async (_what, response) => {
    provider.overrides.token = (_req, res) => response(res);
    await withoutEffect(async () => {
      const { status, body } = await signInWith(service, provider);
      expect([status, body.code]).toEqual([502, 'BAD_GATEWAY']);
    });
  });
});
