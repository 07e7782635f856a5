import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { carried, forgetCarried } from '../../core/fragment.js';
import { t } from '../../core/language.js';
import { safePath } from '../../core/places.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { Notice } from '../../kit/notice.js';
import { Spinner } from '../../kit/shown.js';
import { type BridgeStart, forgetBridge, keptBridge } from '../../sign-in/bridge.js';
import { SignInFailure } from '../../sign-in/failure.js';
import { enter } from '../../sign-in/signed-in.js';

const begun = keptBridge();
const completionCode = carried('completion_code');
const ceremonyId = carried('ceremony_id');
/** Errors after which the same request can be retried. */
const AGAIN: ReadonlySet<string> = new Set(['', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE']);

function forget(): void {
  forgetBridge();
  forgetCarried();
}

const Explained = ({ children }: { readonly children: ComponentChildren }) => (
  <>
    {children}
    <LinkButton size="wide" href="/login">
      {t('bridge.toSignIn')}
    </LinkButton>
  </>
);

interface RedemptionProps {
  readonly start: BridgeStart;
  readonly code: string;
  readonly onEnd: () => void;
}

function Redemption({ start, code, onEnd }: RedemptionProps) {
  const end = useSignal<'cancelled' | 'refused' | null>(null);
  const redeem = useAction(
    async () => {
      const path = { ceremony_id: start.ceremony_id };
      const body = { nonce: start.nonce, completion_code: code };
      const answer = await api.post('/v1/auth/passkey-bridge/{ceremony_id}/redeem', { path, body });
      forget();
      if (answer.status === 'completed') return enter(answer, start.is_kept === true, safePath(start.return_to));
      end.value = 'cancelled';
      return onEnd();
    },
    {
      caught: (refused) => {
        if (AGAIN.has(refused.code)) return false;
        forget();
        end.value = 'refused';
        onEnd();
        return false;
      },
    },
  );
  useEffect(() => void redeem.run(), [redeem]);
  if (end.value === 'cancelled') {
    return (
      <Explained>
        <Notice kind="warn">{t('bridge.cancelled')}</Notice>
      </Explained>
    );
  }
  if (end.value === 'refused') {
    const isOver = redeem.failure.value?.code === 'PASSKEY_AUTHENTICATION_FAILED';
    return (
      <Explained>{isOver ? <Notice kind="bad">{t('bridge.gone')}</Notice> : <SignInFailure of={redeem} />}</Explained>
    );
  }
  if (!redeem.failure.value) return <Spinner label={t('bridge.completing')} />;
  return (
    <>
      <SignInFailure of={redeem} />
      <Button action={redeem} size="wide">
        {t('common.retry')}
      </Button>
    </>
  );
}

/** Completes a passkey ceremony in the tab that started it. */
export default function Passkey() {
  const hasEnded = useSignal(false);
  const isOurs = begun !== null && begun.ceremony_id === ceremonyId && completionCode !== undefined;
  return (
    <Frame title={t(isOurs && !hasEnded.value ? 'bridge.endTitle' : 'bridge.endedTitle')}>
      {isOurs ? (
        <Redemption
          start={begun}
          code={completionCode}
          onEnd={() => {
            hasEnded.value = true;
          }}
        />
      ) : (
        <Explained>
          <Notice kind="warn">{t(completionCode ? 'bridge.notStartedHere' : 'bridge.nothing')}</Notice>
        </Explained>
      )}
    </Frame>
  );
}
