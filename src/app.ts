import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { DynamicModule, INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { DestinationStream } from 'pino';
import { AppModule } from './app.module.js';
import { Clock } from './clock.js';
import type { Config } from './config.js';
import { FrontDoor, RefusalFilter, type RequestListener } from './front-door.js';
import { Log } from './log.js';
import { Database } from './platform/database.js';
import { httpAdapter } from './platform/http.js';
import { Network } from './platform/network.js';
import { Replica } from './platform/replica.js';
import { ProcessSessions, type SessionStore } from './platform/session-store.js';
import { RedisSessions } from './platform/session-store-redis.js';
import { MemoryStore, RedisStore } from './platform/shared-store.js';
import { Tracing } from './platform/tracing.js';
import { RouteAudit } from './routes/route-audit.js';
import { Routes } from './routes/routes.js';
import { ApiDescription } from './service/description.service.js';

export interface AppOptions {
  /** Modules of a team, beside those of the service. */
  readonly modules?: readonly (Type | DynamicModule)[];
  /** Tests pass a clock that they can move. */
  readonly clock?: Clock;
  /** Where log lines go; default standard output. */
  readonly logDestination?: DestinationStream;
  /** Tests pass a network whose names and ways they know. */
  readonly network?: Network;
  /** A dumped embedded database to open in memory instead of `DATA_DIR`. */
  readonly databaseTemplate?: Blob;
}

/**
 * Assembles the service; nothing listens yet.
 * @throws RouteAuditError when a route is not declared as it must be
 */
export async function createApp(config: Config, options: AppOptions = {}): Promise<INestApplication<Server>> {
  const log = new Log(config, options.logDestination);
  warnOfOpenLimits(config, log);
  const opened: { close(): Promise<void> }[] = [];
  const open = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.unshift(part);
    return part;
  };
  try {
    const database = open(await Database.open(config, options.databaseTemplate));
    if (config.migrateOnStart) await database.migrate();
    const replica = open(await Replica.join(config, database, log));
    const store = open(config.redisUrl ? await RedisStore.open(config.redisUrl, log) : new MemoryStore());
    const sessionStore = open(await sessionStoreOf(config));
    const tracing = open(await Tracing.open(config));
    let door: FrontDoor | undefined;
    const adapter = httpAdapter(
      config.httpPlatform,
      (req: IncomingMessage, res: ServerResponse, next: RequestListener) => door?.admit(req, res, next),
    );
    const module = AppModule.with(
      {
        ...{ config, log, database, replica, store, sessionStore, tracing },
        clock: options.clock ?? new Clock(),
        network: options.network ?? new Network(),
      },
      options.modules ?? [],
    );
    const app = await NestFactory.create<INestApplication<Server>>(module, adapter, {
      logger: log,
      abortOnError: false,
      bodyParser: false,
      // Fastify prefers the more specific route whatever the order; Express has to be told to.
      routeResolutionStrategy: 'specificity',
    });
    try {
      const frontDoor = app.get(FrontDoor);
      door = frontDoor;
      app.get(RouteAudit).audit();
      app.get(ApiDescription).attach(app);
      app.useGlobalFilters(app.get(RefusalFilter));
      frontDoor.answerParserFaults(app.getHttpServer());
      await app.init();
    } catch (error) {
      await app.close();
      throw error;
    }
    return app;
  } catch (error) {
    for (const part of opened) await part.close();
    throw error;
  }
}

/**
 * The routes of the service with their policies, audited, without a database and without a server: for a configuration
 * that names no database server.
 * @throws RouteAuditError when a route is not declared as it must be
 */
export async function readRoutes(config: Config): Promise<Routes> {
  const log = new Log({ logLevel: 'silent', logFormat: 'json' });
  const database = Database.unopened(config);
  const replica = await Replica.join(config, database, log);
  const store = new MemoryStore();
  const sessionStore = new ProcessSessions();
  const outside = { clock: new Clock(), network: new Network() };
  const module = AppModule.with(
    { ...{ config, log, database, replica, store, sessionStore }, tracing: new Tracing(), ...outside },
    [],
  );
  const adapter = httpAdapter(config.httpPlatform, () => {});
  const app = await NestFactory.create(module, adapter, { logger: log, abortOnError: false, bodyParser: false });
  app.get(RouteAudit).audit();
  return app.get(Routes);
}

async function sessionStoreOf({ redisUrl, gateway }: Config): Promise<SessionStore> {
  if (redisUrl === undefined) return new ProcessSessions();
  return RedisSessions.open(redisUrl, { retentionMs: gateway.retention_ms, renewMs: gateway.renew_ms });
}

/** Limits are switched off for tests and load runs, and nowhere else unnoticed. */
function warnOfOpenLimits(config: Config, log: Log): void {
  const limits = {
    RATE_LIMITS: config.rateLimits,
    LOGIN_ALLOWANCES: config.loginAllowances,
    REGISTRATION_ALLOWANCES: config.registrationAllowances,
    ABUSE_BANS: config.abuse.bans,
  };
  for (const [name, isOn] of Object.entries(limits)) if (!isOn) log.warn(`${name} is off`);
}
