import { readFileSync } from 'node:fs';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  inboxAfterDelivery,
  logIn,
  mailTo,
  type Persona,
  sessionsOf,
  verifiedPerson,
  withTotp,
} from '../support/index.js';
import { choose, focusOn, hasArrived, heading, signInAs, type } from './driving.js';

const HOURS = 48;
const HOUR_MS = 3_600_000;

describeInBrowser('web.md 3: /account/data', () => {
  let world: Site;
  let visit: Visit;
  let owner: Persona;
  beforeAll(async () => {
    world = await site({ env: { ACCOUNT_DELETION_GRACE_HOURS: String(HOURS) } });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    owner = await verifiedPerson(world.service, 'owner');
    visit = await world.visit();
  });
  afterEach(() => visit.leave());

  const arrive = async () => {
    await visit.arrive('/account/data', owner.authorization, { isKept: true });
    await heading(visit, 'Your data');
  };
  const press = (name: string) => visit.page.getByRole('button', { name, exact: true }).last().press('Enter');
  const prove = async (name: string, text: string) => {
    await visit.page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
    await type(visit.page, name, text);
    await visit.page.keyboard.press('Enter');
  };
  const deadline = async (): Promise<Date | null> => {
    const [row] = await world.service.sql('SELECT deletion_at AS at FROM account WHERE id = $1', [owner.id]);
    return row?.at ?? null;
  };

  test('the export is a file download after proof with a second factor; without proof nothing is sent', async () => {
    const { authenticator } = await withTotp(world.service, owner);
    await arrive();
    await visit.look('account-data');
    await press('Download data');
    await visit.page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
    await visit.page.keyboard.press('Escape');
    await visit.page.getByText('Confirm it’s you first.').waitFor();
    const exported = async () =>
      (await inboxAfterDelivery(world.service, owner.email, 'security_notice')).filter(
        ({ metadata }) => metadata.event === 'data_exported',
      );
    expect(await exported()).toEqual([]);
    const file = visit.page.waitForEvent('download');
    await press('Download data');
    await prove('mfa_code', authenticator.next());
    const kept = await file;
    expect(kept.suggestedFilename()).toBe('account.json');
    const { account } = JSON.parse(readFileSync(await kept.path(), 'utf8'));
    expect(account).toMatchObject({ id: owner.id, email: owner.email });
    await visit.page.getByText('Download complete').waitFor();
    expect(await exported()).toHaveLength(1);
  });

  test('deactivating the account signs the user out everywhere, and the next sign-in reactivates it', async () => {
    const { page } = visit;
    await arrive();
    const tab = await visit.tab();
    await tab.goto(`${world.origin}/account`);
    await tab.getByRole('heading', { level: 2, name: owner.username }).waitFor();
    await press('Deactivate');
    await page.getByText('Sign in again anytime to reactivate.').last().waitFor();
    await visit.look('account-data-disable');
    await press('Deactivate');
    // For password managers.
    const username = page.locator('dialog input[autocomplete=username]');
    await username.waitFor({ state: 'attached' });
    expect(await username.inputValue()).toBe(owner.email);
    await prove('password', 'not the password');
    await page.getByText('Incorrect password.').waitFor();
    expect(await sessionsOf(world.service, owner)).toBe(1);
    await press('Deactivate');
    await prove('password', owner.password);
    await heading(visit, 'Account deactivated');
    await focusOn(page, 'Account deactivated');
    await visit.look('account-disabled');
    await tab.waitForURL((url) => url.pathname === '/login');
    expect(await sessionsOf(world.service, owner)).toBe(0);
    await page.getByRole('link', { name: 'Sign in' }).press('Enter');
    await page.waitForSelector('[name=email]');
    await signInAs(page, owner);
    await page.getByText('Your account is active again.', { exact: false }).waitFor();
    await visit.look('login-reactivated');
    await choose(page, 'Continue');
    await hasArrived(page);
    await page.getByRole('heading', { level: 2, name: owner.username }).waitFor();
  });

  test('deleting the account shows until when a sign-in cancels it, even if the socket closes before the response', async () => {
    const { page } = visit;
    await arrive();
    const socket = await visit.waitForGateway();
    const closed = socket.waitForEvent('close');
    await page.route('**/v1/users/@me/delete', async (route) => {
      const response = await route.fetch();
      if (response.ok()) await closed;
      await route.fulfill({ response });
    });
    await press('Delete account');
    await page.getByText('After the waiting period').waitFor();
    await visit.look('account-data-delete');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focusOn(page, 'Delete account');
    expect(await deadline()).toBeNull();
    await press('Delete account');
    await press('Delete account');
    await prove('password', owner.password);
    await heading(visit, 'Account scheduled for deletion');
    const at = await deadline();
    const hours = ((at?.getTime() ?? 0) - world.service.clock.now()) / HOUR_MS;
    expect(Math.round(hours)).toBe(HOURS);
    const said = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }).format(at ?? 0);
    await page.getByText(`Your account will be permanently deleted on ${said}`).waitFor();
    expect(await sessionsOf(world.service, owner)).toBe(0);
    await mailTo(world.service, owner.email, 'account_deletion_scheduled');
    await page.getByRole('link', { name: 'Sign in' }).press('Enter');
    await page.waitForSelector('[name=email]');
    await signInAs(page, owner);
    await heading(visit, 'Welcome back');
    await page.getByText('Your account won’t be deleted.', { exact: false }).waitFor();
    await choose(page, 'Continue');
    await hasArrived(page);
    expect(await deadline()).toBeNull();
    expect((await logIn(world.service, owner)).status).toBe(200);
  });
});
