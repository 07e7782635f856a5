import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { logIn, type Persona, sessionsOf, verifiedPerson } from '../support/index.js';
import { heading, tabTo } from './driving.js';
import { mailedLink } from './mailed.js';

const NEW_PASSWORD = 'a password of four words';

let world: Site;
let visit: Visit;
let owner: Persona;

describeInBrowser('web.md 5: /auth/lockdown', () => {
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  beforeEach(async () => {
    visit = await world.visit();
    owner = await verifiedPerson(world.service, 'owner');
    await world.service
      .as(owner)
      .patch('/v1/users/@me', { password: owner.password, new_password: NEW_PASSWORD })
      .expect(200);
  });
  afterEach(() => visit.leave());

  const link = () => mailedLink(world, owner.email, 'security_notice');
  const isLocked = async (): Promise<boolean> => {
    const [row] = await world.service.sql("SELECT 'locked_down' = ANY (traits) AS locked FROM account WHERE id = $1", [
      owner.id,
    ]);
    return row?.locked;
  };

  test('opening does nothing; the button locks, by keyboard, and leads to a new password', async () => {
    const { page } = visit;
    await page.goto(await link());
    await heading(visit, 'Lock your account');
    expect(page.url()).toBe(`${world.origin}/auth/lockdown`);
    await visit.look('lockdown');
    await page.reload();
    await heading(visit, 'Lock your account');
    expect([await isLocked(), await sessionsOf(world.service, owner)]).toEqual([false, 1]);
    await tabTo(visit, 'Lock my account');
    await page.keyboard.press('Enter');
    await heading(visit, 'Your account is locked');
    await visit.look('lockdown-done');
    expect([await isLocked(), await sessionsOf(world.service, owner)]).toEqual([true, 0]);
    await page.getByRole('link', { name: 'Set a new password' }).click();
    await page.waitForURL('**/forgot');
  });

  test('a used link is reported', async () => {
    const { page } = visit;
    const mailed = await link();
    const tab = await visit.tab();
    await tab.goto(mailed);
    await page.goto(mailed);
    await page.getByRole('button', { name: 'Lock my account' }).click();
    await heading(visit, 'Your account is locked');
    await tab.getByRole('button', { name: 'Lock my account' }).click();
    await heading({ page: tab }, 'This link has expired');
  });

  test('a missing token is reported', async () => {
    await visit.open('/auth/lockdown');
    await heading(visit, 'This link is incomplete');
    await visit.look('lockdown-incomplete');
  });

  test('a signed-in tab is signed out immediately', async () => {
    const { page } = visit;
    const tab = await visit.tab();
    const { body } = await logIn(world.service, { ...owner, password: NEW_PASSWORD });
    await visit.arrive('/account', body.token, { isKept: true });
    await visit.waitForGateway();
    await tab.goto(await link());
    await tab.getByRole('button', { name: 'Lock my account' }).click();
    await page.waitForURL((url) => url.pathname === '/login' && url.searchParams.has('signed_out'));
  });
});
