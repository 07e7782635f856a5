import { describeInBrowser } from '../machine/browser.js';
import { type Site, site } from '../machine/pages.js';
import { person } from '../support/index.js';

const ACCENT = '#8a2be2';

describeInBrowser('web.md 1: common rules of every page', () => {
  let world: Site;
  beforeAll(async () => {
    world = await site({ env: { BRAND_ACCENT: ACCENT, PRODUCT_NAME: 'Tor & Tür', RATE_LIMITS: 'on' } });
  });
  afterAll(() => world?.close());

  test('a page shows the product name, in the language of the browser and in both color schemes', async () => {
    const visit = await world.visit({ locale: 'de-AT' });
    await visit.open('/login');
    await visit.page.getByText('Tor & Tür', { exact: true }).waitFor();
    expect(await visit.page.evaluate('document.documentElement.lang')).toBe('de');
    expect(await visit.page.title()).toContain('Tor & Tür');
    const colour = 'getComputedStyle(document.querySelector("button[type=submit]")).backgroundColor';
    expect(await visit.page.evaluate(colour)).toBe('rgb(138, 43, 226)');
    await visit.look('brand');
    await visit.leave();
  });

  test('the color scheme is remembered on the next page', async () => {
    const visit = await world.visit();
    await visit.open('/login');
    await visit.page.getByLabel('Language', { exact: true }).selectOption('ja');
    await visit.page.waitForSelector('html[lang="ja"]');
    await visit.open('/forgot');
    await visit.page.waitForSelector('html[lang="ja"]');
    await visit.leave();
  });

  test('every component is shown in development, and passes the same checks', async () => {
    const visit = await world.visit();
    await visit.open('/dev/components');
    await visit.page.getByRole('heading', { name: 'Surfaces' }).waitFor();
    await visit.look('components');
    await visit.page.getByRole('tab', { name: 'List' }).focus();
    await visit.page.keyboard.press('ArrowRight');
    await visit.page.getByRole('cell', { name: 'Laptop' }).waitFor();
    await visit.page.getByRole('button', { name: 'Menu' }).press('Enter');
    await visit.page.keyboard.press('ArrowDown');
    await visit.page.keyboard.press('Escape');
    await visit.page.getByRole('menu').waitFor({ state: 'detached' });
    await visit.page.getByRole('button', { name: 'Open a dialog' }).press('Enter');
    await visit.look('components-dialog');
    await visit.page.keyboard.press('Escape');
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    await visit.page.locator('button:focus', { hasText: 'Open a dialog' }).waitFor();
    await visit.leave();
  });

  test('the first item of a menu has the focus as soon as it is in the page, so that no key is lost', async () => {
    const visit = await world.visit();
    await visit.open('/dev/components');
    await visit.page.getByRole('button', { name: 'Menu' }).waitFor();
    const hasFocus = await visit.page.evaluate(`new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        const item = document.querySelector('[role=menu] [role^=menuitem]');
        if (!item) return;
        observer.disconnect();
        resolve(document.activeElement === item);
      }).observe(document.body, { childList: true, subtree: true });
      document.querySelector('[aria-haspopup=menu]').click();
    })`);
    expect(hasFocus).toBe(true);
    await visit.leave();
  });

  test('on a narrow screen, the navigation opens with a button, and closes when a view is chosen', async () => {
    const alice = await person(world.service, 'alice');
    const visit = await world.visit({ viewport: { width: 390, height: 800 } });
    const { page } = visit;
    await visit.arrive('/account', alice.authorization);
    const menu = page.getByRole('button', { name: 'Menu', exact: true });
    await menu.waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    const top = 'document.querySelector("h1").getBoundingClientRect().top';
    const bottom = 'document.querySelector("header").getBoundingClientRect().bottom';
    expect(await page.evaluate(`${top} - ${bottom}`)).toBeLessThan(120);
    await visit.look('account-narrow');
    await menu.press('Enter');
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    await visit.look('account-menu');
    await menu.press('Escape');
    await page.getByRole('navigation').waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'Menu' }).waitFor();
    await menu.press('Enter');
    await page.getByRole('navigation').getByRole('link', { name: 'Profile' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    await visit.leave();
  });

  test('too many requests: the button shows a countdown and is enabled again, and the input stays', async () => {
    const visit = await world.visit();
    const { page } = visit;
    for (let sent = 0; sent < 5; sent++)
      await world.service.anonymous.post('/v1/auth/forgot', { email: 'a@example.com' });
    await visit.open('/forgot');
    await page.getByLabel('Email').fill('somebody@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Try again in \d+ seconds?$/ }).waitFor();
    await visit.look('waiting');
    expect(await page.getByLabel('Email').inputValue()).toBe('somebody@example.com');
    await page.getByRole('button', { name: /^Try again in/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Check your email' }).waitFor();
    await visit.leave();
  });

  test('a busy service is retried automatically', async () => {
    const visit = await world.visit();
    const { page } = visit;
    let requested = 0;
    // Real overload that lasts one second cannot be produced on demand.
    await page.route('**/v1/auth/login', async (route) => {
      if (++requested > 1) return route.continue();
      const body = JSON.stringify({ code: 'SERVICE_UNAVAILABLE', message: 'Busy.' });
      return route.fulfill({ status: 503, headers: { 'retry-after': '1' }, contentType: 'application/json', body });
    });
    await visit.open('/login');
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByLabel('Password', { exact: true }).fill('not a password of anybody');
    await page.keyboard.press('Enter');
    await page.getByText('We’re experiencing high traffic.', { exact: false }).waitFor();
    await page.locator('[aria-invalid=true]').first().waitFor();
    expect(requested).toBe(2);
    await visit.leave();
  });
});
