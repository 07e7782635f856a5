import type { Server } from 'node:http';
import { type INestApplication, VersioningType } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer, NestFactory } from '@nestjs/core';
import type { DestinationStream } from 'pino';
import { AppModule, ResourceCloser } from './app.module.js';
import { Clock } from './core/clock.js';
import type { Config } from './core/config/config.js';
import { StartError } from './core/config/start-error.js';
import { Log } from './core/log.js';
import { acceptedSecrets } from './core/secrets.js';
import { ownWorker } from './core/workers/own-worker.js';
import { ApiDocuments } from './description/description.service.js';
import { databaseSchema, featureRegistry } from './features.js';
import { Commands } from './gateway/commands/commands.service.js';
import { GatewayAdapter } from './gateway/gateway.adapter.js';
import { ProcessSessions } from './gateway/store/process-sessions.js';
import { RedisSessions } from './gateway/store/redis-sessions.js';
import type { SessionStore } from './gateway/store/session-store.js';
import { httpAdapter } from './http/adapter.js';
import { ConnectionRegistry } from './http/front-door/connection-registry.js';
import { ApiErrorFilter, ApiErrorFirstFilter, ErrorResponder } from './http/front-door/error-responder.js';
import { FrontDoor } from './http/front-door/front-door.js';
import { Tracing } from './http/tracing.js';
import { CompiledRoutes } from './pipeline/compiled-routes.js';
import { disabledLimits } from './pipeline/disabled-limits.js';
import { Explanation } from './pipeline/explanation.service.js';
import { createFactory, findUnknownDependency, type Override } from './pipeline/nest-internals.js';
import { findPackageNotes } from './pipeline/nest-packages.js';
import { RouteAudit } from './pipeline/route-audit.js';
import { Database } from './platform/database/database.js';
import type { EmbeddedEngine } from './platform/database/engine.js';
import { restrictUmask } from './platform/database/owner-only.js';
import { Cleanup } from './platform/jobs/cleanup.js';
import { Network } from './platform/outbound/network.js';
import { joinReplicas } from './platform/replicas/join-replicas.js';
import { removeExpiredEntries } from './platform/replicas/journal.js';
import { RedisProbe } from './platform/store/redis-probe.js';
import { MemoryStore, RedisStore, type Share } from './platform/store/shared-store.js';
import { assertCompatible, assertSettingsRead, type Extension } from './policy/extension.js';
import { Routes } from './policy/routes.js';

/** Options of `createApp`: the extension, and replacements for tests. */
export interface AppOptions extends Extension {
  /** Tests pass a clock that they control. */
  readonly clock?: Clock;
  /** Destination of log lines. Default: standard output. */
  readonly logDestination?: DestinationStream;
  /** Tests pass a network with predefined names and endpoints. */
  readonly network?: Network;
  /** An embedded database that the caller opens and closes, in place of the one in `DATA_DIR`. */
  readonly embeddedDatabase?: EmbeddedEngine;
  /** Tests replace providers with values. */
  readonly override?: readonly Override[];
}

/** Nest suggests a missing module for a settings class that no feature lists. This names the list. */
function explainMissingSettings(error: unknown): never {
  const { ofClass, token } = findUnknownDependency(error) ?? {};
  if (typeof token !== 'function' || !('read' in token)) throw error;
  const fix = `Add it to settings of the feature: defineFeature('notes', { settings: [${token.name}] })`;
  throw new StartError(`${ofClass} injects ${token.name}, which is not in settings of a feature. ${fix}`, {
    cause: error,
  });
}

/**
 * Assembles the service without listening. `config` must have been read with the settings of the extension.
 * @throws RouteAuditError if a route has an invalid declaration
 * @throws StartError if an operator can fix the error, such as an incompatible extension
 */
export async function createApp(config: Config, options: AppOptions = {}): Promise<INestApplication<Server>> {
  assertCompatible(options);
  assertSettingsRead(options, config);
  const features = featureRegistry(options, config);
  restrictUmask();
  const log = new Log(config, options.logDestination);
  for (const name of disabledLimits(config)) log.warn(`${name} is off`);
  if (ownWorker?.printsBanner && config.redisUrl === undefined) log.warn(SEPARATE_LIMITS, { workers: config.workers });
  const opened: { close(): Promise<void> }[] = [];
  const open = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.unshift(part);
    return part;
  };
  try {
    let door: FrontDoor | undefined;
    let errors: ErrorResponder | undefined;
    // Load the adapter before the embedded database sets V8 flags, because Node's compile cache depends on the current
    // flags.
    const adapter = await httpAdapter(
      config.httpPlatform,
      {
        admit: (req, res, next) => door?.admit(req, res, next),
        sendErrorResponse: (call, thrown) => errors?.send(call, thrown),
      },
      options.unguarded,
    );
    const database = open(
      await Database.open(config, databaseSchema(options), options.embeddedDatabase, config.migrateOnStart),
    );
    if (config.migrateOnStart) await database.migrate();
    const replica = open(await joinReplicas(config, database, log));
    await replica.start();
    const probe = config.redisUrl ? open(await RedisProbe.open(config.redisUrl)) : undefined;
    await probe?.assertUsable();
    const store = open(
      config.redisUrl ? await RedisStore.open(config.redisUrl, log) : new MemoryStore(ownShare(config)),
    );
    const sessionStore = open(await openSessionStore(config));
    const tracing = open(await Tracing.open(config));
    const module = AppModule.with(
      {
        ...{ config, features, log, database, replica, store, sessionStore, tracing, probe },
        clock: options.clock ?? new Clock(),
        network: options.network ?? new Network(),
      },
      options.modules ?? [],
    );
    const app = await createFactory(options.override ?? [])
      .create<INestApplication<Server>>(module, adapter, {
        logger: log,
        abortOnError: false,
        bodyParser: false,
        // Fastify always prefers the more specific route. Express needs this option.
        routeResolutionStrategy: 'specificity',
      })
      .catch(explainMissingSettings);
    try {
      door = app.get(FrontDoor);
      errors = app.get(ErrorResponder);
      app.get(Cleanup).add('journal', removeExpiredEntries);
      if (probe) app.get(ResourceCloser).extraResources.push(probe);
      app.get(RouteAudit).audit(options.unguarded);
      if (ownWorker?.printsBanner ?? true)
        for (const note of findPackageNotes(app.get(ModulesContainer))) log.info(note);
      app.get(ApiDocuments).attach(options.descriptions ?? []);
      // Nest tries the last filter first.
      app.get(ApplicationConfig).getGlobalFilters().unshift(app.get(ApiErrorFilter));
      app.useGlobalFilters(app.get(ApiErrorFirstFilter));
      app.enableVersioning({ type: VersioningType.URI });
      app.useWebSocketAdapter(app.get(GatewayAdapter));
      app.get(ConnectionRegistry).handleParserErrors(app.getHttpServer());
      app.getHttpServer().keepAliveTimeout = config.keepAliveSeconds * 1000;
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

/** All routes and commands with their policies: the output of `npm run routes`. */
export interface Surface {
  readonly routes: Routes;
  readonly compiled: CompiledRoutes;
  readonly explanation: Explanation;
  readonly commands: Commands;
}

/**
 * Assembles and audits the service without opening a database or a server, for commands that only read declarations.
 */
async function assembleUnopened(config: Config, extension: Extension): Promise<INestApplication> {
  assertCompatible(extension);
  assertSettingsRead(extension, config);
  const features = featureRegistry(extension, config);
  const log = new Log({ logLevel: 'silent', logFormat: 'json' });
  const database = Database.unconnected(config);
  const replica = await joinReplicas(config, database, log);
  const store = new MemoryStore();
  const sessionStore = new ProcessSessions();
  const outside = { clock: new Clock(), network: new Network() };
  const module = AppModule.with(
    { ...{ config, features, log, database, replica, store, sessionStore }, tracing: new Tracing(), ...outside },
    extension.modules ?? [],
  );
  const adapter = await httpAdapter(config.httpPlatform, { admit() {}, sendErrorResponse() {} }, extension.unguarded);
  const options = { logger: log, abortOnError: false, bodyParser: false };
  const app = await NestFactory.create(module, adapter, options).catch(explainMissingSettings);
  app.get(RouteAudit).audit(extension.unguarded);
  return app;
}

/**
 * Reads the routes and gateway commands of the service and its extension, with their policies.
 * @throws RouteAuditError if a route has an invalid declaration
 */
export async function readRoutes(config: Config, extension: Extension = {}): Promise<Surface> {
  const app = await assembleUnopened(config, extension);
  return {
    routes: app.get(Routes),
    compiled: app.get(CompiledRoutes),
    commands: app.get(Commands),
    explanation: app.get(Explanation),
  };
}

/** Generates the OpenAPI and AsyncAPI documents. @throws as `readRoutes` */
export async function readDescriptions(
  config: Config,
  extension: Extension = {},
): Promise<{ api: object; gateway: object }> {
  const app = await assembleUnopened(config, extension);
  const description = app.get(ApiDocuments);
  description.attach(extension.descriptions ?? []);
  return { api: await description.document(), gateway: await description.gatewayDocument() };
}

const SEPARATE_LIMITS =
  'WORKERS without REDIS_URL: each worker counts its share of every rate limit, and bans IP addresses by its own counts';

const ownShare = ({ workers }: Config): Share => ({ index: ownWorker?.share ?? 0, count: ownWorker ? workers : 1 });

async function openSessionStore(config: Config): Promise<SessionStore> {
  const { redisUrl, gateway } = config;
  if (redisUrl === undefined) return new ProcessSessions();
  const { retention_ms: retentionMs, renew_ms: renewMs, replay_bytes: replayBytes } = gateway;
  return RedisSessions.open(redisUrl, { retentionMs, renewMs, replayBytes, secrets: acceptedSecrets(config) });
}
