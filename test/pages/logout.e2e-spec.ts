import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type App, exchange, newApp, newCode, type Persona, person } from '../support/index.js';
import { heading, tabTo } from './driving.js';

describeInBrowser('openid.md 6: /oauth2/logout', () => {
  let world: Site;
  let visit: Visit;
  let owner: Persona;
  let app: App;
  let back: string;

  beforeAll(async () => {
    world = await site();
    back = `${world.origin}/.well-known/service?from=client`;
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
    owner = await person(world.service, 'owner');
    app = await newApp(world.service, owner, { name: 'Night <b>Reader</b>', post_logout_redirect_uris: [back] });
  });
  afterEach(() => visit.leave());

  const works = async () => (await world.service.as(owner).get('/v1/users/@me')).status === 200;
  async function hint(): Promise<string> {
    const code = await newCode(world.service, owner, app, { scope: 'openid' });
    return (await exchange(world.service, app, code)).body.id_token;
  }
  const path = (parameters: Record<string, string>) => `/oauth2/logout?${new URLSearchParams(parameters)}`;

  test('with an ID token of this session, it signs out and redirects without a question', async () => {
    const { page } = visit;
    const parameters = { id_token_hint: await hint(), post_logout_redirect_uri: back, state: 'x' };
    await visit.arrive(path(parameters), owner.authorization);
    await page.waitForURL(`${back}&state=x`);
    expect(await works()).toBe(false);
  });

  test('otherwise it asks, by keyboard; the ID token is removed from the address bar, and a reload still asks', async () => {
    const { page } = visit;
    await visit.arrive(path({ client_id: app.id, id_token_hint: 'invalid' }), owner.authorization);
    await page.getByText('Night <b>Reader</b> asks you to sign out on this device.').waitFor();
    expect(page.url()).toBe(`${world.origin}/oauth2/logout`);
    await visit.look('logout');
    await page.reload();
    await page.getByText('Night <b>Reader</b> asks you', { exact: false }).waitFor();
    expect(await works()).toBe(true);
    await tabTo(visit, 'Sign out');
    await page.keyboard.press('Enter');
    await heading(visit, 'You’re signed out');
    expect(await works()).toBe(false);
    await visit.look('logout-done');
    expect(await page.evaluate("sessionStorage.getItem('gatehouse.session')")).toBe(null);
  });

  test('form parameters arrive in the fragment, and the language is the requested one', async () => {
    const { page } = visit;
    const fragment = new URLSearchParams({ client_id: app.id, ui_locales: 'de' });
    await visit.arrive(`/oauth2/logout#${fragment}`, owner.authorization);
    await page.getByRole('button', { name: 'Abmelden' }).waitFor();
    await page.getByRole('link', { name: 'Angemeldet bleiben' }).click();
    await page.waitForURL(`${world.origin}/account`);
    expect(await works()).toBe(true);
  });
});
