import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { administrator, adminKey, auditOf, expectApiError, type Persona, setAcls } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { type } from './driving.js';

const KEYS = '/v1/admin/api-keys';
const BANS = '/v1/admin/blocklists/ip/entries';

describeInBrowser('web.md 4: /admin/keys', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });

  const arrive = (path: string, ...acls: readonly string[]) => arriveAsAdministrator(world, visit, path, ...acls);
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) => visit.page.getByRole('dialog').getByRole('button', { name, exact: true });
  const acl = (name: string) => visit.page.locator(`[name="acl.${name}"]`);
  const offered = () =>
    visit.page
      .getByRole('group', { name: 'Permissions' })
      .getByRole('checkbox')
      .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('name')));
  const opened = () => visit.page.getByRole('list', { name: 'Show operations' }).getByRole('listitem').allInnerTexts();
  const listed = async (who: Persona) => (await world.service.as(who).get(KEYS)).body;
  const item = (name: string) =>
    visit.page.getByRole('list', { name: 'API keys' }).getByRole('listitem').filter({ hasText: name });
  const said = (text: string | RegExp) => visit.page.getByText(text).first().waitFor();

  test('one is created by keyboard: its operations are shown while it is configured, and the key is shown once', async () => {
    const { page } = visit;
    const clerk = await arrive('/admin/keys', 'admin_api_key:manage', 'ban:ip:check', 'application:list:by_owner');
    await said('No API keys yet');
    await button('New key').press('Enter');
    await page.locator('[name=name]:focus').waitFor();
    await page.keyboard.type(' ');
    expect(await offered()).toEqual(
      ['admin_api_key:manage', 'application:list:by_owner', 'admin:authenticate', 'ban:ip:check'].map(
        (one) => `acl.${one}`,
      ),
    );
    await said('Allows 0 operations');
    await acl('ban:ip:check').press('Space');
    await said('Allows 2 operations');
    await page.getByText('Show operations').press('Enter');
    expect(await opened()).toEqual([`GET ${BANS}`, `GET ${BANS}/:value`]);
    await acl('admin_api_key:manage').press('Space');
    await said('Allows 4 operations');
    await said('API keys can’t manage API keys.');
    await acl('admin_api_key:manage').press('Space');
    await acl('application:list:by_owner').press('Space');
    await said('Allows 4 operations');
    await type(page, 'expires_in_days', '400');
    await type(page, 'reason', 'for the watchdog');
    await button('Create key').press('Enter');
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(2);
    expect(await listed(clerk)).toEqual([]);
    await visit.look('admin-keys-refused');
    await type(page, 'expires_in_days', '10');
    await type(page, 'name', 'Watch <b>dog</b>');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Watch <b>dog</b> created' }).waitFor();
    const key = await page.getByRole('dialog').locator('code.secret').innerText();
    await visit.look('admin-keys-shown');
    await inDialog('I’ve saved it').press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Watch <b>dog</b>' }).waitFor();
    expect(await page.content()).not.toContain(key);
    const [made] = await listed(clerk);
    expect(made).toMatchObject({ name: 'Watch <b>dog</b>', acls: ['application:list:by_owner', 'ban:ip:check'] });
    expect(new URL(page.url()).search).toBe(`?id=${made.key_id}`);
    expect((await auditOf(world.service, 'create_api_key')).at(-1)).toMatchObject({
      target_id: made.key_id,
      reason: 'for the watchdog',
    });
    const program = world.service.as(`Admin ${key}`);
    expect((await program.get(BANS)).status).toBe(200);
    expectApiError(await program.get(KEYS), 'MISSING_ACL');
    await visit.leave();
  });

  test('the list shows the permissions, the last use, and keys that expire soon', async () => {
    const { page } = visit;
    const root = await administrator(world.service, '*');
    const client = world.service.as(root);
    for (const [name, days] of [
      ['lasting', undefined],
      ['later', 15],
      ['soon', 14],
    ] as const) {
      await client.post(KEYS, { name, acls: ['user:lookup'], ...(days ? { expires_in_days: days } : {}) }).expect(200);
    }
    const used = await adminKey(world.service, root, 'user:lookup');
    await world.service.as(used).get('/v1/admin/users?limit=1').expect(200);
    await visit.arrive('/admin/keys', root.authorization);
    await item('lasting').getByText('1 permission · Never used · Never expires').waitFor();
    await item('soon').getByText('Expires in 14 days').waitFor();
    expect(await page.getByText(/Expires in \d+ days?/).count()).toBe(1);
    await said('1 key expires soon.');
    await item('a key')
      .getByText(/Last used /)
      .waitFor();
    await said('4 of 50 keys');
    await visit.look('admin-keys');
    await page.getByRole('link', { name: 'soon' }).press('Enter');
    await said('Expires in 14 days');
    await visit.look('admin-keys-one');
    const [{ key_id: id }] = (await listed(root)).filter(({ name }: { name: string }) => name === 'soon');
    expect(await page.getByRole('link', { name: 'View in the audit log' }).getAttribute('href')).toBe(
      `/admin/audit?target_type=admin_api_key&target_id=${id}`,
    );
    await visit.leave();
  });

  test('name and permissions are changed from the next request on; ACLs that the owner lost allow nothing', async () => {
    const { page } = visit;
    const clerk = await administrator(world.service, 'admin_api_key:manage', 'user:lookup', 'audit_log:view');
    const key = await adminKey(world.service, clerk, 'user:lookup', 'audit_log:view');
    await setAcls(world.service, clerk, ['admin:authenticate', 'admin_api_key:manage', 'user:lookup']);
    await visit.arrive(`/admin/keys?id=${key.id}`, clerk.authorization);
    await said('you don’t have this');
    await said('This key has permissions you no longer have');
    await page.getByText('Show operations').press('Enter');
    expect((await opened()).some((text) => text.includes('/audit-logs'))).toBe(false);
    expect(await opened()).toContain('GET /v1/admin/users');
    await visit.look('admin-keys-beyond');
    await type(page, 'name', 'renamed');
    await page.keyboard.press('Enter');
    await said('Saved. Applies from the next request.');
    expect(await listed(clerk)).toMatchObject([{ name: 'renamed', acls: ['user:lookup', 'audit_log:view'] }]);
    await acl('user:lookup').press('Space');
    await type(page, 'reason', 'less');
    await button('Save').press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await listed(clerk)).toMatchObject([{ acls: ['user:lookup', 'audit_log:view'] }]);
    expect([await acl('user:lookup').isChecked(), await page.locator('[name=reason]').inputValue()]).toEqual([
      false,
      'less',
    ]);
    await acl('audit_log:view').press('Space');
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok());
    await button('Save').press('Enter');
    await saved;
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await said('Allows 0 operations');
    expect(await listed(clerk)).toMatchObject([{ acls: [] }]);
    expectApiError(await world.service.as(key).get('/v1/admin/users?limit=1'), 'MISSING_ACL');
    await visit.leave();
  });

  test('one is deleted after its effect is shown; an unknown one is reported', async () => {
    const { page } = visit;
    const root = await administrator(world.service, '*');
    const key = await adminKey(world.service, root, 'user:lookup');
    await visit.arrive(`/admin/keys?id=${key.id}`, root.authorization);
    await button('Delete key').press('Enter');
    await said('Anything using a key stops working right away. You can’t undo this.');
    await visit.look('admin-keys-delete');
    await inDialog('Delete key').press('Enter');
    await page.locator('dialog [name=reason]:invalid').waitFor();
    await page.getByRole('dialog').locator('[name=reason]').fill('leaked');
    await inDialog('Delete key').press('Enter');
    await said('No API keys yet');
    expectApiError(await world.service.as(key).get('/v1/admin/users?limit=1'), 'UNAUTHORIZED');
    expect((await auditOf(world.service, 'revoke_api_key')).at(-1)).toMatchObject({
      target_id: key.id,
      reason: 'leaked',
    });
    const foreign = await adminKey(world.service, await administrator(world.service, '*'));
    for (const id of [key.id, foreign.id, 'junk']) {
      await visit.open(`/admin/keys?id=${id}`);
      await said('This key doesn’t exist, has expired, or belongs to someone else.');
    }
    await visit.look('admin-keys-unknown');
    await visit.leave();
  });

  test('an administrator with fifty keys must delete one first, and the input stays', async () => {
    const { page } = visit;
    const clerk = await arrive('/admin/keys', 'admin_api_key:manage');
    for (let n = 0; n < 50; n++)
      await world.service
        .as(clerk)
        .post(KEYS, { name: `key ${n}`, acls: [] })
        .expect(200);
    await button('New key').press('Enter');
    await page.keyboard.type('one more');
    await page.keyboard.press('Enter');
    await said('You’ve reached the API key limit. Delete one to create another.');
    expect(await page.locator('[name=name]').inputValue()).toBe('one more');
    expect(await listed(clerk)).toHaveLength(50);
    await visit.leave();
  });

  test('without its ACL there is no view, and the service rejects the requests', async () => {
    const clerk = await arrive('/admin/keys', 'user:lookup');
    await said('This page doesn’t exist, or you don’t have access to it.');
    expect(await visit.page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    const client = world.service.as(clerk);
    const owner = await administrator(world.service, '*');
    const key = await adminKey(world.service, owner);
    for (const response of [
      await client.get(KEYS),
      await client.get(`${KEYS}/${key.id}`),
      await client.post(KEYS, { name: 'x', acls: [] }),
      await client.patch(`${KEYS}/${key.id}`, { name: 'x' }),
      await client.delete(`${KEYS}/${key.id}`),
    ]) {
      expectApiError(response, 'MISSING_ACL');
    }
    expect(await world.service.sql('SELECT id FROM admin_key WHERE owner_id = $1', [clerk.id])).toEqual([]);
    expect(await listed(owner)).toMatchObject([{ key_id: key.id, name: 'a key' }]);
    await visit.leave();
  });
});
