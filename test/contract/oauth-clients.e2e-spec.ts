import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { Client as DiscordClient, Events, REST } from 'discord.js';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { AuthorizationCode } from 'simple-oauth2';
import { freePort } from '../machine/ports.js';
import {
  type App,
  CALLBACK,
  consent,
  eventually,
  type Gatehouse,
  gatehouse,
  isTokenActive,
  newApp,
  type Persona,
  parametersOf,
  person,
} from '../support/index.js';

let service: Gatehouse;
let origin: string;
let owner: Persona;
let alice: Persona;
let app: App;
let publicApp: App;
beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  service = await gatehouse({ env: { PORT: String(port), PUBLIC_ORIGIN: origin } });
  owner = await person(service, 'owner');
  alice = await person(service, 'alice');
  app = await newApp(service, owner);
  publicApp = await newApp(service, owner, { client_type: 'public' });
});
afterAll(() => service.close());

/** Does what the consent page does with an authorization request after a user has signed in there. */
async function decide(who: Persona, url: URL, decision: 'approve' | 'deny' = 'approve'): Promise<URL> {
  const page = await fetch(url, { redirect: 'manual' });
  expect(page.status).toBe(302);
  const location = page.headers.get('location') ?? '';
  expect(location.startsWith(`${origin}/oauth2/authorize?`)).toBe(true);
  const { prompt, ...request } = parametersOf(location);
  const response = await service.as(who).post('/v1/oauth2/authorize/consent', { ...request, decision });
  expect({ status: response.status, body: response.body }).toMatchObject({ status: 200 });
  return new URL(response.body.redirect_to);
}

describe('openid-client', () => {
  let config: openid.Configuration;
  beforeAll(async () => {
    config = await openid.discovery(new URL(origin), app.id, app.secret, undefined, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });
  });

  const request = async () => {
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'identify email',
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url, checks: { pkceCodeVerifier: verifier, expectedState: state } };
  };

  test('finds everything in the metadata document, and the metadata is valid', () => {
    const server = config.serverMetadata();
    expect(server.issuer).toBe(origin);
    expect(server.supportsPKCE()).toBe(true);
    expect(server.authorization_response_iss_parameter_supported).toBe(true);
  });

  test('code with PKCE, state and iss; userinfo, introspection, refresh, revocation', async () => {
    const { url, checks } = await request();
    const tokens = await openid.authorizationCodeGrant(config, await decide(alice, url), checks);
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'identify email', expires_in: 604800 });
    const info = await openid.fetchUserInfo(config, tokens.access_token, alice.id);
    expect(info).toMatchObject({ sub: alice.id, username: 'alice', email: alice.email });
    await expect(openid.fetchUserInfo(config, tokens.access_token, owner.id)).rejects.toThrow();
    const seen = await openid.tokenIntrospection(config, tokens.access_token);
    expect(seen).toMatchObject({ active: true, client_id: app.id, sub: alice.id });
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', { scope: 'identify' });
    expect(next.scope).toBe('identify');
    await openid.tokenRevocation(config, next.refresh_token ?? '');
    for (const token of [tokens.access_token, next.access_token]) {
      expect(await openid.tokenIntrospection(config, token)).toEqual({ active: false });
      await expect(openid.fetchUserInfo(config, token, alice.id)).rejects.toMatchObject({ cause: { status: 401 } });
    }
  });

  test('a code of another issuer, of another state or of another browser is not redeemed', async () => {
    const { url, checks } = await request();
    const back = await decide(alice, url);
    const because = (pattern: RegExp) => ({
      cause: expect.objectContaining({ message: expect.stringMatching(pattern) }),
    });
    const mixedUp = new URL(back);
    mixedUp.searchParams.set('iss', 'https://other.example');
    await expect(openid.authorizationCodeGrant(config, mixedUp, checks)).rejects.toMatchObject(because(/iss/));
    const unnamed = new URL(back);
    unnamed.searchParams.delete('iss');
    await expect(openid.authorizationCodeGrant(config, unnamed, checks)).rejects.toMatchObject(because(/iss/));
    const foreign = { ...checks, expectedState: openid.randomState() };
    await expect(openid.authorizationCodeGrant(config, back, foreign)).rejects.toMatchObject(because(/state/));
    const injected = { ...checks, pkceCodeVerifier: openid.randomPKCECodeVerifier() };
    await expect(openid.authorizationCodeGrant(config, back, injected)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await expect(openid.authorizationCodeGrant(config, back, checks)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('a denial is returned as access_denied, with state and iss', async () => {
    const { url, checks } = await request();
    const back = await decide(alice, url, 'deny');
    await expect(openid.authorizationCodeGrant(config, back, checks)).rejects.toMatchObject({ error: 'access_denied' });
  });
});

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };

  test.each([
    ['a confidential client by Basic', () => ({ client_id: app.id, auth: oauth.ClientSecretBasic(app.secret ?? '') })],
    ['a confidential client by form', () => ({ client_id: app.id, auth: oauth.ClientSecretPost(app.secret ?? '') })],
    ['a public client', () => ({ client_id: publicApp.id, auth: oauth.None() })],
  ])('%s completes the whole flow', async (_, make) => {
    const { client_id, auth } = make();
    const client: oauth.Client = { client_id };
    const discovered = await oauth.discoveryRequest(new URL(origin), { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(new URL(origin), discovered);
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(server.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      ...{ client_id, redirect_uri: CALLBACK, response_type: 'code', scope: 'identify', state },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    }).toString();
    const parameters = oauth.validateAuthResponse(server, client, await decide(alice, url), state);
    const exchanged = await oauth.authorizationCodeGrantRequest(
      ...([server, client, auth, parameters, CALLBACK, verifier, insecure] as const),
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged);
    const refreshed = await oauth.refreshTokenGrantRequest(server, client, auth, tokens.refresh_token ?? '', insecure);
    const next = await oauth.processRefreshTokenResponse(server, client, refreshed);
    const reported = await oauth.userInfoRequest(server, client, next.access_token, insecure);
    expect((await oauth.processUserInfoResponse(server, client, alice.id, reported)).sub).toBe(alice.id);
    const revoked = await oauth.revocationRequest(server, client, auth, next.access_token, insecure);
    await oauth.processRevocationResponse(revoked);
    expect(await isTokenActive(service, next.access_token)).toBe(false);
  });

  test('a rejected client gets the error of RFC 6749', async () => {
    const client: oauth.Client = { client_id: app.id };
    const server: oauth.AuthorizationServer = {
      ...{ issuer: origin, introspection_endpoint: `${origin}/v1/oauth2/introspect` },
    };
    const auth = oauth.ClientSecretBasic('not the secret');
    const response = await oauth.introspectionRequest(server, client, auth, 'token', insecure);
    await expect(oauth.processIntrospectionResponse(server, client, response)).rejects.toMatchObject({
      error: 'invalid_client',
    });
  });
});

describe('simple-oauth2, a client without PKCE', () => {
  const client = (authorizationMethod: 'header' | 'body') =>
    new AuthorizationCode({
      client: { id: app.id, secret: app.secret ?? '' },
      auth: {
        tokenHost: origin,
        tokenPath: '/v1/oauth2/token',
        revokePath: '/v1/oauth2/token/revoke',
        authorizePath: '/v1/oauth2/authorize',
      },
      options: { authorizationMethod },
      // By default, the library requires JSON even for responses that have no body according to RFC 7009.
      http: { json: true },
    });

  test.each(['header', 'body'] as const)('credentials in the %s: token, refresh, revocation', async (method) => {
    const old = client(method);
    const url = old.authorizeURL({ redirect_uri: CALLBACK, scope: ['identify', 'email'], state: 'state' });
    const back = await decide(alice, new URL(url));
    expect(back.searchParams.get('state')).toBe('state');
    const code = back.searchParams.get('code') ?? '';
    const first = await old.getToken({ code, redirect_uri: CALLBACK });
    expect(first.expired()).toBe(false);
    expect(first.token).toMatchObject({ token_type: 'Bearer', scope: 'identify email' });
    const second = await first.refresh();
    expect(await isTokenActive(service, String(second.token.access_token))).toBe(true);
    await second.revoke('refresh_token');
    expect(await isTokenActive(service, String(second.token.access_token))).toBe(false);
    await expect(second.refresh()).rejects.toMatchObject({ output: { statusCode: 400 } });
  });
});

describe('discord.js', () => {
  const newBot = (): DiscordClient =>
    new DiscordClient({
      intents: [],
      rest: { api: origin, version: '1' },
      ws: { version: 1 },
    });
  const heard = <T>(client: DiscordClient, event: string, wanted: (value: T) => boolean): Promise<T> =>
    new Promise((resolve) => {
      const listen = (value: T) => {
        if (!wanted(value)) return;
        client.off(event, listen as never);
        resolve(value);
      };
      client.on(event, listen as never);
    });
  type Packet = { t: string; d: Record<string, unknown> };

  test('a bot logs in over REST and gateway, receives an authorization, and is disconnected after its token is reset', async () => {
    const robot = await newApp(service, owner, { name: 'Robot' });
    const client = newBot();
    try {
      const ready = heard<DiscordClient<true>>(client, Events.ClientReady, () => true);
      await client.login(robot.bot.slice(4));
      await ready;
      expect(client.user?.id).toBe(robot.id);
      expect(client.user?.username).toBe('Robot');
      expect(client.application?.id).toBe(robot.id);
      expect(client.ws.gateway).toBe(`${origin.replace('http', 'ws')}/gateway/`);
      const application = await client.application?.fetch();
      expect(application?.name).toBe('Robot');
      expect(application?.owner?.id).toBe(owner.id);
      const reported = heard<Packet>(client, Events.Raw, ({ t }) => t === 'APPLICATION_AUTHORIZE');
      await consent(service, alice, robot, { scope: 'bot', redirect_uri: undefined });
      expect((await reported).d).toMatchObject({ user_id: alice.id, scopes: ['bot'] });
      const out = heard<{ code: number }>(client, Events.ShardDisconnect, () => true);
      const reset = `/v1/oauth2/applications/${robot.id}/bot/reset-token`;
      expect((await service.as(owner).post(reset, { password: owner.password })).status).toBe(200);
      expect((await out).code).toBe(4004);
    } finally {
      await client.destroy();
    }
  });

  test('a bot changes its token without missing an authorization, and curl uses both tokens', async () => {
    const robot = await newApp(service, owner, { name: 'Robot' });
    const tokens = `/v1/oauth2/applications/${robot.id}/bot/tokens`;
    const proof = { password: owner.password };
    const users = await Promise.all(Array.from({ length: 12 }, (_, index) => person(service, `user${index}`)));
    const authorize = async (count: number) => {
      const next = users.splice(0, count);
      for (const user of next) await consent(service, user, robot, { scope: 'bot', redirect_uri: undefined });
      return next.map(({ id }) => id);
    };
    const received = new Map<DiscordClient, string[]>();
    const start = async (token: string): Promise<DiscordClient> => {
      const client = newBot();
      received.set(client, []);
      client.on(Events.Raw, ({ t, d }: Packet) => {
        if (t === 'APPLICATION_AUTHORIZE') received.get(client)?.push(String(d.user_id));
      });
      const ready = heard<DiscordClient<true>>(client, Events.ClientReady, () => true);
      await client.login(token);
      await ready;
      return client;
    };
    const statusOf = async (token: string) => {
      const command = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '-H', `Authorization: Bot ${token}`];
      return (await promisify(execFile)('curl', [...command, `${origin}/v1/users/@me`])).stdout;
    };
    const formerToken = robot.bot.slice(4);
    try {
      const former = await start(formerToken);
      const before = await authorize(3);
      const { body } = await service.as(owner).post(tokens, proof).expect(201);
      expect([await statusOf(formerToken), await statusOf(body.token)]).toEqual(['200', '200']);
      const [next, during] = await Promise.all([start(body.token), authorize(3)]);
      const both = await authorize(3);
      const out = heard<{ code: number }>(former, Events.ShardDisconnect, () => true);
      const { body: listed } = await service.as(owner).get(tokens).expect(200);
      const old = listed.tokens.find(({ id }: { id: string }) => id !== body.id).id;
      const [after] = await Promise.all([
        authorize(3),
        service.as(owner).delete(`${tokens}/${old}`, proof).expect(204),
      ]);
      expect((await out).code).toBe(4004);
      await eventually('the last authorization', async () => received.get(next)?.find((id) => id === after.at(-1)));
      expect(received.get(former)?.slice(0, 9)).toEqual([...before, ...during, ...both]);
      expect(received.get(next)?.slice(-6)).toEqual([...both, ...after]);
      expect([await statusOf(formerToken), await statusOf(body.token)]).toEqual(['401', '200']);
    } finally {
      await Promise.all([...received.keys()].map((client) => client.destroy()));
    }
  });

  test('its REST client understands responses and errors', async () => {
    const rest = new REST({ api: origin, version: '1' }).setToken(app.bot.slice(4));
    expect(await rest.get('/users/@me')).toMatchObject({ id: app.id, bot: true });
    await expect(rest.get('/users/@me/applications')).rejects.toMatchObject({ status: 403, code: 'ACCESS_DENIED' });
    rest.clearHashSweeper();
    rest.clearHandlerSweeper();
  });
});

/** A third-party web application. It knows only the URL of the service, its own client ID and its secret. */
class ThirdParty {
  private readonly visits = new Map<string, { state: string; verifier: string; user?: oauth.UserInfoResponse }>();
  private client: oauth.Client = { client_id: '' };
  private secret = '';
  private as: oauth.AuthorizationServer = { issuer: '' };

  private constructor(private readonly server: Server) {
    server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      this.answer(req, res).catch((error) => res.writeHead(400).end(String(error?.error ?? error?.message ?? error)));
    });
  }

  static async open(): Promise<ThirdParty> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ThirdParty(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async register(issuer: string, { id, secret = '' }: App): Promise<void> {
    this.client = { client_id: id };
    this.secret = secret;
    const response = await oauth.discoveryRequest(new URL(issuer), {
      algorithm: 'oauth2',
      [oauth.allowInsecureRequests]: true,
    });
    this.as = await oauth.processDiscoveryResponse(new URL(issuer), response);
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', this.url);
    const visit = /visit=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1] ?? randomBytes(12).toString('base64url');
    const known = this.visits.get(visit);
    if (url.pathname === '/login') {
      const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
      this.visits.set(visit, { state, verifier });
      const target = new URL(this.as.authorization_endpoint ?? '');
      target.search = new URLSearchParams({
        ...{ client_id: this.client.client_id, redirect_uri: `${this.url}/callback`, response_type: 'code', state },
        ...{ scope: 'identify', code_challenge_method: 'S256' },
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      }).toString();
      res.writeHead(302, { location: target.href, 'set-cookie': `visit=${visit}; HttpOnly` }).end();
    } else if (url.pathname === '/callback') {
      if (!known) throw new Error('nobody started this');
      known.user = await this.redeem(url, known);
      res.writeHead(302, { location: '/' }).end();
    } else {
      res.end(known?.user ? `Hello ${known.user.username}` : 'Hello stranger');
    }
  }

  private async redeem(url: URL, { state, verifier }: { state: string; verifier: string }) {
    const { as, client } = this;
    const insecure = { [oauth.allowInsecureRequests]: true };
    const parameters = oauth.validateAuthResponse(as, client, url, state);
    const auth = oauth.ClientSecretBasic(this.secret);
    const callback = `${this.url}/callback`;
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      parameters,
      callback,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response);
    const reported = await oauth.userInfoRequest(as, client, tokens.access_token, insecure);
    return oauth.processUserInfoResponse(as, client, oauth.skipSubjectCheck, reported);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A headless browser. It stores cookies per origin and follows redirects until a page is shown. */
class Visitor {
  private readonly cookies = new Map<string, string>();

  /** Returns the final URL, with the status and text of its page. */
  async visit(address: string | URL): Promise<{ url: URL; status: number; text: string }> {
    let url = new URL(address);
    for (let hop = 0; hop < 10; hop++) {
      const cookie = this.cookies.get(url.origin);
      const response = await fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });
      const set = response.headers.get('set-cookie');
      if (set) this.cookies.set(url.origin, set.split(';')[0] ?? '');
      const location = response.headers.get('location');
      if (location === null) return { url, status: response.status, text: await response.text() };
      url = new URL(location, url);
    }
    throw new Error('redirects without end');
  }

  /** Acts like the consent page: loads the application, signs in, sends the decision, returns the redirect URL. */
  async consent(page: URL, { email, password }: Persona, decision: 'approve' | 'deny' = 'approve') {
    const { prompt, ...request } = Object.fromEntries(page.searchParams);
    const shown = await service.anonymous.get(`/v1/oauth2/applications/${request.client_id}/public`);
    expect(shown.body).toMatchObject({ name: 'Third party', current_user: null });
    const { body: signedIn } = await service.anonymous.post('/v1/auth/login', { email, password });
    const session = service.as(signedIn.token);
    const { status, body } = await session.post('/v1/oauth2/authorize/consent', { ...request, decision });
    expect(status).toBe(200);
    expect((await session.post('/v1/auth/logout')).status).toBe(204);
    return body.redirect_to as string;
  }
}

describe('a third-party web application', () => {
  let site: ThirdParty;
  beforeAll(async () => {
    site = await ThirdParty.open();
    await site.register(
      origin,
      await newApp(service, owner, { name: 'Third party', redirect_uris: [`${site.url}/callback`] }),
    );
  });
  afterAll(() => site.close());

  test('signs a user in through the browser, from its own page back to its own page', async () => {
    const browser = new Visitor();
    expect((await browser.visit(site.url)).text).toBe('Hello stranger');
    const page = await browser.visit(`${site.url}/login`);
    expect(page.url.origin + page.url.pathname).toBe(`${origin}/oauth2/authorize`);
    expect(page.status).toBe(200);
    const back = await browser.consent(page.url, alice);
    const home = await browser.visit(back);
    expect({ url: home.url.href, text: home.text }).toEqual({ url: `${site.url}/`, text: 'Hello alice' });
    const grants = await service.as(alice).get('/v1/oauth2/@me/authorizations');
    expect(grants.body).toContainEqual(
      expect.objectContaining({ application: expect.objectContaining({ name: 'Third party' }), scopes: ['identify'] }),
    );
  });

  test('a denial signs no user in', async () => {
    const browser = new Visitor();
    const page = await browser.visit(`${site.url}/login`);
    const end = await browser.visit(await browser.consent(page.url, alice, 'deny'));
    expect({ status: end.status, text: end.text }).toEqual({ status: 400, text: 'access_denied' });
    expect((await browser.visit(site.url)).text).toBe('Hello stranger');
  });

  test('the callback URL of one browser does not work in another', async () => {
    const [mallory, victim] = [new Visitor(), new Visitor()];
    const stolen = await mallory.consent((await mallory.visit(`${site.url}/login`)).url, owner);
    await victim.visit(`${site.url}/login`);
    expect((await victim.visit(stolen)).status).toBe(400);
    expect((await victim.visit(site.url)).text).toBe('Hello stranger');
    expect((await new Visitor().visit(stolen)).text).toBe('nobody started this');
  });

  test('a manipulated request ends on the page of the service, never elsewhere', async () => {
    const browser = new Visitor();
    const { url } = await browser.visit(`${site.url}/login`);
    url.searchParams.set('redirect_uri', 'https://evil.example/callback');
    const page = await browser.visit(`${origin}/v1/oauth2/authorize?${url.searchParams}&prompt=none`);
    expect(page.url.origin + page.url.pathname).toBe(`${origin}/oauth2/authorize`);
    expect(page.url.searchParams.get('error')).toBe('login_required');
  });
});
