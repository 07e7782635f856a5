import { defineFeature } from '../policy/feature.js';
import { GatewayModule } from './gateway.module.js';
import { GatewaySettings } from './settings/gateway.settings.js';

/** The realtime gateway. */
export const gateway = defineFeature('gateway', {
  modules: [GatewayModule],
  settings: [GatewaySettings],
  buckets: {
    'gateway:bot_info': [60, 60],
  },
});

declare module '../core/merged.js' {
  interface Features {
    gateway: typeof gateway;
  }
}

declare module '../core/config/config.js' {
  interface Config extends GatewaySettings {}
}
