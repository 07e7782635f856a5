import { decodeJwt } from 'jose';
import { freePort } from '../machine/ports.js';
import { describeUnless } from '../machine/programs.js';
import {
  type App,
  type Gatehouse,
  isTokenActive,
  newApp,
  type Persona,
  parametersOf,
  person,
  verifiedPerson,
} from '../support/index.js';
import { decide, ownService } from './consent.js';
import { type CookieBrowser, cookieBrowser } from './cookie-browser.js';
import { Lemonldap, lemonldapMissing } from './lemonldap.js';

describeUnless(lemonldapMissing)('openid.md 8: lemonldap-ng, unmodified, signs users in', () => {
  let service: Gatehouse;
  let alice: Persona;
  let app: App;
  let portal: Lemonldap;

  beforeAll(async () => {
    service = await ownService();
    const port = await freePort();
    const site = `http://127.0.0.1:${port}/`;
    app = await newApp(service, await person(service, 'owner'), {
      redirect_uris: [`${site}?openidconnectcallback=1`],
      post_logout_redirect_uris: [`${site}?logout=1`],
    });
    const { id, secret = '' } = app;
    portal = await Lemonldap.start({ port, issuer: service.url, id, secret });
  });
  beforeEach(async () => {
    alice = await verifiedPerson(service, 'alice');
  });
  afterAll(async () => {
    await portal?.close();
    await service?.close();
  });

  /** The session at the portal, or its status if there is none. */
  async function sessionOf(open: CookieBrowser): Promise<Record<string, string> | number | undefined> {
    const { status, text } = await open(`${portal.url}/session/my/global`);
    return status === 200 ? JSON.parse(text) : status;
  }

  async function signIn(open: CookieBrowser): Promise<void> {
    const start = await open(portal.url);
    expect(start.status).toBe(302);
    const { status } = await open((await decide(service, alice, new URL(start.location))).href);
    expect([200, 302]).toContain(status);
  }

  test('sign-in with nonce and max_age, claims and refresh', async () => {
    const open = cookieBrowser();
    const start = await open(portal.url);
    expect(start.location).toContain(`${service.url}/v1/oauth2/authorize?`);
    expect(parametersOf(start.location)).toMatchObject({
      ...{ client_id: app.id, scope: 'openid profile email', redirect_uri: app.redirectUri, max_age: '3600' },
      ...{ nonce: expect.any(String), state: expect.any(String) },
    });
    await signIn(open);
    const session = await sessionOf(open);
    expect(session).toMatchObject({
      ...{ uid: alice.id, cn: expect.any(String), mail: alice.email, _oidc_OP: 'gatehouse' },
    });
    portal.expireAccessTokens();
    await open(`${portal.url}/refresh`);
    const next = (await sessionOf(open)) as Record<string, string>;
    expect(next).toMatchObject({ uid: alice.id, mail: alice.email });
    expect(next._oidc_access_token).not.toBe((session as Record<string, string>)._oidc_access_token);
    expect(await isTokenActive(service, next._oidc_access_token ?? '')).toBe(true);
  });

  test('sign-out ends the session at the portal and at the service', async () => {
    const open = cookieBrowser();
    await signIn(open);
    const out = await open(`${portal.url}/?logout=1`);
    expect(out.location.split('?')[0]).toBe(`${service.url}/oauth2/logout`);
    const parameters = parametersOf(out.location);
    const returning = `${portal.url}/?logout=1`;
    expect(parameters).toEqual({
      ...{ id_token_hint: expect.any(String), client_id: app.id, post_logout_redirect_uri: returning },
    });
    expect(decodeJwt(parameters.id_token_hint ?? '')).toMatchObject({ sub: alice.id, aud: app.id });
    const ended = await service.as(alice).post('/v1/oauth2/logout', parameters);
    expect(ended.body).toMatchObject({ ended: true, redirect_to: returning });
    expect(await sessionOf(open)).not.toHaveProperty('uid');
  });

  test('a denied request, a replayed code, another state and the nonce of another sign-in do not sign in', async () => {
    const attempts: ((url: URL) => Promise<URL>)[] = [
      (url) => decide(service, alice, url, 'deny'),
      async (url) => {
        const back = await decide(service, alice, url);
        back.searchParams.set('state', 'another');
        return back;
      },
      (url) => {
        url.searchParams.set('nonce', 'another');
        return decide(service, alice, url);
      },
      async (url) => {
        const back = await decide(service, alice, url);
        await cookieBrowser()(back.href);
        return back;
      },
    ];
    for (const response of attempts) {
      const open = cookieBrowser();
      const { location } = await open(portal.url);
      await open((await response(new URL(location))).href);
      expect(await sessionOf(open)).not.toHaveProperty('uid');
    }
  });
});
