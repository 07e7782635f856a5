import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { session, startSession, withTokenRotation } from '../../core/session.js';
import { Button } from '../../kit/button.js';
import { NewPasswordField } from '../../kit/new-password.js';
import { FailureNotice } from '../../kit/notice.js';
import { load, user } from '../account.js';
import { CodeStep, useStepFocus, useStoredStep } from '../contact/steps.js';
import { resendTime } from '../resend.js';

/** The current step (account.md 4.1). */
type Step =
  | { readonly at: 'start' }
  | { readonly at: 'code'; readonly ticket: string; readonly resendAt: number }
  | { readonly at: 'password'; readonly ticket: string; readonly proof: string };

const BASE = '/v1/users/@me/password-change';
const FIRST: Step = { at: 'start' };

interface StepProps<At extends Step['at']> {
  readonly step: Extract<Step, { readonly at: At }>;
  readonly go: (next: Step) => void;
}

function Start({ go }: Pick<StepProps<'start'>, 'go'>) {
  const start = useAction(async () => {
    const { ticket } = await api.post(`${BASE}/start`);
    go({ at: 'code', ticket, resendAt: resendTime() });
  });
  return (
    <>
      <p class="quiet">{t('account.byMailHint', { email: user.value?.email ?? '' })}</p>
      <FailureNotice of={start} />
      <div>
        <Button kind="plain" action={start}>
          {t('required.sendCode')}
        </Button>
      </div>
    </>
  );
}

const Restart = ({ go }: Pick<StepProps<'start'>, 'go'>) => (
  <Button kind="bare" onClick={() => go(FIRST)}>
    {t('signIn.startAgain')}
  </Button>
);

function Code({ step, go }: StepProps<'code'>) {
  const code = useSignal('');
  const { ticket } = step;
  const prove = useAction(
    async () => {
      const response = await api.post(`${BASE}/verify`, { body: { ticket, code: code.value } });
      go({ at: 'password', ticket, proof: response.verification_proof });
    },
    { fields: ['code'] },
  );
  return (
    <form class="stack" onSubmit={prove.run}>
      <CodeStep
        email={user.value?.email ?? ''}
        code={code}
        action={prove}
        resend={{
          from: step.resendAt,
          send: () => api.post(`${BASE}/resend`, { body: { ticket } }),
          onSent: () => go({ ...step, resendAt: resendTime() }),
        }}
      />
      <div class="row">
        <Button submits action={prove}>
          {t('common.continue')}
        </Button>
        <Restart go={go} />
      </div>
    </form>
  );
}

function Password({ step, go, onDone }: StepProps<'password'> & { readonly onDone: () => void }) {
  const password = useSignal('');
  const change = useAction(
    async () => {
      const body = { ticket: step.ticket, verification_proof: step.proof, new_password: password.value };
      await withTokenRotation(async () => {
        const { token } = await api.post(`${BASE}/complete`, { body });
        // The response has revoked the previous token.
        startSession(token, session.value?.isKept ?? false);
      });
      go(FIRST);
      onDone();
      await load();
    },
    { fields: ['new_password'] },
  );
  return (
    <form class="stack" onSubmit={change.run}>
      <FailureNotice of={change} />
      <input type="text" name="username" autocomplete="username" value={user.value?.email ?? ''} readOnly hidden />
      <NewPasswordField
        name="new_password"
        label={t('account.newPassword')}
        value={password.value}
        onValue={(value) => {
          password.value = value;
        }}
        action={change}
      />
      <div class="row">
        <Button submits action={change}>
          {t('account.changePassword')}
        </Button>
        <Restart go={go} />
      </div>
    </form>
  );
}

/** Sets a new password with an emailed code, for users who do not know the current one. */
export function PasswordByMail({ onDone }: { readonly onDone: () => void }) {
  const { step, go } = useStoredStep<Step>('password', FIRST);
  const current = step.value;
  const place = useStepFocus<HTMLDivElement>(current.at);
  return (
    <section class="section" aria-labelledby="by-mail">
      <h2 id="by-mail">{t('account.forgotPassword')}</h2>
      <div class="stack" ref={place}>
        {current.at === 'start' && <Start go={go} />}
        {current.at === 'code' && <Code step={current} go={go} />}
        {current.at === 'password' && <Password step={current} go={go} onDone={onDone} />}
      </div>
    </section>
  );
}
