import { Decisions1797800100000 } from '../migrations/1797800100000-decisions.js';
import { defineFeature } from '../policy/feature.js';
import { DecisionsModule } from './decisions.module.js';

/** Decisions that other services may keep until they are revoked (contract/forward-auth.md section 3). */
export const decisions = defineFeature('decisions', {
  modules: [DecisionsModule],
  migrations: [Decisions1797800100000],
  buckets: {
    decisions: [6000, 10, { countsGlobally: false }],
    'decisions:failures': [120, 60, { countsGlobally: false }],
  },
  metrics: {
    gatehouse_revocation_streams: { type: 'gauge', help: 'Open streams of revocations to other services' },
    gatehouse_revocations_sent_total: { type: 'counter', help: 'Revocations sent to other services' },
  },
  erasure: { decision_stream: { kept: 'IDs of applications, while their streams are open' } },
});

declare module '../core/merged.js' {
  interface Features {
    decisions: typeof decisions;
  }
}
