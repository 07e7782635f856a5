import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  inboxAfterDelivery,
  inboxOf,
  logIn,
  type Persona,
  passkeyAsSecondFactor,
  person,
  SoftwareAuthenticator,
  sessionsOf,
  withPasskey,
  withTotp,
} from '../support/index.js';
import { heading, heldSession, tabTo } from './driving.js';
import { mailedLink } from './mailed.js';

const NEW_PASSWORD = 'a password of four words';
const DEAD = 'This link has expired';
const TITLE = 'Set a new password';

describeInBrowser('web.md 2: /forgot and /auth/reset', () => {
  let world: Site;
  let visit: Visit;
  let owner: Persona;
  beforeAll(async () => {
    world = await site({ env: { CAPTCHA_PROVIDER: 'none' } });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
    owner = await person(world.service, 'owner');
  });
  afterEach(() => visit.leave());

  const forgotten = async () => {
    await world.service.anonymous.post('/v1/auth/forgot', { email: owner.email });
    return mailedLink(world, owner.email, 'password_reset');
  };
  const save = () => visit.page.getByRole('button', { name: 'Reset password' }).click();

  test('only by keyboard, from the sign-in page to the email, and with its link into the account', async () => {
    const { page } = visit;
    await visit.open('/login');
    await tabTo(visit, 'Forgot password?');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/forgot');
    await heading(visit, 'Reset your password');
    await visit.look('forgot');
    await tabTo(visit, 'email');
    await page.keyboard.type(owner.email);
    await page.keyboard.press('Enter');
    await heading(visit, 'Check your email');
    await visit.look('forgot-sent');
    await page.reload();
    await page.getByText(owner.email).waitFor();
    expect(await inboxAfterDelivery(world.service, owner.email, 'password_reset')).toHaveLength(1);
    await page.goto(await mailedLink(world, owner.email, 'password_reset'));
    await heading(visit, TITLE);
    expect(page.url()).toBe(`${world.origin}/auth/reset`);
    await page.waitForSelector('input[name=password]');
    await visit.look('reset');
    await page.reload();
    await page.waitForSelector('input[name=password]');
    await tabTo(visit, 'password');
    await page.keyboard.type(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/account');
    const { token, isKept } = await heldSession(visit);
    expect(isKept).toBe(false);
    expect((await world.service.as(token ?? '').get('/v1/users/@me')).body.id).toBe(owner.id);
    expect((await logIn(world.service, { ...owner, password: NEW_PASSWORD })).status).toBe(200);
  });

  test('the response is the same with and without an account', async () => {
    const words: string[] = [];
    for (const email of [owner.email, `nobody.${owner.email}`]) {
      await visit.page.goto('about:blank');
      await visit.open('/forgot?return_to=%2Fhandoff');
      await visit.page.fill('input[name=email]', email);
      await visit.page.getByRole('button', { name: 'Send reset link' }).click();
      await heading(visit, 'Check your email');
      words.push((await visit.page.innerText('main')).replace(email, '…'));
    }
    expect(words[0]).toBe(words[1]);
    expect(await visit.page.getByRole('link', { name: 'Back to sign-in' }).getAttribute('href')).toBe(
      '/login?return_to=%2Fhandoff',
    );
    await visit.page.getByRole('button', { name: 'Resend, or use a different email' }).click();
    expect(await visit.page.inputValue('input[name=email]')).toBe(`nobody.${owner.email}`);
    expect(await inboxAfterDelivery(world.service, `nobody.${owner.email}`)).toEqual([]);
  });

  test('a used or expired link offers a new one', async () => {
    const link = await forgotten();
    const second = await world.visit();
    await second.page.goto(link);
    await second.page.waitForSelector('input[name=password]');
    await visit.page.goto(link);
    await visit.page.fill('input[name=password]', NEW_PASSWORD);
    await save();
    await visit.page.waitForURL('**/account');
    // The other page still shows its form.
    await second.page.fill('input[name=password]', 'another password of words');
    await second.page.getByRole('button', { name: 'Reset password' }).click();
    await heading(second, DEAD);
    expect((await logIn(world.service, { ...owner, password: NEW_PASSWORD })).status).toBe(200);
    await second.page.reload();
    await heading(second, DEAD);
    await second.page.waitForSelector('input[name=email]');
    await second.look('reset-dead');
    await second.page.fill('input[name=email]', owner.email);
    await second.page.keyboard.press('Enter');
    await heading(second, 'Check your email');
    await mailedLink(world, owner.email, 'password_reset', 2);
    await second.leave();
  });

  test('an expired or incomplete link is reported before the password is requested', async () => {
    const link = await forgotten();
    await world.service.sql("UPDATE one_time_secret SET expires_at = now() - interval '1 minute'");
    await visit.page.goto(link);
    await heading(visit, DEAD);
    expect(await visit.page.locator('input[name=password]').count()).toBe(0);
    await visit.page.goto(link.slice(0, -5));
    await heading(visit, 'This link is incomplete');
    await visit.page.waitForSelector('input[name=email]');
    await visit.look('reset-incomplete');
    const bare = await world.visit();
    await bare.open('/auth/reset');
    await heading(bare, 'This link is incomplete');
    await bare.leave();
  });

  test('after a rejected password or a lost connection, the link stays valid and the input stays', async () => {
    const { page } = visit;
    const link = await forgotten();
    await page.route('**/v1/auth/reset/*', (route) => route.abort());
    await page.goto(link);
    await page.getByText('We can’t reach the server.').waitFor();
    await visit.look('reset-unreachable');
    await page.unroute('**/v1/auth/reset/*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.fill('input[name=password]', 'password123');
    await save();
    await page.getByText('This password is too common.').waitFor();
    await visit.look('reset-common');
    await page.fill('input[name=password]', NEW_PASSWORD);
    await visit.context.setOffline(true);
    await save();
    await page.getByText('You’re offline.').waitFor();
    expect(await sessionsOf(world.service, owner)).toBe(1);
    await visit.context.setOffline(false);
    await page.getByRole('checkbox', { name: 'Keep me signed in' }).check();
    await save();
    await page.waitForURL('**/account');
    expect((await heldSession(visit)).isKept).toBe(true);
  });

  test('a double press sets it once; the back button does not return to the form', async () => {
    const { page } = visit;
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/auth/reset')) requests++;
    });
    await visit.open('/login');
    await page.goto(await forgotten());
    await page.fill('input[name=password]', NEW_PASSWORD);
    await page.focus('input[name=password]');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/account');
    expect(requests).toBe(1);
    await page.goBack();
    await page.waitForURL((url) => url.pathname !== '/auth/reset');
  });

  test.each([
    ['without a second factor', false],
    ['with a second factor', true],
  ])('in another browser, a password manager gets the email with the new password, %s', async (_, hasFactor) => {
    const { page } = visit;
    const authenticator = hasFactor ? (await withTotp(world.service, owner)).authenticator : null;
    const link = await forgotten();
    expect(link).not.toContain(encodeURIComponent(owner.email));
    await visit.context.addInitScript(`{
      const { store } = CredentialsContainer.prototype;
      CredentialsContainer.prototype.store = function (credential) {
        const { type, id, password } = credential;
        localStorage.setItem('offered', JSON.stringify({ type, id, password }));
        return store.call(this, credential);
      };
      new MutationObserver((changes) => {
        for (const node of changes.flatMap(({ removedNodes }) => [...removedNodes])) {
          const names = node.querySelector?.('form')?.querySelector('input[autocomplete=username]')?.value;
          if (names) localStorage.setItem('removed', names);
        }
      }).observe(document, { childList: true, subtree: true });
    }`);
    await page.goto(link);
    await page.fill('input[name=password]', NEW_PASSWORD);
    expect(await page.locator('input[autocomplete=username]').count()).toBe(0);
    await save();
    if (authenticator) {
      await heading(visit, 'Two-step verification');
      const kept = await page.evaluate('JSON.stringify([history.state, { ...sessionStorage }, { ...localStorage }])');
      expect(kept).not.toContain(NEW_PASSWORD);
      await page.fill('input[name=code]', authenticator.next());
      await page.keyboard.press('Enter');
    }
    await page.waitForURL('**/account');
    const offered = await page.evaluate("localStorage.getItem('offered')");
    expect(JSON.parse(String(offered))).toEqual({ type: 'password', id: owner.email, password: NEW_PASSWORD });
    const removed = await page.evaluate("localStorage.getItem('removed')");
    if (!hasFactor) expect(removed).toBe(owner.email);
  });

  test('the second factor is requested, stays after a reload, and ends in the account', async () => {
    const { page } = visit;
    const { authenticator } = await withTotp(world.service, owner);
    await page.goto(await forgotten());
    await page.fill('input[name=password]', NEW_PASSWORD);
    await page.check('input[name=keep]');
    await save();
    await heading(visit, 'Two-step verification');
    await visit.look('reset-second-factor');
    expect((await heldSession(visit)).token).toBeNull();
    await page.reload();
    await heading(visit, 'Two-step verification');
    await page.fill('input[name=code]', authenticator.next());
    await page.keyboard.press('Enter');
    await page.waitForURL('**/account');
    const { token, isKept } = await heldSession(visit);
    expect(isKept).toBe(true);
    expect((await world.service.as(token ?? '').get('/v1/users/@me')).body.id).toBe(owner.id);
  });

  test('a second factor that takes too long leads to sign-in with the new password', async () => {
    const { page } = visit;
    const { backupCodes } = await withTotp(world.service, owner);
    await page.goto(await forgotten());
    await page.fill('input[name=password]', NEW_PASSWORD);
    await save();
    await heading(visit, 'Two-step verification');
    await world.service.sql("UPDATE one_time_secret SET expires_at = now() - interval '1 minute'");
    await page.fill('input[name=code]', backupCodes[0] as string);
    await page.keyboard.press('Enter');
    await heading(visit, 'Password changed');
    await visit.look('reset-timeout');
    expect(await sessionsOf(world.service, owner)).toBe(0);
  });

  test('an account with a passkey as its second factor must use it', async () => {
    await passkeyAsSecondFactor(
      world.service,
      owner,
      await withPasskey(world.service, owner, new SoftwareAuthenticator('ES256', { origin: world.origin })),
    );
    await visit.page.goto(await forgotten());
    await visit.page.fill('input[name=password]', NEW_PASSWORD);
    await save();
    await heading(visit, 'Two-step verification');
    await visit.page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await visit.look('reset-passkey');
  });
});

describeInBrowser('web.md 2: /forgot by instance configuration', () => {
  test('the proof of work is done invisibly', async () => {
    const world = await site({ env: { CAPTCHA_PROVIDER: 'altcha' } });
    try {
      const visit = await world.visit();
      await visit.open('/forgot');
      await visit.page.fill('input[name=email]', 'nobody@example.com');
      await visit.page.keyboard.press('Enter');
      await heading(visit, 'Check your email');
      await visit.leave();
      expect(await inboxOf(world.service, 'nobody@example.com')).toEqual([]);
    } finally {
      await world.close();
    }
  });

  test('without an email transport, the page does not promise an email', async () => {
    const world = await site({ env: { MAIL_TRANSPORT: 'none' } });
    try {
      const visit = await world.visit();
      await visit.open('/forgot');
      await visit.page.getByText('Password reset by email isn’t set up here').waitFor();
      await visit.look('forgot-without-mail');
      await visit.leave();
    } finally {
      await world.close();
    }
  });
});
