import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type Persona, person, sessionsOf, signIn } from '../support/index.js';
import { focusOn, signOut } from './driving.js';

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

describeInBrowser('web.md 3: /account/sessions', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;
  let count = 0;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await person(world.service, `alice${++count}`);
    visit = await world.visit();
  });

  const items = () => visit.page.getByRole('list', { name: 'Where you’re signed in' }).getByRole('listitem');
  const item = (text: string) => items().filter({ hasText: text });
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) =>
    visit.page.locator('dialog[open]').last().getByRole('button', { name, exact: true });
  const phone = async (): Promise<string> => {
    const { body } = await world.service.anonymous
      .with({ 'user-agent': SAFARI })
      .post('/v1/auth/login', { email: alice.email, password: alice.password });
    return body.token;
  };
  const isLive = async (token: string) => (await world.service.as(token).get('/v1/users/@me')).status === 200;
  const prove = async () => {
    await visit.page.getByLabel('Password', { exact: true }).fill(alice.password);
    await visit.page.keyboard.press('Enter');
  };

  test('the current session is first and marked; another one is ended by keyboard and with a proof', async () => {
    const { page } = visit;
    const other = await phone();
    await visit.arrive('/account/sessions', alice.authorization);
    await item('Safari on iOS').waitFor();
    expect(await items().first().innerText()).toMatch(/This device[\s\S]*127\.0\.x\.x · Active now\s+Signed in now/);
    expect(await item('Safari on iOS').innerText()).toMatch(/127\.0\.x\.x · Last used (?:now|1 minute ago)/);
    const exact = item('Safari on iOS').locator('.exact').first();
    const isShown = async () => Number((await exact.boundingBox())?.width) > 1;
    expect(await isShown()).toBe(false);
    await item('Safari on iOS').getByRole('button').focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    expect(await isShown()).toBe(true);
    expect(await exact.innerText()).toMatch(/20\d\d/);
    expect(await items().first().getByRole('button').count()).toBe(0);
    await visit.look('account-sessions');
    await item('Safari on iOS').getByRole('button', { name: 'Sign out' }).press('Enter');
    await visit.look('account-sessions-end');
    await inDialog('Cancel').press('Enter');
    expect(await isLive(other)).toBe(true);
    await item('Safari on iOS').getByRole('button', { name: 'Sign out' }).press('Enter');
    await inDialog('Sign out').press('Enter');
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    await prove();
    await item('Safari on iOS').waitFor({ state: 'detached' });
    expect([await isLive(other), await isLive(alice.authorization)]).toEqual([false, true]);
    await focusOn(page, 'Where you’re signed in');
    await visit.leave();
  });

  test('all others are ended together, at any number', async () => {
    const others = [await phone(), await signIn(world.service, alice)];
    await world.service.sql(
      `INSERT INTO session (id, digest, account_id, ip, user_agent)
       SELECT n, sha256(('other' || n)::bytea), $1, '127.0.0.1', '' FROM generate_series(1, 110) n`,
      [alice.id],
    );
    await visit.arrive('/account/sessions', alice.authorization);
    await button('Sign out everywhere else').press('Enter');
    await visit.page.getByText('112 devices will be signed out.', { exact: false }).waitFor();
    await inDialog('Sign out everywhere else').press('Enter');
    // An account with only a password must enter it for each request.
    const first = visit.page.waitForResponse((response) => response.status() === 204);
    await prove();
    await first;
    await prove();
    await visit.page.getByText('All other devices signed out').waitFor();
    await button('Sign out everywhere else').first().waitFor({ state: 'detached' });
    expect(await sessionsOf(world.service, alice)).toBe(1);
    expect(await Promise.all([...others, alice.authorization].map(isLive))).toEqual([false, false, true]);
    await visit.leave();
  });

  test('a session that starts or ends elsewhere appears without a reload', async () => {
    await visit.arrive('/account/sessions', alice.authorization);
    await items().first().waitFor();
    await visit.waitForGateway();
    const token = await phone();
    const elsewhere = await world.visit({ userAgent: SAFARI });
    await elsewhere.arrive('/account', token);
    await item('Safari on iOS').waitFor();
    await signOut(elsewhere.page);
    await item('Safari on iOS').waitFor({ state: 'detached' });
    await elsewhere.leave();
    await visit.leave();
  });

  test('known networks are deleted without signing any session out', async () => {
    const known = () => world.service.sql('SELECT 1 FROM authorized_ip WHERE account_id = $1', [alice.id]);
    expect(await known()).toHaveLength(1);
    await visit.arrive('/account/sessions', alice.authorization);
    await button('Clear trusted networks').press('Enter');
    await inDialog('Clear trusted networks').press('Enter');
    await prove();
    await visit.page.getByText('Trusted networks cleared').waitFor();
    expect(await known()).toEqual([]);
    expect(await isLive(alice.authorization)).toBe(true);
    await visit.leave();
  });
});
