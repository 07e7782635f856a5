import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { respondOn } from '../../core/machine/node-internals.js';
import { Call, callOf } from '../../policy/call.js';
import { Routes } from '../../policy/routes.js';
import type { RequestListener } from '../adapter.js';
import { hasBody } from '../body.js';
import { endChecked, enforceContentLength } from '../content-length.js';
import { CrossOrigin } from '../cross-origin.js';
import { assertFraming, closeAfterResponse, LINGER_MS, normalizePath, toOriginForm } from '../framing.js';
import { LiveRequests, WORK } from '../live-requests.js';
import { Load } from '../load.js';
import { Recorder } from '../recorder.js';
import { RequestHooks } from '../request-hooks.js';
import { SlowClientMonitor } from '../slow-client-monitor.js';
import { ConnectionRegistry } from './connection-registry.js';
import { ErrorResponder } from './error-responder.js';
import { FixedHeaders } from './fixed-headers.js';

const BODY_TIMEOUT_MS = 30_000;
/** Always answered, even under load and to banned IP addresses. */
export const OPERATIONAL: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics']);

/** Node has no event for "the handler called end() but the client has not read everything yet". */
function endAndNotify(this: ServerResponse, ...said: unknown[]): ServerResponse {
  endChecked.apply(this, said);
  const call = callOf(this.req);
  call.transfers.onResponseEnded(call);
  return this;
}

/**
 * Processes every request before the framework, in the same way on both platforms: request ID, fixed headers, client IP
 * address, preflight, load shedding, IP ban.
 */
@Injectable()
export class FrontDoor {
  private readonly onResponseClose: (this: ServerResponse) => void;

  constructor(
    private readonly live: LiveRequests,
    private readonly load: Load,
    private readonly connections: ConnectionRegistry,
    private readonly errors: ErrorResponder,
    private readonly fixedHeaders: FixedHeaders,
    private readonly slowClientMonitor: SlowClientMonitor,
    private readonly requestHooks: RequestHooks,
    private readonly cors: CrossOrigin,
    private readonly routes: Routes,
    private readonly recorder: Recorder,
    private readonly log: Log,
  ) {
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
      this.connections.setLastResponse(socket, res);
      res.end = endAndNotify;
      res.on('close', this.onResponseClose);
      this.live.open(call, () => this.startRequest(call, next));
    } catch (error) {
      this.log.error('handling a new request failed', { error });
      socket.destroy();
    }
  }

  private startRequest(call: Call, next: RequestListener): void {
    const { req } = call;
    if (this.load.closesConnections) closeAfterResponse(call);
    if (hasBody(req)) call.bodyDeadline = setTimeout(() => this.onBodyTimeout(call), BODY_TIMEOUT_MS).unref();
    try {
      assertFraming(call);
      this.reduceToPolicy(req);
      const path = normalizePath(req);
      if (req.method === 'OPTIONS') this.cors.respondToPreflight(call, path);
      else {
        call.isOperational = OPERATIONAL.has(path);
        if (!call.isOperational) {
          this.requestHooks.onRequest(call);
          this.live.move(call, 'started', [WORK]);
        }
        this.requestHooks.dispatch(call, path, next)?.catch((error) => this.errors.send(call, error));
      }
    } catch (error) {
      this.errors.sendBeforeRouting(call, error);
    }
  }

  /**
   * Makes a request for the decision of a service policy a GET request for its path. Reverse proxies keep the method of
   * the client, and may append the original path.
   */
  private reduceToPolicy(req: IncomingMessage): void {
    toOriginForm(req);
    const path = this.routes.findPolicyPath(req.url ?? '');
    if (path === undefined) return;
    req.url = path;
    if (req.method !== 'HEAD') req.method = 'GET';
  }

  /** Checks an upgrade request like every other request. Returns `null` if an error response was sent. */
  admitUpgrade(req: IncomingMessage, socket: Duplex): Call | null {
    const call = this.createCall(req, new ServerResponse(req));
    this.connections.forget(socket);
    try {
      assertFraming(call);
      this.requestHooks.onRequest(call);
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
    respondOn(res, connection);
    res.once('finish', () => {
      this.recorder.record(call);
      connection.destroySoon();
    });
    this.errors.send(call, thrown);
  }

  private createCall(req: IncomingMessage, res: ServerResponse): Call {
    const call = new Call(req, res, this.slowClientMonitor);
    req.call = call;
    enforceContentLength(res);
    this.recorder.begin(call);
    call.setInitialHeaders(this.fixedHeaders.of(call.id));
    if (this.routes.isSecret(req.url ?? '')) call.header('X-Robots-Tag', 'noindex, nofollow');
    return call;
  }

  private onBodyTimeout(call: Call): void {
    if (call.req.complete) return;
    closeAfterResponse(call);
    this.errors.send(call, new ApiError('BAD_REQUEST'));
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
