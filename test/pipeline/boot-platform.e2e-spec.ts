import { randomBytes } from 'node:crypto';
import {
  Controller,
  Get,
  type INestApplication,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { HttpAdapterHost, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from '../../src/app.module.js';
import { Clock } from '../../src/core/clock.js';
import { Log } from '../../src/core/log.js';
import { featureRegistry, loadConfig } from '../../src/features.js';
import { ProcessSessions } from '../../src/gateway/store/process-sessions.js';
import { Tracing } from '../../src/http/tracing.js';
import { Database } from '../../src/platform/database/database.js';
import { Network } from '../../src/platform/outbound/network.js';
import { joinReplicas } from '../../src/platform/replicas/join-replicas.js';
import { MemoryStore } from '../../src/platform/store/shared-store.js';
import { Public } from '../../src/policy/decorators.js';
import { Routes } from '../../src/policy/routes.js';
import { traced } from '../fixtures/team/tracing.js';
import { boot } from '../support/boot.js';
import { withGatehouse } from '../support/index.js';

const PLATFORMS = ['express', 'fastify'];

/** The common interface of Express, Fastify and their Nest adapters. */
interface Platform {
  get(path: string, handler: (request: unknown, response: { send(text: string): void }) => void): void;
  post: Platform['get'];
  use(handler: (request: unknown, response: { end(text: string): void }, next: () => void) => void): void;
}

const answer = (_request: unknown, response: { send(text: string): void }) => response.send('unguarded');

type Hang = (host: HttpAdapterHost) => void;

/** Registers something on the platform as soon as the platform is created. */
function early(hang: Hang): Type {
  @Module({})
  class Early {
    constructor(host: HttpAdapterHost) {
      hang(host);
    }
  }
  return Early;
}

/** Registers something on the platform after all modules are created. */
function late(hang: Hang): Type {
  @Module({})
  class Late implements OnModuleInit {
    constructor(private readonly host: HttpAdapterHost) {}

    onModuleInit(): void {
      hang(this.host);
    }
  }
  return Late;
}

@Controller('v1/plain')
class PlainController {
  @Get()
  @Public()
  get() {
    return { plain: true };
  }
}

@Module({ controllers: [PlainController] })
class Answering implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const respond = (_request: unknown, response: { end(text: string): void }) => response.end('unguarded');
    consumer.apply(respond).forRoutes('/v1/plain');
  }
}

const adapterOf = ({ httpAdapter }: HttpAdapterHost): Platform => httpAdapter as unknown as Platform;
const instanceOf = ({ httpAdapter }: HttpAdapterHost): Platform => httpAdapter.getInstance();

const HANGINGS: [title: string, hang: Hang, name: string][] = [
  ['a route of the adapter', (host) => adapterOf(host).get('/raw', answer), 'GET /raw'],
  ['a route of the platform', (host) => instanceOf(host).get('/raw', answer), 'GET /raw'],
  ['another method', (host) => adapterOf(host).post('/raw/:id', answer), 'POST /raw/:id'],
  ['a route in place of an audited one', (host) => adapterOf(host).get('/v1/plain', answer), 'GET /v1/plain'],
  ['middleware of the adapter', (host) => adapterOf(host).use((_request, _response, next) => next()), 'use'],
  ['CORS by the framework', ({ httpAdapter }) => httpAdapter.enableCors({}), 'enableCors'],
  ['a hook of the adapter', ({ httpAdapter }) => httpAdapter.setOnRequestHook(() => {}), 'setOnRequestHook'],
];

describe.each(PLATFORMS)(
  'credentials.md 3 on %s: code that runs without the guards stops the startup',
  (HTTP_PLATFORM) => {
    test('the modules of an extension in an application of NestFactory', async () => {
      @Module({ controllers: [PlainController] })
      class Plain {}
      const adapter = HTTP_PLATFORM === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
      const made = NestFactory.create(Plain, adapter, { logger: false, abortOnError: false });
      await expect(made).rejects.toThrow('The application has no front door, so no policy is enforced');
    });

    test('middleware of a module', async () => {
      await expect(boot([Answering], { HTTP_PLATFORM })).rejects.toThrow("'middleware of Answering' runs without");
    });

    test.each(HANGINGS)('%s, in a constructor', async (_title, hang, name) => {
      @Module({ imports: [early(hang)], controllers: [PlainController] })
      class Outer {}
      await expect(boot([Outer], { HTTP_PLATFORM })).rejects.toThrow(`'${name}' runs without the guards`);
    });

    test.each(HANGINGS)('%s, in a module hook', async (_title, hang, name) => {
      @Module({ imports: [late(hang)], controllers: [PlainController] })
      class Outer {}
      await expect(boot([Outer], { HTTP_PLATFORM })).rejects.toThrow(`'${name}' runs without the guards`);
    });

    test('registrations on the finished application', async () => {
      const app: INestApplication = await boot([], { HTTP_PLATFORM });
      try {
        const host = { httpAdapter: app.getHttpAdapter() } as HttpAdapterHost;
        expect(() => app.use(answer)).toThrow("'use' runs without the guards");
        expect(() => app.enableCors()).toThrow("'enableCors' runs without the guards");
        expect(() => adapterOf(host).get('/raw', answer)).toThrow(
          /'GET \/raw' runs without the guards|already listening/,
        );
      } finally {
        await app.close();
      }
    });

    test('declared middleware runs for every request, even for those that the guards reject', async () => {
      await withGatehouse({ ...traced, env: { HTTP_PLATFORM } }, async ({ anonymous }) => {
        await anonymous.get('/.well-known/service').expect(200).expect('x-trace', 'on');
        await anonymous.get('/v1/users/@me').expect(401).expect('x-trace', 'on');
      });
    });

    test('declared routes are served, and listed with their reason', async () => {
      const unguarded = {
        'GET /raw': 'an old client',
        'middleware of Answering': 'a maintenance page',
        use: 'a header',
      };
      const modules = [
        ...[Answering, early((host) => adapterOf(host).get('/raw', answer))],
        late((host) => adapterOf(host).use((_request, _response, next) => next())),
      ];
      await withGatehouse({ modules, unguarded, env: { HTTP_PLATFORM } }, async ({ app, anonymous }) => {
        expect((await anonymous.get('/raw').expect(200)).text).toBe('unguarded');
        expect((await anonymous.get('/v1/plain').expect(200)).text).toBe('unguarded');
        expect(app.get(Routes).describe().trimEnd().split('\n').slice(-3)).toEqual([
          'UNGUARDED GET /raw: an old client',
          'UNGUARDED middleware of Answering: a maintenance page',
          'UNGUARDED use: a header',
        ]);
      });
    });
  },
);

test.each(PLATFORMS)(
  'credentials.md 3 on %s: an application without the entry point does not start',
  async (platform) => {
    const config = loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: randomBytes(32).toString('base64') });
    const log = new Log({ logLevel: 'silent', logFormat: 'json' });
    const database = Database.unconnected(config);
    const module = AppModule.with(
      {
        ...{ config, log, database, replica: await joinReplicas(config, database, log) },
        ...{ store: new MemoryStore(), sessionStore: new ProcessSessions(), tracing: new Tracing() },
        ...{ features: featureRegistry(), clock: new Clock(), network: new Network() },
      },
      [],
    );
    const adapter = platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
    const made = NestFactory.create(module, adapter, { logger: false, abortOnError: false });
    await expect(made).rejects.toThrow('The application has no front door');
  },
);
