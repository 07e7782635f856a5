import { ApiError } from '@gatehouse-auth/client';
import { type Failure, toFailure, useAction } from '../core/action.js';
import { api } from '../core/api.js';
import { useSecondsUntil } from '../core/countdown.js';
import { formatWait, rich, t } from '../core/language.js';
import { Button } from '../kit/button.js';
import { useStep } from '../kit/frame.js';
import { FailureNotice, Notice } from '../kit/notice.js';
import { Spinner } from '../kit/shown.js';
import { HeldFacts } from './held-facts.js';
import { usePolling } from './polling.js';
import { detectSsoEnforced } from './service.js';
import type { SignedIn } from './signed-in.js';
import type { Hold } from './steps.js';

export interface EmailHoldProps {
  readonly hold: Hold;
  readonly onHold: (hold: Hold) => void;
  readonly onSignedIn: (response: SignedIn) => void;
  /** Returns to the first step, with an error if there was one. */
  readonly onBack: (failure?: Failure) => void;
}

const POLL_SECONDS = 3;
const TICKET_INVALID = 'INVALID_OR_EXPIRED_AUTHORIZATION_TICKET';

function ResendButton({
  hold,
  onHold,
  onGone,
}: Omit<EmailHoldProps, 'onSignedIn' | 'onBack'> & { onGone: (failure: Failure) => void }) {
  const left = useSecondsUntil(hold.resendAt);
  const resend = useAction(
    async () => {
      await api.post('/v1/auth/ip-authorization/resend', { body: { ticket: hold.ticket } });
      onHold({ ...hold, isResent: true });
    },
    {
      onError: (refused) => {
        const seconds = Number(refused.body?.resend_available_in ?? 0);
        const isEarly = refused.code === 'IP_AUTHORIZATION_RESEND_COOLDOWN' && seconds > 0;
        if (isEarly) onHold({ ...hold, resendAt: Date.now() + seconds * 1000 });
        const isSpent = refused.code === 'IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED';
        if (isSpent) onHold({ ...hold, isResent: true });
        const isGone = refused.of('ticket') === TICKET_INVALID;
        if (isGone) onGone(toFailure(refused));
        return isEarly || isSpent || isGone || detectSsoEnforced(refused);
      },
    },
  );
  return (
    <>
      <FailureNotice of={resend} />
      <Button action={resend} kind="plain" size="wide" disabled={left.value > 0}>
        {left.value > 0 ? t('signIn.resendIn', { wait: formatWait(left.value) }) : t('signIn.resend')}
      </Button>
    </>
  );
}

/** A sign-in that waits for an emailed link to be opened on any device. It continues automatically. */
export function EmailHold({ hold, onHold, onSignedIn, onBack }: EmailHoldProps) {
  useStep('signIn.holdTitle');
  const message = usePolling(async () => {
    try {
      const response = await api.get('/v1/auth/ip-authorization/poll', { query: { ticket: hold.ticket } });
      if (response.completed) onSignedIn(response);
    } catch (error) {
      if (!(error instanceof ApiError) || ![400, 403].includes(error.status)) throw error;
      detectSsoEnforced(error);
      onBack(toFailure(error));
    }
  }, POLL_SECONDS);
  return (
    <>
      <p>{rich('signIn.holdWhy', { email: <strong>{hold.email}</strong> })}</p>
      <p>{t('signIn.holdHow')}</p>
      <HeldFacts of={hold} />
      <p class="quiet">{t('signIn.holdCompare')}</p>
      {message.value ? <Notice kind="warn">{message.value}</Notice> : <Spinner label={t('signIn.holdWaits')} />}
      {hold.isResent ? (
        <Notice>{t('signIn.resent')}</Notice>
      ) : (
        <ResendButton hold={hold} onHold={onHold} onGone={onBack} />
      )}
      <Button kind="bare" onClick={() => onBack()}>
        {t('signIn.startAgain')}
      </Button>
    </>
  );
}
