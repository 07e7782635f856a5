import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  changeEmail,
  eventually,
  inboxAfterDelivery,
  logIn,
  mailTo,
  type Persona,
  person,
  sessionsOf,
  withTotp,
} from '../support/index.js';
import { heading, heldSession, tabTo } from './driving.js';
import { mailedLink } from './mailed.js';

const NEW_PASSWORD = 'a password of four words';
const DEAD = 'This link has expired';
const INCOMPLETE = 'This link is incomplete';
/** No user has signed in from this IP address. The service already knows the IP address of the test clients. */
const STRANGE = '127.0.44.1';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

let world: Site;
let visit: Visit;
let owner: Persona;
beforeEach(async () => {
  visit = await world.visit();
  owner = await person(world.service, 'owner');
});
afterEach(() => visit.leave());

const press = (name: string) => visit.page.getByRole('button', { name }).click();
const isVerified = async ({ id }: Persona): Promise<boolean> =>
  (await world.service.sql('SELECT email_verified FROM account WHERE id = $1', [id]))[0]?.email_verified;
const expire = () => world.service.sql("UPDATE one_time_secret SET expires_at = now() - interval '1 minute'");

describeInBrowser('web.md 2: /auth/verify', () => {
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  const link = (count = 1) => mailedLink(world, owner.email, 'email_verification', count);

  test('opening does nothing, the button confirms, by keyboard and after a reload', async () => {
    const { page } = visit;
    await page.goto(await link());
    await heading(visit, 'Verify your email');
    expect(page.url()).toBe(`${world.origin}/auth/verify`);
    await visit.look('verify');
    await page.reload();
    await heading(visit, 'Verify your email');
    expect(await isVerified(owner)).toBe(false);
    await tabTo(visit, 'Verify email');
    await page.keyboard.press('Enter');
    await heading(visit, 'Email verified');
    await page.locator('h1:focus').waitFor();
    expect(await isVerified(owner)).toBe(true);
    await visit.look('verify-done');
    await page.reload();
    await heading(visit, 'Email verified');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.waitForURL('**/login');
  });

  test('a signed-in user continues to the account', async () => {
    await visit.arrive('/account', owner.authorization, { isKept: true });
    const tab = await visit.tab();
    await tab.goto(await link());
    await tab.getByRole('button', { name: 'Verify email' }).click();
    await tab.getByRole('link', { name: 'Go to your account' }).click();
    await tab.waitForURL('**/account');
    await tab.getByRole('heading', { name: owner.username }).first().waitFor();
  });

  test('an expired link is replaced by a new one for a signed-in user, and explained to others', async () => {
    const { page } = visit;
    const first = await link();
    await expire();
    await page.goto(first);
    await press('Verify email');
    await heading(visit, DEAD);
    await visit.look('verify-dead');
    const way = await page.getByRole('link', { name: 'Sign in' }).getAttribute('href');
    expect(way).toBe('/login?return_to=%2Fauth%2Fverify');
    await visit.arrive('/auth/verify', owner.authorization);
    await press('Send a new link');
    await page.getByText('we’ve sent a new link').waitFor();
    await visit.look('verify-resent');
    // In the same tab, where only the fragment of the URL changes.
    await page.goto(await link(2));
    await press('Verify email');
    await heading(visit, 'Email verified');
    expect(await isVerified(owner)).toBe(true);
    await page.goto(first);
    await press('Verify email');
    await heading(visit, DEAD);
    await page.getByText('Your email is already verified.').waitFor();
    await visit.look('verify-already');
  });

  test('a double press sends it once; a second tab learns that it was used', async () => {
    const { page } = visit;
    let requests = 0;
    await page.route('**/v1/auth/verify', async (route) => {
      requests++;
      await route.continue();
    });
    const mailed = await link();
    await page.goto(mailed);
    const tab = await visit.tab();
    await tab.goto(mailed);
    await page.getByRole('button', { name: 'Verify email' }).dblclick();
    await heading(visit, 'Email verified');
    expect(requests).toBe(1);
    await tab.getByRole('button', { name: 'Verify email' }).click();
    await heading({ page: tab }, DEAD);
  });

  test('a missing or incomplete token, and a lost connection, are reported', async () => {
    const { page } = visit;
    await visit.open('/auth/verify');
    await heading(visit, INCOMPLETE);
    await visit.look('verify-incomplete');
    const mailed = await link();
    await page.goto(mailed.slice(0, -7));
    await press('Verify email');
    await heading(visit, INCOMPLETE);
    await page.goto(mailed);
    // Another link to the page that is already shown. The page reloads for it, and the test waits for that.
    await page.getByRole('button', { name: 'Verify email' }).waitFor();
    await visit.context.setOffline(true);
    await press('Verify email');
    await page.getByText('You’re offline.').waitFor();
    await visit.context.setOffline(false);
    await visit.look('verify-offline');
    await press('Verify email');
    await heading(visit, 'Email verified');
  });
});

describeInBrowser('web.md 2: /auth/authorize-ip', () => {
  beforeAll(async () => {
    world = await site({ env: { IP_AUTHORIZATION: 'on' } });
  });
  afterAll(() => world?.close());

  /** A sign-in from another IP address that waits for confirmation. */
  const held = async () => {
    const { email, password } = owner;
    const stranger = world.service.anonymous.from(STRANGE).with({ 'user-agent': FIREFOX });
    const { status, body } = await stranger.post('/v1/auth/login', { email, password });
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'IP_AUTHORIZATION_REQUIRED' });
    const link = await mailedLink(world, owner.email, 'ip_authorization');
    const poll = () => stranger.get('/v1/auth/ip-authorization/poll', { query: { ticket: body.ticket } });
    return { link, poll };
  };

  test('opening does nothing, the button lets the other page continue', async () => {
    const { page } = visit;
    const { link, poll } = await held();
    await page.goto(link);
    await heading(visit, 'Was this you?');
    expect(page.url()).toBe(`${world.origin}/auth/authorize-ip`);
    const facts = async () => (await page.locator('dl.facts').innerText()).split('\n').filter(Boolean);
    await page.getByText('Firefox', { exact: true }).waitFor();
    const shown = ['Browser', 'Firefox', 'Operating system', 'Linux', 'IP address', STRANGE, 'Time'];
    expect(await facts()).toEqual([...shown, expect.stringMatching(/20\d\d/)]);
    await visit.look('authorize-ip');
    expect((await poll()).body).toEqual({ completed: false });
    await tabTo(visit, 'Yes, it was me');
    await page.keyboard.press('Enter');
    await heading(visit, 'Sign-in approved');
    await page.getByText('Go back to the page where you were signing in').waitFor();
    expect((await facts()).slice(0, -1)).toEqual(shown);
    await visit.look('authorize-ip-done');
    expect((await poll()).body).toMatchObject({ completed: true, user_id: owner.id });
    expect((await heldSession(visit)).token).toBeNull();
    await page.reload();
    await heading(visit, 'Sign-in approved');
    await page.goto(link);
    await press('Yes, it was me');
    await heading(visit, DEAD);
    await visit.look('authorize-ip-dead');
  });

  test('text in a link that is not the name of a browser, an IP address or a time is not shown', async () => {
    const { page } = visit;
    const facts = { browser: 'Call us', system: 'Windows', ip: 'now', at: '2030-01-24T15:40:00.000Z' };
    const fragment = new URLSearchParams({ token: 'a'.repeat(64), ...facts });
    await visit.open(`/auth/authorize-ip#${fragment}`);
    await page.getByText('Windows', { exact: true }).waitFor();
    const text = await page.locator('dl.facts').innerText();
    expect(text).toMatch(/^Browser\s+Unknown\s+Operating system\s+Windows\s+Time\s+Jan 2/);
    await page.goto('about:blank');
    await visit.open(`/auth/authorize-ip#${new URLSearchParams({ token: 'a'.repeat(64), ...facts, at: 'Call us' })}`);
    await heading(visit, 'Was this you?');
    expect(await page.locator('dl.facts').count()).toBe(0);
  });

  test('a missing token and a lost connection are reported', async () => {
    const { link, poll } = await held();
    await visit.open('/auth/authorize-ip');
    await heading(visit, INCOMPLETE);
    await visit.page.goto(link);
    // The page reloads for another link. A request that is blocked before the reload may get through after it.
    await visit.page.getByRole('button', { name: 'Yes, it was me' }).waitFor();
    await visit.page.route('**/v1/auth/authorize-ip', (route) => route.abort());
    await press('Yes, it was me');
    await visit.page.getByText('We can’t reach the server.').waitFor();
    expect((await poll()).body).toEqual({ completed: false });
    await visit.page.unroute('**/v1/auth/authorize-ip');
    await press('Yes, it was me');
    await heading(visit, 'Sign-in approved');
  });
});

describeInBrowser('web.md 2: /auth/email-revert', () => {
  beforeAll(async () => {
    world = await site({ env: { BRAND_SUPPORT_URL: 'https://example.com/help' } });
  });
  afterAll(() => world?.close());

  const TITLE = 'Undo this email change';
  /** An attacker takes over the account, and its owner gets an email. */
  const taken = async (proof?: () => object) => {
    await changeEmail(world.service, owner, { to: `thief.${owner.email}`, ...(proof ? { proof } : {}) });
    return mailedLink(world, owner.email, 'email_change_revert');
  };

  test('it shows what it removes, asks for a new password, and ends signed in', async () => {
    const { page } = visit;
    const { authenticator } = await withTotp(world.service, owner);
    const link = await taken(() => ({ mfa_method: 'totp', mfa_code: authenticator.next() }));
    await page.goto(link);
    await heading(visit, TITLE);
    for (const effect of ['You’re signed out on all devices.', 'Your authenticator app, passkeys', 'Connected apps']) {
      await page.getByText(effect).waitFor();
    }
    await visit.look('revert');
    expect((await logIn(world.service, { ...owner, email: `thief.${owner.email}` })).status).toBe(200);
    await tabTo(visit, 'password');
    await page.keyboard.type('password123');
    // The button is enabled one second after the page got the focus.
    const readable = () => page.locator('button[type=submit]:not([aria-disabled])').waitFor();
    await readable();
    await page.keyboard.press('Enter');
    await page.getByText('This password is too common.').waitFor();
    await visit.look('revert-common');
    await page.fill('input[name=password]', NEW_PASSWORD);
    await page.focus('input[name=password]');
    await readable();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/account');
    const { token } = await heldSession(visit);
    const { body } = await world.service.as(token ?? '').get('/v1/users/@me');
    expect(body).toMatchObject({ id: owner.id, email: owner.email, mfa_enabled: false });
    expect(await sessionsOf(world.service, owner)).toBe(1);
    expect((await logIn(world.service, { ...owner, password: NEW_PASSWORD })).body.token).toEqual(expect.any(String));
    await page.goto(link);
    await page.fill('input[name=password]', 'yet another password');
    await press('Recover my account');
    await heading(visit, DEAD);
    await visit.look('revert-dead');
  });

  test('an address that belongs to another account now cannot be restored', async () => {
    const link = await taken();
    await world.service.anonymous.post('/v1/auth/register', { email: owner.email, password: NEW_PASSWORD });
    await visit.page.goto(link);
    await visit.page.fill('input[name=password]', NEW_PASSWORD);
    await press('Recover my account');
    await heading(visit, 'This email is already in use');
    await visit.look('revert-taken');
    expect(await visit.page.getByRole('link', { name: 'Help and support' }).first().getAttribute('href')).toBe(
      'https://example.com/help',
    );
  });

  test('a missing token and a lost connection are reported, and the input stays', async () => {
    await visit.open('/auth/email-revert');
    await heading(visit, INCOMPLETE);
    await visit.page.goto(await taken());
    await visit.page.fill('input[name=password]', NEW_PASSWORD);
    await visit.context.setOffline(true);
    await press('Recover my account');
    await visit.page.getByText('You’re offline.').waitFor();
    await visit.context.setOffline(false);
    expect(await visit.page.inputValue('input[name=password]')).toBe(NEW_PASSWORD);
    await press('Recover my account');
    await visit.page.waitForURL('**/account');
  });

  test('a user who was signed in here with another account is signed out', async () => {
    const other = await person(world.service, 'other');
    const link = await taken();
    await visit.arrive('/forgot', other.authorization);
    await visit.page.goto(link);
    await visit.page.fill('input[name=password]', NEW_PASSWORD);
    await press('Recover my account');
    await visit.page.waitForURL('**/account');
    expect(await sessionsOf(world.service, other)).toBe(0);
    await eventually('the notice', async () => {
      const mails = await inboxAfterDelivery(world.service, owner.email, 'security_notice');
      return mails.length > 0 ? true : undefined;
    });
    expect((await mailTo(world.service, owner.email, 'security_notice')).metadata.event).toBe('email_reverted');
  });
});
