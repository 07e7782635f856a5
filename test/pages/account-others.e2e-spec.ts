import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { VirtualAuthenticator } from '../machine/virtual-authenticator.js';
import { mailTo, type Persona, sessionsOf, signIn, verifiedPerson, withTotp } from '../support/index.js';
import { focusOn, signOut, tabTo } from './driving.js';

const LIVE = '/v1/users/@me';

describeInBrowser('web.md 3: the other sessions, after a factor was changed', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;
  let other: string;
  let count = 0;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await verifiedPerson(world.service, `alice${++count}`);
    other = await signIn(world.service, alice);
    visit = await world.visit();
  });

  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const dialog = () => visit.page.locator('dialog[open]').last();
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const offer = (devices = '1 other device') =>
    visit.page
      .getByRole('status')
      .filter({ hasText: `Your sign-in methods changed. You’re still signed in on ${devices}.` });
  const isLive = async (token: string) => (await world.service.as(token).get(LIVE)).status === 200;
  const prove = async () => {
    await visit.page.getByLabel('Password', { exact: true }).fill(alice.password);
    await visit.page.keyboard.press('Enter');
  };

  test('removing an authenticator app offers to sign out the other sessions, by keyboard, after a proof', async () => {
    const { page } = visit;
    const { authenticator } = await withTotp(world.service, alice);
    await visit.arrive('/account/factors', alice.authorization);
    await button('Remove app').waitFor();
    expect(await offer().count()).toBe(0);
    await button('Remove app').press('Enter');
    await dialog().getByRole('textbox').fill(authenticator.next());
    await page.keyboard.press('Enter');
    await offer().waitFor();
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await visit.look('account-others');
    expect(await isLive(other)).toBe(true);
    await tabTo(visit, 'Sign out everywhere else');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    expect(await isLive(other)).toBe(true);
    await prove();
    await page.getByText('All other devices signed out').waitFor();
    await offer().waitFor({ state: 'detached' });
    expect([await isLive(other), await isLive(alice.authorization)]).toEqual([false, true]);
    await focusOn(page, await page.getByRole('heading', { level: 1 }).innerText());
    await visit.leave();
  });

  test('after new backup codes are saved, the same offer appears, and declining ends nothing', async () => {
    const { page } = visit;
    await signIn(world.service, alice);
    await withTotp(world.service, alice);
    await visit.arrive('/account/factors', alice.authorization);
    await button('Generate new codes').press('Enter');
    await page.getByLabel('Code from email').waitFor();
    const { metadata } = await mailTo(world.service, alice.email, 'backup_codes_challenge');
    await page.getByLabel('Code from email').fill(String(metadata.code));
    await page.keyboard.press('Enter');
    await button('Generate new codes').press('Enter');
    await inDialog('I’ve saved it').waitFor();
    expect(await offer('2 other devices').count()).toBe(0);
    await inDialog('I’ve saved it').press('Enter');
    await offer('2 other devices').waitFor();
    await tabTo(visit, 'Keep them signed in');
    await page.keyboard.press('Enter');
    await offer('2 other devices').waitFor({ state: 'detached' });
    expect(await sessionsOf(world.service, alice)).toBe(3);
    await visit.leave();
  });

  test('after a passkey is added or removed, the offer appears, and it disappears if the other session ends', async () => {
    await VirtualAuthenticator.plugIn(visit.page);
    const { page } = visit;
    await visit.arrive('/account/passkeys', alice.authorization);
    await visit.waitForGateway();
    await page.getByLabel('Passkey name').fill('Laptop');
    await page.keyboard.press('Enter');
    await prove();
    await offer().waitFor();
    const elsewhere = await world.visit();
    await elsewhere.arrive('/account', other);
    // The list reloads when a gateway session of the account ends, so the other page must have one.
    await elsewhere.waitForGateway();
    await signOut(elsewhere.page);
    await offer().waitFor({ state: 'detached' });
    await elsewhere.leave();
    const laptop = page.getByRole('listitem').filter({ hasText: 'Laptop' });
    await laptop.getByRole('button', { name: 'Remove' }).press('Enter');
    await inDialog('Remove').press('Enter');
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    await inDialog('Use a passkey').press('Enter');
    await page.getByText('You don’t have any passkeys yet.').waitFor();
    // No other account is signed in, so the page has nothing to offer.
    expect(await offer().count()).toBe(0);
    await visit.leave();
  });

  test('after a passkey becomes the second factor and its codes are saved, the offer appears, without another proof', async () => {
    await VirtualAuthenticator.plugIn(visit.page);
    const { page } = visit;
    await visit.arrive('/account/passkeys', alice.authorization);
    await page.getByLabel('Passkey name').fill('Laptop');
    await page.keyboard.press('Enter');
    await prove();
    await offer().waitFor();
    await button('Keep them signed in').press('Enter');
    await button('Turn on').press('Enter');
    await inDialog('Use a passkey').press('Enter');
    await inDialog('I’ve saved it').press('Enter');
    await offer().waitFor();
    await button('Sign out everywhere else').press('Enter');
    await page.getByText('All other devices signed out').waitFor();
    expect(await isLive(other)).toBe(false);
    await visit.leave();
  });
});
