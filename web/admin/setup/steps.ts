import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { brand } from '../../core/brand.js';
import type { TranslationKey } from '../../core/language.js';

export type InstanceConfig = ResponseBody<paths, '/v1/admin/instance/config', 'get'>;
export type ServiceDescription = ResponseBody<paths, '/.well-known/service', 'get'>;

export const CAPTCHA_PROVIDERS: Readonly<Record<string, string>> = {
  altcha: 'ALTCHA',
  hcaptcha: 'hCaptcha',
  turnstile: 'Turnstile',
};

type Step = 'administrator' | 'mail' | 'captcha' | 'registration' | 'sso';

/** The steps of the setup checklist in their order, and whether each is done. */
export const setupSteps = (config: InstanceConfig, service: ServiceDescription): Readonly<Record<Step, boolean>> => ({
  administrator: config.app_public.setup.configured,
  mail: service.features.email && !brand.development,
  captcha: Object.hasOwn(CAPTCHA_PROVIDERS, service.captcha.provider),
  registration: true,
  sso: !config.sso.enabled || service.sso.enabled,
});

/** The titles of the steps that are not done. */
export const openSteps = (config: InstanceConfig, service: ServiceDescription): TranslationKey[] =>
  Object.entries(setupSteps(config, service)).flatMap(([step, isDone]) =>
    isDone ? [] : [`adminSetup.${step as Step}` as const],
  );
