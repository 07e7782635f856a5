import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { administrator } from './admin.js';
import { type Certificate, certificate } from './certificate.js';
import type { TestResponse } from './exchange.js';
import { type Gatehouse, type GatehouseOptions, gatehouse } from './gatehouse.js';
import { expect } from './optional-packages.js';
import type { Persona } from './personas.js';

/** Claims of the ID token that the fake identity provider issues. */
export type Claims = Record<string, unknown>;

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** The data of a sign-in at the provider, stored for the code exchange. */
interface Visit {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
  readonly claims: Claims;
  readonly info: Claims | undefined;
  readonly sign: Signer | undefined;
}

export interface Call {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: URLSearchParams;
}

type Signer = (claims: Claims, key: SigningKey) => Promise<string> | string;
type Endpoint = 'description' | 'keys' | 'token' | 'userinfo' | 'authorize';
type Handler = (req: IncomingMessage, res: ServerResponse) => void;

const PATHS: Readonly<Record<string, Endpoint>> = {
  '/.well-known/openid-configuration': 'description',
  '/keys': 'keys',
  '/token': 'token',
  '/userinfo': 'userinfo',
  '/authorize': 'authorize',
};

export const json = (res: ServerResponse, status: number, body: unknown): void => {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

async function signingKey(alg: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomBytes(6).toString('hex');
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** A scripted OpenID provider over TLS. */
export class ScriptedProvider {
  readonly clientId = 'gatehouse';
  clientSecret: string | undefined = `secret ${randomBytes(6).toString('hex')}`;
  readonly calls: Call[] = [];
  /** Handlers that replace the normal behavior of endpoints. */
  readonly overrides: Partial<Record<Endpoint, Handler>> = {};
  /** Members that replace those of the discovery document. */
  description: Claims = {};
  /** Members that replace those in the response of the token endpoint. */
  tokenMembers: Claims = {};
  /** The published keys. The last one signs tokens. */
  keys: SigningKey[] = [];
  /** The current time in seconds, by the service's clock after `offerSso`. */
  seconds: () => number = () => Math.floor(Date.now() / 1000);
  private readonly visits = new Map<string, Visit>();
  private server: Server | undefined;
  private port = 0;

  private constructor(readonly certificate: Certificate) {}

  /**
   * `port`: a fixed port for a provider that is stopped and started again. By default, any free port. `own`: the
   * certificate of another provider, if the service must trust both.
   */
  static async start(port = 0, own?: Certificate): Promise<ScriptedProvider> {
    const provider = new ScriptedProvider(own ?? certificate('localhost', '127.0.0.1', 'idp.example.com'));
    provider.port = port;
    await provider.rotate('ES256');
    await provider.listen();
    return provider;
  }

  get issuer(): string {
    return `https://localhost:${this.port}`;
  }

  get listeningPort(): number {
    return this.port;
  }

  async listen(): Promise<void> {
    const { cert, key } = this.certificate;
    const server = createServer({ cert, key }, (req, res) => void this.answer(req, res));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Restores the normal behavior of all endpoints. */
  reset(): void {
    for (const endpoint of Object.keys(this.overrides)) delete this.overrides[endpoint as Endpoint];
    this.description = {};
    this.tokenMembers = {};
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  /** Publishes only a new key. Older keys are removed. */
  async rotate(alg = 'ES256'): Promise<SigningKey> {
    const key = await signingKey(alg);
    this.keys = [key];
    return key;
  }

  get signer(): SigningKey {
    return this.keys.at(-1) as SigningKey;
  }

  callsOf(endpoint: Endpoint): Call[] {
    return this.calls.filter(({ path }) => PATHS[path] === endpoint);
  }

  /**
   * Simulates a user who signs in at the provider. Returns the code for the callback. `claims` replace those of a valid
   * token.
   */
  visit(authorizationUrl: string, claims: Claims = {}, more: { info?: Claims; sign?: Signer } = {}): string {
    const { origin, pathname, searchParams } = new URL(authorizationUrl);
    expect(origin + pathname).toBe(`${this.issuer}/authorize`);
    const take = (name: string) => searchParams.get(name) ?? '';
    expect([take('client_id'), take('response_type'), take('code_challenge_method')]).toEqual([
      this.clientId,
      'code',
      'S256',
    ]);
    const code = randomBytes(24).toString('base64url');
    this.visits.set(code, {
      nonce: take('nonce'),
      challenge: take('code_challenge'),
      redirectUri: take('redirect_uri'),
      claims,
      info: more.info,
      sign: more.sign,
    });
    return code;
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const path = new URL(req.url ?? '/', this.issuer).pathname;
    const body = new URLSearchParams(Buffer.concat(chunks).toString());
    this.calls.push({ path, authorization: req.headers.authorization, body });
    const endpoint = PATHS[path];
    if (!endpoint) return json(res, 404, {});
    const instead = this.overrides[endpoint];
    if (instead) return instead(req, res);
    if (endpoint === 'description') json(res, 200, this.describe());
    else if (endpoint === 'keys') json(res, 200, { keys: this.keys.map(({ jwk }) => jwk) });
    else if (endpoint === 'token') await this.exchange(res, req.headers.authorization, body);
    else if (endpoint === 'userinfo') this.inform(res, req.headers.authorization);
    else json(res, 404, {});
  }

  /** Redirects browsers back immediately with these claims or with an error, without a sign-in page. */
  sendBack(response: { claims: Claims } | { error: string }): void {
    this.overrides.authorize = (req, res) => {
      const requested = new URL(req.url ?? '/', this.issuer);
      const back = new URL(requested.searchParams.get('redirect_uri') ?? '');
      const result =
        'claims' in response ? { code: this.visit(requested.href, response.claims), iss: this.issuer } : response;
      for (const [name, value] of Object.entries(result)) back.searchParams.set(name, value);
      back.searchParams.set('state', requested.searchParams.get('state') ?? '');
      res.writeHead(302, { location: back.href }).end();
    };
  }

  private describe(): Claims {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
      ...this.description,
    };
  }

  private isAuthenticated(authorization: string | undefined, body: URLSearchParams): boolean {
    if (this.clientSecret === undefined) return authorization === undefined && body.get('client_id') === this.clientId;
    const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
    const expected = Buffer.from(`${encode(this.clientId)}:${encode(this.clientSecret)}`).toString('base64');
    return authorization === `Basic ${expected}` || body.get('client_secret') === this.clientSecret;
  }

  private async exchange(res: ServerResponse, authorization: string | undefined, body: URLSearchParams): Promise<void> {
    if (!this.isAuthenticated(authorization, body)) return json(res, 401, { error: 'invalid_client' });
    const code = body.get('code') ?? '';
    const visit = this.visits.get(code);
    this.visits.delete(code);
    const challenge = hash('sha256', body.get('code_verifier') ?? '', 'base64url');
    if (!visit || challenge !== visit.challenge || body.get('redirect_uri') !== visit.redirectUri) {
      return json(res, 400, { error: 'invalid_grant', error_description: `the code ${code} is wrong` });
    }
    const claims = { ...this.soundClaims(visit.nonce), ...visit.claims };
    for (const [name, value] of Object.entries(claims)) if (value === undefined) delete claims[name];
    const idToken = await (visit.sign ?? signed)(claims, this.signer);
    const accessToken = randomBytes(24).toString('base64url');
    this.visits.set(accessToken, visit);
    const tokens = { access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: idToken };
    json(res, 200, { ...tokens, ...this.tokenMembers });
  }

  private soundClaims(nonce: string): Claims {
    const iat = this.seconds();
    const sub = randomBytes(8).toString('hex');
    const email = `${sub}@corp.example.com`;
    return { iss: this.issuer, aud: this.clientId, sub, nonce, iat, exp: iat + 300, email, email_verified: true };
  }

  private inform(res: ServerResponse, authorization: string | undefined): void {
    const visit = this.visits.get(authorization?.replace(/^Bearer /, '') ?? '');
    json(res, visit ? 200 : 401, visit?.info ?? {});
  }
}

/** A valid ID token, signed by the published key. */
export const signed: Signer = (claims, { alg, kid, privateKey }) =>
  new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey);

/** Changes section `sso` of the instance configuration as an administrator and returns the response. */
export async function patchSso(service: Gatehouse, sso: unknown): Promise<TestResponse> {
  const held = administrators.get(service) ?? (await administrator(service, '*'));
  administrators.set(service, held);
  return service.as(held).patch('/v1/admin/instance/config', { sso });
}

const administrators = new WeakMap<Gatehouse, Persona>();

/** Changes section `sso` and asserts that this succeeds. */
export async function configureSso(service: Gatehouse, patch: Record<string, unknown>): Promise<void> {
  const { status, body } = await patchSso(service, patch);
  expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ sso: expect.anything() }) });
}

/** Environment variables that a service needs to reach the provider. */
export const environmentOf = ({ certificate: { path } }: ScriptedProvider): Record<string, string> => ({
  SSO_ALLOW_PRIVATE_ADDRESSES: 'true',
  NODE_EXTRA_CA_CERTS: path,
});

/** Configures single sign-on with the provider. */
export async function offerSso(
  service: Gatehouse,
  provider: ScriptedProvider,
  sso: Record<string, unknown> = {},
): Promise<void> {
  provider.seconds = () => service.clock.seconds();
  await configureSso(service, {
    enabled: true,
    issuer: provider.issuer,
    client_id: provider.clientId,
    client_secret: provider.clientSecret ?? null,
    auto_provision: true,
    ...sso,
  });
}

/** Starts a service with single sign-on at the provider. */
export async function gatehouseWithSso(
  provider: ScriptedProvider,
  options: GatehouseOptions & { sso?: Record<string, unknown> } = {},
): Promise<Gatehouse> {
  const service = await gatehouse({ ...options, env: { ...environmentOf(provider), ...options.env } });
  await offerSso(service, provider, options.sso);
  return service;
}

/** Starts a sign-in with single sign-on. */
export const startSso = async (service: Gatehouse, body: Record<string, unknown> = {}) => {
  const { status, body: started } = await service.anonymous.post('/v1/auth/sso/start', body);
  expect({ status, started }).toEqual({ status: 200, started: expect.objectContaining({ state: expect.any(String) }) });
  return started as { authorization_url: string; state: string; redirect_uri: string };
};

/** Completes a sign-in: start, visit at the provider, completion. */
export async function signInBySso(
  service: Gatehouse,
  provider: ScriptedProvider,
  claims: Claims = {},
  more: { info?: Claims; sign?: Signer } = {},
): Promise<TestResponse> {
  const { authorization_url: url, state } = await startSso(service);
  return service.anonymous.post('/v1/auth/sso/complete', { code: provider.visit(url, claims, more), state });
}
