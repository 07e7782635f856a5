import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  administrator,
  adminKey,
  auditOf,
  expectApiError,
  newApp,
  type Persona,
  person,
  signIn,
  superuser,
  withoutAudit,
} from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { focusOn } from './driving.js';

const pathOf = (id: string): string => `/admin/person?id=${id}`;

describeInBrowser('web.md 4: a user', () => {
  let world: Site;
  let root: Persona;
  let alice: Persona;
  let visit: Visit;
  let count = 0;
  beforeAll(async () => {
    world = await site();
    root = await superuser(world.service);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await person(world.service, `alice${++count}`);
    visit = await world.visit();
  });

  const open = (id = alice.id) => visit.arrive(pathOf(id), root.authorization);
  const section = (name: string) => visit.page.getByRole('region', { name, exact: true });
  const who = (name = alice.username) => section(name);
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const link = (name: string) => visit.page.getByRole('main').getByRole('link', { name, exact: true });
  /** The items of a list, without the items of nested lists. */
  const items = (name: string) => visit.page.getByRole('list', { name, exact: true }).locator(':scope > li');
  const says = (text: string) => visit.page.getByRole('main').getByText(text, { exact: false }).first().waitFor();
  const tab = (name: string) => visit.page.getByRole('tab', { name, exact: true });
  const tabs = () => visit.page.getByRole('tab').allInnerTexts();
  const openTab = (name: string) => tab(name).press('Enter');
  const asRoot = (reason = '') => world.service.as(root).with(reason ? { 'x-audit-log-reason': reason } : {});
  const readingsOf = async (id: string) =>
    (await auditOf(world.service)).filter((entry) => entry.target_id === id && entry.action.startsWith('list_'));
  const change = (values: string) => world.service.sql(`UPDATE account SET ${values} WHERE id = $1`, [alice.id]);
  /** Follows a link within the console and goes back. */
  const leadsTo = async (name: string, address: string) => {
    await link(name).first().press('Enter');
    await visit.page.waitForURL(`**${address}`);
    await visit.page.goBack();
    await link(name).first().waitFor();
  };

  test('an action on a user appears on their page after a refresh, with administrator and reason', async () => {
    await change(`email_verified = true, email_bounced = true, bio = 'Likes <b>tea</b>', pronouns = 'they'`);
    await open();
    await who().getByText('Active', { exact: true }).waitFor();
    await says('Likes <b>tea</b>');
    await section('Contact').getByText(alice.email).waitFor();
    await section('Contact').getByText('Bouncing').waitFor();
    await who().getByText('Email bouncing').waitFor();
    await visit.look('admin-person');
    await openTab('Activity');
    await section('Account history').getByText('No history yet').waitFor();
    await openTab('Devices');
    await button('Show sessions').press('Enter');
    await items('Sessions').getByText('Active', { exact: true }).waitFor();
    await asRoot('spam in every room').put(`/v1/admin/users/${alice.id}/ban`, { duration_hours: 24 }).expect(200);
    await button('Refresh').press('Enter');
    await who().getByText('Suspended until').waitFor();
    await items('Sessions').getByText('ended', { exact: false }).waitFor();
    expect(await items('Sessions').getByText('Active', { exact: true }).count()).toBe(0);
    const history = visit.page.waitForRequest((request) => request.url().includes(`target_id=${alice.id}`));
    await openTab('Activity');
    const isAction = ({ action }: { readonly action: string }) => action !== 'list_user_sessions';
    const response = await (await history).response();
    expect((await response?.json())?.logs.filter(isAction)).toMatchObject([
      {
        ...{ action: 'temp_ban', audit_log_reason: 'spam in every room', admin_user_id: root.id, target_id: alice.id },
        metadata: { duration_hours: '24' },
      },
    ]);
    // The ban, and both requests for the sessions.
    await items('Account history').nth(2).waitFor();
    await section('Account history')
      .getByRole('link', { name: /^root#/ })
      .last()
      .waitFor();
    await visit.look('admin-person-banned');
    await openTab('Data');
    expect(await section('Flags and traits').innerText()).toContain('38 DISABLED');
    await visit.look('admin-person-data');
    await visit.leave();
  });

  test('sessions and networks are loaded on request, by keyboard, and each view is audited', async () => {
    await signIn(world.service, alice);
    await open();
    await openTab('Devices');
    await button('Show sessions').waitFor();
    expect(await readingsOf(alice.id)).toEqual([]);
    await section('Sessions').getByText('Viewing this is recorded in the audit log', { exact: false }).waitFor();
    await button('Show sessions').press('Enter');
    await items('Sessions').nth(1).waitFor();
    await focusOn(visit.page, 'Sessions');
    expect(await items('Sessions').count()).toBe(2);
    const [{ hash }] = (await world.service.sql(
      `SELECT translate(encode(digest, 'base64'), '+/=', '-_') AS hash FROM session WHERE account_id = $1`,
      [alice.id],
    )) as [{ hash: string }];
    await items('Sessions').getByText(hash).waitFor();
    await items('Sessions').first().getByText('127.0.0.1', { exact: true }).first().waitFor();
    await button('Show networks').press('Enter');
    await items('Trusted networks').getByText('127.0.0.1', { exact: true }).first().waitFor();
    expect((await readingsOf(alice.id)).map(({ action, admin_user_id: by }) => [action, by])).toEqual([
      ['list_user_sessions', root.id],
      ['list_user_networks', root.id],
    ]);
    await visit.look('admin-person-sessions');
    // Other tabs load nothing again, which would add entries.
    for (const name of ['Security', 'Devices']) await openTab(name);
    await items('Sessions').nth(1).waitFor();
    await items('Trusted networks').first().waitFor();
    expect(await readingsOf(alice.id)).toHaveLength(2);
    await openTab('Activity');
    await items('Account history').nth(1).waitFor();
    await visit.leave();
  });

  test('of many sessions a few are shown, active ones first, and more with the button', async () => {
    await world.service.sql(
      `INSERT INTO session (id, digest, account_id, ip, user_agent, revoked_at)
       SELECT n, sha256(('many' || n)::bytea), $1, '127.0.0.1', '', CASE WHEN n > 30 THEN now() END
       FROM generate_series(1, 44) n`,
      [alice.id],
    );
    await visit.arrive(`${pathOf(alice.id)}&tab=devices`, root.authorization);
    await button('Show sessions').press('Enter');
    await items('Sessions').nth(19).waitFor();
    expect(await items('Sessions').count()).toBe(20);
    await button('Show more').press('Enter');
    await items('Sessions').nth(39).waitFor();
    await visit.page.locator('[aria-labelledby=person-sessions] > :nth-child(21):focus').waitFor();
    expect(await items('Sessions').nth(30).innerText()).toContain('Active');
    expect(await items('Sessions').nth(31).innerText()).toContain('Ended');
    await button('Show more').press('Enter');
    await items('Sessions').nth(44).waitFor();
    expect([await items('Sessions').count(), await button('Show more').count()]).toEqual([45, 0]);
    await visit.leave();
  });

  test('every state is shown next to the name, and says how the account can be used again', async () => {
    const states: readonly (readonly [values: string, state: string, sentence?: string])[] = [
      ['banned = true', 'Suspended permanently'],
      ['flags = 1::bigint << 38', 'Deactivated', 'Signing in reactivates it.'],
      ['flags = 1::bigint << 35', 'Locked for suspicious activity', 'Unlocked by a password reset.'],
      [`traits = '{registration_pending_approval}'`, 'Awaiting approval'],
      [`traits = '{registration_rejected}'`, 'Sign-up rejected'],
      [`traits = '{registration_pending_verification}'`, 'Awaiting email verification'],
      [`traits = '{locked_down}'`, 'Locked by the owner', 'needs a password reset'],
      [
        `flags = 1::bigint << 36, deletion_at = '2030-01-02T12:00:00Z', deletion_reason_code = 1`,
        'Deletion on January 2, 2030',
        'Signing in before then cancels it.',
      ],
    ];
    await open();
    await who().getByText('Email not verified', { exact: true }).waitFor();
    for (const [values, state, sentence] of states) {
      await change(`banned = false, flags = 0, traits = '{}', deletion_at = NULL`);
      await change(values);
      await button('Refresh').press('Enter');
      await who().getByText(state, { exact: true }).waitFor();
      if (sentence) await says(sentence);
      expect(await who().getByText('Active', { exact: true }).count()).toBe(0);
    }
    await says('Requested by the user');
    await change(`flags = 0, deletion_at = NULL, email_verified = true`);
    await button('Refresh').press('Enter');
    await who().getByText('Active', { exact: true }).waitFor();
    expect(await who().getByText('Email not verified').count()).toBe(0);
    expect(await visit.page.getByText('Deletion reason').count()).toBe(0);
    await visit.leave();
  });

  test('the tabs work by arrow keys, the URL contains the current one, and the back button returns', async () => {
    const { page } = visit;
    await visit.arrive(`${pathOf(alice.id)}&tab=activity`, root.authorization);
    await section('Account history').waitFor();
    expect(await tab('Activity').getAttribute('aria-selected')).toBe('true');
    expect(await tabs()).toEqual(['Overview', 'Security', 'Devices', 'Apps', 'Activity', 'Data']);
    expect(await page.title()).toMatch(new RegExp(`^${alice.username} · `));
    await page.getByRole('heading', { level: 1, name: alice.username, exact: true }).waitFor();
    await tab('Activity').press('ArrowRight');
    await focusOn(page, 'Data');
    await page.waitForURL(`**${pathOf(alice.id)}&tab=data`);
    await tab('Data').press('ArrowRight');
    await focusOn(page, 'Overview');
    await page.waitForURL(`**${pathOf(alice.id)}`);
    await tab('Overview').press('End');
    await focusOn(page, 'Data');
    await tab('Data').press('Home');
    await focusOn(page, 'Overview');
    await page.goBack();
    await section('Flags and traits').waitFor();
    expect(await tab('Data').getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Tab');
    await visit.open(`/admin/people/${alice.id}`);
    await section('Details').waitFor();
    await tab('Overview').press('ArrowRight');
    await page.waitForURL(`**/admin/people/${alice.id}?tab=security`);
    await section('Signing in').waitFor();
    await visit.open(`${pathOf(alice.id)}&tab=constructor`);
    await section('Details').waitFor();
    await visit.leave();
  });

  test('the ID and the email address can be copied', async () => {
    await visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open();
    for (const [name, text] of [
      ['Copy ID', alice.id],
      ['Copy email', alice.email],
    ] as const) {
      await button(name).press('Enter');
      await visit.page.getByText('Copied', { exact: true }).first().waitFor();
      expect(await visit.page.evaluate('navigator.clipboard.readText()')).toBe(text);
    }
    await visit.leave();
  });

  test('repeated confirmations are one with a count', async () => {
    await visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open();
    await button('Copy ID').waitFor();
    const buttons = '[aria-label="Copy ID"], [aria-label="Copy email"]';
    await visit.page.evaluate(`for (const button of document.querySelectorAll('${buttons}')) button.click()`);
    const toasts = visit.page.locator('.toast');
    await toasts.getByText('× 2', { exact: true }).waitFor();
    expect(await toasts.count()).toBe(1);
    await visit.leave();
  });

  test('a scheduled deletion is shown first; after completion only the ID is left', async () => {
    const body = { reason_code: 3, public_reason: 'Sold <b>spam</b>' };
    await asRoot().put(`/v1/admin/users/${alice.id}/deletion`, body).expect(200);
    await open();
    await says('Signing in won’t cancel it.');
    await says('Abuse');
    await says('Sold <b>spam</b>');
    await visit.look('admin-person-deletion');
    await change(`username = 'DeletedUser', discriminator = 0, email = NULL, deleted_at = now(), deletion_at = now()`);
    await button('Refresh').press('Enter');
    const left = section('DeletedUser');
    await left.getByText('Deleted', { exact: true }).waitFor();
    await says('Deleted. Only the ID remains.');
    await left.getByText(alice.id).waitFor();
    expect(await visit.page.getByText('Deletion reason').count()).toBe(0);
    await visit.leave();
  });

  test('flags, requirements, traits and permissions have texts, and unknown ones show their names', async () => {
    await change(`flags = 1 | (1::bigint << 47) | (1::bigint << 5), suspicious_flags = 130,
      traits = '{captcha_exempt,of_a_team}', acls = '{ban:ip:check}', has_verified_phone = true`);
    await open();
    const marks = async (name: string) => {
      await section(name).getByRole('listitem').first().waitFor();
      return section(name).getByRole('listitem').allInnerTexts();
    };
    await openTab('Data');
    expect(await marks('Flags and traits')).toEqual([
      ...['Staff 0 STAFF', '5', 'No rate limit 47 RATE_LIMIT_BYPASS'],
      ...['Skips CAPTCHA captcha_exempt', 'of_a_team'],
    ]);
    await openTab('Security');
    expect(await marks('Permissions and requirements')).toEqual([
      'Verify email again 1 REQUIRE_REVERIFIED_EMAIL',
      'Verify email or phone again 7 REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE',
      expect.stringMatching(/^.+ ban:ip:check$/),
    ]);
    expect(await section('Signing in').innerText()).toMatch(/Authenticator app\s+No/);
    await visit.look('admin-person-security');
    await openTab('Overview');
    expect(await section('Contact').innerText()).toMatch(/Verified phone\s+Yes/);
    await visit.leave();
  });

  test("a user's objects and actions are listed, and everything is linked", async () => {
    const admin = await administrator(world.service, 'admin_api_key:manage', 'user:lookup', 'user:list:sessions');
    await change(`last_active_ip = '127.0.0.9', last_active_at = now()`);
    const app = await newApp(world.service, alice, { name: 'Night <b>builds</b>' });
    await world.service.as(admin).get(`/v1/admin/users/${alice.id}/sessions`).expect(200);
    await open();
    await leadsTo('Audit log 127.0.0.9', '/admin/audit?ip=127.0.0.9');
    await leadsTo('Bans 127.0.0.9', '/admin/bans?ip=127.0.0.9');
    await openTab('Apps');
    await leadsTo('Night <b>builds</b>', `/admin/applications?id=${app.id}`);
    await openTab('Activity');
    const about = 'View account history in the audit log';
    await leadsTo(about, `/admin/audit?target_type=user&target_id=${alice.id}`);
    await adminKey(world.service, admin);
    await section('Account history')
      .getByRole('link', { name: /^admin#/ })
      .first()
      .press('Enter');
    await who('admin').waitFor();
    await openTab('Activity');
    await items('Admin actions by this account').nth(1).waitFor();
    await items('API keys').first().waitFor();
    expect(await items('API keys').count()).toBe(1);
    await visit.look('admin-person-administrator');
    const keys = link('View API key history in the audit log');
    expect(await keys.getAttribute('href')).toBe(`/admin/audit?admin_user_id=${admin.id}&target_type=admin_api_key`);
    const did = link('View admin actions in the audit log');
    expect(await did.getAttribute('href')).toBe(`/admin/audit?admin_user_id=${admin.id}`);
    await visit.leave();
  });

  test("the administrator's own page links to their keys; a bot links to its application", async () => {
    await open(root.id);
    await who('root').getByText('You', { exact: true }).waitFor();
    await openTab('Activity');
    expect(await link('API keys').getAttribute('href')).toBe('/admin/keys');
    const app = await newApp(world.service, alice, { name: 'Builder' });
    await visit.open(pathOf(app.id));
    await visit.page.getByText('Bot', { exact: true }).waitFor();
    expect(await tabs()).toEqual(['Overview', 'Security', 'Apps', 'Activity', 'Data']);
    await openTab('Activity');
    await section('Account history').waitFor();
    expect(await section('API keys').count()).toBe(0);
    await openTab('Apps');
    expect(await link('This bot’s app').getAttribute('href')).toBe(`/admin/applications?id=${app.id}`);
    await visit.leave();
  });

  test('data that the administrator may not see is absent, and a direct request is rejected', async () => {
    await change(`last_active_ip = '127.0.0.9', last_active_at = now(), email_verified = true`);
    const admin = await arriveAsAdministrator(world, visit, pathOf(alice.id), 'user:lookup');
    await who().getByText('Active', { exact: true }).waitFor();
    await section('Contact').getByText('Hidden. Requires user:view:email.').waitFor();
    await says('Hidden. Requires user:view:ip.');
    const text = await visit.page.getByRole('main').innerText();
    for (const secret of [alice.email, '127.0.0.9']) expect(text).not.toContain(secret);
    expect(await visit.page.getByText('Verified', { exact: true }).count()).toBe(0);
    expect(await tabs()).toEqual(['Overview', 'Security', 'Data']);
    await visit.look('admin-person-little');
    for (const path of ['sessions', 'networks', 'applications']) {
      const ask = () => world.service.as(admin).get(`/v1/admin/users/${alice.id}/${path}`);
      expectApiError(await withoutAudit(world.service, ask), 'MISSING_ACL');
    }
    expectApiError(await world.service.as(admin).get(`/v1/admin/audit-logs?target_id=${alice.id}`), 'MISSING_ACL');
    await visit.leave();
  });

  test('sessions without IP addresses, and applications without links, for an administrator with fewer ACLs', async () => {
    await newApp(world.service, alice, { name: 'Builder' });
    const acls = ['user:lookup', 'user:list:sessions', 'application:list:by_owner'];
    await arriveAsAdministrator(world, visit, pathOf(alice.id), ...acls);
    await openTab('Apps');
    await items('Apps').getByText('Builder').waitFor();
    expect(await items('Apps').getByRole('link').count()).toBe(0);
    await openTab('Devices');
    await button('Show sessions').press('Enter');
    await items('Sessions').getByText('Hidden. Requires user:view:ip.').waitFor();
    expect(await visit.page.getByText('127.0.0.1').count()).toBe(0);
    expect(await section('Trusted networks').count()).toBe(0);
    await visit.leave();
  });

  test('an unknown ID and an invalid one are reported', async () => {
    await open('999999999999999999');
    await visit.page.getByText('No account with ID 999999999999999999').waitFor();
    await visit.look('admin-person-unknown');
    for (const id of ['<b>', '@me', '007', '9999999999999999999']) {
      await visit.open(pathOf(encodeURIComponent(id)));
      await visit.page.getByText(`No account with ID ${id}`).waitFor();
    }
    await visit.open('/admin/person');
    await visit.page.getByText('No account selected.', { exact: false }).waitFor();
    await link('All people').press('Enter');
    await visit.page.waitForURL('**/admin/people');
    await visit.leave();
  });
});
