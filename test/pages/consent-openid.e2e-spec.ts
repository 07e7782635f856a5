import { decodeJwt } from 'jose';
import { describeInBrowser } from '../machine/browser.js';
import {
  type Asking,
  allowing,
  arrival,
  asking,
  decide,
  enter,
  question,
  signedInAs,
} from '../machine/consent-application.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type Persona, person, signIn, verifiedPerson, withTotp } from '../support/index.js';

describeInBrowser('openid 4 the consent page', () => {
  let world: Site;
  let app: Asking;
  let visit: Visit;
  beforeAll(async () => {
    world = await site();
    app = await asking(world.service, async () => ({}));
  });
  afterAll(async () => {
    app?.close();
    await world?.close();
  });
  beforeEach(async () => {
    visit = await world.visit();
  });
  afterEach(() => visit.leave());

  const open = (changes: Record<string, string> = {}) => visit.open(app.path({ scope: 'openid', ...changes }));
  const button = (name: string) => visit.page.getByRole('button', { name });
  const dialog = () => visit.page.getByRole('dialog');

  const signedIn = async (name: string): Promise<Persona> => {
    const whom = await verifiedPerson(world.service, name);
    await signedInAs(visit.page, await signIn(world.service, whom));
    return whom;
  };

  /** The claims of the ID token for a code. */
  const claimsOf = async (code: string | null) => {
    const { status, body } = await world.service.anonymous.form('/v1/oauth2/token', {
      ...{ grant_type: 'authorization_code', code: code ?? '', redirect_uri: app.redirectUri },
      ...{ code_verifier: app.verifier, client_id: app.id, client_secret: app.secret },
    });
    expect({ status, body }).toMatchObject({ status: 200 });
    return { claims: decodeJwt(body.id_token), idToken: body.id_token as string };
  };

  test('a sign-in on the page stays, because the ID token needs its session', async () => {
    const ada = await person(world.service, 'ada');
    await open({ login_hint: ada.email, nonce: 'n1', prompt: 'login' });
    const email = visit.page.getByLabel('Email', { exact: true });
    await email.waitFor();
    expect(await email.inputValue()).toBe(ada.email);
    await enter(visit.page, ada);
    await question(visit.page).waitFor();
    // The password of the sign-in proves the presence of the user.
    const { claims } = await claimsOf((await allowing(visit.page)).get('code'));
    expect(claims).toMatchObject({ sub: ada.id, nonce: 'n1', amr: ['pwd'] });
  });

  test('prompt=login asks for the password, and a wrong one changes nothing', async () => {
    const ben = await signedIn('ben');
    await open({ prompt: 'login' });
    await question(visit.page).waitFor();
    await decide(visit.page, 'Allow');
    await dialog().getByText('wants you to confirm').waitFor();
    await visit.look('consent-proof');
    await dialog().getByLabel('Password', { exact: true }).fill('wrong password');
    await dialog().getByRole('button', { name: 'Confirm' }).click();
    await visit.page.getByRole('alert').waitFor();
    await decide(visit.page, 'Allow');
    await dialog().getByLabel('Password', { exact: true }).fill(ben.password);
    await visit.page.keyboard.press('Enter');
    const { claims } = await claimsOf((await arrival(visit.page)).get('code'));
    expect(claims).toMatchObject({ sub: ben.id, amr: ['pwd'] });
  });

  test('acr 2 requires password and code', async () => {
    const cleo = await signedIn('cleo');
    const { authenticator } = await withTotp(world.service, cleo);
    await open({ acr_values: 'urn:gatehouse:acr:2' });
    await question(visit.page).waitFor();
    await decide(visit.page, 'Allow');
    await dialog().getByLabel('Password', { exact: true }).fill(cleo.password);
    await dialog().getByLabel('Code from your authenticator app').fill(authenticator.next());
    await dialog().getByRole('button', { name: 'Confirm' }).click();
    const { claims } = await claimsOf((await arrival(visit.page)).get('code'));
    expect(claims).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: 'urn:gatehouse:acr:2' });
  });

  test('prompt=select_account shows the account first, and lets the user choose another', async () => {
    const dan = await signedIn('dan');
    const eve = await person(world.service, 'eve');
    await open({ prompt: 'select_account' });
    await visit.page.getByRole('heading', { name: 'Choose an account' }).waitFor();
    expect(await button('Allow').count()).toBe(0);
    await visit.look('consent-choice');
    await button(`Continue as ${dan.username}`).focus();
    await visit.page.keyboard.press('Enter');
    await question(visit.page).waitFor();

    await open({ prompt: 'select_account' });
    await button('Use a different account').click();
    await enter(visit.page, eve);
    await question(visit.page).waitFor();
    expect(await visit.page.getByText('signed in just for this request').count()).toBe(0);
    const { claims } = await claimsOf((await allowing(visit.page)).get('code'));
    expect(claims.sub).toBe(eve.id);
  });

  test('a hint of another account asks to switch, or returns login_required', async () => {
    const fay = await person(world.service, 'fay');
    await open();
    await enter(visit.page, fay);
    const { idToken } = await claimsOf((await allowing(visit.page)).get('code'));
    await visit.leave();
    visit = await world.visit();
    await signedIn('gus');
    await open({ id_token_hint: idToken });
    await visit.page.getByRole('heading', { name: 'A different account is expected' }).waitFor();
    await visit.look('consent-other-account');
    expect(await button('Allow').count()).toBe(0);
    await button('Go back to the app').click();
    const response = await arrival(visit.page);
    expect(Object.fromEntries(response)).toEqual({
      ...{ kept: '1', error: 'login_required', state: 'a state & more', iss: world.origin },
    });
    await open({ id_token_hint: idToken });
    await button('Use a different account').click();
    await enter(visit.page, fay);
    await question(visit.page).waitFor();
    expect((await claimsOf((await allowing(visit.page)).get('code'))).claims.sub).toBe(fay.id);
  });

  test('ui_locales chooses the language', async () => {
    await open({ ui_locales: 'xx fr-CA de' });
    await visit.page.getByLabel('Adresse e-mail').waitFor();
    expect(await visit.page.evaluate('document.documentElement.lang')).toBe('fr');
  });

  test('prompt=none shows nothing and continues with the session of the browser', async () => {
    const silent = () => visit.page.goto(`${world.origin}/v1${app.path({ scope: 'openid', prompt: 'none' })}`);
    await silent();
    expect(Object.fromEntries(await arrival(visit.page))).toMatchObject({ error: 'login_required', iss: world.origin });
    await visit.leave();
    visit = await world.visit();
    const hal = await signedIn('hal');
    await silent();
    expect(Object.fromEntries(await arrival(visit.page))).toMatchObject({ error: 'consent_required' });
    await open();
    await question(visit.page).waitFor();
    await claimsOf((await allowing(visit.page)).get('code'));
    await silent();
    const { claims } = await claimsOf((await arrival(visit.page)).get('code'));
    expect(claims.sub).toBe(hal.id);
  });

  test('an invalid request of a known application is shown, and returned only by a press', async () => {
    await visit.page.goto(`${world.origin}/v1${app.path({ scope: 'openid', prompt: 'none login' })}`);
    const alert = visit.page.getByRole('alert').filter({ hasText: 'The invalid parameter is prompt.' });
    await alert.waitFor();
    await visit.look('consent-fault-return');
    expect(new URL(visit.page.url()).origin).toBe(world.origin);
    await button('Go back to the app').click();
    expect(Object.fromEntries(await arrival(visit.page))).toEqual({
      ...{ kept: '1', error: 'invalid_request', state: 'a state & more', iss: world.origin },
    });
    await visit.page.goto(`${world.origin}/v1${app.path({ scope: 'openid', request: 'eyJ' })}`);
    await visit.page.getByRole('alert').filter({ hasText: 'supported here' }).waitFor();
    await button('Go back to the app').click();
    expect((await arrival(visit.page)).get('error')).toBe('request_not_supported');
  });

  test('an error of an unknown redirect URI has no button', async () => {
    await open({ redirect_uri: 'https://evil.example/', error: 'invalid_request', error_parameter: 'prompt' });
    await visit.page.getByRole('alert').filter({ hasText: 'invalid request' }).waitFor();
    expect(await button('Go back to the app').count()).toBe(0);
    await open({ error: 'invalid_request', error_parameter: 'call 555' });
    await button('Go back to the app').waitFor();
    expect(await visit.page.getByText('555').count()).toBe(0);
  });

  describe('of a trusted application', () => {
    const trust = (isTrusted: boolean) =>
      world.service.sql("UPDATE application SET is_trusted = $2, trusted_scopes = '{openid,email}' WHERE id = $1", [
        ...[app.id, isTrusted],
      ]);
    beforeEach(() => trust(true));
    afterEach(() => trust(false));
    const wait = () => button('Continue as').waitFor();

    test('needs one press at first and nothing later, also after a sign-in on the page', async () => {
      const uma = await signedIn('uma');
      await open({ scope: 'openid email' });
      await wait();
      expect(await visit.page.getByText('This will allow it to:').count()).toBe(0);
      await visit.look('consent-trusted');
      await decide(visit.page, `Continue as ${uma.username}`);
      await claimsOf((await arrival(visit.page)).get('code'));
      await open({ scope: 'openid email', nonce: 'n2' });
      const { claims } = await claimsOf((await arrival(visit.page)).get('code'));
      expect(claims).toMatchObject({ sub: uma.id, nonce: 'n2', email: uma.email });

      await visit.leave();
      visit = await world.visit();
      await open({ nonce: 'n3' });
      await enter(visit.page, uma);
      const again = await claimsOf((await arrival(visit.page)).get('code'));
      expect(again.claims).toMatchObject({ sub: uma.id, nonce: 'n3' });
    });

    test('shows the full question for prompt=consent, for other scopes and after the user removed the access', async () => {
      const vic = await signedIn('vic');
      const full = () => visit.page.getByText('This will allow it to:').waitFor();
      await open({ scope: 'openid profile' });
      await full();
      await open({ prompt: 'consent' });
      await full();
      await claimsOf((await allowing(visit.page)).get('code'));
      await world.service.as(vic).delete(`/v1/oauth2/@me/authorizations/${app.id}`).expect(204);
      await open();
      await full();
    });

    test('requires the password if the application wants a new authentication', async () => {
      const wes = await signedIn('wes');
      await open();
      await wait();
      await decide(visit.page, `Continue as ${wes.username}`);
      await claimsOf((await arrival(visit.page)).get('code'));
      await open({ max_age: '0' });
      await wait();
      await decide(visit.page, `Continue as ${wes.username}`);
      await dialog().getByLabel('Password', { exact: true }).fill(wes.password);
      await visit.page.keyboard.press('Enter');
      await claimsOf((await arrival(visit.page)).get('code'));
    });
  });
});
