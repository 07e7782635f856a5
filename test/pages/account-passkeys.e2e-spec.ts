import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { VirtualAuthenticator } from '../machine/virtual-authenticator.js';
import {
  eventually,
  type Persona,
  passkeySudo,
  person,
  SoftwareAuthenticator,
  verifiedPerson,
  withPasskey,
} from '../support/index.js';
import { choose, focusOn, heading, signInAs, signOut, tabTo } from './driving.js';

const CREDENTIALS = '/v1/users/@me/mfa/webauthn/credentials';
/**
 * A browser with a saved password creates a passkey automatically. The test authenticator creates one only on an
 * explicit request.
 */
const MAKES_BY_ITSELF = `
  PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
  const create = navigator.credentials.create.bind(navigator.credentials);
  navigator.credentials.create = ({ mediation, ...options }) => {
    sessionStorage.setItem('mediation', mediation ?? 'none');
    return create(options);
  };`;
const MAKES_NONE = `
  PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: false });`;
const LACKS_SIGNALS = `
  for (const name of ['signalAllAcceptedCredentials', 'signalCurrentUserDetails', 'signalUnknownCredential']) {
    delete PublicKeyCredential[name];
  }
  delete PublicKeyCredential.getClientCapabilities;`;

describeInBrowser('web.md 3: /account/passkeys', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;
  let authenticator: VirtualAuthenticator;
  let count = 0;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await verifiedPerson(world.service, `alice${++count}`);
    visit = await world.visit();
    authenticator = await VirtualAuthenticator.plugIn(visit.page);
  });

  const listOf = async () => (await world.service.as(alice).get(CREDENTIALS)).body;
  const namesOf = async () => (await listOf()).map(({ name }: { name: string }) => name);
  const prove = async () => {
    await visit.page.getByLabel('Password', { exact: true }).fill(alice.password);
    await visit.page.keyboard.press('Enter');
  };
  const item = (name: string) => visit.page.locator('main').getByRole('listitem').filter({ hasText: name });
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) =>
    visit.page.locator('dialog[open]').last().getByRole('button', { name, exact: true });

  test('a passkey is added, renamed and removed, and the browser receives each change', async () => {
    const { page } = visit;
    await visit.arrive('/account/passkeys', alice.authorization);
    await page.getByText('You don’t have any passkeys yet.').waitFor();
    await visit.look('account-passkeys-none');
    await page.getByLabel('Passkey name').fill('Laptop');
    await tabTo(visit, 'Add a passkey');
    await page.keyboard.press('Enter');
    await prove();
    await item('Laptop').waitFor();
    expect(await namesOf()).toEqual(['Laptop']);
    const [id] = await authenticator.ids();
    expect((await listOf())[0].id).toBe(id);

    await item('Laptop').getByRole('button', { name: 'Rename' }).press('Enter');
    await page.locator('dialog[open]').getByLabel('Passkey name').fill('');
    await visit.look('account-passkeys-rename');
    await page.locator('dialog[open]').getByLabel('Passkey name').fill('Work laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    await inDialog('Use a passkey').press('Enter');
    await item('Work laptop').waitFor();
    expect(await namesOf()).toEqual(['Work laptop']);

    await world.service.as(alice).patch('/v1/users/@me', { global_name: 'Alice of Wonderland' }).expect(200);
    await eventually('the new name on the passkey', async () => {
      const names = await authenticator.displayNames();
      return names.includes('Alice of Wonderland') || undefined;
    });

    await item('Work laptop').getByRole('button', { name: 'Remove' }).press('Enter');
    await visit.look('account-passkeys-remove');
    await inDialog('Remove').press('Enter');
    await page.getByText('You don’t have any passkeys yet.').waitFor();
    expect(await listOf()).toEqual([]);
    await eventually('no passkey in the browser', async () => (await authenticator.ids()).length === 0 || undefined);
    await focusOn(page, 'Your passkeys');
    await visit.leave();
  });

  test('canceling, a device that already has one and a wrong password change nothing', async () => {
    const { page } = visit;
    await visit.arrive('/account/passkeys', alice.authorization);
    await page.getByLabel('Passkey name').fill('Laptop');
    await button('Add a passkey').press('Enter');
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Confirm it’s you first.').waitFor();
    await button('Add a passkey').press('Enter');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Passkey name').inputValue()).toBe('Laptop');
    await page.evaluate(
      `navigator.credentials.create = async () => { throw new DOMException('no', 'NotAllowedError'); }`,
    );
    await button('Add a passkey').press('Enter');
    await prove();
    await page.getByText('No passkey was added. Try again.').waitFor();
    await page.evaluate(
      `navigator.credentials.create = async () => { throw new DOMException('no', 'InvalidStateError'); }`,
    );
    await button('Add a passkey').press('Enter');
    await prove();
    await page.getByText('This device already has a passkey for your account.').waitFor();
    expect(await page.getByLabel('Passkey name').inputValue()).toBe('Laptop');
    expect(await listOf()).toEqual([]);
    await visit.leave();
  });

  test('an unverified address is reported before any question', async () => {
    const bob = await person(world.service, 'bob');
    await visit.arrive('/account/passkeys', bob.authorization);
    await visit.page.getByText('Verify your email first', { exact: false }).waitFor();
    expect(await button('Add a passkey').count()).toBe(0);
    await visit.leave();
  });

  test('the switch requires a passkey after the password, and shows the new backup codes once', async () => {
    const { page } = visit;
    await visit.open('/forgot');
    await authenticator.enroll(world.service, alice);
    await visit.arrive('/account/passkeys', alice.authorization);
    await button('Turn on').press('Enter');
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    await inDialog('Use a passkey').press('Enter');
    await page.getByRole('heading', { name: 'Save your backup codes' }).waitFor();
    expect(await page.locator('dialog[open] li').count()).toBe(10);
    await inDialog('I’ve saved it').press('Enter');
    await button('Turn off').waitFor();
    await visit.look('account-passkeys-switched-on');
    expect((await world.service.as(alice).get('/v1/users/@me')).body).toMatchObject({ mfa_enabled: true });
    await button('Turn off').press('Enter');
    await inDialog('Turn off').press('Enter');
    await button('Turn on').waitFor();
    expect((await world.service.as(alice).get('/v1/users/@me')).body).toMatchObject({ mfa_enabled: false });
    await visit.leave();
  });

  test('changes made elsewhere appear without a reload, in a browser without the signal API', async () => {
    const { page } = visit;
    await page.addInitScript(LACKS_SIGNALS);
    await visit.arrive('/account/passkeys', alice.authorization);
    await page.getByText('You don’t have any passkeys yet.').waitFor();
    await visit.waitForGateway();
    const key = new SoftwareAuthenticator('ES256', { origin: world.origin });
    await withPasskey(world.service, alice, key);
    await item('key').waitFor();
    await world.service.as(alice).patch('/v1/users/@me', { global_name: 'Somebody Else' }).expect(200);
    const proof = await passkeySudo(world.service, alice, key);
    await world.service.as(alice).delete(`${CREDENTIALS}/${key.id}`, proof).expect(204);
    await page.getByText('You don’t have any passkeys yet.').waitFor();
    await visit.leave();
  });

  test('after a password sign-in a passkey is offered, until the user declines permanently', async () => {
    const { page } = visit;
    await page.addInitScript(MAKES_NONE);
    await visit.open('/login');
    await signInAs(page, alice);
    await page.getByText('Sign in faster next time', { exact: false }).waitFor();
    await visit.look('account-passkey-offer');
    await page.reload();
    await page.getByRole('heading', { level: 2, name: alice.username }).waitFor();
    expect(await button('Don’t show again').count()).toBe(0);
    await signOut(page);
    await heading(visit, 'Sign in');
    await signInAs(page, alice);
    await choose(page, 'Don’t show again');
    await button('Don’t show again').waitFor({ state: 'detached' });
    expect((await world.service.as(alice).get('/v1/users/@me/settings')).body.custom).toEqual({
      passkey_offer_declined: true,
    });
    await signOut(page);
    await heading(visit, 'Sign in');
    const requested = page.waitForResponse((response) => response.url().endsWith(CREDENTIALS));
    await signInAs(page, alice);
    await (await requested).finished();
    await page.getByRole('heading', { level: 2, name: alice.username }).waitFor();
    expect(await button('Don’t show again').count()).toBe(0);
    await visit.leave();
  });

  test('the offer opens the passkeys page', async () => {
    const { page } = visit;
    await page.addInitScript(MAKES_NONE);
    await visit.open('/login');
    await signInAs(page, alice);
    await choose(page, 'Add a passkey');
    await heading(visit, 'Passkeys');
    expect(await button('Don’t show again').count()).toBe(0);
    await visit.leave();
  });

  test('a browser with automatic passkeys creates one after a password sign-in, with its own challenge', async () => {
    const { page } = visit;
    await page.addInitScript(MAKES_BY_ITSELF);
    await visit.open('/login');
    await signInAs(page, alice);
    await page.getByText('Passkey saved').waitFor();
    expect(await button('Don’t show again').count()).toBe(0);
    expect(await page.evaluate("sessionStorage.getItem('mediation')")).toBe('conditional');
    const [id] = await authenticator.ids();
    expect((await listOf()).map((passkey: { id: string }) => passkey.id)).toEqual([id]);
    expect(await page.evaluate("sessionStorage.getItem('gatehouse.password-sign-in')")).toBeNull();
    await visit.leave();
  });

  test('a user who may not have one yet signs in without a failed request', async () => {
    const { page } = visit;
    const carol = await person(world.service, 'carol');
    const refused: string[] = [];
    page.on(
      'response',
      (response) => response.status() >= 400 && refused.push(`${response.status()} ${response.url()}`),
    );
    await page.addInitScript(MAKES_BY_ITSELF);
    await visit.open('/login');
    await signInAs(page, carol);
    await page.getByRole('heading', { level: 2, name: carol.username }).waitFor();
    expect(refused).toEqual([]);
    await visit.leave();
  });

  test('a user who signs in by passkey gets no offer', async () => {
    const { page } = visit;
    await visit.open('/forgot');
    await authenticator.enroll(world.service, alice);
    await visit.open('/login');
    await page.getByRole('heading', { level: 2, name: alice.username }).waitFor();
    expect(await page.evaluate("sessionStorage.getItem('gatehouse.password-sign-in')")).toBeNull();
    await visit.leave();
  });
});
