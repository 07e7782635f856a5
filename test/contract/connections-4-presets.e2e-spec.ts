import { randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { CONNECTIONS, connect, PUBLIC, RecordedProvider, signInWith, startVisit } from '../machine/connections.js';
import {
  type Claims,
  environmentOf,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  ScriptedProvider,
  superuser,
  type TestResponse,
} from '../support/index.js';
import { json } from '../support/sso.js';

/*
 * Each preset against the responses that its provider documents:
 * https://docs.github.com/apps/oauth-apps, https://docs.github.com/rest/users/emails, https://discord.com/developers/docs/topics/oauth2,
 * https://developers.google.com/identity/openid-connect/openid-connect, https://docs.gitlab.com/integration/openid_connect_provider,
 * https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */

let openId: ScriptedProvider;
let recorded: RecordedProvider;
let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  openId = await ScriptedProvider.start();
  await openId.rotate('RS256');
  recorded = await RecordedProvider.start(openId.certificate);
  service = await gatehouse({ env: environmentOf(openId) });
  openId.seconds = () => service.clock.seconds();
  root = await superuser(service);
});
afterAll(async () => {
  await service.close();
  await openId.stop();
  await recorded.stop();
});
afterEach(() => {
  openId.reset();
  recorded.calls.length = 0;
});

const me = async ({ body }: TestResponse) => (await service.as(body.token).get('/v1/users/@me').expect(200)).body;
const countOf = async (table: 'account' | 'session' | 'connection_identity') =>
  (await service.sql(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n;
const totals = async () => [await countOf('account'), await countOf('session'), await countOf('connection_identity')];

/** Asserts that a sign-in is rejected with this fault, and that it creates no account, session or link. */
async function expectRejected(signIn: () => Promise<TestResponse>, fault: string): Promise<void> {
  const before = await totals();
  expectInvalid(await signIn(), fault);
  expect(await totals()).toEqual(before);
}

const linkOf = async (id: string, subject: string) =>
  (
    await service.sql(
      'SELECT account_id, issuer, email FROM connection_identity WHERE connection_id = $1 AND subject = $2',
      [id, subject],
    )
  )[0];

async function visit(id: string, code = 'recorded-code'): Promise<TestResponse> {
  const { state, nonce } = await startVisit(service, id);
  return service.anonymous.post(`${PUBLIC}/${id}/complete`, { code, state, nonce });
}

const callTo = (path: string) => {
  const found = recorded.calls.filter((one) => one.path === path);
  expect(found).toHaveLength(1);
  return found[0] as (typeof found)[number];
};

describe('connections.md section 5: GitHub', () => {
  const [TOKEN, USER, EMAILS] = ['/login/oauth/access_token', '/user', '/user/emails'];
  let account: Claims & { id: number; login: string };
  let emails: Claims[];
  beforeAll(() => {
    const { origin } = recorded;
    return connect(
      service,
      root,
      { clientId: 'Iv1.8a61f9b3a7aba766', clientSecret: 'github secret' },
      {
        ...{
          id: 'github',
          kind: 'github',
          display_name: 'GitHub',
          authorization_url: `${origin}/login/oauth/authorize`,
        },
        ...{ token_url: origin + TOKEN, userinfo_url: origin + USER, emails_url: origin + EMAILS },
      },
    );
  });
  beforeEach(() => {
    const id = randomInt(1e9);
    account = {
      ...{ login: `octocat-${id}`, id, node_id: 'MDQ6VXNlcjE=', avatar_url: 'https://github.com/images/octocat.gif' },
      ...{
        type: 'User',
        site_admin: false,
        name: 'monalisa octocat',
        company: 'GitHub',
        email: null,
        two_factor_authentication: true,
      },
    };
    emails = [
      { email: `old-${id}@github.example.com`, primary: false, verified: true, visibility: null },
      { email: `octocat-${id}@github.example.com`, primary: true, verified: true, visibility: 'private' },
      { email: `${id}@users.noreply.github.example.com`, primary: false, verified: true, visibility: null },
    ];
    recorded.routes[TOKEN] = () => [
      200,
      { access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a', scope: 'read:user,user:email', token_type: 'bearer' },
    ];
    // GitHub rejects requests without a user agent.
    recorded.routes[USER] = ({ headers }) =>
      headers['user-agent'] ? [200, account] : [403, { message: 'Request forbidden by administrative rules.' }];
    recorded.routes[EMAILS] = () => [200, emails];
  });

  test('the authorization URL has the scopes of the preset and PKCE', async () => {
    const { searchParams } = new URL((await startVisit(service, 'github')).url);
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ response_type: 'code', client_id: 'Iv1.8a61f9b3a7aba766', scope: 'read:user user:email' },
      redirect_uri: expect.stringMatching(/\/auth\/connections\/github\/callback$/),
      ...{ state: expect.stringMatching(/^.{43}$/), code_challenge: expect.stringMatching(/^.{43}$/) },
      code_challenge_method: 'S256',
    });
  });

  test('a user signs in with the numeric ID and the primary email address, which the profile hides', async () => {
    const response = await visit('github');
    expect(response.status).toBe(200);
    expect(await me(response)).toMatchObject({
      ...{ email: `octocat-${account.id}@github.example.com`, verified: true, global_name: 'monalisa octocat' },
    });
    expect(await linkOf('github', String(account.id))).toMatchObject({
      ...{ account_id: response.body.user_id, issuer: recorded.origin },
    });
    const { headers, body } = callTo(TOKEN);
    expect(headers.accept).toBe('application/json');
    expect(headers.authorization).toBeUndefined();
    expect(Object.fromEntries(body)).toEqual({
      ...{ grant_type: 'authorization_code', code: 'recorded-code', client_id: 'Iv1.8a61f9b3a7aba766' },
      ...{ client_secret: 'github secret', code_verifier: expect.stringMatching(/^.{43,}$/) },
      redirect_uri: expect.stringMatching(/\/auth\/connections\/github\/callback$/),
    });
    for (const path of [USER, EMAILS])
      expect(callTo(path).headers.authorization).toBe('Bearer gho_16C7e42F292c6912E7710c838347Ae178B4a');
    // A renamed user with another email address is the same user.
    account = { ...account, login: 'renamed', name: null };
    emails = [{ email: 'new@github.example.com', primary: true, verified: true, visibility: 'public' }];
    expect((await visit('github')).body.user_id).toBe(response.body.user_id);
  });

  test('the provider token is in no table', async () => {
    expect((await visit('github')).status).toBe(200);
    const tables = await service.sql(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    );
    for (const { table_name: name } of tables) {
      const found = await service.sql(`SELECT 1 FROM "${name}" t WHERE t::text LIKE '%gho_16C7e42F292c69%' LIMIT 1`);
      expect([name, found]).toEqual([name, []]);
    }
  });

  test.each<[string, () => unknown]>([
    ['only the primary one is unverified', () => emails.map((one) => ({ ...one, verified: !one.primary }))],
    ['none is primary', () => emails.map((one) => ({ ...one, primary: false }))],
    ['there is none', () => []],
  ])('email addresses other than the verified primary one do not count: %s', async (_what, list) => {
    recorded.routes[EMAILS] = () => [200, list()];
    await expectRejected(() => visit('github'), 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
  });

  test.each([
    ['bad_verification_code', 'INVALID_SSO_AUTHORIZATION_CODE'],
    ['redirect_uri_mismatch', 'INVALID_SSO_AUTHORIZATION_CODE'],
    ['unverified_user_email', 'INVALID_SSO_AUTHORIZATION_CODE'],
    ['incorrect_client_credentials', 'SSO_MISCONFIGURED'],
  ])('a token endpoint that reports %s with status 200 leads to %s', async (error, code) => {
    recorded.routes[TOKEN] = () => [
      200,
      { error, error_description: 'The code passed is incorrect or expired.', error_uri: 'https://docs.github.com/' },
    ];
    await expectRejected(() => visit('github'), `code: ${code}`);
    expect(recorded.calls.map(({ path }) => path)).toEqual([TOKEN]);
  });

  test.each<[string, readonly [number, unknown], string]>([
    ['a revoked token', [401, { message: 'Bad credentials', status: '401' }], 'FAILED_TO_FETCH_SSO_USER_INFO'],
    ['its rate limit', [403, { message: 'API rate limit exceeded' }], 'FAILED_TO_FETCH_SSO_USER_INFO'],
    ['a user without an ID', [200, { login: 'octocat' }], 'FAILED_TO_PARSE_SSO_USER_INFO'],
    ['an ID that is not a safe integer', [200, { login: 'octocat', id: 2 ** 53 }], 'FAILED_TO_PARSE_SSO_USER_INFO'],
    ['a list', [200, []], 'FAILED_TO_PARSE_SSO_USER_INFO'],
  ])('user information that answers with %s is rejected', async (_what, response, code) => {
    recorded.routes[USER] = () => response;
    await expectRejected(() => visit('github'), `code: ${code}`);
  });

  test.each<[string, readonly [number, unknown], string]>([
    ['404, because the scope is missing', [404, { message: 'Not Found' }], 'FAILED_TO_FETCH_SSO_USER_INFO'],
    ['an object', [200, { message: 'Moved' }], 'FAILED_TO_PARSE_SSO_USER_INFO'],
  ])('a list of email addresses that answers with %s is rejected', async (_what, response, code) => {
    recorded.routes[EMAILS] = () => response;
    await expectRejected(() => visit('github'), `code: ${code}`);
  });

  test('a user without email addresses can still sign in with a linked identity', async () => {
    const { body } = await visit('github');
    emails = [];
    expect((await visit('github')).body.user_id).toBe(body.user_id);
    expect((await linkOf('github', String(account.id)))?.email).toBeNull();
  });
});

describe('connections.md section 5: Discord', () => {
  const [TOKEN, USER] = ['/api/oauth2/token', '/api/users/@me'];
  let account: Claims & { id: string };
  beforeAll(() => {
    const { origin } = recorded;
    return connect(
      service,
      root,
      { clientId: '157730590492196864', clientSecret: 'discord secret' },
      {
        ...{ id: 'discord', kind: 'discord', display_name: 'Discord', authorization_url: `${origin}/oauth2/authorize` },
        ...{ token_url: origin + TOKEN, userinfo_url: origin + USER },
      },
    );
  });
  beforeEach(() => {
    const id = `80351110${randomInt(1e9, 1e10)}`;
    account = {
      ...{ id, username: 'nelly', discriminator: '0', global_name: null, avatar: '8342729096ea3675442027381ff50dfe' },
      ...{ verified: true, email: `nelly-${id}@discord.example.com`, flags: 64, premium_type: 1, public_flags: 64 },
    };
    recorded.routes[TOKEN] = () => [
      200,
      {
        ...{ access_token: '6qrZcUqja7812RVdnEKjpzOL4CvHBFG', token_type: 'Bearer', expires_in: 604_800 },
        ...{ refresh_token: 'D43f5y0ahjqew82jZ4NViEr2YafMKhue', scope: 'identify email' },
      },
    ];
    recorded.routes[USER] = () => [200, account];
  });

  test('a user signs in with the ID, the username and the verified email address', async () => {
    const response = await visit('discord');
    expect(response.status).toBe(200);
    expect(await me(response)).toMatchObject({
      username: 'nelly',
      global_name: null,
      email: account.email,
      verified: true,
    });
    expect(await linkOf('discord', account.id)).toMatchObject({ account_id: response.body.user_id });
    const { headers } = callTo(TOKEN);
    const sent = Buffer.from('157730590492196864:discord+secret').toString('base64');
    expect(headers.authorization).toBe(`Basic ${sent}`);
  });

  test.each<[string, Claims]>([
    ['unverified', { verified: false }],
    ['missing, because the scope was not granted', { verified: undefined, email: undefined }],
    ['null', { email: null }],
  ])('an email address that is %s does not count', async (_what, members) => {
    account = { ...account, ...members };
    await expectRejected(() => visit('discord'), 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
  });

  test.each<[string, readonly [number, unknown], string]>([
    [
      'a wrong code',
      [400, { error: 'invalid_grant', error_description: 'Invalid "code" in request.' }],
      'INVALID_SSO_AUTHORIZATION_CODE',
    ],
    ['a wrong secret', [401, { error: 'invalid_client' }], 'SSO_MISCONFIGURED'],
  ])('the error of %s is reported', async (_what, response, code) => {
    recorded.routes[TOKEN] = () => response;
    await expectRejected(() => visit('discord'), `code: ${code}`);
  });

  test.each<[string, readonly [number, unknown]]>([
    ['a revoked token', [401, { message: '401: Unauthorized', code: 0 }]],
    ['its rate limit', [429, { message: 'You are being rate limited.', retry_after: 64.57, global: false }]],
  ])('user information that answers with %s is rejected', async (_what, response) => {
    recorded.routes[USER] = () => response;
    await expectRejected(() => visit('discord'), 'code: FAILED_TO_FETCH_SSO_USER_INFO');
  });
});

describe('connections.md section 5: providers with ID tokens', () => {
  const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
  const connectAs = (kind: string, members: Claims = {}) =>
    connect(service, root, openId, { id: kind, kind, display_name: kind, ...members });
  beforeAll(async () => {
    for (const kind of ['google', 'gitlab', 'microsoft', 'oidc']) await connectAs(kind);
  });
  const subject = () => String(randomInt(2 ** 47));
  const signIn = (id: string, claims: Claims, info?: Claims) =>
    signInWith(service, openId, claims, { id, ...(info && { info }) });

  const recordings: Record<string, (sub: string) => Claims> = {
    google: (sub) => ({
      ...{
        sub,
        azp: openId.clientId,
        email: `${sub}@google.example.com`,
        email_verified: true,
        hd: 'google.example.com',
      },
      ...{ at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q', name: 'Jane Doe', given_name: 'Jane', family_name: 'Doe' },
      picture: 'https://lh3.googleusercontent.com/a/photo=s96-c',
    }),
    gitlab: (sub) => ({
      ...{
        sub,
        sub_legacy: 'b1e7c3',
        auth_time: 1_700_000_000,
        email: `${sub}@gitlab.example.com`,
        email_verified: true,
      },
      ...{ name: 'Jane Doe', nickname: 'jane', preferred_username: 'jane', profile: 'https://gitlab.com/jane' },
      groups_direct: ['tools'],
    }),
    microsoft: (sub) => ({
      ...{ sub, ver: '2.0', tid: TENANT, oid: '00000000-0000-0000-66f3-3332eca7ea81', uti: '4', rh: '0.ARoA' },
      ...{ email: `${sub}@microsoft.example.com`, xms_edov: true, name: 'Jane Doe' },
      preferred_username: `${sub}@microsoft.example.com`,
    }),
    oidc: (sub) => ({ sub, email: `${sub}@oidc.example.com`, email_verified: true, name: 'Jane Doe' }),
  };
  const kinds = Object.keys(recordings);

  test.each(kinds)('%s: a user signs in with the documented claims, signed with RS256', async (kind) => {
    const sub = subject();
    const claims = recordings[kind]?.(sub) ?? {};
    const response = await signIn(kind, claims);
    expect(response.status).toBe(200);
    expect(await me(response)).toMatchObject({ email: claims.email, verified: true, global_name: 'Jane Doe' });
    expect(await linkOf(kind, sub)).toMatchObject({ account_id: response.body.user_id, issuer: openId.issuer });
    // The subject decides, not the email address.
    const changed = await signIn(kind, { ...claims, email: `new-${sub}@elsewhere.example.com` });
    expect(changed.body.user_id).toBe(response.body.user_id);
  });

  test.each(kinds)('%s: an email address is not taken without a statement that it is verified', async (kind) => {
    const sub = subject();
    const unverified = { ...recordings[kind]?.(sub), email_verified: false, xms_edov: false };
    await expectRejected(() => signIn(kind, unverified), 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
    const missing = { ...recordings[kind]?.(sub), email: undefined, email_verified: undefined, xms_edov: undefined };
    await expectRejected(() => signIn(kind, missing, { sub }), 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
  });

  test('microsoft: email_verified does not replace xms_edov, neither in the ID token nor in the user information', async () => {
    const sub = subject();
    const { xms_edov: _, ...claims } = recordings.microsoft?.(sub) ?? {};
    const info = { sub, email: claims.email, email_verified: true };
    const stated = { ...claims, email_verified: true };
    await expectRejected(() => signIn('microsoft', stated, info), 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
  });

  test('microsoft: an ID token of another tenant is rejected', async () => {
    const iss = 'https://login.microsoftonline.com/another-tenant/v2.0';
    await expectRejected(
      () => signIn('microsoft', { ...recordings.microsoft?.(subject()), iss }),
      'code: INVALID_SSO_TOKEN',
    );
  });

  test('gitlab: an email address that only the user information contains is taken', async () => {
    const sub = subject();
    const { email, email_verified, ...others } = recordings.gitlab?.(sub) ?? {};
    const claims = { ...others, email: undefined, email_verified: undefined };
    const response = await signIn('gitlab', claims, { sub, email, email_verified });
    expect((await me(response)).email).toBe(email);
  });

  test.each<[string, number, Claims, string]>([
    ['google', 400, { error: 'invalid_grant', error_description: 'Bad Request' }, 'INVALID_SSO_AUTHORIZATION_CODE'],
    ['google', 401, { error: 'invalid_client', error_description: 'Unauthorized' }, 'SSO_MISCONFIGURED'],
    [
      'gitlab',
      400,
      { error: 'invalid_grant', error_description: 'The provided authorization grant is invalid, expired or revoked.' },
      'INVALID_SSO_AUTHORIZATION_CODE',
    ],
    [
      'microsoft',
      400,
      { error: 'invalid_grant', error_description: 'AADSTS54005: code was already redeemed.', error_codes: [54_005] },
      'INVALID_SSO_AUTHORIZATION_CODE',
    ],
    [
      'microsoft',
      401,
      { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret.', error_codes: [7_000_215] },
      'SSO_MISCONFIGURED',
    ],
  ])('%s: the token endpoint answers %i with %j', async (kind, status, body, code) => {
    openId.overrides.token = (_req, res) => json(res, status, body);
    await expectRejected(() => signIn(kind, recordings[kind]?.(subject()) ?? {}), `code: ${code}`);
  });
});

describe('connections.md section 5: a provider without a preset', () => {
  const [TOKEN, USER] = ['/token', '/api/profile'];
  let response: readonly [number, unknown];
  beforeAll(() => {
    const { origin } = recorded;
    return connect(
      service,
      root,
      { clientId: 'custom', clientSecret: 'secret' },
      {
        ...{
          id: 'custom',
          kind: 'oauth2',
          display_name: 'Custom',
          authorization_url: `${origin}/authorize`,
          token_url: origin + TOKEN,
        },
        userinfo_url: origin + USER,
        claims: {
          id: '/data/user~1id',
          email: '/data/mails/0/value',
          email_verified: '/data/mails/0/confirmed',
          name: '/data/name',
        },
      },
    );
  });
  const profile = (id: unknown, value: unknown, confirmed: unknown = true): readonly [number, unknown] => [
    200,
    { data: { 'user/id': id, name: 'Jane', mails: [{ value, confirmed }] } },
  ];
  beforeEach(() => {
    recorded.routes[TOKEN] = () => [
      200,
      { access_token: 'custom-token', token_type: 'Bearer', refresh_token: null, id_token: 'ignored' },
    ];
    recorded.routes[USER] = () => response;
  });

  test('JSON pointers select the claims', async () => {
    const id = randomInt(1e9);
    response = profile(id, `${id}@custom.example.com`);
    const done = await visit('custom');
    expect(await me(done)).toMatchObject({ email: `${id}@custom.example.com`, global_name: 'Jane' });
    expect(await linkOf('custom', String(id))).toMatchObject({ account_id: done.body.user_id });
  });

  test.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['empty', ''],
    ['a fraction', 1.5],
    ['an object', {}],
    ['true', true],
    ['too long', 'x'.repeat(256)],
  ])('an ID that is %s is rejected', async (_what, id) => {
    response = profile(id, 'jane@custom.example.com');
    await expectRejected(() => visit('custom'), 'code: FAILED_TO_PARSE_SSO_USER_INFO');
  });

  test.each<[string, unknown, unknown]>([
    ['a list', ['jane@custom.example.com'], true],
    ['malformed', 'jane', true],
    ['confirmed by 1', 'jane@custom.example.com', 1],
    ['confirmed by text', 'jane@custom.example.com', 'yes'],
  ])('an email address that is %s does not count', async (_what, value, confirmed) => {
    response = profile(randomInt(1e9), value, confirmed);
    await expectRejected(() => visit('custom'), 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
  });

  test('a provider without a claim for the proof never states a verified email address', async () => {
    const claims = { id: '/data/user~1id', email: '/data/mails/0/value' };
    await service.as(root).patch(`${CONNECTIONS}/custom`, { claims }).expect(200);
    response = profile(randomInt(1e9), 'jane@custom.example.com');
    await expectRejected(() => visit('custom'), 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
  });

  test.each<[string, string, (res: ServerResponse) => void]>([
    [
      'a redirect, which would send the token to another URL',
      'FAILED_TO_FETCH_SSO_USER_INFO',
      (res) => void res.writeHead(302, { location: `${recorded.origin}/stolen` }).end(),
    ],
    [
      '10 MiB',
      'FAILED_TO_FETCH_SSO_USER_INFO',
      (res) => void res.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.alloc(10 << 20, 32)),
    ],
    [
      'HTML',
      'FAILED_TO_PARSE_SSO_USER_INFO',
      (res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
    ],
    ['a closed connection', 'FAILED_TO_FETCH_SSO_USER_INFO', (res) => void res.destroy()],
  ])('user information that answers with %s is rejected', async (_what, code, respond) => {
    recorded.instead = ({ url }, res) =>
      url === USER ? respond(res) : json(res, 200, { access_token: 'custom-token', token_type: 'Bearer' });
    try {
      await expectRejected(() => visit('custom'), `code: ${code}`);
      expect(recorded.calls.map(({ path }) => path)).toEqual([TOKEN, USER]);
    } finally {
      recorded.instead = undefined;
    }
  });
});
