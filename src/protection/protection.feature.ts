import { LeakReports1797200000000 } from '../migrations/1797200000000-leak-reports.js';
import { LeakReportJobs1797680000000 } from '../migrations/1797680000000-leak-report-jobs.js';
import { defineFeature } from '../policy/feature.js';
import { LeakReports } from './leak-reports.service.js';
import { ProtectionModule } from './protection.module.js';

/** Lockdown and revocation of leaked credentials. */
export const protection = defineFeature('protection', {
  modules: [ProtectionModule],
  migrations: [LeakReports1797200000000, LeakReportJobs1797680000000],
  jobs: {
    // One report at a time, so that a reporter who sends many only delays their own. Retried for a week.
    'protection:revoke_leaked': { handler: LeakReports, singleton: true, leaseSeconds: 120, retryLimit: 16 },
  },
  fieldErrors: {
    INVALID_OR_EXPIRED_LOCKDOWN_TOKEN: 'The link is invalid or expired.',
  },
  buckets: {
    'user:lockdown': [3, 3600],
    'auth:lockdown': [10, 60],
    'credential:revoke': [60, 3600],
  },
  erasure: { leak_report: { kept: 'digests, until the report is processed' } },
  auditActions: { end_lockdown: 'user', end_leaked_credential: 'user' },
  secrets: {
    // The owner must be able to lock the account for days after a takeover. After a completed change of the email
    // address, the old mailbox must not be able to lock the account.
    lockdown: 'mailbox',
  },
});

declare module '../core/merged.js' {
  interface Features {
    protection: typeof protection;
  }
}
