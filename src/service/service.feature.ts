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
  metrics: {
    gatehouse_ready: { type: 'gauge', help: 'Whether the process should receive traffic: 1 or 0', aggregation: 'min' },
    gatehouse_build_info: {
      type: 'gauge',
      help: 'Always 1. The labels contain BUILD_ID and the version of Node.js',
      labels: { version: 'any', node: 'any' },
      aggregation: 'max',
    },
  },
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
