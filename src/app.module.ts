import { type DynamicModule, Global, Injectable, Module, type OnApplicationShutdown, type Type } from '@nestjs/common';
import { AdminModule } from './admin/admin.module.js';
import { AuthModule } from './auth/auth.module.js';
import { ClientAddresses } from './client-addresses.js';
import { Clock } from './clock.js';
import { Config } from './config.js';
import { FrontDoor, RefusalFilter } from './front-door.js';
import { GatewayModule } from './gateway/gateway.module.js';
import { SessionStore } from './gateway/store/session-store.js';
import { Limiter } from './limits.js';
import { Load } from './load.js';
import { Log } from './log.js';
import { MediaModule } from './media/media.module.js';
import { Metrics } from './metrics.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { Background } from './platform/background.js';
import { CaptchaVerifier } from './platform/captcha.js';
import { Database } from './platform/database.js';
import { DatabaseWatch } from './platform/database-watch.js';
import { DigestKeys } from './platform/digest-keys.js';
import { EventLoop } from './platform/event-loop.js';
import { Inbox } from './platform/inbox.js';
import { Instance } from './platform/instance.js';
import { Janitor } from './platform/janitor.js';
import { KeyCheck } from './platform/key-check.service.js';
import { KeyRotation } from './platform/key-rotation.js';
import { mailTransport } from './platform/mail.js';
import { MailDomains } from './platform/mail-domains.js';
import { Network } from './platform/network.js';
import { Outbound } from './platform/outbound.js';
import { MAIL_TRANSPORT, Outbox } from './platform/outbox.js';
import { Replica } from './platform/replica.js';
import { SharedStore } from './platform/shared-store.js';
import { SMS_TRANSPORT, smsTransport } from './platform/sms.js';
import { Tracing } from './platform/tracing.js';
import { PolicyModule } from './policy/policy.module.js';
import { RequestLimits } from './request-limits.js';
import { Keyring } from './secrets.js';
import { DevelopmentInboxModule } from './service/inbox.module.js';
import { ServiceModule } from './service/service.module.js';
import { Snowflakes } from './snowflake.js';
import { Transfers } from './transfers.js';
import { UsersModule } from './users/users.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

export interface Foundations {
  readonly config: Config;
  readonly log: Log;
  readonly database: Database;
  readonly replica: Replica;
  readonly store: SharedStore;
  readonly sessionStore: SessionStore;
  readonly tracing: Tracing;
  readonly clock: Clock;
  readonly network: Network;
}

/** Closes what was opened first last, after every module has let go of it. */
@Injectable()
class Closing implements OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly replica: Replica,
    private readonly store: SharedStore,
    private readonly sessionStore: SessionStore,
    private readonly tracing: Tracing,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.tracing.close();
    await this.store.close();
    await this.sessionStore.close();
    await this.replica.close();
    await this.database.close();
  }
}

@Global()
@Module({})
export class PlatformModule {
  static with({
    config,
    log,
    database,
    replica,
    store,
    sessionStore,
    tracing,
    clock,
    network,
  }: Foundations): DynamicModule {
    return {
      module: PlatformModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Log, useValue: log },
        { provide: Database, useValue: database },
        { provide: Clock, useValue: clock },
        { provide: Network, useValue: network },
        { provide: Replica, useValue: replica },
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
        ...[Closing, Keyring, KeyRotation, KeyCheck, DigestKeys, Instance, Janitor, Limiter, RequestLimits, Metrics],
        ...[EventLoop, Load, Transfers, DatabaseWatch, Background, Outbound, Inbox, Outbox, MailDomains],
      ],
      exports: [
        ...[
          Config,
          Log,
          Database,
          Clock,
          Replica,
          SharedStore,
          SessionStore,
          Tracing,
          CaptchaVerifier,
          Snowflakes,
          Keyring,
          Instance,
        ],
        ...[KeyRotation, DigestKeys],
        ...[
          Janitor,
          Limiter,
          RequestLimits,
          Metrics,
          EventLoop,
          Load,
          Transfers,
          DatabaseWatch,
          Background,
          Network,
          Outbound,
          Inbox,
          Outbox,
          MailDomains,
          SMS_TRANSPORT,
        ],
      ],
    };
  }
}

/** The inbox has routes only where messages go to it, and never in production. */
const usesInbox = ({ mailTransport, smsTransport, production }: Config): boolean =>
  (mailTransport === 'inbox' || smsTransport === 'inbox') && !production;

@Module({})
export class AppModule {
  static with(foundations: Foundations, more: readonly (Type | DynamicModule)[]): DynamicModule {
    return {
      module: AppModule,
      global: true,
      imports: [
        PlatformModule.with(foundations),
        PolicyModule,
        ServiceModule,
        ...(usesInbox(foundations.config) ? [DevelopmentInboxModule] : []),
        AuthModule,
        UsersModule,
        OAuthModule,
        AdminModule,
        GatewayModule,
        MediaModule,
        WebhooksModule,
        ...more,
      ],
      providers: [ClientAddresses, FrontDoor, RefusalFilter],
      exports: [FrontDoor],
    };
  }
}
