import { featureRegistry } from '../../src/features.js';
import { guardsInOrder } from '../../src/pipeline/guards.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { expectApiError, person } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { chooseLanguage, heading, type } from './driving.js';

describeInBrowser('web.md 4: /admin/explain', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });

  const says = (text: string) => visit.page.getByRole('status').filter({ hasText: text }).waitFor();
  const rows = async () =>
    (await visit.page.getByRole('list', { name: 'Checks' }).locator('> li').allInnerTexts()).map((text) =>
      text.split('\n').map((line) => line.trim()),
    );
  const explain = () => visit.page.getByRole('button', { name: 'Check', exact: true }).press('Enter');
  const fields = () =>
    visit.page
      .locator('form :is(summary, [name=scopes], [name=same])')
      .evaluateAll((all) => all.map((one) => one.getAttribute('name') ?? one.textContent?.split(' · ')[0]?.trim()));

  test('shows the guards, the deciding one, and the response; its URL repeats the query', async () => {
    const { page } = visit;
    const admin = await arriveAsAdministrator(world, visit, '/admin/explain', 'user:lookup');
    await heading(visit, 'Access checker');
    await visit.look('admin-explain');
    await type(page, 'path', `${world.origin}/v1/admin/users/12?x=1#y`);
    await page.getByLabel('Credential').selectOption('session');
    await page.locator('summary').filter({ hasText: 'Permissions of the account' }).press('Enter');
    await page.locator('[name="acls.admin:authenticate"]').press('Space');
    await visit.look('admin-explain-acls');
    await page.locator('[name=path]').press('Enter');
    await says('Denied by acl. Response: 403 MISSING_ACL.');
    expect(await page.locator('[name=path]').inputValue()).toBe('/v1/admin/users/12');
    await page.getByText('AdminUsersController.show').waitFor();
    await page.getByText("@AdminAcl('user:lookup') @RateLimit('admin:lookup')").waitFor();
    const judged = await rows();
    const wanted = { method: 'GET', path: '/v1/admin/users/12', credential: 'session', acls: ['admin:authenticate'] };
    const { body } = await world.service.as(admin).post('/v1/admin/explain', wanted);
    expect(judged.length).toBe(body.rows.length);
    expect(judged.filter((lines) => lines.includes('Decisive')).map((lines) => lines[1])).toEqual(['Permissions']);
    expect(judged.at(-2)?.join(' ')).toMatch(/Denies MISSING_ACL You don’t have permission to do this/);
    expect(judged.at(-1)?.join(' ')).toContain('Not reached');
    await visit.look('admin-explain-refused');
    const colleague = await world.visit();
    const { pathname, search } = new URL(page.url());
    await colleague.arrive(pathname + search, admin.authorization);
    await colleague.page
      .getByRole('status')
      .filter({ hasText: /Denied by (?:acl|Permissions)/ })
      .waitFor();
    expect(await colleague.page.getByLabel('Credential').inputValue()).toBe('session');
    await colleague.page.getByText('Permissions of the account · 1 selected').waitFor();
    await colleague.leave();
    await visit.leave();
  });

  test('examples fill in the form and show their result, by keyboard', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, '/admin/explain');
    const examples = page.getByRole('list', { name: 'Examples:' }).getByRole('link');
    await examples.first().waitFor();
    const results: Record<string, RegExp> = {
      'Read an account while signed out': /Denied by .+ 401 UNAUTHORIZED/,
      'Read a profile as an app': /^Allowed/,
      'Change settings before verifying the email': /Denied by .+ 403 ACCOUNT_SUSPICIOUS_ACTIVITY/,
      'Suspend a user with an API key': /^Allowed/,
    };
    expect(await examples.allInnerTexts()).toEqual(Object.keys(results));
    for (const [name, result] of Object.entries(results)) {
      await examples.filter({ hasText: name }).press('Enter');
      await page.getByRole('status').filter({ hasText: result }).waitFor();
    }
    expect(await page.locator('[name=path]').inputValue()).toBe('/v1/admin/users/1/ban');
    await visit.look('admin-explain-example');
    await visit.leave();
  });

  test('each credential kind has its own fields', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, '/admin/explain');
    const offered: Record<string, unknown> = {};
    for (const credential of ['none', 'session', 'bot', 'bearer', 'admin-bearer', 'admin-key']) {
      await page.getByLabel('Credential').selectOption(credential);
      offered[credential] = await fields();
    }
    const [owner, flags] = ['Permissions of the account', 'Required verification'];
    expect(offered).toEqual({
      none: [],
      session: [owner, flags],
      bot: [flags],
      bearer: ['scopes', flags],
      'admin-bearer': ['scopes', owner, flags],
      'admin-key': [owner, 'same'],
    });
    await visit.leave();
  });

  test('scopes, flags, key permissions and enforcement are applied; going back repeats the previous query', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, '/admin/explain?path=/v1/users/@me&credential=bearer');
    await says('Denied by scope. Response: 403 MISSING_OAUTH_SCOPE.');
    await type(page, 'scopes', 'identify  email');
    await page.keyboard.press('Enter');
    await says('Allowed, unless a conditional check fails. Response: 200.');
    await visit.look('admin-explain-admitted');
    await page.locator('summary').filter({ hasText: 'Required verification' }).press('Enter');
    await page.locator('[name=REQUIRE_VERIFIED_PHONE]').press('Space');
    await type(page, 'path', '/v1/users/@me/webhooks');
    await page.getByLabel('Credential').selectOption('session');
    await explain();
    await says('Denied by suspicious_activity. Response: 403 ACCOUNT_SUSPICIOUS_ACTIVITY.');
    expect(new URL(page.url()).searchParams.get('flags')).toBe('4');
    await page.goBack();
    await says('Allowed, unless a conditional check fails.');
    expect(await page.locator('[name=scopes]').inputValue()).toBe('identify  email');
    expect(await page.locator('[name=path]').inputValue()).toBe('/v1/users/@me');

    await type(page, 'path', '/v1/admin/users');
    await page.getByLabel('Credential').selectOption('admin-key');
    await page.locator('summary').filter({ hasText: 'Permissions of the account' }).press('Enter');
    await page.locator('[name="acls.*"]').press('Space');
    await explain();
    await says('Allowed, unless a conditional check fails.');
    await page.locator('[name=same]').press('Space');
    await page.locator('summary').filter({ hasText: 'Permissions of the key' }).press('Enter');
    await page.locator('[name="key_acls.*"]').press('Space');
    await explain();
    await says('Denied by acl. Response: 403 MISSING_ACL.');
    await page.reload();
    await says('Denied by acl. Response: 403 MISSING_ACL.');
    expect(await page.locator('[name=same]').isChecked()).toBe(false);

    await type(page, 'path', '/v1/auth/login');
    await page.getByLabel('Method').selectOption('POST');
    await page.getByLabel('Credential').selectOption('none');
    await explain();
    await says('Allowed, unless a conditional check fails.');
    await page.getByLabel('Single sign-on').selectOption('on');
    await explain();
    await says('Denied by sso. Response: 403 SSO_REQUIRED.');
    await visit.leave();
  });

  test('an unknown path is reported; an invalid one is rejected at its field, and the input stays', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, '/admin/explain?path=/v1/nothing&method=DELETE');
    await says('No such route. Response: 404 NOT_FOUND.');
    await visit.look('admin-explain-unknown');
    await type(page, 'path', 'v1/users/@me');
    await explain();
    await page.locator('[name=path][aria-invalid=true]').waitFor();
    expect(await page.locator('[name=path]').inputValue()).toBe('v1/users/@me');
    expect(await page.getByLabel('Method').inputValue()).toBe('DELETE');
    await visit.look('admin-explain-no-path');
    await visit.leave();
  });

  test('every guard of the service has a text', async () => {
    const { page } = visit;
    const names = guardsInOrder().map(({ name }) => name);
    const requested = new URLSearchParams({ path: '/v1/users/@me/export', method: 'POST', credential: 'session' });
    await arriveAsAdministrator(world, visit, `/admin/explain?${requested}`);
    await says('Allowed, unless');
    const shown = (await rows()).map((lines) => lines[1]);
    expect(shown).toContain('Identity verification');
    expect(shown.filter((text) => names.includes(text ?? ''))).toEqual([]);
    await chooseLanguage(page, 'fr');
    await page.getByText('Confirmation de la personne').waitFor();
    await visit.leave();
  });

  test('needs only admin:authenticate; a user without it sees nothing of it and is rejected', async () => {
    const alice = await person(world.service, 'alice');
    await visit.arrive('/admin/explain?path=/v1/users/@me', alice.authorization);
    await visit.page.getByText('This account doesn’t have admin access.').waitFor();
    expect(await visit.page.locator('[name=path]').count()).toBe(0);
    const requested = { method: 'GET', path: '/v1/users/@me', acls: [...featureRegistry().acls.keys()] };
    expectApiError(await world.service.as(alice).post('/v1/admin/explain', requested), 'MISSING_PERMISSIONS');
    await visit.leave();
  });
});
