import { randomBytes } from 'node:crypto';
import { Database } from '../../src/platform/database/database.js';
import { Instance } from '../../src/platform/instance/instance.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { enforceSso, inboxAfterDelivery, mailTo, person, sessionsOf } from '../support/index.js';
import { heading, heldSession, tabTo } from './driving.js';

const PASSWORD = 'four words that I made up';
const TITLE = 'Create an account';
const fresh = () => `${randomBytes(6).toString('hex')}@example.com`;

/** Changes the registration settings, as an administrator would. */
const configure = ({ service }: Site, registration: object) =>
  service.app.get(Database).transaction((tx) => service.app.get(Instance).change(tx, 'registration', registration));

const accountsOf = async ({ service }: Site, email: string): Promise<number> =>
  (await service.sql('SELECT 1 FROM account WHERE lower(email) = lower($1)', [email])).length;

const fill = async ({ page }: Visit, email: string, password = PASSWORD) => {
  await page.fill('input[name=email]', email);
  await page.fill('input[name=password]', password);
};

describeInBrowser('web.md 2: /register', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });
  afterEach(() => visit.leave());

  const submit = () => visit.page.getByRole('button', { name: 'Create account' }).click();

  test('only by keyboard: a suggested username, a rated password, and the user is signed in', async () => {
    const { page } = visit;
    const email = fresh();
    await visit.open('/register');
    await heading(visit, TITLE);
    await visit.look('register');
    await tabTo(visit, 'global_name');
    await page.keyboard.type('Ada Lovelace');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Use “Ada_Lovelace”' }).waitFor();
    await tabTo(visit, 'Use “Ada_Lovelace”');
    await page.keyboard.press('Enter');
    expect(await page.inputValue('input[name=username]')).toBe('Ada_Lovelace');
    await tabTo(visit, 'email');
    await page.keyboard.type(email);
    await tabTo(visit, 'password');
    await page.keyboard.type('four');
    await page.getByText('Add 4 more characters.').waitFor();
    await page.keyboard.type('fourfour');
    await page.getByText('Weak: easy to guess').waitFor();
    await page.keyboard.type(' and some others');
    await page.getByText('Good', { exact: true }).waitFor();
    await visit.look('register-filled');
    await page.focus('input[name=password]');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/account');
    const { token, isKept } = await heldSession(visit);
    expect(isKept).toBe(false);
    const { body } = await world.service.as(token ?? '').get('/v1/users/@me');
    expect(body).toMatchObject({ email, username: 'Ada_Lovelace', global_name: 'Ada Lovelace' });
    await mailTo(world.service, email, 'email_verification');
  });

  test('"keep me signed in" works, and the page continues to the requesting page, and to no other origin', async () => {
    await visit.open('/register?return_to=%2Fforgot%3Fx%3D1');
    expect(await visit.page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(
      '/login?return_to=%2Fforgot%3Fx%3D1',
    );
    await fill(visit, fresh());
    await visit.page.check('input[name=keep]');
    await submit();
    await visit.page.waitForURL(`${world.origin}/forgot?x=1`);
    expect((await heldSession(visit)).isKept).toBe(true);
    const other = await world.visit();
    await other.open('/register?return_to=https%3A%2F%2Fevil.example%2F');
    await fill(other, fresh());
    await other.page.getByRole('button', { name: 'Create account' }).click();
    await other.page.waitForURL(`${world.origin}/account`);
    await other.leave();
  });

  test('a password that the service rejected is not rated as good again, and the input stays', async () => {
    const { page } = visit;
    const email = fresh();
    await visit.open('/register');
    await page.fill('input[name=global_name]', 'Ada');
    await fill(visit, email, 'Password123');
    await page.getByText('Good', { exact: true }).waitFor();
    await submit();
    const apiError = page.getByText('This password is too common.');
    await apiError.waitFor();
    expect(await page.getAttribute('input[name=password]', 'aria-invalid')).toBe('true');
    await visit.look('register-common');
    await page.fill('input[name=password]', 'password1234567');
    await page.getByText('Good', { exact: true }).waitFor();
    expect(await apiError.count()).toBe(0);
    await page.fill('input[name=password]', 'PASSWORD123');
    await apiError.waitFor();
    expect(await page.getByText('Good', { exact: true }).count()).toBe(0);
    expect(await page.inputValue('input[name=email]')).toBe(email);
    expect(await page.inputValue('input[name=global_name]')).toBe('Ada');
    expect(await accountsOf(world, email)).toBe(0);
  });

  test('errors are shown at their fields', async () => {
    const { page } = visit;
    await visit.open('/register');
    await page.fill('input[name=username]', 'no spaces');
    await fill(visit, 'somebody@nowhere', 'short');
    await submit();
    await page.getByText('Use only letters A–Z, numbers, and underscores.').waitFor();
    await page.getByText('Enter a valid email').waitFor();
    await page.getByText('Use 8 to 256 characters.').waitFor();
    await visit.look('register-refused');
  });

  test('a taken address leads to sign-in, and creates nothing', async () => {
    const owner = await person(world.service, 'owner');
    await visit.open('/register?return_to=%2Fhandoff');
    await fill(visit, owner.email.toUpperCase());
    await submit();
    const way = visit.page.getByRole('link', { name: 'Sign in with this email' });
    await way.waitFor();
    expect(await way.getAttribute('href')).toBe('/login?return_to=%2Fhandoff');
    await visit.look('register-taken');
    expect(await accountsOf(world, owner.email)).toBe(1);
    await visit.page.fill('input[name=email]', fresh());
    await way.waitFor({ state: 'detached' });
  });

  test('a double press registers once', async () => {
    const { page } = visit;
    const email = fresh();
    let requests = 0;
    let response = () => {};
    const held = new Promise<void>((resolve) => {
      response = resolve;
    });
    await page.route('**/v1/auth/register', async (route) => {
      requests++;
      await held;
      await route.continue();
    });
    await visit.open('/register');
    await fill(visit, email);
    await page.focus('input[name=password]');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create account', disabled: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create account' }).click({ force: true });
    response();
    await page.waitForURL('**/account');
    expect({ requests, accounts: await accountsOf(world, email) }).toEqual({ requests: 1, accounts: 1 });
  });

  test('offline in between shows an error, and continues later with the input', async () => {
    const email = fresh();
    await visit.open('/register');
    await fill(visit, email);
    await visit.context.setOffline(true);
    await submit();
    await visit.page.getByText('You’re offline.').waitFor();
    await visit.page.selectOption('select[name=language]', 'ar');
    await visit.page.locator('.toast').waitFor();
    await visit.context.setOffline(false);
    await visit.look('register-offline');
    await submit();
    await visit.page.waitForURL('**/account');
    expect(await accountsOf(world, email)).toBe(1);
  });

  test('a signed-in user continues, or signs out first', async () => {
    const owner = await person(world.service, 'owner');
    await visit.arrive('/register', owner.authorization);
    await heading(visit, 'You’re already signed in');
    await visit.look('register-signed-in');
    await visit.page.getByRole('button', { name: 'Sign out and create a new account' }).click();
    await heading(visit, TITLE);
    expect(await sessionsOf(world.service, owner)).toBe(0);
    expect((await heldSession(visit)).token).toBeNull();
  });

  test('a second tab learns who registered in the first', async () => {
    await visit.open('/register');
    const second = await visit.tab();
    await second.goto(`${world.origin}/login`);
    await second.waitForSelector('input[name=email]');
    await fill(visit, fresh());
    await submit();
    await visit.page.waitForURL('**/account');
    await second.getByText('You’re signed in as').waitFor();
  });
});

describeInBrowser('web.md 2: /register by instance configuration', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await site({
      env: {
        CAPTCHA_PROVIDER: 'altcha',
        BRAND_TERMS_URL: 'https://example.com/terms',
        BRAND_PRIVACY_URL: 'https://example.com/privacy',
      },
    });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });
  afterEach(async () => {
    await visit.leave();
    await configure(world, { mode: 'open', hideExistingAccounts: false });
    await enforceSso(world.service, false);
  });

  const submit = () => visit.page.getByRole('button', { name: 'Create account' }).click();
  const agree = () => visit.page.check('input[name=consent]');

  test('the terms must be accepted, and the proof of work is done invisibly', async () => {
    const { page } = visit;
    const email = fresh();
    await visit.open('/register');
    await page.getByRole('link', { name: 'terms of service' }).waitFor();
    await visit.look('register-terms');
    await fill(visit, email);
    await submit();
    // The browser itself reports the missing field.
    expect(await page.evaluate("document.querySelector('input[name=consent]').validity.valueMissing")).toBe(true);
    expect(await accountsOf(world, email)).toBe(0);
    await agree();
    await submit();
    await page.waitForURL('**/account');
    const [row] = await world.service.sql('SELECT terms_agreed_at FROM account WHERE email = $1', [email]);
    expect(row?.terms_agreed_at).not.toBeNull();
  });

  test('closed registration is reported', async () => {
    await configure(world, { mode: 'closed' });
    await visit.open('/register?return_to=%2Fhandoff');
    await heading(visit, 'Sign-up is closed');
    await visit.look('register-closed');
    await visit.page.getByRole('link', { name: 'Sign in' }).click();
    await visit.page.waitForURL(`${world.origin}/login?return_to=%2Fhandoff`);
  });

  test('registration that closes in the meantime is reported, and the input stays', async () => {
    const email = fresh();
    const known = visit.page.waitForResponse('**/.well-known/service');
    await visit.open('/register');
    await known;
    await fill(visit, email);
    await agree();
    await configure(world, { mode: 'closed' });
    await submit();
    await visit.page.getByText('New accounts aren’t available right now.').waitFor();
    expect(await visit.page.inputValue('input[name=email]')).toBe(email);
    expect(await accountsOf(world, email)).toBe(0);
  });

  test('while single sign-on is enforced, the page leads there', async () => {
    await enforceSso(world.service, true);
    await visit.open('/register');
    await heading(visit, 'Sign up with single sign-on');
    await visit.look('register-sso');
  });

  test('a registration that waits for approval shows it, also after a reload, and signs no user in', async () => {
    const email = fresh();
    await configure(world, { mode: 'approval' });
    await visit.open('/register');
    await visit.page.getByText('An administrator reviews new accounts').waitFor();
    await visit.look('register-approval-form');
    await fill(visit, email);
    await agree();
    await submit();
    await heading(visit, 'Your account is being reviewed');
    await visit.look('register-approval');
    await visit.page.reload();
    await heading(visit, 'Your account is being reviewed');
    await visit.page.getByText(email).waitFor();
    expect((await heldSession(visit)).token).toBeNull();
    await visit.page.getByRole('link', { name: 'Sign in' }).click();
    await visit.page.waitForURL('**/login');
    await visit.page.goBack();
    await heading(visit, 'Your account is being reviewed');
  });

  test('if existing accounts are hidden, a new and a taken address end in the same way', async () => {
    const owner = fresh();
    await configure(world, { hideExistingAccounts: true });
    await visit.open('/register');
    for (const round of [1, 2]) {
      await heading(visit, TITLE);
      await fill(visit, owner);
      await agree();
      await submit();
      await heading(visit, 'Check your email');
      if (round === 1) await visit.look('register-verification');
      expect((await heldSession(visit)).token).toBeNull();
      await visit.page.getByRole('button', { name: 'Use a different email' }).click();
    }
    expect(await accountsOf(world, owner)).toBe(1);
    expect(await inboxAfterDelivery(world.service, owner, 'registration_existing_account')).toHaveLength(1);
  });
});
