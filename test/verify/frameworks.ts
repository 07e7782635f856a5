import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Controller, Get, type MiddlewareConsumer, Module, type NestModule, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { gatehouse as forExpress } from '../../verify/adapters/express.js';
import { gatehouse as forFastify } from '../../verify/adapters/fastify.js';
import { gatehouse as forHono } from '../../verify/adapters/hono.js';
import { AuthErrorFilter, gatehouse as forNest, type NestRequest } from '../../verify/adapters/nest.js';
import { gatehouse as forNext } from '../../verify/adapters/next.js';
import { gatehouse as forNode } from '../../verify/adapters/node.js';
import type { Caller, VerifierOptions } from '../../verify/index.js';

/** A running service. `/middleware` uses the middleware of the adapter, `/require` calls `auth.require`. */
export interface Running {
  readonly url: string;
  close(): Promise<void>;
}

const READ = 'documents-read';
/** Names the caller and the account. */
const textOf = ({ kind, account_id }: Caller) => ({ kind, account_id });

async function listen(handler: RequestListener, close: () => void): Promise<Running> {
  const server = createServer(handler);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return running(server, close);
}

const running = (server: Server, close: () => unknown): Running => ({
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  async close() {
    server.closeAllConnections();
    server.close();
    await close();
  },
});

function onNode(options: VerifierOptions): Promise<Running> {
  const auth = forNode(options);
  return listen(
    (request, response) => {
      const respond = () => response.end(JSON.stringify(textOf(auth.caller(request))));
      const fail = () => response.writeHead(500).end();
      if (request.url === '/middleware') auth.middleware(READ)(request, response, respond);
      else auth.require(request, READ).then(respond, (error) => auth.handleError(error, request, response, fail));
    },
    () => auth.close(),
  );
}

function onExpress(options: VerifierOptions): Promise<Running> {
  const auth = forExpress(options);
  const app = express();
  app.get('/middleware', auth.middleware(READ), (request, response) => {
    response.json(textOf(auth.caller(request)));
  });
  app.get('/require', async (request, response) => {
    response.json(textOf(await auth.require(request, READ)));
  });
  app.use(auth.errorHandler);
  return listen(app, () => auth.close());
}

async function onFastify(options: VerifierOptions): Promise<Running> {
  const auth = forFastify(options);
  const app = fastify();
  app.setErrorHandler(auth.errorHandler);
  app.get('/middleware', { onRequest: auth.middleware(READ) }, (request) => textOf(auth.caller(request)));
  app.get('/require', async (request) => textOf(await auth.require(request, READ)));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return running(app.server, () => {
    auth.close();
    return app.close();
  });
}

async function onNest(options: VerifierOptions, platform: 'express' | 'fastify'): Promise<Running> {
  const auth = forNest(options);

  @Controller()
  class Documents {
    @Get('guard')
    @auth.Require(READ)
    guarded(@auth.Caller() caller: Caller) {
      return textOf(caller);
    }

    @Get('middleware')
    behind(@auth.Caller() caller: Caller) {
      return textOf(caller);
    }

    @Get('require')
    async required(@Req() request: NestRequest) {
      return textOf(await auth.require(request, READ));
    }
  }

  @Module({ controllers: [Documents] })
  class Service implements NestModule {
    configure(consumer: MiddlewareConsumer): void {
      consumer.apply(auth.middleware(READ)).forRoutes('middleware');
    }
  }
  const adapter = platform === 'express' ? new ExpressAdapter() : new FastifyAdapter();
  const app = await NestFactory.create<NestFastifyApplication>(Service, adapter as FastifyAdapter, { logger: false });
  app.useGlobalFilters(new AuthErrorFilter());
  await app.listen(0, '127.0.0.1');
  return running(app.getHttpServer(), () => {
    auth.close();
    return app.close();
  });
}

async function onHono(options: VerifierOptions): Promise<Running> {
  const auth = forHono(options);
  const app = new Hono();
  app.get('/middleware', auth.middleware(READ), (context) => context.json(textOf(auth.caller(context))));
  app.get('/require', async (context) => context.json(textOf(await auth.require(context, READ))));
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server;
  if (!server.listening) await once(server, 'listening');
  return running(server, () => auth.close());
}

/** Calls route handlers as Next.js does, with requests of the Fetch API. */
async function onNext(options: VerifierOptions): Promise<Running> {
  const auth = forNext({ ...options, address: (request) => request.headers.get('x-forwarded-for') ?? undefined });
  const handlers: Record<string, (request: Request, context: object) => Promise<Response>> = {
    '/middleware': auth.middleware(READ)((request) => Response.json(textOf(auth.caller(request)))),
    '/require': auth.respond(async (request) => Response.json(textOf(await auth.require(request, READ)))),
  };
  const app = new Hono();
  app.get('/:name', (context) => {
    context.req.raw.headers.set('x-forwarded-for', '127.0.0.1');
    return handlers[context.req.path]?.(context.req.raw, {}) ?? context.notFound();
  });
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server;
  if (!server.listening) await once(server, 'listening');
  return running(server, () => auth.close());
}

export const FRAMEWORKS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  start(options: VerifierOptions): Promise<Running>;
}[] = [
  { name: 'node:http', paths: ['/middleware', '/require'], start: onNode },
  { name: 'Express', paths: ['/middleware', '/require'], start: onExpress },
  { name: 'Fastify', paths: ['/middleware', '/require'], start: onFastify },
  {
    name: 'NestJS on Express',
    paths: ['/guard', '/middleware', '/require'],
    start: (options) => onNest(options, 'express'),
  },
  {
    name: 'NestJS on Fastify',
    paths: ['/guard', '/middleware', '/require'],
    start: (options) => onNest(options, 'fastify'),
  },
  { name: 'Hono', paths: ['/middleware', '/require'], start: onHono },
  { name: 'route handlers of Next.js', paths: ['/middleware', '/require'], start: onNext },
];
