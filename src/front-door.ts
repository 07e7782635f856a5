import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { clientAddress } from './address.js';
import { AbuseLedger } from './admin/abuse-ledger.service.js';
import { ClientGone, hasBody } from './body.js';
import { Call, callOf } from './call.js';
import { Config } from './config.js';
import { CrossOrigin } from './cross-origin.js';
import { Refusal, refusalOf } from './errors.js';
import { assertFraming, routedPath } from './framing.js';
import { Log } from './log.js';
import { Metrics } from './metrics.js';
import { Tracing } from './platform/tracing.js';
import { BanGuard, LoadGuard } from './policy/guards.js';
import { Routes } from './routes/routes.js';

const BODY_SECONDS = 30;
const CSP = "default-src 'none'; frame-ancestors 'none'";
/** Headers that describe a success and must not outlive it. */
const SUCCESS_HEADERS = ['ETag', 'Content-Length', 'Content-Disposition', 'Accept-Ranges'];
/** Paths that hold the token of a webhook, known or not (webhooks.md section 9). */
const SECRET_PATH = /^(?:https?:\/\/[^/?]+)?\/v1\/webhooks\/[^/?]+\/./i;
/** Answered whatever the load, and to banned addresses too. */
export const OPERATIONAL: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics']);
/** Methods that a route can have; every other one is as unknown as a path. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** How long a client that was cut off may go on sending, so that it reads the answer and not a reset. */
const LINGER_MS = 2000;

const RATE_HEADERS = ['Limit', 'Remaining', 'Reset', 'Reset-After', 'Bucket'].map((name) => `X-RateLimit-${name}`);

const PARSER_FAULTS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

export type RequestListener = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * What happens to every request before a framework sees it, the same on both platforms: request id, fixed headers,
 * client address, preflight, load shedding, IP ban.
 */
@Injectable()
export class FrontDoor {
  /** The headers of every answer, whoever writes it. */
  private readonly fixed: readonly (readonly [name: string, value: string])[];
  private readonly answering = new WeakMap<Duplex, ServerResponse>();

  constructor(
    private readonly config: Config,
    private readonly load: LoadGuard,
    private readonly bans: BanGuard,
    private readonly routes: Routes,
    private readonly cors: CrossOrigin,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
    private readonly abuse: AbuseLedger,
  ) {
    this.fixed = [
      ['X-Service-Version', config.buildId],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
      ['Content-Security-Policy', CSP],
      ['Cache-Control', 'no-store'],
      ...(config.publicOrigin.startsWith('https:') ? [['Strict-Transport-Security', 'max-age=31536000'] as const] : []),
    ];
  }

  admit(req: IncomingMessage, res: ServerResponse, next: RequestListener): void {
    const call = this.meet(req, res);
    this.answering.set(req.socket, res);
    this.load.inFlight++;
    if (hasBody(req)) call.bodyDeadline = setTimeout(() => this.tooSlow(call), BODY_SECONDS * 1000).unref();
    res.once('close', () => this.left(call));
    try {
      assertFraming(call);
      const path = routedPath(req);
      if (req.method === 'OPTIONS') this.preflight(call, path);
      else {
        call.isOperational = OPERATIONAL.has(path);
        if (!call.isOperational) this.judge(call);
        next(req, res);
      }
    } catch (error) {
      this.corsBeforeRouting(call);
      this.refuse(call, error);
    }
  }

  /** Whether an earlier request of the connection awaits its answer: nothing else may be written there before it. */
  isAnswering(socket: Duplex): boolean {
    const last = this.answering.get(socket);
    return last !== undefined && !last.writableFinished;
  }

  /** Judges a request to switch protocols like every other. `null`: it was refused, and answered. */
  admitUpgrade(req: IncomingMessage, socket: Duplex): Call | null {
    const call = this.meet(req, new ServerResponse(req));
    this.answering.delete(socket);
    try {
      assertFraming(call);
      this.judge(call);
      return call;
    } catch (error) {
      this.refuseUpgrade(call, socket, error);
      return null;
    }
  }

  /** Answers a request to switch protocols, of which no framework knows, as any other refusal; the connection ends. */
  refuseUpgrade(call: Call, socket: Duplex, thrown: unknown): void {
    const { res } = call;
    const connection = socket as Socket;
    connection.on('error', () => connection.destroy());
    res.setHeader('Connection', 'close');
    res.assignSocket(connection);
    res.once('finish', () => {
      this.record(call);
      connection.destroySoon();
    });
    this.refuse(call, thrown);
  }

  private meet(req: IncomingMessage, res: ServerResponse): Call {
    const call = new Call(req, res);
    req.call = call;
    this.tracing.begin(call);
    res.setHeader('X-Request-ID', call.id);
    for (const [name, value] of this.fixed) res.setHeader(name, value);
    if (SECRET_PATH.test(req.url ?? '')) res.setHeader('X-Robots-Tag', 'noindex, nofollow');
    return call;
  }

  private judge(call: Call): void {
    if (!METHODS.has(call.req.method ?? '')) throw new Refusal('NOT_FOUND');
    const address = clientAddress(call.req, this.config.trustedProxies);
    call.address = address ?? '';
    this.load.arrive(call);
    if (address === null) throw new Refusal('FORBIDDEN');
    this.bans.arrive(call);
  }

  /** A preflight answers before load shedding, bans and limits; OPTIONS is nothing else. */
  private preflight(call: Call, path: string): void {
    if (!this.cors.preflight(call, this.routes.matching(path))) throw new Refusal('NOT_FOUND');
    call.res.writeHead(204).end();
  }

  private tooSlow(call: Call): void {
    if (call.req.complete) return;
    if (!call.res.headersSent) call.res.setHeader('Connection', 'close');
    this.refuse(call, new Refusal('BAD_REQUEST'));
    call.req.destroy();
  }

  private corsBeforeRouting(call: Call): void {
    const { method = '', url = '' } = call.req;
    const plan = this.routes.find(method, url.split('?')[0] ?? '');
    if (plan) this.cors.apply(call, plan);
  }

  /** Answers a refusal, whatever was thrown; nothing else can produce an error body. */
  refuse(call: Call, thrown: unknown): void {
    const { req, res } = call;
    if (thrown instanceof ClientGone || res.destroyed) {
      call.outcome = 'CLIENT_GONE';
      return;
    }
    const refusal = refusalOf(thrown);
    const status = refusal.getStatus();
    call.outcome = refusal.code;
    if (refusal.code === 'INTERNAL_SERVER_ERROR') {
      this.log.error('request failed', { route: call.pattern, request_id: call.id, error: thrown });
    }
    if (res.headersSent) {
      res.destroy();
      return;
    }
    // Of a 429 only its own numbers are told; those of the route's bucket would be another allowance's.
    if (status === 429) for (const name of RATE_HEADERS) res.removeHeader(name);
    const headers = { ...refusal.headers };
    if (call.proofOnRefusal) headers['X-Service-Sudo-Mode-JWT'] = call.proofOnRefusal;
    for (const name of SUCCESS_HEADERS) if (res.hasHeader(name)) res.removeHeader(name);
    for (const name in headers) res.setHeader(name, headers[name] as string);
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Security-Policy', CSP);
    if (call.plan?.policy.kind === 'ClientAuth') res.setHeader('Pragma', 'no-cache');
    const body = JSON.stringify({
      ...(refusal.getResponse() as object),
      ...(status >= 500 ? { request_id: call.id } : {}),
    });
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.setHeader('Content-Length', Buffer.byteLength(body));
    res.statusCode = status;
    res.end(req.method === 'HEAD' ? undefined : body);
  }

  /** Requests that never reach a handler get our body too, and the connection ends. */
  answerParserFaults(server: Server): void {
    const answered = new WeakSet<Duplex>();
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      const last = this.answering.get(socket);
      if (answered.has(socket) || (last?.headersSent && !last.shouldKeepAlive)) return;
      const isAnswering = last?.headersSent && !last.writableFinished;
      if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) socket.destroy();
      else {
        answered.add(socket);
        this.answerUnparsed(socket, PARSER_FAULTS[error.code ?? ''] ?? '400 Bad Request', new Refusal('BAD_REQUEST'));
      }
    });
    server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
      this.answerUnparsed(socket, '404 Not Found', new Refusal('NOT_FOUND'));
    });
  }

  private answerUnparsed(socket: Duplex, status: string, refusal: Refusal): void {
    const body = JSON.stringify(refusal.getResponse());
    const headers = [
      ['X-Request-ID', randomUUID()],
      ...this.fixed,
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Content-Length', String(Buffer.byteLength(body))],
      ['Connection', 'close'],
    ];
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    socket.end([`HTTP/1.1 ${status}`, ...lines, '', body].join('\r\n'));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  private left(call: Call): void {
    this.load.inFlight--;
    clearTimeout(call.bodyDeadline);
    this.record(call);
  }

  private record(call: Call): void {
    const { res } = call;
    this.abuse.note(call, res.statusCode);
    const ms = performance.now() - call.startedAt;
    const method = METHODS.has(call.req.method ?? '') ? (call.req.method as string) : 'other';
    const route = call.plan?.path ?? 'unmatched';
    const policy = call.plan?.policy.kind ?? 'none';
    const served = { method, route, policy, status: res.statusCode };
    this.metrics.request(served, ms / 1000);
    this.tracing.end(call, served);
    if (call.outcome) this.metrics.refused(call.outcome);
    const isSlow = ms > this.config.slowRequestMs;
    if (!isSlow && call.outcome === undefined && !this.log.isDebug) return;
    const line = { method, route, status: res.statusCode, ms: Math.round(ms), request_id: call.id };
    const details = call.outcome ? { ...line, outcome: call.outcome } : line;
    if (isSlow) this.log.warn('slow request', details);
    else if (call.outcome) this.log.info('request refused', details);
    else this.log.debug('request', details);
  }
}

/** The one exception filter: everything that controllers and guards throw ends in `FrontDoor.refuse`. */
@Catch()
@Injectable()
export class RefusalFilter implements ExceptionFilter {
  constructor(private readonly door: FrontDoor) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse();
    // Fastify must know that the answer is written past it.
    response.hijack?.();
    this.door.refuse(callOf(http.getRequest()), thrown);
  }
}
