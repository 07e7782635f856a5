import { defineFeature } from '../../policy/feature.js';
import { DemoModule } from './demo.module.js';
import { DemoSettings } from './demo.settings.js';

/** Example data for those who try the service: `npm run demo`, or `DEMO=on npm start`. */
export const demo = defineFeature('demo', { modules: [DemoModule], settings: [DemoSettings] });

declare module '../../core/merged.js' {
  interface Features {
    demo: typeof demo;
  }
}

declare module '../../core/config/config.js' {
  interface Config extends DemoSettings {}
}
