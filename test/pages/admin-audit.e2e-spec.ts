import { readFileSync } from 'node:fs';
import type { Download } from 'playwright-core';
import { AuditLog, type AuditRecord } from '../../src/admin/audit/audit.service.js';
import { consoleOperator } from '../../src/admin/audit/operator.js';
import { Database } from '../../src/platform/database/database.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  administrator,
  adminKey,
  expectApiError,
  type Persona,
  person,
  runCleanup,
  setAcls,
  superuser,
} from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { focusOn, heading, type } from './driving.js';

const VIEW = '/admin/audit';
const LOGS = '/v1/admin/audit-logs';

describeInBrowser('web.md 4: /admin/audit', () => {
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });

  const entries = () => visit.page.getByRole('table', { name: 'Entries' }).locator('tbody > tr:not(.details)');
  const entry = (text: string) => entries().filter({ hasText: text });
  /** The details below a row. Opens them by keyboard if they are closed. */
  const details = async (text: string) => {
    const turn = entry(text).getByRole('button');
    if ((await turn.getAttribute('aria-expanded')) === 'false') await turn.press('Enter');
    return entry(text).locator('xpath=following-sibling::tr[1]');
  };
  const detailsText = async (text: string) => (await details(text)).innerText();
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const link = (name: string) => visit.page.getByRole('link', { name, exact: true });
  const chips = async () =>
    (await visit.page.getByRole('region', { name: 'Filters', exact: true }).getByRole('listitem').allInnerTexts()).map(
      (text) => text.replace(/\s*×$/, ''),
    );
  const requested = () => Object.fromEntries(new URL(visit.page.url()).searchParams);
  const counted = (count: number) =>
    visit.page
      .getByText(count === 1 ? '1 entry' : `${count.toLocaleString('en-US')} entries`, { exact: true })
      .waitFor();
  /** Opens the filters, types into some of them and applies them by keyboard. */
  const filter = async (typed: Readonly<Record<string, string>>) => {
    await button('Filter').press('Enter');
    for (const [name, text] of Object.entries(typed)) await visit.page.locator(`[name=${name}]`).fill(text);
    await visit.page.locator(`[name=${Object.keys(typed)[0]}]`).press('Enter');
  };
  const tagOf = async ({ id }: { id: string }) => {
    const [row] = await world.service.sql('SELECT username, discriminator FROM account WHERE id = $1', [id]);
    return `${row?.username}#${String(row?.discriminator).padStart(4, '0')}`;
  };
  const record = (entry: AuditRecord<string>, operator = {}) =>
    world.service.app
      .get(Database)
      .transaction((tx) => world.service.app.get(AuditLog).record(tx, { ...consoleOperator(), ...operator }, entry));
  const as = (by: Persona, headers: Record<string, string> = {}, { service }: Site = world) =>
    service.as(by).with(headers);
  const setTraits = (by: Persona, { id }: Persona, headers: Record<string, string> = {}, where = world) =>
    as(by, headers, where).put(`/v1/admin/users/${id}/traits`, { traits: ['captcha_exempt'] });

  test('the state of the chain is shown first: not verified, intact, broken', async () => {
    const { service } = world;
    const root = await arriveAsAdministrator(world, visit, VIEW);
    await heading(visit, 'Audit log');
    await visit.page.getByText('Integrity check in progress').waitFor();
    await visit.page.getByText('No matching entries').waitFor();
    await visit.look('admin-audit-empty');
    await setTraits(root, root);
    await setTraits(root, root);
    await runCleanup(service);
    await visit.page.reload();
    await visit.page.getByText(/^Integrity verified up to entry 2, (?:now|\d+ seconds? ago) \(.+\)\./).waitFor();
    const tamper = (reason: string) =>
      service.sql(`ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only;
        UPDATE audit_log SET reason = ${reason} WHERE sequence = 2;
        ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only`);
    await tamper("'forged'");
    await runCleanup(service);
    await visit.page.reload();
    await visit.page.getByRole('alert').filter({ hasText: 'Integrity check failed at entry 2' }).waitFor();
    await visit.look('admin-audit-broken');
    await tamper('NULL');
    await runCleanup(service);
    await visit.leave();
  });

  test('the age of the verification grows while the page is open', async () => {
    const { page } = visit;
    await runCleanup(world.service);
    await page.clock.install();
    await arriveAsAdministrator(world, visit, VIEW);
    await page.getByText(/^Integrity verified up to entry \d+, (?:now|\d+ seconds? ago)/).waitFor();
    await page.clock.fastForward(10 * 60_000);
    await page.getByText(/^Integrity verified up to entry \d+, 1\d minutes ago/).waitFor();
    await visit.leave();
  });

  test('an entry shows in words the actor, the action, the target, the reason and the changes', async () => {
    const { service } = world;
    const root = await superuser(service);
    const alice = await person(service, 'alice');
    const because = { 'x-audit-log-reason': 'ticket 12', 'x-request-id': 'differences' };
    const of = `/v1/admin/users/${alice.id}`;
    await setAcls(service, alice, ['ban:ip:check']);
    await as(root, because).put(`${of}/acls`, { acls: ['admin:authenticate'] });
    await as(root, because).patch(`${of}/flags`, { add_flags: ['1'], remove_flags: ['8589934592'] });
    await as(root, because).patch(`${of}/email`, { email: 'alice@new.example' });
    await as(root, because).put(`${of}/phone-verification`, { has_verified_phone: true });
    const key = await adminKey(service, root, '*');
    await service.anonymous
      .with({ authorization: key.authorization, ...because })
      .put(`${of}/ban`, { duration_hours: 0, reason: '=spam' });
    await arriveAsAdministrator(world, visit, `${VIEW}?request_id=differences`);
    await counted(5);
    const row = await entry('Permissions updated').getByRole('cell').allInnerTexts();
    expect(row[0]).toMatch(/\d{4}, .+ [AP]M\s+(?:now|\d+ \w+ ago)/);
    expect(row.slice(1).map((text) => text.replace(/\s+/g, ' ').trim())).toEqual([
      expect.stringContaining(await tagOf(root)),
      'Permissions updated',
      `Account ${await tagOf(alice)}`,
      '127.0.0.1',
    ]);
    const acls = await detailsText('Permissions updated');
    expect(acls).toMatch(/Reason: .?ticket 12/);
    expect(acls).toMatch(/Permissions\s+− Removed: ban:ip:check\s+\+ Added: admin:authenticate/);
    expect(await detailsText('Account flags updated')).toMatch(
      /Flags\s+− Removed: Higher rate limit\s+\+ Added: Staff\s+All flags now: Staff/,
    );
    expect(await detailsText('Email changed')).toMatch(/Email\s+− Before: alice.*\s+\+ After: alice@new.example/);
    expect(await detailsText('Phone status')).toMatch(/− Before: No\s+\+ After: Yes/);
    const banned = await detailsText('Suspended');
    expect(banned).toMatch(/Duration: Permanent/);
    expect(banned).toMatch(/Suspended until: empty/);
    expect(banned).toContain(`API key: ${key.id}`);
    expect(banned).toContain('IP address: 127.0.0.1');
    await visit.look('admin-audit-differences');

    await (await details('Suspended')).getByRole('link', { name: key.id }).press('Enter');
    await entry('API key created').waitFor();
    expect(requested()).toEqual({ target_type: 'admin_api_key', target_id: key.id });
    await visit.page.goBack();
    await entry('Suspended').getByRole('link', { name: '127.0.0.1' }).press('Enter');
    await visit.page.waitForURL(/ip=127/);
    expect(requested()).toEqual({ request_id: 'differences', ip: '127.0.0.1' });
    await entry('Suspended')
      .getByRole('link', { name: await tagOf(alice) })
      .press('Enter');
    await visit.page.waitForURL(`**/admin/people/${alice.id}`);
    await visit.leave();
  });

  test('values hidden without an ACL are shown as the service returns them, without links', async () => {
    const { service } = world;
    const root = await superuser(service);
    const alice = await person(service, 'alice');
    const path = `/v1/admin/users/${alice.id}/email`;
    await as(root, { 'x-request-id': 'hidden' }).patch(path, { email: 'alice@hidden.example' });
    await arriveAsAdministrator(world, visit, `${VIEW}?request_id=hidden`, 'audit_log:view');
    await counted(1);
    const text = await detailsText('Email changed');
    expect(text).toMatch(/− Before: \[redacted\]\s+\+ After: \[redacted\]/);
    expect(text).toContain('IP address: [redacted]');
    expect(await entry('Email changed').innerText()).toContain('[redacted]');
    const links = visit.page.getByRole('table', { name: 'Entries' }).getByRole('link');
    expect(await links.allInnerTexts()).toEqual(['hidden', 'Open this entry']);
    await visit.leave();
  });

  test('entries of extensions and of the console are shown also', async () => {
    const target = { type: 'note', id: '77' };
    await record({ action: 'notes:remove', target, metadata: { old_title: 'a, b', title: 'a', add_flags: '' } });
    await record({ action: 'end_leaked_credential', target: { type: 'instance' }, metadata: { kind: 'bot' } });
    await arriveAsAdministrator(world, visit, `${VIEW}?admin_user_id=0`);
    await entry('notes:remove').waitFor();
    expect(await entry('notes:remove').innerText()).toMatch(/server command line\s+notes:remove\s+note 77/);
    expect(await detailsText('notes:remove')).toMatch(/Flags\s+No changes\s+title\s+− Before: a, b\s+\+ After: a/);
    expect(await entry('Leaked credential revoked').innerText()).toMatch(
      /someone who reported it\s+Leaked credential revoked\s+Platform/,
    );
    expect(await chips()).toEqual(['Actor: server command line']);
    await visit.leave();
  });

  test('filters can be removed one by one and stay after a reload', async () => {
    const { service } = world;
    const root = await superuser(service);
    const alice = await person(service, 'alice');
    const bob = await person(service, 'bob');
    for (const target of [alice, bob]) await setTraits(root, target, { 'x-request-id': 'of-two' });
    await as(root, { 'x-request-id': 'of-two' }).delete(`/v1/admin/users/${alice.id}/ban`);
    await arriveAsAdministrator(world, visit, VIEW);
    await heading(visit, 'Audit log');
    await filter({ request_id: 'of-two', target_id: await tagOf(alice), action: 'traits updated' });
    await counted(1);
    const all = { request_id: 'of-two', target_type: 'user', target_id: alice.id, action: 'set_traits' };
    expect(requested()).toEqual(all);
    const said = [
      ...['Action: Traits updated', 'Target type: Account'],
      ...[`Target: ${await tagOf(alice)}`, 'Request ID: of-two'],
    ];
    expect(await chips()).toEqual(said);
    await focusOn(visit.page, 'Filter');
    await visit.look('admin-audit-filtered');
    await visit.page.reload();
    await counted(1);
    expect([await chips(), requested()]).toEqual([said, all]);

    await button('Remove filter: Action: Traits updated').press('Enter');
    await counted(2);
    await entry('Suspension lifted').waitFor();
    expect(await chips()).toEqual(said.slice(1));
    await button(`Remove filter: Target: ${await tagOf(alice)}`).press('Enter');
    await counted(3);
    expect(requested()).toEqual({ request_id: 'of-two', target_type: 'user' });
    await visit.page.goBack();
    await counted(2);
    expect(await chips()).toEqual(said.slice(1));
    await visit.page.goForward();
    await counted(3);
    await button('Remove filter: Target type: Account').press('Enter');
    await visit.page.waitForURL(`**${VIEW}?request_id=of-two`);
    await visit.page.locator('[aria-label=Filters]:focus').waitFor();
    await button('Remove filter: Request ID: of-two').press('Enter');
    await visit.page.waitForURL(`**${VIEW}`);
    await focusOn(visit.page, 'Entries');
    await filter({ action: 'unban', ip: '127.0.0.1' });
    await button('Clear filters').press('Enter');
    await visit.page.waitForURL(`**${VIEW}`);
    await visit.leave();
  });

  test('a search by IP address, by username and by ID each finds the event', async () => {
    const { service } = world;
    const root = await superuser(service);
    const mallory = await person(service, 'mallory');
    await service
      .as(root)
      .from('127.0.9.1')
      .with({ 'x-request-id': 'the-event' })
      .put(`/v1/admin/users/${mallory.id}/traits`, { traits: [] });
    await arriveAsAdministrator(world, visit, VIEW);
    await heading(visit, 'Audit log');
    const finds = async (typed: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>) => {
      await filter(typed);
      await counted(1);
      expect(await detailsText('Traits updated')).toContain('the-event');
      expect(requested()).toEqual(wanted);
      await visit.open(VIEW);
      await button('Filter').waitFor();
    };
    const target = { target_type: 'user', target_id: mallory.id };
    await finds({ ip: '127.0.9.1' }, { ip: '127.0.9.1' });
    await finds({ target_id: 'mallory' }, target);
    await finds({ target_id: await tagOf(mallory) }, target);
    await finds({ target_id: mallory.email }, target);
    await finds({ target_id: mallory.id }, { target_id: mallory.id });
    await finds({ request_id: 'the-event' }, { request_id: 'the-event' });
    await finds({ admin_user_id: await tagOf(root) }, { admin_user_id: root.id });
    await visit.leave();
  });

  test('invalid filters stay as they were typed, with an error at each', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, VIEW);
    await superuser(world.service);
    await heading(visit, 'Audit log');
    await filter({ admin_user_id: 'nobody-at-all', target_id: 'root', ip: '300.1.1.1' });
    await page.getByText('No account found.').waitFor();
    await page.getByText('Several accounts match. Add # and the four digits.').waitFor();
    await visit.look('admin-audit-unresolved');
    await page.locator('[name=admin_user_id]').fill('');
    await page.locator('[name=target_id]').fill('');
    await page.keyboard.press('Enter');
    await page.locator('[name=ip][aria-invalid=true]').waitFor();
    expect(await page.locator('[name=ip]').inputValue()).toBe('300.1.1.1');
    expect(requested()).toEqual({});
    await type(page, 'ip', '127.0.0.1');
    await page.keyboard.press('Enter');
    await page.waitForURL('**?ip=127.0.0.1');
    await visit.leave();
  });

  test("times are shown in the browser's time zone, and requested in UTC", async () => {
    const { service } = world;
    await visit.leave();
    visit = await world.visit({ timezoneId: 'America/New_York' });
    const root = await arriveAsAdministrator(world, visit, VIEW);
    const alice = await person(service, 'alice');
    for (const name of ['first', 'second', 'third']) {
      service.clock.advance({ minutes: 3 });
      await setTraits(root, alice, { 'x-request-id': name });
    }
    const [second] = (await service.as(root).get(LOGS, { query: { request_id: 'second' } })).body.logs;
    const minute = Math.floor(Date.parse(second.created_at) / 60_000) * 60_000;
    const parts = new Intl.DateTimeFormat('sv-SE', {
      ...({ timeZone: 'America/New_York', dateStyle: 'short', timeStyle: 'short' } as const),
    });
    const local = parts.format(minute).replace(' ', 'T');
    await heading(visit, 'Audit log');
    await filter({ from: local, to: local });
    // The earlier entries disappear first.
    await entries().nth(1).waitFor({ state: 'detached' });
    await counted(1);
    expect(await detailsText('Traits updated')).toContain('second');
    const range = { from: new Date(minute).toISOString(), to: new Date(minute + 59_999).toISOString() };
    expect(requested()).toEqual(range);
    expect((await chips())[0]).toMatch(/^From: .*:\d\d [AP]M$/);
    await button('Filter').press('Enter');
    await visit.page.getByText('Times are in America/New_York.').first().waitFor();
    expect(await visit.page.locator('[name=from]').inputValue()).toBe(local);
    await visit.look('admin-audit-times');
    await visit.leave();
  });

  test('one entry opens by its URL, by keyboard, and going back keeps the filters', async () => {
    const { service } = world;
    const root = await superuser(service);
    await setTraits(root, root, { 'x-request-id': 'alone' });
    const [row] = (await service.as(root).get(LOGS, { query: { request_id: 'alone' } })).body.logs;
    await arriveAsAdministrator(world, visit, `${VIEW}?request_id=alone`);
    await (await details('Traits updated')).getByRole('link', { name: 'Open this entry' }).press('Enter');
    await visit.page.getByText(row.log_id, { exact: true }).waitFor();
    expect(requested()).toEqual({ request_id: 'alone', log_id: row.log_id });
    await focusOn(visit.page, 'Entry');
    await visit.page.getByText(row.created_at, { exact: true }).waitFor();
    await visit.look('admin-audit-one');
    await link('All entries').press('Enter');
    await counted(1);
    expect(requested()).toEqual({ request_id: 'alone' });
    await visit.open(`${VIEW}?log_id=1`);
    await visit.page.getByText('We couldn’t find this. It may have been deleted.').waitFor();
    await visit.leave();
  });

  /**
   * Inserts many entries by SQL, because the API would take too long. A spreadsheet would run one of them as a formula.
   */
  const crowd = (count: number, requestId: string, { service }: Site = world) =>
    service.sql(
      `INSERT INTO audit_log (id, admin_user_id, action, target_type, reason, request_id, created_at, metadata, sequence, hash)
       SELECT (SELECT max(id) FROM audit_log) + n, 0, 'bulk:mark', 'note',
              CASE WHEN n = 1 THEN '=1+1, "so"' || chr(10) || 'on' ELSE 'reason ' || n END, $2, now(),
              CASE WHEN n = 1 THEN '{"old_x": "1", "new_x": "2"}'::jsonb ELSE '{}'::jsonb END,
              (SELECT max(sequence) FROM audit_log) + n, sha256(n::text::bytea)
       FROM generate_series(1, $1::int) n`,
      [count, requestId],
    );
  const idsOf = async (requestId: string, { service }: Site = world): Promise<string[]> =>
    (await service.sql('SELECT id::text FROM audit_log WHERE request_id = $1 ORDER BY id DESC', [requestId])).map(
      ({ id }) => String(id),
    );
  const textOf = async (file: Download) => readFileSync(await file.path(), 'utf8');

  test('more entries are loaded by page, each once and in order', async () => {
    await crowd(120, 'by-the-page');
    await arriveAsAdministrator(world, visit, `${VIEW}?request_id=by-the-page`);
    await counted(120);
    expect(await entries().count()).toBe(50);
    await button('Show more').press('Enter');
    await entries().nth(99).waitFor();
    await crowd(1, 'came-meanwhile');
    await button('Show more').press('Enter');
    await entries().nth(119).waitFor();
    expect(await button('Show more').count()).toBe(0);
    await focusOn(visit.page, 'Entries');
    for (const turn of await entries().getByRole('button').all()) await turn.click();
    const shown = await visit.page
      .getByRole('link', { name: 'Open this entry' })
      .evaluateAll((all) => all.map((a) => (a as unknown as { href: string }).href));
    expect(shown.map((href) => new URL(href).searchParams.get('log_id'))).toEqual(await idsOf('by-the-page'));
    await visit.leave();
  });

  test('live: new entries appear at the top every five seconds while the page is visible', async () => {
    const { service } = world;
    const { page } = visit;
    await page.clock.install();
    const root = await arriveAsAdministrator(world, visit, `${VIEW}?target_type=user`);
    await setTraits(root, root, { 'x-request-id': 'earlier' });
    await heading(visit, 'Audit log');
    await page.getByRole('table', { name: 'Entries' }).waitFor();
    const answered = () => page.waitForResponse((response) => response.url().includes(`${LOGS}?`));
    const polls: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes(`${LOGS}?`)) polls.push(request.url());
    });
    const before = await entries().count();
    const first = answered();
    await page.getByLabel('Live', { exact: true }).press('Space');
    await first;
    await page.getByText(/^Updated /).waitFor();
    const opened = await entries().first().getByRole('button').getAttribute('aria-expanded');
    expect(opened).toBe('false');
    await entries().first().getByRole('button').press('Enter');
    await setTraits(root, root, { 'x-request-id': 'live-one' });
    await as(root).delete(`/v1/admin/users/${root.id}/ban`);
    const next = answered();
    await page.clock.fastForward(5000);
    await next;
    await entries()
      .nth(before + 1)
      .waitFor();
    // The opened entry stays open below the new ones.
    expect(await page.locator('tr.details').count()).toBe(1);
    expect(await entries().nth(2).getByRole('button').getAttribute('aria-expanded')).toBe('true');
    await visit.look('admin-audit-live');
    const total = async () => Number((await service.sql('SELECT count(*)::int AS count FROM audit_log'))[0]?.count);
    const recorded = await total();
    for (let turn = 0; turn < 3; turn++) {
      const poll = answered();
      await page.clock.fastForward(5000);
      await poll;
    }
    expect(await total()).toBe(recorded);
    const hide = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await hide(true);
    const count = polls.length;
    await page.clock.fastForward(20_000);
    expect(polls.length).toBe(count);
    // A page that becomes visible asks right away.
    const shown = answered();
    await hide(false);
    await shown;
    const off = page.getByLabel('Live', { exact: true });
    await off.press('Space');
    await page.getByText(/^Updated /).waitFor({ state: 'detached' });
    const after = polls.length;
    await page.clock.fastForward(20_000);
    expect(polls.length).toBe(after);
    await visit.leave();
  });

  test('filters can be saved under a name in this browser, opened and deleted, by keyboard', async () => {
    const { page } = visit;
    const root = await arriveAsAdministrator(world, visit, `${VIEW}?action=set_traits&target_type=user`);
    await heading(visit, 'Audit log');
    const saved = () => page.getByRole('list', { name: 'Saved filters' });
    await button('Save these filters').press('Enter');
    await page.keyboard.type('Traits <b>');
    await page.keyboard.press('Enter');
    await page.getByText('Filters saved').waitFor();
    await saved().getByRole('link', { name: 'Traits <b>', exact: true }).waitFor();
    await visit.look('admin-audit-saved');
    await visit.open(VIEW);
    await saved().getByRole('link').press('Enter');
    await page.waitForURL(/action=set_traits/);
    expect(requested()).toEqual({ action: 'set_traits', target_type: 'user' });
    expect(await chips()).toEqual(['Action: Traits updated', 'Target type: Account']);
    expect(await saved().getByRole('link').getAttribute('aria-current')).toBe('true');
    const stored = await page.evaluate('JSON.stringify(Object.entries(localStorage))');
    expect(String(stored)).toContain(`gatehouse.audit-filters.${root.id}`);
    await page.evaluate(`localStorage.setItem('gatehouse.audit-filters.${root.id}', '[{"name": 1}, null]')`);
    await page.reload();
    await heading(visit, 'Audit log');
    await button('Save these filters').waitFor();
    expect(await saved().count()).toBe(0);
    await button('Save these filters').press('Enter');
    await page.keyboard.type('again');
    await page.keyboard.press('Enter');
    await button('Delete saved filter: again').press('Enter');
    await saved().waitFor({ state: 'detached' });
    expect(requested()).toEqual({ action: 'set_traits', target_type: 'user' });
    await visit.leave();
  });

  test('the export has every matching entry, in order, and nothing else', async () => {
    await crowd(450, 'exported');
    await crowd(3, 'of-others');
    const ids = await idsOf('exported');
    const root = await arriveAsAdministrator(world, visit, `${VIEW}?request_id=exported`);
    await counted(450);
    const lines = visit.page.waitForEvent('download');
    await button('Export JSON Lines').press('Enter');
    const saved = await lines;
    expect(saved.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.jsonl$/);
    const reported = (await textOf(saved))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(reported.map(({ log_id }) => log_id)).toEqual(ids);
    const { body } = await world.service.as(root).get(`${LOGS}/${ids.at(-1)}`);
    expect(reported.at(-1)).toEqual(body);
    await visit.page.getByText('450 entries exported').waitFor();

    const table = visit.page.waitForEvent('download');
    await button('Export CSV').press('Enter');
    const csv = await textOf(await table);
    const rows = csv.split('\r\n');
    expect(rows[0]).toMatch(/^log_id,created_at,action,admin_user_id,/);
    expect(rows.at(-1)).toBe('');
    expect(rows.slice(1, -1).map((row) => row.split(',')[0])).toEqual(ids);
    expect(rows.at(-2)).toContain(`,"'=1+1, ""so""\non",`);
    expect(rows.at(-2)).toMatch(/,"\{""new_x"":""2"",""old_x"":""1""\}"$/);
    await visit.leave();
  });

  describe('an export that is rate-limited', () => {
    let limited: Site | undefined;
    afterEach(() => limited?.close());

    const WAITS = /^Rate limited\. Continuing in \d+ (?:second|minute)s?…$/;
    /** Opens the log of a service with a rate limit for the log. Opening it counts as one request. */
    const openLimited = async (bucket: string, count: number): Promise<Site> => {
      await visit.leave();
      const env = { RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: JSON.stringify({ 'admin:audit_log': bucket }) };
      limited = await site({ env });
      visit = await limited.visit();
      const root = await superuser(limited.service);
      await setTraits(root, root, {}, limited);
      await crowd(count, 'patiently', limited);
      await visit.arrive(`${VIEW}?request_id=patiently`, root.authorization);
      await counted(count);
      return limited;
    };

    test('shows that it waits, and can be canceled', async () => {
      await openLimited('2/240', 450);
      const { page } = visit;
      let files = 0;
      page.on('download', () => files++);
      await button('Export CSV').press('Enter');
      await page.getByText(WAITS).waitFor();
      await page.getByText('200 of 450', { exact: true }).waitFor();
      expect(await button('Export CSV').getAttribute('aria-disabled')).toBe('true');
      await visit.look('admin-audit-waits');
      await button('Cancel').press('Enter');
      await page.getByText(WAITS).waitFor({ state: 'detached' });
      await page.locator('[aria-label=Export]:focus').waitFor();
      expect(await button('Export CSV').getAttribute('aria-disabled')).toBeNull();
      expect(files).toBe(0);
      await visit.leave();
    });

    test('continues automatically, and misses nothing', async () => {
      const where = await openLimited('1/2', 850);
      const file = visit.page.waitForEvent('download');
      await button('Export CSV').press('Enter');
      await visit.page.getByText(WAITS).waitFor();
      const rows = (await textOf(await file)).split('\r\n');
      expect(rows.slice(1, -1).map((row) => row.split(',')[0])).toEqual(await idsOf('patiently', where));
      await visit.leave();
    });
  });

  test('without the ACL there is no log; without the ACL for accounts, no user is found by name', async () => {
    const { service } = world;
    const clerk = await administrator(service, 'user:lookup');
    expectApiError(await service.as(clerk).get(LOGS), 'MISSING_ACL');
    expectApiError(await service.as(clerk).get(`${LOGS}/1`), 'MISSING_ACL');
    await visit.arrive(VIEW, clerk.authorization);
    await visit.page.getByText('This page doesn’t exist, or you don’t have access to it.').waitFor();
    expect(await visit.page.getByRole('navigation').getByText('Audit log').count()).toBe(0);
    await visit.leave();

    visit = await world.visit();
    const reader = await arriveAsAdministrator(world, visit, VIEW, 'audit_log:view');
    await heading(visit, 'Audit log');
    await filter({ admin_user_id: 'root' });
    await visit.page.locator('[name=admin_user_id][aria-invalid=true]').waitFor();
    expect(await visit.page.getByText('ID. 0 is the server command line.').count()).toBe(1);
    expect(await visit.page.getByText('With your permissions, only bans are found.').count()).toBe(1);
    expectApiError(await service.as(reader).get('/v1/admin/users', { query: { username: 'root' } }), 'MISSING_ACL');
    await visit.leave();
  });
});
