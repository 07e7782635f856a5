import { defineFeature } from '../policy/feature.js';
import { ForwardAuthModule } from './forward-auth.module.js';
import { ForwardAuthSettings } from './forward-auth.settings.js';

/** Authentication for other services by reverse proxies (contract/forward-auth.md). */
export const forwardAuth = defineFeature('forward_auth', {
  settings: [ForwardAuthSettings],
  modules: [ForwardAuthModule],
});

declare module '../core/config/config.js' {
  interface Config extends ForwardAuthSettings {}
}

declare module '../core/merged.js' {
  interface Features {
    forward_auth: typeof forwardAuth;
  }
}
