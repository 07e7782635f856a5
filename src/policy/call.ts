import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Refusal } from '../core/errors.js';
import type { Credential } from './credential.js';
import type { Client, Identity } from './identity.js';
import type { RoutePlan } from './plan.js';

/** What a body or a form turned out to be. A fault is kept until the input guard raises it. */
export type ParsedBody = { value: Record<string, unknown> } | { fault: Error };

/** What the caller sent to prove itself for sudo mode (account.md 8.1), beside the proof header. */
export interface SudoMembers {
  password?: string;
  mfa_method?: 'totp' | 'webauthn';
  mfa_code?: string;
  webauthn_response?: object;
  webauthn_challenge?: string;
}

/**
 * The life of a request: `arrived` until the checks before routing have passed, `started` while it is work, `waiting` for
 * its body, `responding` once its response is decided, `closed` at the end of the response or of the connection.
 */
export type Stage = 'arrived' | 'started' | 'waiting' | 'responding' | 'closed';

/** The client is gone, or has its response already: no error of the service and no signal. */
export class ClientGone extends Error {
  constructor() {
    super('the client went away');
  }
}

/** Where a request waits for its client, to send its body or to take its answer (conventions.md section 12). */
export interface Waiting {
  /**
   * Begins to wait for the rest of a body; `late` hears when it comes too slowly.
   * @throws Refusal RATE_LIMITED; ClientGone
   */
  wait(call: Call, late: (refusal: Refusal) => void): void;
  /** The wait is over. */
  goOn(call: Call): void;
  /** The same, unless there is more to do than can be done. @throws Refusal SERVICE_UNAVAILABLE; ClientGone */
  resume(call: Call): void;
  /**
   * Begins to send bytes that a client may take its time to read. Nothing of the answer is written yet when it is refused.
   * @throws Refusal RATE_LIMITED; ClientGone
   */
  beginAnswer(call: Call): void;
  /** The handler has said all it had to say; whether its client has taken it is another matter. */
  answered(call: Call): void;
  /** Sends the body of an answer; `ended` hears of an error. */
  send(call: Call, bytes: Readable | Uint8Array, ended: (error: NodeJS.ErrnoException | null) => void): void;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** One HTTP request on its way through the front door: the framework-free facts that guards work on. */
export class Call {
  /** `X-Request-ID`: the caller's if it has the right form, else a fresh UUIDv4. */
  readonly id: string;
  /** The request target as it came, before any decoding: what a signature covers. */
  readonly target: string;
  /** Lines of `Authorization` as received; two or more are malformed. */
  readonly authorization: readonly string[];
  /** Number of header lines, counted before Node folds them. */
  readonly headerLines: number;
  /** Number of `Host` lines, of which Node shows one. */
  readonly hosts: number;
  readonly startedAt = performance.now();
  /** The client address (conventions.md section 1); empty on operational routes, which nobody asks for it. */
  address = '';
  /** Health and metrics: never shed, banned or limited. */
  isOperational = false;
  plan?: RoutePlan;
  credential?: Credential;
  identity: Identity | null = null;
  /** Raw path parameters as the router decoded them. */
  params: Record<string, unknown> = {};
  body?: Promise<ParsedBody> | ParsedBody;
  sudoMembers?: SudoMembers;
  /** What the input guard validated. */
  input?: { params?: object; query?: object; body?: object };
  /** The sudo members held a right factor, which is spent now. */
  sudoFactorSpent = false;
  /** The caller is in sudo mode, or has nothing to prove it with. */
  hasSudo = false;
  /** A sudo proof that only a refusal returns: success of the operation voids it. */
  proofOnRefusal?: string;
  /** When the body must have arrived; a handler that takes uploads lifts it once the caller may send one. */
  bodyDeadline?: NodeJS.Timeout;
  /** The application that authenticated itself on a `@ClientAuth()` route. */
  client?: Client;
  /** What was sent to authenticate an application: its id with its secret, wherever they stood. */
  clientGuess?: string;
  /** The code of the refusal that was answered, for logs and metrics. */
  outcome?: string;

  /** Answers what its handler returned, by the framework's request and response, though it was called without. */
  respond?: (request: unknown, response: unknown) => Promise<unknown>;
  /** It left an entry in the audit log. */
  isAudited = false;
  /** Its client may take its time to read the answer. */
  isRead = false;
  /** Only `LiveRequests` changes this, and `counts`. */
  stage: Stage = 'arrived';
  /** Names of the counts of requests that include this one. */
  counts: readonly string[] = [];

  /** Headers of the answer that the response does not have yet, names and values in turn. */
  private undressed: string[] | undefined;

  constructor(
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    readonly transfers: Waiting,
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

  /** Begins the headers of the answer. None of these is set again before `dress`. */
  head(headers: string[]): void {
    this.undressed = headers;
  }

  /** Adds a header that no other has the name of. */
  header(name: string, value: string): void {
    if (this.undressed) this.undressed.push(name, value);
    else this.res.setHeader(name, value);
  }

  /** Gives the response all headers so far: whoever comes now may look at them and change them. */
  dress(): void {
    const { undressed } = this;
    if (!undressed) return;
    this.undressed = undefined;
    for (let i = 0; i < undressed.length; i += 2)
      this.res.setHeader(undressed[i] as string, undressed[i + 1] as string);
  }

  /** Whether nobody but the door and the guards had the response so far. */
  get isUndressed(): boolean {
    return this.undressed !== undefined;
  }

  /** Answers with a text; the headers go in one piece where nobody has looked at them. */
  answer(text: string, type: string): void {
    const { res, undressed } = this;
    this.header('Content-Type', type);
    this.header('Content-Length', String(Buffer.byteLength(text)));
    this.undressed = undefined;
    res.writeHead(res.statusCode, undressed);
    res.end(text);
  }

  /** Method and route template, the only form in which a route is ever written anywhere. */
  get pattern(): string {
    return this.plan ? `${this.plan.method} ${this.plan.path}` : 'unmatched';
  }

  get userAgent(): string {
    return (this.req.headers['user-agent'] ?? '').slice(0, 512);
  }
}

/** What a handler returns that has answered, or is answering, on `call.res` itself. */
export const ANSWERED = Symbol('answered');

declare module 'node:http' {
  interface IncomingMessage {
    call?: Call;
  }
}

/** The call behind a framework's request object: Express hands out Node's own, Fastify wraps it. */
export function callOf(request: IncomingMessage | { raw: IncomingMessage }): Call {
  const call = ('raw' in request ? request.raw : request).call;
  if (!call) throw new Error('the request did not pass the front door');
  return call;
}
