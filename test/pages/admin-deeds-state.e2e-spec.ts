import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { expectApiError, logIn, mailTo, type Persona, sessionsOf, superuser, verified } from '../support/index.js';
import { Deeds, pageOf, REASON } from './deeds.js';
import { focusOn, tabTo } from './driving.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DISABLED_FOR_SUSPICION = 1n << 35n;

describeInBrowser('web.md 4: what is done to the state of an account', () => {
  let world: Site;
  let visit: Visit;
  let deeds: Deeds;
  let root: Persona;
  let alice: Persona;
  let count = 0;
  beforeAll(async () => {
    world = await site();
    root = await superuser(world.service);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await verified(world.service, `alice${++count}`);
    visit = await world.visit();
    deeds = new Deeds(world, visit);
  });

  const arrive = () => visit.arrive(pageOf(alice), root.authorization);
  const user = async () => (await world.service.as(root).get(`/v1/admin/users/${alice.id}`)).body.users[0];
  const ask = (what: string) =>
    world.service.as(root).put(`/v1/admin/users/${alice.id}/${what}`, BODIES[what]).expect(200);
  const BODIES: Record<string, object> = {
    ban: { duration_hours: 0, reason: 'spam' },
    'suspicious-activity-disablement': { flags: 5 },
    deletion: { reason_code: 5, public_reason: 'A court said so' },
  };
  const field = (label: string) => deeds.dialog.getByLabel(label, { exact: true });
  const expectEntry = (action: string, metadata?: object) => deeds.expectEntry(root, alice, action, metadata);
  const at = async (name: string) => Date.parse((await user())[name]);
  const signInAnswer = () => logIn(world.service, alice);

  test('a ban by Tab and Enter alone: it says what will happen to whom, and wants a reason', async () => {
    const { page } = visit;
    await arrive();
    await deeds.button('Suspend').waitFor();
    await visit.look('admin-deeds');
    await page.getByRole('heading', { name: 'Access' }).locator('..').focus();
    await tabTo(visit, 'Suspend');
    await page.keyboard.press('Enter');
    await deeds.dialog.getByText(/^alice\d+#\d{4} is signed out everywhere, can’t sign in/).waitFor();
    await visit.look('admin-deeds-ban');
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
    await deeds.isDone('Account suspended');
    await deeds.section.getByText(/^Suspended until /).waitFor();
    const until = await at('temp_banned_until');
    expect(Math.abs(until - Date.now() - DAY_MS)).toBeLessThan(HOUR_MS);
    const banned_until = new Date(until).toISOString();
    await expectEntry('temp_ban', { duration_hours: '24', reason: '', banned_until });
    expect(await sessionsOf(world.service, alice)).toBe(0);
    expectApiError(await signInAnswer(), 'ACCOUNT_SUSPENDED_TEMPORARILY');
    await focusOn(page, 'Change suspension');
    await visit.leave();
  });

  test('a registration that waits is rejected, and approved all the same', async () => {
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
    await deeds.section.getByText('Awaiting approval').waitFor();
    await deeds.do('Reject', 'Account rejected');
    await deeds.section.getByText('Rejected', { exact: true }).waitFor();
    await expectEntry('reject_registration');
    expect((await user()).traits).toEqual(['registration_rejected']);
    expect(await deeds.button('Reject').count()).toBe(0);
    await deeds.do('Approve', 'Account approved');
    await expectEntry('approve_registration');
    expect((await user()).traits).toEqual([]);
    await deeds.section.getByRole('heading', { name: 'Sign-up' }).waitFor({ state: 'detached' });
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
    await deeds.ask('Suspend');
    await field('Duration').selectOption({ label: words });
    await deeds.giveReason();
    await deeds.answer('Suspend');
    await deeds.isDone('Account suspended');
    const { banned, temp_banned_until: until } = await user();
    expect(banned).toBe(true);
    if (hours === 0) expect(until).toBeNull();
    else expect(Math.abs(Date.parse(until) - Date.now() - hours * HOUR_MS)).toBeLessThan(HOUR_MS / 2);
    await visit.leave();
  });

  test('own hours: what is none is refused, and what was typed stays; a ban takes the place of another', async () => {
    await ask('ban');
    await arrive();
    await deeds.section.getByText('Suspended permanently', { exact: true }).waitFor();
    await deeds.ask('Change suspension');
    await field('Duration').selectOption({ label: 'Custom' });
    await deeds.giveReason();
    await field('Message to the user').fill('Advertising');
    for (const wrong of ['0', '8761', 'a day']) {
      await field('Hours').fill(wrong);
      await deeds.answer('Change suspension');
      await deeds.dialog.getByRole('alert').waitFor();
      expect(await field('Hours').inputValue()).toBe(wrong);
      expect(await field('Message to the user').inputValue()).toBe('Advertising');
      expect(await field('Reason').inputValue()).toBe(REASON);
      expect((await user()).temp_banned_until).toBeNull();
    }
    await visit.look('admin-deeds-ban-refused');
    await field('Hours').fill('5');
    await deeds.answer('Change suspension');
    await deeds.isDone('Account suspended');
    const until = await at('temp_banned_until');
    expect(Math.abs(until - Date.now() - 5 * HOUR_MS)).toBeLessThan(HOUR_MS / 2);
    const banned_until = new Date(until).toISOString();
    await expectEntry('temp_ban', { duration_hours: '5', reason: 'Advertising', banned_until });
    await visit.leave();
  });

  test('a ban is lifted, and only where there is one', async () => {
    await ask('ban');
    await arrive();
    await deeds.do('Lift suspension', 'Suspension lifted');
    await deeds.section.getByText('Not suspended', { exact: true }).waitFor();
    expect(await deeds.button('Lift suspension').count()).toBe(0);
    await visit.page.locator('section.section:focus').waitFor();
    expect((await user()).banned).toBe(false);
    expect((await signInAnswer()).status).toBe(200);
    await expectEntry('unban');
    await visit.leave();
  });

  test('an account is disabled for suspicious activity, with demands, and enabled again', async () => {
    await arrive();
    await deeds.ask('Lock account');
    await field('Verify email').press('Space');
    await field('Verify phone').press('Space');
    await deeds.giveReason();
    await visit.look('admin-deeds-disable');
    await deeds.answer('Lock account');
    await deeds.isDone('Account locked');
    const disabled = await user();
    expect(BigInt(disabled.flags) & DISABLED_FOR_SUSPICION).toBe(DISABLED_FOR_SUSPICION);
    expect(disabled.suspicious_activity_flags).toBe(5);
    await expectEntry('disable_suspicious_activity', { flags: '5' });
    expect(await sessionsOf(world.service, alice)).toBe(0);
    const [row] = await world.service.sql('SELECT password_hash FROM account WHERE id = $1', [alice.id]);
    expect(row?.password_hash).toBeNull();
    expect(await deeds.button('Lock account').count()).toBe(0);
    await deeds.do('Unlock account', 'Account unlocked');
    await deeds.button('Lock account').waitFor();
    expect((await user()).flags).toBe('0');
    await expectEntry('enable_suspicious_activity');
    await visit.leave();
  });

  test('all sessions are ended', async () => {
    await arrive();
    await deeds.do('Sign out everywhere', 'Signed out everywhere');
    expect(await sessionsOf(world.service, alice)).toBe(0);
    await expectEntry('terminate_sessions', { count: '1' });
    await visit.leave();
  });

  test('a deletion is scheduled with its reason, changed and cancelled', async () => {
    await arrive();
    await deeds.ask('Schedule deletion');
    await deeds.dialog.getByText('14 to 365 days for this reason', { exact: false }).waitFor();
    await field('Category').selectOption({ label: 'Abuse' });
    await deeds.dialog.getByText('60 to 365 days for this reason', { exact: false }).waitFor();
    await field('Waiting period (days)').fill('a week');
    await field('Message to the user').fill('規約違反');
    await deeds.giveReason();
    await deeds.answer('Schedule deletion');
    await deeds.dialog.getByRole('alert').waitFor();
    expect(await field('Waiting period (days)').inputValue()).toBe('a week');
    expect(await field('Message to the user').inputValue()).toBe('規約違反');
    await visit.look('admin-deeds-deletion-refused');
    await field('Waiting period (days)').fill('90');
    await deeds.answer('Schedule deletion');
    await deeds.isDone('Deletion scheduled');
    expect(await user()).toMatchObject({ deletion_reason_code: 3, deletion_public_reason: '規約違反' });
    expect(Math.abs((await at('pending_deletion_at')) - Date.now() - 90 * DAY_MS)).toBeLessThan(DAY_MS);
    await expectEntry('schedule_deletion', { days: '90', reason_code: '3' });
    expect(await sessionsOf(world.service, alice)).toBe(0);
    await mailTo(world.service, alice.email, 'account_deletion_scheduled');
    await deeds.section.getByText(/^Scheduled for .* · Abuse · 規約違反$/).waitFor();
    await deeds.section.getByText('Accounts scheduled for deletion don’t get emails.').waitFor();
    expect(await deeds.button('Send password reset email').count()).toBe(0);
    await visit.look('admin-deeds-leaving');

    await deeds.ask('Change deletion');
    await field('Category').selectOption({ label: 'Requested by the user' });
    await field('Waiting period (days)').fill('14');
    await deeds.giveReason();
    await deeds.answer('Change deletion');
    await deeds.isDone('Deletion scheduled');
    await expectEntry('schedule_deletion', { days: '14', reason_code: '1' });

    await deeds.do('Cancel deletion', 'Deletion canceled');
    await deeds.section.getByText('Not scheduled', { exact: true }).waitFor();
    expect(await user()).toMatchObject({ pending_deletion_at: null, deletion_reason_code: null, flags: '0' });
    await expectEntry('cancel_deletion');
    expect((await signInAnswer()).status).toBe(200);
    await visit.leave();
  });
});
