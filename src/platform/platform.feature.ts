import { Foundation1795000000000 } from '../migrations/1795000000000-foundation.js';
import { Indexes1796700000000 } from '../migrations/1796700000000-indexes.js';
import { Journal1796800001000 } from '../migrations/1796800001000-journal.js';
import { JournalOrigin1796900000000 } from '../migrations/1796900000000-journal-origin.js';
import { Jobs1797610000000 } from '../migrations/1797610000000-jobs.js';
import { JobLists1797632000000 } from '../migrations/1797632000000-job-lists.js';
import { defineFeature } from '../policy/feature.js';
import { BrandSettings } from './brand/brand.settings.js';
import { InstanceSetting } from './instance/instance.entities.js';
import { Cleanup } from './jobs/cleanup.js';
import { InboxMessage, OutboxMessage } from './mail/mail.entities.js';
import { DataSettings } from './settings/data.settings.js';
import { InstanceSettings } from './settings/instance.settings.js';
import { RateLimitSettings } from './settings/limits.settings.js';
import { LogSettings } from './settings/log.settings.js';
import { MailSettings, SmsSettings } from './settings/mail.settings.js';
import { OutboundSettings } from './settings/outbound.settings.js';
import { SecretSettings } from './settings/secret.settings.js';

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
  jobs: {
    // Expired sessions are reported within a minute (contract/openid.md section 6).
    'platform:clean_up': { handler: Cleanup, everySeconds: 50, leaseSeconds: 30 },
  },
  metrics: {
    gatehouse_workers: { type: 'gauge', help: 'Processes of this service that respond' },
    gatehouse_health_check: {
      type: 'gauge',
      help: 'Result of the last run of a health check: 1 if it passed, or 0',
      labels: { check: 'any' },
      aggregation: 'min',
    },
    gatehouse_dependency_up: {
      type: 'gauge',
      help: 'Result of the last test of a dependency: 1 if it works, or 0',
      labels: { name: 'any' },
      aggregation: 'min',
    },
    gatehouse_redis_losses_total: {
      type: 'counter',
      help: 'How often a process has lost its connection to Redis',
    },
    gatehouse_redis_lost_seconds_total: {
      type: 'counter',
      help: 'Time that processes have been without a connection to Redis, in seconds',
    },
    gatehouse_mail_total: {
      type: 'counter',
      help: 'Emails by type and outcome',
      labels: { type: 'any', outcome: ['sent', 'deferred', 'refused', 'expired'] },
    },
    gatehouse_outbox_waiting: { type: 'gauge', help: 'Number of queued emails', aggregation: 'max' },
    gatehouse_outbox_lag_seconds: { type: 'gauge', help: 'Age of the oldest queued email', aggregation: 'max' },
    gatehouse_job_runs_total: {
      type: 'counter',
      help: 'Attempts to run background jobs, by outcome',
      labels: { name: 'any', outcome: ['completed', 'retried', 'failed'] },
    },
    gatehouse_job_oldest_seconds: {
      type: 'gauge',
      help: 'Age of the oldest background job that is due',
      labels: { name: 'any' },
      aggregation: 'max',
    },
    gatehouse_jobs_failed: {
      type: 'gauge',
      help: 'Background jobs that failed every attempt',
      labels: { name: 'any' },
      aggregation: 'max',
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
