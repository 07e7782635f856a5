import { describeInBrowser } from '../machine/browser.js';
import { type Site, site } from '../machine/pages.js';
import { person, sessionsOf, withTotp } from '../support/index.js';
import { choose, hasArrived, keptIn, signInAs, type } from './driving.js';

describeInBrowser('web.md 2: the second factor of a sign-in', () => {
  let world: Site;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  const enrolled = async () => {
    const alice = await person(world.service, 'alice');
    return { alice, ...(await withTotp(world.service, alice)) };
  };

  test('a wrong code is reported at its field, the correct one signs in; a reload in between loses nothing', async () => {
    const { alice, authenticator } = await enrolled();
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await page.focus('[name=keep]');
    await page.keyboard.press('Space');
    await signInAs(page, alice);
    await page.waitForSelector('[name=code]:focus');
    await page.getByText(alice.email, { exact: true }).waitFor();
    expect(await page.title()).toMatch(/^Two-step verification/);
    await visit.look('login-factor');
    await type(page, 'code', '000 000');
    await page.keyboard.press('Enter');
    await page.locator('.wrong', { hasText: 'Incorrect or expired code.' }).waitFor();
    await visit.look('login-factor-wrong');
    await page.reload();
    await page.getByText(alice.email, { exact: true }).waitFor();
    await type(page, 'code', authenticator.next());
    // Six digits are sent without a press of Enter.
    await hasArrived(page);
    expect(await keptIn(page)).toEqual({ tab: null, browser: expect.stringMatching(/^flx_/) });
    await visit.leave();
  });

  test('"Not you?" leads to an empty first step', async () => {
    const { alice } = await enrolled();
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await signInAs(page, alice);
    await choose(page, 'Not you?');
    await page.waitForSelector('[name=email]:focus');
    expect([await page.inputValue('[name=email]'), await page.inputValue('[name=password]')]).toEqual(['', '']);
    await visit.leave();
  });

  test('a backup code', async () => {
    const { alice, backupCodes } = await enrolled();
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await signInAs(page, alice);
    await choose(page, 'Use a backup code instead');
    await visit.look('login-factor-backup');
    await type(page, 'code', backupCodes[0] as string);
    await page.keyboard.press('Enter');
    await hasArrived(page);
    expect(await sessionsOf(world.service, alice)).toBe(2);
    await visit.leave();
  });

  test('an expired challenge returns to the first step, with the input', async () => {
    const { alice, authenticator } = await enrolled();
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/login');
    await signInAs(page, alice);
    await page.waitForSelector('[name=code]');
    await world.service.sql("UPDATE one_time_secret SET expires_at = now() WHERE purpose = 'mfa-ticket'");
    await type(page, 'code', authenticator.code());
    await page.keyboard.press('Enter');
    await page.getByText('Your sign-in timed out.').waitFor();
    expect(await page.inputValue('[name=email]')).toBe(alice.email);
    expect(await page.inputValue('[name=password]')).toBe(alice.password);
    await visit.look('login-timeout');
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await visit.leave();
  });

  test('offline between the steps: an error is shown, and nothing is lost', async () => {
    const { alice, authenticator } = await enrolled();
    const visit = await world.visit();
    const { page, context } = visit;
    await visit.open('/login');
    await signInAs(page, alice);
    await page.waitForSelector('[name=code]');
    await context.setOffline(true);
    await type(page, 'code', authenticator.next());
    await page.keyboard.press('Enter');
    await page.getByText('You’re offline.').waitFor();
    await context.setOffline(false);
    await page.keyboard.press('Enter');
    await hasArrived(page);
    await visit.leave();
  });
});
