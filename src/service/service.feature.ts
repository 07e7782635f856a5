import { type Config } from '../core/config/config.js';
import { defineFeature } from '../policy/feature.js';
import { DevelopmentInboxModule } from './inbox.module.js';
import { ServiceModule } from './service.module.js';
import { MetricsSettings, ServiceSettings } from './service.settings.js';

/** The development inbox has routes only if messages go to it, and never in production. */
const usesInbox = ({ mailTransport, smsTransport, production }: Config): boolean =>
  (mailTransport === 'inbox' || smsTransport === 'inbox') && !production;

/** Discovery, health, documentation and the development inbox. */
export const service = defineFeature('service', {
  modules: (config) => (usesInbox(config) ? [ServiceModule, DevelopmentInboxModule] : [ServiceModule]),
  settings: [ServiceSettings, MetricsSettings],
  buckets: {
    'instance:info': [60, 60],
  },
});

declare module '../core/merged.js' {
  interface Features {
    service: typeof service;
  }
}

declare module '../core/config/config.js' {
  interface Config extends ServiceSettings, MetricsSettings {}
}
