import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  type App,
  administrator,
  auditOf,
  expectApiError,
  newApp,
  type Persona,
  person,
  setAcls,
  withoutAudit,
} from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { type } from './driving.js';

const LIST = '/admin/applications';
const BUILT_IN = '4242';

describeInBrowser('web.md 4: applications of any user', () => {
  let world: Site;
  let visit: Visit;
  let owner: Persona;
  let heir: Persona;
  let app: App;
  let count = 0;

  beforeAll(async () => {
    world = await site({ env: { ADMIN_APPLICATION_ID: BUILT_IN } });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
    owner = await person(world.service, `owner${++count}`);
    heir = await person(world.service, `heir${count}`);
    app = await newApp(world.service, owner, { name: 'Tea <b>party</b>' });
  });

  const tagOf = async ({ username, id }: Persona): Promise<string> => {
    const [row] = await world.service.sql('SELECT discriminator FROM account WHERE id = $1', [id]);
    return `${username}#${String(row?.discriminator).padStart(4, '0')}`;
  };
  const ownerOf = async (id: string) =>
    (await world.service.sql('SELECT owner_id FROM application WHERE id = $1', [id]))[0]?.owner_id;
  const fill = async (name: string, text: string) => {
    await visit.page.locator(`[name=${name}]`).waitFor();
    await type(visit.page, name, text);
    await visit.page.keyboard.press('Enter');
  };
  const title = (name: string) => visit.page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
  const link = (name: string) => visit.page.getByRole('main').getByRole('link', { name, exact: true });
  const handOver = () => visit.page.getByRole('button', { name: 'Transfer', exact: true });
  const dialog = () => visit.page.getByRole('dialog');
  const confirm = async (reason: string) => {
    await handOver().press('Enter');
    await dialog().getByLabel('Reason').fill(reason);
    await dialog().getByRole('button', { name: 'Transfer', exact: true }).press('Enter');
  };
  const pathOf = (id: string) => `${LIST}?id=${id}`;

  test('one is looked up by its ID, shown in words, and transferred with a reason', async () => {
    const { page } = visit;
    const root = await arriveAsAdministrator(world, visit, LIST);
    await page.locator('[name=application_id]').waitFor();
    await visit.look('admin-applications');
    await fill('application_id', 'tea');
    await page.getByText('Enter a numeric ID.').waitFor();
    await fill('application_id', app.id);
    await title('Tea <b>party</b>');
    await page.waitForURL(`**${pathOf(app.id)}`);
    const [from, to] = [await tagOf(owner), await tagOf(heir)];
    expect(await link(from).getAttribute('href')).toBe(`/admin/people/${owner.id}`);
    const { application } = (await world.service.as(root).get(`/v1/admin/applications/${app.id}`)).body;
    const bot = `${application.bot_username}#${application.bot_discriminator}`;
    expect(await link(bot).getAttribute('href')).toBe(`/admin/people/${application.bot_user_id}`);
    const said = await page.getByRole('main').innerText();
    for (const words of [app.id, ...application.oauth2_redirect_uris, application.bot_token_preview]) {
      expect(said).toContain(words);
    }
    expect(said).toContain('Web app (has a server that can keep a secret)');
    expect(said).toContain('Set ');
    await fill('new_owner', to);
    await link(to).waitFor();
    await visit.look('admin-applications-one');
    await handOver().press('Enter');
    const what = `Tea <b>party</b> and its bot move from ${from} to ${to} right away.`;
    await dialog().getByText(what, { exact: false }).waitFor();
    await visit.look('admin-applications-transfer');
    await dialog().getByLabel('Reason').fill('ticket 7: außer Haus');
    await dialog().getByRole('button', { name: 'Transfer', exact: true }).press('Enter');
    await page.getByRole('status').getByText(`Tea <b>party</b> now belongs to ${to}.`).waitFor();
    await link(to).waitFor();
    expect(await ownerOf(app.id)).toBe(heir.id);
    const entries = await auditOf(world.service, 'transfer_ownership');
    expect(entries.filter(({ target_id }) => target_id === app.id)).toMatchObject([
      { admin_user_id: root.id, target_type: 'application', reason: 'ticket 7: außer Haus' },
    ]);
    await visit.leave();
  });

  test('one is trusted for the selected scopes, with a reason, and no longer if none is selected', async () => {
    const { page } = visit;
    const root = await arriveAsAdministrator(world, visit, pathOf(app.id));
    const save = () => page.getByRole('button', { name: 'Save trust', exact: true });
    const scope = (name: string) => page.locator(`[name=trust-${name}]`);
    const confirmed = async (reason: string) => {
      await save().press('Enter');
      await dialog().getByLabel('Reason').fill(reason);
      await dialog().getByRole('button', { name: 'Save trust', exact: true }).press('Enter');
      await dialog().waitFor({ state: 'detached' });
    };
    await page.getByText('Not trusted').waitFor();
    await scope('openid').check();
    await scope('email').check();
    expect(await scope('bot').count()).toBe(0);
    await save().press('Enter');
    await dialog().getByText('and these scopes: openid, email.', { exact: false }).waitFor();
    await visit.look('admin-applications-trust');
    await page.keyboard.press('Escape');
    await confirmed('our wiki');
    await page.getByText('Not trusted').waitFor({ state: 'detached' });
    const stored = async () => (await world.service.as(root).get(`/v1/admin/applications/${app.id}`)).body.application;
    expect(await stored()).toMatchObject({ is_trusted: true, trusted_scopes: ['email', 'openid'] });
    await scope('openid').uncheck();
    await scope('email').uncheck();
    await confirmed('not ours');
    await page.getByText('Not trusted').waitFor();
    expect(await stored()).toMatchObject({ is_trusted: false });
    const entries = await auditOf(world.service, 'set_application_trust');
    expect(entries.filter(({ target_id }) => target_id === app.id).map(({ reason }) => reason)).toEqual([
      'our wiki',
      'not ours',
    ]);
    const publicApp = await newApp(world.service, owner, { client_type: 'public' });
    await visit.open(pathOf(publicApp.id));
    await page.getByText('Only web apps whose redirect URIs all use https can be trusted.').waitFor();
    await visit.leave();
  });

  test('the applications of an owner are found by name, email and ID, and open from the list', async () => {
    const { page } = visit;
    const second = await newApp(world.service, owner, { name: 'Second' });
    await arriveAsAdministrator(world, visit, LIST);
    for (const text of [await tagOf(owner), owner.email, owner.id]) {
      await fill('owner', text);
      await page.waitForURL(`**${LIST}?owner=${owner.id}`);
      await link('Second').waitFor();
    }
    await title(`${await tagOf(owner)}’s apps`);
    await visit.look('admin-applications-owned');
    await link('Second').press('Enter');
    await page.waitForURL(`**${LIST}?owner=${owner.id}&id=${second.id}`);
    await title('Second');
    await link('All apps by this owner').press('Enter');
    await link('Second').waitFor();
    await page.goBack();
    await title('Second');
    await page.reload();
    await title('Second');
    await visit.open(`${LIST}?owner=${heir.id}`);
    await page.getByText('This account has no apps.').waitFor();
    await fill('owner', 'nobody#0000');
    await page.getByText('No account found').waitFor();
    expect(await page.locator('[name=owner]').inputValue()).toBe('nobody#0000');
    await visit.open(pathOf('12345'));
    await page.getByText('App not found').waitFor();
    await visit.leave();
  });

  test('a rejected transfer changes nothing, shows the reason and keeps the input', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, pathOf(app.id));
    const other = await newApp(world.service, heir, { name: 'Other' });
    await fill('new_owner', other.id);
    await page.getByText('New owner:', { exact: false }).waitFor();
    await confirm('to a bot');
    await page.getByRole('alert').getByText('This account can’t own apps.', { exact: false }).waitFor();
    await visit.look('admin-applications-refused');
    expect(await page.locator('[name=new_owner]').inputValue()).toBe(other.id);
    await handOver().press('Enter');
    expect(await dialog().getByLabel('Reason').inputValue()).toBe('to a bot');
    await page.keyboard.press('Escape');
    await world.service.sql(
      `INSERT INTO application (id, owner_id, name, client_type)
       SELECT n, $1, 'x', 'public' FROM generate_series(1001, 1024) n`,
      [heir.id],
    );
    await fill('new_owner', await tagOf(heir));
    await link(await tagOf(heir)).waitFor();
    await confirm('to somebody who has too many');
    await page.getByText('This account has reached its app limit.').waitFor();
    expect(await ownerOf(app.id)).toBe(owner.id);
    await visit.leave();
  });

  test('an owner with more ACLs is protected; the built-in application has no owner', async () => {
    const { page } = visit;
    await setAcls(world.service, owner, ['*']);
    const acls = ['application:lookup', 'application:transfer_ownership', 'user:lookup'];
    await arriveAsAdministrator(world, visit, pathOf(app.id), ...acls);
    await fill('new_owner', await tagOf(heir));
    await link(await tagOf(heir)).waitFor();
    await confirm('mine');
    await dialog().getByText('You don’t have permission to do this.', { exact: false }).waitFor();
    expect(await dialog().getByLabel('Reason').inputValue()).toBe('mine');
    expect(await ownerOf(app.id)).toBe(owner.id);
    await page.keyboard.press('Escape');
    await visit.open(pathOf(BUILT_IN));
    await page.getByText('None (built in)').waitFor();
    expect(await page.locator('[name=new_owner]').count()).toBe(0);
    await visit.leave();
  });

  test('an administrator without the ACL gets no transfer button, and a direct request is rejected', async () => {
    const { page } = visit;
    const clerk = await arriveAsAdministrator(world, visit, pathOf(app.id), 'application:lookup');
    await title('Tea <b>party</b>');
    expect(await page.locator('[name=new_owner]').count()).toBe(0);
    expect(await page.getByText(await tagOf(owner)).count()).toBe(1);
    expect(await link(await tagOf(owner)).count()).toBe(0);
    const body = { new_owner_id: heir.id };
    const transfer = () => world.service.as(clerk).patch(`/v1/admin/applications/${app.id}`, body);
    expectApiError(await withoutAudit(world.service, transfer), 'MISSING_ACL');
    expect(await ownerOf(app.id)).toBe(owner.id);
    await visit.leave();
  });

  test('an administrator who may only list and transfer can do both, by IDs', async () => {
    const { page } = visit;
    const acls = ['application:list:by_owner', 'application:transfer_ownership'];
    const admin = await administrator(world.service, ...acls);
    await visit.arrive(LIST, admin.authorization);
    await page.getByText('The account’s ID').waitFor();
    expect(await page.locator('[name=application_id]').count()).toBe(0);
    expectApiError(await world.service.as(admin).get(`/v1/admin/applications/${app.id}`), 'MISSING_ACL');
    expectApiError(await world.service.as(admin).get('/v1/admin/users'), 'MISSING_ACL');
    await fill('owner', await tagOf(owner));
    await page.getByText('No account found').waitFor();
    await fill('owner', owner.id);
    await link('Tea <b>party</b>').press('Enter');
    await fill('new_owner', heir.id);
    await confirm('an heir');
    await page.getByRole('status').getByText(`now belongs to ${heir.id}.`, { exact: false }).waitFor();
    expect(await ownerOf(app.id)).toBe(heir.id);
    await visit.leave();
  });
});
