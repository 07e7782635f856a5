import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { VirtualAuthenticator } from '../machine/virtual-authenticator.js';
import { type Persona, person, sessionsOf } from '../support/index.js';
import { choose, hasArrived, keptIn, signInAs } from './driving.js';

describeInBrowser('web.md 2: /login by passkey', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;
  let authenticator: VirtualAuthenticator;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await person(world.service, 'alice');
    visit = await world.visit();
    await visit.open('/forgot');
    authenticator = await VirtualAuthenticator.plugIn(visit.page);
    await authenticator.enroll(world.service, alice);
  });

  test('by autofill, without a click', async () => {
    const { page } = visit;
    await visit.open('/login?return_to=/forgot');
    await page.waitForURL((url) => url.pathname === '/forgot');
    expect(await keptIn(page)).toEqual({ tab: expect.stringMatching(/^flx_/), browser: null });
    expect(await sessionsOf(world.service, alice)).toBe(2);
    await visit.leave();
  });

  test('by button, also after a first attempt that failed', async () => {
    const { page } = visit;
    await authenticator.recognize(false);
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    await visit.open('/login');
    await choose(page, 'Sign in with a passkey');
    await page.getByText('Passkey request canceled.').waitFor();
    await visit.look('login-passkey-cancelled');
    await authenticator.recognize(true);
    await choose(page, 'Sign in with a passkey');
    await hasArrived(page);
    expect(await sessionsOf(world.service, alice)).toBe(2);
    await visit.leave();
  });

  test('an unknown passkey is reported to the user and to the browser', async () => {
    const { page } = visit;
    const [id] = await authenticator.ids();
    await world.service.sql('DELETE FROM passkey WHERE account_id = $1', [alice.id]);
    await page.addInitScript(`
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
      PublicKeyCredential.signalUnknownCredential = async (unknown) => { globalThis.signalled = unknown; };`);
    await visit.open('/login');
    await choose(page, 'Sign in with a passkey');
    await page.getByText('We couldn’t verify your passkey.').waitFor();
    expect(await page.evaluate('globalThis.signalled')).toEqual({ rpId: 'localhost', credentialId: id });
    await visit.look('login-passkey-unknown');
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await visit.leave();
  });

  test('in a browser without the signal API, it is still reported to the user', async () => {
    const { page } = visit;
    await world.service.sql('DELETE FROM passkey WHERE account_id = $1', [alice.id]);
    await page.addInitScript(`
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
      delete PublicKeyCredential.signalUnknownCredential;`);
    await visit.open('/login');
    expect(await page.evaluate("'signalUnknownCredential' in PublicKeyCredential")).toBe(false);
    await choose(page, 'Sign in with a passkey');
    await page.getByText('We couldn’t verify your passkey.').waitFor();
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await visit.leave();
  });

  test('as second factor of a password', async () => {
    const { page } = visit;
    const token = { 'content-type': 'application/json', authorization: alice.authorization };
    const sudo = await page.evaluate(`(async () => {
      const ask = (path, method, body) => fetch(path, { method, headers: ${JSON.stringify(token)}, body: JSON.stringify(body ?? {}) });
      const options = await (await ask('/v1/users/@me/sudo/webauthn/authentication-options', 'POST')).json();
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
      const found = (await navigator.credentials.get({ publicKey })).toJSON();
      const body = { enabled: true, mfa_method: 'webauthn', webauthn_challenge: options.challenge, webauthn_response: found };
      return (await ask('/v1/users/@me/mfa/webauthn/two-factor', 'PUT', body)).status;
    })()`);
    expect(sudo).toBe(200);
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    await visit.open('/login');
    await signInAs(page, alice);
    await page.getByText('Enter the code to finish signing in.').waitFor();
    await visit.look('login-factor-passkey');
    await choose(page, 'Use a passkey');
    await hasArrived(page);
    expect(await sessionsOf(world.service, alice)).toBe(2);
    await visit.leave();
  });
});
