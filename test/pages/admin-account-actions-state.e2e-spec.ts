import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  expectApiError,
  logIn,
  mailTo,
  type Persona,
  sessionsOf,
  superuser,
  verifiedPerson,
} from '../support/index.js';
import { AccountActions, accountPath, REASON } from './account-actions.js';
import { focusOn, tabTo } from './driving.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DISABLED_FOR_SUSPICION = 1n << 35n;

describeInBrowser('web.md 4: actions on the state of an account', () => {
  let world: Site;
  let visit: Visit;
  let actions: AccountActions;
  let root: Persona;
  let alice: Persona;
  let count = 0;
  beforeAll(async () => {
    world = await site();
    root = await superuser(world.service);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await verifiedPerson(world.service, `alice${++count}`);
    visit = await world.visit();
    actions = new AccountActions(world, visit);
  });

  const arrive = () => visit.arrive(accountPath(alice), root.authorization);
  const user = async () => (await world.service.as(root).get(`/v1/admin/users/${alice.id}`)).body.users[0];
  const ask = (what: string) =>
    world.service.as(root).put(`/v1/admin/users/${alice.id}/${what}`, BODIES[what]).expect(200);
  const BODIES: Record<string, object> = {
    ban: { duration_hours: 0, reason: 'spam' },
    'suspicious-activity-disablement': { flags: 5 },
    deletion: { reason_code: 5, public_reason: 'A court said so' },
  };
  const field = (label: string) => actions.dialog.getByLabel(label, { exact: true });
  const expectEntry = (action: string, metadata?: object) => actions.expectEntry(root, alice, action, metadata);
  const at = async (name: string) => Date.parse((await user())[name]);
  const signInAnswer = () => logIn(world.service, alice);

  test('a ban only by Tab and Enter: it describes the effect and requires a reason', async () => {
    const { page } = visit;
    await arrive();
    await actions.menu.waitFor();
    await page.getByRole('heading', { level: 1 }).focus();
    await tabTo(visit, 'Actions');
    await page.keyboard.press('ArrowDown');
    await focusOn(page, 'Change email');
    await visit.look('admin-account-actions');
    await page.keyboard.press('ArrowUp');
    await focusOn(page, 'Schedule deletion');
    await page.keyboard.press('Escape');
    await focusOn(page, 'Actions');
    await page.keyboard.press('ArrowUp');
    await focusOn(page, 'Schedule deletion');
    await page.keyboard.press('Home');
    await focusOn(page, 'Change email');
    // Each S goes to the next item that starts with it.
    for (const name of ['Send password reset email', 'Sign out everywhere', 'Suspend']) {
      await page.keyboard.press('s');
      await focusOn(page, name);
    }
    await page.keyboard.press('Enter');
    await actions.dialog.getByText(/^alice\d+#\d{4} is signed out everywhere, can’t sign in/).waitFor();
    await visit.look('admin-account-actions-ban');
    await tabTo(visit, 'reason');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate('document.activeElement.value')).toBe('day');
    await tabTo(visit, 'Suspend');
    await page.keyboard.press('Enter');
    // Without a reason, the browser does not submit the form and focuses the field.
    await page.locator('textarea[name=reason]:focus').waitFor();
    expect((await user()).banned).toBe(false);
    await page.keyboard.insertText(REASON);
    await tabTo(visit, 'Suspend');
    await page.keyboard.press('Enter');
    await actions.waitForDone('Account suspended');
    await actions.head.getByText(/^Suspended until /).waitFor();
    const until = await at('temp_banned_until');
    expect(Math.abs(until - Date.now() - DAY_MS)).toBeLessThan(HOUR_MS);
    const banned_until = new Date(until).toISOString();
    await expectEntry('temp_ban', { duration_hours: '24', reason: '', banned_until });
    expect(await sessionsOf(world.service, alice)).toBe(0);
    expectApiError(await signInAnswer(), 'ACCOUNT_SUSPENDED_TEMPORARILY');
    await focusOn(page, 'Actions');
    expect(await actions.offered()).toContain('Change suspension');
    await visit.leave();
  });

  test('a pending registration is rejected, and approved later', async () => {
    const { service } = world;
    const allow = (mode: string) =>
      service.as(root).patch('/v1/admin/instance/config', { registration: { mode } }).expect(200);
    await allow('approval');
    const [email, password] = [`waiting${count}@example.com`, 'a long enough password'];
    await service.anonymous.post('/v1/auth/register', { email, password, consent: true });
    await allow('open');
    const { body } = await service.as(root).get('/v1/admin/users', { query: { email } });
    alice = { ...alice, ...body.users[0], email, password };
    await arrive();
    await actions.head.getByText('Awaiting approval').waitFor();
    await actions.run('Reject sign-up', 'Account rejected');
    await actions.head.getByText('Sign-up rejected', { exact: true }).waitFor();
    await expectEntry('reject_registration');
    expect((await user()).traits).toEqual(['registration_rejected']);
    expect(await actions.offered()).not.toContain('Reject sign-up');
    await actions.run('Approve sign-up', 'Account approved');
    await expectEntry('approve_registration');
    expect((await user()).traits).toEqual([]);
    expect(await actions.offered()).not.toContain('Approve sign-up');
    expect((await signInAnswer()).status).toBe(200);
    await visit.leave();
  });

  test.each([
    ['1 hour', 1],
    ['7 days', 168],
    ['30 days', 720],
    ['Permanent', 0],
  ])('a ban for %s', async (words, hours) => {
    await arrive();
    await actions.openDialog('Suspend');
    await field('Duration').selectOption({ label: words });
    await actions.enterReason();
    await actions.submit('Suspend');
    await actions.waitForDone('Account suspended');
    const { banned, temp_banned_until: until } = await user();
    expect(banned).toBe(true);
    if (hours === 0) expect(until).toBeNull();
    else expect(Math.abs(Date.parse(until) - Date.now() - hours * HOUR_MS)).toBeLessThan(HOUR_MS / 2);
    await visit.leave();
  });

  test('custom hours: invalid values are rejected, and the input stays; a ban replaces another', async () => {
    await ask('ban');
    await arrive();
    await actions.head.getByText('Suspended permanently', { exact: true }).waitFor();
    await actions.openDialog('Change suspension');
    await field('Duration').selectOption({ label: 'Custom' });
    await actions.enterReason();
    await field('Message to the user').fill('Advertising');
    for (const wrong of ['0', '8761', 'a day']) {
      await field('Hours').fill(wrong);
      await actions.submit('Change suspension');
      await actions.dialog.getByRole('alert').waitFor();
      expect(await field('Hours').inputValue()).toBe(wrong);
      expect(await field('Message to the user').inputValue()).toBe('Advertising');
      expect(await field('Reason').inputValue()).toBe(REASON);
      expect((await user()).temp_banned_until).toBeNull();
    }
    await visit.look('admin-account-actions-ban-refused');
    await field('Hours').fill('5');
    await actions.submit('Change suspension');
    await actions.waitForDone('Account suspended');
    const until = await at('temp_banned_until');
    expect(Math.abs(until - Date.now() - 5 * HOUR_MS)).toBeLessThan(HOUR_MS / 2);
    const banned_until = new Date(until).toISOString();
    await expectEntry('temp_ban', { duration_hours: '5', reason: 'Advertising', banned_until });
    await visit.leave();
  });

  test('a ban is lifted, only if there is one', async () => {
    await ask('ban');
    await arrive();
    await actions.run('Lift suspension', 'Suspension lifted');
    await actions.head.getByText('Active', { exact: true }).waitFor();
    await focusOn(visit.page, 'Actions');
    expect(await actions.offered()).not.toContain('Lift suspension');
    expect((await user()).banned).toBe(false);
    expect((await signInAnswer()).status).toBe(200);
    await expectEntry('unban');
    await visit.leave();
  });

  test('an account is disabled for suspicious activity, with requirements, and enabled again', async () => {
    await arrive();
    await actions.openDialog('Lock account');
    await field('Verify email').press('Space');
    await field('Verify phone').press('Space');
    await actions.enterReason();
    await visit.look('admin-account-actions-disable');
    await actions.submit('Lock account');
    await actions.waitForDone('Account locked');
    const disabled = await user();
    expect(BigInt(disabled.flags) & DISABLED_FOR_SUSPICION).toBe(DISABLED_FOR_SUSPICION);
    expect(disabled.suspicious_activity_flags).toBe(5);
    await expectEntry('disable_suspicious_activity', { flags: '5' });
    expect(await sessionsOf(world.service, alice)).toBe(0);
    const [row] = await world.service.sql('SELECT password_hash FROM account WHERE id = $1', [alice.id]);
    expect(row?.password_hash).toBeNull();
    expect(await actions.offered()).not.toContain('Lock account');
    await actions.run('Unlock account', 'Account unlocked');
    expect(await actions.offered()).toContain('Lock account');
    expect((await user()).flags).toBe('0');
    await expectEntry('enable_suspicious_activity');
    await visit.leave();
  });

  test('all sessions are ended', async () => {
    await arrive();
    await actions.run('Sign out everywhere', 'Signed out everywhere');
    expect(await sessionsOf(world.service, alice)).toBe(0);
    await expectEntry('terminate_sessions', { count: '1' });
    await visit.leave();
  });

  test('a deletion is scheduled with its reason, changed and canceled', async () => {
    await arrive();
    await actions.openDialog('Schedule deletion');
    await actions.dialog.getByText('14 to 365 days for this reason', { exact: false }).waitFor();
    await field('Category').selectOption({ label: 'Abuse' });
    await actions.dialog.getByText('60 to 365 days for this reason', { exact: false }).waitFor();
    await field('Waiting period (days)').fill('a week');
    await field('Message to the user').fill('規約違反');
    await actions.enterReason();
    await actions.submit('Schedule deletion');
    await actions.dialog.getByRole('alert').waitFor();
    expect(await field('Waiting period (days)').inputValue()).toBe('a week');
    expect(await field('Message to the user').inputValue()).toBe('規約違反');
    await visit.look('admin-account-actions-deletion-refused');
    await field('Waiting period (days)').fill('90');
    await actions.submit('Schedule deletion');
    await actions.waitForDone('Deletion scheduled');
    expect(await user()).toMatchObject({ deletion_reason_code: 3, deletion_public_reason: '規約違反' });
    expect(Math.abs((await at('pending_deletion_at')) - Date.now() - 90 * DAY_MS)).toBeLessThan(DAY_MS);
    await expectEntry('schedule_deletion', { days: '90', reason_code: '3' });
    expect(await sessionsOf(world.service, alice)).toBe(0);
    await mailTo(world.service, alice.email, 'account_deletion_scheduled');
    await actions.head.getByText(/^Deletion on /).waitFor();
    await actions.main.getByText('Abuse', { exact: true }).waitFor();
    await actions.main.getByText('規約違反', { exact: true }).waitFor();
    expect(await actions.offered()).not.toContain('Send password reset email');
    await visit.look('admin-account-actions-leaving');

    await actions.openDialog('Change deletion');
    await field('Category').selectOption({ label: 'Requested by the user' });
    await field('Waiting period (days)').fill('14');
    await actions.enterReason();
    await actions.submit('Change deletion');
    await actions.waitForDone('Deletion scheduled');
    await expectEntry('schedule_deletion', { days: '14', reason_code: '1' });

    await actions.run('Cancel deletion', 'Deletion canceled');
    await actions.head.getByText(/^Deletion on /).waitFor({ state: 'detached' });
    expect(await user()).toMatchObject({ pending_deletion_at: null, deletion_reason_code: null, flags: '0' });
    await expectEntry('cancel_deletion');
    expect((await signInAnswer()).status).toBe(200);
    await visit.leave();
  });
});
