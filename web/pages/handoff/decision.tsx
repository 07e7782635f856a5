import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { rich, t } from '../../core/language.js';
import { leaveFor } from '../../core/places.js';
import { session } from '../../core/session.js';
import { Button } from '../../kit/button.js';
import { Facts, factsOf } from '../../kit/facts.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import type { Request } from './request.js';

interface DecisionProps {
  readonly request: Request;
  readonly onDecided: (outcome: NonNullable<Request['outcome']>) => void;
}

const GONE: ReadonlySet<string> = new Set(['HANDOFF_CODE_EXPIRED', 'INVALID_HANDOFF_CODE']);

const whoAmI = () => api.get('/v1/users/@me');

/** Who is signed in here, once that is known. */
function useMe() {
  const me = useSignal<Awaited<ReturnType<typeof whoAmI>> | null>(null);
  const token = session.value?.token;
  useEffect(() => {
    me.value = null;
    if (!token) return;
    void whoAmI()
      .then((account) => {
        if (session.value?.token === token) me.value = account;
      })
      .catch(() => {});
  }, [token, me]);
  return me;
}

const shownCode = (code: string): string => `${code.slice(0, 6)}-${code.slice(6)}`;

/** Which device asks, and what a yes does. */
export function Decision({ request: { code, device }, onDecided }: DecisionProps) {
  const me = useMe();
  const approve = useAction(
    async () => {
      const { id } = me.value ?? (await whoAmI());
      await api.post('/v1/auth/handoff/complete', { body: { code, user_id: id } });
      onDecided('approved');
    },
    {
      caught: (refused) => {
        if (refused.code === 'ACCOUNT_SUSPICIOUS_ACTIVITY') return leaveFor('/account/required');
        if (!GONE.has(refused.code)) return false;
        onDecided('gone');
        return true;
      },
    },
  );
  const refuse = useAction(async () => {
    await api.delete('/v1/auth/handoff/{code}', { path: { code } });
    onDecided('refused');
  });
  return (
    <Frame title={t('handoff.whoTitle')}>
      <Facts facts={[...factsOf(device), ['handoff.code', <code>{shownCode(code)}</code>]]} />
      <Notice kind="warn" isAnnounced={false}>
        {t('handoff.warning')}
      </Notice>
      <p>{me.value ? rich('handoff.account', { name: <b>{me.value.global_name ?? me.value.username}</b> }) : ' '}</p>
      <FailureNotice of={approve} />
      <FailureNotice of={refuse} />
      <Button action={approve} disabled={refuse.isBusy.value}>
        {t('handoff.approve')}
      </Button>
      <Button kind="plain" action={refuse} disabled={approve.isBusy.value}>
        {t('handoff.refuse')}
      </Button>
    </Frame>
  );
}
