import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { Config } from '../../src/core/config/config.js';
import { describeInBrowser, type OwnBrowser, openBrowser } from '../machine/browser.js';
import { freePort } from '../machine/ports.js';
import {
  expectApiError,
  type Gatehouse,
  gatehouse,
  type Persona,
  person,
  signIn,
  type TestResponse,
  verifyEmail,
} from '../support/index.js';

/** The WebAuthn library, as an init script: the content security policy of the page does not apply to it. */
const LIBRARY = readFileSync(
  join(createRequire(import.meta.url).resolve('@simplewebauthn/browser'), '../../dist/bundle/index.umd.min.js'),
  'utf8',
);
const CREDENTIALS = '/v1/users/@me/mfa/webauthn/credentials';

describeInBrowser('passkeys in a browser: Chromium with its virtual authenticator', () => {
  let service: Gatehouse;
  let browser: OwnBrowser;
  let page: Page;
  let devtools: CDPSession;
  let authenticatorId: string;

  beforeAll(async () => {
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    service = await gatehouse({ env: { PORT: String(port), PUBLIC_ORIGIN: origin, IP_AUTHORIZATION: 'off' } });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const plugIn = async () => {
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    ({ authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options }));
  };

  beforeEach(async () => {
    page = await browser.newPage();
    devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await page.addInitScript(LIBRARY);
    await page.goto(`${service.app.get(Config).publicOrigin}/oauth2/authorize`);
  });
  afterEach(() => page?.close());

  /** Passes options from the service to `navigator.credentials` and returns the result. */
  const inBrowser = (operation: 'startRegistration' | 'startAuthentication', options: unknown) =>
    page.evaluate(`SimpleWebAuthnBrowser.${operation}({ optionsJSON: ${JSON.stringify(options)} })`);

  const ok = (response: TestResponse): TestResponse => {
    expect({ status: response.status, body: response.body }).toEqual({
      status: response.status === 204 ? 204 : 200,
      body: response.body,
    });
    return response;
  };

  /** Creates an account and registers a passkey of the browser for it. */
  const withPasskey = async (): Promise<Persona> => {
    const alice = await person(service, 'alice');
    await verifyEmail(service, alice);
    const { body: options } = ok(
      await service.as(alice).post(`${CREDENTIALS}/registration-options`, { password: alice.password }),
    );
    const response = await inBrowser('startRegistration', options);
    ok(await service.as(alice).post(CREDENTIALS, { response, challenge: options.challenge, name: 'This browser' }));
    return alice;
  };

  const assertion = async (options: { challenge: string }) => ({
    response: await inBrowser('startAuthentication', options),
    challenge: options.challenge,
  });

  const passkeySudo = async (alice: Persona) => {
    const { body } = ok(await service.as(alice).post('/v1/users/@me/sudo/webauthn/authentication-options'));
    const { response, challenge } = await assertion(body);
    return { mfa_method: 'webauthn', webauthn_challenge: challenge, webauthn_response: response };
  };

  const signInWithPasskey = async (): Promise<TestResponse> => {
    const { body } = ok(await service.anonymous.post('/v1/auth/webauthn/authentication-options'));
    return service.anonymous.post('/v1/auth/webauthn/authenticate', await assertion(body));
  };

  test('registration: the passkey is stored with the data of the browser, and a second one is excluded', async () => {
    await plugIn();
    const alice = await withPasskey();
    const { body: passkeys } = await service.as(alice).get(CREDENTIALS);
    expect(passkeys).toMatchObject([{ name: 'This browser', last_used_at: null }]);
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials.map(({ credentialId }) => Buffer.from(credentialId, 'base64').toString('base64url'))).toEqual([
      passkeys[0].id,
    ]);
    expect(Buffer.from(credentials[0]?.userHandle ?? '', 'base64').toString()).toBe(alice.id);
    const options = ok(await service.as(alice).post(`${CREDENTIALS}/registration-options`, await passkeySudo(alice)));
    await expect(inBrowser('startRegistration', options.body)).rejects.toThrow(/InvalidStateError/);
  });

  test('discoverable sign-in: no name, no password, no second factor', async () => {
    await plugIn();
    const alice = await withPasskey();
    const { status, body } = await signInWithPasskey();
    expect({ status, body }).toMatchObject({ status: 200, body: { user_id: alice.id } });
    expect((await service.as(body.token).get('/v1/users/@me')).body.id).toBe(alice.id);
    const { body: passkeys } = await service.as(alice).get(CREDENTIALS);
    expect(passkeys[0].last_used_at).toEqual(expect.any(String));
  });

  test('an assertion of the browser works once', async () => {
    await plugIn();
    await withPasskey();
    const { body } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    const sent = await assertion(body);
    expect((await service.anonymous.post('/v1/auth/webauthn/authenticate', sent)).status).toBe(200);
    const again = await service.anonymous.post('/v1/auth/webauthn/authenticate', sent);
    expectApiError(again, 'PASSKEY_AUTHENTICATION_FAILED');
  });

  test('second factor: the password opens a challenge that the browser completes', async () => {
    await plugIn();
    const alice = await withPasskey();
    ok(
      await service
        .as(alice)
        .put('/v1/users/@me/mfa/webauthn/two-factor', { enabled: true, ...(await passkeySudo(alice)) }),
    );
    const { email, password } = alice;
    const { body: challenge } = await service.anonymous.post('/v1/auth/login', { email, password });
    expect(challenge).toMatchObject({ mfa: true, allowed_methods: ['webauthn'] });
    const { ticket } = challenge;
    const { body: options } = ok(
      await service.anonymous.post('/v1/auth/login/mfa/webauthn/authentication-options', { ticket }),
    );
    const done = await service.anonymous.post('/v1/auth/login/mfa/webauthn', { ticket, ...(await assertion(options)) });
    expect({ status: done.status, body: done.body }).toMatchObject({ status: 200, body: { user_id: alice.id } });
  });

  test('sudo: an assertion gives a proof; a proof deletes the passkey, which then cannot sign in', async () => {
    await plugIn();
    const alice = await withPasskey();
    const proven = ok(
      await service
        .as(alice)
        .post('/v1/auth/sessions/logout', { session_id_hashes: [], ...(await passkeySudo(alice)) }),
    );
    const proof = proven.headers.get('x-service-sudo-mode-jwt') ?? '';
    const { body: passkeys } = await service.as(alice).get(CREDENTIALS);
    ok(await service.as(alice).sudo(proof).delete(`${CREDENTIALS}/${passkeys[0].id}`));
    expectApiError(await signInWithPasskey(), 'PASSKEY_AUTHENTICATION_FAILED');
    expect(await signIn(service, alice)).toMatch(/^flx_/);
  });

  test('an assertion without user verification cannot sign in without a password', async () => {
    await plugIn();
    await withPasskey();
    const { body } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    expect(body.userVerification).toBe('required');
    const sent = await assertion({ ...body, userVerification: 'discouraged' });
    const refused = await service.anonymous.post('/v1/auth/webauthn/authenticate', sent);
    expectApiError(refused, 'PASSKEY_AUTHENTICATION_FAILED');
  });

  test('the counter of the browser increases with each use', async () => {
    await plugIn();
    const alice = await withPasskey();
    const counter = async () => {
      const [row] = await service.sql('SELECT counter::int FROM passkey WHERE account_id = $1', [alice.id]);
      return row?.counter as number;
    };
    const counters = [await counter()];
    for (let use = 0; use < 2; use++) {
      expect((await signInWithPasskey()).status).toBe(200);
      counters.push(await counter());
    }
    expect(counters).toEqual([...new Set(counters)].sort((a, b) => a - b));
  });
});
