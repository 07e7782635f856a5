import { defineFeature } from '../policy/feature.js';
import { WebModule } from './web.module.js';
import { WebSettings } from './web.settings.js';

/** The pages for users and the console. */
export const web = defineFeature('web', {
  modules: (config) => [WebModule.with(config)],
  settings: [WebSettings],
  buckets: {
    'web:page': [120, 60],
  },
});

declare module '../core/merged.js' {
  interface Features {
    web: typeof web;
  }
}

declare module '../core/config/config.js' {
  interface Config extends WebSettings {}
}
