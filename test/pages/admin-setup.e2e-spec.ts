import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SetupToken } from '../../src/admin/setup/setup.service.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  auditOf,
  environmentOf,
  expectApiError,
  mailTo,
  offerSso,
  type Persona,
  ScriptedProvider,
  withoutAudit,
} from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { choose, heading, heldSession } from './driving.js';

const PASSWORD = 'four words that I made up';
const MAIL = '/v1/admin/instance/mail/test';
const CAPTCHA = '/v1/admin/instance/captcha/test';

const holders = ({ service }: Site) => service.sql("SELECT id::text FROM account WHERE '*' = ANY (acls)");
const step = ({ page }: Visit, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2, name, exact: true }) });
const firstSteps = (visit: Visit) => heading(visit, 'Setup checklist');

describeInBrowser('web.md 4: the first run', () => {
  let world: Site;
  let token: string;
  beforeEach(async () => {
    world = await site({ env: { CAPTCHA_PROVIDER: 'altcha' } });
    token = (await world.service.app.get(SetupToken).issueIfNeeded()) ?? '';
  });
  afterEach(() => world?.close());

  /** Registers on the page. The user comes from /admin and returns there. */
  const register = async (name: string): Promise<Visit> => {
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/admin');
    await choose(page, 'Create an account');
    await page.waitForURL('**/register?return_to=%2Fadmin');
    await page.fill('input[name=email]', `${name}.${randomBytes(4).toString('hex')}@example.com`);
    await page.fill('input[name=password]', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).press('Enter');
    await page.getByText('Setting up for the first time?').waitFor();
    return visit;
  };
  const enter = async ({ page }: Visit, value: string) => {
    await page.getByLabel('Setup token').fill(value);
    await page.getByLabel('Setup token').press('Enter');
  };

  test('from an empty instance to the console: an account, the token, the first steps with a test of each', async () => {
    const visit = await register('ada');
    const { page } = visit;
    await enter(visit, `${token}x`);
    await page.getByText('This token is invalid or was already used', { exact: false }).waitFor();
    expect(await page.getByLabel('Setup token').inputValue()).toBe(`${token}x`);
    expect(await holders(world)).toEqual([]);
    await visit.look('admin-setup-refused');
    await enter(visit, ` ${token} `);
    await page.waitForURL('**/admin/setup');
    await firstSteps(visit);
    await step(visit, 'Administrator').getByText('The setup token no longer works.', { exact: false }).waitFor();
    await visit.look('admin-setup');
    const { token: session } = await heldSession(visit);
    const { body: me } = await world.service.as(session ?? '').get('/v1/users/@me');
    expect(await holders(world)).toEqual([{ id: me.id }]);

    await step(visit, 'Email').getByText(`We’ll send it to ${me.email}.`).waitFor();
    await page.getByRole('button', { name: 'Send test email' }).press('Enter');
    await page.getByText('Email sent. Check your inbox.').waitFor();
    expect((await mailTo(world.service, me.email, 'mail_test')).subject).toBe('Test email from Gatehouse');

    await step(visit, 'CAPTCHA').getByText('ALTCHA', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Test CAPTCHA' }).press('Enter');
    await page.getByText('CAPTCHA works.').waitFor();
    expect((await auditOf(world.service, 'test_captcha'))[0]).toMatchObject({
      ...{ admin_user_id: me.id, metadata: { ok: 'true', provider: 'altcha' } },
    });

    await step(visit, 'Sign-up').getByText('Anyone can sign up.').waitFor();
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Open the sign-up page' }).press('Enter'),
    ]);
    expect(new URL(opened.url()).pathname).toBe('/register');
    await opened.close();
    await step(visit, 'Single sign-on').getByText('Off. People sign in', { exact: false }).waitFor();
    await step(visit, 'Single sign-on').getByRole('link', { name: 'Go to settings' }).press('Enter');
    await heading(visit, 'Settings');
    await visit.leave();
  });

  test('two users enter the token concurrently: one becomes administrator, the other gets an error', async () => {
    const visits = [await register('first'), await register('second')];
    await Promise.all(visits.map((visit) => enter(visit, token)));
    const outcomes = await Promise.all(
      visits.map(({ page }) =>
        Promise.race([
          page.waitForURL('**/admin/setup').then(() => 'administrator'),
          page
            .getByText('This token is invalid or was already used', { exact: false })
            .waitFor()
            .then(() => 'refused'),
        ]),
      ),
    );
    expect(outcomes.sort()).toEqual(['administrator', 'refused']);
    expect(await holders(world)).toHaveLength(1);
    expect(await auditOf(world.service, 'setup')).toHaveLength(1);
    // In the page that lost, the other wait of the race never ends.
    await Promise.all(visits.map(({ context }) => context.close()));
  });
});

describeInBrowser('web.md 4: the first steps', () => {
  let provider: ScriptedProvider;
  let verifier: Server;
  let world: Site;
  let visit: Visit;
  let root: Persona;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    verifier = createServer((req, res) => {
      let text = '';
      req.on('data', (chunk) => {
        text += chunk;
      });
      req.on('end', () => {
        const success = new URLSearchParams(text).get('response') === 'a human';
        res.setHeader('content-type', 'application/json').end(JSON.stringify({ success }));
      });
    });
    await new Promise<void>((resolve) => verifier.listen(0, '127.0.0.1', resolve));
    world = await site({
      env: {
        ...environmentOf(provider),
        ...{ MAIL_TRANSPORT: 'http', MAIL_HTTP_URL: 'http://127.0.0.1:9/nobody-listens' },
      },
    });
    await offerSso(world.service, provider);
  });
  afterAll(async () => {
    await world?.close();
    await provider?.stop();
    verifier?.close();
  });

  test('an email that cannot be sent shows the reason; single sign-on is tested from here', async () => {
    visit = await world.visit();
    const { page } = visit;
    root = await arriveAsAdministrator(world, visit, '/admin/setup');
    await firstSteps(visit);
    await step(visit, 'Email').getByText('Email sending is configured.').waitFor();
    await page.getByRole('button', { name: 'Send test email' }).press('Enter');
    await page.getByText('The email couldn’t be sent:').waitFor();
    await page.getByText('an outbound request failed: unreachable').waitFor();
    await step(visit, 'CAPTCHA').getByText('Sign-up isn’t protected from bots.', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: 'Test CAPTCHA' }).count()).toBe(0);
    expectApiError(await world.service.as(root).post(CAPTCHA, { token: 'x' }), 'FEATURE_TEMPORARILY_DISABLED');
    await page.getByRole('button', { name: 'Test connection' }).press('Enter');
    await page.getByText('Single sign-on is ready.').waitFor();
    await visit.look('admin-setup-tested');
    expect((await auditOf(world.service, 'test_mail')).at(-1)?.metadata).toEqual({ ok: 'false' });
    await visit.leave();
  });

  test('a read-only administrator sees the state without tests; direct requests are rejected', async () => {
    visit = await world.visit();
    const viewer = await arriveAsAdministrator(world, visit, '/admin/setup', 'instance:config:view');
    await firstSteps(visit);
    await step(visit, 'Single sign-on').getByText('On, alongside other sign-in methods.').waitFor();
    expect(await visit.page.locator('main button').count()).toBe(0);
    for (const [path, body] of [[MAIL], [CAPTCHA, { token: 'x' }], ['/v1/admin/instance/sso/test']] as const) {
      expectApiError(await withoutAudit(world.service, () => world.service.as(viewer).post(path, body)), 'MISSING_ACL');
    }
    await visit.leave();
  });

  test('the captcha widget is allowed only on this page, also from another view, and checked by the service', async () => {
    const { port } = verifier.address() as AddressInfo;
    const there = await site({
      env: {
        ...{ CAPTCHA_PROVIDER: 'turnstile', TURNSTILE_SITE_KEY: 'site', TURNSTILE_SECRET: 'a secret of a captcha' },
        CAPTCHA_VERIFY_URL: `http://127.0.0.1:${port}/`,
      },
    });
    try {
      visit = await there.visit();
      const { page } = visit;
      const response = await there.service.anonymous
        .with({ 'x-captcha-token': 'a human' })
        .post('/v1/auth/register', { email: 'root@example.com', password: PASSWORD, username: 'root' });
      await there.service.sql(`UPDATE account SET acls = '{*}'`);
      const widget = `window.turnstile = { render: (place, { callback }) => {
        for (const name of ['a robot', 'a human']) {
          const button = document.createElement('button');
          button.type = 'button';
          button.textContent = 'I am ' + name;
          button.onclick = () => callback(name);
          place.append(button);
        }
      } }`;
      await page.route(/challenges\.cloudflare\.com/, (route) =>
        route.fulfill({ contentType: 'text/javascript', body: widget }),
      );
      await visit.arrive('/admin/instance', response.body.token);
      await heading(visit, 'Settings');
      await page.getByRole('link', { name: 'Setup checklist' }).press('Enter');
      await firstSteps(visit);
      const solve = page.getByRole('button', { name: 'Test CAPTCHA' });
      await solve.press('Enter');
      await page.getByRole('button', { name: 'I am a robot' }).click();
      await page.getByText('The CAPTCHA was rejected.', { exact: false }).waitFor();
      await solve.press('Enter');
      await page.getByRole('button', { name: 'I am a human' }).waitFor();
      await there.service.sql(`DELETE FROM one_time_secret`);
      await page.getByRole('button', { name: 'I am a human' }).click();
      await page.getByText('CAPTCHA works.').waitFor();
      // The script of the captcha provider is the only request to another origin.
      await expect(visit.leave()).rejects.toThrow(
        /should not:\nasked another origin: https:\/\/challenges\.cloudflare\.com$/,
      );
    } finally {
      await there.close();
    }
  });

  test('without an email transport, the page says so and sends none', async () => {
    const there = await site({ env: { MAIL_TRANSPORT: 'none' } });
    try {
      visit = await there.visit();
      const admin = await arriveAsAdministrator(there, visit, '/admin/setup');
      await step(visit, 'Email').getByText('Email isn’t configured', { exact: false }).waitFor();
      expect(await visit.page.getByRole('button', { name: 'Send test email' }).count()).toBe(0);
      expectApiError(await there.service.as(admin).post(MAIL), 'FEATURE_TEMPORARILY_DISABLED');
      await visit.leave();
    } finally {
      await there.close();
    }
  });
});
