import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https, { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import type { Configuration } from 'oidc-provider';
import { certificate } from '../support/certificate.js';

/** The certificate of providers on this machine. */
export const PROVIDER_CERTIFICATE = certificate('localhost', '127.0.0.1');
const { cert, key, path } = PROVIDER_CERTIFICATE;

/** The environment variables of a service that signs users in at providers with this certificate. */
export const CERTIFIED_PROVIDER_ENV = { SSO_ALLOW_PRIVATE_ADDRESSES: 'true', NODE_EXTRA_CA_CERTS: path };

/** A user of the provider. */
export interface ProviderUser {
  readonly email?: string;
  readonly name?: string;
  readonly verified?: boolean;
}

/** Its clients are `confidential`, `posting` and `public`. Users sign in and consent without a page. */
export interface CertifiedProvider {
  readonly issuer: string;
  /** The first client secret. */
  readonly clientSecret: string;
  /** Restarts the provider with a new signing key and client secret. It does not know the old ones. */
  restart(secret: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts a certified OpenID provider (oidc-provider). `people` are its users by login hint. */
export async function certifiedProvider(
  redirectUris: readonly string[],
  people: Readonly<Record<string, ProviderUser>>,
): Promise<CertifiedProvider> {
  const clientSecret = randomBytes(24).toString('base64url');
  const server = createServer({ cert, key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const client = { redirect_uris: [...redirectUris], application_type: 'native' };
  const configured = async (secret: string): Promise<Configuration> => ({
    clients: [
      { ...client, client_id: 'confidential', client_secret: secret },
      { ...client, client_id: 'public', token_endpoint_auth_method: 'none' },
      {
        ...client,
        client_id: 'posting',
        client_secret: secret,
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [await signingKey()] },
    cookies: { keys: ['a key for cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: people[id]?.email,
        email_verified: people[id]?.verified,
        name: people[id]?.name,
        preferred_username: people[id]?.name === undefined ? undefined : id,
      }),
    }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  // Mutes the advice that the library prints about production use.
  const muted = (['warn', 'info'] as const).map((level) => jest.spyOn(console, level).mockImplementation(() => {}));
  const { default: Provider } = await import('oidc-provider');
  const start = async (secret: string) => {
    const provider = new Provider(issuer, await configured(secret));
    return { provider, callback: provider.callback() };
  };
  let running = await start(clientSecret);
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const { provider, callback } = running;
    if (!req.url?.startsWith('/interaction/')) return callback(req, res);
    provider
      .interactionDetails(req, res)
      .then(({ params }) =>
        provider.interactionFinished(req, res, { login: { accountId: params.login_hint }, consent: {} }),
      )
      .catch((error) => res.destroy(error));
  });
  return {
    issuer,
    clientSecret,
    async restart(secret) {
      running = await start(secret);
    },
    async close() {
      for (const one of muted) one.mockRestore();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let keys = 0;
async function signingKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: `key ${++keys}` };
}

/** Follows redirects with cookies like a browser, until one leaves the provider. */
export async function visitCertifiedProvider(url: string, person: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const start = new URL(url);
  start.searchParams.set('login_hint', person);
  let next = start;
  for (let hop = 0; hop < 10; hop++) {
    const { status, location, setCookie } = await get(next, cookies);
    for (const cookie of setCookie) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined) cookies.set(name, value ?? '');
    }
    if (location === undefined) throw new Error(`the provider answered ${status} at ${next.pathname}`);
    next = new URL(location, next);
    if (next.origin !== start.origin) return next;
  }
  throw new Error('the provider redirects without end');
}

function get(url: URL, cookies: Map<string, string>) {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  return new Promise<{ status: number; location: string | undefined; setCookie: string[] }>((resolve, reject) => {
    https
      .get(url, { ca: cert, headers: cookie ? { cookie } : {} }, (res) => {
        res.resume();
        const { location, 'set-cookie': setCookie = [] } = res.headers;
        resolve({ status: res.statusCode ?? 0, location, setCookie });
      })
      .on('error', reject);
  });
}
