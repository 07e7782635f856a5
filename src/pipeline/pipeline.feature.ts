import { defineFeature } from '../policy/feature.js';
import { PipelineModule } from './pipeline.module.js';
import { ServicePolicySettings } from './pipeline.settings.js';

/** The guards and their errors. */
export const pipeline = defineFeature('pipeline', {
  modules: [PipelineModule],
  settings: [ServicePolicySettings],
  errors: {
    CAPTCHA_REQUIRED: [400, 'A captcha token is required.'],
    INVALID_CAPTCHA: [400, 'The captcha token is invalid or expired.'],
    INVALID_TOKEN: [401, 'A bot token is required.'],
    MISSING_OAUTH_SCOPE: [403, 'This token lacks a required scope.'],
    MISSING_PERMISSIONS: [403, 'The account is not allowed to use the Admin API.'],
    MISSING_ACL: [403, 'The caller does not have the required ACL.'],
    SSO_REQUIRED: [403, 'Single sign-on is required.'],
    ACCOUNT_SUSPICIOUS_ACTIVITY: [403, 'The account must meet a requirement first. See `data`.'],
    SUDO_MODE_REQUIRED: [403, 'Sudo mode is required. Repeat the request with a factor.'],
  },
});

declare module '../core/config/config.js' {
  interface Config extends ServicePolicySettings {}
}

declare module '../core/merged.js' {
  interface Features {
    pipeline: typeof pipeline;
  }
}
