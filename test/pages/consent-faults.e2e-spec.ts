import { describeInBrowser } from '../machine/browser.js';
import { type Asking, asking, signedInAs } from '../machine/consent-application.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { person, signIn } from '../support/index.js';

describeInBrowser('oauth 5.2 the consent page: requests that no user can grant', () => {
  let world: Site;
  let app: Asking;
  let visit: Visit;
  beforeAll(async () => {
    world = await site();
    app = await asking(world.service, async () => ({}));
  });
  afterAll(async () => {
    app?.close();
    await world?.close();
  });
  beforeEach(async () => {
    visit = await world.visit();
  });
  afterEach(() => visit.leave());

  test.each([
    ['an unknown application', { client_id: '1' }, 'This app doesn’t exist'],
    ['a number that is none', { client_id: 'x' }, 'This app doesn’t exist'],
    ['no application', { client_id: '' }, 'This app doesn’t exist'],
    ['a number that is too large', { client_id: '9223372036854775808' }, 'This app doesn’t exist'],
    ['an unregistered redirect', { redirect_uri: 'https://evil.example/' }, 'sent an invalid request'],
    ['a redirect that would run', { redirect_uri: 'javascript:alert(1)//' }, 'sent an invalid request'],
    ['no redirect', { redirect_uri: '' }, 'sent an invalid request'],
    ['a missing scope', { scope: '' }, 'permissions it can’t have'],
    ['an unknown scope', { scope: 'identify everything' }, 'permissions it can’t have'],
    ['another response type', { response_type: 'token' }, 'sent an invalid request'],
    ['half a challenge', { code_challenge_method: '' }, 'sent an invalid request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'sent an invalid request'],
    ['a state that is too long', { state: 'x'.repeat(1025) }, 'sent an invalid request'],
  ])('%s is an error on the page, and nothing is redirected', async (_, changes, words) => {
    const { page } = visit;
    await visit.open(app.path(changes as Record<string, string>));
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    expect(await page.locator('form:visible').count()).toBe(0);
    expect(new URL(page.url()).origin).toBe(world.origin);
    expect(
      await page
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href)),
    ).toEqual([`${world.origin}/dev/inbox`]);
  });

  test('a duplicate parameter is an error, and so is a silent request that was rejected', async () => {
    const { page } = visit;
    await visit.open(`${app.path()}&scope=bot`);
    await page.getByRole('alert').filter({ hasText: 'sent an invalid request' }).waitFor();
    await visit.look('consent-fault');
    await visit.open('/oauth2/authorize?error=login_required&iss=x');
    await page.getByRole('alert').filter({ hasText: 'This app doesn’t exist' }).waitFor();
  });

  test('a response with a script URL is not followed', async () => {
    const { page } = visit;
    await signedInAs(page, await signIn(world.service, await person(world.service, 'dee')));
    await page.route('**/v1/oauth2/authorize/consent', (route) =>
      route.fulfill({ json: { redirect_to: `javascript:document.title='run'` } }),
    );
    await visit.open(app.path());
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('alert').filter({ hasText: 'sent an invalid request' }).waitFor();
    expect(await page.title()).toMatch(/^Something’s wrong with this request/);
  });
});
