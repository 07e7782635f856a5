import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeInBrowser } from '../machine/browser.js';
import { type Asking, allowing, asking, captchaFor, enter, NAME, question } from '../machine/consent-application.js';
import { type Site, site } from '../machine/pages.js';
import { enforceSso, logIn, mailTo, person, signIn, withTotp } from '../support/index.js';

/** How often the page polls while it waits. */
const POLL_MS = 3000;
const HERE = { exact: true };

describeInBrowser('oauth 5.2 the consent page: ways to sign in', () => {
  let world: Site;
  let app: Asking;
  beforeAll(async () => {
    world = await site();
    app = await asking(world.service, async () => ({}));
  });
  afterAll(async () => {
    app?.close();
    await world?.close();
  });

  /** Runs `work` on a service with its own settings and an application. */
  async function elsewhere(env: Record<string, string>, work: (there: Site, its: Asking) => Promise<void>) {
    const there = await site({ env });
    const its = await asking(there.service, () => captchaFor(there.service, env.CAPTCHA_PROVIDER));
    try {
      await work(there, its);
    } finally {
      its.close();
      await there.close();
    }
  }

  test('a wrong password is announced and nothing continues', async () => {
    const cat = await person(world.service, 'cat');
    const visit = await world.visit();
    await visit.open(app.path());
    await enter(visit.page, { ...cat, password: 'not the password' });
    await visit.page.getByRole('alert').filter({ hasText: 'Incorrect email or password' }).waitFor();
    expect(await visit.page.getByLabel('Password', HERE).inputValue()).toBe('not the password');
    await enter(visit.page, cat);
    await question(visit.page).waitFor();
    await visit.leave();
  });

  test('an account with an authenticator must enter its code; a reload in between loses nothing', async () => {
    const dan = await person(world.service, 'dan');
    const { authenticator } = await withTotp(world.service, dan);
    const visit = await world.visit();
    const { page } = visit;
    await visit.open(app.path());
    await enter(page, dan);
    await page.getByLabel('Verification code', HERE).waitFor();
    await page.reload();
    await page.getByLabel('Verification code', HERE).fill(authenticator.next());
    expect((await allowing(page)).has('code')).toBe(true);
    await visit.leave();
  });

  describe('if a sign-in must be confirmed by email', () => {
    let there: Site;
    let its: Asking;
    beforeAll(async () => {
      there = await site({ env: { IP_AUTHORIZATION: 'on' } });
      its = await asking(there.service, async () => ({}));
    });
    afterAll(async () => {
      its?.close();
      await there?.close();
    });
    beforeEach(() => there.service.sql('DELETE FROM authorized_ip'));

    test('a lost poll does not end the wait for the emailed link', async () => {
      const jo = its.owner;
      const visit = await there.visit();
      const { page } = visit;
      const apiError = (status: number, code: string) => ({ status, json: { code, message: code } });
      const losses = [
        'failed' as const,
        { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' },
        apiError(503, 'SERVICE_UNAVAILABLE'),
        apiError(429, 'RATE_LIMITED'),
      ];
      let polls = 0;
      let confirm = () => {};
      const confirmed = new Promise<void>((resolve) => {
        confirm = resolve;
      });
      await page.route('**/v1/auth/ip-authorization/poll*', async (route) => {
        const loss = losses[polls++];
        if (loss) return loss === 'failed' ? route.abort(loss) : route.fulfill(loss);
        // The response to the poll that returns the session is lost as well.
        if (polls === losses.length + 1) {
          await confirmed;
          await route.fetch();
          return route.abort('failed');
        }
        return route.continue();
      });
      await page.addInitScript(`
        const real = window.setTimeout;
        window.setTimeout = (work, time, ...rest) => real(work, time === ${POLL_MS} ? 50 : time, ...rest)`);
      await visit.open(its.path());
      await enter(page, jo);
      await page.getByRole('heading', { name: 'Check your email' }).waitFor();
      const { token } = (await mailTo(there.service, jo.email, 'ip_authorization')).metadata;
      await there.service.anonymous.post('/v1/auth/authorize-ip', { token });
      confirm();
      await page.getByText(`Signed in as ${jo.username}#`).waitFor();
      expect(polls).toBeGreaterThan(losses.length + 1);
      expect((await allowing(page)).has('code')).toBe(true);
      expect((await there.service.as(jo).get('/v1/auth/sessions')).body).toHaveLength(1);
      await context502(visit);
    });

    /**
     * Of the failed polls, only the 502 leaves an error in the console, because the browser check ignores 4xx and 503.
     */
    const context502 = (visit: { leave(): Promise<void> }) => expect(visit.leave()).rejects.toThrow(/status of 502/);

    test('a wait whose ticket expired ends with a message and the form', async () => {
      const visit = await there.visit();
      const { page } = visit;
      await visit.open(its.path());
      await enter(page, its.owner);
      await page.getByRole('heading', { name: 'Check your email' }).waitFor();
      await there.service.sql('DELETE FROM one_time_secret');
      await page.getByRole('alert').filter({ hasText: 'no longer waiting for approval' }).waitFor();
      expect(await page.getByLabel('Password', HERE).isVisible()).toBe(true);
      await visit.leave();
    });
  });

  test('if a captcha is required, the page solves it: the proof of work of the service', async () => {
    await elsewhere({ CAPTCHA_PROVIDER: 'altcha' }, async (there, its) => {
      const visit = await there.visit();
      await visit.open(its.path());
      await enter(visit.page, { ...its.owner, password: 'not the password' });
      await visit.page.getByRole('alert').filter({ hasText: 'Incorrect email or password' }).waitFor();
      await enter(visit.page, its.owner);
      expect((await allowing(visit.page)).has('code')).toBe(true);
      await visit.leave();
    });
  });

  test.each([
    ['hcaptcha', 'HCAPTCHA', /js\.hcaptcha\.com/],
    ['turnstile', 'TURNSTILE', /challenges\.cloudflare\.com/],
  ])('if a captcha is required, the page shows it: the widget of %s', async (provider, prefix, host) => {
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
      await elsewhere(env, async (there, its) => {
        const visit = await there.visit();
        const { page } = visit;
        const widget = `window.${provider} = { render: (place, { sitekey, callback }) => {
          const button = document.createElement('button');
          button.type = 'button';
          button.textContent = 'I am human, says ' + sitekey;
          button.onclick = () => callback('token ' + Math.random());
          place.append(button);
        } }`;
        await page.route(host, (route) => route.fulfill({ contentType: 'text/javascript', body: widget }));
        await visit.open(its.path());
        await enter(page, its.owner);
        await page.getByRole('button', { name: 'I am human, says site' }).click();
        expect((await allowing(page)).has('code')).toBe(true);
        // The script of the captcha provider is the only request to another origin.
        await expect(visit.leave()).rejects.toThrow(
          new RegExp(`should not:\\nasked another origin: https://${host.source}$`),
        );
      });
    } finally {
      verifier.close();
    }
  });

  test('if a captcha cannot be loaded, the user can sign in with another device', async () => {
    const [kim, lee] = [await person(world.service, 'kim'), await person(world.service, 'lee')];
    const visit = await world.visit();
    const { page } = visit;
    await page.route('**/v1/auth/login', (route) =>
      route.fulfill({ status: 400, json: { code: 'CAPTCHA_REQUIRED', message: 'x' } }),
    );
    await visit.open(app.path());
    await enter(page, kim);
    await page.getByRole('alert').filter({ hasText: 'didn’t load' }).waitFor();
    const session = await logIn(world.service, lee);
    await page.getByRole('button', { name: 'Sign in with another device' }).click();
    const code = await page.locator('output').innerText();
    const me = world.service.as(session.body.token);
    expect((await me.get(`/v1/auth/handoff/${code}/info`)).body.status).toBe('pending');
    expect((await me.post('/v1/auth/handoff/complete', { code, user_id: lee.id })).status).toBe(204);
    await page.getByText(`Signed in as ${lee.username}#`).waitFor();
    expect((await allowing(page)).has('code')).toBe(true);
    await visit.leave();
  });

  test('while single sign-on is enforced, its provider returns to the same request', async () => {
    const max = await person(world.service, 'max');
    const token = await signIn(world.service, max);
    await enforceSso(world.service, true);
    try {
      const visit = await world.visit();
      const { page } = visit;
      let start: { redirect_to?: string } = {};
      await page.route('**/v1/auth/sso/start', (route) => {
        start = route.request().postDataJSON();
        const back = `${world.origin}/auth/sso/callback`;
        const json = { authorization_url: `${back}?code=c&state=s`, state: 's', redirect_uri: back };
        return route.fulfill({ json });
      });
      await page.route('**/v1/auth/sso/complete', (route) =>
        route.fulfill({ json: { token, user_id: max.id, user: { id: max.id }, redirect_to: start.redirect_to } }),
      );
      await visit.open(app.path());
      await page.getByText('Sign in with your organization’s account.').waitFor();
      expect(await page.getByLabel('Password', HERE).count()).toBe(0);
      await visit.look('consent-sso');
      await page.getByRole('button', { name: /^Continue with/ }).click();
      await page.getByText(`Signed in as ${max.username}#`).waitFor();
      expect(start.redirect_to).toBe(app.path());
      expect((await allowing(page)).has('code')).toBe(true);
      await visit.leave();
    } finally {
      await enforceSso(world.service, false);
    }
  });

  test('with another frontend, the page links to none of ours; a device can approve the sign-in', async () => {
    await elsewhere({ WEB_APP_URL: 'https://app.example', CORS_ORIGINS: '' }, async (there, its) => {
      const session = await logIn(there.service, its.owner);
      const visit = await there.visit();
      const { page } = visit;
      await visit.open(its.path());
      await page.getByText(`to continue to ${NAME}.`).waitFor();
      await page.getByRole('button', { name: 'Sign in with another device' }).waitFor();
      const links = page.getByRole('link');
      expect(
        await links.evaluateAll((all) => all.map((link) => (link as unknown as { pathname: string }).pathname)),
      ).toEqual(['/dev/inbox']);
      await enforceSso(there.service, true);
      await page.reload();
      await page.getByText('Sign in with your organization on another page').waitFor();
      expect(await page.getByLabel('Password', HERE).count()).toBe(0);
      expect(await page.getByRole('button', { name: /^Continue with/ }).count()).toBe(0);
      await visit.look('consent-elsewhere');
      await page.getByRole('button', { name: 'Sign in with another device' }).focus();
      await page.keyboard.press('Enter');
      const code = await page.locator('output').innerText();
      await visit.look('consent-elsewhere-device');
      const me = there.service.as(session.body.token);
      await me.get(`/v1/auth/handoff/${code}/info`).expect(200);
      await me.post('/v1/auth/handoff/complete', { code, user_id: its.owner.id }).expect(204);
      await page.getByText(`Signed in as ${its.owner.username}#`).waitFor();
      expect((await allowing(page)).has('code')).toBe(true);
      await visit.leave();
    });
  });
});
