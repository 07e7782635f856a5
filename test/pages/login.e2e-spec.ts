import { describeInBrowser } from '../machine/browser.js';
import { type Site, site } from '../machine/pages.js';
import { person, sessionsOf } from '../support/index.js';
import { choose, hasArrived, keptIn, signInAs, type } from './driving.js';

const WRONG = 'Incorrect email or password';

describeInBrowser('web.md 2: /login by password', () => {
  let world: Site;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  test('only by keyboard: the user is signed in, in this tab, and continues to the account', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await page.waitForSelector('input[name=email]:focus');
    await page.keyboard.type(alice.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(alice.password);
    await page.keyboard.press('Enter');
    await hasArrived(page);
    expect(await keptIn(page)).toEqual({ tab: expect.stringMatching(/^flx_/), browser: null });
    await visit.leave();
  });

  test('"keep me signed in" stays after the tab is closed, and the back button does not return to the form', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/forgot');
    await visit.open('/login');
    await page.waitForSelector('input[name=keep]');
    await visit.look('login');
    await page.focus('input[name=keep]');
    await page.keyboard.press('Space');
    await signInAs(page, alice);
    await hasArrived(page);
    expect(await keptIn(page)).toEqual({ tab: null, browser: expect.stringMatching(/^flx_/) });
    await page.goBack();
    expect(new URL(page.url()).pathname).toBe('/forgot');
    await visit.leave();
  });

  test('a wrong password is reported at its field, and the input stays', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await signInAs(page, { ...alice, password: 'not the password' });
    const wrong = page.locator('.wrong', { hasText: WRONG });
    await wrong.waitFor();
    expect(await page.locator('.wrong').count()).toBe(1);
    expect(await page.getAttribute('[name=password]', 'aria-describedby')).toBe(await wrong.getAttribute('id'));
    expect(await page.inputValue('[name=email]')).toBe(alice.email);
    await visit.look('login-wrong');
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await type(page, 'password', alice.password);
    await page.keyboard.press('Enter');
    await hasArrived(page);
    await visit.leave();
  });

  test('two presses of Enter sign in once', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    let sent = 0;
    await page.route('**/v1/auth/login', (route) => {
      sent++;
      return route.continue();
    });
    await type(page, 'email', alice.email);
    await type(page, 'password', alice.password);
    await page.evaluate('const form = document.forms[0]; form.requestSubmit(); form.requestSubmit();');
    await hasArrived(page);
    expect([sent, await sessionsOf(world.service, alice)]).toEqual([1, 2]);
    await visit.leave();
  });

  test.each([
    ['/forgot?a=b', '/forgot?a=b'],
    ['//evil.example/x', '/account'],
    ['/\\evil.example', '/account'],
    ['https://evil.example/', '/account'],
    ['javascript:alert(1)', '/account'],
    ['/.//evil.example', '/account'],
    ['/x/..//evil.example', '/account'],
    ['/%2e//evil.example', '/account'],
    ['/./\\evil.example', '/account'],
    ['/account/../forgot', '/forgot'],
  ])('return_to=%s leads to %s', async (wanted, expected) => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page } = visit;
    await visit.open(`/login?return_to=${encodeURIComponent(wanted)}`);
    await signInAs(page, alice);
    await page.waitForURL((url) => url.pathname !== '/login');
    const { origin, pathname, search } = new URL(page.url());
    expect(origin).toBe(world.origin);
    expect(`${pathname}${search}`).toMatch(new RegExp(`^${expected.replace('?', '\\?')}`));
    await visit.leave();
  });

  test('links to other pages keep the destination', async () => {
    const visit = await world.visit();
    await visit.open('/login?return_to=/account/password');
    const href = (words: string) => visit.page.getByText(words, { exact: true }).getAttribute('href');
    expect(await href('Create an account')).toBe('/register?return_to=%2Faccount%2Fpassword');
    expect(await href('Forgot password?')).toBe('/forgot?return_to=%2Faccount%2Fpassword');
    await visit.leave();
  });

  test('the typed email address is filled in on the other pages, and is not in their URL', async () => {
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await type(page, 'email', 'ada@example.com');
    await choose(page, 'Forgot password?');
    await page.waitForURL((url) => url.pathname === '/forgot');
    await page.waitForSelector('[name=email]:focus');
    expect(await page.inputValue('[name=email]')).toBe('ada@example.com');
    await choose(page, 'Back to sign-in');
    await page.waitForURL((url) => url.pathname === '/login');
    await page.waitForSelector('[name=password]:focus');
    await choose(page, 'Create an account');
    await page.waitForURL((url) => url.pathname === '/register');
    await page.waitForSelector('[name=global_name]:focus');
    expect(await page.inputValue('[name=email]')).toBe('ada@example.com');
    expect(await page.getAttribute('[name=email]', 'autocomplete')).toBe('username');
    expect(page.url()).not.toContain('ada');
    await visit.leave();
  });

  test('if registration is closed, no link leads there', async () => {
    const visit = await world.visit();
    await visit.page.route('**/.well-known/service', async (route) => {
      const response = await route.fetch();
      const body = { ...(await response.json()), registration: { mode: 'closed' } };
      await route.fulfill({ response: response, json: body });
    });
    const known = visit.page.waitForResponse('**/.well-known/service');
    await visit.open('/login');
    await (await known).finished();
    await visit.page.getByText('Forgot password?').waitFor();
    expect(await visit.page.getByText('Create an account').count()).toBe(0);
    await visit.leave();
  });

  test('offline in between shows an error, nothing is lost, and it continues when the connection is back', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page, context } = visit;
    await visit.open('/login');
    await page.getByText('Create an account').waitFor();
    await context.setOffline(true);
    await signInAs(page, alice);
    await page.getByText('You’re offline.').waitFor();
    await context.setOffline(false);
    await visit.look('login-offline');
    expect(await page.inputValue('[name=password]')).toBe(alice.password);
    await page.focus('[name=password]');
    await page.keyboard.press('Enter');
    await hasArrived(page);
    await visit.leave();
  });

  test('a slow response keeps the button busy, and too many attempts show a countdown on it', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page } = visit;
    let response = (): void => {};
    const isTime = new Promise<void>((resolve) => {
      response = resolve;
    });
    const apiError = { code: 'RATE_LIMITED', message: 'You are being rate limited.', retry_after: 2 };
    await page.route('**/v1/auth/login', async (route) => {
      await isTime;
      await route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: apiError });
      await page.unroute('**/v1/auth/login');
    });
    await visit.open('/login');
    await signInAs(page, alice);
    await page.locator('button[type=submit][aria-busy=true]').waitFor();
    response();
    await page.getByText(/^Try again in \d seconds?$/).waitFor();
    expect(await page.getByText('Too many attempts. Try again later').count()).toBe(1);
    await page.getByText(/^Try again in \d seconds?$/).waitFor({ state: 'detached' });
    await choose(page, 'Sign in');
    await hasArrived(page);
    await visit.leave();
  });

  test('a signed-in user continues, or uses another account, whose session replaces theirs', async () => {
    const [alice, bob] = [await person(world.service, 'alice'), await person(world.service, 'bob')];
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await signInAs(page, alice);
    await hasArrived(page);
    await visit.open('/login?return_to=/forgot');
    await page.getByText('You’re signed in as alice.').waitFor();
    await visit.look('login-signed-in');
    await choose(page, 'Continue as alice');
    await page.waitForURL((url) => url.pathname === '/forgot');
    await visit.open('/login');
    await choose(page, 'Use a different account');
    await signInAs(page, bob);
    await hasArrived(page);
    expect([await sessionsOf(world.service, alice), await sessionsOf(world.service, bob)]).toEqual([1, 2]);
    await visit.leave();
  });

  test('an ended session is detected: the form is shown instead', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await signInAs(page, alice);
    await hasArrived(page);
    await visit.open('/forgot');
    await world.service.sql('UPDATE session SET revoked_at = now() WHERE account_id = $1', [alice.id]);
    await visit.open('/login');
    await page.waitForSelector('input[name=email]');
    await page.getByText('You’ve been signed out. Sign in again to continue.').waitFor();
    expect(await keptIn(page)).toEqual({ tab: null, browser: null });
    await visit.leave();
  });

  test('two tabs: a sign-in in one appears in the other', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit();
    await visit.open('/login');
    const other = await visit.tab();
    await other.goto(`${world.origin}/login`);
    await signInAs(other, alice);
    await hasArrived(other);
    await visit.page.getByText('You’re signed in as alice.').waitFor();
    await visit.leave();
  });

  test('"you were signed out" is shown if another page requests it', async () => {
    const visit = await world.visit();
    await visit.open('/login?signed_out=elsewhere');
    await visit.page.getByText('You’ve been signed out. Sign in again to continue.').waitFor();
    await visit.look('login-signed-out');
    await visit.leave();
  });

  test('weight: the first paint loads four files of at most 60 KB, and typing does not wait for the service', async () => {
    const visit = await world.visit();
    const { page } = visit;
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'document' || !request.url().includes('/assets/')) return;
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.route(/\/(?:v1|\.well-known)\//, () => {});
    await visit.open('/login');
    await page.waitForSelector('input[name=email]');
    const bytes = await Promise.all(sizes);
    expect(bytes.length).toBeLessThanOrEqual(4);
    expect(bytes.length).toBeGreaterThanOrEqual(3);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60 * 1024);
    await type(page, 'email', 'alice@example.com');
    await type(page, 'password', 'a password');
    expect(await page.inputValue('[name=email]')).toBe('alice@example.com');
    await visit.leave();
  });
});
