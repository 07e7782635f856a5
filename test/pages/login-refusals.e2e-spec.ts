import { describeInBrowser } from '../machine/browser.js';
import { type Site, site } from '../machine/pages.js';
import { enforceSso, person, sessionsOf } from '../support/index.js';
import { choose, hasArrived, keptIn, signInAs } from './driving.js';

const LOCKED = 1n << 35n;
const DISABLED = 1n << 38n;

describeInBrowser('web.md 2: /login has a message for every error after a correct password', () => {
  let world: Site;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  test.each([
    [
      'temporarily suspended',
      `flags = ${DISABLED}, banned = true, banned_until = now() + interval '1 hour'`,
      /temporarily suspended/,
    ],
    ['is suspended', `flags = ${DISABLED}, banned = true`, /is suspended/],
    ['awaiting approval', "traits = '{registration_pending_approval}'", /awaiting approval/],
    ['rejected', "traits = '{registration_rejected}'", /wasn’t approved/],
    ['locked for suspicious activity', `flags = ${LOCKED}`, /because of unusual activity/],
  ])('%s', async (state, columns, words) => {
    const alice = await person(world.service, 'alice');
    await world.service.sql(`UPDATE account SET ${columns} WHERE id = $1`, [alice.id]);
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await signInAs(page, alice);
    await page.getByText(words).waitFor();
    expect(await page.inputValue('[name=email]')).toBe(alice.email);
    expect(await keptIn(page)).toEqual({ tab: null, browser: null });
    expect(await sessionsOf(world.service, alice)).toBe(1);
    if (state.startsWith('locked')) {
      await visit.look('login-locked');
      await choose(page, 'Reset your password');
      await page.waitForURL('**/forgot');
    }
    await visit.leave();
  });
});

describeInBrowser('web.md 2: /login while single sign-on is enforced', () => {
  let world: Site;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  test('it is the only way, also if enforcement starts while the form is open', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await page.getByText('Create an account').waitFor();
    await enforceSso(world.service, true);
    await signInAs(page, alice);
    await page.getByText('Continue with single sign-on').waitFor();
    expect(await page.locator('main input').count()).toBe(0);
    expect(await page.locator('main button').count()).toBe(1);
    expect(await page.locator('main a').count()).toBe(0);
    await visit.look('login-sso-only');
    await page.reload();
    await page.getByText('Sign in with your organization’s account.').waitFor();
    expect(await page.locator('main button').count()).toBe(1);
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await enforceSso(world.service, false);
    await page.reload();
    await signInAs(page, alice);
    await hasArrived(page);
    await visit.leave();
  });
});

describeInBrowser('web.md 2: /login with a captcha', () => {
  let world: Site;
  beforeAll(async () => {
    world = await site({ env: { CAPTCHA_PROVIDER: 'altcha' } });
  });
  afterAll(() => world?.close());

  test('the browser solves it, and the user is signed in', async () => {
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await signInAs(page, { email: 'nobody@example.com', password: 'some password' });
    await page.getByText('Incorrect email or password').waitFor();
    await visit.leave();
  });

  test('a provider that cannot be loaded is explained', async () => {
    const visit = await world.visit();
    const { page } = visit;
    await page.route('**/.well-known/service', async (route) => {
      const response = await route.fetch();
      const body = { ...(await response.json()), captcha: { provider: 'hcaptcha', hcaptcha_site_key: 'key' } };
      await route.fulfill({ response: response, json: body });
    });
    await page.route('https://js.hcaptcha.com/**', (route) => route.abort());
    await visit.open('/login');
    await signInAs(page, { email: 'nobody@example.com', password: 'some password' });
    await page.getByText('The security check didn’t load.').waitFor();
    await visit.look('login-captcha-unavailable');
    await expect(visit.leave()).rejects.toThrow(/policy violated|another origin/);
  });
});

describeInBrowser('web.md 1: an error of the service is shown with its request ID', () => {
  let world: Site;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  const ID = 'f3b0c1de-0000-4000-8000-00000000002a';
  const broken = {
    status: 500,
    headers: { 'x-request-id': ID },
    json: { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error', request_id: ID },
  };

  test.each([
    ['/login', '**/v1/auth/login'],
    ['/account', '**/v1/users/@me'],
    ['/login', '**/v1/auth/handoff/*/status'],
  ])('%s, if %s fails', async (path, operation) => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page } = visit;
    await page.route(operation, (route) => route.fulfill(broken));
    if (path === '/account') await visit.arrive(path, alice.authorization);
    else await visit.open(path);
    if (operation.includes('handoff')) await choose(page, 'Sign in with another device');
    else if (path === '/login') await signInAs(page, alice);
    await page.getByText(ID).waitFor();
    await visit.context.close();
  });

  test('an error that the user can fix has none', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await signInAs(page, { ...alice, password: 'not the password' });
    await page.locator('.notice.bad, [aria-invalid=true]').first().waitFor();
    expect(await page.getByText('Reference number for support').count()).toBe(0);
    await visit.leave();
  });
});
