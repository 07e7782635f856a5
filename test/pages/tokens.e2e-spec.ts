import { defineFeature } from '../../src/policy/feature.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { administrator, auditOf, newApp, type Persona, person, superuser, verifiedPerson } from '../support/index.js';
import { AccountActions, accountPath, REASON } from './account-actions.js';
import { focusOn, tabTo } from './driving.js';

const TOKENS = '/v1/users/@me/access-tokens';
const PAGE = '/account/access-tokens';

const notes = defineFeature('notes', {
  scopes: { 'notes.read': { 'en-US': 'Read your <i>notes</i>' }, 'notes.write': { 'en-US': 'Write notes for you' } },
  servicePolicies: { 'notes-read': { accepts: 'authenticated' } },
});

describeInBrowser('web.md 3 and 4: tokens', () => {
  let world: Site;
  let owner: Persona;
  let visit: Visit;
  let count = 0;

  beforeAll(async () => {
    world = await site({ features: [notes] });
  });
  afterAll(() => world?.close());

  beforeEach(async () => {
    owner = await verifiedPerson(world.service, `owner${++count}`);
    visit = await world.visit();
  });

  const arrive = (path: string, who = owner) => visit.arrive(path, who.authorization);
  const field = (name: string) => visit.page.locator(`[name="${name}"]`);
  const main = () => visit.page.getByRole('main');
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const dialogButton = (name: string) => visit.page.getByRole('dialog').getByRole('button', { name, exact: true });
  const items = (name: string) => visit.page.getByRole('list', { name, exact: true }).locator(':scope > li');
  const listed = async (who = owner) => (await world.service.as(who).get(TOKENS).expect(200)).body.tokens;
  const statusOf = async (token: string) => (await world.service.as(`Bearer ${token}`).get('/v1/users/@me')).status;
  const botStatusOf = async (token: string) =>
    (await world.service.as(`Bot ${token}`).get('/v1/applications/@me')).status;
  const made = async (more: object = {}) => {
    const input = { name: 'Backup', scopes: ['identify'], password: owner.password, ...more };
    return (await world.service.as(owner).post(TOKENS, input).expect(201)).body;
  };
  const confirmByPassword = async () => {
    await visit.page.getByLabel('Password', { exact: true }).fill(owner.password);
    await visit.page.keyboard.press('Enter');
  };
  /** Returns the secret in the dialog and confirms that it is saved. */
  const keep = async (): Promise<string> => {
    const dialog = visit.page.getByRole('dialog').filter({ has: visit.page.locator('code.secret') });
    const secret = await dialog.locator('code.secret').innerText();
    await dialog.getByRole('button', { name: 'I’ve saved it' }).press('Enter');
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    return secret;
  };

  test('a personal access token is created by keyboard, shown once, and works; mistakes keep the input', async () => {
    const { page } = visit;
    await arrive('/account');
    await page.getByRole('link', { name: 'Access tokens' }).press('Enter');
    await page.getByText('You don’t have any access tokens yet.').waitFor();
    await visit.look('account-tokens-none');
    await button('New access token').press('Enter');
    await focusOn(page, '');
    await page.keyboard.type('Night <b>backup</b>');
    expect(await field('scope-bot').count()).toBe(0);
    expect(await field('scope-openid').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByText('Select at least one permission.').waitFor();
    await tabTo(visit, 'scope-identify');
    await page.keyboard.press('Space');
    await field('scope-notes.read').press('Space');
    await field('expires_in_days').fill('366');
    await field('networks').fill('127.0.0.0/8\n198.51.100.7');
    await field('name').press('Enter');
    await page.getByText('Enter a number from 1 to 365.', { exact: false }).waitFor();
    await page.getByText('“198.51.100.7” isn’t a valid CIDR range.', { exact: false }).waitFor();
    await visit.look('account-tokens-refused');
    expect(await listed()).toEqual([]);
    await field('expires_in_days').fill('90');
    await field('networks').fill('127.0.0.0/8, ::1/128');
    await field('name').press('Enter');
    await confirmByPassword();
    await dialogButton('Copy: Access token').waitFor();
    await visit.look('account-tokens-shown');
    await page.keyboard.press('Escape');
    const token = await keep();
    expect(token).toMatch(/^gp_[A-Za-z0-9]{40}$/);
    await focusOn(page, 'New access token');
    expect(await page.content()).not.toContain(token);
    expect(await listed()).toMatchObject([
      { name: 'Night <b>backup</b>', scopes: ['identify', 'notes.read'], networks: ['127.0.0.0/8', '::1/128'] },
    ]);
    expect(await statusOf(token)).toBe(200);
    const [item] = await items('Your access tokens').allInnerTexts();
    expect(item).toContain('Night <b>backup</b>');
    expect(item).toContain(`gp_…${token.slice(-4)}`);
    expect(item).toContain('Read your <i>notes</i>');
    expect(item).toContain('Works only from 127.0.0.0/8, ::1/128');
    await visit.leave();
  });

  test('personal access tokens are renamed and deleted, and deleted ones stop working', async () => {
    const { page } = visit;
    const [first, second] = [await made(), await made({ name: 'Deploy', networks: ['127.0.0.0/8'] })];
    expect(await statusOf(first.token)).toBe(200);
    await arrive(PAGE);
    await items('Your access tokens').nth(1).waitFor();
    await visit.look('account-tokens');
    await button('Rename: Deploy').press('Enter');
    await page.getByRole('dialog').locator('[name=name]').fill('Release');
    await page.keyboard.press('Enter');
    await items('Your access tokens').filter({ hasText: 'Release' }).waitFor();
    expect(await listed()).toMatchObject([{ name: 'Release' }, { name: 'Backup' }]);
    await items('Your access tokens')
      .filter({ hasText: 'Backup' })
      .getByRole('button', { name: 'Delete' })
      .press('Enter');
    await page.getByText('Everything that uses this token stops working right away.', { exact: false }).waitFor();
    await dialogButton('Delete').press('Enter');
    await page.getByText('Access token deleted', { exact: true }).waitFor();
    await items('Your access tokens').filter({ hasText: 'Backup' }).waitFor({ state: 'detached' });
    await focusOn(page, 'Your access tokens');
    expect(await statusOf(first.token)).toBe(401);
    // A token that was deleted elsewhere disappears.
    await world.service.as(owner).delete(`${TOKENS}/${second.id}`).expect(204);
    await items('Your access tokens').getByRole('button', { name: 'Delete' }).press('Enter');
    await dialogButton('Delete').press('Enter');
    await page.getByText('You don’t have any access tokens yet.').waitFor();
    await visit.leave();
  });

  test('a bot gets up to three tokens, each shown once; the last one cannot be deleted', async () => {
    const { page } = visit;
    const app = await newApp(world.service, owner, { name: 'Builder' });
    await arrive(`/account/applications?id=${app.id}`);
    await items('Bot tokens').getByText('default', { exact: true }).waitFor();
    expect(await items('Bot tokens').getByRole('button').count()).toBe(0);
    const tokens: string[] = [];
    for (const name of ['blue', 'green']) {
      await button('New bot token').press('Enter');
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await confirmByPassword();
      await dialogButton('Copy: Bot token').waitFor();
      tokens.push(await keep());
      await items('Bot tokens').getByText(name, { exact: true }).waitFor();
    }
    await page.getByText('The bot has three tokens, which is the limit.', { exact: false }).waitFor();
    await visit.look('account-applications-bot-tokens');
    const [blue = '', green = ''] = tokens;
    expect([await botStatusOf(blue), await botStatusOf(green)]).toEqual([200, 200]);
    await items('Bot tokens').filter({ hasText: 'blue' }).getByRole('button', { name: 'Delete' }).press('Enter');
    await dialogButton('Delete').press('Enter');
    await confirmByPassword();
    await items('Bot tokens').filter({ hasText: 'blue' }).waitFor({ state: 'detached' });
    await focusOn(page, 'Bot tokens');
    expect([await botStatusOf(blue), await botStatusOf(green)]).toEqual([401, 200]);
    await button('Replace all bot tokens').press('Enter');
    await dialogButton('Replace all bot tokens').press('Enter');
    await confirmByPassword();
    const replaced = await keep();
    await items('Bot tokens').filter({ hasText: 'green' }).waitFor({ state: 'detached' });
    expect(await items('Bot tokens').count()).toBe(1);
    expect(await items('Bot tokens').getByRole('button').count()).toBe(0);
    expect([await botStatusOf(green), await botStatusOf(replaced)]).toEqual([401, 200]);
    await visit.leave();
  });

  test('an administrator sees the personal access tokens of a user on request, and deletes one with a reason', async () => {
    const root = await superuser(world.service);
    const { token } = await made({ networks: ['127.0.0.0/8'] });
    const actions = new AccountActions(world, visit);
    await arrive(accountPath(owner), root);
    await actions.openTab('Security');
    const readings = async () =>
      (await auditOf(world.service)).filter(
        (entry) => entry.action === 'list_access_tokens' && entry.target_id === owner.id,
      );
    expect(await readings()).toEqual([]);
    await button('Show access tokens').press('Enter');
    await items('Access tokens').getByText('Backup', { exact: true }).waitFor();
    await visit.look('admin-person-tokens');
    expect(await readings()).toHaveLength(1);
    await items('Access tokens').getByRole('button', { name: 'Delete' }).press('Enter');
    await actions.enterReason();
    await actions.submit('Delete');
    await actions.waitForDone('Access token deleted');
    await main().getByText('No access tokens', { exact: true }).waitFor();
    expect(await statusOf(token)).toBe(401);
    expect((await auditOf(world.service)).at(-1)).toMatchObject({
      ...{ admin_user_id: root.id, action: 'delete_access_token', target_id: owner.id, reason: REASON },
    });
    expect(await readings()).toHaveLength(1);
    await visit.leave();
  });

  test('an administrator makes an application a resource server, and ends it', async () => {
    const root = await superuser(world.service);
    const app = await newApp(world.service, owner, { name: 'Notes API' });
    const stored = async () =>
      (await world.service.as(root).get(`/v1/admin/applications/${app.id}`).expect(200)).body.application
        .resource_scopes;
    const save = async () => {
      await button('Save scopes').press('Enter');
      await visit.page.getByRole('dialog').getByLabel('Reason', { exact: true }).fill(REASON);
      await dialogButton('Save scopes').press('Enter');
      await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await arrive(`/admin/applications?id=${app.id}`, root);
    await field('resource-notes.read').press('Space');
    expect(await field('resource-identify').count()).toBe(0);
    await visit.look('admin-applications-resource');
    await save();
    expect(await stored()).toEqual(['notes.read']);
    await visit.page.locator('dl').getByText('notes.read', { exact: true }).waitFor();
    await field('resource-notes.read').press('Space');
    await save();
    expect(await stored()).toEqual([]);
    await visit.leave();
  });

  test('an administrator sets the service policies of an application, and corrects a name that is unknown', async () => {
    const root = await superuser(world.service);
    const app = await newApp(world.service, owner, { name: 'Archive API' });
    const stored = async () =>
      (await world.service.as(root).get(`/v1/admin/applications/${app.id}`).expect(200)).body.application
        .resource_policies;
    const submit = async (text: string) => {
      await field('resource_policies').fill(text);
      await dialogButton('Change policies').press('Enter');
    };
    await arrive(`/admin/applications?id=${app.id}`, root);
    await button('Change policies').press('Enter');
    const dialog = visit.page.getByRole('dialog');
    await dialog.getByLabel('Reason', { exact: true }).fill(REASON);
    await submit('notes-read\nunknown');
    await dialog.getByText('unknown: There’s no service policy with this name.').waitFor();
    expect(await stored()).toEqual([]);
    await visit.look('admin-applications-policies');
    expect(await field('resource_policies').inputValue()).toBe('notes-read\nunknown');
    await submit('notes-read');
    await visit.page.locator('dl').getByText('notes-read', { exact: true }).waitFor();
    expect(await stored()).toEqual(['notes-read']);
    expect((await auditOf(world.service)).at(-1)).toMatchObject({
      ...{ admin_user_id: root.id, action: 'set_resource_policies', target_id: app.id, reason: REASON },
    });
    await visit.leave();
  });

  test('an administrator without the ACL sees no form for resource servers or service policies', async () => {
    const limited = await administrator(world.service, 'application:lookup');
    const app = await newApp(world.service, await person(world.service, 'limited'), { name: 'Other' });
    await arrive(`/admin/applications?id=${app.id}`, limited);
    await visit.page.getByRole('heading', { level: 2, name: 'Other', exact: true }).waitFor();
    expect(await button('Save scopes').count()).toBe(0);
    expect(await button('Change policies').count()).toBe(0);
    await visit.leave();
  });

  test('the list follows changes in another tab when the page is shown again', async () => {
    const { page } = visit;
    await arrive(PAGE);
    await page.getByText('You don’t have any access tokens yet.').waitFor();
    const { id } = await made({ name: 'Made elsewhere' });
    const show = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await show();
    await items('Your access tokens').getByText('Made elsewhere', { exact: true }).waitFor();
    await world.service.as(owner).delete(`${TOKENS}/${id}`).expect(204);
    await show();
    await page.getByText('You don’t have any access tokens yet.').waitFor();
    await visit.leave();
  });
});

describeInBrowser('PERSONAL_TOKENS and PERSONAL_TOKEN_MAX_DAYS on the pages', () => {
  test('off: no menu entry, and the page explains it', async () => {
    const world = await site({ env: { PERSONAL_TOKENS: 'off' } });
    try {
      const owner = await verifiedPerson(world.service, 'owner');
      const visit = await world.visit();
      await visit.arrive('/account/webhooks', owner.authorization);
      await visit.page.getByRole('link', { name: 'Webhooks', exact: true }).waitFor();
      expect(await visit.page.getByRole('link', { name: 'Access tokens', exact: true }).count()).toBe(0);
      await visit.open(PAGE);
      await visit.page.getByText('Access tokens are turned off on this platform.').waitFor();
      expect(await visit.page.getByRole('button', { name: 'New access token' }).count()).toBe(0);
      await visit.leave();
    } finally {
      await world.close();
    }
  });

  test('the form names the maximum lifetime, and its default is not longer', async () => {
    const world = await site({ env: { PERSONAL_TOKEN_MAX_DAYS: '14' } });
    try {
      const owner = await verifiedPerson(world.service, 'owner');
      const visit = await world.visit();
      const { page } = visit;
      await visit.arrive(PAGE, owner.authorization);
      await page.getByRole('button', { name: 'New access token' }).press('Enter');
      expect(await page.inputValue('[name=expires_in_days]')).toBe('14');
      await page.getByText('1 to 14.', { exact: false }).waitFor();
      await page.fill('[name=name]', 'Backup');
      await page.locator('[name=scope-identify]').press('Space');
      await page.fill('[name=expires_in_days]', '15');
      await page.locator('[name=name]').press('Enter');
      await page.getByLabel('Password', { exact: true }).fill(owner.password);
      await page.keyboard.press('Enter');
      await page.getByText('Enter a number from 1 to 14.', { exact: true }).waitFor();
      await visit.leave();
    } finally {
      await world.close();
    }
  });
});
