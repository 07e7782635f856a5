import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Field, fieldOf } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { setUser, type User, user } from '../account.js';
import { resendTime } from '../resend.js';
import { CodeStep, useStepFocus, useStoredStep } from './steps.js';

interface Ticket {
  readonly ticket: string;
  /** Proves consent at the previous email address. The flow for bounced addresses has none. */
  readonly proof?: string;
}

/** The current step of an email address change (account.md section 4). */
type Step =
  | { readonly at: 'start' }
  | { readonly at: 'original'; readonly ticket: string; readonly email: string; readonly resendAt: number }
  | ({ readonly at: 'address' } & Partial<Ticket>)
  | ({ readonly at: 'new'; readonly email: string; readonly resendAt: number } & Ticket)
  | { readonly at: 'apply'; readonly token: string; readonly email: string };

const BASE = '/v1/users/@me/email-change';

export const isBounced = (me: User | null): boolean => Boolean(me?.email_bounced);

/** A missing or bounced email address is replaced directly. Otherwise the user confirms at the current one first. */
const firstStep = (me: User | null): Step => ({ at: isBounced(me) || !me?.email ? 'address' : 'start' });

async function start(): Promise<Step> {
  const { ticket, original_email: email, original_proof: proof } = await api.post(`${BASE}/start`);
  if (proof !== null) return { at: 'address', ticket, proof };
  return { at: 'original', ticket, email: email ?? '', resendAt: resendTime() };
}

/** Sends a code to the new email address. */
async function request(held: Partial<Ticket>, email: string): Promise<Step> {
  if (isBounced(user.value)) {
    const { ticket } = await api.post(`${BASE}/bounced/request-new`, { body: { new_email: email } });
    return { at: 'new', ticket, email, resendAt: resendTime() };
  }
  const { ticket = '', proof = '' } = held;
  await api.post(`${BASE}/request-new`, { body: { ticket, new_email: email, original_proof: proof } });
  return { at: 'new', ticket, proof, email, resendAt: resendTime() };
}

const Restart = ({ onRestart }: { readonly onRestart: () => void }) => (
  <Button kind="bare" onClick={onRestart}>
    {t('signIn.startAgain')}
  </Button>
);

interface StepProps<At extends Step['at']> {
  readonly step: Extract<Step, { readonly at: At }>;
  readonly go: (next: Step) => void;
  readonly onRestart: () => void;
}

function Start({ go }: Pick<StepProps<'start'>, 'go'>) {
  const begin = useAction(async () => go(await start()));
  return (
    <>
      <p class="quiet">{t(user.value?.verified ? 'contact.changeHint' : 'contact.changeHintUnconfirmed')}</p>
      <FailureNotice of={begin} />
      <div>
        <Button kind="plain" action={begin}>
          {t('contact.change')}
        </Button>
      </div>
    </>
  );
}

function Original({ step, go, onRestart }: StepProps<'original'>) {
  const code = useSignal('');
  const { ticket } = step;
  const prove = useAction(
    async () => {
      const body = { ticket, code: code.value };
      const { original_proof: proof } = await api.post(`${BASE}/verify-original`, { body });
      go({ at: 'address', ticket, proof });
    },
    { fields: ['code'] },
  );
  return (
    <form class="stack" onSubmit={prove.run}>
      <CodeStep
        email={step.email}
        code={code}
        action={prove}
        resend={{
          from: step.resendAt,
          send: () => api.post(`${BASE}/resend-original`, { body: { ticket } }),
          onSent: () => go({ ...step, resendAt: resendTime() }),
        }}
      />
      <div class="row">
        <Button submits action={prove}>
          {t('common.continue')}
        </Button>
        <Restart onRestart={onRestart} />
      </div>
    </form>
  );
}

function Address({ step, go, onRestart }: StepProps<'address'>) {
  const address = useSignal('');
  const ask = useAction(
    async () => {
      // Keep the started flow, so that a rejected email address does not require another start.
      const begun = step.ticket || isBounced(user.value) ? step : await start();
      if (begun !== step) go(begun);
      if (begun.at === 'address') go(await request(begun, address.value));
    },
    { fields: ['new_email'] },
  );
  const { email } = user.value ?? {};
  return (
    <form class="stack" onSubmit={ask.run}>
      <FailureNotice of={ask} />
      <Field
        {...fieldOf(address, ask, 'new_email')}
        type="email"
        autocomplete="email"
        label={t(email ? 'contact.newAddress' : 'common.email')}
        required
        maxLength={254}
      />
      <div class="row">
        <Button submits action={ask}>
          {t('required.sendCode')}
        </Button>
        {step.ticket && <Restart onRestart={onRestart} />}
      </div>
    </form>
  );
}

function New({ step, go, onRestart, onDone }: StepProps<'new'> & { readonly onDone: (next: User) => void }) {
  const code = useSignal('');
  const { ticket, proof, email } = step;
  const flow = proof === undefined ? (`${BASE}/bounced` as const) : BASE;
  const prove = useAction(
    async () => {
      const body = { ticket, code: code.value };
      if (proof === undefined) {
        onDone(await api.post(`${BASE}/bounced/verify-new`, { body }));
        return;
      }
      const response = await api.post(`${BASE}/verify-new`, { body: { ...body, original_proof: proof } });
      go({ at: 'apply', token: response.email_token, email });
    },
    { fields: ['code'] },
  );
  return (
    <form class="stack" onSubmit={prove.run}>
      <CodeStep
        email={email}
        code={code}
        action={prove}
        resend={{
          from: step.resendAt,
          send: () => api.post(`${flow}/resend-new`, { body: { ticket } }),
          onSent: () => go({ ...step, resendAt: resendTime() }),
        }}
      />
      <div class="row">
        <Button submits action={prove}>
          {t('common.confirm')}
        </Button>
        <Button
          kind="bare"
          onClick={() => go(proof === undefined ? { at: 'address' } : { at: 'address', ticket, proof })}
        >
          {t('contact.otherAddress')}
        </Button>
        <Restart onRestart={onRestart} />
      </div>
    </form>
  );
}

/** A separate button for the last step, so that it can be repeated if step-up authentication was canceled. */
function Apply({ step, onRestart, onDone }: Omit<StepProps<'apply'>, 'go'> & { onDone: (next: User) => void }) {
  const apply = useAction(async () => {
    onDone(await api.post(`${BASE}/apply`, { body: { email_token: step.token } }));
  });
  return (
    <>
      <p>{t('contact.apply', { email: step.email })}</p>
      <FailureNotice of={apply} />
      <div class="row">
        <Button action={apply}>{t('contact.applyButton')}</Button>
        <Restart onRestart={onRestart} />
      </div>
    </>
  );
}

/**
 * All flows to change the email address: the first one, another one, or the replacement of a bounced one. Sessions
 * continue.
 */
export function AddressChange({ onChanged = () => {} }: { readonly onChanged?: (next: User) => void }) {
  const { step, go } = useStoredStep<Step>('address', firstStep(user.value));
  const current = step.value;
  const place = useStepFocus<HTMLDivElement>(current.at);
  const onRestart = () => go(firstStep(user.value));
  const onDone = (next: User) => {
    setUser(next);
    go(firstStep(next));
    onChanged(next);
  };
  return (
    <div class="stack" ref={place}>
      {current.at === 'start' && <Start go={go} />}
      {current.at === 'original' && <Original step={current} go={go} onRestart={onRestart} />}
      {current.at === 'address' && <Address step={current} go={go} onRestart={onRestart} />}
      {current.at === 'new' && <New step={current} go={go} onRestart={onRestart} onDone={onDone} />}
      {current.at === 'apply' && <Apply step={current} onRestart={onRestart} onDone={onDone} />}
    </div>
  );
}
