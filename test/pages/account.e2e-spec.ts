import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { eventually, mailTo, newApp, newTokens, type Persona, person, signIn, withTotp } from '../support/index.js';

const NEW_PASSWORD = 'a longer sentence than before';

import { chooseLanguage, signOut } from './driving.js';

describeInBrowser('web.md 1: the account in a browser', () => {
  let world: Site;
  let owner: Persona;
  let visit: Visit;
  let wearer = 0;

  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  beforeEach(async () => {
    owner = await person(world.service, `owner${++wearer}`);
    visit = await world.visit();
  });

  /** The colors of the browser around the page, for the light and the dark scheme of the system. */
  const barColors = (page: Visit['page']) =>
    page.evaluate("[...document.querySelectorAll('meta[name=theme-color]')].map(({ content }) => content)");
  const arrive = (path: string, options?: { isKept: boolean }) => visit.arrive(path, owner.authorization, options);

  test('a signed-out visitor signs in first and returns to the requested page', async () => {
    await visit.open('/account/password');
    await visit.page.waitForURL((url) => url.pathname === '/login');
    expect(new URL(visit.page.url()).searchParams.get('return_to')).toBe('/account/password');
    await visit.leave();
  });

  test('it shows who is signed in, and changes made elsewhere appear without a reload', async () => {
    await arrive('/account');
    await visit.page.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    await visit.look('account-overview');
    await visit.waitForGateway();
    await world.service.as(owner).patch('/v1/users/@me', { global_name: 'Somebody Else' });
    await visit.page.getByRole('heading', { level: 2, name: 'Somebody Else' }).waitFor();
    await visit.leave();
  });

  test('the check-up has one row for each protection, with its state, a sentence and a link', async () => {
    const { page } = visit;
    const rows = page.getByRole('list', { name: 'Security check-up' }).getByRole('listitem');
    const row = (title: string) => rows.filter({ has: page.getByText(title, { exact: true }) });
    await arrive('/account');
    await page.getByText('2 of 5 done').waitFor();
    expect((await rows.allInnerTexts()).map((text) => text.split('\n').filter(Boolean))).toEqual([
      ['To do', 'Email', `${owner.email} isn’t verified.`, 'Verify'],
      ['Done', 'Password', expect.stringMatching(/^Changed /), expect.stringMatching(/^\(.*20\d\d.*\)$/), 'Change'],
      ['To do', 'Two-step verification', expect.stringContaining('off'), 'Turn on'],
      ['To do', 'Passkeys', 'You don’t have any passkeys yet.', 'Add'],
      ['Done', 'Devices', 'You’re signed in on 1 device.', 'Manage'],
    ]);
    await visit.waitForGateway();
    await signIn(world.service, owner);
    await withTotp(world.service, owner);
    await page.getByText('4 of 6 done').waitFor();
    await row('Backup codes').getByText('You have unused backup codes.').waitFor();
    await row('Devices').getByText('1 device is unknown or wasn’t used for 90 days.').waitFor();
    await visit.look('account-check-up');
    await row('Devices').getByRole('link', { name: 'Review: Devices' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    await visit.leave();
  });

  test('the overview shows the newest activity by day, and the applications that got access last', async () => {
    const { page } = visit;
    for (const name of ['Calendar', 'Notes', 'Mail', 'Photos'])
      await newTokens(world.service, owner, await newApp(world.service, owner, { name }));
    await arrive('/account');
    const activity = page.getByRole('region', { name: 'Recent activity' });
    await activity
      .getByRole('heading', { level: 3, name: /^(?:Today|Yesterday)$/ })
      .first()
      .waitFor();
    expect(await activity.getByRole('listitem').count()).toBe(5);
    const connected = page.getByRole('list', { name: 'Connected apps' });
    await connected.waitFor();
    expect(await connected.getByRole('listitem').count()).toBe(3);
    await page.getByRole('link', { name: 'See all: Connected apps' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Connected apps' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'See all: Recent activity' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Security activity' }).waitFor();
    await visit.leave();
  });

  test('the user menu opens by keyboard and leads to the console only for administrators', async () => {
    const { page } = visit;
    await arrive('/account');
    await page.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    const menu = page.getByRole('button', { name: 'Account menu' });
    await menu.press('ArrowDown');
    await page.locator('[role=menuitem]:focus', { hasText: 'Account' }).waitFor();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Account',
      'Language of pages and emails\nEnglish',
      'Sign out',
    ]);
    await visit.look('account-user-menu');
    await page.keyboard.press('ArrowDown');
    await page.locator('[role=menuitemradio][aria-checked=true]:focus').waitFor();
    await page.keyboard.press('End');
    for (let presses = 0; presses < 2; presses++) await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForSelector('html[data-theme=dark]');
    expect(await barColors(page)).toEqual(['#0f1115', '#0f1115']);
    await page.locator('button:focus[aria-label="Account menu"]').waitFor();
    await menu.press('Enter');
    await page.getByRole('menuitemradio', { name: 'Dark', checked: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    const settings = async () => (await world.service.as(owner).get('/v1/users/@me/settings')).body.theme;
    expect(await settings()).toBe('dark');
    await world.service.sql(`UPDATE account SET acls = '{admin:authenticate}' WHERE id = $1`, [owner.id]);
    await page.reload();
    await page.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    await menu.press('Enter');
    await page.getByRole('menuitem', { name: 'Admin console' }).press('Enter');
    await page.waitForURL('**/admin');
    await page.getByRole('button', { name: 'Account menu' }).press('Enter');
    await page.getByText(owner.email, { exact: false }).first().waitFor();
    await visit.leave();
  });

  test('one control sets the language of pages and emails, and the account decides after sign-in', async () => {
    const { page } = visit;
    const { service } = world;
    const locale = async () => (await service.as(owner).get('/v1/users/@me/settings')).body.locale;
    const becomes = (wanted: string) =>
      eventually(`the locale ${wanted}`, async () => ((await locale()) === wanted ? true : undefined));
    await arrive('/account');
    await page.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    await visit.waitForGateway();
    await chooseLanguage(page, 'fr');
    await becomes('fr');
    await service.anonymous.post('/v1/auth/forgot', { email: owner.email });
    expect((await mailTo(service, owner.email, 'password_reset')).subject).toContain('mot de passe');
    await page.getByRole('combobox', { name: 'Langue des pages et des e-mails' }).selectOption('de');
    await page.waitForSelector('html[lang=de]');
    await becomes('de');
    const other = await world.visit();
    await other.open('/login');
    await other.page.selectOption('select[name=language]', 'ja');
    await other.page.waitForSelector('html[lang=ja]');
    expect(await locale()).toBe('de');
    await other.arrive('/account', owner.authorization);
    await other.page.waitForSelector('html[lang=de]');
    await other.leave();
    await visit.leave();
  });

  test('if the account cannot be changed, the page changes its language and shows the error', async () => {
    const { page } = visit;
    await arrive('/account');
    await page.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    await page.route('**/v1/users/@me/settings', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    // The translations arrive after the error.
    await page.route('**/de-*.js', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await chooseLanguage(page, 'de');
    await page.getByText('Der Server ist nicht erreichbar', { exact: false }).waitFor();
    expect((await world.service.as(owner).get('/v1/users/@me/settings')).body.locale).toBe('en-US');
    await visit.leave();
  });

  test('the user menu has the languages, and the other tabs follow', async () => {
    const { page } = visit;
    await arrive('/account', { isKept: true });
    await page.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    const other = await visit.tab();
    await other.goto(`${world.origin}/account`);
    await other.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    await page.getByRole('button', { name: 'Account menu' }).press('ArrowUp');
    await page.locator('[role=menuitem]:focus', { hasText: 'Sign out' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.locator('[role=menuitem]:focus', { hasText: 'Language' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('[role=menuitemradio][aria-checked=true]:focus', { hasText: 'English' }).waitFor();
    await visit.look('account-user-menu-languages');
    await page.keyboard.press('ArrowLeft');
    await page.locator('[role=menuitem][aria-expanded=false]:focus', { hasText: 'Language' }).waitFor();
    expect(await page.getByRole('menuitemradio', { name: 'English' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.locator('[role=menuitemradio]:focus', { hasText: 'English' }).waitFor();
    await page.keyboard.press('d');
    await page.keyboard.press('Enter');
    await page.locator('html[lang=de] button:focus[aria-haspopup=menu]').waitFor();
    await other.waitForSelector('html[lang=de]');
    await page.reload();
    await page.waitForSelector('html[lang=de]');
    await visit.leave();
  });

  test('a session that ends elsewhere ends here immediately', async () => {
    await arrive('/account');
    await visit.waitForGateway();
    expect((await world.service.as(owner).post('/v1/auth/logout')).status).toBe(204);
    await visit.page.waitForURL((url) => url.pathname === '/login' && url.searchParams.has('signed_out'));
    expect(await visit.page.evaluate("sessionStorage.getItem('gatehouse.session')")).toBeNull();
    await visit.leave();
  });

  test('signing out ends the session on the server, in every tab', async () => {
    await arrive('/account', { isKept: true });
    await visit.page.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    const other = await visit.tab();
    await other.goto(`${world.origin}/account/password`);
    await other.getByRole('heading', { level: 1, name: 'Password' }).waitFor();
    await signOut(visit.page);
    await visit.page.waitForURL((url) => url.pathname === '/login');
    await other.waitForURL((url) => url.pathname === '/login');
    expect((await world.service.as(owner).get('/v1/users/@me')).status).toBe(401);
    await visit.leave();
  });

  test('the password is changed with the current one; the session continues with a new token', async () => {
    await arrive('/account/password');
    const { page } = visit;
    await page.getByLabel('Current password', { exact: true }).fill('not the password');
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await visit.look('account-password-refused');
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe(NEW_PASSWORD);
    const apiError = await page.getByRole('alert').innerText();
    await chooseLanguage(page, 'de');
    await page.getByRole('heading', { level: 1, name: 'Passwort' }).waitFor();
    expect(await page.getByRole('alert').innerText()).not.toBe(apiError);
    await chooseLanguage(page, 'en-US');
    await page.getByRole('alert').getByText(apiError).waitFor();
    await page.getByLabel('Current password', { exact: true }).fill(owner.password);
    await page.keyboard.press('Enter');
    await page.getByText('Password changed.', { exact: false }).waitFor();
    await visit.look('account-password-changed');
    expect((await world.service.as(owner).get('/v1/users/@me')).status).toBe(401);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Password' }).waitFor();
    await signIn(world.service, { ...owner, password: NEW_PASSWORD });
    await visit.leave();
  });

  test('if the end of the old session arrives before the response with the new token, no tab is signed out', async () => {
    const { page } = visit;
    await arrive('/account/password', { isKept: true });
    const other = await visit.tab();
    await other.goto(`${world.origin}/account`);
    await other.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    const socket = await visit.waitForGateway();
    const closed = socket.waitForEvent('close');
    await page.route('**/v1/users/@me', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      const response = await route.fetch();
      await closed;
      return route.fulfill({ response });
    });
    await page.getByLabel('Current password', { exact: true }).fill(owner.password);
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Password changed.', { exact: false }).waitFor();
    await world.service
      .as(String(await page.evaluate("localStorage.getItem('gatehouse.session')")))
      .patch('/v1/users/@me', { global_name: 'Still Here' });
    await other.getByRole('heading', { level: 2, name: 'Still Here' }).waitFor();
    await visit.leave();
  });

  test('a 401 for the old token during a password change signs no tab out', async () => {
    const { page } = visit;
    await arrive('/account/password', { isKept: true });
    const other = await visit.tab();
    await other.goto(`${world.origin}/account`);
    await other.locator('select[name=theme]').waitFor();
    await page.route('**/v1/users/@me', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      const response = await route.fetch();
      const refused = other.waitForResponse((response) => response.status() === 401);
      await other.selectOption('select[name=theme]', 'dark');
      await refused;
      return route.fulfill({ response });
    });
    await page.getByLabel('Current password', { exact: true }).fill(owner.password);
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Password changed.', { exact: false }).waitFor();
    await other.selectOption('select[name=theme]', 'light');
    await other.getByText('Saved').waitFor();
    expect(await world.service.sql('SELECT theme FROM account_settings WHERE account_id = $1', [owner.id])).toEqual([
      { theme: 'light' },
    ]);
    await visit.leave();
  });

  test('a lazily loaded file is requested again after the connection was lost', async () => {
    const { page } = visit;
    const refused = new Set<string>();
    await page.route(/\/assets\/(?:live|view)-[^/]+\.js$/, (route) => {
      const url = route.request().url();
      if (refused.has(url)) return route.continue();
      refused.add(url);
      return route.abort('internetdisconnected');
    });
    await arrive('/account');
    await page.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    await visit.waitForGateway();
    expect([...refused].map((url) => url.replace(/.*\/|-.*/g, '')).sort()).toEqual(['live', 'view']);
    await visit.leave();
  });

  test('outstanding requirements are named and offered, and disappear when they are met', async () => {
    await world.service.sql('UPDATE account SET suspicious_flags = 2 WHERE id = $1', [owner.id]);
    await arrive('/account');
    const { page } = visit;
    await page.getByRole('heading', { level: 1, name: 'One more step' }).waitFor();
    await visit.look('account-required-email');
    await page.getByRole('button', { name: 'Send email' }).press('Enter');
    await page.getByText('Email sent').waitFor();
    const { metadata } = await mailTo(world.service, owner.email, 'email_verification', 2);
    expect((await world.service.anonymous.post('/v1/auth/verify', { token: metadata.token })).status).toBe(204);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await visit.leave();
  });
});
