import { randomBytes } from 'node:crypto';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { administrator, auditOf, ban, eventually, expectApiError, type Persona } from '../support/index.js';
import { arriveAsAdministrator, siteBehindProxy } from './administering.js';
import { focusOn, heading, type } from './driving.js';

const ENTRIES = '/v1/admin/blocklists/ip/entries';

describeInBrowser('web.md 4: /admin/bans', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await siteBehindProxy();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    await world.service.sql('DELETE FROM ip_ban');
    visit = await world.visit();
  });

  const arrive = (path: string, ...acls: readonly string[]) => arriveAsAdministrator(world, visit, path, ...acls);
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const field = (name: string) => visit.page.locator(`[name=${name}]`);
  const section = (name: string) => visit.page.getByRole('region', { name, exact: true });
  const items = () => visit.page.getByRole('list', { name: 'Active bans' }).getByRole('listitem');
  const item = (value: string) => items().filter({ has: visit.page.getByText(value, { exact: true }) });
  const inDialog = (name: string) => visit.page.getByRole('dialog').getByRole('button', { name, exact: true });
  const failed = () => visit.page.getByRole('list', { name: 'What failed' }).getByRole('listitem').allInnerTexts();
  const banned = async () =>
    (await world.service.sql('SELECT value FROM ip_ban ORDER BY value COLLATE "C"')).map(({ value }) => value);
  const from = (address: string, credential?: string) => {
    const { anonymous, as } = world.service;
    return (credential ? as(credential) : anonymous).with({ 'x-forwarded-for': address });
  };
  const choose = async (...values: readonly string[]) => {
    for (const value of values) await item(value).getByRole('checkbox').check();
  };
  /** Gets the IP address banned automatically, by sending credentials that do not exist until the service bans it. */
  const earnBan = async (address: string) => {
    const guess = () => from(address, `flx_${randomBytes(18).toString('hex')}`).get('/v1/users/@me');
    await eventually('the ban', async () =>
      (await guess()).body.code === 'GLOBAL_IP_TEMPORARILY_BANNED' ? true : undefined,
    );
  };

  test('several IPs are banned together by keyboard, with a reason; failed ones are reported and stay in the field', async () => {
    const { page } = visit;
    const root = await arrive('/admin/bans');
    await page.getByText('No banned IPs').waitFor();
    await button('Ban IPs').press('Enter');
    await visit.page.locator('textarea[name=addresses]:focus').waitFor();
    await page.keyboard.insertText('203.0.113.7\n2001:DB8::1\n10.0.0.1\n\nsomewhere\n203.0.112.0/24\n203.0.113.7');
    await page.getByText(/^5 IPs or ranges will be blocked until /).waitFor();
    await type(page, 'reason', 'scraping – día y noche');
    await field('duration').selectOption({ label: 'Custom' });
    await type(page, 'hours', '9000');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a whole number from 1 to 8,760.').waitFor();
    expect(await banned()).toEqual([]);
    await type(page, 'hours', '36');
    await page.keyboard.press('Enter');
    await page.getByText('3 IPs or ranges banned').waitFor();
    expect(await failed()).toEqual([
      expect.stringMatching(/^10\.0\.0\.1: Can’t ban a private IP/),
      expect.stringMatching(/^somewhere: Enter a valid IP address or CIDR range/),
    ]);
    expect(await field('addresses').inputValue()).toBe('10.0.0.1\nsomewhere');
    expect(await field('reason').inputValue()).toBe('scraping – día y noche');
    await visit.look('admin-bans-added');
    expect(await banned()).toEqual(['2001:db8::1', '203.0.112.0/24', '203.0.113.7']);
    const [{ left }] = (await world.service.sql(
      `SELECT extract(epoch FROM expires_at - created_at)::int AS left FROM ip_ban WHERE value = '203.0.113.7'`,
    )) as [{ left: number }];
    expect(left).toBe(36 * 3600);
    expect((await auditOf(world.service, 'ban_ip')).map((entry) => [entry.admin_user_id, entry.reason])).toEqual(
      Array.from({ length: 3 }, () => [root.id, 'scraping – día y noche']),
    );
    await item('203.0.113.7')
      .getByText(/Expires /)
      .waitFor();
    const by = page.getByText('Banned by you').first().getByRole('link');
    expect(await by.getAttribute('href')).toBe(`/admin/people/${root.id}`);
    expect(await by.textContent()).toMatch(/^\D.*#\d{4}$/);
    await item('203.0.112.0/24').getByRole('button', { name: 'Why?' }).press('Enter');
    await item('203.0.112.0/24').getByText('scraping – día y noche').waitFor();
    await visit.leave();
  });

  test('a permanent ban can be chosen; the looked-up IP address is suggested', async () => {
    const { page } = visit;
    await arrive('/admin/bans?ip=203.0.113.9');
    await page.getByText('203.0.113.9 isn’t banned.').waitFor();
    await button('Ban IPs').press('Enter');
    expect(await field('addresses').inputValue()).toBe('203.0.113.9');
    await field('duration').selectOption({ label: 'Permanent' });
    await page.getByText('1 IP or range will be blocked until you lift the ban.').waitFor();
    await button('Ban').press('Enter');
    await page.locator('[name=reason]:invalid').waitFor();
    await type(page, 'reason', 'for good');
    await button('Ban').press('Enter');
    await page.getByText('203.0.113.9 is banned.').waitFor();
    await item('203.0.113.9').getByText('Never expires').waitFor();
    expectApiError(await from('203.0.113.9').get('/.well-known/service'), 'GLOBAL_IP_BANNED');
    await visit.leave();
  });

  test('an IP address is looked up: whether it is banned, by which entry, and its audit entries', async () => {
    const { page } = visit;
    await arrive('/admin/bans');
    await ban(world.service, '203.0.112.0/24', null);
    await type(page, 'ip', ' 203.0.112.5 ');
    await page.keyboard.press('Enter');
    await page.getByText('203.0.112.5 is banned by 203.0.112.0/24.').waitFor();
    expect(new URL(page.url()).search).toBe('?ip=203.0.112.5');
    const link = page.getByRole('link', { name: 'View in the audit log' });
    expect(await link.getAttribute('href')).toBe('/admin/audit?ip=203.0.112.5');
    await visit.look('admin-bans-looked-up');
    const response = section('Check an IP address');
    await response.getByRole('button', { name: 'Lift' }).press('Enter');
    await inDialog('Lift').press('Enter');
    await page.getByText('203.0.112.5 isn’t banned.').waitFor();
    expect(await banned()).toEqual([]);
    await type(page, 'ip', '203.0.112.0/24');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a valid IP address.', { exact: false }).waitFor();
    await page.goBack();
    await page.getByText('203.0.112.5 isn’t banned.').waitFor();
    expect(await field('ip').inputValue()).toBe('203.0.112.5');
    await visit.leave();
  });

  test('an automatic ban shows its signals', async () => {
    await earnBan('9.8.7.6');
    await world.service.sql(
      `INSERT INTO ip_ban (value, kind, reason, expires_at, signals) VALUES
       ('9.8.7.5', 'temporary_24h', 'automatic', now() + interval '1 day',
        '{"trigger": "score", "score": 60.25, "rejected_credentials": 1, "windows": 3}'),
       ('9.8.7.4', 'temporary_24h', 'automatic', now() + interval '1 day', NULL)`,
    );
    await arrive('/admin/bans');
    await item('9.8.7.6').getByText('Banned automatically').waitFor();
    await item('9.8.7.6')
      .getByText(/^Tried 20 different invalid credentials in five minutes \(score 3[0-9]\)/)
      .waitFor();
    await item('9.8.7.5').getByText('score 60 in five minutes, 3 times within an hour', { exact: false }).waitFor();
    await item('9.8.7.4').getByText('No details were recorded.').waitFor();
    await visit.look('admin-bans-automatic');
    await item('9.8.7.6').getByRole('button', { name: 'Lift' }).press('Enter');
    await type(visit.page, 'reason', 'a school');
    await visit.look('admin-bans-lift');
    await inDialog('Lift').press('Enter');
    await item('9.8.7.6').waitFor({ state: 'detached' });
    expect((await from('9.8.7.6').get('/.well-known/service')).status).toBe(200);
    expect((await auditOf(world.service, 'unban_ip')).at(-1)).toMatchObject({
      target_id: '9.8.7.6',
      reason: 'a school',
    });
    await focusOn(visit.page, 'Active bans');
    await visit.leave();
  });

  test('the list is requested page by page; many are lifted together, and failed ones stay selected', async () => {
    const { page } = visit;
    for (let n = 10; n < 62; n++) await ban(world.service, `203.0.113.${n}`, null);
    const root = await arrive('/admin/bans');
    await item('203.0.113.59').waitFor();
    expect(await items().count()).toBe(50);
    await button('Show more').press('Enter');
    await item('203.0.113.61').waitFor();
    expect(await items().count()).toBe(52);
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByText(/^52 bans will be lifted/).waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).uncheck();
    await choose('203.0.113.10', '203.0.113.11', '203.0.113.61');
    await page.getByText(/^3 bans will be lifted/).waitFor();
    await visit.look('admin-bans-chosen');
    await type(page, 'reason', 'moved away');
    // The administrator loses the ACL during the first request, so the service rejects the others.
    let sent = 0;
    await page.route('**/v1/admin/blocklists/ip/entries/*', async (route) => {
      if (++sent === 2) await world.service.sql('UPDATE account SET acls = $2 WHERE id = $1', [root.id, []]);
      await route.continue();
    });
    await button('Lift bans').press('Enter');
    await page.getByText('1 ban lifted').waitFor();
    expect(await failed()).toHaveLength(2);
    expect(await banned()).toHaveLength(51);
    expect(await items().count()).toBe(51);
    expect(await item('203.0.113.61').getByRole('checkbox').isChecked()).toBe(true);
    expect(await field('reason').inputValue()).toBe('moved away');
    await world.service.sql(`UPDATE account SET acls = '{*}' WHERE id = $1`, [root.id]);
    await button('Lift bans').press('Enter');
    await page.getByText('2 bans lifted').waitFor();
    expect(await banned()).toHaveLength(49);
    expect(await items().count()).toBe(49);
    await visit.leave();
  });

  test('an administrator who may only lift bans types the IPs; nothing else is shown', async () => {
    const { page } = visit;
    await ban(world.service, '203.0.113.8', null);
    await ban(world.service, '203.0.112.0/24', null);
    const clerk = await arrive('/admin/bans', 'ban:ip:remove');
    await heading(visit, 'IP bans');
    await button('Lift bans by IP').press('Enter');
    for (const name of ['Active bans', 'Check an IP address']) expect(await section(name).count()).toBe(0);
    expect(await button('Ban IPs').count()).toBe(0);
    await page.keyboard.insertText('203.0.113.8, 203.0.112.0/24 203.0.112.1/24');
    await button('Lift bans').press('Enter');
    await page.getByText('2 bans lifted').waitFor();
    expect(await field('addresses').inputValue()).toBe('203.0.112.1/24');
    expect(await banned()).toEqual([]);
    const client = world.service.as(clerk);
    expectApiError(await client.get(ENTRIES), 'MISSING_ACL');
    expectApiError(await client.get(`${ENTRIES}/203.0.113.8`), 'MISSING_ACL');
    expectApiError(await client.post(ENTRIES, { ip: '203.0.113.8' }), 'MISSING_ACL');
    expect(await banned()).toEqual([]);
    await visit.leave();
  });

  test('a ban names the administrator who created it, with a link to the account', async () => {
    const author = await administrator(world.service, 'ban:ip:add');
    await world.service.as(author).post(ENTRIES, { ip: '203.0.113.8' }).expect(204);
    await arrive('/admin/bans?ip=203.0.113.8');
    const link = item('203.0.113.8').getByText('Banned by ').getByRole('link');
    await link.filter({ hasText: /^\D.*#\d{4}$/ }).waitFor();
    expect(await link.getAttribute('href')).toBe(`/admin/people/${author.id}`);
    expect(await visit.page.getByText(/^Banned by \D.*#\d{4}/).count()).toBe(2);
    await visit.look('admin-bans-named');
    await visit.leave();
  });

  test('an administrator who may only view bans sees no buttons to ban or lift, and no links to hidden pages', async () => {
    const root: Persona = await administrator(world.service, 'ban:ip:add');
    await world.service.as(root).post(ENTRIES, { ip: '203.0.113.8' }).expect(204);
    const clerk = await arrive('/admin/bans?ip=203.0.113.8', 'ban:ip:check');
    await visit.page.getByText('203.0.113.8 is banned.').waitFor();
    await item('203.0.113.8').getByText(`Banned by the administrator with the ID ${root.id}`).waitFor();
    for (const name of ['Ban IPs', 'Lift bans by IP', 'Lift', 'Why?']) expect(await button(name).count()).toBe(0);
    expect(await visit.page.getByRole('checkbox').count()).toBe(0);
    expect(await visit.page.getByRole('main').getByRole('link').count()).toBe(0);
    const client = world.service.as(clerk);
    expectApiError(await client.post(ENTRIES, { ip: '203.0.113.9' }), 'MISSING_ACL');
    expectApiError(await client.delete(`${ENTRIES}/203.0.113.8`), 'MISSING_ACL');
    expect(await banned()).toEqual(['203.0.113.8']);
    await visit.leave();
  });

  test('an administrator who may only ban can do that, and sees no list', async () => {
    const clerk = await arrive('/admin/bans', 'ban:ip:add');
    await button('Ban IPs').press('Enter');
    for (const name of ['Active bans', 'Check an IP address']) expect(await section(name).count()).toBe(0);
    expect(await button('Lift bans by IP').count()).toBe(0);
    await visit.page.keyboard.insertText('203.0.113.8');
    await type(visit.page, 'reason', 'spam');
    await button('Ban').press('Enter');
    await visit.page.getByText('1 IP or range banned').waitFor();
    const client = world.service.as(clerk);
    expectApiError(await client.get(ENTRIES), 'MISSING_ACL');
    expectApiError(await client.delete(`${ENTRIES}/203.0.113.8`), 'MISSING_ACL');
    expect(await banned()).toEqual(['203.0.113.8']);
    await visit.leave();
  });
});

describeInBrowser('web.md 4: more bans than the rate limit allows', () => {
  test('wait until the limit allows more, and the rest can be canceled', async () => {
    const env = { RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: '{"admin:ban:operation": "3/5"}' };
    const world = await site({ env });
    const visit = await world.visit();
    const { page } = visit;
    const field = page.locator('[name=addresses]');
    const waiting = page.getByText(/Continuing in \d seconds?…$/);
    const paste = async (first: number, count: number) => {
      await field.fill(Array.from({ length: count }, (_, n) => `203.0.113.${first + n}`).join('\n'));
      await type(page, 'reason', 'a botnet');
      await page.getByRole('button', { name: 'Ban', exact: true }).press('Enter');
      await waiting.waitFor();
    };
    await arriveAsAdministrator(world, visit, '/admin/bans', 'ban:ip:add');
    await page.getByRole('button', { name: 'Ban IPs' }).press('Enter');
    await paste(1, 5);
    await page.getByText('5 IPs or ranges banned').waitFor();
    expect(await world.service.sql('SELECT value FROM ip_ban')).toHaveLength(5);
    await paste(101, 50);
    expect(await field.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    const banned = (await world.service.sql(`SELECT value FROM ip_ban WHERE value LIKE '203.0.113.1__'`)).length;
    const left = (await field.inputValue()).split('\n');
    expect(banned + left.length).toBe(50);
    expect(left.at(-1)).toBe('203.0.113.150');
    await visit.leave();
    await world.close();
  });
});
