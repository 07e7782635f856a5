import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Agent, Dispatcher } from 'undici';
import { Config } from '../../core/config/config.js';
import { type AddressPolicy, guardedConnector, Network, OutboundFault, resolveAllowedAddresses } from './network.js';
import { hasUserInfo, parseTarget, type TargetRules, UNSAFE_CHARACTERS } from './targets.js';

/** A request to a server that the operator configured: email, SMS, CAPTCHA or identity provider. */
export interface OutboundRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Timeout until the whole response is read. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Maximum response length. Default: 1 MiB. */
  readonly maxBytes?: number;
  /** Ends the connection after the headers. The body of the result is empty. */
  readonly isBodyIgnored?: boolean;
  /** Default: `own`, because a server from the environment may be in the same network. */
  readonly addressPolicy?: AddressPolicy;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request on behalf of a user. Of the user's own request, only these two headers are forwarded. */
export interface UserFetchRequest {
  readonly url: string;
  readonly rules: TargetRules;
  /** The client to which the fetch is charged. Each client has a limit of concurrent fetches. */
  readonly client: string;
  readonly method?: 'GET' | 'HEAD';
  readonly accept?: string;
  readonly range?: string;
  readonly maxBytes: number;
  /** Timeout until the whole response is read. Default: 30 s. */
  readonly timeoutMs?: number;
}

export interface UserFetchResponse {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Fails with an `OutboundFault` if it is too long or too slow. Read it to its end or destroy it. */
  readonly body: Readable;
}

const OUTBOUND_CONNECT_TIMEOUT_MS = 10_000;
const OUTBOUND_RESPONSE_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
const USER_FETCH_TIMEOUT_MS = 30_000;
const MAX_USER_FETCHES = 256;
const MAX_USER_FETCHES_PER_HOST = 16;
const MAX_USER_FETCHES_PER_CLIENT = 32;
const HEADER_BYTES = 16 * 1024;
const MAX_REDIRECTS = 5;

const TIMEOUT_CODES = /^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;

/** Codes of Node.js for a certificate that was not accepted. Alerts of the server have other codes (`ERR_SSL_...`). */
const CERTIFICATE_CODES =
  /^(?:CERT|CRL|DEPTH_ZERO|ERROR_IN_CERT|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH|SELF_SIGNED|UNABLE_TO)/;

/** Maps an error to a fault without content from the other server. */
function toOutboundFault(error: unknown): OutboundFault {
  if (error instanceof OutboundFault) return error;
  const { name, code = '' } = error as { name?: string; code?: string };
  if (name === 'TimeoutError' || TIMEOUT_CODES.test(code)) return new OutboundFault('slow');
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new OutboundFault('headers');
  return new OutboundFault(CERTIFICATE_CODES.test(code) ? 'certificate' : 'unreachable');
}

const declaredLength = (headers: IncomingHttpHeaders): number => Number(headers['content-length'] ?? 0);

/** Yields the chunks of a response and fails if they exceed `maxBytes`. */
async function* limitBytes(maxBytes: number, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw new OutboundFault('size');
      yield chunk;
    }
  } catch (error) {
    throw toOutboundFault(error);
  }
}

/** Limits concurrent requests: in total, per host and per client. */
class ConcurrencyLimiter {
  private total = 0;
  private readonly counts = new Map<string, number>();

  /**
   * @returns a function that releases the slot
   * @throws OutboundFault `busy`
   */
  acquire(host: string, client: string): () => void {
    const shares = [
      [`host ${host}`, MAX_USER_FETCHES_PER_HOST],
      [`client ${client}`, MAX_USER_FETCHES_PER_CLIENT],
    ] as const;
    const isFull = shares.some(([key, most]) => (this.counts.get(key) ?? 0) >= most);
    if (this.total >= MAX_USER_FETCHES || isFull) throw new OutboundFault('busy');
    this.total++;
    for (const [key] of shares) this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.total--;
      for (const [key] of shares) {
        const left = (this.counts.get(key) ?? 1) - 1;
        if (left > 0) this.counts.set(key, left);
        else this.counts.delete(key);
      }
    };
  }
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/**
 * The only HTTP client of the service. It limits time and size, connects only to checked IP addresses, ignores proxy
 * variables, and sends no cookie, referrer or credential of a caller.
 */
@Injectable()
export class Outbound implements OnApplicationShutdown {
  private readonly agents = new Map<AddressPolicy, Promise<Agent>>();
  private readonly userFetchLimiter = new ConcurrencyLimiter();
  private secureContext: SecureContext | undefined;

  constructor(
    private readonly config: Config,
    private readonly network: Network,
  ) {}

  /**
   * Sends a request to a server that the operator chose. Redirects are returned, not followed.
   * @throws OutboundFault; never for a status
   */
  async request(request: OutboundRequest): Promise<OutboundResponse> {
    const {
      url,
      method = 'GET',
      body = null,
      timeoutMs = OUTBOUND_RESPONSE_TIMEOUT_MS,
      maxBytes = MAX_RESPONSE_BYTES,
    } = request;
    const target = parseOperatorUrl(url);
    const headers = {
      'user-agent': `Gatehouse/${this.config.buildId}`,
      'accept-encoding': 'identity',
      ...request.headers,
    };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const agent = await this.getAgent(request.addressPolicy ?? 'own');
      const response = await send(agent, target, { method, headers, body, signal });
      const chunks: Buffer[] = [];
      if (request.isBodyIgnored) response.body.on('error', () => {}).destroy();
      else for await (const chunk of limitBytes(maxBytes, response.body)) chunks.push(chunk);
      return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
    } catch (error) {
      throw toOutboundFault(error);
    }
  }

  /** Whether a URL is allowed according to the current IP addresses of its host. A connection checks again. */
  async mayReach(url: string, reach: AddressPolicy): Promise<boolean> {
    const late = new AbortController();
    try {
      const host = parseOperatorUrl(url).hostname.replace(/^\[|\]$/g, '');
      const tooLate = delay(OUTBOUND_CONNECT_TIMEOUT_MS, false, { ref: false, signal: late.signal });
      return await Promise.race([resolveAllowedAddresses(this.network, host, reach).then(() => true), tooLate]);
    } catch {
      return false;
    } finally {
      late.abort();
    }
  }

  /**
   * Fetches a URL that a user chose. All rules apply to it and to each of at most 5 redirects.
   * @throws OutboundFault; never for a status
   */
  async fetchForUser(request: UserFetchRequest): Promise<UserFetchResponse> {
    const signal = AbortSignal.timeout(request.timeoutMs ?? USER_FETCH_TIMEOUT_MS);
    const seen = new Set<string>();
    let target = parseTarget(request.url, request.rules);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (!target) throw new OutboundFault('target');
      if (seen.has(target.href)) throw new OutboundFault('redirect');
      seen.add(target.href);
      const response = await this.fetchOnce(target, request, signal);
      if (!isRedirect(response.status)) return response;
      response.body.destroy();
      const { location } = response.headers;
      if (location === undefined) throw new OutboundFault('redirect');
      target = UNSAFE_CHARACTERS.test(location) ? null : resolveRedirect(location, target, request.rules);
    }
    throw new OutboundFault('redirect');
  }

  private async fetchOnce(target: URL, request: UserFetchRequest, signal: AbortSignal): Promise<UserFetchResponse> {
    const { method = 'GET', accept = '*/*', range, maxBytes } = request;
    const leave = this.userFetchLimiter.acquire(target.hostname, request.client);
    try {
      const headers = { 'user-agent': 'GatehouseMedia/1', 'accept-encoding': 'identity', accept };
      const agent = await this.getAgent('foreign');
      const response = await send(agent, target, {
        method,
        headers: range === undefined ? headers : { ...headers, range },
        body: null,
        signal,
      });
      const source = response.body.on('error', () => {}).once('close', leave);
      if (method !== 'HEAD' && declaredLength(response.headers) > maxBytes) {
        source.destroy();
        throw new OutboundFault('size');
      }
      const body = Readable.from(limitBytes(maxBytes, source), { objectMode: false });
      body.once('close', () => source.destroy());
      return { url: target.href, status: response.statusCode, headers: response.headers, body };
    } catch (error) {
      leave();
      throw toOutboundFault(error);
    }
  }

  /** Loads the client library with the first request, because many instances never send one. */
  private getAgent(reach: AddressPolicy): Promise<Agent> {
    const known = this.agents.get(reach);
    if (known) return known;
    const { network } = this;
    const trust = () => this.getSecureContext();
    const agent = import('undici').then(
      (undici) =>
        new undici.Agent({
          connect: guardedConnector(undici.buildConnector, {
            network,
            addressPolicy: reach,
            trust,
            timeoutMs: OUTBOUND_CONNECT_TIMEOUT_MS,
          }),
          connections: 64,
          // Connections are not reused, because the next request would skip the check of the host.
          pipelining: 0,
          maxHeaderSize: HEADER_BYTES,
          headersTimeout: USER_FETCH_TIMEOUT_MS,
          bodyTimeout: USER_FETCH_TIMEOUT_MS,
        }),
    );
    this.agents.set(reach, agent);
    return agent;
  }

  /** Created once, because reading all CA certificates takes longer than a handshake. */
  private getSecureContext(): SecureContext {
    const ca = this.config.extraCa;
    this.secureContext ??= createSecureContext(ca ? { ca: [...ca] } : {});
    return this.secureContext;
  }

  async onApplicationShutdown(): Promise<void> {
    for (const agent of this.agents.values()) await (await agent).destroy();
  }
}

/** Parses a URL from the operator's configuration. User info is rejected because it would be logged with the URL. */
function parseOperatorUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username || url.password) throw new OutboundFault('target');
  return url;
}

function resolveRedirect(location: string, base: URL, rules: TargetRules): URL | null {
  if (!URL.canParse(location, base.href) || hasUserInfo(location)) return null;
  return parseTarget(new URL(location, base).href, rules);
}

type SendOptions = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body' | 'signal'>;

const send = (agent: Agent, target: URL, sent: SendOptions): Promise<Dispatcher.ResponseData> =>
  agent.request({ origin: target.origin, path: target.pathname + target.search, ...sent } as Dispatcher.RequestOptions);
