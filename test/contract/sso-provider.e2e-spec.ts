import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https, { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import type { Configuration } from 'oidc-provider';
import { certificate } from '../support/certificate.js';
import { expectInvalid, type Gatehouse, gatehouse } from '../support/index.js';
import { configureSso, startSso } from '../support/sso.js';

const CALLBACK = 'http://localhost:8080/auth/sso/callback';
const NATIVE = 'service://auth/sso/callback';
const { cert, key, path: NODE_EXTRA_CA_CERTS } = certificate('localhost', '127.0.0.1');
const newSecret = () => randomBytes(24).toString('base64url');
const clientSecret = newSecret();

/** Users of the provider by login hint. */
const people: Record<string, { email?: string; name?: string; verified?: boolean }> = {
  ada: { email: 'ada@corp.example.com', name: 'Ada Lovelace', verified: true },
  eve: { email: 'eve@corp.example.com', name: 'Eve', verified: false },
  tim: { email: 'tim@corp.example.com', name: 'Tim' },
  nobody: { name: 'Nobody' },
  bare: { email: 'bare@corp.example.com', verified: true },
};

/** Starts a certified OpenID provider whose users sign in and consent without a page. */
async function openProvider(): Promise<{
  readonly issuer: string;
  /** Restarts the provider with a new signing key and client secret. It does not know the old ones. */
  restart(secret: string): Promise<void>;
  close(): Promise<void>;
}> {
  const server = createServer({ cert, key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const client = { redirect_uris: [CALLBACK, NATIVE], application_type: 'native' };
  const configured = async (secret: string): Promise<Configuration> => ({
    clients: [
      { ...client, client_id: 'confidential', client_secret: secret },
      { ...client, client_id: 'public', token_endpoint_auth_method: 'none' },
      {
        ...client,
        client_id: 'posting',
        client_secret: secret,
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [await signingKey()] },
    cookies: { keys: ['a key for cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: people[id]?.email,
        email_verified: people[id]?.verified,
        name: people[id]?.name,
        preferred_username: people[id]?.name === undefined ? undefined : id,
      }),
    }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  // Mutes the advice that the library prints about production use.
  const muted = (['warn', 'info'] as const).map((level) => jest.spyOn(console, level).mockImplementation(() => {}));
  const { default: Provider } = await import('oidc-provider');
  const start = async (secret: string) => {
    const provider = new Provider(issuer, await configured(secret));
    return { provider, callback: provider.callback() };
  };
  let running = await start(clientSecret);
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const { provider, callback } = running;
    if (!req.url?.startsWith('/interaction/')) return callback(req, res);
    provider
      .interactionDetails(req, res)
      .then(({ params }) =>
        provider.interactionFinished(req, res, { login: { accountId: params.login_hint }, consent: {} }),
      )
      .catch((error) => res.destroy(error));
  });
  return {
    issuer,
    async restart(secret) {
      running = await start(secret);
    },
    async close() {
      for (const one of muted) one.mockRestore();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let keys = 0;
async function signingKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: `key ${++keys}` };
}

/** Follows redirects with cookies like a browser, until one leaves the provider. */
async function browse(url: string, person: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const start = new URL(url);
  start.searchParams.set('login_hint', person);
  let next = start;
  for (let hop = 0; hop < 10; hop++) {
    const { status, location, setCookie } = await get(next, cookies);
    for (const cookie of setCookie) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined) cookies.set(name, value ?? '');
    }
    if (location === undefined) throw new Error(`the provider answered ${status} at ${next.pathname}`);
    next = new URL(location, next);
    if (next.origin !== start.origin) return next;
  }
  throw new Error('the provider redirects without end');
}

function get(url: URL, cookies: Map<string, string>) {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  return new Promise<{ status: number; location: string | undefined; setCookie: string[] }>((resolve, reject) => {
    https
      .get(url, { ca: cert, headers: cookie ? { cookie } : {} }, (res) => {
        res.resume();
        const { location, 'set-cookie': setCookie = [] } = res.headers;
        resolve({ status: res.statusCode ?? 0, location, setCookie });
      })
      .on('error', reject);
  });
}

let provider: Awaited<ReturnType<typeof openProvider>>;
let service: Gatehouse;
beforeAll(async () => {
  provider = await openProvider();
  service = await gatehouse({ env: { SSO_ALLOW_PRIVATE_ADDRESSES: 'true', NODE_EXTRA_CA_CERTS } });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

describe('sso.md: with a certified provider', () => {
  const signIn = async (person: string, body: Record<string, unknown> = {}) => {
    const { authorization_url: url, state } = await startSso(service, body);
    const back = await browse(url, person);
    expect(back.searchParams.get('state')).toBe(state);
    const { code, iss } = Object.fromEntries(back.searchParams);
    const answer = await service.anonymous.post('/v1/auth/sso/complete', { code, state, iss });
    return { back, answer };
  };

  test.each([
    ['confidential', clientSecret],
    ['posting', clientSecret],
    ['public', null],
  ])('a %s client signs in: discovery, PKCE, ID token, userinfo', async (client_id, client_secret) => {
    await configureSso(service, {
      ...{ enabled: true, issuer: provider.issuer, auto_provision: true, client_id, client_secret },
    });
    const { back, answer } = await signIn('ada', { redirect_to: '/home' });
    expect(back.origin + back.pathname).toBe(CALLBACK);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: expect.objectContaining({ redirect_to: '/home', token: expect.stringMatching(/^flx_/) }),
    });
    const { body: me } = await service.as(answer.body.token).get('/v1/users/@me');
    expect(me).toEqual(
      expect.objectContaining({ username: 'ada', global_name: 'Ada Lovelace', email: 'ada@corp.example.com' }),
    );
    expect(await service.sql('SELECT subject FROM sso_identity')).toEqual([{ subject: 'ada' }]);
  });

  test('a native client is redirected to its own callback', async () => {
    const { back, answer } = await signIn('ada', { redirect_uri: NATIVE });
    expect(back.href).toMatch(/^service:\/\/auth\/sso\/callback\?/);
    expect(answer.status).toBe(200);
  });

  test('an unverified address at the provider is rejected', async () => {
    const { answer } = await signIn('eve');
    expectInvalid(answer, 'code: INVALID_SSO_TOKEN');
  });

  test('an address without a verification claim, and a user without an address, are rejected also', async () => {
    expectInvalid((await signIn('tim')).answer, 'code: INVALID_SSO_TOKEN');
    expectInvalid((await signIn('nobody')).answer, 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
    expect(await service.sql('SELECT subject FROM sso_identity')).toEqual([{ subject: 'ada' }]);
  });

  test('without a name, the account is named after its email address', async () => {
    const { answer } = await signIn('bare');
    expect({ status: answer.status, body: answer.body }).toMatchObject({
      status: 200,
      body: { user: { username: 'bare', global_name: null } },
    });
  });

  test('a code that was already redeemed there is rejected', async () => {
    const first = await startSso(service);
    const back = await browse(first.authorization_url, 'ada');
    const code = back.searchParams.get('code');
    expect((await service.anonymous.post('/v1/auth/sso/complete', { code, state: first.state })).status).toBe(200);
    const second = await startSso(service);
    expectInvalid(
      await service.anonymous.post('/v1/auth/sso/complete', { code, state: second.state }),
      'code: INVALID_SSO_AUTHORIZATION_CODE',
    );
  });

  test('rotated keys are found immediately; a rotated client secret applies from the next exchange, also for a pending state', async () => {
    await configureSso(service, { client_id: 'confidential', client_secret: clientSecret });
    expect((await signIn('ada')).answer.status).toBe(200);
    const rotated = newSecret();
    await provider.restart(rotated);
    const { authorization_url: url, state } = await startSso(service);
    const code = (await browse(url, 'ada')).searchParams.get('code');
    const early = await signIn('ada');
    expectInvalid(early.answer, 'code: SSO_MISCONFIGURED');
    await configureSso(service, { client_secret: rotated });
    const { status, body } = await service.anonymous.post('/v1/auth/sso/complete', { code, state });
    expect({ status, body }).toMatchObject({ status: 200, body: { token: expect.stringMatching(/^flx_/) } });
    const reused = await service.anonymous.post('/v1/auth/sso/complete', { code, state });
    expectInvalid(reused, 'state: INVALID_OR_EXPIRED_SSO_STATE');
  });

  test('a wrong client secret is SSO_MISCONFIGURED', async () => {
    await configureSso(service, { client_id: 'confidential', client_secret: 'not the secret' });
    const { answer } = await signIn('ada');
    expectInvalid(answer, 'code: SSO_MISCONFIGURED');
  });
});
