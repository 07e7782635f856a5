import { defineFeature } from '../policy/feature.js';
import { GatewayModule } from './gateway.module.js';

/** The realtime gateway. */
export const gateway = defineFeature('gateway', {
  modules: [GatewayModule],
  buckets: {
    'gateway:bot_info': [60, 60],
  },
});

declare module '../core/merged.js' {
  interface Features {
    gateway: typeof gateway;
  }
}
