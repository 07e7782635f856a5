import * as arctic from 'arctic';
import * as oauth from 'oauth4webapi';
import * as oidc from 'oidc-client-ts';
import * as openid from 'openid-client';
import OAuth2Strategy from 'passport-oauth2';
import { AuthorizationCode } from 'simple-oauth2';
import { CALLBACK } from '../support/index.js';
import { passportSite } from './passport-site.js';

/** The data with which the owner of an application configures a library. */
export interface Registration {
  /** Origin of the service. */
  readonly origin: string;
  readonly id: string;
  readonly secret: string;
}

export interface Pair {
  readonly access: string;
  readonly refresh: string;
}

/** One sign-in: the URL for the browser, and a function that redeems the callback URL. */
export interface Login {
  readonly url: URL;
  redeem(back: URL): Promise<Pair>;
}

/** A library as an application uses it. Its functions throw the errors of the library. */
export interface Library {
  begin(): Promise<Login>;
  refresh(token: string): Promise<Pair>;
  /** Absent if the library leaves this to the application. */
  subjectOf?(access: string): Promise<string>;
  /** Absent if the library leaves this to the application. */
  revoke?(pair: Pair): Promise<void>;
  /** The RFC 6749 error code that the library read from an error response. */
  errorOf(thrown: unknown): string | undefined;
  /** The status of a response that the library could not handle. */
  statusOf(thrown: unknown): number | undefined;
  close?(): Promise<void>;
}

const PATHS = {
  authorize: '/v1/oauth2/authorize',
  token: '/v1/oauth2/token',
  revoke: '/v1/oauth2/token/revoke',
  userinfo: '/v1/oauth2/userinfo',
};
const SCOPE = 'identify email';

/** A member of a thrown value, at any depth. Libraries type their errors in many ways, or not at all. */
const member = (thrown: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], thrown);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

async function ofOpenidClient({ origin, id, secret }: Registration): Promise<Library> {
  const config = await openid.discovery(new URL(origin), id, secret, undefined, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  });
  const pair = ({ access_token, refresh_token = '' }: openid.TokenEndpointResponse): Pair => ({
    access: access_token,
    refresh: refresh_token,
  });
  return {
    async begin() {
      const [pkceCodeVerifier, expectedState] = [openid.randomPKCECodeVerifier(), openid.randomState()];
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope: SCOPE,
        state: expectedState,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      const redeem = async (back: URL) =>
        pair(await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState }));
      return { url, redeem };
    },
    refresh: async (token) => pair(await openid.refreshTokenGrant(config, token)),
    subjectOf: async (access) => (await openid.fetchUserInfo(config, access, openid.skipSubjectCheck)).sub,
    revoke: ({ refresh }) => openid.tokenRevocation(config, refresh),
    errorOf: (thrown) => text(member(thrown, 'error')),
    statusOf: (thrown) => number(member(thrown, 'cause', 'status')),
  };
}

async function ofOauth4webapi({ origin, id, secret }: Registration): Promise<Library> {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const client: oauth.Client = { client_id: id };
  const auth = oauth.ClientSecretPost(secret);
  const discovered = await oauth.discoveryRequest(new URL(origin), { algorithm: 'oauth2', ...insecure });
  const server = await oauth.processDiscoveryResponse(new URL(origin), discovered);
  const pair = ({ access_token, refresh_token = '' }: oauth.TokenEndpointResponse): Pair => ({
    access: access_token,
    refresh: refresh_token,
  });
  return {
    async begin() {
      const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
      const url = new URL(server.authorization_endpoint ?? '');
      url.search = new URLSearchParams({
        ...{ client_id: id, redirect_uri: CALLBACK, response_type: 'code', scope: SCOPE, state },
        ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
      }).toString();
      const redeem = async (back: URL) => {
        const reported = oauth.validateAuthResponse(server, client, back, state);
        const sent = await oauth.authorizationCodeGrantRequest(
          ...([server, client, auth, reported, CALLBACK, verifier, insecure] as const),
        );
        return pair(await oauth.processAuthorizationCodeResponse(server, client, sent));
      };
      return { url, redeem };
    },
    async refresh(token) {
      const sent = await oauth.refreshTokenGrantRequest(server, client, auth, token, insecure);
      return pair(await oauth.processRefreshTokenResponse(server, client, sent));
    },
    async subjectOf(access) {
      const sent = await oauth.userInfoRequest(server, client, access, insecure);
      return (await oauth.processUserInfoResponse(server, client, oauth.skipSubjectCheck, sent)).sub;
    },
    async revoke({ refresh }) {
      await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, auth, refresh, insecure));
    },
    errorOf: (thrown) => text(member(thrown, 'error')),
    statusOf: (thrown) => number(member(thrown, 'cause', 'status')),
  };
}

async function ofSimpleOauth2({ origin, id, secret }: Registration): Promise<Library> {
  const client = new AuthorizationCode({
    client: { id, secret },
    auth: { tokenHost: origin, tokenPath: PATHS.token, revokePath: PATHS.revoke, authorizePath: PATHS.authorize },
    http: { json: true },
  });
  const pair = ({ token }: { token: Record<string, unknown> }): Pair => ({
    access: String(token.access_token),
    refresh: String(token.refresh_token),
  });
  return {
    begin: async () => ({
      url: new URL(client.authorizeURL({ redirect_uri: CALLBACK, scope: SCOPE.split(' '), state: 'a state' })),
      redeem: async (back) =>
        pair(await client.getToken({ code: back.searchParams.get('code') ?? '', redirect_uri: CALLBACK })),
    }),
    refresh: async (token) => pair(await client.createToken({ refresh_token: token }).refresh()),
    revoke: ({ refresh }) => client.createToken({ refresh_token: refresh }).revoke('refresh_token'),
    errorOf: (thrown) => text(member(thrown, 'data', 'payload', 'error')),
    statusOf: (thrown) => number(member(thrown, 'output', 'statusCode')),
  };
}

async function ofArctic({ origin, id, secret }: Registration): Promise<Library> {
  const client = new arctic.OAuth2Client(id, secret, CALLBACK);
  const pair = (tokens: arctic.OAuth2Tokens): Pair => ({
    access: tokens.accessToken(),
    refresh: tokens.refreshToken(),
  });
  return {
    async begin() {
      const [state, verifier] = [arctic.generateState(), arctic.generateCodeVerifier()];
      const method = arctic.CodeChallengeMethod.S256;
      const authorize = origin + PATHS.authorize;
      const url = client.createAuthorizationURLWithPKCE(authorize, state, method, verifier, SCOPE.split(' '));
      const redeem = async ({ searchParams }: URL) => {
        if (searchParams.get('state') !== state) throw new Error('of another browser');
        const code = searchParams.get('code') ?? '';
        return pair(await client.validateAuthorizationCode(origin + PATHS.token, code, verifier));
      };
      return { url, redeem };
    },
    refresh: async (token) => pair(await client.refreshAccessToken(origin + PATHS.token, token, [])),
    revoke: ({ access }) => client.revokeToken(origin + PATHS.revoke, access),
    errorOf: (thrown) => (thrown instanceof arctic.OAuth2RequestError ? thrown.code : undefined),
    statusOf: (thrown) => number(member(thrown, 'status')),
  };
}

/** A typical provider strategy, with the profile from `userinfo`. */
class GatehouseStrategy extends OAuth2Strategy {
  override userProfile(access: string, done: (error?: unknown, profile?: unknown) => void): void {
    this._oauth2.useAuthorizationHeaderforGET(true);
    const { origin } = new URL(this._oauth2.getAuthorizeUrl());
    this._oauth2.get(origin + PATHS.userinfo, access, (error, body) =>
      error ? done(error) : done(null, JSON.parse(String(body))),
    );
  }

  /** Refreshes a token in the same way as packages that add refresh to passport. */
  refresh(token: string): Promise<Pair> {
    return new Promise((resolve, reject) => {
      this._oauth2.getOAuthAccessToken(token, { grant_type: 'refresh_token' }, (error, access, refresh) =>
        error ? reject(error) : resolve({ access: String(access), refresh: String(refresh) }),
      );
    });
  }
}

async function ofPassport({ origin, id, secret }: Registration): Promise<Library> {
  const strategy = new GatehouseStrategy(
    {
      authorizationURL: origin + PATHS.authorize,
      tokenURL: origin + PATHS.token,
      clientID: id,
      clientSecret: secret,
      callbackURL: CALLBACK,
      scope: SCOPE.split(' '),
      state: true,
      pkce: true,
    },
    (access: string, refresh: string, profile: { sub: string }, verified: OAuth2Strategy.VerifyCallback) =>
      verified(null, { access, refresh, ...profile } as Express.User),
  );
  return {
    ...(await passportSite<Pair>('oauth2', strategy)),
    refresh: (token) => strategy.refresh(token),
    subjectOf: (access) =>
      new Promise((resolve, reject) => {
        strategy.userProfile(access, (error, profile) =>
          error ? reject(error) : resolve((profile as { sub: string }).sub),
        );
      }),
    // For token requests, the strategy extracts the code of the error. For other requests, it passes the response body
    // on.
    errorOf(error) {
      const body = text(member(error, 'data'));
      return body === undefined ? text(member(error, 'code')) : text(member(JSON.parse(body), 'error'));
    },
    statusOf: (error) => number(member(error, 'oauthError', 'statusCode') ?? member(error, 'statusCode')),
  };
}

/** The most used library for pages without a server. Each tab has its own client. */
async function ofOidcClientTs({ origin, id, secret }: Registration): Promise<Library> {
  const client = new oidc.OidcClient({
    ...{ authority: origin, client_id: id, client_secret: secret, redirect_uri: CALLBACK, scope: SCOPE },
    metadata: {
      issuer: origin,
      authorization_endpoint: origin + PATHS.authorize,
      token_endpoint: origin + PATHS.token,
      revocation_endpoint: origin + PATHS.revoke,
      userinfo_endpoint: origin + PATHS.userinfo,
    },
    stateStore: new oidc.WebStorageStateStore({ store: new oidc.InMemoryWebStorage() }),
  });
  const pair = ({ access_token, refresh_token = '' }: oidc.SigninResponse): Pair => ({
    access: access_token,
    refresh: refresh_token,
  });
  return {
    async begin() {
      const { url } = await client.createSigninRequest({});
      return { url: new URL(url), redeem: async (back) => pair(await client.processSigninResponse(back.href)) };
    },
    async refresh(token) {
      const state = { refresh_token: token, scope: SCOPE, profile: { sub: '' }, session_state: null };
      return pair(await client.useRefreshToken({ state: state as oidc.RefreshState }));
    },
    revoke: ({ refresh }) => client.revokeToken(refresh, 'refresh_token'),
    errorOf: (thrown) => text(member(thrown, 'error')),
    statusOf: (thrown) => number(Number(/\((\d{3})\)/.exec(String(member(thrown, 'message')))?.[1])),
  };
}

/** Creates each library as its guide describes. */
export const LIBRARIES: readonly [name: string, make: (registration: Registration) => Promise<Library>][] = [
  ['openid-client', ofOpenidClient],
  ['oauth4webapi', ofOauth4webapi],
  ['simple-oauth2', ofSimpleOauth2],
  ['arctic', ofArctic],
  ['passport-oauth2', ofPassport],
  ['oidc-client-ts', ofOidcClientTs],
];
