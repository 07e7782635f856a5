import { Foundation1795000000000 } from '../migrations/1795000000000-foundation.js';
import { Indexes1796700000000 } from '../migrations/1796700000000-indexes.js';
import { Journal1796800001000 } from '../migrations/1796800001000-journal.js';
import { JournalOrigin1796900000000 } from '../migrations/1796900000000-journal-origin.js';
import { Jobs1797610000000 } from '../migrations/1797610000000-jobs.js';
import { JobLists1797632000000 } from '../migrations/1797632000000-job-lists.js';
import { defineFeature } from '../policy/feature.js';
import { BrandSettings } from './brand/brand.settings.js';
import { InstanceSetting } from './instance/instance.entities.js';
import { InboxMessage, OutboxMessage } from './mail/mail.entities.js';
import { DataSettings } from './settings/data.settings.js';
import { InstanceSettings } from './settings/instance.settings.js';
import { RateLimitSettings } from './settings/limits.settings.js';
import { LogSettings } from './settings/log.settings.js';
import { MailSettings, SmsSettings } from './settings/mail.settings.js';
import { OutboundSettings } from './settings/outbound.settings.js';
import { SecretSettings } from './settings/secret.settings.js';
import { RedisProbe } from './store/redis-probe.js';

/** Tables of the platform: settings of the instance, emails and the journal of the replicas. */
export const platform = defineFeature('platform', {
  entities: [InstanceSetting, OutboxMessage, InboxMessage],
  migrations: [
    Foundation1795000000000,
    Indexes1796700000000,
    Journal1796800001000,
    JournalOrigin1796900000000,
    Jobs1797610000000,
    JobLists1797632000000,
  ],
  settings: [
    InstanceSettings,
    BrandSettings,
    SecretSettings,
    DataSettings,
    MailSettings,
    SmsSettings,
    OutboundSettings,
    RateLimitSettings,
    LogSettings,
  ],
  healthChecks: {
    redis: {
      check: RedisProbe,
      cause: 'REDIS_URL and that the server accepts writes',
      isUsed: ({ redisUrl }) => redisUrl !== undefined,
    },
  },
  erasure: {
    instance: { kept: 'settings of the instance' },
    journal: { kept: 'notices that contain IDs, for five minutes' },
    replica_statistics: { kept: 'counts of replicas' },
    pgboss_job: { kept: 'payloads that contain only IDs' },
    pgboss_queue: { kept: 'names of jobs' },
  },
});

declare module '../core/merged.js' {
  interface Features {
    platform: typeof platform;
  }
}

declare module '../core/config/config.js' {
  interface Config
    extends InstanceSettings,
      BrandSettings,
      SecretSettings,
      DataSettings,
      MailSettings,
      SmsSettings,
      OutboundSettings,
      RateLimitSettings,
      LogSettings {}
}
