import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { clearLinkParameters, linkParameter } from '../../core/fragment.js';
import { t } from '../../core/language.js';
import { safePath } from '../../core/redirects.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { Notice } from '../../kit/notice.js';
import { Spinner } from '../../kit/shown.js';
import { type BridgeStart, clearBridge, readBridge } from '../../sign-in/bridge.js';
import { SignInFailure } from '../../sign-in/failure.js';
import { completeSignIn } from '../../sign-in/signed-in.js';

const startedBridge = readBridge();
const completionCode = linkParameter('completion_code');
const ceremonyId = linkParameter('ceremony_id');
/** Errors after which the same request can be retried. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set(['', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE']);

function clearSavedState(): void {
  clearBridge();
  clearLinkParameters();
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
      const response = await api.post('/v1/auth/passkey-bridge/{ceremony_id}/redeem', { path, body });
      clearSavedState();
      if (response.status === 'completed')
        return completeSignIn(response, start.is_kept === true, safePath(start.return_to));
      end.value = 'cancelled';
      return onEnd();
    },
    {
      onError: (refused) => {
        if (RETRYABLE_CODES.has(refused.code)) return false;
        clearSavedState();
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
  const isOurs = startedBridge !== null && startedBridge.ceremony_id === ceremonyId && completionCode !== undefined;
  return (
    <Frame title={t(isOurs && !hasEnded.value ? 'bridge.endTitle' : 'bridge.endedTitle')}>
      {isOurs ? (
        <Redemption
          start={startedBridge}
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
