/**
 * Tests Auth.js through its core, and `next-auth` 4. `next-auth` 5 is a thin layer above the core: `auth()` requests the
 * session from the core's handler, as `render` does here. Neither needs Next.js or React for its OAuth2 work.
 */
import { type App, asApp, type Gatehouse, isTokenActive, newApp, type Persona, person } from '../support/index.js';
import { BrowserOfAuthJs, type Refresh, type SessionOfAuthJs, SiteOfAuthJs } from './auth-js.js';
import { decide, ownService } from './consent.js';
import { SiteOfNextAuth } from './next-auth.js';

describe.each([
  ['@auth/core', new SiteOfAuthJs()],
  ['next-auth 4', new SiteOfNextAuth()],
])('%s', (_, site) => {
  let service: Gatehouse;
  let alice: Persona;
  let app: App;
  beforeAll(async () => {
    service = await ownService();
    alice = await person(service, 'alice');
    const callback = await site.listen();
    app = await newApp(service, await person(service, 'owner'), { redirect_uris: [callback] });
    site.use({ origin: service.url, id: app.id, secret: app.secret ?? '' });
  });
  afterAll(async () => {
    await site.close();
    await service.close();
  });
  beforeEach(() => site.reset());

  async function signedIn(): Promise<{ browser: BrowserOfAuthJs; first: SessionOfAuthJs }> {
    const browser = new BrowserOfAuthJs(site);
    expect(await browser.comeBack(await decide(service, alice, await browser.begin()))).toBe(site.url);
    const first = await browser.session();
    if (!first) throw new Error('no session');
    return { browser, first };
  }

  /** Holds refresh requests back until `count` of them are waiting. */
  function together(count: number): Refresh {
    const waiting: (() => void)[] = [];
    return async (...request) => {
      const all = new Promise<void>((resolve) => waiting.push(resolve));
      if (waiting.length === count) for (const go of waiting) go();
      await all;
      return fetch(...request);
    };
  }

  /** The service responds, and the connection ends before the application has read the response. */
  function lost(): { send: Refresh; answers: Record<string, unknown>[] } {
    const responses: Record<string, unknown>[] = [];
    const send: Refresh = async (...request) => {
      responses.push((await (await fetch(...request)).json()) as Record<string, unknown>);
      throw new TypeError('terminated');
    };
    return { send, answers: responses };
  }

  const later = (seconds: number) =>
    service.sql(
      `UPDATE oauth_token SET consumed_at = consumed_at - $1 * interval '1 second',
       settled_at = settled_at - $1 * interval '1 second'`,
      [seconds],
    );
  const isActive = async (token: string): Promise<boolean> =>
    (await asApp(service, app, '/v1/oauth2/introspect', { token })).body.active;
  const INVALID_GRANT = { status: 400, body: expect.objectContaining({ error: 'invalid_grant' }) };

  test('sign-in by code with PKCE gives a session with the profile', async () => {
    const browser = new BrowserOfAuthJs(site);
    const url = await browser.begin();
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    expect(await browser.session()).toBeNull();
    expect(await browser.comeBack(await decide(service, alice, url))).toBe(site.url);
    const session = await browser.session();
    expect(session?.user).toEqual({ name: 'alice', email: alice.email });
    expect(await isTokenActive(service, session?.access_token ?? '')).toBe(true);
    expect(site.refreshes).toEqual([]);
  });

  test('a code that is not from the same browser gives no session', async () => {
    const back = await decide(service, alice, await new BrowserOfAuthJs(site).begin());
    const stranger = new BrowserOfAuthJs(site);
    expect(await stranger.comeBack(back)).toMatch(site.rejection);
    expect(await stranger.session()).toBeNull();
  });

  test('a denial gives no session', async () => {
    const browser = new BrowserOfAuthJs(site);
    const back = await decide(service, alice, await browser.begin(), 'deny');
    expect(await browser.comeBack(back)).toMatch(/[?&]error=/);
    expect(await browser.session()).toBeNull();
  });

  test('an expired access token is refreshed, and the next refresh uses the new refresh token', async () => {
    const { browser, first } = await signedIn();
    let before = first;
    for (let count = 1; count <= 3; count++) {
      site.expireAccess();
      const session = await browser.session();
      if (!session) throw new Error('no session');
      expect(session.error).toBeUndefined();
      expect(session.refresh_token).not.toBe(before.refresh_token);
      expect(await isTokenActive(service, session.access_token)).toBe(true);
      before = session;
    }
    expect(site.refreshes).toHaveLength(3);
  });

  test('two tabs that refresh with the same token at the same moment both keep a working session', async () => {
    const { browser, first } = await signedIn();
    site.expireAccess();
    site.send = together(2);
    const tabs = await Promise.all([browser.session(), browser.session()]);
    expect(site.refreshes.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(tabs.map((tab) => tab?.refresh_token)).size).toBe(1);
    for (const tab of tabs) {
      expect(tab?.error).toBeUndefined();
      expect(tab?.refresh_token).not.toBe(first.refresh_token);
      expect(await isTokenActive(service, tab?.access_token ?? '')).toBe(true);
    }
    site.send = fetch;
    site.expireAccess();
    const next = await browser.session();
    expect(next?.error).toBeUndefined();
    expect(await isTokenActive(service, next?.access_token ?? '')).toBe(true);
  });

  test('server-side renders that refresh at the same moment work, and so does the tab that comes after them', async () => {
    const { browser } = await signedIn();
    site.expireAccess();
    site.send = together(2);
    const renders = await Promise.all([site.render(browser.cookies), site.render(browser.cookies)]);
    for (const { error, access_token } of renders) {
      expect(error).toBeUndefined();
      expect(await isTokenActive(service, access_token)).toBe(true);
    }
    // A render cannot set the cookie, so the tab still has the old refresh token.
    site.send = fetch;
    const tab = await browser.session();
    expect(tab).toMatchObject({ refresh_token: renders[0]?.refresh_token, access_token: renders[0]?.access_token });
    expect(tab?.error).toBeUndefined();
  });

  test('after a lost response the old refresh token works for 10 s and brings the same pair', async () => {
    const { browser, first } = await signedIn();
    site.expireAccess();
    const { send, answers: responses } = lost();
    site.send = send;
    expect(await browser.session()).toMatchObject({ refresh_token: first.refresh_token, error: 'RefreshTokenError' });
    await later(8);
    site.send = fetch;
    const again = await browser.session();
    expect(again?.error).toBeUndefined();
    expect(responses).toMatchObject([{ access_token: again?.access_token, refresh_token: again?.refresh_token }]);
    expect(await isTokenActive(service, again?.access_token ?? '')).toBe(true);
    site.expireAccess();
    expect((await browser.session())?.error).toBeUndefined();
  });

  test('after a lost response reuse later than 10 s ends the grant', async () => {
    const { browser, first } = await signedIn();
    site.expireAccess();
    const { send, answers: responses } = lost();
    site.send = send;
    await browser.session();
    const [response = {}] = responses;
    await later(11);
    site.send = fetch;
    expect(await browser.session()).toMatchObject({ error: 'RefreshTokenError' });
    expect(site.refreshes).toEqual([INVALID_GRANT]);
    for (const token of [first.access_token, String(response.access_token)]) {
      expect(await isTokenActive(service, token)).toBe(false);
    }
    for (const token of [first.refresh_token, String(response.refresh_token)])
      expect(await isActive(token)).toBe(false);
    expect(await browser.session()).toMatchObject({ error: 'RefreshTokenError' });
    expect(site.refreshes).toEqual([INVALID_GRANT, INVALID_GRANT]);
  });

  test('the leeway ends when the new refresh token is used: the old one then ends the grant', async () => {
    const { browser } = await signedIn();
    site.expireAccess();
    const stale = browser.cookies;
    await browser.session();
    site.expireAccess();
    const last = await browser.session();
    expect(await site.render(stale)).toMatchObject({ error: 'RefreshTokenError' });
    expect(site.refreshes.at(-1)).toEqual(INVALID_GRANT);
    expect(await isTokenActive(service, last?.access_token ?? '')).toBe(false);
    expect(await isActive(last?.refresh_token ?? '')).toBe(false);
  });
});
