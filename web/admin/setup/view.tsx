import type { ComponentChildren } from 'preact';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { type TranslationKey, t } from '../../core/language.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { InnerLink } from '../../kit/opened.js';
import { Badge } from '../../kit/portrait.js';
import { SsoTest } from '../instance/sso-test.js';
import { CaptchaTest } from './captcha.js';
import { EmailTest } from './mail.js';
import './setup.css';
import { CAPTCHA_PROVIDERS, type InstanceConfig, type ServiceDescription, setupSteps } from './steps.js';

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
      <Badge kind={isDone ? 'good' : 'warn'}>{t(isDone ? 'adminSetup.done' : 'adminSetup.open')}</Badge>
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

function Mail({ isOn, isDone }: { readonly isOn: boolean; readonly isDone: boolean }) {
  const words = brand.development ? 'adminSetup.mailInbox' : 'adminSetup.mailOn';
  return (
    <Step title="adminSetup.mail" isDone={isDone} state={t(isOn ? words : 'adminSetup.mailOff')}>
      {isOn && <EmailTest />}
    </Step>
  );
}

function Captcha({ provider, isDone }: { readonly provider: string; readonly isDone: boolean }) {
  const name = CAPTCHA_PROVIDERS[provider];
  return (
    <Step
      title="adminSetup.captcha"
      isDone={isDone}
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

const ssoState = ({ enabled, enforced }: InstanceConfig['sso'], isComplete: boolean): TranslationKey => {
  if (!enabled) return 'adminSetup.ssoOff';
  if (!isComplete) return 'adminSetup.ssoIncomplete';
  return enforced ? 'adminSetup.ssoEnforced' : 'adminSetup.ssoOn';
};

interface SingleSignOnProps {
  readonly sso: InstanceConfig['sso'];
  readonly isDone: boolean;
  readonly isComplete: boolean;
}

const SingleSignOn = ({ sso, isDone, isComplete }: SingleSignOnProps) => (
  <Step title="adminSetup.sso" isDone={isDone} state={t(ssoState(sso, isComplete))}>
    <p>
      <ToSettings />
    </p>
    {sso.issuer !== null && <SsoTest />}
  </Step>
);

/** The setup checklist with a test for each step. */
export default function Setup() {
  const loaded = useLoaded<readonly [InstanceConfig, ServiceDescription]>(() =>
    Promise.all([api.get('/v1/admin/instance/config'), api.get('/.well-known/service')]),
  );
  return (
    <>
      <p class="quiet">{t('adminSetup.lead')}</p>
      <Loading of={loaded}>
        {([config, service]) => {
          const done = setupSteps(config, service);
          return (
            <ol class="steps">
              <Administrator isThere={done.administrator} />
              <Mail isOn={service.features.email} isDone={done.mail} />
              <Captcha provider={service.captcha.provider} isDone={done.captcha} />
              <Registration mode={config.registration.mode} />
              <SingleSignOn sso={config.sso} isDone={done.sso} isComplete={service.sso.enabled} />
            </ol>
          );
        }}
      </Loading>
    </>
  );
}
