import { Database } from '../../src/platform/database/database.js';
import { Instance } from '../../src/platform/instance/instance.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { auditOf, expectApiError, type Persona, superuser, withoutAudit } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { heading } from './driving.js';

const PATH = '/admin/registrations';
const PENDING = '/v1/admin/instance/pending-registrations';
const PASSWORD = 'four words that I made up';

describeInBrowser('web.md 4: pending registrations', () => {
  let world: Site;
  let visit: Visit;
  let root: Persona;
  beforeAll(async () => {
    world = await site();
    root = await superuser(world.service);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
    await world.service.sql(`UPDATE account SET traits = '{}'`);
  });
  afterEach(() => visit.leave());

  const mode = (name: 'open' | 'approval') =>
    world.service.app
      .get(Database)
      .transaction((tx) => world.service.app.get(Instance).change(tx, 'registration', { mode: name }));
  /** Registers users while registrations need approval. */
  const apply = async (...names: readonly string[]) => {
    await mode('approval');
    const ids: string[] = [];
    for (const username of names) {
      const body = { username, email: `${username}@example.com`, password: PASSWORD, global_name: `The ${username}` };
      ids.push((await world.service.anonymous.post('/v1/auth/register', body)).body.user_id);
    }
    await mode('open');
    return ids;
  };
  /** Creates many pending registrations by copying one, because registering that many takes too long. */
  const crowd = async (name: string, count: number) => {
    const [id] = await apply(name);
    const columns = (
      await world.service.sql(
        `SELECT column_name FROM information_schema.columns WHERE table_name = 'account' AND is_generated = 'NEVER'
       AND column_name NOT IN ('id', 'email', 'discriminator')`,
      )
    ).map(({ column_name: column }) => `"${column}"`);
    await world.service.sql(
      `INSERT INTO account (id, email, discriminator, ${columns.join()})
       SELECT id + n, n || '.' || email, (discriminator + n - 1) % 9999 + 1, ${columns.join()} FROM account, generate_series(1, ${count - 1}) n WHERE id = ${id}`,
    );
    return (await world.service.sql(`SELECT id::text FROM account WHERE username = $1 ORDER BY id`, [name])).map(
      (row) => row.id as string,
    );
  };
  const traitsOf = async (ids: readonly string[]) =>
    (await world.service.sql('SELECT traits FROM account WHERE id = ANY ($1) ORDER BY id', [ids])).map(
      ({ traits }) => traits as string[],
    );
  const arrive = async (...acls: string[]) => {
    const admin = await arriveAsAdministrator(world, visit, PATH, ...acls);
    await heading(visit, 'Pending sign-ups');
    return admin;
  };
  const list = () => visit.page.getByRole('list', { name: 'Pending sign-ups' });
  const entry = (name: string) =>
    list()
      .getByRole('listitem')
      .filter({ hasText: `The ${name}` });
  const button = (name: string | RegExp) => visit.page.getByRole('button', { name, exact: true });
  const dialog = () => visit.page.getByRole('dialog');
  const dialogButton = (name: string) => dialog().getByRole('button', { name, exact: true });
  const closed = () => dialog().waitFor({ state: 'detached' });

  test('the oldest is first; one is approved and one rejected by keyboard, each with its reason', async () => {
    const { page } = visit;
    const [ada, bob] = await apply('ada', 'bob', 'cyd');
    const admin = await arrive();
    await entry('ada').waitFor();
    await page.getByText('3 pending').waitFor();
    expect(await list().getByRole('link').allInnerTexts()).toEqual([
      ...[expect.stringMatching(/^ada#\d{4}$/), expect.stringMatching(/^bob#\d{4}$/)],
      expect.stringMatching(/^cyd#\d{4}$/),
    ]);
    await entry('ada').getByText('ada@example.com').waitFor();
    await entry('ada').getByText('127.0.0.1').waitFor();
    await visit.look('admin-registrations');
    await entry('ada')
      .getByRole('button', { name: /^Approve: ada#/ })
      .press('Enter');
    await dialog().getByText('1 person will be able to sign in.').waitFor();
    await dialog().locator('[name=reason]').fill('known to us');
    await dialogButton('Approve').press('Enter');
    await closed();
    await page.getByText('1 person approved').waitFor();
    await entry('ada').waitFor({ state: 'detached' });
    await entry('bob')
      .getByRole('button', { name: /^Reject: bob#/ })
      .press('Enter');
    await dialog().getByText('won’t be able to sign in and is signed out', { exact: false }).waitFor();
    await page.keyboard.press('Escape');
    await closed();
    expect(await traitsOf([bob as string])).toEqual([['registration_pending_approval']]);
    await entry('bob')
      .getByRole('button', { name: /^Reject: bob#/ })
      .press('Enter');
    await dialogButton('Reject').press('Enter');
    expect(await dialog().locator('[name=reason]:invalid').count()).toBe(1);
    await dialog().locator('[name=reason]').fill('nobody');
    await dialogButton('Reject').press('Enter');
    await page.getByText('1 person rejected').waitFor();
    expect(await traitsOf([ada as string, bob as string])).toEqual([[], ['registration_rejected']]);
    const entries = (await auditOf(world.service)).slice(-2);
    expect(entries).toMatchObject([
      { action: 'approve_registration', target_id: ada, reason: 'known to us', admin_user_id: admin.id },
      { action: 'reject_registration', target_id: bob, reason: 'nobody', admin_user_id: admin.id },
    ]);
    const signIn = { email: 'ada@example.com', password: PASSWORD };
    expect((await world.service.anonymous.post('/v1/auth/login', signIn)).status).toBe(200);
  });

  test('several together: one that a colleague decided in the meantime is reported, and the others continue', async () => {
    const { page } = visit;
    const ids = await apply('eve', 'fay', 'gus', 'hal');
    await arrive();
    await entry('eve').waitFor();
    await page.getByLabel('Select all (4)').press('Space');
    await entry('hal').getByRole('checkbox').press('Space');
    await page.getByText('3 selected').waitFor();
    await world.service.as(root).patch(`${PENDING}/${ids[1]}`, { status: 'approved' });
    await button('Reject selected').press('Enter');
    await dialog().getByText('3 people won’t be able to sign in', { exact: false }).waitFor();
    await dialog().locator('[name=reason]').fill('a wave of spam');
    await dialogButton('Reject').press('Enter');
    await closed();
    await page.getByText('2 people rejected').waitFor();
    await page.getByText('1 couldn’t be processed:').waitFor();
    await page.getByText('This sign-up is no longer pending.', { exact: false }).waitFor();
    await visit.look('admin-registrations-result');
    expect(await list().getByRole('link').allInnerTexts()).toEqual([expect.stringMatching(/^hal#/)]);
    expect(await traitsOf(ids)).toEqual([
      ...[['registration_rejected'], [], ['registration_rejected']],
      ['registration_pending_approval'],
    ]);
    const reasons = (await auditOf(world.service, 'reject_registration')).slice(-2).map(({ reason }) => reason);
    expect(reasons).toEqual(['a wave of spam', 'a wave of spam']);
    await entry('hal')
      .getByRole('button', { name: /^Approve: hal#/ })
      .press('Enter');
    await dialogButton('Approve').press('Enter');
    await page.getByText('No pending sign-ups').waitFor();
  });

  test('if entries move up in the meantime, none is skipped: all appear, in order and once', async () => {
    const { page } = visit;
    const ids = await crowd('ivy', 130);
    await arrive();
    await page.getByText('130 pending').waitFor();
    expect(await list().getByRole('listitem').count()).toBe(50);
    // Another administrator decides 10 entries of the first page, so all later entries move up by 10.
    for (const id of ids.slice(0, 10)) await world.service.as(root).patch(`${PENDING}/${id}`, { status: 'approved' });
    const shown = async () =>
      (
        await list()
          .locator('input[type=checkbox]')
          .evaluateAll((all) => all.map((one) => (one as unknown as { name: string }).name))
      ).map((name) => name.replace('registration-', ''));
    await button('Show more').press('Enter');
    await page.getByText('120 pending').waitFor();
    let known = await shown();
    expect(known).toEqual(ids.slice(0, known.length));
    while ((await button('Show more').count()) > 0) {
      await button('Show more').press('Enter');
      await list().getByRole('listitem').nth(known.length).waitFor();
      known = await shown();
    }
    expect(known).toEqual(ids);
  });

  test('after the shown entries are decided, the next appear; a busy service is retried, and stopping keeps the rest', async () => {
    const { page } = visit;
    const ids = await crowd('joe', 60);
    await arrive();
    await page.getByLabel('Select all (50)').press('Space');
    let requested = 0;
    await page.route(`**${PENDING}/*`, (route) => {
      const isBusy = ++requested === 2;
      const json = { code: 'RATE_LIMITED', message: 'slow down', global: false, retry_after: 600 };
      const apiError = { status: 429, headers: { 'retry-after': '600' }, json };
      return isBusy ? route.fulfill(apiError) : route.continue();
    });
    await button('Approve selected').press('Enter');
    await dialogButton('Approve').press('Enter');
    await dialog().getByText('Continuing in 10 minutes…', { exact: false }).waitFor();
    await visit.look('admin-registrations-pause');
    await dialogButton('Stop').press('Enter');
    await closed();
    await page.getByText('1 person approved').waitFor();
    await page.getByText('49 skipped').waitFor();
    await page.getByText('59 pending').waitFor();
    await button('Approve selected').press('Enter');
    await dialog().getByText('49 people will be able to sign in.').waitFor();
    await dialogButton('Approve').press('Enter');
    await page.getByText('49 people approved').waitFor();
    await page.getByText('10 pending').waitFor();
    expect(await list().getByRole('listitem').count()).toBe(10);
    expect(await traitsOf(ids)).toEqual([
      ...Array.from({ length: 50 }, () => []),
      ...Array.from({ length: 10 }, () => ['registration_pending_approval']),
    ]);
  });

  test('an administrator who may only view sees pending users without hidden data, and no buttons', async () => {
    const [kim] = await apply('kim');
    const viewer = await arrive('instance:config:view');
    await entry('kim').waitFor();
    expect(await entry('kim').innerText()).not.toMatch(/@|127\.0\.0\.1/);
    expect(await visit.page.locator('main :is(button, input)').count()).toBe(0);
    await visit.look('admin-registrations-readonly');
    const forced = () => world.service.as(viewer).patch(`${PENDING}/${kim}`, { status: 'approved' });
    expectApiError(await withoutAudit(world.service, forced), 'MISSING_ACL');
    expect(await traitsOf([kim as string])).toEqual([['registration_pending_approval']]);
  });
});
