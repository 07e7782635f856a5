import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, freePort, openBrowser } from '../machine/browser.js';
import { expectRefusal, type Gatehouse, gatehouse, type Persona, person, withTotp } from '../support/index.js';

interface Application {
  id: string;
  client_secret: string;
}

let service: Gatehouse;
let origin: string;
let owner: Persona;
let application: Application;
let receiver: Server;
let redirectUri: string;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  service = await gatehouse({ env: { PORT: String(port), PUBLIC_ORIGIN: origin, IP_AUTHORIZATION: 'off' } });
  receiver = createServer((_req, res) => res.end('<title>Arrived</title>'));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  redirectUri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callback?kept=1`;
  owner = await person(service, 'owner');
  const { body } = await service
    .as(owner)
    .post('/v1/oauth2/applications', { name: 'Sample <b>App</b>', redirect_uris: [redirectUri] });
  application = body;
});
afterAll(async () => {
  receiver?.close();
  await service.close();
});

const verifier = randomBytes(32).toString('base64url');

const pageUrl = (changes: Record<string, string> = {}): string => {
  const query = new URLSearchParams({
    client_id: application.id,
    response_type: 'code',
    scope: 'identify email',
    redirect_uri: redirectUri,
    state: 'a state & more',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  });
  return `${origin}/oauth2/authorize?${query}`;
};

describe('oauth 5.2 the consent page over HTTP', () => {
  test('it carries no inline script or style, cannot be framed and leaks no referrer', async () => {
    const answer = await service.anonymous.get('/oauth2/authorize');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const csp = answer.headers.get('content-security-policy') ?? '';
    expect(csp).toContain("default-src 'none'");
    expect(csp).toContain("frame-ancestors 'none'");
    expect(csp).not.toContain('unsafe');
    expect(answer.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    expect(answer.text).not.toMatch(/(?:src|href)="(?!\/oauth2\/authorize\/)/);
  });

  test('an unknown file below it is not found', async () => {
    expectRefusal(await service.anonymous.get('/oauth2/authorize/other.js'), 'NOT_FOUND');
  });
});

describeInBrowser('oauth 5.2 the consent page in a browser', () => {
  let browser: Browser;
  let page: Page;
  const requested: string[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    page.on('request', (request) => requested.push(new URL(request.url()).origin));
  });
  afterEach(() => page?.close());

  const signIn = async ({ email, password }: Persona) => {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const arrive = () => page.waitForURL(/\/callback\?/);

  test('signing in and allowing leads back with a code that buys tokens; the page ends its own session', async () => {
    const ada = await person(service, 'ada');
    await page.goto(pageUrl());
    await signIn(ada);
    await page.getByRole('heading', { name: 'Sample <b>App</b> asks to:' }).waitFor();
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      'see your username, your name and your picture',
      'see your e-mail address',
    ]);
    expect(await page.locator('#host').textContent()).toBe(new URL(redirectUri).host);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.getByRole('button', { name: 'Allow' }).click();
    await arrive();
    const landed = new URL(page.url());
    expect(landed.searchParams.get('kept')).toBe('1');
    expect(landed.searchParams.get('state')).toBe('a state & more');
    expect(landed.searchParams.get('iss')).toBe(origin);
    const { status, body } = await service.anonymous.form('/v1/oauth2/token', {
      grant_type: 'authorization_code',
      code: landed.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
      client_id: application.id,
      client_secret: application.client_secret,
    });
    expect(status).toBe(200);
    const info = await service.as(`Bearer ${body.access_token}`).get('/v1/oauth2/userinfo');
    expect(info.body).toMatchObject({ sub: ada.id, email: ada.email });
    const sessions = await service.as(ada).get('/v1/auth/sessions');
    expect(sessions.body).toHaveLength(1);
  });

  test('denying leads back with access_denied and grants nothing', async () => {
    const ben = await person(service, 'ben');
    await page.goto(pageUrl());
    await signIn(ben);
    await page.getByRole('button', { name: 'Deny' }).click();
    await arrive();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    expect(new URL(page.url()).searchParams.has('code')).toBe(false);
    expect((await service.as(ben).get('/v1/oauth2/@me/authorizations')).body).toEqual([]);
  });

  test('a wrong password is read out and nothing goes on', async () => {
    const cat = await person(service, 'cat');
    await page.goto(pageUrl());
    await signIn({ ...cat, password: 'not the password' });
    await page.getByRole('alert').filter({ hasText: 'The address or the password is wrong.' }).waitFor();
    expect(await page.getByLabel('Password').isVisible()).toBe(true);
  });

  test('an account with an authenticator is asked for its code', async () => {
    const dan = await person(service, 'dan');
    const { authenticator } = await withTotp(service, dan);
    await page.goto(pageUrl());
    await signIn(dan);
    await page.getByLabel('Code').fill(authenticator.next());
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await arrive();
    expect(new URL(page.url()).searchParams.has('code')).toBe(true);
  });

  test('a passkey signs in without a password', async () => {
    const eve = await person(service, 'eve');
    await service.sql('UPDATE account SET email_verified = true WHERE id = $1', [eve.id]);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(pageUrl());
    const base = '/v1/users/@me/mfa/webauthn/credentials';
    const options = await service.as(eve).post(`${base}/registration-options`, { password: eve.password });
    const optionsJSON = JSON.stringify(options.body);
    const response = await page.evaluate(`SimpleWebAuthnBrowser.startRegistration({ optionsJSON: ${optionsJSON} })`);
    const registered = await service
      .as(eve)
      .post(base, { response, challenge: options.body.challenge, name: 'Laptop' });
    expect({ status: registered.status, body: registered.body }).toEqual({ status: 204, body: undefined });
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await arrive();
    expect(new URL(page.url()).searchParams.has('code')).toBe(true);
  });

  test.each([
    ['an unknown application', { client_id: '1' }, 'This application is not known.'],
    ['an unregistered redirect', { redirect_uri: 'https://evil.example/' }, 'not allowed'],
    ['a missing scope', { scope: '' }, 'does not exist'],
    ['another response type', { response_type: 'token' }, 'not allowed'],
  ])('%s is an error on the page, and nothing is redirected', async (_, changes, words) => {
    await page.goto(pageUrl(changes as Record<string, string>));
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    expect(await page.locator('form:visible').count()).toBe(0);
    expect(new URL(page.url()).origin).toBe(origin);
  });

  test('the keyboard alone is enough, and focus goes where the next step is', async () => {
    const fay = await person(service, 'fay');
    await page.goto(pageUrl());
    await page.getByLabel('E-mail address').waitFor();
    await page.keyboard.type(fay.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(fay.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await page.waitForFunction("document.activeElement.id === 'allow'");
    await page.keyboard.press('Enter');
    await arrive();
  });

  test('the page asks no third party for anything', () => {
    expect([...new Set(requested)].sort()).toEqual([origin, new URL(redirectUri).origin].sort());
  });
});
