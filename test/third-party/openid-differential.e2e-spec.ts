import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import type { Configuration } from 'oidc-provider';
import {
  CALLBACK,
  type Gatehouse,
  newApp,
  type Persona,
  parametersOf,
  pkce,
  verifiedPerson,
} from '../support/index.js';
import { ownService } from './consent.js';
import { type CookieBrowser, cookieBrowser } from './cookie-browser.js';

const REPORT = join(import.meta.dirname, '../../docs/assurance/openid-differences.md');

type Parameters = Readonly<Record<string, string>>;
/** Changes of the parameters of a good request. `undefined` removes one. */
type Changes = Readonly<Record<string, string | undefined>>;

/** A provider with a confidential client and a user who is signed in and grants everything. */
interface Peer {
  readonly client: { readonly id: string; readonly secret: string };
  readonly tokenEndpoint: string;
  /** Sends an authorization request, and does what its pages ask for. Returns the URL at the client, or the error. */
  authorize(query: URLSearchParams): Promise<URL | string>;
  close(): Promise<unknown>;
}

async function ofGatehouse(): Promise<Peer> {
  const service: Gatehouse = await ownService();
  const alice: Persona = await verifiedPerson(service, 'alice');
  const { id, secret = '' } = await newApp(service, alice);
  const open = cookieBrowser();
  return {
    client: { id, secret },
    tokenEndpoint: `${service.url}/v1/oauth2/token`,
    async authorize(query) {
      const { status, location } = await open(`${service.url}/v1/oauth2/authorize?${query}`);
      if (!location) return `error page ${status}`;
      if (location.startsWith(CALLBACK)) return new URL(location);
      const { error, max_age, ...parameters } = parametersOf(location);
      if (error) return `page with ${error}`;
      const request = { ...parameters, ...(max_age && { max_age: Number(max_age) }) };
      const consent = (factor = {}) =>
        service.as(alice).post('/v1/oauth2/authorize/consent', { ...request, ...factor });
      const response = await consent();
      const last = response.body.code === 'SUDO_MODE_REQUIRED' ? await consent({ password: alice.password }) : response;
      return last.status === 200 ? new URL(last.body.redirect_to) : `page with ${last.body.error ?? last.body.code}`;
    },
    close: () => service.close(),
  };
}

async function ofOidcProvider(): Promise<Peer> {
  const server: Server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const client = { id: 'client', secret: 'a secret of this test' };
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const configuration = {
    clients: [
      {
        ...{ client_id: client.id, client_secret: client.secret, redirect_uris: [CALLBACK] },
        ...{ grant_types: ['authorization_code', 'refresh_token'], token_endpoint_auth_method: 'client_secret_post' },
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a key for cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => false },
    features: { devInteractions: { enabled: false } },
    issueRefreshToken: () => true,
    findAccount: (_context: never, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_context: never, { uid }: { uid: string }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email offline_access');
      await grant.save();
      return grant;
    },
  } as Configuration;
  const muted = (['warn', 'info'] as const).map((level) => jest.spyOn(console, level).mockImplementation(() => {}));
  const { default: Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, configuration);
  const callback = provider.callback();
  server.on('request', (req, res) => {
    if (!req.url?.startsWith('/interaction/')) return callback(req, res);
    provider
      .interactionDetails(req, res)
      .then(() => provider.interactionFinished(req, res, { login: { accountId: 'alice' }, consent: {} }))
      .catch((error) => res.destroy(error));
  });

  async function follow(open: CookieBrowser, url: string): Promise<URL | string> {
    for (let next = url; ; ) {
      const { status, location, text } = await open(next);
      if (location.startsWith(CALLBACK)) return new URL(location);
      if (!location) return `page with ${/<strong>error<\/strong>: (\w+)/.exec(text)?.[1] ?? status}`;
      next = location;
    }
  }
  const browser = cookieBrowser();
  return {
    client,
    tokenEndpoint: `${issuer}/token`,
    authorize: (query) => follow(browser, `${issuer}/auth?${query}`),
    async close() {
      for (const one of muted) one.mockRestore();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const proof = pkce();

const good = ({ client }: Peer): Parameters => ({
  ...{ client_id: client.id, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid email' },
  ...{ state: 'state', nonce: 'nonce', code_challenge: proof.challenge, code_challenge_method: 'S256' },
});

function changed(parameters: Parameters, changes: Changes): URLSearchParams {
  const all = Object.entries({ ...parameters, ...changes });
  return new URLSearchParams(all.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

const AUTHORIZATION: Readonly<Record<string, Changes>> = {
  'a good request': {},
  'no `nonce`': { nonce: undefined },
  'a `nonce` of 300 characters': { nonce: 'n'.repeat(300) },
  'no `state`': { state: undefined },
  'no PKCE': { code_challenge: undefined, code_challenge_method: undefined },
  '`code_challenge_method=plain`': { code_challenge_method: 'plain' },
  'no `code_challenge_method`': { code_challenge_method: undefined },
  'a `code_challenge` of 5 characters': { code_challenge: 'short' },
  'an unknown `client_id`': { client_id: '1' },
  'no `client_id`': { client_id: undefined },
  'another `redirect_uri`': { redirect_uri: 'https://thief.example/' },
  'no `redirect_uri`': { redirect_uri: undefined },
  'no `response_type`': { response_type: undefined },
  '`response_type=token`': { response_type: 'token' },
  '`response_type=id_token`': { response_type: 'id_token' },
  '`response_type=code id_token`': { response_type: 'code id_token' },
  'an unknown scope': { scope: 'openid unknown' },
  'no `scope`': { scope: undefined },
  '`offline_access`': { scope: 'openid offline_access' },
  '`prompt=none`': { prompt: 'none' },
  '`prompt=login`': { prompt: 'login' },
  '`prompt=consent`': { prompt: 'consent' },
  '`prompt=select_account`': { prompt: 'select_account' },
  '`prompt=none login`': { prompt: 'none login' },
  'an unknown `prompt`': { prompt: 'dance' },
  '`max_age=0`': { max_age: '0' },
  '`max_age=-1`': { max_age: '-1' },
  '`max_age=abc`': { max_age: 'abc' },
  '`request`': { request: 'e30.e30.' },
  '`request_uri`': { request_uri: 'https://client.example/request' },
  '`registration`': { registration: '{}' },
  '`response_mode=query`': { response_mode: 'query' },
  '`response_mode=fragment`': { response_mode: 'fragment' },
  '`response_mode=form_post`': { response_mode: 'form_post' },
  'an invalid `id_token_hint`': { id_token_hint: 'hint' },
  '`login_hint`': { login_hint: 'alice@example.com' },
  '`ui_locales`': { ui_locales: 'de fr' },
  '`display=popup`': { display: 'popup' },
  'unknown `acr_values`': { acr_values: 'unknown' },
  '`claims`': { claims: '{"id_token":{"email":null}}' },
  'an unknown parameter': { unknown: 'value' },
};

async function authorization(peer: Peer, changes: Changes): Promise<string> {
  const result = await peer.authorize(changed(good(peer), changes));
  if (typeof result === 'string') return result;
  const { searchParams, hash } = result;
  if (hash) return 'fragment';
  const error = searchParams.get('error');
  return error ? `redirect with ${error}` : `redirect with ${searchParams.has('code') ? 'a code' : 'nothing'}`;
}

interface TokenAnswer {
  readonly status: number;
  readonly body: Record<string, string>;
}

async function send(peer: Peer, form: URLSearchParams, headers: Record<string, string> = {}): Promise<TokenAnswer> {
  const response = await fetch(peer.tokenEndpoint, { method: 'POST', body: form, headers });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function codeForm(peer: Peer, changes: Changes = {}): Promise<URLSearchParams> {
  const result = await peer.authorize(changed(good(peer), { scope: 'openid email' }));
  if (typeof result === 'string') throw new Error(result);
  const { id: client_id, secret: client_secret } = peer.client;
  const form = {
    ...{ grant_type: 'authorization_code', code: result.searchParams.get('code') ?? '', redirect_uri: CALLBACK },
    ...{ code_verifier: proof.verifier, client_id, client_secret },
  };
  return changed(form, changes);
}

const withCode = (changes: Changes) => async (peer: Peer) => send(peer, await codeForm(peer, changes));

const refreshed = (changes: Changes) => async (peer: Peer) => {
  const { body } = await send(peer, await codeForm(peer));
  const { id: client_id, secret: client_secret } = peer.client;
  const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '', client_id, client_secret };
  return send(peer, changed(form, changes));
};

const TOKEN: Readonly<Record<string, (peer: Peer) => Promise<TokenAnswer>>> = {
  'a good exchange': withCode({}),
  'a used code': async (peer) => {
    const form = await codeForm(peer);
    await send(peer, form);
    return send(peer, form);
  },
  'an unknown code': withCode({ code: 'unknown' }),
  'no code': withCode({ code: undefined }),
  'another verifier': withCode({ code_verifier: pkce().verifier }),
  'no verifier': withCode({ code_verifier: undefined }),
  'another redirect URI': withCode({ redirect_uri: 'https://thief.example/' }),
  'no redirect URI': withCode({ redirect_uri: undefined }),
  'a wrong secret': withCode({ client_secret: 'wrong' }),
  'no secret': withCode({ client_secret: undefined }),
  'an unknown client': withCode({ client_id: '1' }),
  'no client': withCode({ client_id: undefined, client_secret: undefined }),
  'an unknown grant type': withCode({ grant_type: 'unknown' }),
  'no grant type': withCode({ grant_type: undefined }),
  'the grant type `password`': withCode({ grant_type: 'password' }),
  'the secret by Basic authentication': async (peer) => {
    const form = await codeForm(peer, { client_secret: undefined, client_id: undefined });
    const { id, secret } = peer.client;
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    return send(peer, form, { authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
  },
  'a refresh': refreshed({}),
  'a refresh for a part of the scopes': refreshed({ scope: 'openid' }),
  'a refresh for more scopes': refreshed({ scope: 'openid email profile' }),
  'a refresh with an unknown token': refreshed({ refresh_token: 'unknown' }),
  'a refresh without a token': refreshed({ refresh_token: undefined }),
  'a refresh with a wrong secret': refreshed({ client_secret: 'wrong' }),
};

async function token(peer: Peer, work: (peer: Peer) => Promise<TokenAnswer>): Promise<string> {
  const { status, body } = await work(peer);
  return `${status} ${body.error ?? Object.keys(body).sort().join(', ')}`;
}

/** The rows of the tables of the report, without the reasons. */
function reported(): string[][] {
  const rows = readFileSync(REPORT, 'utf8').matchAll(/^\| (.+) \|$/gm);
  const cells = [...rows].map(([, row = '']) => row.split(' | '));
  for (const row of cells) expect([row[0], row.length, row[3]]).toEqual([row[0], 4, expect.stringMatching(/\w/)]);
  return cells.filter(([request]) => request !== 'Request').map((row) => row.slice(0, 3));
}

describe('openid.md 8: the same requests to the service and to oidc-provider', () => {
  test('give the same results, except the differences that are listed with their reasons', async () => {
    const peers = [await ofGatehouse(), await ofOidcProvider()] as const;
    const differences: string[][] = [];
    const compare = async (request: string, resultOf: (peer: Peer) => Promise<string>) => {
      const [own, other] = [await resultOf(peers[0]), await resultOf(peers[1])];
      if (own !== other) differences.push([request, own, other]);
    };
    try {
      // The first sign-in gives the grant that a silent request needs.
      for (const peer of peers) expect((await send(peer, await codeForm(peer))).status).toBe(200);
      for (const [request, changes] of Object.entries(AUTHORIZATION))
        await compare(request, (peer) => authorization(peer, changes));
      for (const [request, work] of Object.entries(TOKEN)) await compare(request, (peer) => token(peer, work));
    } finally {
      await peers[0].close();
      await peers[1].close();
    }
    expect(differences).toEqual(reported());
  });
});
