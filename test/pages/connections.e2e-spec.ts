import { randomBytes } from 'node:crypto';
import { describeInBrowser } from '../machine/browser.js';
import { CONNECTIONS, connect, IDENTITIES, signInWith, startLink } from '../machine/connections.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  environmentOf,
  offerSso,
  type Persona,
  ScriptedProvider,
  superuser,
  verifiedPerson,
  withTotp,
} from '../support/index.js';
import { choose, hasArrived, heldSession, keptIn, type } from './driving.js';

const PRESETS = ['google', 'microsoft', 'github', 'gitlab', 'discord'] as const;

describeInBrowser('connections.md 4: pages before sign-in', () => {
  let provider: ScriptedProvider;
  let world: Site;
  let root: Persona;
  let visit: Visit;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    world = await site({ env: environmentOf(provider) });
    provider.seconds = () => world.service.clock.seconds();
    root = await superuser(world.service);
    await connect(world.service, root, provider, { icon: 'google', position: 0 });
  });
  afterAll(async () => {
    await world?.close();
    await provider?.stop();
  });
  beforeEach(async () => {
    visit = await world.visit({ ignoreHTTPSErrors: true });
  });

  const edit = async (members: object, id = 'corp') => {
    const { status, body } = await world.service.as(root).patch(`${CONNECTIONS}/${id}`, members);
    expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ id }) });
  };
  const accountOf = async (email: string) =>
    (await world.service.sql('SELECT id FROM account WHERE email = $1', [email]))[0]?.id as string | undefined;
  const begin = async (path = '/login') => {
    await visit.open(path);
    await choose(visit.page, 'Continue with Corp');
  };
  const atCallback = () => visit.page.waitForURL((url) => url.pathname === '/auth/connections/corp/callback');

  test('the button signs in a new user, who continues where they wanted to go', async () => {
    const { page } = visit;
    const email = 'ada@corp.example.com';
    provider.sendBack({ claims: { email } });
    await visit.open('/login?return_to=/forgot');
    await page.getByText('Continue with Corp').waitFor();
    await visit.look('connections-1');
    await page.focus('[name=keep]');
    await page.keyboard.press('Space');
    await choose(page, 'Continue with Corp');
    await page.waitForURL((url) => url.pathname === '/forgot');
    expect(await keptIn(page)).toEqual({ tab: null, browser: expect.stringMatching(/^flx_/) });
    const { token } = await heldSession(visit);
    expect((await world.service.as(token ?? '').get('/v1/users/@me')).body.id).toBe(await accountOf(email));
    await visit.leave();
  });

  test('the registration page has the same button', async () => {
    const { page } = visit;
    provider.sendBack({ claims: { email: 'register@corp.example.com' } });
    await visit.open('/register');
    await page.getByText('Continue with Corp').waitFor();
    await visit.look('connections-register');
    await choose(page, 'Continue with Corp');
    await hasArrived(page);
    await visit.leave();
  });

  test('a second factor is required on the sign-in page, also after a reload', async () => {
    const { page } = visit;
    const bob = await verifiedPerson(world.service, 'bob');
    const claims = { sub: 'bob', email: bob.email };
    const input = await startLink(world.service.as(bob), bob.password, provider, claims);
    expect((await world.service.as(bob).post(`${IDENTITIES}/complete`, input)).status).toBe(200);
    const { authenticator } = await withTotp(world.service, bob);
    provider.sendBack({ claims });
    await begin('/login?return_to=/forgot');
    await page.waitForURL((url) => url.pathname === '/login');
    await page.waitForSelector('[name=code]');
    await visit.look('connections-factor');
    await page.reload();
    await page.waitForSelector('[name=code]');
    expect(await keptIn(page)).toEqual({ tab: null, browser: null });
    await type(page, 'code', authenticator.next());
    await page.waitForURL((url) => url.pathname === '/forgot');
    expect(await keptIn(page)).toEqual({ tab: expect.stringMatching(/^flx_/), browser: null });
    await visit.leave();
  });

  test('an account with the email address exists: nothing is linked, and another way to sign in is offered', async () => {
    const { page } = visit;
    const carol = await verifiedPerson(world.service, 'carol');
    provider.sendBack({ claims: { email: carol.email } });
    await begin();
    await page.getByText('An account with this email address already exists.').waitFor();
    await visit.look('connections-account-exists');
    expect(await keptIn(page)).toEqual({ tab: null, browser: null });
    expect((await world.service.as(carol).get(IDENTITIES)).body.identities).toEqual([]);
    await choose(page, 'Sign in another way');
    await page.waitForURL(({ pathname, searchParams }) => {
      return pathname === '/login' && searchParams.get('return_to') === '/account/sign-in-methods';
    });
    await visit.leave();
  });

  test.each([
    ['email_verified', { email_verified: false }, 'Your sign-in provider didn’t confirm an email address.'],
    ['audience', { aud: 'another client' }, 'We couldn’t verify your sign-in provider’s response'],
  ])('a wrong %s is explained, and no account is created', async (_name, claims, words) => {
    const { page } = visit;
    const email = `${randomBytes(4).toString('hex')}@corp.example.com`;
    provider.sendBack({ claims: { email, ...claims } });
    await begin();
    await page.getByText(words).waitFor();
    expect(await page.title()).toMatch(/^Sign-in failed/);
    expect(await accountOf(email)).toBeUndefined();
    await page.reload();
    await page.getByText('Nothing to see here.').waitFor();
    await visit.leave();
  });

  test('no sign-up: the user sees that new accounts are not available', async () => {
    const { page } = visit;
    await edit({ allow_sign_up: false });
    provider.sendBack({ claims: { email: 'closed@corp.example.com' } });
    await begin();
    await page.getByText('New accounts aren’t available right now.').waitFor();
    expect(await accountOf('closed@corp.example.com')).toBeUndefined();
    await edit({ allow_sign_up: true });
    await visit.leave();
  });

  test.each([
    ['access_denied', 'Sign-in was canceled'],
    ['temporarily_unavailable', 'Your sign-in provider isn’t responding.'],
  ])('the provider returns %s: explained, and the next attempt works', async (error, words) => {
    const { page } = visit;
    provider.sendBack({ error });
    await begin();
    await atCallback();
    await page.getByText(words).waitFor();
    await visit.look(`connections-${error}`);
    provider.sendBack({ claims: { email: `${error.replaceAll('_', '.')}.again@corp.example.com` } });
    await choose(page, 'Continue with Corp');
    await hasArrived(page);
    await visit.leave();
  });

  test('a callback that this tab did not start, or of another connection, is rejected without a request', async () => {
    const { page } = visit;
    let sent = 0;
    await page.route('**/complete', (route) => {
      sent++;
      return route.continue();
    });
    await visit.open('/auth/connections/corp/callback?code=stolen&state=foreign');
    await page.getByText('This sign-in was started in another tab').waitFor();
    expect(new URL(page.url()).search).toBe('');
    provider.overrides.authorize = (req, res) => {
      const requested = new URL(req.url ?? '/', provider.issuer);
      const back = new URL('/auth/connections/other/callback', requested.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', provider.visit(requested.href));
      back.searchParams.set('state', requested.searchParams.get('state') ?? '');
      res.writeHead(302, { location: back.href }).end();
    };
    await begin();
    await page.waitForURL((url) => url.pathname === '/auth/connections/other/callback');
    await page.getByText('This sign-in was started in another tab').waitFor();
    expect(sent).toBe(0);
    await visit.leave();
  });

  test('offline at the callback: the same attempt continues later, also after a reload', async () => {
    const { page } = visit;
    provider.sendBack({ claims: { email: 'offline@corp.example.com' } });
    await page.route('**/complete', (route) => route.abort());
    await begin();
    await page.getByText('We can’t reach the server.').waitFor();
    await page.reload();
    await page.getByText('We can’t reach the server.').waitFor();
    await page.unroute('**/complete');
    await choose(page, 'Try again');
    await hasArrived(page);
    expect(await accountOf('offline@corp.example.com')).toBeDefined();
    await visit.leave();
  });

  test('the order of four and eight buttons is that of the administrator, next to single sign-on', async () => {
    const { page } = visit;
    const add = (id: string, position: number) =>
      connect(world.service, root, provider, { id, position, icon: id, display_name: id.toUpperCase() });
    const names = () => page.locator('ul.providers li').allTextContents();
    for (const [at, id] of PRESETS.slice(0, 3).entries()) await add(id, 10 - at);
    await visit.open('/login');
    await page.getByText('Continue with GITHUB').waitFor();
    expect(await names()).toEqual(['Corp', 'GITHUB', 'MICROSOFT', 'GOOGLE'].map((name) => `Continue with ${name}`));
    await visit.look('connections-4');
    for (const [at, id] of PRESETS.slice(3).entries()) await add(id, 20 + at);
    for (const id of ['example', 'example-university'])
      await connect(world.service, root, provider, { id, position: 30, display_name: `The ${id} identity provider` });
    await offerSso(world.service, provider, { display_name: 'Single Corp' });
    await visit.open('/login');
    await page.getByRole('button', { name: 'Continue with GITLAB' }).waitFor();
    expect((await names()).slice(0, 6)).toEqual(['Corp', 'GITHUB', 'MICROSOFT', 'GOOGLE', 'GITLAB', 'DISCORD']);
    expect(await names()).toHaveLength(8);
    await page.getByText('Continue with Single Corp').waitFor();
    await visit.look('connections-8');
    provider.sendBack({ claims: { email: 'eighth@corp.example.com' } });
    await choose(page, 'DISCORD');
    await hasArrived(page);
    expect((await signInWith(world.service, provider, {}, { id: 'discord' })).status).toBe(200);
    await visit.leave();
  });
});
