import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { auditOf, newApp, type Persona, person, verifiedPerson } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { focusOn, heading, tabTo } from './driving.js';

const LIST = '/admin/people';
const REASON = 'Reported by three users';

describeInBrowser('web.md 4: selected users of the list', () => {
  let world: Site;
  let visit: Visit;
  let people: readonly Persona[];
  let count = 0;

  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    const name = `group${++count}`;
    people = [];
    for (const letter of ['a', 'b', 'c', 'd']) people = [...people, await person(world.service, `${name}${letter}`)];
    visit = await world.visit();
  });

  const main = () => visit.page.getByRole('main');
  const dialog = () => visit.page.getByRole('dialog');
  const bar = () => main().getByRole('region', { name: 'Selected accounts', exact: true });
  const list = (sort = 'username:asc') => `${LIST}?q=group${count}&sort=${sort}`;
  const box = ({ username }: { readonly username: string }) => main().getByLabel(new RegExp(`^Select ${username}#`));
  const all = () => main().getByLabel('Select all on this page', { exact: true });
  const selected = (text: string) => bar().getByText(text, { exact: true }).waitFor();
  const says = (text: string) => main().getByText(text, { exact: true }).waitFor();
  const rowsOf = (label: string) => dialog().getByRole('list', { name: label, exact: true }).getByRole('listitem');
  const press = (name: string) => bar().getByRole('button', { name, exact: true }).press('Enter');
  const submit = (name: string) => dialog().getByRole('button', { name, exact: true }).press('Enter');
  const enterReason = () => dialog().getByLabel('Reason', { exact: true }).fill(REASON);
  const isBanned = async ({ id }: Persona) =>
    (await world.service.sql('SELECT banned FROM account WHERE id = $1', [id]))[0]?.banned;
  const entriesOf = async (action: string) =>
    (await auditOf(world.service, action))
      .filter(({ target_id: id }) => people.some((one) => one.id === id))
      .map(({ target_id: id, reason }) => [id, reason]);

  test('rows are selected by keyboard, with Shift, and all of a page; they stay selected on other pages', async () => {
    const { page } = visit;
    const [a, b, c, d] = people as [Persona, Persona, Persona, Persona];
    await arriveAsAdministrator(world, visit, list());
    await heading(visit, 'All people');
    await box(a).waitFor();
    await page.focus('[name=q]');
    await tabTo(visit, `select-${a.id}`);
    await page.keyboard.press('Space');
    await selected('1 selected');
    expect(await all().evaluate((one) => (one as unknown as { indeterminate: boolean }).indeterminate)).toBe(true);
    await box(d).click({ modifiers: ['Shift'] });
    await selected('4 selected');
    expect(await all().isChecked()).toBe(true);
    await visit.look('admin-people-selected');
    await box(b).press('Space');
    await selected('3 selected');
    await main().getByRole('searchbox').fill(c.username);
    await main().getByRole('status').getByText('1 account', { exact: true }).waitFor();
    await selected('3 selected');
    expect([await box(c).isChecked(), await all().isChecked()]).toEqual([true, true]);
    await press('Clear selection');
    await bar().waitFor({ state: 'detached' });
    await focusOn(page, 'Accounts');
    expect(await box(c).isChecked()).toBe(false);
    await all().press('Space');
    await selected('1 selected');
    await visit.leave();
  });

  test('a suspension shows what happens to whom, and one failure stops no other account', async () => {
    const { page } = visit;
    const [a, b, c, d] = people as [Persona, Persona, Persona, Persona];
    await world.service.sql("UPDATE account SET acls = '{audit_log:view}' WHERE id = $1", [d.id]);
    const acls = ['user:lookup', 'user:temp_ban'];
    const admin = await arriveAsAdministrator(world, visit, list(), ...acls);
    await all().press('Space');
    await selected('4 selected');
    expect(await bar().getByRole('button').allInnerTexts()).toEqual(['Clear selection', 'Suspend']);
    await press('Suspend');
    await dialog().getByRole('heading', { name: 'Suspend 3 accounts?', exact: true }).waitFor();
    expect(await rowsOf('Unchanged accounts').allInnerTexts()).toEqual([
      expect.stringMatching(new RegExp(`^${d.username}#\\d{4}\\s+Has permissions you don’t$`)),
    ]);
    await rowsOf('What will happen').first().getByText('Suspended until', { exact: false }).waitFor();
    await dialog().getByLabel('Duration').selectOption('own');
    await dialog().getByLabel('Hours').fill('9000');
    await enterReason();
    await submit('Suspend');
    await dialog().getByText('Enter a whole number from 1 to 8,760.').waitFor();
    expect(await isBanned(a)).toBe(false);
    await dialog().getByLabel('Duration').selectOption('forGood');
    expect(await rowsOf('What will happen').allInnerTexts()).toEqual(
      [a, b, c].map(({ username }) =>
        expect.stringMatching(new RegExp(`^${username}#\\d{4}\\s+Suspended permanently$`)),
      ),
    );
    await visit.look('admin-people-bulk-suspend');
    // The account gets more permissions than the administrator has, after the list was loaded.
    await world.service.sql("UPDATE account SET acls = '{audit_log:view}' WHERE id = $1", [b.id]);
    await submit('Suspend');
    await dialog().waitFor({ state: 'detached' });
    await says('2 accounts suspended');
    await says('1 couldn’t be processed:');
    const failed = main().getByRole('list', { name: 'What failed' }).getByRole('listitem');
    expect(await failed.allInnerTexts()).toEqual([expect.stringMatching(new RegExp(`^${b.username}#\\d{4}: .+`))]);
    await selected('1 selected');
    expect(await box(b).isChecked()).toBe(true);
    const row = main().getByRole('row').filter({ hasText: a.username });
    await row.getByText('Suspended', { exact: true }).waitFor();
    // A suspension also sets the flag of a deactivated account.
    expect(await row.getByText('Deactivated').count()).toBe(0);
    expect(await Promise.all(people.map(isBanned))).toEqual([true, false, true, false]);
    expect(await entriesOf('temp_ban')).toEqual([a, c].map(({ id }) => [id, REASON]));
    expect((await auditOf(world.service, 'temp_ban')).at(-1)?.admin_user_id).toBe(admin.id);
    await visit.look('admin-people-bulk-failed');
    await failed.getByRole('link').press('Enter');
    await page.waitForURL(`**/admin/people/${b.id}`);
    await visit.leave();
  });

  test('sessions end except those of the administrator, and a stopped run leaves the rest selected', async () => {
    const { page } = visit;
    const [a, b] = people as [Persona, Persona];
    const app = await newApp(world.service, a, { name: `group${count}bot` });
    const root = await arriveAsAdministrator(world, visit, LIST);
    for (const [text, id] of [
      ['root', root.id],
      [app.id, app.id],
      [`group${count}`, a.id],
    ] as const) {
      await main().getByRole('searchbox').fill(text);
      await main().locator(`[name=select-${id}]`).press('Space');
    }
    await box(b).press('Space');
    await selected('4 selected');
    await press('Sign out everywhere');
    await dialog().getByRole('heading', { name: 'Sign out 2 accounts everywhere?' }).waitFor();
    expect((await rowsOf('Unchanged accounts').allInnerTexts()).map((text) => text.split('\n').at(-1))).toEqual([
      'Your own account',
      'Bot',
    ]);
    await enterReason();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`**/users/${a.id}/sessions`, async (route) => {
      await held;
      await route.continue();
    });
    await submit('Sign out everywhere');
    await dialog().getByRole('progressbar').waitFor();
    await visit.look('admin-people-bulk-running');
    await dialog().getByRole('button', { name: 'Stop', exact: true }).press('Enter');
    release();
    await says('1 account signed out everywhere');
    await says('1 skipped');
    await selected('1 selected');
    expect(await box(b).isChecked()).toBe(true);
    expect(await entriesOf('terminate_sessions')).toEqual([[a.id, REASON]]);
    expect((await world.service.as(a).get('/v1/users/@me')).status).toBe(401);
    expect((await world.service.as(b).get('/v1/users/@me')).status).toBe(200);
    await visit.leave();
  });

  test('verification emails go only to accounts that need one, and need no reason', async () => {
    const [a, b, c, d] = people as [Persona, Persona, Persona, Persona];
    const verified = await verifiedPerson(world.service, `group${count}e`);
    await arriveAsAdministrator(world, visit, list());
    await all().press('Space');
    await selected('5 selected');
    await press('Send verification email');
    await dialog().getByRole('heading', { name: 'Send 4 verification emails?' }).waitFor();
    await rowsOf('What will happen').first().getByText(`Email to ${a.email}`).waitFor();
    expect(await rowsOf('Unchanged accounts').allInnerTexts()).toEqual([
      expect.stringMatching(new RegExp(`^${verified.username}#\\d{4}\\s+Not needed or not possible$`)),
    ]);
    await submit('Send verification email');
    await says('4 verification emails sent');
    await bar().waitFor({ state: 'detached' });
    expect(await entriesOf('resend_verification_email')).toEqual([a, b, c, d].map(({ id }) => [id, null]));
    await visit.leave();
  });

  test('columns are shown and hidden by keyboard, and the browser stores the choice', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, list());
    await box(people[0] as Persona).waitFor();
    const columns = () => main().getByRole('columnheader').allInnerTexts();
    const usual = ['State', 'Two-step verification', 'Created', 'Last seen'];
    expect((await columns()).slice(1)).toEqual(['Person', ...usual]);
    await page.getByRole('button', { name: 'Columns', exact: true }).press('Enter');
    await page.locator('[role=menuitemcheckbox][aria-checked=true]:focus', { hasText: 'State' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Space');
    await page.locator('[role=menuitemcheckbox][aria-checked=true]:focus', { hasText: 'ID' }).waitFor();
    await visit.look('admin-people-columns');
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'Columns' }).waitFor();
    const shown = ['Person', ...usual.slice(1), 'ID'];
    expect((await columns()).slice(1)).toEqual(shown);
    await page.reload();
    await main()
      .getByRole('cell', { name: people[0]?.id as string, exact: true })
      .waitFor();
    expect((await columns()).slice(1)).toEqual(shown);
    await visit.leave();
  });

  test('without an ACL for an operation, there are no checkboxes', async () => {
    await arriveAsAdministrator(world, visit, list(), 'user:lookup');
    await main().getByRole('row').getByRole('link').first().waitFor();
    expect(await main().getByRole('checkbox').count()).toBe(0);
    await visit.leave();
  });
});
