import { OpenId1797620000000 } from '../../migrations/1797620000000-openid.js';
import { ApplicationLogout1797650000000 } from '../../migrations/1797650000000-application-logout.js';
import { BackchannelLogouts1797650001000 } from '../../migrations/1797650001000-backchannel-logouts.js';
import { TrustedApplications1797670000000 } from '../../migrations/1797670000000-trusted-applications.js';
import { defineFeature } from '../../policy/feature.js';
import { OpenIdModule } from './openid.module.js';
import { OpenIdSettings } from './openid.settings.js';

/** OpenID Connect: sign-in at applications with ID tokens (contract/openid.md). */
export const openid = defineFeature('openid', {
  settings: [OpenIdSettings],
  modules: [OpenIdModule],
  migrations: [
    OpenId1797620000000,
    ApplicationLogout1797650000000,
    BackchannelLogouts1797650001000,
    TrustedApplications1797670000000,
  ],
  buckets: { 'oauth:logout': [30, 60] },
  // In the order of contract/openid.md section 1.
  scopes: { openid: null, profile: null, offline_access: null },
  metrics: {
    gatehouse_backchannel_logouts_total: {
      type: 'counter',
      help: 'Attempts to deliver logout tokens, by outcome',
      labels: { outcome: ['delivered', 'retried', 'failed'] },
    },
  },
  erasure: {
    oauth_removal: { column: 'account_id' },
    openid_session: { deletedWith: 'session' },
    openid_key: { kept: 'keys of the instance' },
    backchannel_logout: { kept: 'IDs on their way to an application' },
    backchannel_host: { kept: 'when a host is called next' },
  },
  encryptedColumns: { 'signing keys': { table: 'openid_key', column: 'private_key', key: 'kid' } },
});

declare module '../../core/config/config.js' {
  interface Config extends OpenIdSettings {}
}

declare module '../../core/merged.js' {
  interface Features {
    openid: typeof openid;
  }
}
