import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page, Route } from 'playwright-core';
import { describeInBrowser, freePort, openBrowser, PATIENCE_MS } from '../machine/browser.js';
import {
  earnedCaptcha,
  enforceSso,
  expectRefusal,
  type Gatehouse,
  gatehouse,
  logIn,
  mailTo,
  type Persona,
  person,
  withTotp,
} from '../support/index.js';

/** How often the page asks whether a wait is over. */
const POLL_MS = 3000;

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
  let isOwnService = true;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('request', (request) => {
      if (isOwnService) requested.push(new URL(request.url()).origin);
    });
  });
  afterEach(async () => {
    await page?.close();
    isOwnService = true;
  });

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
    await page.locator('#consent-title:focus').waitFor();
    await page.locator('#allow:enabled').waitFor();
    await page.keyboard.press('Tab');
    await page.locator('#allow:focus').waitFor();
    await page.keyboard.press('Enter');
    await arrive();
  });

  test('a second Enter, a key that is held down and a click of the first second decide nothing', async () => {
    const gus = await person(service, 'gus');
    await page.goto(pageUrl());
    await page.getByLabel('E-mail address').fill(gus.email);
    await page.getByLabel('Password').fill(gus.password);
    // The page's own time stands still in the first second, however slow the machine is.
    await page.evaluate('window.now = performance.now(); performance.now = () => window.now');
    await page.keyboard.down('Enter');
    await page.locator('#consent-title:focus').waitFor();
    for (let repeat = 0; repeat < 10; repeat++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    for (let more = 0; more < 3; more++) await page.keyboard.press('Enter');
    for (const id of ['allow', 'deny']) {
      expect(await page.evaluate(`document.getElementById('${id}').disabled`)).toBe(true);
      await page.evaluate(
        `document.getElementById('${id}').disabled = false; document.getElementById('${id}').click()`,
      );
    }
    const codes = () => service.sql('SELECT 1 FROM oauth_code WHERE account_id = $1', [gus.id]);
    expect([await codes(), new URL(page.url()).origin]).toEqual([[], origin]);
    // Afterwards a key counts when it is pressed, not while it is held.
    await page.evaluate('window.now += 1500');
    await page.locator('#allow:enabled').waitFor();
    await page.locator('#allow').focus();
    await page.evaluate(`document.getElementById('allow').dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', repeat: true, bubbles: true, cancelable: true }))`);
    await page.keyboard.down('Tab');
    await page.keyboard.up('Tab');
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await arrive();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    expect(await codes()).toEqual([]);
  });

  test("it says whose page it is, that the application is another's, and who the person is; one may be another", async () => {
    const [hal, ida] = [await person(service, 'hal'), await person(service, 'ida')];
    await service.as(hal).patch('/v1/users/@me', { global_name: 'Hal <i>Nine</i>' });
    await page.goto(pageUrl());
    const product = (await service.anonymous.get('/.well-known/service')).body.product_name;
    await page.getByText(`Sign in to ${product} to go on to Sample <b>App</b>.`).waitFor();
    await signIn(hal);
    await page.getByText(`You are Hal <i>Nine</i> (${hal.username}#`).waitFor();
    expect(await page.locator('#consent').innerText()).toContain(hal.email);
    await page.getByText(`Sample <b>App</b> is not a part of ${product}.`).waitFor();
    expect(await page.locator('#service').innerText()).toBe(product);
    await page.getByRole('button', { name: 'Use another account' }).click();
    await page.getByLabel('E-mail address').waitFor();
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    expect((await service.as(hal).get('/v1/auth/sessions')).body).toHaveLength(1);
    await signIn(ida);
    await page.getByText(`You are ${ida.username}#`).waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await arrive();
  });

  interface Elsewhere {
    readonly other: Gatehouse;
    readonly url: string;
    readonly jo: Persona;
  }

  /** The page of a service with settings of its own, with an application there. */
  async function openElsewhere(env: Record<string, string>): Promise<Elsewhere> {
    const port = await freePort();
    const PUBLIC_ORIGIN = `http://localhost:${port}`;
    const other = await gatehouse({ env: { PORT: String(port), PUBLIC_ORIGIN, IP_AUTHORIZATION: 'off', ...env } });
    // Its own captcha is in the way of registering, too.
    const captcha = async (): Promise<Record<string, string>> =>
      env.CAPTCHA_PROVIDER === 'altcha'
        ? { 'x-captcha-token': await earnedCaptcha(other) }
        : env.CAPTCHA_PROVIDER
          ? { 'x-captcha-token': `token ${randomBytes(9).toString('hex')}` }
          : {};
    const front = { ...other, anonymous: other.anonymous.with(await captcha()) };
    const jo = await person(front, 'jo');
    const { body } = await other
      .as(jo)
      .with(await captcha())
      .post('/v1/oauth2/applications', { name: 'Elsewhere', redirect_uris: [redirectUri] });
    const query = new URLSearchParams({ client_id: body.id, scope: 'identify', redirect_uri: redirectUri });
    return { other, url: `${PUBLIC_ORIGIN}/oauth2/authorize?${query}`, jo };
  }
  async function elsewhere(env: Record<string, string>, work: (there: Elsewhere) => Promise<void>): Promise<void> {
    isOwnService = false;
    const there = await openElsewhere(env);
    try {
      await work(there);
    } finally {
      await there.other.close();
    }
  }
  const allow = async () => {
    await page.getByRole('button', { name: 'Allow' }).click();
    await arrive();
    expect(new URL(page.url()).searchParams.has('code')).toBe(true);
  };

  describe('where a sign-in has to be confirmed by mail', () => {
    let there: Elsewhere;
    beforeAll(async () => {
      there = await openElsewhere({ IP_AUTHORIZATION: 'on' });
    });
    afterAll(() => there.other.close());
    beforeEach(async () => {
      isOwnService = false;
      await there.other.sql('DELETE FROM authorized_ip');
    });

    test('a poll that is lost on its way does not end the wait for the mailed link', async () => {
      const { other, url, jo } = there;
      const losses = [
        (route: Route) => route.abort('connectionreset'),
        (route: Route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
        (route: Route) =>
          route.fulfill({ status: 503, contentType: 'application/json', body: '{"code":"SERVICE_UNAVAILABLE"}' }),
        (route: Route) =>
          route.fulfill({ status: 429, contentType: 'application/json', body: '{"code":"RATE_LIMITED"}' }),
      ];
      let polls = 0;
      let confirm = () => {};
      const confirmed = new Promise<void>((resolve) => {
        confirm = resolve;
      });
      await page.route('**/v1/auth/ip-authorization/poll*', async (route) => {
        const lose = losses[polls++];
        if (lose) return lose(route);
        // The answer to the one that brings the session is lost as well.
        if (polls === losses.length + 1) {
          await confirmed;
          await route.fetch();
          return route.abort('connectionreset');
        }
        return route.continue();
      });
      await page.addInitScript(`
        const real = window.setTimeout;
        window.setTimeout = (work, time, ...rest) => real(work, time === ${POLL_MS} ? 50 : time, ...rest)`);
      await page.goto(url);
      await signIn(jo);
      await page.getByRole('heading', { name: 'Confirm this sign-in' }).waitFor();
      const { token } = (await mailTo(other, jo.email, 'ip_authorization')).metadata;
      await other.anonymous.post('/v1/auth/authorize-ip', { token });
      confirm();
      await page.getByText(`You are ${jo.username}#`).waitFor();
      expect(polls).toBeGreaterThan(losses.length + 1);
      await allow();
      expect((await other.as(jo).get('/v1/auth/sessions')).body).toHaveLength(1);
    });

    test('a wait whose ticket is gone ends with words and the form', async () => {
      const { other, url, jo } = there;
      await page.goto(url);
      await signIn(jo);
      await page.getByRole('heading', { name: 'Confirm this sign-in' }).waitFor();
      await other.sql('DELETE FROM one_time_secret');
      await page.getByRole('alert').filter({ hasText: 'That took too long' }).waitFor();
      expect(await page.getByLabel('Password').isVisible()).toBe(true);
    });
  });

  test('where a captcha is asked for, the page earns it: the work of the service itself', async () => {
    await elsewhere({ CAPTCHA_PROVIDER: 'altcha' }, async ({ url, jo }) => {
      await page.goto(url);
      await signIn({ ...jo, password: 'not the password' });
      await page.getByRole('alert').filter({ hasText: 'The address or the password is wrong.' }).waitFor();
      await signIn(jo);
      await allow();
    });
  });

  test.each([
    ['hcaptcha', 'HCAPTCHA', /hcaptcha\.com/],
    ['turnstile', 'TURNSTILE', /challenges\.cloudflare\.com/],
  ])('where a captcha is asked for, the page shows it: the widget of %s', async (provider, prefix, host) => {
    const verifier = createServer((req, res) => {
      let text = '';
      req.on('data', (chunk) => {
        text += chunk;
      });
      req.on('end', () => {
        const success = String(new URLSearchParams(text).get('response')).startsWith('token ');
        res.setHeader('content-type', 'application/json').end(JSON.stringify({ success }));
      });
    });
    await new Promise<void>((resolve) => verifier.listen(0, '127.0.0.1', resolve));
    const env = {
      ...{ CAPTCHA_PROVIDER: provider, [`${prefix}_SITE_KEY`]: 'site', [`${prefix}_SECRET`]: 'a secret of a captcha' },
      CAPTCHA_VERIFY_URL: `http://127.0.0.1:${(verifier.address() as AddressInfo).port}/`,
    };
    try {
      await elsewhere(env, async ({ url, jo }) => {
        const widget = `window.${provider} = { render: (place, { sitekey, callback }) => {
          const button = document.createElement('button');
          button.type = 'button';
          button.textContent = 'I am human, says ' + sitekey;
          button.onclick = () => callback('token ' + Math.random());
          place.append(button);
        } }`;
        await page.route(host, (route) => route.fulfill({ contentType: 'text/javascript', body: widget }));
        await page.goto(url);
        await signIn(jo);
        await page.getByRole('button', { name: 'I am human, says site' }).click();
        await allow();
      });
    } finally {
      verifier.close();
    }
  });

  test('single sign-on and a captcha that cannot be loaded lock nobody out: another device lets the page in', async () => {
    const [kim, lee] = [await person(service, 'kim'), await person(service, 'lee')];
    await page.route('**/v1/auth/login', (route) =>
      route.fulfill({ status: 400, contentType: 'application/json', body: '{"code":"CAPTCHA_REQUIRED"}' }),
    );
    await page.goto(pageUrl());
    await signIn(kim);
    await page.getByRole('alert').filter({ hasText: 'cannot be loaded' }).waitFor();
    await page.getByRole('button', { name: 'Sign in with a device that is signed in' }).click();
    await page.locator('#handoff-code').filter({ hasText: /./ }).waitFor();
    await page.getByRole('button', { name: 'Sign in another way' }).click();
    await page.getByLabel('E-mail address').waitFor();
    expect((await service.anonymous.get('/health/live')).status).toBe(200);

    const session = await logIn(service, lee);
    await enforceSso(service, true);
    await page.goto(pageUrl());
    await page.locator('#device:focus').waitFor();
    expect(await page.getByLabel('Password').isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    const code = await page.locator('#handoff-code').filter({ hasText: /./ }).innerText();
    const me = service.as(session.body.token);
    expect((await me.get(`/v1/auth/handoff/${code}/info`)).body.status).toBe('pending');
    expect((await me.post('/v1/auth/handoff/complete', { code, user_id: lee.id })).status).toBe(204);
    await page.getByText(`You are ${lee.username}#`).waitFor();
    await allow();
    await enforceSso(service, false);
  });

  test('the page asks no third party for anything', () => {
    expect([...new Set(requested)].sort()).toEqual([origin, new URL(redirectUri).origin].sort());
  });
});
