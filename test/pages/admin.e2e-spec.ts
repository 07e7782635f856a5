import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { person } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { heading } from './driving.js';

describeInBrowser('web.md 4: /admin', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });

  const listed = () => visit.page.getByRole('navigation').getByRole('link').allInnerTexts();

  test('a signed-out visitor signs in first, and returns', async () => {
    await visit.open('/admin/audit?action=unban');
    await visit.page.waitForURL('**/login?return_to=%2Fadmin%2Faudit%3Faction%3Dunban');
    await visit.leave();
  });

  test('a user without ACLs sees nothing of it, and cannot become administrator by guessing', async () => {
    const alice = await person(world.service, 'alice');
    await visit.arrive('/admin', alice.authorization);
    await visit.page.getByText('This account doesn’t have admin access.').waitFor();
    expect(await visit.page.getByRole('navigation').count()).toBe(0);
    await visit.look('admin-stranger');
    await visit.page.getByLabel('Setup token').fill('guessed');
    await visit.page.keyboard.press('Enter');
    await visit.page.getByRole('alert').waitFor();
    expect(await world.service.sql(`SELECT id FROM account WHERE '*' = ANY (acls)`)).toEqual([]);
    await visit.leave();
  });

  test('the navigation lists exactly the views that the ACLs allow', async () => {
    await arriveAsAdministrator(world, visit, '/admin', 'ban:ip:check');
    await heading(visit, 'Home');
    expect(await listed()).toEqual(['Home', 'IP bans', 'Permissions', 'Access checker']);
    await visit.open('/admin/audit');
    await visit.page.getByText('This page doesn’t exist, or you don’t have access to it.').waitFor();
    await visit.look('admin-not-for-you');
    await visit.leave();
  });

  test('the superadmin sees every view; lazily loaded code receives the end of the session', async () => {
    const root = await arriveAsAdministrator(world, visit, '/admin');
    await heading(visit, 'Home');
    expect(await listed()).toEqual([
      'Home',
      ...['All people', 'Pending sign-ups', 'Apps'],
      ...['Audit log', 'IP bans', 'Permissions', 'API keys', 'Access checker'],
      ...['Live metrics', 'Background jobs', 'Settings', 'Connections', 'Events', 'Setup checklist'],
    ]);
    await visit.waitForGateway();
    await world.service.as(root).post('/v1/auth/logout');
    await visit.page.waitForURL('**/login?**signed_out=elsewhere');
    await visit.leave();
  });
});
