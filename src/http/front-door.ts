import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { ApiError, toApiError } from '../core/errors.js';
import { Log } from '../core/log.js';
import { Call, ClientGone, callOf, RESPONSE_HANDLED } from '../policy/call.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import { Routes } from '../policy/routes.js';
import { AdminNetworks } from './admin-networks.js';
import { hasBody } from './body.js';
import { ClientAddresses } from './client-addresses.js';
import { endChecked, enforceContentLength } from './content-length.js';
import { CrossOrigin } from './cross-origin.js';
import { type FastPathRoute, FastPathRoutes, isPlainJson } from './fast-path-routes.js';
import { assertFraming, closeAfterResponse, LINGER_MS, linger, normalizePath } from './framing.js';
import { LiveRequests, WORK } from './live-requests.js';
import { Load } from './load.js';
import { respondToBrowser } from './not-found-page.js';
import { METHODS, Recorder, requestDetails } from './recorder.js';
import { RequestHooks } from './request-hooks.js';
import { SlowClientMonitor } from './slow-client-monitor.js';
import { Tracing } from './tracing.js';

const BODY_TIMEOUT_MS = 30_000;
/** Poll interval while waiting for connections to close. */
const DRAIN_POLL_INTERVAL_MS = 20;
/** Idle keep-alive connections are closed after this long once a successor has taken over. */
const IDLE_CONNECTION_GRACE_MS = 3000;
const CSP = "default-src 'none'; frame-ancestors 'none'";
/** Headers that describe a success and must not appear on an error response. */
const SUCCESS_HEADERS = ['ETag', 'Content-Length', 'Content-Disposition', 'Accept-Ranges'];
/** Always answered, even under load and to banned IP addresses. */
export const OPERATIONAL: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics']);
const RATE_HEADERS = ['Limit', 'Remaining', 'Reset', 'Reset-After', 'Bucket'].map((name) => `X-RateLimit-${name}`);

const PARSER_ERROR_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const JSON_TYPE = 'application/json; charset=utf-8';

/** Node has no event for "the handler called end() but the client has not read everything yet". */
function endAndNotify(this: ServerResponse, ...said: unknown[]): ServerResponse {
  endChecked.apply(this, said);
  const call = callOf(this.req);
  call.transfers.onResponseEnded(call);
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
  private readonly fixedHeaders: readonly string[];
  private readonly onResponseClose: (this: ServerResponse) => void;
  private readonly lastResponses = new WeakMap<Duplex, ServerResponse>();

  constructor(
    config: Config,
    private readonly live: LiveRequests,
    private readonly load: Load,
    private readonly slowClientMonitor: SlowClientMonitor,
    private readonly requestHooks: RequestHooks,
    private readonly fastPath: FastPathRoutes,
    private readonly routes: Routes,
    private readonly cors: CrossOrigin,
    private readonly log: Log,
    private readonly recorder: Recorder,
    private readonly tracing: Tracing,
    private readonly addresses: ClientAddresses,
    private readonly adminNetworks: AdminNetworks,
    private readonly features: FeatureRegistry,
  ) {
    this.fixedHeaders = [
      ...['X-Service-Version', config.buildId],
      ...['X-Content-Type-Options', 'nosniff'],
      ...['Referrer-Policy', 'no-referrer'],
      ...['Content-Security-Policy', CSP],
      ...['Cache-Control', 'no-store'],
      ...(config.publicOrigin.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
    ];
    const door = this;
    this.onResponseClose = function () {
      door.onRequestClosed(callOf(this.req));
    };
  }

  admit(req: IncomingMessage, res: ServerResponse, next: RequestListener): void {
    const { socket } = req;
    // The connection closes after a response that is already sent.
    if (socket.writableEnded || socket.destroyed) return;
    try {
      const call = this.createCall(req, res);
      this.lastResponses.set(socket, res);
      res.end = endAndNotify;
      res.on('close', this.onResponseClose);
      this.live.open(call, () => this.startRequest(call, next));
    } catch (error) {
      this.log.error('a request could not be admitted', { error });
      socket.destroy();
    }
  }

  private startRequest(call: Call, next: RequestListener): void {
    const { req } = call;
    if (this.load.draining || this.load.retiring) closeAfterResponse(call);
    if (hasBody(req)) call.bodyDeadline = setTimeout(() => this.onBodyTimeout(call), BODY_TIMEOUT_MS).unref();
    try {
      assertFraming(call);
      const path = normalizePath(req);
      if (req.method === 'OPTIONS') this.preflight(call, path);
      else {
        call.isOperational = OPERATIONAL.has(path);
        if (!call.isOperational) {
          this.runPreRoutingChecks(call);
          this.live.move(call, 'started', [WORK]);
        }
        const route = this.fastPath.find(req.method ?? '', path);
        if (route) this.serveFastPath(call, route, next).catch((error) => this.sendErrorResponse(call, error));
        else this.passToFramework(call, next);
      }
    } catch (error) {
      this.sendErrorResponse(call, error, () => this.applyCorsBeforeRouting(call));
    }
  }

  private async serveFastPath(call: Call, route: FastPathRoute, next: RequestListener): Promise<void> {
    const { res } = call;
    const value = await route.run(call);
    if (value === RESPONSE_HANDLED || res.headersSent) return;
    if (isPlainJson(value))
      call.sendText(JSON.stringify(value), (res.getHeader('Content-Type') as string | undefined) ?? JSON_TYPE);
    else if (value === undefined || value === null) {
      call.flushHeaders();
      res.end();
    } else {
      call.respondThroughFramework = (request, response) => route.respond(value, request, response);
      this.passToFramework(call, next);
    }
  }

  private passToFramework(call: Call, next: RequestListener): void {
    call.flushHeaders();
    next(call.req, call.res);
  }

  /** Whether an earlier request of the connection still waits for its response, which must be written first. */
  hasPendingResponse(socket: Duplex): boolean {
    const last = this.lastResponses.get(socket);
    return last !== undefined && !last.writableFinished;
  }

  /** Checks an upgrade request like every other request. Returns `null` if an error response was sent. */
  admitUpgrade(req: IncomingMessage, socket: Duplex): Call | null {
    const call = this.createCall(req, new ServerResponse(req));
    this.lastResponses.delete(socket);
    this.live.disconnect(socket as Socket);
    try {
      assertFraming(call);
      this.runPreRoutingChecks(call);
      return call;
    } catch (error) {
      this.rejectUpgrade(call, socket, error);
      return null;
    }
  }

  /** Sends an error response to an upgrade request, which the framework does not see, and closes the connection. */
  rejectUpgrade(call: Call, socket: Duplex, thrown: unknown): void {
    const { res } = call;
    const connection = socket as Socket;
    connection.on('error', () => connection.destroy());
    res.setHeader('Connection', 'close');
    res.assignSocket(connection);
    res.once('finish', () => {
      this.recorder.record(call);
      connection.destroySoon();
    });
    this.sendErrorResponse(call, thrown);
  }

  private createCall(req: IncomingMessage, res: ServerResponse): Call {
    const call = new Call(req, res, this.slowClientMonitor);
    req.call = call;
    enforceContentLength(res);
    this.tracing.begin(call);
    call.setInitialHeaders(['X-Request-ID', call.id, ...this.fixedHeaders]);
    if (this.routes.isSecret(req.url ?? '')) call.header('X-Robots-Tag', 'noindex, nofollow');
    return call;
  }

  private runPreRoutingChecks(call: Call): void {
    if (!METHODS.has(call.req.method ?? '')) throw new ApiError('NOT_FOUND');
    const address = this.addresses.addressOf(call.req);
    call.address = address ?? '';
    this.requestHooks.onRequest(call, address);
  }

  /** Answers a preflight before load shedding, bans and limits. Every OPTIONS request must be a preflight. */
  private preflight(call: Call, path: string): void {
    const address = this.addresses.addressOf(call.req);
    const routes = this.routes.findMatching(path).filter((plan) => !this.adminNetworks.hides(plan, address));
    call.flushHeaders();
    if (!this.cors.preflight(call, routes)) throw new ApiError('NOT_FOUND');
    call.res.writeHead(204).end();
  }

  private onBodyTimeout(call: Call): void {
    if (call.req.complete) return;
    closeAfterResponse(call);
    this.sendErrorResponse(call, new ApiError('BAD_REQUEST'));
  }

  /** The route of a path, or `undefined` if it is hidden from this caller. */
  private findVisibleRoute({ req, address }: Call, path: string) {
    return this.adminNetworks.visible(this.routes.find(req.method ?? '', path), address);
  }

  private applyCorsBeforeRouting(call: Call): void {
    const plan = this.findVisibleRoute(call, call.target.split('?')[0] ?? '');
    if (plan) this.cors.apply(call, plan);
  }

  /**
   * Sends the error response for any thrown value. No other code can produce an error body. Never throws, because no
   * other handler would catch that.
   */
  sendErrorResponse(call: Call, thrown: unknown, prepare = () => {}): void {
    try {
      prepare();
      this.sendError(call, thrown);
    } catch (error) {
      call.outcome = 'INTERNAL_SERVER_ERROR';
      this.log.error('an error response could not be sent', { ...requestDetails(call), error, cause: thrown });
      this.sendPlainError(call);
    }
  }

  private sendError(call: Call, thrown: unknown): void {
    const { res } = call;
    if (thrown instanceof ClientGone || call.stage === 'closed' || res.destroyed) {
      call.outcome ??= 'CLIENT_GONE';
      return;
    }
    const refusal = toApiError(thrown);
    const { status, body } = this.features.describe(refusal);
    call.outcome = refusal.code;
    const cause = thrown instanceof ApiError ? thrown.cause : thrown;
    if (status >= 500 && (cause !== undefined || status === 500))
      this.log.error('request failed', { ...requestDetails(call), outcome: refusal.code, error: cause ?? thrown });
    if (res.headersSent) {
      res.destroy();
      return;
    }
    if (status === 429 || !call.hasPendingHeaders) clearSuccessHeaders(call, status);
    for (const name in refusal.headers) call.header(name, refusal.headers[name] as string);
    if (call.proofOnError) call.header('X-Service-Sudo-Mode-JWT', call.proofOnError);
    if (call.plan?.policy.kind === 'ClientAuth') call.header('Pragma', 'no-cache');
    res.statusCode = status;
    if (refusal.code === 'NOT_FOUND' && respondToBrowser(call, (path) => this.findVisibleRoute(call, path))) return;
    call.sendText(JSON.stringify(status >= 500 ? { ...body, request_id: call.id } : body), JSON_TYPE);
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
      call.setInitialHeaders(['X-Request-ID', call.id, ...this.fixedHeaders]);
      const { status, body } = this.features.describe(new ApiError('INTERNAL_SERVER_ERROR'));
      res.statusCode = status;
      call.sendText(JSON.stringify({ ...body, request_id: call.id }), JSON_TYPE);
    } catch (error) {
      this.log.error('a connection is closed without a response', { ...requestDetails(call), error });
      call.req.socket.destroy();
    }
  }

  /** Sends JSON error responses to requests that do not reach a handler, and closes their connections. */
  handleParserErrors(server: Server): void {
    const answered = new WeakSet<Duplex>();
    server.on('connection', (socket: Socket) => void this.live.connect(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      const last = this.lastResponses.get(socket);
      if (answered.has(socket) || (last?.headersSent && !last.shouldKeepAlive)) return;
      const isBroken = this.hasPendingResponse(socket) && last?.headersSent && !last.req.complete;
      if (error.code === 'ECONNRESET' || !socket.writable || isBroken) socket.destroy();
      else {
        answered.add(socket);
        const status = PARSER_ERROR_STATUS[error.code ?? ''] ?? '400 Bad Request';
        this.sendUnparsedError(socket, status, new ApiError('BAD_REQUEST'));
      }
    });
    server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => socket.destroy());
      this.sendUnparsedError(socket, '404 Not Found', new ApiError('NOT_FOUND'));
    });
  }

  /** Waits for the responses to earlier requests of the connection, whose handlers may still run. */
  private sendUnparsedError(socket: Duplex, status: string, refusal: ApiError): void {
    const last = this.lastResponses.get(socket);
    if (last?.req.complete && this.hasPendingResponse(socket)) {
      last.once('finish', () => socket.writable && this.writeUnparsedError(socket, status, refusal));
    } else this.writeUnparsedError(socket, status, refusal);
  }

  private writeUnparsedError(socket: Duplex, status: string, refusal: ApiError): void {
    const body = JSON.stringify(this.features.describe(refusal).body);
    const headers = [
      ...['X-Request-ID', randomUUID()],
      ...this.fixedHeaders,
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
    const unusedFrom = performance.now() + IDLE_CONNECTION_GRACE_MS;
    while (this.live.isConnected && performance.now() < deadline) {
      if (performance.now() > unusedFrom) this.closeIdleConnections();
      await delay(DRAIN_POLL_INTERVAL_MS);
    }
  }

  /**
   * Closes idle keep-alive connections with FIN, not RST, so that a client that is sending a request gets a clean end.
   */
  async drainIdleConnections(): Promise<void> {
    this.closeIdleConnections();
    const deadline = performance.now() + LINGER_MS;
    while (this.live.isConnected && performance.now() < deadline) await delay(5);
  }

  private closeIdleConnections(): void {
    for (const { socket } of this.live.connections())
      if (!this.hasPendingResponse(socket) && socket.writable) linger(socket);
  }

  private onRequestClosed(call: Call): void {
    if (!this.live.close(call)) return;
    clearTimeout(call.bodyDeadline);
    this.recorder.record(call);
    const { req } = call;
    // A client that got its response early may stop sending. Otherwise it has LINGER_MS to finish.
    if (!req.complete && !req.destroyed) setTimeout(() => req.complete || req.destroy(), LINGER_MS).unref();
  }
}

/** Removes success headers before an error response is written. */
function clearSuccessHeaders(call: Call, status: number): void {
  call.flushHeaders();
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
export class ApiErrorFilter implements ExceptionFilter {
  constructor(private readonly door: FrontDoor) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse();
    // Tell Fastify that the response is written without it.
    response.hijack?.();
    this.door.sendErrorResponse(callOf(http.getRequest()), thrown);
  }
}
