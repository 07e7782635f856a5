import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { ExpressAdapter as NestExpressAdapter } from '@nestjs/platform-express';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Response } from 'express';
import { ANSWERED, callOf } from '../policy/call.js';
import type { RequestListener } from './front-door.js';

/** What stands before the framework; known once the application's providers exist. */
export type Door = (req: IncomingMessage, res: ServerResponse, next: RequestListener) => void;

const MAX_HEADER_BYTES = 16 * 1024;
// Longer than any token, so that an over-long one is refused by validation and not by the router.
const MAX_PARAMETER_LENGTH = 16 * 1024;

const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  // The longest that any route allows; the door gives every other body 30 s.
  requestTimeout: 15 * 60_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  // The door asks for the header itself: Node's own refusal has no body.
  requireHostHeader: false,
};

/** A Node server that shows every request to the door first; the framework gets what the door lets through. */
function serve(door: Door, next: RequestListener): Server {
  const onRequest = (req: IncomingMessage, res: ServerResponse) => door(req, res, next);
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

const carrying = new WeakSet<object>();

/** Whether something beside us and Nest hangs on the platform itself: it sees no request that does not go through it. */
export const carriesMore = (adapter: object): boolean => carrying.has(adapter);

type Methods = Record<string, (...given: unknown[]) => unknown>;

/** From now on a call of one of these by anybody but Nest hangs something on the platform. */
function watch(adapter: object, target: object, names: readonly string[], isOfNest: (given: unknown[]) => boolean) {
  const methods = target as Methods;
  for (const name of names) {
    const method = methods[name];
    methods[name] = function (this: unknown, ...given) {
      if (!isOfNest(given)) carrying.add(adapter);
      return method?.apply(this, given);
    };
  }
}

const ADAPTER_METHODS = ['enableCors', 'setOnRequestHook', 'setOnResponseHook'];

async function expressAdapter(door: Door): Promise<AbstractHttpAdapter> {
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

    isAnsweringTheRest = false;

    override setErrorHandler(...given: Parameters<NestExpressAdapter['setErrorHandler']>) {
      return this.answerTheRest(() => super.setErrorHandler(...given));
    }

    override setNotFoundHandler(...given: Parameters<NestExpressAdapter['setNotFoundHandler']>) {
      return this.answerTheRest(() => super.setNotFoundHandler(...given));
    }

    private answerTheRest<T>(hang: () => T): T {
      this.isAnsweringTheRest = true;
      const hung = hang();
      this.isAnsweringTheRest = false;
      return hung;
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
  watch(adapter, application, ['use'], () => adapter.isAnsweringTheRest);
  watch(adapter, adapter, ADAPTER_METHODS, () => false);
  return adapter;
}

type FastifyReplyParameters = Parameters<FastifyAdapter<Server>['reply']>;
type RouteArguments = Parameters<FastifyAdapter<Server>['get']>;

/** A wildcard has a name for Express and none for Fastify. */
const namelessWildcard = ([path, ...handlers]: RouteArguments): RouteArguments => [
  typeof path === 'string' ? path.replace(/\/\*\w+$/, '/*') : path,
  ...handlers,
];

async function fastifyAdapter(door: Door): Promise<AbstractHttpAdapter> {
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
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      maxParamLength: MAX_PARAMETER_LENGTH,
      querystringParser: () => ({}),
    },
    skipMiddie: true,
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
  watch(adapter, instance, ['addHook'], ([event]) => event === 'onRegister');
  watch(adapter, adapter, ADAPTER_METHODS, () => false);
  return adapter;
}

/**
 * The HTTP platform by name; the other one is not loaded. All that is particular to Express or Fastify stands in this file.
 */
export const httpAdapter = (platform: 'express' | 'fastify', door: Door): Promise<AbstractHttpAdapter> =>
  platform === 'fastify' ? fastifyAdapter(door) : expressAdapter(door);
