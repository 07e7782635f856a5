import type { Type } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Account, AccountSettings } from './src/accounts/account.entities.js';
import { RecordedEvent } from './src/accounts/events/security-event.entities.js';
import {
  Application,
  AuthorizationCode,
  BotGrant,
  OAuthToken,
  TokenFamily,
} from './src/accounts/grants/oauth.entities.js';
import { AuditEntry, ChainVerification } from './src/admin/audit/audit.entities.js';
import { AdminKey } from './src/admin/keys/admin-key.entities.js';
import { AuthorizedIp, BackupCode, OneTimeSecret, Passkey, Session } from './src/auth/records/auth.entities.js';
import { SsoDocument, SsoIdentity } from './src/auth/sso/sso.entities.js';
import { IpBanEntry } from './src/bans/bans.entities.js';
import {
  Garbage,
  MediaObject,
  MediaUpload,
  SpentCapability,
  StagedObject,
} from './src/media/objects/media.entities.js';
import { Foundation1795000000000 } from './src/migrations/1795000000000-foundation.js';
import { EpochsOfPendingThings1796400000000 } from './src/migrations/1796400000000-epochs-of-pending-things.js';
import { Indexes1796700000000 } from './src/migrations/1796700000000-indexes.js';
import { WebhookQueue1796800000000 } from './src/migrations/1796800000000-webhook-queue.js';
import { Journal1796800001000 } from './src/migrations/1796800001000-journal.js';
import { JournalOrigin1796900000000 } from './src/migrations/1796900000000-journal-origin.js';
import { SecurityEvents1797100000000 } from './src/migrations/1797100000000-security-events.js';
import { LeakReports1797200000000 } from './src/migrations/1797200000000-leak-reports.js';
import { AuditSearch1797200100000 } from './src/migrations/1797200100000-audit-search.js';
import { Console1797300000000 } from './src/migrations/1797300000000-console.js';
import { SessionLimits1797400000000 } from './src/migrations/1797400000000-session-limits.js';
import { BanReason1797500000000 } from './src/migrations/1797500000000-ban-reason.js';
import { InstanceSetting } from './src/platform/instance/instance.entities.js';
import { InboxMessage, OutboxMessage } from './src/platform/mail/mail.entities.js';
import { Webhook, WebhookMessage, WebhookRepeat } from './src/webhooks/webhook.entities.js';

/**
 * The options of the one DataSource, for the application and for TypeORM's own command line. A team brings `entities`;
 * `patience` is how many times as long as usual anything is waited for.
 */
export const dataSourceOptions = (
  url: string | undefined,
  poolSize: number,
  entities: readonly Type[] = [],
  patience = 1,
): DataSourceOptions => ({
  type: 'postgres',
  ...(url ? { url } : {}),
  username: url ? undefined : 'postgres',
  database: url ? undefined : 'postgres',
  poolSize,
  connectTimeoutMS: 2000,
  installExtensions: false,
  synchronize: false,
  logging: false,
  migrationsTableName: 'migration',
  entities: [
    ...[
      Account,
      AccountSettings,
      RecordedEvent,
      Session,
      AuthorizedIp,
      BackupCode,
      Passkey,
      OneTimeSecret,
      InstanceSetting,
    ],
    ...[Application, AuthorizationCode, BotGrant, TokenFamily, OAuthToken],
    ...[AdminKey, AuditEntry, ChainVerification, IpBanEntry, SsoDocument, SsoIdentity],
    ...[OutboxMessage, InboxMessage],
    ...[Webhook, WebhookMessage, WebhookRepeat, MediaObject, MediaUpload, StagedObject, SpentCapability],
    ...[Garbage],
    ...entities,
  ],
  migrations: [
    Foundation1795000000000,
    EpochsOfPendingThings1796400000000,
    Indexes1796700000000,
    WebhookQueue1796800000000,
    Journal1796800001000,
    JournalOrigin1796900000000,
    SecurityEvents1797100000000,
    LeakReports1797200000000,
    AuditSearch1797200100000,
    Console1797300000000,
    SessionLimits1797400000000,
    BanReason1797500000000,
  ],
  invalidWhereValuesBehavior: { null: 'throw', undefined: 'throw' },
  extra: url
    ? {
        connectionTimeoutMillis: 2000 * patience,
        statement_timeout: 5000 * patience,
        lock_timeout: 4000 * patience,
        idle_in_transaction_session_timeout: 10_000 * patience,
        keepAlive: true,
        // A statement is sent while the one before it is under way, where its caller does not wait.
        pipeline: true,
      }
    : {},
});

export default new DataSource(dataSourceOptions(process.env.DATABASE_URL, 2));
