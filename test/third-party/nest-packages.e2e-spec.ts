import { BullModule, InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq';
import { Body, Controller, Get, Injectable, Module, Post, type Type } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import {
  CqrsModule,
  EventBus,
  EventsHandler,
  type IEventHandler,
  type IQueryHandler,
  QueryBus,
  QueryHandler,
} from '@nestjs/cqrs';
import { AbstractGraphQLDriver, GraphQLModule, Query, Resolver } from '@nestjs/graphql';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import {
  HealthCheck,
  HealthCheckService,
  HealthIndicatorService,
  TerminusModule,
  TypeOrmHealthIndicator,
} from '@nestjs/terminus';
import { getRepositoryToken } from '@nestjs/typeorm';
import type { Job, Queue } from 'bullmq';
import type { Repository } from 'typeorm';
import { readRoutes } from '../../src/app.js';
import { CredentialFree, Database, loadConfig, Text, UserOnly } from '../../src/index.js';
import { Shelf, shelves } from '../fixtures/team/shelves.js';
import { describeWithRedis, emptyRedis, redisDatabase } from '../machine/redis.js';
import { boot } from '../support/boot.js';
import {
  type Client,
  eventually,
  expectApiError,
  type Gatehouse,
  gatehouse,
  person,
  withGatehouse,
} from '../support/index.js';

class DoubleQuery {
  constructor(readonly text: string) {}
}

@QueryHandler(DoubleQuery)
class DoubleHandler implements IQueryHandler<DoubleQuery> {
  async execute({ text }: DoubleQuery): Promise<string> {
    return text + text;
  }
}

class TextDoubled {
  constructor(readonly text: string) {}
}

@Injectable()
class Seen {
  readonly texts: string[] = [];
}

@EventsHandler(TextDoubled)
class DoubledHandler implements IEventHandler<TextDoubled> {
  constructor(private readonly seen: Seen) {}

  handle({ text }: TextDoubled): void {
    this.seen.texts.push(text);
  }
}

class TextInput {
  @Text({ min: 1, max: 20 }) text: string;
}

@Controller('v1/texts')
class TextsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly events: EventBus,
  ) {}

  @Post()
  @UserOnly()
  async double(@Body() { text }: TextInput) {
    const doubled = await this.queries.execute<DoubleQuery, string>(new DoubleQuery(text));
    this.events.publish(new TextDoubled(text));
    return { doubled };
  }
}

@Module({
  imports: [CqrsModule.forRoot()],
  controllers: [TextsController],
  providers: [DoubleHandler, DoubledHandler, Seen],
})
class TextsModule {}

@Injectable()
class Yearly {
  runs = 0;

  @Cron('0 0 1 1 *', { name: 'yearly' })
  run(): void {
    this.runs++;
  }
}

@Module({ imports: [ScheduleModule.forRoot()], providers: [Yearly] })
class YearlyModule {}

@Injectable()
class Engine {
  isUp = true;
}

@Controller('v1/texts/health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly engine: Engine,
  ) {}

  @Get()
  @CredentialFree()
  @HealthCheck()
  check() {
    const engine = this.indicators.check('engine');
    return this.health.check([
      () => this.database.pingCheck('database'),
      () => (this.engine.isUp ? engine.up() : engine.down('secret detail')),
    ]);
  }
}

@Module({ imports: [TerminusModule], controllers: [HealthController], providers: [Engine] })
class HealthModule {}

@Controller('v1/greeting')
class GreetingController {
  constructor(private readonly config: ConfigService) {}

  @Get()
  @UserOnly()
  greet() {
    return { greeting: this.config.getOrThrow<string>('GREETING') };
  }
}

@Module({
  imports: [ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ GREETING: 'hello' })] })],
  controllers: [GreetingController],
})
class GreetingModule {}

describe('packages of Nest in an extension', () => {
  let service: Gatehouse;
  let alice: Client;
  const engine = { isUp: true };
  beforeAll(async () => {
    const modules = [TextsModule, YearlyModule, HealthModule, GreetingModule];
    service = await gatehouse({ features: [shelves], modules, override: [[Engine, engine]] });
    alice = service.as(await person(service, 'alice'));
  });
  afterAll(async () => {
    const yearly = service.app.get(SchedulerRegistry).getCronJob('yearly');
    await service.close();
    expect(yearly.isActive).toBe(false);
  });

  test('@nestjs/typeorm: a repository reads and writes in the database of the service', async () => {
    const { body: shelf } = await alice.post('/v1/shelves', { name: 'novels' }).expect(201);
    await alice.get('/v1/shelves').expect(200, { shelves: [shelf] });
    const bob = await person(service, 'bob');
    await service.as(bob).get('/v1/shelves').expect(200, { shelves: [] });
    expectApiError(await service.anonymous.post('/v1/shelves', { name: 'poems' }), 'UNAUTHORIZED');
    expect(await service.sql('SELECT name FROM shelves')).toEqual([{ name: 'novels' }]);
  });

  test('@nestjs/typeorm: commands list the routes without a database', async () => {
    const config = loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: 'x'.repeat(44) });
    const { routes } = await readRoutes(config, { features: [shelves] });
    expect(routes.describe()).toContain('\nPOST /v1/shelves @UserOnly()\n');
  });

  test('@nestjs/typeorm: a repository with tx takes part in the transaction', async () => {
    const repository: Repository<Shelf> = service.app.get(getRepositoryToken(Shelf));
    const rolledBack = service.app.get(Database).transaction(async (tx) => {
      await tx.withRepository(repository).insert({ id: '7', ownerId: '7', name: 'lost' });
      throw new Error('the operation fails');
    });
    await expect(rolledBack).rejects.toThrow('the operation fails');
    expect(await service.sql("SELECT 1 FROM shelves WHERE name = 'lost'")).toEqual([]);
  });

  test('@nestjs/config: a controller reads its values', async () => {
    await alice.get('/v1/greeting').expect(200, { greeting: 'hello' });
  });

  test('@nestjs/cqrs: a query and an event reach their handlers', async () => {
    await alice.post('/v1/texts', { text: 'ab' }).expect(201, { doubled: 'abab' });
    expect(service.app.get(Seen).texts).toEqual(['ab']);
    expectApiError(await service.anonymous.post('/v1/texts', { text: 'cd' }), 'UNAUTHORIZED');
    expect(service.app.get(Seen).texts).toEqual(['ab']);
  });

  test('@nestjs/schedule: a task runs, and the log explains that it runs in every process', async () => {
    await service.app.get(SchedulerRegistry).getCronJob('yearly').fireOnTick();
    expect(service.app.get(Yearly).runs).toBe(1);
    const note =
      '@nestjs/schedule runs Yearly.run in every process. To run work once for all, declare it in jobs of a feature with cron';
    expect(service.log.filter((line) => line.includes(note))).toHaveLength(1);
  });

  test('@nestjs/schedule: without a handler, the log contains no note', () =>
    withGatehouse({ modules: [ScheduleModule.forRoot()] }, async ({ log }) => {
      expect(log.filter((line) => line.includes('@nestjs/schedule'))).toEqual([]);
    }));

  test('@nestjs/schedule: a task that nothing runs stops the startup', async () => {
    @Module({ providers: [Yearly] })
    class ForgottenModule {}
    await expect(boot([ForgottenModule])).rejects.toThrow(
      'Nothing runs Yearly.run, because no module imports ScheduleModule.forRoot(). Import it, or declare a job with cron instead',
    );
  });

  test('@nestjs/terminus: a health check pings the database, and fails without details', async () => {
    const up = await service.anonymous.get('/v1/texts/health').expect(200);
    expect(up.body).toMatchObject({ status: 'ok', info: { database: { status: 'up' }, engine: { status: 'up' } } });
    engine.isUp = false;
    const down = await service.anonymous.get('/v1/texts/health');
    engine.isUp = true;
    expectApiError(down, 'SERVICE_UNAVAILABLE');
    expect(down.text).not.toContain('secret detail');
  });
});

test('an override of a token that no module provides stops the startup', async () => {
  class Unknown {}
  const started = gatehouse({ override: [[Unknown, {}]] });
  await expect(started).rejects.toThrow('No module provides Unknown, so it cannot be replaced');
});

@Resolver()
class WordsResolver {
  @Query(() => String)
  words(): string {
    return 'unguarded';
  }
}

class IdleDriver extends AbstractGraphQLDriver {
  async start(): Promise<void> {}
  async stop(): Promise<void> {}
}

test('@nestjs/graphql: resolvers stop the startup, because they have no policies', async () => {
  @Module({
    imports: [GraphQLModule.forRoot({ driver: IdleDriver, autoSchemaFile: true })],
    providers: [WordsResolver],
  })
  class WordsModule {}
  await expect(boot([WordsModule])).rejects.toThrow(
    'GraphQLModule sends all resolvers through one route, so they have no policies. Write controllers instead',
  );
});

/** A module with a queue on this Redis server. */
function letters(url: string): Type {
  @Processor({ name: 'letters' }, { drainDelay: 1 })
  class Postman extends WorkerHost {
    constructor(private readonly seen: Seen) {
      super();
    }

    async process({ data }: Job<{ text: string }>): Promise<void> {
      this.seen.texts.push(data.text);
    }
  }

  @Controller('v1/letters')
  class LettersController {
    constructor(@InjectQueue('letters') private readonly queue: Queue) {}

    @Post()
    @UserOnly()
    async send(@Body() { text }: TextInput) {
      await this.queue.add('letter', { text });
      return { queued: true };
    }
  }

  @Module({
    imports: [BullModule.forRoot({ connection: { url } }), BullModule.registerQueue({ name: 'letters' })],
    controllers: [LettersController],
    providers: [Postman, Seen],
  })
  class LettersModule {}
  return LettersModule;
}

describeWithRedis('packages of Nest that need Redis', () => {
  const url = redisDatabase(0);

  test('@nestjs/bullmq: a job of a queue reaches its processor', async () => {
    await emptyRedis(url);
    await withGatehouse({ modules: [letters(url)] }, async (service) => {
      const alice = service.as(await person(service));
      await alice.post('/v1/letters', { text: 'hello' }).expect(201, { queued: true });
      const { texts } = service.app.get(Seen);
      await eventually('the letter', async () => (texts.length > 0 ? texts : undefined));
      expectApiError(await service.anonymous.post('/v1/letters', { text: 'spam' }), 'UNAUTHORIZED');
      expect(texts).toEqual(['hello']);
    });
  });
});
