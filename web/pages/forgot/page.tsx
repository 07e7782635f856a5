import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { withCaptcha } from '../../core/captcha.js';
import { readHistoryState, writeHistoryState } from '../../core/history-state.js';
import { rich, t } from '../../core/language.js';
import { withDestination } from '../../core/redirects.js';
import { useTypedEmail } from '../../core/typed-email.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Field, fieldOf } from '../../kit/field.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { Success } from '../../kit/shown.js';
import { loadService, service } from '../../sign-in/service.js';

interface FormProps {
  readonly onSent: (email: string) => void;
}

function AddressForm({ onSent }: FormProps) {
  const email = useTypedEmail();
  const widget = useRef<HTMLDivElement>(null);
  const send = useAction(
    async () => {
      const address = email.value.trim();
      await withCaptcha(widget.current, (more) => api.post('/v1/auth/forgot', { body: { email: address }, ...more }));
      onSent(address);
    },
    { fields: ['email'] },
  );
  return (
    <>
      <FailureNotice of={send} />
      <form class="stack" onSubmit={send.run}>
        <Field
          {...fieldOf(email, send, 'email')}
          type="email"
          label={t('common.email')}
          autocomplete="username"
          isVerbatim
          isFirst
          required
        />
        <div ref={widget} />
        <Button submits action={send} size="wide">
          {t('forgot.submit')}
        </Button>
      </form>
    </>
  );
}

const BackToSignIn = () => <a href={withDestination('/login')}>{t('forgot.backToSignIn')}</a>;

/**
 * A form for the email address. The message is the same whether or not an account exists.
 * @param title, lead the reason for the form
 */
export function Forgot({ title, lead }: { readonly title: string; readonly lead: string }) {
  const sentTo = useSignal(readHistoryState<string>('sentTo') ?? null);
  useEffect(() => void loadService(), []);
  if (sentTo.value !== null) {
    return (
      <Frame title={t('forgot.sentTitle')} below={<BackToSignIn />}>
        <Success>{rich('forgot.sent', { email: <b>{sentTo.value}</b> })}</Success>
        <p class="quiet">{t('forgot.sentHint')}</p>
        <Button
          kind="plain"
          onClick={() => {
            sentTo.value = writeHistoryState('sentTo', null);
          }}
        >
          {t('forgot.again')}
        </Button>
      </Frame>
    );
  }
  if (service.value?.features.email === false) {
    return (
      <Frame title={title}>
        <Notice isAnnounced={false}>{t('forgot.noMail')}</Notice>
        <LinkButton href={withDestination('/login')}>{t('forgot.backToSignIn')}</LinkButton>
      </Frame>
    );
  }
  return (
    <Frame title={title} below={<BackToSignIn />}>
      <p>{lead}</p>
      <AddressForm
        onSent={(address) => {
          sentTo.value = writeHistoryState('sentTo', address);
        }}
      />
    </Frame>
  );
}

export default function ForgotPage() {
  return <Forgot title={t('forgot.title')} lead={t('forgot.lead')} />;
}
