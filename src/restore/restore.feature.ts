import { ErasureLedger1797800200000 } from '../migrations/1797800200000-erasure-ledger.js';
import { LedgerOfNetworks1797800400000 } from '../migrations/1797800400000-ledger-of-networks.js';
import { defineFeature } from '../policy/feature.js';
import { ErasureLedger } from './erasure-ledger.service.js';
import { RestoreModule } from './restore.module.js';
import { RestoreSettings } from './restore.settings.js';

/** Records erasures and bans outside the database, and repeats them after a restore. */
export const restore = defineFeature('restore', {
  modules: [RestoreModule],
  migrations: [ErasureLedger1797800200000, LedgerOfNetworks1797800400000],
  settings: [RestoreSettings],
  jobs: {
    // Each run writes all lines that wait, so one is enough. Retried for a week.
    'restore:write_ledger': { handler: ErasureLedger, singleton: true, leaseSeconds: 30, retryLimit: 16 },
  },
  healthChecks: {
    restore: {
      check: ErasureLedger,
      cause: 'whether a restore is in progress',
      isUsed: ({ ledger: { folder, bucket } }) => folder !== undefined || bucket !== undefined,
    },
  },
  lifecycle: {
    erased: { required: ErasureLedger },
    banned: { required: ErasureLedger },
    enabled: { required: ErasureLedger },
  },
  erasure: { erasure_ledger: { kept: 'the ID, so that a restore repeats the erasure' } },
  auditActions: { finish_restore: 'instance' },
});

declare module '../core/config/config.js' {
  interface Config extends RestoreSettings {}
}

declare module '../core/merged.js' {
  interface Features {
    restore: typeof restore;
  }
}
