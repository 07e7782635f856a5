import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  administrator,
  adminKey,
  auditOf,
  ban,
  expectApiError,
  mailTo,
  newApp,
  type Persona,
  person,
  superuser,
  withTotp,
} from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { heading, tabTo } from './driving.js';

const PHONE = '+493022222222';
const ADDRESS = '203.0.113.9';
/** A user with one visit in the past. They send no requests now, which would change their last IP address. */
const VISITOR = '1466055124025344000';

describeInBrowser('web.md 4: the search of the console', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;
  let tag: string;

  beforeAll(async () => {
    world = await site({ env: { SMS_TRANSPORT: 'inbox' } });
    alice = await person(world.service, 'Alice_in');
    const { discriminator } = (await world.service.as(alice).get('/v1/users/@me')).body;
    tag = `Alice_in#${discriminator}`;
    await world.service.sql(
      `INSERT INTO account (id, username, discriminator, email, created_at, last_active_ip)
       VALUES ($1, 'Visitor', 7, 'visitor@example.com', now(), $2)`,
      [VISITOR, ADDRESS],
    );
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  });

  const box = () => visit.page.getByRole('search').getByLabel('Search people, apps, and audit entries');
  /** Types by keyboard and replaces the text in the box. */
  const search = async (text: string) => {
    await box().focus();
    await visit.page.keyboard.press('ControlOrMeta+a');
    await visit.page.keyboard.type(text);
    await visit.page.keyboard.press('Enter');
  };
  const paste = async (text: string) => {
    await visit.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await box().focus();
    await visit.page.keyboard.press('ControlOrMeta+a');
    await visit.page.keyboard.press('ControlOrMeta+v');
    await visit.page.keyboard.press('Enter');
  };
  const list = (name: string) => visit.page.getByRole('list', { name, exact: true });
  const link = (group: string, name: string) => list(group).getByRole('link', { name, exact: true });
  const status = (text: string | RegExp) => visit.page.getByRole('status').getByText(text, { exact: true }).waitFor();
  /** The links of all results, to show that the search found nothing else. */
  const links = () =>
    visit.page
      .getByRole('main')
      .getByRole('list')
      .getByRole('link')
      .evaluateAll((all: { getAttribute(name: string): string }[]) => all.map((one) => one.getAttribute('href')));
  const lines = () => world.service.log.filter((line) => line.startsWith('{'));
  const lineWith = (text: string) => lines().find((line) => line.includes(text)) as string;

  test('a keyboard shortcut opens the search from every view, but not while the user types', async () => {
    const { page } = visit;
    const focused = () => page.locator('input[name=q]:focus').waitFor();
    await arriveAsAdministrator(world, visit, '/admin/people');
    await heading(visit, 'All people');
    const shortcut = page.getByRole('link', { name: 'Search', exact: true });
    expect(await shortcut.getAttribute('aria-keyshortcuts')).toBe('/ Control+K Meta+K');
    await shortcut.getByText('/', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await focused();
    await heading(visit, 'Home');
    expect(await box().inputValue()).toBe('');
    // In a field, the keys have their usual meaning.
    await page.goBack();
    await heading(visit, 'All people');
    const filter = page.getByRole('searchbox').first();
    await filter.focus();
    await page.keyboard.type('a/b');
    await page.keyboard.press('Control+k');
    expect(await filter.inputValue()).toBe('a/b');
    await heading(visit, 'All people');
    await page.locator('h1').focus();
    await page.keyboard.press('Meta+k');
    await focused();
    await page.locator('h1').focus();
    await page.keyboard.press('Control+k');
    await focused();
    // A shortcut of one character can be turned off (WCAG 2.1.4).
    await page.getByText('What you can search').press('Enter');
    await page.getByRole('checkbox', { name: 'Use the / key as a shortcut for search' }).press('Space');
    await visit.look('admin-search-shortcut');
    await page.reload();
    await heading(visit, 'Home');
    await shortcut.getByText('Ctrl K', { exact: true }).waitFor();
    expect(await shortcut.getAttribute('aria-keyshortcuts')).toBe('Control+K Meta+K');
    await page.locator('h1').focus();
    await page.keyboard.press('/');
    expect(await page.locator('input[name=q]:focus').count()).toBe(0);
    await shortcut.press('Enter');
    await focused();
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate("document.querySelector('header').clientHeight")).toBeLessThan(70);
    await visit.leave();
  });

  test('a user ID pasted with a log line finds the user', async () => {
    const locked = await person(world.service, 'locked');
    await withTotp(world.service, locked);
    await world.service.sql("UPDATE account SET totp_secret = 'lost' WHERE id = $1", [locked.id]);
    const factor = { session_id_hashes: [], mfa_method: 'totp', mfa_code: '123456' };
    await world.service.as(locked).post('/v1/auth/sessions/logout', factor);
    const line = lineWith(locked.id);
    expect(JSON.parse(line)).toMatchObject({ account: locked.id });
    await arriveAsAdministrator(world, visit, '/admin');
    await heading(visit, 'Home');
    await paste(`${lines()[0]?.slice(0, 40)}\n${line}`);
    await list('People')
      .getByRole('link', { name: /^locked#\d{4}$/ })
      .waitFor();
    await status('1 result');
    await box().focus();
    await tabTo(visit, await list('People').getByRole('link').innerText());
    await visit.page.keyboard.press('Enter');
    await visit.page.waitForURL(`**/admin/people/${locked.id}`);
    await visit.leave();
  });

  test('a log line with a request ID finds the changes of the request', async () => {
    const root = await arriveAsAdministrator(world, visit, '/admin');
    const flags = { flags: 1 };
    await world.service.as(root).put(`/v1/admin/users/${alice.id}/suspicious-activity-flags`, flags).expect(200);
    const [entry] = await auditOf(world.service, 'update_suspicious_activity_flags');
    const line = lineWith(entry?.request_id);
    expect(JSON.parse(line)).toMatchObject({ msg: 'request', request_id: entry?.request_id });
    await paste(line);
    await status('2 results');
    const [{ id }] = (await world.service.sql('SELECT id FROM audit_log WHERE request_id = $1', [
      entry?.request_id,
    ])) as [{ id: string }];
    expect(await links()).toEqual([
      `/admin/audit?request_id=${entry?.request_id}`,
      `/admin/audit?log_id=${id}`,
      `/admin/people/${root.id}`,
    ]);
    await link('Requests', entry?.request_id).press('Enter');
    await visit.page.waitForURL(`**/admin/audit?request_id=${entry?.request_id}`);
    await world.service.as(root).get('/v1/admin/users/x').expect(400);
    const refused = JSON.parse(lines().findLast((one) => one.includes('request rejected')) as string);
    await visit.page.goBack();
    await heading(visit, 'Home');
    await paste(JSON.stringify(refused));
    await visit.page.getByText('No audit entries: it made no changes, or was denied.').waitFor();
    await visit.leave();
  });

  test('a search by IP address, by username and by ID each finds the user; it stays after a reload and going back', async () => {
    const { page } = visit;
    await ban(world.service, ADDRESS, null);
    await arriveAsAdministrator(world, visit, '/admin');
    const found = link('People', 'Visitor#0007');
    for (const text of [ADDRESS, `::ffff:${ADDRESS}`, 'visitOR', VISITOR, 'Visitor@example.com', 'visitor#0007']) {
      await search(text);
      await page.waitForURL(`**/admin?q=${new URLSearchParams({ q: text }).toString().slice(2)}`);
      await found.waitFor();
      expect(await found.getAttribute('href')).toBe(`/admin/people/${VISITOR}`);
    }
    await page.goBack();
    await page.waitForURL('**/admin?q=Visitor%40example.com');
    await found.waitFor();
    expect(await box().inputValue()).toBe('Visitor@example.com');
    await page.reload();
    await found.waitFor();
    expect(await box().inputValue()).toBe('Visitor@example.com');
    await search(ADDRESS);
    await list('IP bans').getByText('Banned', { exact: true }).waitFor();
    await link('IP bans', ADDRESS).press('Enter');
    await page.waitForURL(`**/admin/bans?ip=${ADDRESS}`);
    await visit.leave();
  });

  test('everything else is found: applications, keys, entries, phone numbers, sessions and ranges', async () => {
    const root = await arriveAsAdministrator(world, visit, '/admin');
    const { service } = world;
    const app = await newApp(service, alice, { name: 'Tea <b>party</b>' });
    const [own, foreign] = [await adminKey(service, root), await adminKey(service, await superuser(service))];
    await service.as(alice).post('/v1/users/@me/phone/send-verification', { phone: PHONE });
    const { code } = (await mailTo(service, PHONE, 'phone_verification')).metadata;
    await service.as(alice).post('/v1/users/@me/phone/verify', { phone: PHONE, code });
    const [{ id_hash: hash }] = (await service.as(alice).get('/v1/auth/sessions')).body;
    await ban(service, '198.51.100.0/24', 3600);
    const entries = await service.sql("SELECT id, target_id FROM audit_log WHERE action = 'create_api_key'");
    const entryOf = (id: string) => entries.find(({ target_id }) => target_id === id)?.id;
    const who = `/admin/people/${root.id}`;
    const alices = `/admin/people/${alice.id}`;
    const cases: [text: string, links: (string | RegExp)[]][] = [
      [app.id, [/^\/admin\/people\/\d+$/, `/admin/applications?id=${app.id}`]],
      [own.id, [`/admin/keys?id=${own.id}`, `/admin/audit?log_id=${entryOf(own.id)}`, who]],
      [
        foreign.id,
        [
          `/admin/audit?target_type=admin_api_key&target_id=${foreign.id}`,
          `/admin/audit?log_id=${entryOf(foreign.id)}`,
          /^\/admin\/people\/\d+$/,
        ],
      ],
      [entryOf(own.id), [`/admin/audit?log_id=${entryOf(own.id)}`, who]],
      ['+49 30 22222222', [alices]],
      [hash, [alices]],
      ['198.51.100.0/24', ['/admin/bans?ip=198.51.100.0%2F24']],
    ];
    for (const [text, wanted] of cases) {
      await search(text);
      await status(/^\d+ results?$/);
      expect(await links()).toEqual(wanted.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))));
    }
    await list('IP bans').getByText('Banned', { exact: true }).waitFor();
    await search('198.51.100.0/25');
    await list('IP bans').getByText('Not banned', { exact: true }).waitFor();
    await status('0 results');
    await search(`${app.id} ${own.id} ${foreign.id} ${tag} ${ADDRESS}`);
    await link('Apps', 'Tea <b>party</b>').waitFor();
    await visit.look('admin-search-much');
    await visit.leave();
  });

  test('of many results the first are shown, with a link to the others', async () => {
    const { page } = visit;
    const root = await arriveAsAdministrator(world, visit, '/admin');
    for (let n = 0; n < 11; n++) {
      await world.service.as(root).put(`/v1/admin/users/${alice.id}/suspicious-activity-flags`, { flags: 0 });
    }
    const many = await world.service.sql('SELECT count(*)::int AS n FROM audit_log WHERE target_id = $1', [alice.id]);
    await search(alice.id);
    await page.getByText(`Showing 10 of ${many[0]?.n} for ${alice.id}`).waitFor();
    expect(await list('Audit log').getByRole('listitem').count()).toBe(10);
    await page.getByRole('link', { name: 'View all in the audit log' }).press('Enter');
    await page.waitForURL(`**/admin/audit?target_id=${alice.id}`);
    await world.service.sql(
      `INSERT INTO account (id, username, discriminator, created_at)
       SELECT n, 'crowd', n, now() FROM generate_series(1, 51) n`,
    );
    await page.goBack();
    await search('crowd');
    await page.getByText('Showing 50 of 51 for crowd').waitFor();
    expect(await list('People').getByRole('listitem').count()).toBe(50);
    await visit.leave();
  });

  test('an administrator who may only read accounts sends no other searches, and sees what was not searched', async () => {
    const { page } = visit;
    const requested: string[] = [];
    page.on('request', (request) => void requested.push(new URL(request.url()).pathname));
    const clerk = await arriveAsAdministrator(world, visit, '/admin', 'user:lookup');
    await page.getByText('You have 2 permissions:').waitFor();
    await page.getByText('What you can search').press('Enter');
    expect(await page.getByRole('main').getByRole('listitem').allInnerTexts()).toEqual(
      expect.arrayContaining(['admin:authenticate', 'user:lookup', 'People by ID']),
    );
    expect(await page.getByText('Apps by ID').count()).toBe(0);
    await visit.look('admin-search-clerk');
    await search(`${alice.id} ${ADDRESS} ${alice.email}`);
    await link('People', tag).waitFor();
    await page.getByText('Not searched because you need this permission:').waitFor();
    await page.getByText('People by email: user:view:email').waitFor();
    await page.getByText('IP bans: ban:ip:check').waitFor();
    await status('1 result');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await list('IP bans').count()).toBe(0);
    await visit.look('admin-search-lacking');
    const own = ['/v1/admin/users/@me', '/v1/admin/acls'];
    const operations = new Set(requested.filter((path) => path.startsWith('/v1/admin') && !own.includes(path)));
    expect([...operations]).toEqual([`/v1/admin/users/${alice.id}`]);
    const asClerk = world.service.as(clerk);
    const before = await auditOf(world.service);
    for (const path of [
      ...[`applications/${alice.id}`, `api-keys/${alice.id}`, `audit-logs/${alice.id}`, 'audit-logs'],
      ...[`blocklists/ip/entries/${ADDRESS}`, 'blocklists/ip/entries'],
      ...[`users?last_active_ip=${ADDRESS}`, `users?email=${alice.email}`, `users?phone=%2B4930`],
    ]) {
      const response = await asClerk.get(`/v1/admin/${path}`);
      expectApiError(response, 'MISSING_ACL');
    }
    expect(await auditOf(world.service)).toEqual(before);
    await visit.leave();
  });

  test('an administrator without search permissions sees that, and every administrator sees their own name', async () => {
    await visit.arrive('/admin', (await administrator(world.service)).authorization);
    await visit.page.getByText('You don’t have permission to search anything.').waitFor();
    await visit.page.getByText(/^admin#\d{4}$/).waitFor();
    expect(await visit.page.getByRole('main').getByRole('link').count()).toBe(0);
    await search('alice');
    await visit.page.getByText('People by username, with or without the tag: user:lookup').waitFor();
    await visit.leave();
  });

  test('a text without search terms is reported, as is one with too many; secrets stay out of the URL', async () => {
    const { page } = visit;
    const root = await arriveAsAdministrator(world, visit, '/admin');
    await page.getByText('You have full access.').waitFor();
    await visit.look('admin-search-start');
    await search('who was this?');
    await page.getByText('We couldn’t find anything to search for in this text.').waitFor();
    await visit.look('admin-search-nothing');
    await paste(Array.from({ length: 13 }, (_, n) => `192.0.2.${n}`).join('\r\n'));
    await page.getByText('That’s too much text.', { exact: false }).waitFor();
    await list('IP bans').getByRole('listitem').nth(11).waitFor();
    await status(/ results?$/);
    expect(await list('IP bans').getByRole('listitem').count()).toBe(12);
    await paste(`authorization: ${root.authorization}\nfrom ${ADDRESS}`);
    await link('People', 'Visitor#0007').waitFor();
    expect(await box().inputValue()).toBe(`authorization:  from ${ADDRESS}`);
    expect(page.url()).not.toContain('flx_');
    await visit.leave();
  });

  test('a failed search is retried, and the results stay', async () => {
    const { page, context } = visit;
    await arriveAsAdministrator(world, visit, '/admin');
    await box().waitFor();
    await context.setOffline(true);
    await search(tag);
    await page.getByRole('alert').getByText('You’re offline.', { exact: false }).waitFor();
    expect(await box().inputValue()).toBe(tag);
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await link('People', tag).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await visit.leave();
  });
});
