import { describeInBrowser } from '../machine/browser.js';
import type { Site, Visit } from '../machine/pages.js';
import { auditOf, logIn, newApp, type Persona, person, superuser } from '../support/index.js';
import { AccountActions } from './account-actions.js';
import { siteBehindProxy } from './administering.js';
import { heading } from './driving.js';

const FORWARDED = 'x-forwarded-for';

describeInBrowser('web.md 4: incidents handled in the console', () => {
  let world: Site;
  let visit: Visit;
  let actions: AccountActions;
  let root: Persona;
  beforeAll(async () => {
    world = await siteBehindProxy();
    root = await superuser(world.service);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
    actions = new AccountActions(world, visit);
  });
  afterEach(() => visit?.leave());

  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const dialog = () => visit.page.getByRole('dialog');
  const from = (address: string) => world.service.anonymous.with({ [FORWARDED]: address });
  const isLet = async (credential: string) => (await world.service.as(credential).get('/v1/users/@me')).status === 200;
  const paste = async (text: string) => {
    await visit.page.locator('[name=q]').focus();
    await visit.page.keyboard.insertText(text);
    await visit.page.keyboard.press('Enter');
  };
  const open = async (group: string, name: RegExp) =>
    visit.page.getByRole('list', { name: group, exact: true }).getByRole('link', { name }).first().press('Enter');

  test('a stolen session: from a log line to its end, which the page then shows', async () => {
    const { service } = world;
    const ada = await person(service, 'ada');
    const thief = (await from('203.0.113.66').post('/v1/auth/login', ada)).body.token as string;
    await visit.arrive('/admin', root.authorization);
    await heading(visit, 'Home');
    await paste(`{"level":30,"msg":"a report by telephone","account":"${ada.id}","client":"203.0.113.66"}`);
    await open('People', /^ada#/);
    await visit.page.waitForURL(`**/admin/people/${ada.id}`);
    await actions.run('Sign out everywhere', 'Signed out everywhere');
    expect([await isLet(thief), await isLet(ada.authorization)]).toEqual([false, false]);
    await actions.run('Send password reset email', 'Password reset email sent');
    const audited = (await auditOf(service)).filter(({ target_id: id }) => id === ada.id).map(({ action }) => action);
    expect(audited).toEqual(['terminate_sessions', 'send_password_reset']);
    await visit.page.getByRole('tab', { name: 'Activity' }).press('Enter');
    await visit.page.getByRole('list', { name: 'Account history' }).getByRole('listitem').nth(1).waitFor();
    await visit.look('admin-incident-session');
  });

  test('a leaked bot token: the pasted token leads to the bot, never appears in a URL, and stops working', async () => {
    const { service } = world;
    const app = await newApp(service, await person(service, 'owner'));
    const token = app.bot.slice('Bot '.length);
    expect(await isLet(app.bot)).toBe(true);
    await visit.arrive('/admin', root.authorization);
    await heading(visit, 'Home');
    await paste(`found in a public repository: ${token}`);
    await open('People', /#\d{4}$/);
    await visit.page.waitForURL('**/admin/people/*');
    await actions.run('Suspend', 'Account suspended');
    expect(await isLet(app.bot)).toBe(false);
    const visited = await visit.page.evaluate(
      'JSON.stringify(performance.getEntriesByType("resource").map((e) => e.name))',
    );
    expect(visited).not.toContain(token.split('.').at(-1));
  });

  test('a wave of registrations from one network: found by IP address, banned as a range, rejected together', async () => {
    const { page } = visit;
    const { service } = world;
    await service
      .as(root)
      .patch('/v1/admin/instance/config', { registration: { mode: 'approval' } })
      .expect(200);
    const password = 'a long enough password';
    const registered: string[] = [];
    for (let n = 1; n <= 4; n++) {
      const body = { email: `wave${n}@example.com`, username: `wave${n}`, password, consent: true };
      registered.push((await from(`203.0.113.${n}`).post('/v1/auth/register', body)).body.user_id);
    }
    const wanted = { email: 'friend@example.com', username: 'friend', password, consent: true };
    await from('192.0.2.9').post('/v1/auth/register', wanted);
    await visit.arrive('/admin/registrations', root.authorization);
    await page.getByText('5 pending').waitFor();
    await page.getByText('203.0.113.3').first().waitFor();
    await visit.open('/admin/bans');
    await button('Ban IPs').press('Enter');
    await page.locator('textarea[name=addresses]:focus').waitFor();
    await page.keyboard.insertText('203.0.113.0/24');
    await page.locator('[name=reason]').fill('a wave of registrations');
    await page.locator('[name=reason]').press('Tab');
    await page.locator('[name=addresses]').focus();
    await page.getByRole('button', { name: /^Ban/ }).last().press('Enter');
    await page.getByRole('list', { name: 'Active bans' }).getByText('203.0.113.0/24', { exact: true }).waitFor();
    expect((await from('203.0.113.200').post('/v1/auth/register', wanted)).body.code).toBe(
      'GLOBAL_IP_TEMPORARILY_BANNED',
    );
    await visit.open('/admin/registrations');
    await page.getByLabel('Select all (5)').press('Space');
    await page.getByRole('listitem').filter({ hasText: 'friend#' }).getByRole('checkbox').press('Space');
    await button('Reject selected').press('Enter');
    await dialog().locator('[name=reason]').fill('the same wave');
    await dialog().getByRole('button', { name: 'Reject', exact: true }).press('Enter');
    await page.getByText('4 people rejected').waitFor();
    const { length } = await service.sql(
      `SELECT 1 FROM account WHERE id = ANY ($1) AND traits = '{registration_rejected}'`,
      [registered],
    );
    expect(length).toBe(4);
    await page.getByRole('button', { name: /^Approve: friend#/ }).press('Enter');
    await dialog().getByRole('button', { name: 'Approve', exact: true }).press('Enter');
    await page.getByText('No pending sign-ups').waitFor();
    expect((await logIn(service, { email: wanted.email, password } as Persona)).status).toBe(200);
  });
});
