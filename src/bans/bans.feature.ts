import { defineFeature } from '../policy/feature.js';
import { IpBanEntry } from './bans.entities.js';
import { BansModule } from './bans.module.js';
import { AppealSettings, BanSettings } from './bans.settings.js';

/** Bans of IP addresses. */
export const bans = defineFeature('bans', {
  modules: [BansModule],
  entities: [IpBanEntry],
  settings: [AppealSettings, BanSettings],
  errors: {
    IP_BAN_DECLINED: [400, 'The IP address cannot be banned.'],
    GLOBAL_IP_BANNED: [403, 'The IP address is banned.'],
    GLOBAL_IP_TEMPORARILY_BANNED: [403, 'The IP address is temporarily banned.'],
  },
  metrics: {
    gatehouse_abuse_signals_total: {
      type: 'counter',
      help: 'Signals against IP addresses: error responses, rejected credentials and the bans that follow',
      labels: { signal: ['refused_answer', 'rejected_credential', 'ban'] },
    },
  },
  erasure: { ip_ban: { kept: 'contains only the ID of the administrator' } },
});

declare module '../core/merged.js' {
  interface Features {
    bans: typeof bans;
  }
}

declare module '../core/config/config.js' {
  interface Config extends AppealSettings, BanSettings {}
}
