import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Refusal, refusalOf } from '../core/errors.js';
import { Log } from '../core/log.js';
import { ANSWERED, Call, ClientGone, callOf } from '../policy/call.js';
import { Routes } from '../policy/routes.js';
import { AdminNetworks } from './admin-networks.js';
import { hasBody } from './body.js';
import { ClientAddresses } from './client-addresses.js';
import { CrossOrigin } from './cross-origin.js';
import { endExactly, holdToLength } from './declared-length.js';
import { type DirectRoute, DirectRoutes, isPlain } from './direct-routes.js';
import { Doorkeeper } from './doorkeeper.js';
import { assertFraming, closeGently, LINGER_MS, linger, routedPath } from './framing.js';
import { LiveRequests, WORK } from './live-requests.js';
import { Load } from './load.js';
import { answerBrowser } from './not-found-page.js';
import { METHODS, Recorder, whichRequest } from './recorder.js';
import { Tracing } from './tracing.js';
import { Transfers } from './transfers.js';

const BODY_SECONDS = 30;
/** Poll interval while waiting for connections to close. */
const LOOK_MS = 20;
/** Idle keep-alive connections are closed after this long once a successor has taken over. */
const UNUSED_MS = 3000;
const CSP = "default-src 'none'; frame-ancestors 'none'";
/** Headers that describe a success and must not appear on an error response. */
const SUCCESS_HEADERS = ['ETag', 'Content-Length', 'Content-Disposition', 'Accept-Ranges'];
/** Paths that contain the token of a webhook, whether the webhook exists or not (webhooks.md section 9). */
const SECRET_PATH = /^(?:https?:\/\/[^/?]+)?\/v1\/webhooks\/[^/?]+\/./i;
/** Always answered, even under load and to banned IP addresses. */
export const OPERATIONAL: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics']);
const RATE_HEADERS = ['Limit', 'Remaining', 'Reset', 'Reset-After', 'Bucket'].map((name) => `X-RateLimit-${name}`);

const PARSER_FAULTS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const JSON_TYPE = 'application/json; charset=utf-8';

/** Node has no event for "the handler called end() but the client has not read everything yet". */
function watchedEnd(this: ServerResponse, ...said: unknown[]): ServerResponse {
  endExactly.apply(this, said);
  const call = callOf(this.req);
  call.transfers.answered(call);
  return this;
}

export type RequestListener = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Processes every request before the framework, in the same way on both platforms: request ID, fixed headers, client IP
 * address, preflight, load shedding, IP ban.
 */
@Injectable()
export class FrontDoor {
  /** The headers of every response, whichever code sends it. */
  private readonly fixed: readonly string[];
  private readonly closed: (this: ServerResponse) => void;
  private readonly answering = new WeakMap<Duplex, ServerResponse>();

  constructor(
    config: Config,
    private readonly live: LiveRequests,
    private readonly load: Load,
    private readonly transfers: Transfers,
    private readonly doorkeeper: Doorkeeper,
    private readonly direct: DirectRoutes,
    private readonly routes: Routes,
    private readonly cors: CrossOrigin,
    private readonly log: Log,
    private readonly recorder: Recorder,
    private readonly tracing: Tracing,
    private readonly addresses: ClientAddresses,
    private readonly adminNetworks: AdminNetworks,
  ) {
    this.fixed = [
      ...['X-Service-Version', config.buildId],
      ...['X-Content-Type-Options', 'nosniff'],
      ...['Referrer-Policy', 'no-referrer'],
      ...['Content-Security-Policy', CSP],
      ...['Cache-Control', 'no-store'],
      ...(config.publicOrigin.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
    ];
    const door = this;
    this.closed = function () {
      door.left(callOf(this.req));
    };
  }

  admit(req: IncomingMessage, res: ServerResponse, next: RequestListener): void {
    const { socket } = req;
    // The connection closes after a response that is already sent.
    if (socket.writableEnded || socket.destroyed) return;
    try {
      const call = this.meet(req, res);
      this.answering.set(socket, res);
      res.end = watchedEnd;
      res.on('close', this.closed);
      this.live.open(call, () => this.begin(call, next));
    } catch (error) {
      this.log.error('a request could not be admitted', { error });
      socket.destroy();
    }
  }

  private begin(call: Call, next: RequestListener): void {
    const { req } = call;
    if (this.load.draining || this.load.retiring) closeGently(call);
    if (hasBody(req)) call.bodyDeadline = setTimeout(() => this.tooSlow(call), BODY_SECONDS * 1000).unref();
    try {
      assertFraming(call);
      const path = routedPath(req);
      if (req.method === 'OPTIONS') this.preflight(call, path);
      else {
        call.isOperational = OPERATIONAL.has(path);
        if (!call.isOperational) {
          this.judge(call);
          this.live.move(call, 'started', [WORK]);
        }
        const route = this.direct.find(req.method ?? '', path);
        if (route) this.serve(call, route, next).catch((error) => this.refuse(call, error));
        else this.pass(call, next);
      }
    } catch (error) {
      this.refuse(call, error, () => this.corsBeforeRouting(call));
    }
  }

  private async serve(call: Call, route: DirectRoute, next: RequestListener): Promise<void> {
    const { res } = call;
    const value = await route.run(call);
    if (value === ANSWERED || res.headersSent) return;
    if (isPlain(value))
      call.answer(JSON.stringify(value), (res.getHeader('Content-Type') as string | undefined) ?? JSON_TYPE);
    else if (value === undefined || value === null) {
      call.dress();
      res.end();
    } else {
      call.respond = (request, response) => route.respond(value, request, response);
      this.pass(call, next);
    }
  }

  private pass(call: Call, next: RequestListener): void {
    call.dress();
    next(call.req, call.res);
  }

  /**
   * Whether an earlier request of the connection waits for its response. Nothing else may be written before that
   * response.
   */
  isAnswering(socket: Duplex): boolean {
    const last = this.answering.get(socket);
    return last !== undefined && !last.writableFinished;
  }

  /** Checks an upgrade request like every other request. Returns `null` if an error response was sent. */
  admitUpgrade(req: IncomingMessage, socket: Duplex): Call | null {
    const call = this.meet(req, new ServerResponse(req));
    this.answering.delete(socket);
    this.live.disconnect(socket as Socket);
    try {
      assertFraming(call);
      this.judge(call);
      return call;
    } catch (error) {
      this.refuseUpgrade(call, socket, error);
      return null;
    }
  }

  /** Sends an error response to an upgrade request, which the framework does not see, and closes the connection. */
  refuseUpgrade(call: Call, socket: Duplex, thrown: unknown): void {
    const { res } = call;
    const connection = socket as Socket;
    connection.on('error', () => connection.destroy());
    res.setHeader('Connection', 'close');
    res.assignSocket(connection);
    res.once('finish', () => {
      this.recorder.record(call);
      connection.destroySoon();
    });
    this.refuse(call, thrown);
  }

  private meet(req: IncomingMessage, res: ServerResponse): Call {
    const call = new Call(req, res, this.transfers);
    req.call = call;
    holdToLength(res);
    this.tracing.begin(call);
    call.head(['X-Request-ID', call.id, ...this.fixed]);
    if (SECRET_PATH.test(req.url ?? '')) call.header('X-Robots-Tag', 'noindex, nofollow');
    return call;
  }

  private judge(call: Call): void {
    if (!METHODS.has(call.req.method ?? '')) throw new Refusal('NOT_FOUND');
    const address = this.addresses.of(call.req);
    call.address = address ?? '';
    this.doorkeeper.arrive(call, address);
  }

  /** Answers a preflight before load shedding, bans and limits. Every OPTIONS request must be a preflight. */
  private preflight(call: Call, path: string): void {
    const address = this.addresses.of(call.req);
    const routes = this.routes.matching(path).filter((plan) => !this.adminNetworks.hides(plan, address));
    call.dress();
    if (!this.cors.preflight(call, routes)) throw new Refusal('NOT_FOUND');
    call.res.writeHead(204).end();
  }

  private tooSlow(call: Call): void {
    if (call.req.complete) return;
    closeGently(call);
    this.refuse(call, new Refusal('BAD_REQUEST'));
  }

  /** The route of a path, or `undefined` if it is hidden from this caller. */
  private openRoute({ req, address }: Call, path: string) {
    return this.adminNetworks.visible(this.routes.find(req.method ?? '', path), address);
  }

  private corsBeforeRouting(call: Call): void {
    const plan = this.openRoute(call, call.target.split('?')[0] ?? '');
    if (plan) this.cors.apply(call, plan);
  }

  /**
   * Sends the error response for any thrown value. No other code can produce an error body. Never throws, because no
   * other handler would catch that.
   */
  refuse(call: Call, thrown: unknown, prepare = () => {}): void {
    try {
      prepare();
      this.sendError(call, thrown);
    } catch (error) {
      call.outcome = 'INTERNAL_SERVER_ERROR';
      this.log.error('an error response could not be sent', { ...whichRequest(call), error, cause: thrown });
      this.sendPlainError(call);
    }
  }

  private sendError(call: Call, thrown: unknown): void {
    const { res } = call;
    if (thrown instanceof ClientGone || call.stage === 'closed' || res.destroyed) {
      call.outcome ??= 'CLIENT_GONE';
      return;
    }
    const refusal = refusalOf(thrown);
    const status = refusal.getStatus();
    call.outcome = refusal.code;
    const cause = thrown instanceof Refusal ? thrown.cause : thrown;
    if (status >= 500 && (cause !== undefined || status === 500))
      this.log.error('request failed', { ...whichRequest(call), outcome: refusal.code, error: cause ?? thrown });
    if (res.headersSent) {
      res.destroy();
      return;
    }
    if (status === 429 || !call.isUndressed) forgetSuccess(call, status);
    for (const name in refusal.headers) call.header(name, refusal.headers[name] as string);
    if (call.proofOnRefusal) call.header('X-Service-Sudo-Mode-JWT', call.proofOnRefusal);
    if (call.plan?.policy.kind === 'ClientAuth') call.header('Pragma', 'no-cache');
    res.statusCode = status;
    if (refusal.code === 'NOT_FOUND' && answerBrowser(call, (path) => this.openRoute(call, path))) return;
    const body = refusal.getResponse() as object;
    call.answer(JSON.stringify(status >= 500 ? { ...body, request_id: call.id } : body), JSON_TYPE);
  }

  /** Sends only the fixed headers and a generic error, because the previous headers or the error itself are broken. */
  private sendPlainError(call: Call): void {
    const { res } = call;
    try {
      if (res.headersSent) {
        res.destroy();
        return;
      }
      for (const name of res.getHeaderNames()) res.removeHeader(name);
      call.head(['X-Request-ID', call.id, ...this.fixed]);
      const refusal = new Refusal('INTERNAL_SERVER_ERROR');
      res.statusCode = refusal.getStatus();
      call.answer(JSON.stringify({ ...(refusal.getResponse() as object), request_id: call.id }), JSON_TYPE);
    } catch (error) {
      this.log.error('a connection is closed without a response', { ...whichRequest(call), error });
      call.req.socket.destroy();
    }
  }

  /** Sends JSON error responses to requests that do not reach a handler, and closes their connections. */
  answerParserFaults(server: Server): void {
    const answered = new WeakSet<Duplex>();
    server.on('connection', (socket: Socket) => void this.live.connect(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      const last = this.answering.get(socket);
      if (answered.has(socket) || (last?.headersSent && !last.shouldKeepAlive)) return;
      const isBroken = this.isAnswering(socket) && last?.headersSent && !last.req.complete;
      if (error.code === 'ECONNRESET' || !socket.writable || isBroken) socket.destroy();
      else {
        answered.add(socket);
        this.answerUnparsed(socket, PARSER_FAULTS[error.code ?? ''] ?? '400 Bad Request', new Refusal('BAD_REQUEST'));
      }
    });
    server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => socket.destroy());
      this.answerUnparsed(socket, '404 Not Found', new Refusal('NOT_FOUND'));
    });
  }

  /** Waits for the responses to earlier requests of the connection, whose handlers may still run. */
  private answerUnparsed(socket: Duplex, status: string, refusal: Refusal): void {
    const last = this.answering.get(socket);
    if (last?.req.complete && this.isAnswering(socket)) {
      last.once('finish', () => socket.writable && this.writeUnparsed(socket, status, refusal));
    } else this.writeUnparsed(socket, status, refusal);
  }

  private writeUnparsed(socket: Duplex, status: string, refusal: Refusal): void {
    const body = JSON.stringify(refusal.getResponse());
    const headers = [
      ...['X-Request-ID', randomUUID()],
      ...this.fixed,
      ...['Content-Type', 'application/json; charset=utf-8'],
      ...['Content-Length', String(Buffer.byteLength(body))],
      ...['Connection', 'close'],
    ];
    const lines = headers.flatMap((name, i) => (i % 2 === 0 ? `${name}: ${headers[i + 1]}` : []));
    socket.write([`HTTP/1.1 ${status}`, ...lines, '', body].join('\r\n'));
    linger(socket as Socket);
  }

  /**
   * Closes each connection with the response to its next request, and idle connections after a grace period. Waits until
   * none is left or `deadline` has passed.
   */
  async retire(deadline: number): Promise<void> {
    this.load.retiring = true;
    const unusedFrom = performance.now() + UNUSED_MS;
    while (this.live.isConnected && performance.now() < deadline) {
      if (performance.now() > unusedFrom) this.endUnused();
      await delay(LOOK_MS);
    }
  }

  /**
   * Closes idle keep-alive connections with FIN, not RST, so that a client that is sending a request gets a clean end.
   */
  async bidFarewell(): Promise<void> {
    this.endUnused();
    const deadline = performance.now() + LINGER_MS;
    while (this.live.isConnected && performance.now() < deadline) await delay(5);
  }

  private endUnused(): void {
    for (const { socket } of this.live.connections()) if (!this.isAnswering(socket) && socket.writable) linger(socket);
  }

  private left(call: Call): void {
    if (!this.live.close(call)) return;
    clearTimeout(call.bodyDeadline);
    this.recorder.record(call);
    const { req } = call;
    // A client that got its response early may stop sending. Otherwise it has LINGER_MS to finish.
    if (!req.complete && !req.destroyed) setTimeout(() => req.complete || req.destroy(), LINGER_MS).unref();
  }
}

/** Removes success headers before an error response is written. */
function forgetSuccess(call: Call, status: number): void {
  call.dress();
  const { res } = call;
  // A 429 carries only the rate-limit headers of the limit that was exceeded, not those of the route's bucket.
  if (status === 429) for (const name of RATE_HEADERS) res.removeHeader(name);
  for (const name of SUCCESS_HEADERS) if (res.hasHeader(name)) res.removeHeader(name);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Security-Policy', CSP);
}

/** The only exception filter: everything that controllers and guards throw goes to the front door. */
@Catch()
@Injectable()
export class RefusalFilter implements ExceptionFilter {
  constructor(private readonly door: FrontDoor) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse();
    // Tell Fastify that the response is written without it.
    response.hijack?.();
    this.door.refuse(callOf(http.getRequest()), thrown);
  }
}
