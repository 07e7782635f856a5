import { type DynamicModule, Global, Injectable, Module, type OnApplicationShutdown, type Type } from '@nestjs/common';
import { Registry } from 'prom-client';
import { DataSource, EntityManager } from 'typeorm';
import { AccountsModule } from './accounts/accounts.module.js';
import { AccountEventsModule } from './accounts/events/account-events.module.js';
import { Accounts } from './accounts/extension/accounts.service.js';
import { ExtensionMailer } from './accounts/extension/extension-mailer.service.js';
import { AdminOperationsModule } from './admin/operations.module.js';
import { OneTimeSecretsModule } from './auth/secrets/one-time-secrets.module.js';
import { Clock } from './core/clock.js';
import { Config } from './core/config/config.js';
import { Log } from './core/log.js';
import { Metrics, MetricsReader } from './core/metrics.js';
import { Keyring } from './core/secrets.js';
import { Snowflakes } from './core/snowflake.js';
import { GatewayAdapter } from './gateway/gateway.adapter.js';
import { GatewayEventsModule } from './gateway/sessions/gateway-events.module.js';
import { SessionStore } from './gateway/store/session-store.js';
import { ConnectionRegistry } from './http/front-door/connection-registry.js';
import { ApiErrorFilter, ApiErrorFirstFilter, ErrorResponder } from './http/front-door/error-responder.js';
import { FixedHeaders } from './http/front-door/fixed-headers.js';
import { FrontDoor } from './http/front-door/front-door.js';
import { LiveRequests } from './http/live-requests.js';
import { Load } from './http/load.js';
import { Recorder } from './http/recorder.js';
import { Rejections } from './http/request-hooks.js';
import { SlowClientMonitor } from './http/slow-client-monitor.js';
import { Tracing } from './http/tracing.js';
import { OutgoingDeliveriesModule } from './outgoing-events/outgoing-deliveries.module.js';
import { RequestLimits } from './pipeline/request-limits.js';
import { Database } from './platform/database/database.js';
import { Dependencies } from './platform/dependencies/dependencies.service.js';
import { Instance } from './platform/instance/instance.js';
import { Cleanup } from './platform/jobs/cleanup.js';
import { JobQueue } from './platform/jobs/job-queue.js';
import { JobRunner } from './platform/jobs/job-runner.service.js';
import { Jobs } from './platform/jobs/jobs.service.js';
import { ColumnEncryption } from './platform/keys/column-encryption.service.js';
import { DigestKeys } from './platform/keys/digest-keys.js';
import { KeyCheck } from './platform/keys/key-check.service.js';
import { KeyRotation } from './platform/keys/key-rotation.js';
import { Inbox } from './platform/mail/inbox.js';
import { mailTransport } from './platform/mail/mail.js';
import { MailDomains } from './platform/mail/mail-domains.js';
import { NoticeAllowance } from './platform/mail/notice-allowance.service.js';
import { MAIL_TRANSPORT, Outbox } from './platform/mail/outbox.js';
import { SMS_TRANSPORT, smsTransport } from './platform/mail/sms.js';
import { CaptchaVerifier } from './platform/outbound/captcha.js';
import { Network } from './platform/outbound/network.js';
import { Outbound } from './platform/outbound/outbound.js';
import { Background } from './platform/process/background.js';
import { EventLoop } from './platform/process/event-loop.js';
import { HealthChecks } from './platform/process/health-checks.js';
import { DatabaseMonitor } from './platform/replicas/database-monitor.js';
import { ReplicaBus } from './platform/replicas/replica-bus.js';
import { ReplicaDrain } from './platform/replicas/replica-drain.js';
import { ReplicaStatistics } from './platform/replicas/replica-statistics.js';
import { Limiter } from './platform/store/limits.js';
import { RedisOutages } from './platform/store/redis-outages.service.js';
import { RedisProbe } from './platform/store/redis-probe.js';
import { SharedStore } from './platform/store/shared-store.js';
import { FeatureRegistry } from './policy/feature-registry.js';

export interface Foundations {
  readonly config: Config;
  readonly features: FeatureRegistry;
  readonly log: Log;
  readonly database: Database;
  readonly replica: ReplicaBus;
  readonly store: SharedStore;
  readonly sessionStore: SessionStore;
  readonly tracing: Tracing;
  readonly clock: Clock;
  readonly network: Network;
  /** Only with `REDIS_URL`. */
  readonly probe?: RedisProbe | undefined;
}

/** Closes resources in reverse order of opening, after all modules have shut down. */
@Injectable()
export class ResourceCloser implements OnApplicationShutdown {
  /** Closed before all others. */
  readonly extraResources: { close(): Promise<void> }[] = [];

  constructor(
    private readonly database: Database,
    private readonly replicaBus: ReplicaBus,
    private readonly store: SharedStore,
    private readonly sessionStore: SessionStore,
    private readonly tracing: Tracing,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    for (const other of this.extraResources) await other.close();
    await this.tracing.close();
    await this.store.close();
    await this.sessionStore.close();
    await this.replicaBus.close();
    await this.database.close();
  }
}

/** The settings, the clock, the database and the other infrastructure. Global, because every module needs parts of it. */
@Global()
@Module({})
export class PlatformModule {
  static with({
    config,
    features,
    log,
    database,
    replica,
    store,
    sessionStore,
    tracing,
    clock,
    network,
    probe,
  }: Foundations): DynamicModule {
    const metricsRegistry = new Registry();
    const declared = [...config.declared].map(([provide, useValue]) => ({
      provide: provide as object as Type,
      useValue,
    }));
    return {
      module: PlatformModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: FeatureRegistry, useValue: features },
        { provide: Log, useValue: log },
        { provide: Database, useValue: database },
        // The tokens of @nestjs/typeorm, so that its repositories use this connection pool.
        { provide: DataSource, useValue: database.source },
        { provide: EntityManager, useValue: database.manager },
        { provide: Clock, useValue: clock },
        ...declared,
        { provide: Network, useValue: network },
        { provide: RedisProbe, useValue: probe },
        { provide: ReplicaBus, useValue: replica },
        { provide: SharedStore, useValue: store },
        { provide: SessionStore, useValue: sessionStore },
        { provide: Tracing, useValue: tracing },
        CaptchaVerifier,
        { provide: SMS_TRANSPORT, useFactory: smsTransport, inject: [Config, Inbox, Outbound, Snowflakes] },
        { provide: MAIL_TRANSPORT, useFactory: mailTransport, inject: [Config, Inbox, Outbound] },
        {
          provide: Snowflakes,
          useValue: new Snowflakes(clock, () => replica.workerId),
        },
        ...[ResourceCloser, Keyring, KeyRotation, KeyCheck, DigestKeys, Instance, Cleanup, Limiter, RequestLimits],
        { provide: Registry, useValue: metricsRegistry },
        { provide: Metrics, useValue: new Metrics(features.metrics, metricsRegistry) },
        MetricsReader,
        ...[HealthChecks, Dependencies, RedisOutages, ReplicaDrain, ReplicaStatistics, ColumnEncryption],
        ...[JobQueue, Jobs, JobRunner],
        ...[
          EventLoop,
          LiveRequests,
          Load,
          Rejections,
          SlowClientMonitor,
          DatabaseMonitor,
          Background,
          Outbound,
          Inbox,
          Outbox,
          NoticeAllowance,
          MailDomains,
        ],
      ],
      exports: [
        ...declared.map(({ provide }) => provide),
        ...[
          Config,
          FeatureRegistry,
          Log,
          Database,
          DataSource,
          EntityManager,
          Clock,
          ReplicaBus,
          SharedStore,
          SessionStore,
          Tracing,
          CaptchaVerifier,
          Snowflakes,
          Keyring,
          Instance,
        ],
        ...[KeyRotation, DigestKeys, HealthChecks, Dependencies, ReplicaDrain, ReplicaStatistics, ColumnEncryption],
        ...[JobQueue, Jobs, JobRunner],
        ...[
          Cleanup,
          Limiter,
          RequestLimits,
          Metrics,
          MetricsReader,
          EventLoop,
          LiveRequests,
          Load,
          Rejections,
          SlowClientMonitor,
          DatabaseMonitor,
          Background,
          Network,
          Outbound,
          Inbox,
          Outbox,
          NoticeAllowance,
          MailDomains,
          SMS_TRANSPORT,
        ],
      ],
    };
  }
}

const FOR_EXTENSIONS = [
  ...[AccountEventsModule, OneTimeSecretsModule, AdminOperationsModule, GatewayEventsModule],
  OutgoingDeliveriesModule,
];

/** The services of built-in features for extensions. Global, because extensions inject them without an import. */
@Global()
@Module({
  imports: [AccountsModule, ...FOR_EXTENSIONS],
  providers: [Accounts, ExtensionMailer],
  exports: [Accounts, ExtensionMailer, ...FOR_EXTENSIONS],
})
export class ExtensionServicesModule {}

@Module({})
export class AppModule {
  static with(foundations: Foundations, more: readonly (Type | DynamicModule)[]): DynamicModule {
    const { config, features } = foundations;
    const ofFeatures = features.features.flatMap(({ modules = [] }) =>
      typeof modules === 'function' ? modules(config) : modules,
    );
    return {
      module: AppModule,
      imports: [PlatformModule.with(foundations), ...ofFeatures, ExtensionServicesModule, ...more],
      providers: [
        FrontDoor,
        ConnectionRegistry,
        ErrorResponder,
        FixedHeaders,
        Recorder,
        ApiErrorFilter,
        ApiErrorFirstFilter,
        GatewayAdapter,
      ],
    };
  }
}
