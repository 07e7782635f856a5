import { describeInBrowser } from '../machine/browser.js';
import { type Site, site } from '../machine/pages.js';
import { person, superuser } from '../support/index.js';
import { choose, heading } from './driving.js';

describeInBrowser('web.md 1: errors of pages', () => {
  let world: Site;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  test.each(['/nothing', '/account/x', '/admin/x/'])('%s is a translated page with a way home', async (path) => {
    const visit = await world.visit();
    await visit.open(path);
    await heading(visit, 'Page not found');
    if (path === '/nothing') await visit.look('error-missing');
    await visit.page.selectOption('select[name=language]', 'de');
    await heading(visit, 'Seite nicht gefunden');
    expect(await visit.page.title()).toBe('Seite nicht gefunden · Gatehouse');
    await visit.leave();
  });

  test('an error of the service shows its cause and the request ID, and a retry helps', async () => {
    const visit = await world.visit();
    const { page } = visit;
    await page.route('**/login', async (route) => {
      const response = await route.fetch();
      const error =
        '&#34;error&#34;:{&#34;code&#34;:&#34;SERVICE_UNAVAILABLE&#34;,&#34;requestId&#34;:&#34;id-of-it&#34;},';
      const body = (await response.text()).replace('content="{', `content="{${error}`);
      await route.fulfill({ response: response, status: 503, body });
      await page.unroute('**/login');
    });
    await visit.open('/login');
    await heading(visit, 'This page can’t be shown');
    await page.getByText('id-of-it').waitFor();
    await visit.look('error-failed');
    await choose(page, 'Try again');
    await heading(visit, 'Sign in');
    await visit.leave();
  });

  test('without JavaScript, a page says what it needs', async () => {
    const visit = await world.visit({ javaScriptEnabled: false });
    await visit.open('/login');
    await visit.page.getByRole('heading', { name: 'JavaScript is off' }).waitFor();
    await visit.leave();
  });

  test('the start page leads to the console until there is an administrator', async () => {
    const visit = await world.visit();
    await visit.open('/');
    await visit.page.waitForURL((url) => url.search.includes('return_to=%2Fadmin'));
    const owner = await person(world.service, 'owner');
    await superuser(world.service);
    await visit.arrive('/', owner.authorization);
    await visit.page.waitForURL((url) => url.pathname === '/account');
    await visit.leave();
  });
});
