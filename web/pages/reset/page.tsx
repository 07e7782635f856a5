import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api, replaceSession } from '../../core/api.js';
import { clearLinkParameters, linkParameter } from '../../core/fragment.js';
import { readHistoryState, writeHistoryState } from '../../core/history-state.js';
import { t } from '../../core/language.js';
import { offerPassword } from '../../core/password-manager.js';
import { replacePage } from '../../core/redirects.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice } from '../../kit/notice.js';
import { Spinner, Success } from '../../kit/shown.js';
import { SecondFactor } from '../../sign-in/second-factor.js';
import type { Challenge, SignedIn } from '../../sign-in/signed-in.js';
import { NewLink } from './new-link.js';
import { PasswordForm } from './password-form.js';

type Step =
  | { readonly kind: 'checking' | 'ready' | 'missing' | 'dead' | 'timeout' | 'leaving' }
  | { readonly kind: 'factor'; readonly challenge: Challenge; readonly isKept: boolean };

const KEY = 'reset';

function Checking({ token, onKnown }: { readonly token: string; readonly onKnown: (kind: Known) => void }) {
  const check = useAction(
    async () => {
      const { valid } = await api.get('/v1/auth/reset/{token}', { path: { token } });
      onKnown(valid ? 'ready' : 'dead');
    },
    {
      onError: (refused) => {
        if (refused.of('token') === undefined) return false;
        onKnown('missing');
        return true;
      },
    },
  );
  useEffect(() => void check.run(), [check]);
  return (
    <Frame title={t('reset.title')}>
      <FailureNotice of={check} />
      {check.failure.value ? (
        <Button action={check}>{t('common.retry')}</Button>
      ) : (
        <Spinner label={t('reset.checking')} />
      )}
    </Frame>
  );
}

type Known = 'ready' | 'missing' | 'dead';

export default function Reset() {
  const token = linkParameter('token') ?? '';
  const step = useSignal<Step>(readHistoryState<Step>(KEY) ?? { kind: token ? 'checking' : 'missing' });
  /** Deletes the link after it was used or turned out to be invalid. */
  const settle = (next: Step) => {
    clearLinkParameters();
    step.value = writeHistoryState(KEY, next);
  };
  /** Not in the stored step, because it must not outlive this page. */
  const newPassword = useRef<string | null>(null);
  const done = async (response: SignedIn, isKept: boolean) => {
    clearLinkParameters();
    step.value = { kind: 'leaving' };
    await replaceSession(response.token, isKept);
    await replacePage('/account');
  };
  const doneWithFactor = async (response: SignedIn, isKept: boolean) => {
    if (newPassword.current !== null) await offerPassword(response.token, newPassword.current);
    await done(response, isKept);
  };
  const now = step.value;
  switch (now.kind) {
    case 'checking':
      return (
        <Checking
          token={token}
          onKnown={(kind) => {
            if (kind === 'ready') step.value = { kind };
            else settle({ kind });
          }}
        />
      );
    case 'ready':
      return (
        <PasswordForm
          token={token}
          onDead={() => settle({ kind: 'dead' })}
          onFactor={(challenge, isKept, password) => {
            newPassword.current = password;
            settle({ kind: 'factor', challenge, isKept });
          }}
          onSignedIn={done}
        />
      );
    case 'factor':
      return (
        <Frame title={t('signIn.factorTitle')}>
          <SecondFactor
            challenge={now.challenge}
            onSignedIn={(response) => void doneWithFactor(response, now.isKept)}
            onTimeout={() => settle({ kind: 'timeout' })}
          />
        </Frame>
      );
    case 'leaving':
      return (
        <Frame title={t('reset.title')}>
          <Success>{t('login.leaving')}</Success>
        </Frame>
      );
    case 'timeout':
      return (
        <Frame title={t('reset.timeoutTitle')}>
          <p>{t('reset.timeout')}</p>
          <LinkButton href="/login">{t('common.signIn')}</LinkButton>
        </Frame>
      );
    case 'missing':
      return <NewLink title={t('link.missingTitle')} lead={t('reset.missing')} />;
    default:
      return <NewLink title={t('link.deadTitle')} lead={t('reset.dead')} />;
  }
}
