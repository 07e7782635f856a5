import { randomBytes } from 'node:crypto';
import { HttpServer, OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server';
import {
  CERTIFIED_PROVIDER_ENV,
  certifiedProvider,
  PROVIDER_CERTIFICATE,
  visitCertifiedProvider,
} from '../machine/certified-provider.js';
import { CONNECTIONS, connect, IDENTITIES, newNonce, PUBLIC, startVisit } from '../machine/connections.js';
import { describeUnless } from '../machine/programs.js';
import {
  type Claims,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  superuser,
  type TestResponse,
  verifiedPerson,
} from '../support/index.js';
import { cookieBrowser } from './cookie-browser.js';
import { lemonldapMissing } from './lemonldap.js';
import { lemonldapProvider } from './lemonldap-provider.js';

const CALLBACK = 'http://localhost:8080/auth/connections/corp/callback';

/** A provider as it is published, with one client and one user whose email address is verified. */
interface RealProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** The subject, display name and email address of the user. */
  readonly user: { readonly sub: string; readonly name: string; readonly email: string };
  /** Signs the user in at the provider and returns the callback. */
  visit(url: string): Promise<URL>;
  /** Replaces the signing key. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

async function oidcProvider(): Promise<RealProvider> {
  const user = { sub: 'ada', name: 'Ada Lovelace', email: 'ada@corp.example.com' };
  const provider = await certifiedProvider([CALLBACK], { ada: { ...user, verified: true } });
  const { issuer, clientSecret } = provider;
  return {
    ...{ issuer, clientId: 'confidential', clientSecret, user },
    visit: (url) => visitCertifiedProvider(url, user.sub),
    rotate: () => provider.restart(clientSecret),
    close: () => provider.close(),
  };
}

async function lemonldap(): Promise<RealProvider> {
  const user = { sub: 'rtyler', name: 'Rose Tyler', email: 'rtyler@badwolf.org' };
  return { ...(await lemonldapProvider(CALLBACK)), user };
}

/** A server that puts what a test says into tokens and responses. It checks neither the code nor the client. */
async function mockServer() {
  const user = { sub: 'johndoe', name: 'John Doe', email: 'john@corp.example.com' };
  const { cert, key } = PROVIDER_CERTIFICATE;
  const issuer = new OAuth2Issuer();
  const service = new OAuth2Service(issuer);
  const server = new HttpServer(service.requestHandler, { key, cert });
  await issuer.keys.generate('RS256');
  await server.start(0, '127.0.0.1');
  issuer.url = `https://localhost:${server.address().port}`;
  /** Changes of ID tokens, responses of the token endpoint and user information. */
  const faults: { header?: Claims; claims?: Claims; respond?: { statusCode: number; body: Claims } } = {};
  service.on('beforeTokenSigning', (token: { header: Claims; payload: Claims }) => {
    Object.assign(token.payload, { ...user, email_verified: true }, faults.claims);
    Object.assign(token.header, faults.header);
  });
  service.on('beforeUserinfo', (response: { body: Claims }) => {
    response.body = { sub: faults.claims?.sub ?? user.sub };
  });
  service.on('beforeResponse', (response: object) => void Object.assign(response, faults.respond));
  return {
    ...{ issuer: issuer.url, clientId: 'gatehouse', clientSecret: 'a secret', user, faults },
    visit: async (url: string) => new URL((await cookieBrowser(cert)(url)).location),
    /** The server keeps the former key, and signs with both in turn. */
    rotate: async () => void (await issuer.keys.generate('RS256')),
    close: () => server.stop(),
  };
}

/** The operations of a service with a connection to the provider. */
function suite(open: () => Promise<RealProvider>) {
  const world = {} as { provider: RealProvider; service: Gatehouse; root: Persona };
  beforeAll(async () => {
    world.provider = await open();
    world.service = await gatehouse({ env: CERTIFIED_PROVIDER_ENV });
    world.root = await superuser(world.service);
    await connect(world.service, world.root, world.provider);
  });
  afterAll(async () => {
    await world.service?.close();
    await world.provider?.close();
  });
  return world;
}

type World = ReturnType<typeof suite>;

const totals = async ({ service }: World) =>
  (
    await service.sql(`SELECT (SELECT count(*)::int FROM account) AS accounts, (SELECT count(*)::int FROM session) AS
      sessions, (SELECT count(*)::int FROM connection_identity) AS identities`)
  )[0];

/** A visit of the user at the provider. */
async function visited({ service, provider }: World) {
  const { url, state, nonce } = await startVisit(service, 'corp');
  const back = await provider.visit(url);
  expect(back.origin + back.pathname).toBe(CALLBACK);
  expect(back.searchParams.get('state')).toBe(state);
  const { code = '', iss } = Object.fromEntries(back.searchParams);
  return { code, state, nonce, ...(iss && { iss }) };
}

const complete = ({ service }: World, body: object): Promise<TestResponse> =>
  Promise.resolve(service.anonymous.post(`${PUBLIC}/corp/complete`, body));

/** Asserts that a sign-in is rejected without effect. */
async function expectRejected(world: World, attempt: () => Promise<TestResponse>, fault: string): Promise<void> {
  const before = await totals(world);
  expectInvalid(await attempt(), fault);
  expect(await totals(world)).toEqual(before);
}

/** Tests that every provider must pass. */
function testsOfEach(world: World): void {
  test('the test of the console finds no fault', async () => {
    const { status, body } = await world.service.as(world.root).post(`${CONNECTIONS}/corp/test`);
    expect([status, body]).toMatchObject([200, { ok: true, issuer: world.provider.issuer }]);
  });

  test('a user links the identity, signs in with it and unlinks it', async () => {
    const { service, provider } = world;
    const alice = await verifiedPerson(service, 'alice');
    const { nonce, nonce_hash } = newNonce();
    const started = await service
      .as(alice)
      .post(`${IDENTITIES}/start`, { connection_id: 'corp', nonce_hash, password: alice.password })
      .expect(200);
    const { code, state } = Object.fromEntries((await provider.visit(started.body.authorization_url)).searchParams);
    const linked = await service.as(alice).post(`${IDENTITIES}/complete`, { code, state, nonce }).expect(200);
    expect(linked.body).toMatchObject({ connection_id: 'corp', email: provider.user.email });
    expect((await complete(world, await visited(world))).body.user_id).toBe(alice.id);
    await service.as(alice).delete(`${IDENTITIES}/${linked.body.id}`, { password: alice.password }).expect(204);
  });

  test('the first sign-in creates an account, the second one finds it', async () => {
    const { service, provider } = world;
    const first = await complete(world, await visited(world));
    expect(first.status).toBe(200);
    expect((await service.as(first.body.token).get('/v1/users/@me')).body).toMatchObject({
      ...{ email: provider.user.email, verified: true, global_name: provider.user.name },
    });
    expect((await complete(world, await visited(world))).body.user_id).toBe(first.body.user_id);
    expect(await service.sql('SELECT issuer, subject FROM connection_identity')).toEqual([
      { issuer: provider.issuer, subject: provider.user.sub },
    ]);
  });

  test('another state, another nonce of the browser and another issuer of the response are rejected', async () => {
    const fault = 'state: INVALID_OR_EXPIRED_SSO_STATE';
    for (const wrong of [{ state: 'another' }, { nonce: 'another' }, { iss: 'https://evil.example' }]) {
      const body = { ...(await visited(world)), ...wrong };
      await expectRejected(world, () => complete(world, body), fault);
    }
  });

  test('after the provider has replaced its signing key, users sign in as before', async () => {
    await complete(world, await visited(world));
    await world.provider.rotate();
    world.service.clock.advance({ seconds: 61 });
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await complete(world, await visited(world))).status).toBe(200);
  });
}

/** Tests of providers that check the code and the client. */
function testsOfStrict(world: World): void {
  test('a code that was redeemed before, and one that the provider did not issue, are rejected', async () => {
    const { code } = await visited(world);
    const { state, nonce } = await visited(world);
    await expectRejected(
      world,
      () => complete(world, { code: randomBytes(20).toString('hex'), state, nonce }),
      'code: INVALID_SSO_AUTHORIZATION_CODE',
    );
    const other = await visited(world);
    // The verifier of another visit does not fit.
    await expectRejected(world, () => complete(world, { ...other, code }), 'code: INVALID_SSO_AUTHORIZATION_CODE');
  });

  test('a wrong client secret is SSO_MISCONFIGURED', async () => {
    const { service, root, provider } = world;
    const patch = (secret: unknown) =>
      service.as(root).patch(`${CONNECTIONS}/corp`, { client_secret: secret }).expect(200);
    await patch('not the secret');
    const body = await visited(world);
    await expectRejected(world, () => complete(world, body), 'code: SSO_MISCONFIGURED');
    await patch(provider.clientSecret);
    expect((await complete(world, await visited(world))).status).toBe(200);
  });
}

describe('connections.md 5: oidc-provider', () => {
  const world = suite(oidcProvider);
  testsOfEach(world);
  testsOfStrict(world);
});

describeUnless(lemonldapMissing)('connections.md 5: lemonldap-ng, unmodified', () => {
  const world = suite(lemonldap);
  testsOfEach(world);
  testsOfStrict(world);
});

describe('connections.md 5: oauth2-mock-server', () => {
  let mock: Awaited<ReturnType<typeof mockServer>>;
  const world = suite(async () => {
    mock = await mockServer();
    return mock;
  });
  testsOfEach(world);

  const now = () => world.service.clock.seconds();
  test.each<[string, () => Claims]>([
    ['another nonce', () => ({ nonce: 'another' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['another audience', () => ({ aud: 'another client' })],
    ['several audiences without azp', () => ({ aud: ['gatehouse', 'another client'] })],
    ['several audiences and another azp', () => ({ aud: ['gatehouse', 'another'], azp: 'another' })],
    ['another issuer', () => ({ iss: 'https://evil.example' })],
    ['its issuer with a slash', () => ({ iss: `${mock.issuer}/` })],
    ['a time of expiration that has passed', () => ({ exp: now() - 120 })],
    ['a time of issue in the future', () => ({ iat: now() + 600 })],
    ['no subject', () => ({ sub: undefined })],
  ])('an ID token with %s is rejected', async (_what, claims) => {
    const body = await visited(world);
    mock.faults.claims = claims();
    await expectRejected(world, () => complete(world, body), 'code: INVALID_SSO_TOKEN');
    delete mock.faults.claims;
  });

  test('an ID token of an unknown key is rejected', async () => {
    const body = await visited(world);
    mock.faults.header = { kid: 'unknown' };
    await expectRejected(world, () => complete(world, body), 'code: INVALID_SSO_TOKEN');
    delete mock.faults.header;
  });

  test.each<[number, Claims, string]>([
    [400, { error: 'invalid_grant', error_description: 'a code' }, 'code: INVALID_SSO_AUTHORIZATION_CODE'],
    [400, { error: 'invalid_client' }, 'code: SSO_MISCONFIGURED'],
    [401, { error: 'invalid_client' }, 'code: SSO_MISCONFIGURED'],
    [400, { error: 'unauthorized_client' }, 'code: SSO_MISCONFIGURED'],
  ])('status %i with %j of the token endpoint', async (statusCode, body, fault) => {
    const sent = await visited(world);
    mock.faults.respond = { statusCode, body };
    await expectRejected(world, () => complete(world, sent), fault);
    delete mock.faults.respond;
  });

  test('an email address that the provider does not state to be verified creates no account', async () => {
    for (const claims of [{ email_verified: false }, { email_verified: undefined }, { email: undefined }]) {
      const body = await visited(world);
      mock.faults.claims = { sub: randomBytes(8).toString('hex'), ...claims };
      await expectRejected(world, () => complete(world, body), 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
      delete mock.faults.claims;
    }
  });
});
