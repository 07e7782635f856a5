import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { featureRegistry } from '../../src/features.js';
import { defineFeature } from '../../src/policy/feature.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { expectApiError, person } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { chooseLanguage, heading, tabTo } from './driving.js';

const OURS = [...featureRegistry().acls.keys()];
/** The groups of the page, each with the start of its ACLs. */
const GROUPS = {
  Administration: /^(?:\*|acl:|admin:|admin_api_key:)/,
  Accounts: /^user:/,
  Apps: /^application:/,
  'Audit log and IP bans': /^(?:audit_log|ban):/,
  Platform: /^(?:instance|outgoing_events):/,
};
const GROUPED = Object.values(GROUPS).flatMap((start) => OURS.filter((acl) => start.test(acl)));
const notes = defineFeature('notes', {
  acls: { 'notes:moderate': { 'en-US': 'Remove <i>notes</i> of others', 'de-AT': 'Notizen anderer entfernen' } },
});

describe('web.md 4 texts of ACLs', () => {
  test('every ACL of the service has texts, and no others exist', () => {
    const file = join(import.meta.dirname, '../../web/words/en-US.json');
    const said = Object.keys(JSON.parse(readFileSync(file, 'utf8')).adminAcls);
    expect(said.filter((name) => name.includes(':') || name === '*').sort()).toEqual(OURS.toSorted());
  });
});

describeInBrowser('web.md 4: /admin/acls', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await site({ features: [notes] });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });

  const box = (acl: string) => visit.page.locator(`[name="acl.${acl}"]`);
  const routes = (name: 'Allowed' | 'Denied') =>
    visit.page.getByRole('region', { name, exact: true }).getByRole('link').allInnerTexts();
  const status = () => visit.page.getByRole('status').filter({ hasText: /routes?|selected/ });
  const chosen = () =>
    visit.page.locator('fieldset input:checked').evaluateAll((boxes) => boxes.map((one) => one.getAttribute('name')));

  test('the registry is in groups with texts, and marks the ACLs of the caller', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, '/admin/acls', 'ban:ip:check', 'user:lookup');
    await heading(visit, 'Permissions');
    await page.locator('fieldset label').first().waitFor();
    const labels = await page.locator('fieldset label').allInnerTexts();
    expect(labels.map((text) => text.split('\n')[0]?.trim())).toEqual([...GROUPED, 'notes:moderate']);
    expect(await page.locator('fieldset legend').allInnerTexts()).toEqual([...Object.keys(GROUPS), 'Extensions']);
    expect(GROUPED.toSorted()).toEqual(OURS.toSorted());
    const mine = labels.filter((text) => text.includes('You have this')).map((text) => text.split('\n')[0]?.trim());
    expect(mine).toEqual(['admin:authenticate', 'user:lookup', 'ban:ip:check']);
    expect(labels.at(-1)).toContain('Remove <i>notes</i> of others');
    expect(await page.getByText('Nothing selected').count()).toBe(1);
    await visit.look('admin-acls');
    await chooseLanguage(page, 'de');
    await page.getByText('Notizen anderer entfernen').waitFor();
    expect(await page.locator('[lang=de-AT]').count()).toBe(1);
    await page.getByText('Adressen sperren', { exact: true }).waitFor();
    await visit.leave();
  });

  test('a set shows exactly the operations that its ACLs allow, and is stored in the URL', async () => {
    const { page } = visit;
    const clerk = await arriveAsAdministrator(world, visit, '/admin/acls', 'ban:ip:check');
    await box('ban:ip:check').press('Space');
    await status()
      .filter({ hasText: /^0 of \d+ routes allowed/ })
      .waitFor();
    await page.getByText('Every admin route also needs admin:authenticate').waitFor();
    await visit.look('admin-acls-no-gate');
    await page.getByRole('button', { name: 'Add it' }).press('Enter');
    await status()
      .filter({ hasText: /^[1-9]/ })
      .waitFor();
    expect(new URL(page.url()).searchParams.get('acls')).toBe('admin:authenticate,ban:ip:check');
    const { operations } = (await world.service.as(clerk).get('/v1/admin/acls')).body;
    const isOpenTo = async ({ method, path }: { method: string; path: string }) => {
      const requested = { method, path, credential: 'session', acls: ['admin:authenticate', 'ban:ip:check'] };
      return (await world.service.as(clerk).post('/v1/admin/explain', requested)).body.answer.admitted;
    };
    const [open, closed]: [string[], string[]] = [[], []];
    for (const rule of operations) ((await isOpenTo(rule)) ? open : closed).push(`${rule.method} ${rule.path}`);
    expect(await routes('Allowed')).toEqual(open);
    expect(await routes('Denied')).toEqual(closed);
    expect(open).toContain('GET /v1/admin/blocklists/ip/entries');
    const row = page.getByRole('row').filter({ hasText: '/v1/admin/users/:user_id/networks' });
    expect(await row.getByRole('cell').last().innerText()).toBe('user:list:sessions and user:view:ip');
    await visit.look('admin-acls-chosen');
    await page.reload();
    await status()
      .filter({ hasText: /^[1-9]/ })
      .waitFor();
    expect(await chosen()).toEqual(['acl.admin:authenticate', 'acl.ban:ip:check']);
    await page.goBack();
    await page.getByText('Every admin route also needs').waitFor();
    expect(await chosen()).toEqual(['acl.ban:ip:check']);
    await visit.leave();
  });

  test('one of several is enough if any is accepted; the star allows everything, and a name with a star nothing', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, '/admin/acls?acls=admin:authenticate,user:*,made:up');
    await status()
      .filter({ hasText: /^\d+ of/ })
      .waitFor();
    expect(await chosen()).toEqual(['acl.admin:authenticate']);
    const closed = page.getByRole('row').filter({ hasText: /GET \/v1\/admin\/applications(?!\/)/ });
    expect(await closed.getByRole('cell').last().innerText()).toMatch(/^application:\S+ or application:\S+$/);
    await box('application:list:by_owner').press('Space');
    await page.waitForURL(/by_owner/);
    expect(await routes('Allowed')).toContain('GET /v1/admin/applications');
    await page.getByRole('button', { name: 'Clear' }).press('Enter');
    await page.getByText('Nothing selected').waitFor();
    await page.getByRole('button', { name: 'Select mine' }).press('Enter');
    await page.getByText('* grants everything', { exact: false }).waitFor();
    expect(await chosen()).toEqual(['acl.*']);
    expect(await routes('Denied')).toEqual([]);
    await visit.look('admin-acls-everything');
    await visit.leave();
  });

  test('a route links to its explanation with the same set, by keyboard', async () => {
    await arriveAsAdministrator(world, visit, '/admin/acls?acls=admin:authenticate');
    await visit.page.getByRole('region', { name: 'Denied', exact: true }).waitFor();
    await visit.page.getByRole('region', { name: 'Denied', exact: true }).first().focus();
    await tabTo(visit, 'GET /v1/admin/api-keys');
    await visit.page.keyboard.press('Enter');
    await heading(visit, 'Access checker');
    await visit.page.getByText('Denied by acl. Response: 403 MISSING_ACL.').waitFor();
    await visit.leave();
  });

  test('a user who is not an administrator sees nothing of it and is rejected', async () => {
    const alice = await person(world.service, 'alice');
    await visit.arrive('/admin/acls', alice.authorization);
    await visit.page.getByText('This account doesn’t have admin access.').waitFor();
    expect(await visit.page.locator('fieldset').count()).toBe(0);
    expectApiError(await world.service.as(alice).get('/v1/admin/acls'), 'MISSING_PERMISSIONS');
    await visit.leave();
  });
});
