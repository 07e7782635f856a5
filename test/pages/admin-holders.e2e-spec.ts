import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type Persona, person, superuser } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { focusOn } from './driving.js';

describeInBrowser('web.md 4: who has which permissions on /admin/acls', () => {
  let world: Site;
  let visit: Visit;
  let root: Persona;
  let alice: Persona;
  let bob: Persona;
  const set = (who: Persona, ...acls: string[]) =>
    world.service.as(root).put(`/v1/admin/users/${who.id}/acls`, { acls }).expect(200);

  beforeAll(async () => {
    world = await site();
    root = await superuser(world.service);
    alice = await person(world.service, 'alice');
    bob = await person(world.service, 'bob');
    await set(alice, 'admin:authenticate', 'user:lookup');
    // The audit log has no entry for this change.
    await world.service.sql("UPDATE account SET acls = '{user:lookup}' WHERE id = $1", [bob.id]);
    const carol = await person(world.service, 'carol');
    await set(carol, 'user:lookup');
    await set(carol);
    await world.service
      .as(root)
      .post('/v1/admin/roles', { name: 'Help desk', acls: ['admin:authenticate', 'user:lookup'] })
      .expect(200);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });

  const section = () => visit.page.getByRole('region', { name: 'Who has permissions', exact: true });
  const status = (text: string) => section().getByRole('status').getByText(text, { exact: true }).waitFor();
  const names = async () =>
    (await section().getByRole('listitem').getByRole('link').allInnerTexts()).map((name) => name.split('#')[0]);

  test('accounts with permissions are shown on request, and follow the selection', async () => {
    const { page } = visit;
    await visit.arrive('/admin/acls', root.authorization);
    await section().getByRole('button', { name: 'Show accounts' }).press('Enter');
    await status('3 accounts have permissions');
    expect(await names()).toEqual(['alice', 'bob', 'root']);
    const item = section().getByRole('listitem').filter({ hasText: 'alice' });
    expect(await item.innerText()).toContain('admin:authenticate and user:lookup');
    await visit.look('admin-holders');
    await page.locator('[name="acl.admin:authenticate"]').press('Space');
    await status('2 accounts have all selected permissions');
    expect(await names()).toEqual(['alice', 'root']);
    await set(bob, 'admin:authenticate');
    await world.service.as(root).put(`/v1/admin/users/${bob.id}/ban`, { duration_hours: 1 }).expect(200);
    await section().getByRole('button', { name: 'Refresh' }).press('Enter');
    await status('3 accounts have all selected permissions');
    await section().getByText('Suspended', { exact: true }).waitFor();
    await section()
      .getByRole('link', { name: /^alice#/ })
      .press('Enter');
    await page.waitForURL(`**/admin/people/${alice.id}`);
    await visit.leave();
  });

  test('a role shows the accounts that have its permissions', async () => {
    const { page } = visit;
    await visit.arrive('/admin/acls', root.authorization);
    const role = page.getByRole('group', { name: 'Help desk', exact: true });
    await role.getByRole('button', { name: 'Show accounts' }).press('Enter');
    await status('2 accounts have all selected permissions');
    await focusOn(page, 'Who has permissions');
    expect(await names()).toEqual(['alice', 'root']);
    expect(new URL(page.url()).searchParams.get('acls')).toBe('admin:authenticate,user:lookup');
    await visit.leave();
  });

  test('it needs only the list of accounts', async () => {
    await arriveAsAdministrator(world, visit, '/admin/acls', 'user:lookup');
    await section().getByRole('button', { name: 'Show accounts' }).press('Enter');
    await section()
      .getByRole('link', { name: /^alice#/ })
      .waitFor();
    await visit.leave();
  });

  test('without the list of accounts, it is not shown', async () => {
    await arriveAsAdministrator(world, visit, '/admin/acls', 'acl:set:user');
    await visit.page.getByRole('group', { name: 'Help desk', exact: true }).waitFor();
    expect(await section().count()).toBe(0);
    expect(await visit.page.getByRole('button', { name: 'Show accounts' }).count()).toBe(0);
    await visit.leave();
  });
});
