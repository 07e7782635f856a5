import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { configureSso, environmentOf, offerSso, ScriptedProvider } from '../support/index.js';
import { choose, hasArrived, keptIn } from './driving.js';

describeInBrowser('web.md 2: single sign-on', () => {
  let provider: ScriptedProvider;
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    world = await site({ env: environmentOf(provider) });
    await offerSso(world.service, provider, { display_name: 'Example Corp' });
  });
  afterAll(async () => {
    await world?.close();
    await provider?.stop();
  });
  beforeEach(async () => {
    visit = await world.visit({ ignoreHTTPSErrors: true });
  });

  const accountOf = async (email: string) =>
    (await world.service.sql('SELECT id FROM account WHERE email = $1', [email]))[0]?.id as string | undefined;
  const begin = async (path = '/login') => {
    await visit.open(path);
    await choose(visit.page, 'Continue with Example Corp');
  };
  const atCallback = () => visit.page.waitForURL((url) => url.pathname === '/auth/sso/callback');

  test('the button has the name of the provider; a user who returns from it is signed in and continues', async () => {
    const { page } = visit;
    const email = 'ada@corp.example.com';
    provider.sendBack({ claims: { email } });
    await visit.open('/login?return_to=/forgot');
    await page.getByText('Continue with Example Corp').waitFor();
    await visit.look('login-sso');
    await page.focus('[name=keep]');
    await page.keyboard.press('Space');
    await choose(page, 'Continue with Example Corp');
    await page.waitForURL((url) => url.pathname === '/forgot');
    expect(await keptIn(page)).toEqual({ tab: null, browser: expect.stringMatching(/^flx_/) });
    const { browser: token } = await keptIn(page);
    expect((await world.service.as(token ?? '').get('/v1/users/@me')).body.id).toBe(await accountOf(email));
    await visit.leave();
  });

  test('a callback that this tab did not start is rejected without a request', async () => {
    const { page } = visit;
    let sent = 0;
    await page.route('**/v1/auth/sso/complete', (route) => {
      sent++;
      return route.continue();
    });
    await visit.open('/auth/sso/callback?code=stolen&state=foreign');
    await page.getByText('This sign-in was started in another tab').waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(sent).toBe(0);
    await visit.look('sso-not-started-here');
    await page.reload();
    await page.getByText('This sign-in was started in another tab').waitFor();
    await choose(page, 'Back to sign-in');
    await page.waitForSelector('[name=email]');
    await visit.leave();
  });

  test("the provider's error is shown only if this tab started the sign-in; a link shows none", async () => {
    const { page } = visit;
    await visit.open('/auth/sso/callback?error=call_15550100&state=foreign');
    await page.getByText('Your sign-in provider rejected the sign-in.').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('15550100');
    provider.sendBack({ error: 'interaction_required' });
    await begin();
    await atCallback();
    await page.getByText('interaction_required', { exact: true }).waitFor();
    await visit.leave();
  });

  test('the page without parameters has nothing to complete, and says so', async () => {
    await visit.open('/auth/sso/callback');
    await visit.page.getByText('Nothing to see here.').waitFor();
    await visit.leave();
  });

  test.each([
    ['access_denied', 'Sign-in was canceled'],
    ['temporarily_unavailable', 'Your sign-in provider isn’t responding.'],
    ['interaction_required', 'Your sign-in provider rejected the sign-in.'],
  ])('the provider returns %s: explained, and the next attempt works', async (error, words) => {
    const { page } = visit;
    provider.sendBack({ error });
    await begin();
    await atCallback();
    await page.getByText(words).waitFor();
    await visit.look(`sso-${error}`);
    provider.sendBack({ claims: { email: `${error.replaceAll('_', '.')}@corp.example.com` } });
    await choose(page, 'Continue with Example Corp');
    await hasArrived(page);
    await visit.leave();
  });

  test.each([
    ['INVALID_EMAIL_ADDRESS', { email: 'nobody' }, 'We can’t send email to this domain.'],
    ['INVALID_SSO_TOKEN', { aud: 'somebody else' }, 'We couldn’t verify your sign-in provider’s response'],
  ])('%s is shown in words, also after a reload', async (_code, claims, words) => {
    const { page } = visit;
    provider.sendBack({ claims });
    await begin();
    await atCallback();
    await page.getByText(words).waitFor();
    expect(await page.title()).toMatch(/^Sign-in failed/);
    await page.reload();
    await page.getByText('Nothing to see here.').waitFor();
    expect(await keptIn(page)).toEqual({ tab: null, browser: null });
    await visit.leave();
  });

  test('a user without an account sees that, and not that single sign-on is required', async () => {
    const { page } = visit;
    await configureSso(world.service, { auto_provision: false });
    try {
      provider.sendBack({ claims: { email: 'unknown@corp.example.com' } });
      await begin();
      await page.getByText('You don’t have an account here yet.').waitFor();
      await visit.look('sso-no-account');
      expect(await accountOf('unknown@corp.example.com')).toBeUndefined();
    } finally {
      await configureSso(world.service, { auto_provision: true });
    }
    await visit.leave();
  });

  test('offline at the callback: an error is shown, and the same attempt continues later, also after a reload', async () => {
    const { page } = visit;
    provider.sendBack({ claims: { email: 'offline@corp.example.com' } });
    await page.route('**/v1/auth/sso/complete', (route) => route.abort());
    await begin();
    await page.getByText('We can’t reach the server.').waitFor();
    await visit.look('sso-unreachable');
    await page.reload();
    await page.getByText('We can’t reach the server.').waitFor();
    await page.unroute('**/v1/auth/sso/complete');
    await choose(page, 'Try again');
    await hasArrived(page);
    expect(await accountOf('offline@corp.example.com')).toBeDefined();
    await visit.leave();
  });
});
