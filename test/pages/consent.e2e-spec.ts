import { describeInBrowser } from '../machine/browser.js';
import {
  type Asking,
  arrival,
  asking,
  decide,
  enter,
  NAME,
  question,
  signedInAs,
} from '../machine/consent-application.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type Persona, person, signIn } from '../support/index.js';

describeInBrowser('oauth 5.2 the consent page: the decision', () => {
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

  const codesOf = ({ id }: Persona) => world.service.sql('SELECT 1 FROM oauth_code WHERE account_id = $1', [id]);
  const sessionsOf = async (whom: Persona) => (await world.service.as(whom).get('/v1/auth/sessions')).body;
  const grantsOf = async (whom: Persona) => (await world.service.as(whom).get('/v1/oauth2/@me/authorizations')).body;
  const allow = () => visit.page.getByRole('button', { name: 'Allow' });
  const deny = () => visit.page.getByRole('button', { name: 'Deny' });

  /** A user who is signed in in this browser. */
  const signedIn = async (name: string): Promise<Persona> => {
    const whom = await person(world.service, name);
    await signedInAs(visit.page, await signIn(world.service, whom));
    return whom;
  };

  const tokensFor = async (code: string | null) => {
    const { status, body } = await world.service.anonymous.form('/v1/oauth2/token', {
      grant_type: 'authorization_code',
      code: code ?? '',
      redirect_uri: app.redirectUri,
      code_verifier: app.verifier,
      client_id: app.id,
      client_secret: app.secret,
    });
    expect(status).toBe(200);
    return body;
  };

  test('signing in and allowing returns a code for tokens; the one-time session has ended', async () => {
    const ada = await person(world.service, 'ada');
    const { page } = visit;
    await visit.open(app.path());
    await enter(page, ada);
    await question(page).waitFor();
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      'See your username, name, and profile picture',
      'See your email address and whether it’s verified',
    ]);
    await page.getByText(new URL(app.redirectUri).host, { exact: true }).first().waitFor();
    await page.getByText('You’re signed in just for this request').waitFor();
    await visit.look('consent-once');
    await decide(visit.page, 'Allow');
    const response = await arrival(page);
    expect([response.get('kept'), response.get('state'), response.get('iss')]).toEqual([
      '1',
      'a state & more',
      world.origin,
    ]);
    const { access_token } = await tokensFor(response.get('code'));
    const info = await world.service.as(`Bearer ${access_token}`).get('/v1/oauth2/userinfo');
    expect(info.body).toMatchObject({ sub: ada.id, email: ada.email });
    expect(await sessionsOf(ada)).toHaveLength(1);
  });

  test('denying returns access_denied and grants nothing', async () => {
    const ben = await person(world.service, 'ben');
    await visit.open(app.path());
    await enter(visit.page, ben);
    await decide(visit.page, 'Deny');
    const response = await arrival(visit.page);
    expect([response.get('error'), response.has('code')]).toEqual(['access_denied', false]);
    expect([await grantsOf(ben), await codesOf(ben)]).toEqual([[], []]);
    expect(await sessionsOf(ben)).toHaveLength(1);
  });

  test('a signed-in user decides with one click, and stays signed in', async () => {
    const cal = await signedIn('cal');
    await visit.open(app.path());
    await question(visit.page).waitFor();
    await visit.look('consent');
    expect(await visit.page.getByLabel('Password', { exact: true }).count()).toBe(0);
    await decide(visit.page, 'Allow');
    await tokensFor((await arrival(visit.page)).get('code'));
    expect(await sessionsOf(cal)).toHaveLength(2);
    // The next request shows the scopes that are already granted and marks the others.
    await visit.open(app.path({ scope: 'identify' }));
    await visit.page.getByText(`You already gave ${NAME} this access on`).waitFor();
    expect(await visit.page.getByText('New', { exact: true }).count()).toBe(0);
    await visit.open(app.path({ scope: 'bot identify' }));
    await visit.page.getByText(`You already gave ${NAME} this access on`).waitFor();
  });

  test('new permissions of the application are marked', async () => {
    const cy = await signedIn('cy');
    await visit.open(app.path({ scope: 'identify' }));
    await decide(visit.page, 'Allow');
    await tokensFor((await arrival(visit.page)).get('code'));
    await visit.open(app.path());
    await visit.page.getByText('New permissions are marked.').waitFor();
    expect(await visit.page.getByRole('listitem').allTextContents()).toEqual([
      'See your username, name, and profile picture',
      expect.stringMatching(/^See your email address.*New$/),
    ]);
    await visit.look('consent-more');
    expect((await grantsOf(cy))[0].scopes).toEqual(['identify']);
  });

  test('the keyboard is enough, and the focus moves to the next step', async () => {
    const fay = await person(world.service, 'fay');
    const { page } = visit;
    await visit.open(app.path());
    await page.locator('[name=email]:focus').waitFor();
    await page.keyboard.type(fay.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(fay.password);
    await page.keyboard.press('Enter');
    await page.locator('h1:focus').filter({ hasText: 'wants to access' }).waitFor();
    await page.locator('button:not([aria-disabled])', { hasText: 'Allow' }).waitFor();
    await page.keyboard.press('Tab');
    await page.locator('button:focus', { hasText: 'Allow' }).waitFor();
    await page.keyboard.press('Enter');
    await arrival(page);
  });

  test('a second Enter, a held key and a click in the first second decide nothing', async () => {
    const gus = await person(world.service, 'gus');
    const { page } = visit;
    await visit.open(app.path());
    await page.getByLabel('Email').fill(gus.email);
    await page.getByLabel('Password', { exact: true }).fill(gus.password);
    // The reading time of one second starts only when the window is in front, even on a slow machine.
    await page.evaluate('document.hasFocus = () => window.isInFront === true');
    await page.keyboard.down('Enter');
    await page.locator('h1:focus').filter({ hasText: 'wants to access' }).waitFor();
    for (let repeat = 0; repeat < 10; repeat++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    for (let more = 0; more < 3; more++) await page.keyboard.press('Enter');
    for (const button of [allow(), deny()]) {
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await button.evaluate('button => { button.removeAttribute("aria-disabled"); button.click(); }');
      await button.focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press(' ');
    }
    expect([await codesOf(gus), new URL(page.url()).origin]).toEqual([[], world.origin]);
    // After the reading time, a key must be pressed again. Holding it does not count.
    await allow().focus();
    await page.keyboard.down('Enter');
    await page.evaluate('window.isInFront = true; dispatchEvent(new Event("focus"))');
    await page.locator('button:not([aria-disabled])', { hasText: 'Allow' }).waitFor();
    for (let repeat = 0; repeat < 10; repeat++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    // A window on top may have received the first of two clicks.
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await page.locator('button[aria-disabled]', { hasText: 'Allow' }).waitFor();
    await page.locator('button:not([aria-disabled])', { hasText: 'Allow' }).waitFor();
    await allow().focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect((await arrival(page)).get('error')).toBe('access_denied');
    expect(await codesOf(gus)).toEqual([]);
  });

  test('a double click grants once, and the back button does not return to the question', async () => {
    const hew = await signedIn('hew');
    const { page } = visit;
    let requested = 0;
    await page.route('**/v1/oauth2/authorize/consent', async (route) => {
      requested++;
      await route.continue();
    });
    await visit.open('/login');
    await visit.open(app.path());
    await page.locator('button:not([aria-disabled])', { hasText: 'Allow' }).waitFor();
    await allow().dblclick();
    await arrival(page);
    expect([requested, await codesOf(hew)]).toEqual([1, [{ '?column?': 1 }]]);
    await page.goBack();
    expect(new URL(page.url()).pathname).not.toBe('/oauth2/authorize');
  });

  test('it shows that the application is external and who is signed in; the user can switch accounts', async () => {
    const { page } = visit;
    const [hal, ida] = [await person(world.service, 'hal'), await person(world.service, 'ida')];
    await world.service.as(hal).patch('/v1/users/@me', { global_name: 'Hal <i>Nine</i>' });
    await visit.open(app.path());
    const product = (await world.service.anonymous.get('/.well-known/service')).body.product_name;
    await page.getByText(`Sign in to ${product} to continue to ${NAME}.`).waitFor();
    await visit.look('consent-sign-in');
    await enter(page, hal);
    await page.getByText(`Signed in as Hal <i>Nine</i> (${hal.username}#`).waitFor();
    expect(await page.locator('main').innerText()).toContain(hal.email);
    await page.getByText(`${NAME} isn’t made by ${product}.`).waitFor();
    expect(await page.locator('header').innerText()).toContain(product);
    await page.getByRole('button', { name: 'Use a different account' }).click();
    await page.getByLabel('Email').waitFor();
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    expect(await sessionsOf(hal)).toHaveLength(1);
    await enter(page, ida);
    await page.getByText(`Signed in as ${ida.username}#`).waitFor();
    await decide(visit.page, 'Deny');
    await arrival(page);
    expect(await sessionsOf(ida)).toHaveLength(1);
  });

  test('a signed-in user can decide with another account and stays signed in elsewhere', async () => {
    const [jon, kay] = [await signedIn('jon'), await person(world.service, 'kay')];
    const { page } = visit;
    await visit.open(app.path());
    await page.getByText(`Signed in as ${jon.username}#`).waitFor();
    await page.getByRole('button', { name: 'Use a different account' }).click();
    await page.getByLabel('Email').waitFor();
    expect(await page.getByLabel('Keep me signed in').count()).toBe(0);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText(`Signed in as ${jon.username}#`).waitFor();
    await page.getByRole('button', { name: 'Use a different account' }).click();
    await enter(page, kay);
    await page.getByText(`Signed in as ${kay.username}#`).waitFor();
    // A reload keeps the chosen account.
    await page.reload();
    await page.getByText(`Signed in as ${kay.username}#`).waitFor();
    await decide(visit.page, 'Allow');
    await arrival(page);
    expect([await codesOf(jon), await codesOf(kay)]).toEqual([[], [{ '?column?': 1 }]]);
    expect([(await sessionsOf(jon)).length, (await sessionsOf(kay)).length]).toEqual([2, 1]);
    await visit.open(app.path());
    await page.getByText(`Signed in as ${jon.username}#`).waitFor();
  });

  test('a user who stays signed in decides in the next tab with one click', async () => {
    const lea = await person(world.service, 'lea');
    const { page } = visit;
    await visit.open(app.path());
    await page.getByLabel('Keep me signed in').check();
    await enter(page, lea);
    await question(page).waitFor();
    expect(await page.getByText('just for this request').count()).toBe(0);
    await decide(visit.page, 'Allow');
    await arrival(page);
    expect(await sessionsOf(lea)).toHaveLength(2);
    const other = await visit.tab();
    await other.goto(`${world.origin}${app.path()}`);
    await other.getByText(`Signed in as ${lea.username}#`).waitFor();
  });

  test('a session for one request cannot decide about another one', async () => {
    const mia = await person(world.service, 'mia');
    const { page } = visit;
    await visit.open(app.path());
    await enter(page, mia);
    await question(page).waitFor();
    expect(await sessionsOf(mia)).toHaveLength(2);
    const ended = page.waitForResponse('**/v1/auth/logout');
    await visit.open(app.path({ state: 'another' }));
    expect((await ended).status()).toBe(204);
    await page.getByLabel('Email').waitFor();
    expect(await sessionsOf(mia)).toHaveLength(1);
  });

  test('a session that ends in the meantime decides nothing: the page reports it within a second', async () => {
    const { page } = visit;
    const ned = await person(world.service, 'ned');
    const token = await signIn(world.service, ned);
    await signedInAs(page, token);
    await visit.open(app.path());
    await question(page).waitFor();
    await visit.waitForGateway();
    await world.service.as(token).post('/v1/auth/logout').expect(204);
    await page.getByText('You’ve been signed out. Sign in again to continue.').waitFor();
    await page.getByLabel('Email').waitFor();
    await visit.look('consent-signed-out');
    expect(await codesOf(ned)).toEqual([]);
  });

  test('a one-time session that ended elsewhere decides nothing either', async () => {
    const { page } = visit;
    const oli = await person(world.service, 'oli');
    await visit.open(app.path());
    await enter(page, oli);
    await question(page).waitFor();
    await world.service.sql('DELETE FROM session WHERE account_id = $1', [oli.id]);
    await decide(visit.page, 'Allow');
    await page.getByText('You’ve been signed out. Sign in again to continue.').waitFor();
    await page.getByLabel('Email').waitFor();
    expect(await codesOf(oli)).toEqual([]);
  });

  test('another tab that signs in or out with another account is followed', async () => {
    const pam = await signedIn('pam');
    const quin = await person(world.service, 'quin');
    const { page } = visit;
    await visit.open(app.path());
    await page.getByText(`Signed in as ${pam.username}#`).waitFor();
    const other = await visit.tab();
    await other.goto(`${world.origin}/oauth2/authorize`);
    await other.evaluate(`new BroadcastChannel('gatehouse.session').postMessage({ kind: 'began',
      session: { token: ${JSON.stringify(await signIn(world.service, quin))}, isKept: false } })`);
    await page.getByText(`Signed in as ${quin.username}#`).waitFor();
    await decide(visit.page, 'Allow');
    await arrival(page);
    expect([await codesOf(pam), await codesOf(quin)]).toEqual([[], [{ '?column?': 1 }]]);
  });

  test('offline nothing is lost, and a slow or busy service is retried', async () => {
    const ron = await signedIn('ron');
    const { page, context } = visit;
    await page.route('**/v1/users/@me', (route) => route.abort('failed'), { times: 1 });
    await visit.open(app.path());
    await page.getByRole('alert').filter({ hasText: 'can’t reach the server' }).waitFor();
    await visit.look('consent-unreachable');
    await page.getByRole('button', { name: 'Try again' }).click();
    await question(page).waitFor();
    await context.setOffline(true);
    await decide(visit.page, 'Allow');
    await page.getByRole('alert').filter({ hasText: 'You’re offline' }).waitFor();
    await visit.look('consent-offline');
    await context.setOffline(false);
    await page.route(
      '**/v1/oauth2/authorize/consent',
      (route) =>
        route.fulfill({
          status: 503,
          headers: { 'retry-after': '1' },
          json: { code: 'SERVICE_UNAVAILABLE', message: 'x' },
        }),
      { times: 1 },
    );
    await decide(visit.page, 'Allow');
    expect((await arrival(page)).has('code')).toBe(true);
    expect(await codesOf(ron)).toHaveLength(1);
  });

  test('too many decisions show a countdown, and a private bot is reported as private', async () => {
    const sue = await signedIn('sue');
    const { page } = visit;
    await world.service.as(app.owner).patch(`/v1/oauth2/applications/${app.id}`, { bot_public: false }).expect(200);
    await visit.open(app.path({ scope: 'bot' }));
    await page.getByText('Connect its bot').waitFor();
    await decide(visit.page, 'Allow');
    await page.getByRole('alert').filter({ hasText: 'This bot is private' }).waitFor();
    await world.service.as(app.owner).patch(`/v1/oauth2/applications/${app.id}`, { bot_public: true }).expect(200);
    await page.route(
      '**/v1/oauth2/authorize/consent',
      (route) =>
        route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: { code: 'RATE_LIMITED', message: 'x' } }),
      { times: 1 },
    );
    await decide(visit.page, 'Allow');
    await page.getByRole('button', { name: /^Try again in \d seconds?$/ }).waitFor();
    await decide(visit.page, 'Allow');
    expect((await arrival(page)).has('code')).toBe(true);
    expect(await codesOf(sue)).toHaveLength(1);
  });

  test('an account with an outstanding requirement can also decide', async () => {
    const tim = await signedIn('tim');
    await world.service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [tim.id]);
    await visit.open(app.path());
    await decide(visit.page, 'Allow');
    expect((await arrival(visit.page)).has('code')).toBe(true);
  });
});
