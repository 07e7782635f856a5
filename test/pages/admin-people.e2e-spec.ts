import { readFileSync } from 'node:fs';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type Persona, person, withTotp } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { heading, tabTo, type } from './driving.js';

const LIST = '/admin/people';
/** Accounts that exist only in the list, with IDs from here on. */
const FIRST = 1_466_055_124_025_344_000n;

describeInBrowser('web.md 4: the list of people', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;

  beforeAll(async () => {
    world = await site();
    alice = await person(world.service, 'Alice_in');
    await withTotp(world.service, alice);
    await world.service.sql("UPDATE account SET global_name = 'Alice <b>' WHERE id = $1", [alice.id]);
    await world.service.sql(
      `INSERT INTO account (id, username, discriminator, email, created_at, banned, last_active_at)
       SELECT $1::bigint + n, 'old' || lpad(n::text, 3, '0'), 1, 'old' || n || '@list.example',
         timestamptz '2020-01-01' + n * interval '1 minute', n % 10 = 0,
         CASE WHEN n > 0 THEN now() - interval '40 days' END
       FROM generate_series(0, 119) n`,
      [String(FIRST)],
    );
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });

  const main = () => visit.page.getByRole('main');
  const names = () => main().getByRole('row').getByRole('link').allInnerTexts();
  const count = (text: string) => main().getByRole('status').getByText(text, { exact: true }).waitFor();
  const choose = (name: string, value: string) => visit.page.locator(`select[name=${name}]`).selectOption(value);
  const query = () => new URL(visit.page.url()).searchParams;

  test('accounts are searched while typing, filtered and sorted, and the URL contains it all', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, LIST);
    await heading(visit, 'All people');
    await count('122 accounts');
    await visit.look('admin-people');
    await type(page, 'q', 'OLD');
    await count('120 accounts');
    expect(query().get('q')).toBe('OLD');
    await choose('state', 'suspended');
    await count('12 accounts');
    await choose('sort', 'username:asc');
    await main().getByRole('row').nth(1).getByRole('link', { name: 'old000#0001', exact: true }).waitFor();
    expect((await names()).slice(0, 2)).toEqual(['old000#0001', 'old010#0001']);
    expect(Object.fromEntries(query())).toEqual({ q: 'OLD', state: 'suspended', sort: 'username:asc' });
    await visit.look('admin-people-filtered');
    await page.reload();
    await count('12 accounts');
    expect(await page.locator('select[name=state]').inputValue()).toBe('suspended');
    await page.goBack();
    await count('12 accounts');
    await page.goBack();
    await count('120 accounts');
    await page.goForward();
    await count('12 accounts');
    await page.getByRole('button', { name: 'Clear filters', exact: true }).press('Enter');
    await count('122 accounts');
    expect(await page.locator('[name=q]').inputValue()).toBe('');
    await visit.leave();
  });

  test('each filter asks the service', async () => {
    await arriveAsAdministrator(world, visit, LIST);
    const root = (await world.service.sql("SELECT count(*)::int AS n FROM account WHERE username = 'root'"))[0]?.n;
    await choose('second_factor', 'true');
    await count('1 account');
    expect(await names()).toEqual(['Alice <b>']);
    await choose('second_factor', '');
    await choose('created', '7d');
    await count(`${Number(root) + 1} accounts`);
    await choose('created', '');
    await choose('seen', '-30d');
    await count('119 accounts');
    await choose('state', 'active');
    await count('108 accounts');
    await choose('provider', 'sso');
    await main().getByText('No matching accounts').waitFor();
    await count('0 accounts');
    await visit.leave();
  });

  test('pages are links with a cursor; a row opens the account', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, `${LIST}?q=old&sort=username:asc`);
    await count('120 accounts');
    const seen = await names();
    for (const first of ['old050#0001', 'old100#0001']) {
      await page.getByRole('link', { name: 'Next page', exact: true }).press('Enter');
      await main().getByRole('row').getByRole('link', { name: first, exact: true }).waitFor();
      seen.push(...(await names()));
    }
    expect(seen).toHaveLength(120);
    expect(new Set(seen).size).toBe(120);
    expect(await page.getByRole('link', { name: 'Next page', exact: true }).count()).toBe(0);
    await page.goBack();
    await main().getByRole('row').getByRole('link', { name: 'old050#0001', exact: true }).waitFor();
    await page.getByRole('link', { name: 'First page', exact: true }).press('Enter');
    await main().getByRole('row').getByRole('link', { name: 'old000#0001', exact: true }).waitFor();
    // A click on any cell follows the link of the row.
    await main().getByRole('row').nth(2).getByRole('cell').nth(3).click({ force: true });
    await page.waitForURL(`**${LIST}/${FIRST + 1n}`);
    await visit.leave();
  });

  test('an export has every account of the list, and no cell is a formula', async () => {
    const { page } = visit;
    await world.service.sql("UPDATE account SET global_name = '=1+1' WHERE id = $1", [String(FIRST)]);
    await arriveAsAdministrator(world, visit, `${LIST}?q=old&sort=username:asc`);
    await count('120 accounts');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV', exact: true }).press('Enter');
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^accounts-\d{4}-\d\d-\d\d\.csv$/);
    await page.getByText('120 accounts exported').waitFor();
    const rows = readFileSync(await file.path(), 'utf8').split('\r\n');
    expect(rows[0]).toBe(
      'id,username,global_name,email,email_verified,state,second_factor,sso_linked,created_at,last_active_at',
    );
    expect(rows[1]).toBe(
      `${FIRST},old000#0001,'=1+1,old0@list.example,false,suspended,false,false,2020-01-01T00:00:00.000Z,`,
    );
    expect(rows).toHaveLength(122);
    await world.service.sql('UPDATE account SET global_name = NULL WHERE id = $1', [String(FIRST)]);
    await visit.leave();
  });

  test('a whole ID finds its account; the keyboard reaches every control', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, LIST);
    await type(page, 'q', alice.id);
    await count('1 account');
    for (const name of ['state', 'email_verified', 'second_factor', 'provider', 'created', 'seen', 'sort'])
      await tabTo(visit, name);
    await tabTo(visit, 'Clear filters');
    await tabTo(visit, 'Export CSV');
    await tabTo(visit, 'Alice <b>');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${LIST}/${alice.id}`);
    await main().getByRole('heading', { name: 'Alice <b>', exact: true }).waitFor();
    await visit.leave();
  });

  test('without ACLs for emails there is no filter by verification', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, LIST, 'user:lookup');
    await main().getByText('The beginning of a username or display name, or a whole ID.').waitFor();
    expect(await page.locator('select[name=email_verified]').count()).toBe(0);
    expect(await main().innerText()).not.toContain('@list.example');
    await visit.leave();
  });

  test('on a phone, the page is as wide as the screen', async () => {
    const { page } = visit;
    await page.setViewportSize({ width: 360, height: 740 });
    await arriveAsAdministrator(world, visit, `${LIST}?state=suspended`);
    await count('12 accounts');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await visit.look('admin-people-phone');
    await visit.leave();
  });
});
