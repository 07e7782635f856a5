import { randomBytes } from 'node:crypto';
import {
  CERTIFIED_PROVIDER_ENV,
  type CertifiedProvider,
  certifiedProvider,
  visitCertifiedProvider,
} from '../machine/certified-provider.js';
import { expectInvalid, type Gatehouse, gatehouse } from '../support/index.js';
import { configureSso, startSso } from '../support/sso.js';

const CALLBACK = 'http://localhost:8080/auth/sso/callback';
const NATIVE = 'service://auth/sso/callback';

/** Users of the provider by login hint. */
const people = {
  ada: { email: 'ada@corp.example.com', name: 'Ada Lovelace', verified: true },
  eve: { email: 'eve@corp.example.com', name: 'Eve', verified: false },
  tim: { email: 'tim@corp.example.com', name: 'Tim' },
  nobody: { name: 'Nobody' },
  bare: { email: 'bare@corp.example.com', verified: true },
};

let provider: CertifiedProvider;
let service: Gatehouse;
beforeAll(async () => {
  provider = await certifiedProvider([CALLBACK, NATIVE], people);
  service = await gatehouse({ env: CERTIFIED_PROVIDER_ENV });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

describe('sso.md: with a certified provider', () => {
  const signIn = async (person: string, body: Record<string, unknown> = {}) => {
    const { authorization_url: url, state } = await startSso(service, body);
    const back = await visitCertifiedProvider(url, person);
    expect(back.searchParams.get('state')).toBe(state);
    const { code, iss } = Object.fromEntries(back.searchParams);
    const response = await service.anonymous.post('/v1/auth/sso/complete', { code, state, iss });
    return { back, answer: response };
  };

  test.each([
    ['confidential', true],
    ['posting', true],
    ['public', false],
  ])('a %s client signs in: discovery, PKCE, ID token, userinfo', async (client_id, hasSecret) => {
    const client_secret = hasSecret ? provider.clientSecret : null;
    await configureSso(service, {
      ...{ enabled: true, issuer: provider.issuer, auto_provision: true, client_id, client_secret },
    });
    const { back, answer: response } = await signIn('ada', { redirect_to: '/home' });
    expect(back.origin + back.pathname).toBe(CALLBACK);
    expect({ status: response.status, body: response.body }).toEqual({
      status: 200,
      body: expect.objectContaining({ redirect_to: '/home', token: expect.stringMatching(/^flx_/) }),
    });
    const { body: me } = await service.as(response.body.token).get('/v1/users/@me');
    expect(me).toEqual(
      expect.objectContaining({ username: 'ada', global_name: 'Ada Lovelace', email: 'ada@corp.example.com' }),
    );
    expect(await service.sql('SELECT subject FROM sso_identity')).toEqual([{ subject: 'ada' }]);
  });

  test('a native client is redirected to its own callback', async () => {
    const { back, answer: response } = await signIn('ada', { redirect_uri: NATIVE });
    expect(back.href).toMatch(/^service:\/\/auth\/sso\/callback\?/);
    expect(response.status).toBe(200);
  });

  test('an unverified address at the provider is rejected', async () => {
    const { answer: response } = await signIn('eve');
    expectInvalid(response, 'code: INVALID_SSO_TOKEN');
  });

  test('an address without a verification claim, and a user without an address, are rejected also', async () => {
    expectInvalid((await signIn('tim')).answer, 'code: INVALID_SSO_TOKEN');
    expectInvalid((await signIn('nobody')).answer, 'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
    expect(await service.sql('SELECT subject FROM sso_identity')).toEqual([{ subject: 'ada' }]);
  });

  test('without a name, the account is named after its email address', async () => {
    const { answer: response } = await signIn('bare');
    expect({ status: response.status, body: response.body }).toMatchObject({
      status: 200,
      body: { user: { username: 'bare', global_name: null } },
    });
  });

  test('a code that was already redeemed there is rejected', async () => {
    const first = await startSso(service);
    const back = await visitCertifiedProvider(first.authorization_url, 'ada');
    const code = back.searchParams.get('code');
    expect((await service.anonymous.post('/v1/auth/sso/complete', { code, state: first.state })).status).toBe(200);
    const second = await startSso(service);
    expectInvalid(
      await service.anonymous.post('/v1/auth/sso/complete', { code, state: second.state }),
      'code: INVALID_SSO_AUTHORIZATION_CODE',
    );
  });

  test('rotated keys are found immediately; a rotated client secret applies from the next exchange, also for a pending state', async () => {
    await configureSso(service, { client_id: 'confidential', client_secret: provider.clientSecret });
    expect((await signIn('ada')).answer.status).toBe(200);
    const rotated = randomBytes(24).toString('base64url');
    await provider.restart(rotated);
    const { authorization_url: url, state } = await startSso(service);
    const code = (await visitCertifiedProvider(url, 'ada')).searchParams.get('code');
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
    const { answer: response } = await signIn('ada');
    expectInvalid(response, 'code: SSO_MISCONFIGURED');
  });
});
