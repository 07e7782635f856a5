import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { administrator, auditOf, type Persona, person, setAcls, superuser } from '../support/index.js';
import { AccountActions, accountPath } from './account-actions.js';
import { heading } from './driving.js';

const ROLES = '/v1/admin/roles';

describeInBrowser('web.md 4: roles on /admin/acls', () => {
  let world: Site;
  let visit: Visit;
  let root: Persona;
  beforeAll(async () => {
    world = await site();
    root = await superuser(world.service);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    await world.service.sql('DELETE FROM admin_role');
    visit = await world.visit();
  });

  const section = () => visit.page.getByRole('region', { name: 'Roles', exact: true });
  const dialog = () => visit.page.getByRole('dialog');
  const button = (name: string) => dialog().getByRole('button', { name, exact: true });
  const box = (acl: string) => dialog().locator(`[name="role.${acl}"]`);
  const difference = () => dialog().getByRole('status', { name: 'Changes' });
  const enter = async (label: string, text: string) => {
    await dialog().getByLabel(label, { exact: true }).focus();
    await visit.page.keyboard.press('ControlOrMeta+a');
    await visit.page.keyboard.type(text);
  };
  const open = async (name: string) => {
    await section().getByRole('button', { name, exact: true }).press('Enter');
    await dialog().waitFor();
  };
  const closed = () => dialog().waitFor({ state: 'detached' });
  const arrive = async (by: Persona, query = '') => {
    await visit.arrive(`/admin/acls${query}`, by.authorization);
    await heading(visit, 'Permissions');
  };
  const create = async (name: string, ...acls: string[]) =>
    (await world.service.as(root).post(ROLES, { name, acls }).expect(200)).body;
  const roles = async () => (await world.service.as(root).get(ROLES)).body.roles;

  test('a role is created from the selection, changed and deleted, by keyboard', async () => {
    await arrive(root, '?acls=user:lookup,ban:ip:check');
    await section().getByText('No roles', { exact: true }).waitFor();
    await open('Create role');
    expect(await box('user:lookup').isChecked()).toBe(true);
    await box('user:list:sessions').press('Space');
    await box('ban:ip:check').press('Space');
    expect((await difference().getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0])).toEqual([
      expect.stringContaining('Added: user:list:sessions'),
      expect.stringContaining('Added: user:lookup'),
    ]);
    await enter('Name', 'Help desk');
    await visit.look('admin-roles-create');
    await button('Create role').press('Enter');
    await closed();
    await visit.page.getByText('Role created', { exact: true }).waitFor();
    const acls = ['user:list:sessions', 'user:lookup'];
    expect(await roles()).toEqual([{ id: expect.any(String), name: 'Help desk', acls }]);
    await section().getByText('1 of 50 roles').waitFor();
    await visit.look('admin-roles');
    await open('Edit');
    await difference().getByText('No permissions change.').waitFor();
    await box('user:lookup').press('Space');
    await difference().getByText('Removed: user:lookup').waitFor();
    await enter('Name', 'Sessions');
    await enter('Reason', 'fewer permissions');
    await button('Edit').press('Enter');
    await closed();
    await section().getByText('Sessions', { exact: true }).waitFor();
    expect((await auditOf(world.service)).at(-1)).toMatchObject({
      action: 'update_role',
      reason: 'fewer permissions',
      metadata: {
        ...{ old_name: 'Help desk', new_name: 'Sessions' },
        ...{ old_acls: 'user:list:sessions,user:lookup', new_acls: 'user:list:sessions' },
      },
    });
    await open('Delete');
    await dialog().getByText('The role Sessions is deleted. Accounts keep their permissions.').waitFor();
    await enter('Reason', 'not used');
    await button('Delete').press('Enter');
    await closed();
    await section().getByText('No roles', { exact: true }).waitFor();
    expect(await roles()).toEqual([]);
    await visit.leave();
  });

  test('an error of the service is shown at the field, and canceling discards the changes', async () => {
    await create('Support', 'user:lookup');
    await arrive(root);
    await section().getByText('Support', { exact: true }).waitFor();
    await open('Create role');
    await enter('Name', 'SUPPORT');
    await button('Create role').press('Enter');
    await dialog().getByRole('alert').filter({ hasText: 'Another role has this name.' }).waitFor();
    expect(await roles()).toHaveLength(1);
    await visit.page.keyboard.press('Escape');
    await closed();
    await open('Edit');
    await enter('Name', 'Other');
    await box('user:lookup').press('Space');
    await visit.page.keyboard.press('Escape');
    await closed();
    await open('Edit');
    expect(await dialog().getByLabel('Name', { exact: true }).inputValue()).toBe('Support');
    expect(await box('user:lookup').isChecked()).toBe(true);
    await visit.leave();
  });

  test('a role shows its routes, and only administrators with * can change roles', async () => {
    await create('Support', 'admin:authenticate', 'user:lookup');
    await arrive(await administrator(world.service, 'acl:set:user'));
    await section().getByText('Support', { exact: true }).waitFor();
    expect(await section().getByRole('button').count()).toBe(0);
    await section().getByRole('link', { name: 'Show routes' }).press('Enter');
    await visit.page.waitForURL(/acls=admin%3Aauthenticate%2Cuser%3Alookup/);
    await visit.page.getByRole('region', { name: 'Allowed', exact: true }).waitFor();
    await visit.leave();
    visit = await world.visit();
    await arrive(await administrator(world.service, 'audit_log:view'));
    await visit.page.getByText('Nothing selected').waitFor();
    expect(await section().count()).toBe(0);
    await visit.leave();
  });

  test('a search finds permissions by name or description, and keeps the selection', async () => {
    await arrive(root, '?acls=ban:ip:check');
    const { page } = visit;
    const names = () => page.locator('fieldset input').evaluateAll((all) => all.map((one) => one.getAttribute('name')));
    await page.locator('[name="acl.search"]').focus();
    await page.keyboard.type('suspend ACCOUNTS');
    await page.getByText('1 permission found').waitFor();
    expect(await names()).toEqual(['acl.user:temp_ban']);
    await visit.look('admin-acls-search');
    await page.keyboard.press('Enter');
    await page.locator('[name="acl.user:temp_ban"]').press('Space');
    await page.waitForURL(/user%3Atemp_ban/);
    expect(new URL(page.url()).searchParams.get('acls')).toBe('ban:ip:check,user:temp_ban');
    await page.locator('[name="acl.search"]').focus();
    await page.keyboard.type(' nothing');
    await page.getByText('0 permissions found').waitFor();
    expect(await names()).toEqual([]);
    await visit.leave();
  });
});

describeInBrowser('web.md 4: roles in the permissions of an account', () => {
  let world: Site;
  let visit: Visit;
  let actions: AccountActions;
  let root: Persona;
  beforeAll(async () => {
    world = await site();
    root = await superuser(world.service);
    for (const [name, acls] of [
      ['Support', ['admin:authenticate', 'user:lookup']],
      ['Everything', ['*']],
      ['Bans', ['ban:ip:add']],
    ] as const) {
      await world.service.as(root).post(ROLES, { name, acls }).expect(200);
    }
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
    actions = new AccountActions(world, visit);
  });

  const difference = () => actions.dialog.getByRole('status', { name: 'Changes' });
  const aclsOf = async ({ id }: Persona) =>
    (await world.service.as(root).get(`/v1/admin/users/${id}`)).body.users[0].acls;

  test('a role replaces the selection, the difference is shown, and saving copies its ACLs', async () => {
    const alice = await person(world.service, 'alice');
    await setAcls(world.service, alice, ['admin:authenticate', 'audit_log:view']);
    await visit.arrive(accountPath(alice), root.authorization);
    await actions.openDialog('Edit permissions');
    const select = actions.dialog.getByLabel('Copy from a role');
    await select.waitFor();
    expect(await select.locator('option').allInnerTexts()).toEqual(['Choose a role', 'Bans', 'Everything', 'Support']);
    await select.focus();
    await visit.page.keyboard.type('Support');
    await difference().getByText('Added: user:lookup').waitFor();
    const lines = await difference().getByRole('listitem').allInnerTexts();
    expect(lines).toEqual([
      expect.stringContaining('Removed: audit_log:view'),
      expect.stringContaining('Added: user:lookup'),
    ]);
    await visit.look('admin-roles-copy');
    await actions.dialog.locator('[name="acl.search"]').focus();
    await visit.page.keyboard.type('mfa');
    await visit.page.keyboard.press('Enter');
    await actions.dialog.locator('[name="acl.user:update:mfa"]').press('Space');
    expect(await aclsOf(alice)).toEqual(['admin:authenticate', 'audit_log:view']);
    await actions.enterReason();
    await actions.submit('Edit permissions');
    await actions.waitForDone('Permissions updated');
    expect(await aclsOf(alice)).toEqual(['admin:authenticate', 'user:lookup', 'user:update:mfa']);
    await actions.expectEntry(root, alice, 'set_acls', {
      old_acls: 'audit_log:view,admin:authenticate',
      new_acls: 'admin:authenticate,user:lookup,user:update:mfa',
    });
    await visit.leave();
  });

  test('roles with ACLs that the administrator lacks cannot be chosen', async () => {
    const bob = await person(world.service, 'bob');
    const setter = await administrator(world.service, 'acl:set:user', 'user:lookup');
    await visit.arrive(accountPath(bob), setter.authorization);
    await actions.openDialog('Edit permissions');
    const select = actions.dialog.getByLabel('Copy from a role');
    await select.waitFor();
    expect(await select.locator('option').allInnerTexts()).toEqual(['Choose a role', 'Support']);
    await actions.dialog.getByText('2 roles aren’t listed, because they have permissions you don’t.').waitFor();
    await visit.look('admin-roles-beyond');
    await visit.leave();
  });
});
