import type { ApiError } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { rich, t } from '../../core/language.js';
import { replacePage } from '../../core/redirects.js';
import { session } from '../../core/session.js';
import { DecisionButton } from '../../kit/decision-button.js';
import { Facts, requestingDeviceFacts } from '../../kit/facts.js';
import { CodeField } from '../../kit/field.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import type { Request } from './request.js';

type Outcome = NonNullable<Request['outcome']>;

interface DecisionProps {
  readonly request: Request;
  readonly onDecided: (outcome: Outcome) => void;
}

const GONE: ReadonlySet<string> = new Set(['HANDOFF_CODE_EXPIRED', 'INVALID_HANDOFF_CODE']);

const fetchMe = () => api.get('/v1/users/@me');

/** The signed-in user, once loaded. */
function useMe() {
  const me = useSignal<Awaited<ReturnType<typeof fetchMe>> | null>(null);
  const token = session.value?.token;
  useEffect(() => {
    me.value = null;
    if (!token) return;
    void fetchMe()
      .then((account) => {
        if (session.value?.token === token) me.value = account;
      })
      .catch(() => {});
  }, [token, me]);
  return me;
}

const DIGITS = /^[0-9]{2}$/;
/** Rejects the request: any value other than the two digits invalidates the code. */
const REJECTION = 'refused';

const shownCode = (code: string): string => `${code.slice(0, 6)}-${code.slice(6)}`;

/** The requesting device and the effect of an approval. */
export function Decision({ request: { code, asker }, onDecided }: DecisionProps) {
  const me = useMe();
  const digits = useSignal('');
  const isMalformed = useSignal(false);
  const complete = async (confirmation: string) => {
    const { id } = me.value ?? (await fetchMe());
    await api.post('/v1/auth/handoff/complete', { body: { code, user_id: id, confirmation } });
  };
  const over = (outcome: Outcome) => (refused: ApiError) => {
    if (refused.code === 'ACCOUNT_SUSPICIOUS_ACTIVITY') return replacePage('/account/required');
    if (!GONE.has(refused.code)) return false;
    onDecided(outcome);
    return true;
  };
  const approve = useAction(
    async () => {
      isMalformed.value = !DIGITS.test(digits.value.trim());
      if (isMalformed.value) return;
      await complete(digits.value.trim());
      onDecided('approved');
    },
    { onError: over('gone') },
  );
  const refuse = useAction(() => complete(REJECTION), { onError: over('refused') });
  return (
    <Frame title={t('handoff.whoTitle')}>
      <Facts facts={[...requestingDeviceFacts(asker), ['handoff.code', <code>{shownCode(code)}</code>]]} />
      <Notice kind="warn" isAnnounced={false}>
        {t('handoff.warning')}
      </Notice>
      <p>{me.value ? rich('handoff.account', { name: <b>{me.value.global_name ?? me.value.username}</b> }) : ' '}</p>
      <FailureNotice of={approve} />
      <FailureNotice of={refuse} />
      <form class="stack" onSubmit={approve.run}>
        <CodeField
          name="confirmation"
          label={t('handoff.confirmation')}
          hint={t('handoff.confirmationHint')}
          autocomplete="off"
          inputMode="numeric"
          required
          maxLength={8}
          value={digits.value}
          onValue={(value) => {
            digits.value = value;
            isMalformed.value = false;
          }}
          wrong={isMalformed.value ? t('handoff.confirmationMalformed') : undefined}
        />
        <DecisionButton submits action={approve} disabled={refuse.isBusy.value}>
          {t('handoff.approve')}
        </DecisionButton>
        <DecisionButton kind="plain" action={refuse} disabled={approve.isBusy.value}>
          {t('handoff.refuse')}
        </DecisionButton>
      </form>
    </Frame>
  );
}
