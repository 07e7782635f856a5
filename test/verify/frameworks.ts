import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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
import { gatehouse as forNode } from '../../verify/adapters/node.js';
import type { Caller, VerifierOptions } from '../../verify/index.js';
import { freePort } from '../machine/ports.js';
import { until } from '../machine/service-process.js';
import { PYTHON } from './subject.js';

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

/** A site that is built with Next.js, and its server. */
async function onNext({ url, clientId, clientSecret, onError }: VerifierOptions): Promise<Running> {
  const cwd = join(import.meta.dirname, 'subjects/next');
  const next = createRequire(import.meta.url).resolve('next/dist/bin/next');
  const port = await freePort();
  const env = {
    ...{ PATH: process.env.PATH, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    ...{ GATEHOUSE_URL: `${url}`, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret },
  } as const;
  const built = spawnSync(process.execPath, [next, 'build'], { cwd, env, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stdout + built.stderr);
  const args = [next, 'start', '--hostname', '127.0.0.1', '--port', `${port}`];
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  createInterface(child.stdout).on('line', (line) => onError?.(new Error(line)));
  const siteUrl = `http://127.0.0.1:${port}`;
  await until(() =>
    fetch(siteUrl).then(
      () => true,
      () => false,
    ),
  );
  return {
    url: siteUrl,
    async close() {
      child.kill();
      await exited;
    },
  };
}

/** A process, which prints its port and then its errors. It ends with its standard input. */
async function onPython(name: string, { url, clientId, clientSecret, onError }: VerifierOptions): Promise<Running> {
  const child = spawn(PYTHON, [join(import.meta.dirname, 'subjects/frameworks.py'), name], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...{ PATH: process.env.PATH, GATEHOUSE_URL: `${url}`, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret },
      ...{ VERIFY: join(import.meta.dirname, '../../verify/python'), PYTHONDONTWRITEBYTECODE: '1' },
    },
  });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const [port] = await Promise.race([once(lines, 'line'), exited.then(() => Promise.reject(new Error(`No ${name}`)))]);
  lines.on('line', (line) => onError?.(new Error(line)));
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}

const hasPython = (name: string) => spawnSync(PYTHON, ['-c', `import ${name}`]).status === 0;

export interface Framework {
  readonly name: string;
  readonly paths: readonly string[];
  readonly isMissing?: boolean;
  /** The values that the service sees of several `Authorization` headers. Default: all of them. */
  readonly seen?: RegExp;
  /** Whether the framework adds values to `Vary`, and sends chunks instead of `Content-Length`. */
  readonly changesHeaders?: boolean;
  start(options: VerifierOptions): Promise<Running>;
}

export const FRAMEWORKS: readonly Framework[] = [
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
  {
    name: 'Next.js',
    paths: ['/middleware', '/require'],
    // Node.js drops the others before Next.js reads the headers.
    seen: /^Bot a$/,
    changesHeaders: true,
    start: onNext,
  },
  {
    name: 'Flask',
    paths: ['/middleware', '/require'],
    isMissing: !hasPython('flask'),
    start: (options) => onPython('flask', options),
  },
  {
    name: 'FastAPI',
    paths: ['/middleware', '/require'],
    isMissing: !hasPython('fastapi, uvicorn'),
    start: (options) => onPython('fastapi', options),
  },
];
