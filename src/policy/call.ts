import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ApiError } from '../core/errors.js';
import type { Credential } from './credential.js';
import type { Client, Identity } from './identity.js';
import type { RoutePlan } from './plan.js';

/** The result of parsing a body or form. An error is stored until the input guard throws it. */
export type ParsedBody = { value: Record<string, unknown> } | { fault: Error };

/** The members of a body that prove sudo mode (account.md 8.1), in addition to the proof header. */
export interface SudoMembers {
  password?: string;
  mfa_method?: 'totp' | 'webauthn';
  mfa_code?: string;
  webauthn_response?: object;
  webauthn_challenge?: string;
}

/**
 * The stages of a request. It is `arrived` until the checks before routing pass. It is `started` while it counts as
 * work, and `waiting` while it waits for its body. It is `responding` once its response is decided, and `closed` when
 * the response or the connection has ended.
 */
export type Stage = 'arrived' | 'started' | 'waiting' | 'responding' | 'closed';

/** The client has disconnected or already has its response. This is neither an error of the service nor an alert. */
export class ClientGone extends Error {
  constructor() {
    super('the client went away');
  }
}

/** Tracks requests that wait for their client to send a body or read a response (conventions.md section 12). */
export interface TransferTracker {
  /**
   * Starts to wait for the rest of a body. `late` is called if the body arrives too slowly.
   * @throws ApiError RATE_LIMITED; ClientGone
   */
  waitForBody(call: Call, late: (apiError: ApiError) => void): void;
  /** Ends the wait without a load check. */
  endBodyWait(call: Call): void;
  /** Ends the wait, unless the process is overloaded. @throws ApiError SERVICE_UNAVAILABLE; ClientGone */
  resumeWork(call: Call): void;
  /**
   * Starts a response that a client may read slowly. If this throws, nothing of the response is written yet.
   * @throws ApiError RATE_LIMITED; ClientGone
   */
  beginResponse(call: Call): void;
  /**
   * Starts a response that stays open. It is not work. The handler limits the number of such responses, and ends those
   * that their client does not read.
   * @throws ClientGone
   */
  beginStream(call: Call): void;
  /** The handler has ended the response. The client may not have read it yet. */
  onResponseEnded(call: Call): void;
  /** Sends the body of a response; `ended` receives the error, if there is one. */
  send(call: Call, bytes: Readable | Uint8Array, ended: (error: NodeJS.ErrnoException | null) => void): void;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** One HTTP request in the front door and the guards: framework-independent data about it. */
export class Call {
  /** `X-Request-ID`: the caller's value if it has a valid format, otherwise a new UUIDv4. */
  readonly id: string;
  /** The request target as received, before any decoding. Signatures cover this value. */
  readonly target: string;
  /** The `Authorization` lines as received; two or more are malformed. */
  readonly authorization: readonly string[];
  /** Number of header lines, counted before Node merges them. @internal */
  readonly headerLines: number;
  /** Number of `Host` lines. Node exposes only one. @internal */
  readonly hosts: number;
  readonly startedAt = performance.now();
  /** The client IP address (conventions.md section 1); empty on operational routes, which do not need it. */
  address = '';
  /** A health or metrics request: never shed, banned or limited. */
  isOperational = false;
  plan?: RoutePlan;
  credential?: Credential;
  identity: Identity | null = null;
  /** Raw path parameters as decoded by the router. */
  params: Record<string, unknown> = {};
  /** @internal */
  body?: Promise<ParsedBody> | ParsedBody;
  /** @internal */
  sudoMembers?: SudoMembers;
  /** The input after validation by the input guard. */
  input?: { params?: object; query?: object; body?: object };
  /** The sudo members contained a correct factor, which is now consumed. @internal */
  sudoFactorSpent = false;
  /** The caller is in sudo mode or has no factor to prove it with. */
  hasSudo = false;
  /** A sudo proof that is returned only with an error response, because success of the operation revokes it. @internal */
  proofOnError?: string;
  /** The timer for the deadline of the body. Handlers of uploads clear it once the caller may send one. @internal */
  bodyDeadline?: NodeJS.Timeout;
  /** The application that authenticated on a `@ClientAuth()` route. */
  client?: Client;
  /** The application credential that was sent, from any part of the request: ID and secret. @internal */
  clientCredential?: string;
  /** The code of the error response, for logs and metrics. @internal */
  outcome?: string;
  /** The reason of an error response with a status of 500 or above, for the log. @internal */
  failure?: unknown;
  /** The ID of the trace that the request belongs to (W3C Trace Context). */
  traceId?: string;
  /** The code of the error response, or of its first field error. @internal */
  rejectedWith?: string;

  /** Sends the handler's result through the framework, although the handler was called without it. @internal */
  respondThroughFramework?: (request: unknown, response: unknown) => Promise<unknown>;
  /** The handler wrote an audit log entry. @internal */
  isAudited = false;
  /** The client may read the response slowly. @internal */
  isDraining = false;
  /** Only `LiveRequests` changes `stage` and `counts`. @internal */
  stage: Stage = 'arrived';
  /** Names of the request counts that include this request. @internal */
  counts: readonly string[] = [];

  /** Pending response headers that are not set on the response yet: names and values alternate. */
  private pendingHeaders: string[] | undefined;

  /** @internal */
  constructor(
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    readonly transfers: TransferTracker,
  ) {
    this.target = req.url ?? '';
    const authorization: string[] = [];
    let hosts = 0;
    const raw = req.rawHeaders;
    for (let i = 0; i < raw.length; i += 2) {
      const name = raw[i] as string;
      if (name.length === 13 && name.toLowerCase() === 'authorization') authorization.push(raw[i + 1] as string);
      else if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    }
    this.hosts = hosts;
    this.authorization = authorization;
    this.headerLines = raw.length / 2;
    const given = req.headers['x-request-id'];
    this.id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  }

  /** Sets the base headers. No other header may repeat their names while they are pending. @internal */
  setInitialHeaders(headers: string[]): void {
    this.pendingHeaders = headers;
  }

  /** Adds a header whose name is not used yet. */
  header(name: string, value: string): void {
    if (this.pendingHeaders) this.pendingHeaders.push(name, value);
    else this.res.setHeader(name, value);
  }

  /** Writes pending headers to the response so that handlers can read or change them. @internal */
  flushHeaders(): void {
    const { pendingHeaders } = this;
    if (!pendingHeaders) return;
    this.pendingHeaders = undefined;
    for (let i = 0; i < pendingHeaders.length; i += 2)
      this.res.setHeader(pendingHeaders[i] as string, pendingHeaders[i + 1] as string);
  }

  /** True until a handler or the framework has accessed the response. @internal */
  get hasPendingHeaders(): boolean {
    return this.pendingHeaders !== undefined;
  }

  /** Sends a text response. Pending headers are written in one call. */
  sendText(text: string, type: string): void {
    const { res, pendingHeaders } = this;
    this.header('Content-Type', type);
    this.header('Content-Length', String(Buffer.byteLength(text)));
    this.pendingHeaders = undefined;
    res.writeHead(res.statusCode, pendingHeaders);
    res.end(text);
  }

  /** Method and route template. Logs contain routes only in this form. */
  get pattern(): string {
    return this.plan ? `${this.plan.method} ${this.plan.path}` : 'unmatched';
  }

  /** The proof of sudo mode that the caller sent, valid or not. */
  get sudoProof(): string | undefined {
    const sent = this.req.headers['x-service-sudo-mode-jwt'];
    return typeof sent === 'string' ? sent : undefined;
  }

  get userAgent(): string {
    return (this.req.headers['user-agent'] ?? '').slice(0, 512);
  }
}

/** The part of a call that the guards of a service policy use. Its credential can come from another service. */
export type GuardedCall = Pick<
  Call,
  'authorization' | 'sudoProof' | 'address' | 'isOperational' | 'params' | 'header'
> &
  Pick<Call, 'plan' | 'credential' | 'identity'> & {
    /** The rate-limit key of callers without identity. Default: their IP address. */
    readonly anonymousKey?: string;
  };

/** The return value of a handler that sends the response on `call.res` itself. */
export const RESPONSE_HANDLED = Symbol('answered');

declare module 'node:http' {
  interface IncomingMessage {
    call?: Call;
  }
}

/** The call of a framework's request object. Express passes Node's own request, Fastify wraps it. */
export function callOf(request: IncomingMessage | { raw: IncomingMessage }): Call {
  const call = ('raw' in request ? request.raw : request).call;
  if (!call) throw new Error('The request did not pass the front door. Create the application with createApp()');
  return call;
}
