import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import { type Certificate, certificate } from '../support/certificate.js';
import type { Claims, Client, Gatehouse, Persona, ScriptedProvider, TestResponse } from '../support/index.js';

export const CONNECTIONS = '/v1/admin/connections';
export const PUBLIC = '/v1/auth/connections';
export const IDENTITIES = '/v1/users/@me/identities';

export const newNonce = () => {
  const nonce = randomBytes(32).toString('base64url');
  return { nonce, nonce_hash: hash('sha256', nonce, 'hex') };
};

/** The client of the service at a provider. */
interface ClientAtProvider {
  readonly issuer?: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
}

/** Creates an enabled connection, by default one of kind `oidc`. */
export async function connect(
  service: Gatehouse,
  root: Persona,
  { issuer, clientId, clientSecret }: ClientAtProvider,
  members: Claims = {},
): Promise<Claims> {
  const { status, body } = await service.as(root).post(CONNECTIONS, {
    ...{ id: 'corp', kind: 'oidc', display_name: 'Corp', enabled: true },
    ...{ issuer, client_id: clientId, client_secret: clientSecret },
    ...members,
  });
  expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ kind: expect.anything() }) });
  return body;
}

export interface StartedVisit {
  readonly url: string;
  readonly state: string;
  readonly nonce: string;
}

export async function startVisit(service: Gatehouse, id: string, more: Claims = {}): Promise<StartedVisit> {
  const { nonce, nonce_hash } = newNonce();
  const { status, body } = await service.anonymous.post(`${PUBLIC}/${id}/start`, { nonce_hash, ...more });
  expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ state: expect.any(String) }) });
  return { url: body.authorization_url, state: body.state, nonce };
}

/** Signs in with a connection: start, visit at the provider, completion. */
export async function signInWith(
  service: Gatehouse,
  provider: ScriptedProvider,
  claims: Claims = {},
  { id = 'corp', info }: { id?: string; info?: Claims } = {},
): Promise<TestResponse> {
  const { url, state, nonce } = await startVisit(service, id);
  const code = provider.visit(url, claims, info && { info });
  return service.anonymous.post(`${PUBLIC}/${id}/complete`, { code, state, nonce });
}

/** Starts to link an identity, with the password or a sudo proof, and visits the provider. Returns the body of the completion. */
export async function startLink(
  client: Client,
  password: string,
  provider: ScriptedProvider,
  claims: Claims,
  connectionId = 'corp',
): Promise<{ code: string; state: string; nonce: string }> {
  const { nonce, nonce_hash } = newNonce();
  const { status, body } = await client.post(`${IDENTITIES}/start`, {
    ...{ connection_id: connectionId, nonce_hash },
    ...(password !== '' && { password }),
  });
  expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ state: expect.any(String) }) });
  return { code: provider.visit(body.authorization_url, claims), state: body.state, nonce };
}

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
type Route = (req: IncomingMessage, body: URLSearchParams) => readonly [status: number, body: unknown];

/** An OAuth 2 provider over TLS that returns recorded responses. Routes are paths without a query. */
export class RecordedProvider {
  readonly calls: { path: string; headers: IncomingMessage['headers']; body: URLSearchParams }[] = [];
  readonly routes: Record<string, Route> = {};
  /** A handler that replaces all routes. */
  instead: Handler | undefined;
  /** Handlers that replace single routes. */
  readonly insteadOf: Record<string, Handler> = {};
  private server: Server | undefined;

  private constructor(readonly certificate: Certificate) {}

  static async start(cert = certificate('localhost', '127.0.0.1')): Promise<RecordedProvider> {
    const provider = new RecordedProvider(cert);
    const server = createServer({ cert: cert.cert, key: cert.key }, (req, res) => void provider.answer(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    provider.server = server;
    return provider;
  }

  get origin(): string {
    return `https://localhost:${((this.server as Server).address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { pathname: path } = new URL(req.url ?? '/', this.origin);
    const body = new URLSearchParams(Buffer.concat(chunks).toString());
    this.calls.push({ path, headers: req.headers, body });
    const instead = this.instead ?? this.insteadOf[path];
    if (instead) return instead(req, res);
    const [status, json] = this.routes[path]?.(req, body) ?? [404, {}];
    res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(json));
  }
}
