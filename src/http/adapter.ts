import {
  createServer,
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { ExpressAdapter as NestExpressAdapter } from '@nestjs/platform-express';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Request, Response } from 'express';
import { ApiError } from '../core/errors.js';
import { markGuarded } from '../core/front-door.js';
import { type Call, callOf, RESPONSE_HANDLED } from '../policy/call.js';
import { parseQuery } from './body.js';
import { PlatformWatch, type Unguarded } from './platform-watch.js';

/** Passes a request to the framework. */
export type RequestListener = (req: IncomingMessage, res: ServerResponse) => void;

/** The request listener that runs before Express or Fastify. */
export interface RequestEntry {
  admit(req: IncomingMessage, res: ServerResponse, next: RequestListener): void;
  /** Sends the error response for any thrown value. */
  sendErrorResponse(call: Call, thrown: unknown): void;
}

const MAX_HEADER_BYTES = 16 * 1024;
// Longer than any token, so that validation rejects an overlong token, not the router.
const MAX_PARAMETER_LENGTH = 16 * 1024;

const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  // The longest that any route allows. The front door limits every other body to 30 s.
  requestTimeout: 15 * 60_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  // The front door checks the `Host` header itself, because Node's own error response has no body.
  requireHostHeader: false,
};

/**
 * Creates a Node server that passes every request to the front door first. Admitted requests go on to the framework.
 */
function serve(door: RequestEntry, next: RequestListener): Server {
  const onRequest = (req: IncomingMessage, res: ServerResponse) => door.admit(req, res, next);
  const server = createServer(SERVER_OPTIONS, onRequest);
  // Node silently drops header lines beyond its limit. `assertFraming` counts them instead.
  server.maxHeadersCount = 0;
  server.maxRequestsPerSocket = 10_000;
  // Do not send `100 Continue` yet: the body of a rejected request is never requested.
  server.on('checkContinue', onRequest);
  // Unknown expectations may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', onRequest);
  return server;
}

const rejectUnknownPath = (door: RequestEntry, request: Parameters<typeof callOf>[0]): void =>
  door.sendErrorResponse(callOf(request), new ApiError('NOT_FOUND'));

const platformWatches = new WeakMap<object, PlatformWatch>();

/**
 * The watch that records registrations on this adapter; `undefined` if the front door does not run before the adapter.
 */
export const findPlatformWatch = (adapter: object): PlatformWatch | undefined => platformWatches.get(adapter);

/** Watches the registration methods that the adapters of both platforms have. */
function watchAdapter(watch: PlatformWatch, adapter: object): void {
  for (const name of ['enableCors', 'setOnRequestHook', 'setOnResponseHook', 'registerSecurityHook']) {
    watch.wrapMethod(adapter, name, () => watch.assertDeclared(name));
  }
  watch.wrapMethod(adapter, 'use', ([path]) => watch.assertDeclared(typeof path === 'string' ? `use ${path}` : 'use'));
  platformWatches.set(adapter, watch);
  markGuarded(adapter);
}

async function expressAdapter(door: RequestEntry, watch: PlatformWatch): Promise<AbstractHttpAdapter> {
  const [{ ExpressAdapter }, { default: express }] = await Promise.all([
    import('@nestjs/platform-express'),
    import('express'),
  ]);
  class DoorExpressAdapter extends ExpressAdapter {
    override initHttpServer(): void {
      this.httpServer = serve(door, this.getInstance()) as typeof this.httpServer;
    }

    override reply(response: Response, body: unknown, status?: number): void {
      if (body !== RESPONSE_HANDLED) super.reply(response, body, status);
    }

    override setErrorHandler(...given: Parameters<NestExpressAdapter['setErrorHandler']>) {
      return watch.runUnchecked(() => super.setErrorHandler(...given));
    }

    // Not Nest's handler, whose error goes to the filters of extensions.
    override setNotFoundHandler() {
      return watch.runUnchecked(() => super.setNotFoundHandler((request: Request) => rejectUnknownPath(door, request)));
    }

    // The route audit checks the modules that add middleware.
    override createMiddlewareFactory(...given: Parameters<NestExpressAdapter['createMiddlewareFactory']>) {
      const register = super.createMiddlewareFactory(...given);
      return (...middleware: Parameters<typeof register>) => watch.runUnchecked(() => register(...middleware));
    }
  }
  const application = express();
  application.set('case sensitive routing', true);
  application.set('strict routing', true);
  application.set('query parser', (text: string | null) => parseQuery(`?${text ?? ''}`));
  application.disable('x-powered-by');
  application.disable('etag');
  application.use((req, res, next) => {
    const { respondThroughFramework } = callOf(req);
    if (respondThroughFramework) respondThroughFramework(req, res).catch(next);
    else next();
  });
  // Express would otherwise return 304 for `If-None-Match: *` on every route.
  Object.defineProperty(application.request, 'fresh', { value: false });
  const adapter = new DoorExpressAdapter(application);
  for (const method of ['all', ...METHODS.map((name) => name.toLowerCase())]) {
    watch.wrapMethod(application, method, (given) => {
      // `get` with only a name reads a setting.
      if (given.length > 1) watch.checkRoute(method.toUpperCase(), String(given[0]));
    });
  }
  for (const method of ['use', 'route']) {
    watch.wrapMethod(application, method, ([path]) =>
      watch.assertDeclared(typeof path === 'string' ? `${method} ${path}` : method),
    );
  }
  watchAdapter(watch, adapter);
  return adapter;
}

type FastifyReplyParameters = Parameters<FastifyAdapter<Server>['reply']>;
type RouteArguments = Parameters<FastifyAdapter<Server>['get']>;

/** Express requires a name for a wildcard, Fastify does not allow one. */
const withUnnamedWildcard = ([path, ...handlers]: RouteArguments): RouteArguments => [
  typeof path === 'string' ? path.replace(/\/\*\w+$/, '/*') : path,
  ...handlers,
];

async function fastifyAdapter(door: RequestEntry, watch: PlatformWatch): Promise<AbstractHttpAdapter> {
  const fastify = await import('@nestjs/platform-fastify');
  class DoorFastifyAdapter extends fastify.FastifyAdapter<Server> {
    override get(...route: RouteArguments) {
      return super.get(...withUnnamedWildcard(route));
    }

    override post(...route: RouteArguments) {
      return super.post(...withUnnamedWildcard(route));
    }

    override put(...route: RouteArguments) {
      return super.put(...withUnnamedWildcard(route));
    }

    override patch(...route: RouteArguments) {
      return super.patch(...withUnnamedWildcard(route));
    }

    override delete(...route: RouteArguments) {
      return super.delete(...withUnnamedWildcard(route));
    }

    override enableCors(...given: Parameters<FastifyAdapter<Server>['enableCors']>) {
      // The plugin registers the route for preflight requests later.
      watch.expectRoutes([{ method: 'OPTIONS', path: '*' }]);
      super.enableCors(...given);
    }

    override setNotFoundHandler() {
      return super.setNotFoundHandler((request: { raw: IncomingMessage }, reply: { hijack(): void }) => {
        reply.hijack();
        rejectUnknownPath(door, request);
      });
    }

    override reply(...[response, body, status]: FastifyReplyParameters): ReturnType<FastifyAdapter<Server>['reply']> {
      // Tell Fastify that the response is written without it.
      if (body === RESPONSE_HANDLED && 'hijack' in response) return response.hijack();
      return super.reply(response, body, status);
    }
  }
  const adapter = new DoorFastifyAdapter({
    serverFactory: (handler: RequestListener) => serve(door, handler),
    // The front door answers parser errors.
    clientErrorHandler: () => {},
    // Fastify's own response repeats the path, which can contain a secret.
    frameworkErrors: (_error: Error, request: { raw: IncomingMessage }, reply: { hijack(): void }) => {
      reply.hijack();
      door.sendErrorResponse(callOf(request), new ApiError('BAD_REQUEST'));
    },
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      maxParamLength: MAX_PARAMETER_LENGTH,
      querystringParser: (text: string) => parseQuery(`?${text}`),
    },
    skipMiddie: !watch.takesMiddleware,
    multipart: false,
  });
  // The guards read bodies when they need them. The framework never does.
  const instance = adapter.getInstance();
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request: unknown, _payload: unknown, done: (error: null) => void) => done(null));
  // Otherwise Fastify would return 415 for a content type that it cannot read, before any guard runs.
  type Hooked = { headers: object; raw: IncomingMessage };
  instance.addHook('onRequest', (request: Hooked, reply: unknown, done: (error?: Error) => void) => {
    if ('content-type' in request.headers) request.headers = { 'content-type': 'application/octet-stream' };
    const { respondThroughFramework } = callOf(request);
    if (respondThroughFramework) respondThroughFramework(request, reply).catch(done);
    else done();
  });
  instance.addHook('onRoute', ({ method, url }: { method: string | string[]; url: string }) => {
    for (const name of [method].flat()) watch.checkRoute(name, url);
  });
  // Loads the middleware engine if it is needed. The engine adds hooks of its own.
  await adapter.init();
  watch.wrapMethod(instance, 'addHook', ([event]) => {
    if (event !== 'onRegister') watch.assertDeclared(`hook ${event}`);
  });
  watchAdapter(watch, adapter);
  return adapter;
}

/**
 * Creates the HTTP adapter of a platform without loading the other platform. Only this file contains code for Express
 * or Fastify.
 * @param unguarded what may be registered on the platform outside the controllers
 */
export const httpAdapter = (
  platform: 'express' | 'fastify',
  door: RequestEntry,
  unguarded: Unguarded = {},
): Promise<AbstractHttpAdapter> => {
  const watch = new PlatformWatch(unguarded);
  return platform === 'fastify' ? fastifyAdapter(door, watch) : expressAdapter(door, watch);
};
