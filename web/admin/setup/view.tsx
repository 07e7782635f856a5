import type { Answer, paths } from '@gatehouse-auth/client';
import type { ComponentChildren } from 'preact';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { type TranslationKey, t } from '../../core/language.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { InnerLink } from '../../kit/opened.js';
import { SsoTest } from '../instance/sso-test.js';
import { CaptchaTest } from './captcha.js';
import { EmailTest } from './mail.js';
import './setup.css';

type Config = Answer<paths, '/v1/admin/instance/config', 'get'>;
type Service = Answer<paths, '/.well-known/service', 'get'>;

interface StepProps {
  readonly title: TranslationKey;
  readonly isDone: boolean;
  /** Current status. */
  readonly state: string;
  readonly children?: ComponentChildren;
}

const Step = ({ title, isDone, state, children }: StepProps) => (
  <li class="section">
    <div class="row between">
      <h2>{t(title)}</h2>
      <span class={isDone ? 'badge' : 'badge open'}>{t(isDone ? 'adminSetup.done' : 'adminSetup.open')}</span>
    </div>
    <p>{state}</p>
    {children}
  </li>
);

const ToSettings = () => <InnerLink href="/admin/instance">{t('adminSetup.toSettings')}</InnerLink>;

const Administrator = ({ isThere }: { readonly isThere: boolean }) => (
  <Step
    title="adminSetup.administrator"
    isDone={isThere}
    state={t(isThere ? 'adminSetup.administratorDone' : 'adminSetup.administratorOpen')}
  />
);

function Mail({ isOn }: { readonly isOn: boolean }) {
  const words = brand.development ? 'adminSetup.mailInbox' : 'adminSetup.mailOn';
  return (
    <Step title="adminSetup.mail" isDone={isOn && !brand.development} state={t(isOn ? words : 'adminSetup.mailOff')}>
      {isOn && <EmailTest />}
    </Step>
  );
}

const PROVIDERS: Readonly<Record<string, string>> = { altcha: 'ALTCHA', hcaptcha: 'hCaptcha', turnstile: 'Turnstile' };

function Captcha({ provider }: { readonly provider: string }) {
  const name = PROVIDERS[provider];
  return (
    <Step
      title="adminSetup.captcha"
      isDone={name !== undefined}
      state={name ? t('adminSetup.captchaOn', { provider: name }) : t('adminSetup.captchaOff')}
    >
      {name && <CaptchaTest />}
    </Step>
  );
}

const MODES = {
  ...({ open: 'adminSetup.registrationOpen', approval: 'adminSetup.registrationApproval' } as const),
  closed: 'adminSetup.registrationClosed',
} as const;

const Registration = ({ mode }: { readonly mode: keyof typeof MODES }) => (
  <Step title="adminSetup.registration" isDone state={t(MODES[mode])}>
    <p class="row">
      <ToSettings />
      <a href="/register" target="_blank" rel="noopener">
        {t('adminSetup.registrationTest')}
      </a>
    </p>
  </Step>
);

const ssoState = ({ enabled, enforced }: Config['sso'], isComplete: boolean): TranslationKey => {
  if (!enabled) return 'adminSetup.ssoOff';
  if (!isComplete) return 'adminSetup.ssoIncomplete';
  return enforced ? 'adminSetup.ssoEnforced' : 'adminSetup.ssoOn';
};

const SingleSignOn = ({ sso, isComplete }: { readonly sso: Config['sso']; readonly isComplete: boolean }) => (
  <Step title="adminSetup.sso" isDone={!sso.enabled || isComplete} state={t(ssoState(sso, isComplete))}>
    <p>
      <ToSettings />
    </p>
    {sso.issuer !== null && <SsoTest />}
  </Step>
);

/** The setup checklist with a test for each step. */
export default function Setup() {
  const loaded = useLoaded<readonly [Config, Service]>(() =>
    Promise.all([api.get('/v1/admin/instance/config'), api.get('/.well-known/service')]),
  );
  return (
    <>
      <p class="quiet">{t('adminSetup.lead')}</p>
      <Loading of={loaded}>
        {([config, service]) => (
          <ol class="steps">
            <Administrator isThere={config.app_public.setup.configured} />
            <Mail isOn={service.features.email} />
            <Captcha provider={service.captcha.provider} />
            <Registration mode={config.registration.mode} />
            <SingleSignOn sso={config.sso} isComplete={service.sso.enabled} />
          </ol>
        )}
      </Loading>
    </>
  );
}
