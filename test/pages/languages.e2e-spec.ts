import type { Page } from 'playwright-core';
import { ALL_PAGES } from '../../src/web/paths.js';
import { describeInBrowser } from '../machine/browser.js';
import { refuseOverflow } from '../machine/overflow.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { ban, newApp, newTokens, type Persona, superuser, verifiedPerson } from '../support/index.js';

const FACTS =
  'ip=2001:db8::ffff:ffff:ffff:ffff&browser=Samsung Internet for Android&system=Chrome OS&at=2030-12-24T15:40:00Z';
/** Pages whose token is checked only by their button, and the one that also shows facts of the link. */
const LINKS = ['/auth/verify', '/auth/authorize-ip', '/auth/email-revert', '/auth/lockdown'];
/** Pages that only redirect. */
const REDIRECTS = ['/'];

describeInBrowser('web.md 1: every page in every language, without overflow', () => {
  let world: Site;
  let visit: Visit;
  let root: Persona;
  let alice: Persona;
  beforeAll(async () => {
    world = await site({ env: { PRODUCT_NAME: 'Gatehouse of the Northern Territories' } });
    const { service } = world;
    root = await superuser(service);
    alice = await verifiedPerson(service, 'a_name_of_thirty_two_characters_');
    await newTokens(service, root, await newApp(service, root, { name: 'A calendar for all teams' }));
    await ban(service, '2001:db8:1234:5678::', null);
    await service.as(root).put(`/v1/admin/users/${alice.id}/ban`, { duration_hours: 24, reason: 'Spam' }).expect(200);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });
  afterEach(() => visit.leave());

  const loaded = async (page: Page) => {
    await page.locator('h1').waitFor();
    await page.waitForLoadState('networkidle');
  };

  const isAccount = (path: string) => /^\/(?:account|admin|handoff|passkey-bridge)/.test(path);
  const before = [...ALL_PAGES].filter((path) => !isAccount(path) && !REDIRECTS.includes(path));

  test.each([...before, ...LINKS.map((path) => `${path}#token=${'a'.repeat(64)}&${FACTS}`)])('%s', async (path) => {
    await visit.open(path);
    await loaded(visit.page);
    await refuseOverflow(visit.page, path);
  });

  /** Checks a view with all of its sections and tabs open, and then with each of its menus. */
  async function refuseOverflowOfView(path: string): Promise<void> {
    const { page } = visit;
    await visit.arrive(path, root.authorization);
    // The gateway session begins with the language of the account.
    if (/^\/(?:account|admin)/.test(path)) await visit.waitForGateway();
    await loaded(page);
    for (const summary of await page.locator('main summary:visible').all()) await summary.click();
    await refuseOverflow(page, path);
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      await loaded(page);
      await refuseOverflow(page, `${path}, ${await tab.innerText()}`);
    }
    for (const menu of await page.locator('[aria-haspopup=menu]:visible').all()) {
      await menu.press('Enter');
      const submenu = page.locator('[role=menuitem][aria-expanded=false]');
      if ((await submenu.count()) > 0) await submenu.first().press('Enter');
      await refuseOverflow(page, `${path}, menu`);
      await page.keyboard.press('Escape');
    }
  }

  test.each([...ALL_PAGES].filter(isAccount))('%s, with its sections and menus', refuseOverflowOfView);

  test('the page of an account in the console, with its tabs and menus', () =>
    refuseOverflowOfView(`/admin/people/${alice.id}`));

  test('a text, a button and a page that overflow are found', async () => {
    const { page } = visit;
    await visit.open('/login');
    await loaded(page);
    const style = (rule: string) => page.evaluate(`document.querySelector('h1').style.cssText = '${rule}'`);
    await style('width: 20px; overflow-wrap: normal; white-space: nowrap');
    await expect(refuseOverflow(page, 'login')).rejects.toThrow(
      'login overflows at 320 px in ar:\ntext wider than its box: <h1',
    );
    await style('width: 20px; overflow-wrap: anywhere');
    await expect(refuseOverflow(page, 'login')).rejects.toThrow(/one or two characters in a line: <h1/);
    await style('width: 500px');
    await expect(refuseOverflow(page, 'login')).rejects.toThrow(/wider than its box: <h1/);
    await style('');
    await page.evaluate(`document.querySelector('button[type=submit]').style.cssText = 'min-height: 0; height: 10px'`);
    await expect(refuseOverflow(page, 'login')).rejects.toThrow(/higher than its box: <button/);
    await page.evaluate(`document.querySelector('button[type=submit]').style.cssText = ''`);
    await refuseOverflow(page, 'login');
  });
});
