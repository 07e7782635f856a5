import { createRequire } from 'node:module';
import * as openid from 'openid-client';
import type passport from 'passport';
import { CALLBACK, type Gatehouse, newApp, type Persona, person, verifiedPerson } from '../support/index.js';
import { decide, ownService } from './consent.js';
import { expressSite } from './express-openid-site.js';
import type { Registration } from './libraries.js';
import { passportSite } from './passport-site.js';

const SCOPE = 'openid profile email';

interface Identity {
  readonly sub: string;
  readonly name: string;
  readonly email: string;
}

interface SignIn {
  readonly url: URL;
  /** Follows the redirect back. Returns the claims that the library verified. */
  redeem(back: URL): Promise<Identity>;
}

/** A library that signs users in, as its guide describes. */
interface OpenIdLibrary {
  begin(): Promise<SignIn>;
  /** Refreshes the tokens of the last sign-in, if the library can. Returns the subject of the new ID token. */
  refresh?(): Promise<string>;
  close?(): Promise<unknown>;
}

const identityOf = (claims: Record<string, unknown> = {}): Identity => ({
  ...{ sub: String(claims.sub), name: String(claims.name), email: String(claims.email) },
});

async function ofOpenidClient({ origin, id, secret }: Registration): Promise<OpenIdLibrary> {
  const options = { execute: [openid.allowInsecureRequests] };
  const config = await openid.discovery(new URL(origin), id, secret, undefined, options);
  let last: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;
  return {
    async begin() {
      const checks = {
        pkceCodeVerifier: openid.randomPKCECodeVerifier(),
        expectedState: openid.randomState(),
        expectedNonce: openid.randomNonce(),
      };
      const url = openid.buildAuthorizationUrl(config, {
        ...{ redirect_uri: CALLBACK, scope: SCOPE, state: checks.expectedState, nonce: checks.expectedNonce },
        code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      return {
        url,
        async redeem(back) {
          last = await openid.authorizationCodeGrant(config, back, { ...checks, idTokenExpected: true });
          const { sub = '' } = last.claims() ?? {};
          // The library rejects a response for another subject.
          const info = await openid.fetchUserInfo(config, last.access_token, sub);
          expect(identityOf(info)).toEqual(identityOf(last.claims()));
          return identityOf(last.claims());
        },
      };
    },
    async refresh() {
      const next = await openid.refreshTokenGrant(config, last.refresh_token ?? '');
      return next.claims()?.sub ?? '';
    },
  };
}

/** The package has no types. */
const OpenIdStrategy = createRequire(import.meta.url)('passport-openidconnect') as new (
  options: object,
  verify: (
    issuer: string,
    profile: { id: string; displayName: string; emails: readonly { value: string }[] },
    done: (error: null, user: Express.User) => void,
  ) => void,
) => passport.Strategy;

async function ofPassport({ origin, id, secret }: Registration): Promise<OpenIdLibrary> {
  const strategy = new OpenIdStrategy(
    {
      issuer: origin,
      authorizationURL: `${origin}/v1/oauth2/authorize`,
      tokenURL: `${origin}/v1/oauth2/token`,
      userInfoURL: `${origin}/v1/oauth2/openid/userinfo`,
      clientID: id,
      clientSecret: secret,
      callbackURL: CALLBACK,
      scope: ['profile', 'email'],
      nonce: true,
      skipUserProfile: false,
    },
    (_issuer, { id: sub, displayName: name, emails: [email] }, done) =>
      done(null, { sub, name, email: email?.value } as Express.User),
  );
  return passportSite<Identity>('openidconnect', strategy);
}

async function ofExpress(registration: Registration): Promise<OpenIdLibrary> {
  const { begin, refresh, close } = await expressSite(registration, SCOPE);
  return {
    async begin() {
      const { url, redeem } = await begin();
      return { url, redeem: async (back) => identityOf(await redeem(back)) };
    },
    refresh: async () => identityOf(await refresh()).sub,
    close,
  };
}

describe.each([
  ['openid-client', ofOpenidClient],
  ['passport-openidconnect', ofPassport],
  ['express-openid-connect', ofExpress],
])('openid.md 8: %s, unmodified', (_, make) => {
  let service: Gatehouse;
  let alice: Persona;
  let registration: Registration;
  let library: OpenIdLibrary;
  beforeAll(async () => {
    service = await ownService();
    const { id, secret = '' } = await newApp(service, await person(service, 'owner'));
    registration = { origin: service.url, id, secret };
    library = await make(registration);
  });
  beforeEach(async () => {
    alice = await verifiedPerson(service, 'alice');
  });
  afterAll(async () => {
    await library?.close?.();
    await service?.close();
  });

  test('sign-in, claims and, if the library has it, refresh', async () => {
    const { url, redeem } = await library.begin();
    expect(url.searchParams.get('scope')?.split(' ').sort()).toEqual(['email', 'openid', 'profile']);
    const identity = await redeem(await decide(service, alice, url));
    expect(identity).toEqual({ sub: alice.id, name: expect.any(String), email: alice.email });
    if (library.refresh) expect(await library.refresh()).toBe(alice.id);
  });

  test('a replayed code, another state, the nonce of another sign-in and a denial are rejected', async () => {
    const first = await library.begin();
    const back = await decide(service, alice, first.url);
    await first.redeem(back);
    await expect(first.redeem(back)).rejects.toThrow();
    const second = await library.begin();
    const forged = await decide(service, alice, second.url);
    forged.searchParams.set('state', 'another');
    await expect(second.redeem(forged)).rejects.toThrow();
    const third = await library.begin();
    third.url.searchParams.set('nonce', 'another');
    await expect(third.redeem(await decide(service, alice, third.url))).rejects.toThrow();
    const denied = await library.begin();
    await expect(denied.redeem(await decide(service, alice, denied.url, 'deny'))).rejects.toThrow();
  });
});
