import { defineFeature } from '../../src/index.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type Persona, person, setAcls, superuser } from '../support/index.js';
import { AccountActions, accountPath } from './account-actions.js';

const notes = defineFeature('notes', { acls: { 'notes:tidy': { 'en-US': 'tidy the notes of everybody' } } });

describeInBrowser('web.md 4: permissions and flags of an account', () => {
  let world: Site;
  let visit: Visit;
  let actions: AccountActions;
  let root: Persona;
  let alice: Persona;
  let count = 0;
  beforeAll(async () => {
    world = await site({ features: [notes] });
    root = await superuser(world.service);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await person(world.service, `alice${++count}`);
    visit = await world.visit();
    actions = new AccountActions(world, visit);
  });

  const arrive = () => visit.arrive(accountPath(alice), root.authorization);
  const user = async () => (await world.service.as(root).get(`/v1/admin/users/${alice.id}`)).body.users[0];
  const field = (label: string) => actions.dialog.getByLabel(label, { exact: true });
  const expectEntry = (action: string, metadata?: object) => actions.expectEntry(root, alice, action, metadata);

  /** An ACL in the list of choices. Its description follows its name. */
  const acl = (name: string) => actions.dialog.getByRole('checkbox', { name: new RegExp(`^${name} .`) });

  test('permissions are chosen from the registry, with texts of extensions', async () => {
    await setAcls(world.service, alice, ['admin:authenticate', 'audit_log:view']);
    await arrive();
    await actions.openTab('Security');
    await actions.main.locator('code', { hasText: 'audit_log:view' }).waitFor();
    await actions.openDialog('Edit permissions');
    expect(await actions.dialog.getByRole('checkbox').count()).toBe(34);
    expect(await acl('admin:authenticate').isChecked()).toBe(true);
    await acl('audit_log:view').press('Space');
    await acl('user:lookup').press('Space');
    await field('notes:tidy tidy the notes of everybody').press('Space');
    await visit.look('admin-account-actions-permissions');
    await actions.enterReason();
    await actions.submit('Edit permissions');
    await actions.waitForDone('Permissions updated');
    const acls = ['admin:authenticate', 'user:lookup', 'notes:tidy'];
    expect((await user()).acls).toEqual(acls);
    await actions.main.locator('code', { hasText: 'user:lookup' }).waitFor();
    await expectEntry('set_acls', { old_acls: 'audit_log:view,admin:authenticate', new_acls: acls.join(',') });
    await visit.leave();
  });

  test('flags are added and removed, and canceling discards the selection', async () => {
    await world.service.sql('UPDATE account SET flags = $2 WHERE id = $1', [alice.id, String(1n << 47n)]);
    await arrive();
    await actions.openTab('Data');
    await actions.main.getByText('No rate limit').waitFor();
    await actions.openDialog('Edit flags');
    await field('Staff').press('Space');
    await visit.page.keyboard.press('Escape');
    await actions.dialog.waitFor({ state: 'detached' });
    await actions.openDialog('Edit flags');
    expect(await field('Staff').isChecked()).toBe(false);
    await field('Exempt from automatic checks').press('Space');
    await field('No rate limit').press('Space');
    await actions.enterReason();
    await actions.submit('Edit flags');
    await actions.waitForDone('Flags updated');
    const [added, removed] = [String(1n << 62n), String(1n << 47n)];
    expect((await user()).flags).toBe(added);
    await expectEntry('update_flags', { add_flags: added, remove_flags: removed, new_flags: added });
    await visit.leave();
  });

  test('settable traits are set, and others stay', async () => {
    await world.service.sql("UPDATE account SET traits = '{sso}' WHERE id = $1", [alice.id]);
    await arrive();
    await actions.openDialog('Edit traits');
    await field('Skip CAPTCHA').press('Space');
    await actions.enterReason();
    await actions.submit('Edit traits');
    await actions.waitForDone('Traits updated');
    expect((await user()).traits).toEqual(['sso', 'captcha_exempt']);
    await expectEntry('set_traits', { traits: 'captcha_exempt' });
    await visit.leave();
  });

  test('requirements are added and removed', async () => {
    await world.service.sql('UPDATE account SET suspicious_flags = 129 WHERE id = $1', [alice.id]);
    await arrive();
    await actions.openTab('Security');
    await actions.main.getByText('REQUIRE_VERIFIED_EMAIL', { exact: false }).first().waitFor();
    await actions.openDialog('Edit requirements');
    await field('Verify email').press('Space');
    await field('Verify phone again').press('Space');
    await actions.enterReason();
    await actions.submit('Edit requirements');
    await actions.waitForDone('Requirements updated');
    expect((await user()).suspicious_activity_flags).toBe(136);
    await expectEntry('update_suspicious_activity_flags', { old_flags: '129', flags: '136' });
    await visit.leave();
  });
});
