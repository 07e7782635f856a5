import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Response } from 'express';
import { ANSWERED } from '../policy/call.js';
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
  }
  const application = express();
  application.set('case sensitive routing', true);
  application.set('strict routing', true);
  application.set('query parser', false);
  application.disable('x-powered-by');
  application.disable('etag');
  // It would answer 304 to `If-None-Match: *` wherever anything is answered.
  Object.defineProperty(application.request, 'fresh', { value: false });
  return new DoorExpressAdapter(application);
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
  instance.addHook('onRequest', (request: { headers: object }, _reply: unknown, done: () => void) => {
    if ('content-type' in request.headers) request.headers = { 'content-type': 'application/octet-stream' };
    done();
  });
  return adapter;
}

/**
 * The HTTP platform by name; the other one is not loaded. All that is particular to Express or Fastify stands in this file.
 */
export const httpAdapter = (platform: 'express' | 'fastify', door: Door): Promise<AbstractHttpAdapter> =>
  platform === 'fastify' ? fastifyAdapter(door) : expressAdapter(door);
