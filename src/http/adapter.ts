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
import type { Response } from 'express';
import { Refusal } from '../core/errors.js';
import { ANSWERED, type Call, callOf } from '../policy/call.js';
import type { RequestListener } from './front-door.js';
import { PlatformWatch, type Unguarded } from './unguarded.js';

/** The part of the front door that the platform calls. */
export interface Door {
  admit(req: IncomingMessage, res: ServerResponse, next: RequestListener): void;
  /** Answers an error, whatever was thrown. */
  refuse(call: Call, thrown: unknown): void;
}

const MAX_HEADER_BYTES = 16 * 1024;
// Longer than any token, so that an over-long one is refused by validation and not by the router.
const MAX_PARAMETER_LENGTH = 16 * 1024;

const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  // The longest that any route allows; the door gives every other body 30 s.
  requestTimeout: 15 * 60_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  // The door asks for the header itself: Node's own refusal has no body.
  requireHostHeader: false,
};

/** A Node server that shows every request to the door first; the framework gets what the door lets through. */
function serve(door: Door, next: RequestListener): Server {
  const onRequest = (req: IncomingMessage, res: ServerResponse) => door.admit(req, res, next);
  const server = createServer(SERVER_OPTIONS, onRequest);
  // Node drops lines beyond its limit without a word; the door counts them instead.
  server.maxHeadersCount = 0;
  server.maxRequestsPerSocket = 10_000;
  // The body of a request that will be refused is never asked for.
  server.on('checkContinue', onRequest);
  // An expectation that nobody knows may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', onRequest);
  return server;
}

const watches = new WeakMap<object, PlatformWatch>();

/** Sees what is registered on the platform; `undefined` when the front door does not stand before it. */
export const watchOf = (adapter: object): PlatformWatch | undefined => watches.get(adapter);

/** Of the adapters of both platforms. */
function watchAdapter(watch: PlatformWatch, adapter: object): void {
  for (const name of ['enableCors', 'setOnRequestHook', 'setOnResponseHook', 'registerSecurityHook']) {
    watch.method(adapter, name, () => watch.demand(name));
  }
  watch.method(adapter, 'use', ([path]) => watch.demand(typeof path === 'string' ? `use ${path}` : 'use'));
  watches.set(adapter, watch);
}

async function expressAdapter(door: Door, watch: PlatformWatch): Promise<AbstractHttpAdapter> {
  const [{ ExpressAdapter }, { default: express }] = await Promise.all([
    import('@nestjs/platform-express'),
    import('express'),
  ]);
  class DoorExpressAdapter extends ExpressAdapter {
    override initHttpServer(): void {
      this.httpServer = serve(door, this.getInstance()) as typeof this.httpServer;
    }

    override reply(response: Response, body: unknown, status?: number): void {
      if (body !== ANSWERED) super.reply(response, body, status);
    }

    override setErrorHandler(...given: Parameters<NestExpressAdapter['setErrorHandler']>) {
      return watch.own(() => super.setErrorHandler(...given));
    }

    override setNotFoundHandler(...given: Parameters<NestExpressAdapter['setNotFoundHandler']>) {
      return watch.own(() => super.setNotFoundHandler(...given));
    }

    // The audit examines the modules that bring middleware.
    override createMiddlewareFactory(...given: Parameters<NestExpressAdapter['createMiddlewareFactory']>) {
      const register = super.createMiddlewareFactory(...given);
      return (...middleware: Parameters<typeof register>) => watch.own(() => register(...middleware));
    }
  }
  const application = express();
  application.set('case sensitive routing', true);
  application.set('strict routing', true);
  application.set('query parser', false);
  application.disable('x-powered-by');
  application.disable('etag');
  application.use((req, res, next) => {
    const { respond } = callOf(req);
    if (respond) respond(req, res).catch(next);
    else next();
  });
  // It would answer 304 to `If-None-Match: *` wherever anything is answered.
  Object.defineProperty(application.request, 'fresh', { value: false });
  const adapter = new DoorExpressAdapter(application);
  for (const method of ['all', ...METHODS.map((name) => name.toLowerCase())]) {
    watch.method(application, method, (given) => {
      // `get` with a name alone reads a setting.
      if (given.length > 1) watch.route(method.toUpperCase(), String(given[0]));
    });
  }
  for (const method of ['use', 'route']) {
    watch.method(application, method, ([path]) =>
      watch.demand(typeof path === 'string' ? `${method} ${path}` : method),
    );
  }
  watchAdapter(watch, adapter);
  return adapter;
}

type FastifyReplyParameters = Parameters<FastifyAdapter<Server>['reply']>;
type RouteArguments = Parameters<FastifyAdapter<Server>['get']>;

/** A wildcard has a name for Express and none for Fastify. */
const namelessWildcard = ([path, ...handlers]: RouteArguments): RouteArguments => [
  typeof path === 'string' ? path.replace(/\/\*\w+$/, '/*') : path,
  ...handlers,
];

async function fastifyAdapter(door: Door, watch: PlatformWatch): Promise<AbstractHttpAdapter> {
  const fastify = await import('@nestjs/platform-fastify');
  class DoorFastifyAdapter extends fastify.FastifyAdapter<Server> {
    override get(...route: RouteArguments) {
      return super.get(...namelessWildcard(route));
    }

    override post(...route: RouteArguments) {
      return super.post(...namelessWildcard(route));
    }

    override put(...route: RouteArguments) {
      return super.put(...namelessWildcard(route));
    }

    override patch(...route: RouteArguments) {
      return super.patch(...namelessWildcard(route));
    }

    override delete(...route: RouteArguments) {
      return super.delete(...namelessWildcard(route));
    }

    override enableCors(...given: Parameters<FastifyAdapter<Server>['enableCors']>) {
      // The route for preflight requests is registered later, by the plugin.
      watch.expect([{ method: 'OPTIONS', path: '*' }]);
      super.enableCors(...given);
    }

    override reply(...[response, body, status]: FastifyReplyParameters): ReturnType<FastifyAdapter<Server>['reply']> {
      // Fastify must know that the answer is written past it.
      if (body === ANSWERED && 'hijack' in response) return response.hijack();
      return super.reply(response, body, status);
    }
  }
  const adapter = new DoorFastifyAdapter({
    serverFactory: (handler: RequestListener) => serve(door, handler),
    // The door answers what the parser refuses.
    clientErrorHandler: () => {},
    // Fastify's own response repeats the path, which can contain a secret.
    frameworkErrors: (_error: Error, request: { raw: IncomingMessage }, reply: { hijack(): void }) => {
      reply.hijack();
      door.refuse(callOf(request), new Refusal('BAD_REQUEST'));
    },
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      maxParamLength: MAX_PARAMETER_LENGTH,
      querystringParser: () => ({}),
    },
    skipMiddie: !watch.takesMiddleware,
    multipart: false,
  });
  // Bodies are read by the guard whose turn it is, never by the framework.
  const instance = adapter.getInstance();
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (_request: unknown, _payload: unknown, done: (error: null) => void) => done(null));
  // It would answer 415 to a type that it cannot read before anybody has judged the request.
  type Hooked = { headers: object; raw: IncomingMessage };
  instance.addHook('onRequest', (request: Hooked, reply: unknown, done: (error?: Error) => void) => {
    if ('content-type' in request.headers) request.headers = { 'content-type': 'application/octet-stream' };
    const { respond } = callOf(request);
    if (respond) respond(request, reply).catch(done);
    else done();
  });
  instance.addHook('onRoute', ({ method, url }: { method: string | string[]; url: string }) => {
    for (const name of [method].flat()) watch.route(name, url);
  });
  // Registers the engine of middleware, if there is to be any, which adds hooks of its own.
  await adapter.init();
  watch.method(instance, 'addHook', ([event]) => {
    if (event !== 'onRegister') watch.demand(`hook ${event}`);
  });
  watchAdapter(watch, adapter);
  return adapter;
}

/**
 * The HTTP platform by name; the other one is not loaded. All that is particular to Express or Fastify stands in this file.
 * `unguarded`: what may be registered on it past the controllers.
 */
export const httpAdapter = (
  platform: 'express' | 'fastify',
  door: Door,
  unguarded: Unguarded = {},
): Promise<AbstractHttpAdapter> => {
  const watch = new PlatformWatch(unguarded);
  return platform === 'fastify' ? fastifyAdapter(door, watch) : expressAdapter(door, watch);
};
