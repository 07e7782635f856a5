import { describeInBrowser } from '../machine/browser.js';
import { connect, IDENTITIES, signInWith, startLink } from '../machine/connections.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { environmentOf, type Persona, ScriptedProvider, superuser, verifiedPerson } from '../support/index.js';
import { choose, type } from './driving.js';

const METHODS = '/account/sign-in-methods';

describeInBrowser('connections.md 4: sign-in methods in the account', () => {
  let provider: ScriptedProvider;
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    world = await site({ env: environmentOf(provider) });
    provider.seconds = () => world.service.clock.seconds();
    await connect(world.service, await superuser(world.service), provider, { icon: 'gitlab' });
  });
  afterAll(async () => {
    await world?.close();
    await provider?.stop();
  });
  beforeEach(async () => {
    visit = await world.visit({ ignoreHTTPSErrors: true });
  });

  const identitiesOf = async (who: Persona) => (await world.service.as(who).get(IDENTITIES)).body.identities;
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) => visit.page.getByRole('dialog').getByRole('button', { name, exact: true });
  const confirmPassword = async ({ password }: Persona) => {
    await visit.page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
    await type(visit.page, 'password', password);
    await visit.page.keyboard.press('Enter');
  };
  const atCallback = () => visit.page.waitForURL((url) => url.pathname === '/auth/connections/corp/callback');

  test('an identity is linked and unlinked by keyboard, each with sudo mode', async () => {
    const { page } = visit;
    const alice = await verifiedPerson(world.service, 'alice');
    provider.sendBack({ claims: { sub: 'alice', email: 'alice@corp.example.com' } });
    await visit.arrive(METHODS, alice.authorization);
    await page.getByText('No linked accounts yet').waitFor();
    await visit.look('sign-in-methods-none');
    await button('Link Corp').press('Enter');
    await confirmPassword(alice);
    await atCallback();
    await page.getByText('You can now sign in with Corp.').waitFor();
    await visit.look('sign-in-methods-linked');
    await choose(page, 'Continue');
    await page.getByText('alice@corp.example.com').waitFor();
    expect(await identitiesOf(alice)).toEqual([expect.objectContaining({ connection_id: 'corp' })]);
    expect(await button('Link Corp').count()).toBe(0);
    await visit.look('sign-in-methods-one');
    await button('Unlink').press('Enter');
    await page.getByRole('dialog', { name: 'Unlink Corp?' }).waitFor();
    await inDialog('Unlink').press('Enter');
    await confirmPassword(alice);
    await page.getByText('No linked accounts yet').waitFor();
    expect(await identitiesOf(alice)).toEqual([]);
    await visit.leave();
  });

  test('an identity of another account is rejected and explained, and nothing is linked', async () => {
    const { page } = visit;
    const [bob, carol] = [await verifiedPerson(world.service, 'bob'), await verifiedPerson(world.service, 'carol')];
    const claims = { sub: 'shared', email: 'shared@corp.example.com' };
    const input = await startLink(world.service.as(bob), bob.password, provider, claims);
    expect((await world.service.as(bob).post(`${IDENTITIES}/complete`, input)).status).toBe(200);
    provider.sendBack({ claims });
    await visit.arrive(METHODS, carol.authorization);
    await button('Link Corp').press('Enter');
    await confirmPassword(carol);
    await page.getByText('This identity belongs to another account').waitFor();
    await visit.look('sign-in-methods-mismatch');
    expect(await identitiesOf(carol)).toEqual([]);
    await choose(page, 'Back to sign-in methods');
    await page.getByText('No linked accounts yet').waitFor();
    await visit.leave();
  });

  test('the user cancels at the provider: explained, and they return to the account', async () => {
    const { page } = visit;
    const dan = await verifiedPerson(world.service, 'dan');
    provider.sendBack({ error: 'access_denied' });
    await visit.arrive(METHODS, dan.authorization);
    await button('Link Corp').press('Enter');
    await confirmPassword(dan);
    await page.getByText('Sign-in was canceled').waitFor();
    await choose(page, 'Back to sign-in methods');
    await page.getByText('No linked accounts yet').waitFor();
    expect(await identitiesOf(dan)).toEqual([]);
    await visit.leave();
  });

  test('the only way to sign in is marked, and the service rejects its removal', async () => {
    const { page } = visit;
    const claims = { sub: 'eve', email: 'eve@corp.example.com' };
    const { status, body } = await signInWith(world.service, provider, claims);
    expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ token: expect.any(String) }) });
    await visit.arrive(METHODS, body.token);
    await page.getByText('This is your only way to sign in.').waitFor();
    await page.getByText('You sign in without a password.').waitFor();
    await visit.look('sign-in-methods-last');
    await button('Unlink').press('Enter');
    await inDialog('Unlink').press('Enter');
    await page
      .getByRole('dialog')
      .getByText('This is your only way to sign in. Set a password or add a passkey first.')
      .waitFor();
    expect((await world.service.as(body.token).get(IDENTITIES)).body.identities).toHaveLength(1);
    await visit.leave();
  });
});
