import { Database } from '../../src/platform/database/database.js';
import { Instance } from '../../src/platform/instance/instance.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { VirtualAuthenticator } from '../machine/virtual-authenticator.js';
import { type Persona, sessionsOf, signIn, superuser, verifiedPerson } from '../support/index.js';
import { REASON } from './account-actions.js';

/** docs/maintaining/pages.md gives these numbers. */
describeInBrowser('clicks from the first page after sign-in', () => {
  let world: Site;
  let visit: Visit;
  let root: Persona;
  let alice: Persona;
  let clicks: number;
  let count = 0;
  beforeAll(async () => {
    world = await site();
    root = await superuser(world.service);
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    clicks = 0;
    alice = await verifiedPerson(world.service, `alice${++count}`);
    visit = await world.visit();
  });
  afterEach(() => visit.leave());

  const click = async (role: 'button' | 'link' | 'menuitem' | 'tab' | 'checkbox', name: string | RegExp) => {
    const scope = visit.page.locator('dialog[open]');
    const within = (await scope.count()) > 0 ? scope.last() : visit.page.locator('body');
    clicks++;
    await within.getByRole(role, { name, exact: true }).first().click();
  };
  const prove = async () => {
    await visit.page.getByLabel('Password', { exact: true }).fill(alice.password);
    await visit.page.keyboard.press('Enter');
  };

  test('revoke a device: three', async () => {
    await signIn(world.service, alice);
    await visit.arrive('/account', alice.authorization);
    await click('link', 'Devices');
    await click('button', 'Sign out');
    await click('button', 'Sign out');
    await prove();
    await visit.page.locator('dialog[open]').waitFor({ state: 'detached' });
    expect([clicks, await sessionsOf(world.service, alice)]).toEqual([3, 1]);
  });

  test('add a passkey: two', async () => {
    await VirtualAuthenticator.plugIn(visit.page);
    await visit.arrive('/account', alice.authorization);
    await click('link', 'Passkeys');
    await click('button', 'Add a passkey');
    await prove();
    await visit.page.getByRole('main').getByRole('listitem').first().waitFor();
    const { body } = await world.service.as(alice).get('/v1/users/@me/mfa/webauthn/credentials');
    expect([clicks, body.length]).toEqual([2, 1]);
  });

  test('suspend a user: five, and the name', async () => {
    await visit.arrive('/admin', root.authorization);
    await click('link', 'All people');
    await visit.page.getByRole('searchbox').fill(alice.email);
    await click('link', new RegExp(`^${alice.username}`));
    await click('button', 'Actions');
    await click('menuitem', 'Suspend');
    await visit.page.locator('textarea[name=reason]').fill(REASON);
    await click('button', 'Suspend');
    await visit.page.getByText(/^Suspended until /).waitFor();
    expect([clicks, await sessionsOf(world.service, alice)]).toEqual([5, 0]);
  });

  test('approve ten sign-ups: four', async () => {
    const mode = (name: 'open' | 'approval') =>
      world.service.app
        .get(Database)
        .transaction((tx) => world.service.app.get(Instance).change(tx, 'registration', { mode: name }));
    await mode('approval');
    for (let n = 0; n < 10; n++) {
      const [email, password] = [`new${n}@example.com`, 'four words that I made up'];
      await world.service.anonymous.post('/v1/auth/register', { email, password }).expect(200);
    }
    await mode('open');
    await visit.arrive('/admin', root.authorization);
    await click('link', 'Pending sign-ups');
    await click('checkbox', 'Select all (10)');
    await click('button', 'Approve selected');
    await click('button', 'Approve');
    await visit.page.getByText('No pending sign-ups').waitFor();
    const [row] = await world.service.sql("SELECT count(*)::int AS waiting FROM account WHERE traits <> '{}'");
    expect([clicks, row]).toEqual([4, { waiting: 0 }]);
  });

  test('find who changed an email: three, and the name', async () => {
    const email = `new.${alice.email}`;
    await world.service
      .as(root)
      .with({ 'x-audit-log-reason': 'by phone' })
      .patch(`/v1/admin/users/${alice.id}/email`, { email });
    await visit.arrive('/admin', root.authorization);
    await click('link', 'All people');
    await visit.page.getByRole('searchbox').fill(email);
    // A click on a row of the former list would be lost.
    await visit.page.getByRole('status').getByText('1 account', { exact: true }).waitFor();
    await click('link', new RegExp(`^${alice.username}`));
    await click('tab', 'Activity');
    await visit.page.getByText('by phone').waitFor();
    expect(clicks).toBe(3);
  });
});
