import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api, enter } from '../../core/api.js';
import { carried, forgetCarried } from '../../core/fragment.js';
import { keep, kept } from '../../core/kept.js';
import { t } from '../../core/language.js';
import { leaveFor } from '../../core/places.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice } from '../../kit/notice.js';
import { Spinner } from '../../kit/shown.js';
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
      caught: (refused) => {
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
  const token = carried('token') ?? '';
  const step = useSignal<Step>(kept<Step>(KEY) ?? { kind: token ? 'checking' : 'missing' });
  /** Deletes the link after it was used or turned out to be invalid. */
  const settle = (next: Step) => {
    forgetCarried();
    step.value = keep(KEY, next);
  };
  const done = async (answer: SignedIn, isKept: boolean) => {
    forgetCarried();
    step.value = { kind: 'leaving' };
    await enter(answer.token, isKept);
    await leaveFor('/account');
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
          onFactor={(challenge, isKept) => settle({ kind: 'factor', challenge, isKept })}
          onSignedIn={done}
        />
      );
    case 'factor':
      return (
        <Frame title={t('signIn.factorTitle')}>
          <SecondFactor
            challenge={now.challenge}
            onSignedIn={(answer) => void done(answer, now.isKept)}
            onTimeout={() => settle({ kind: 'timeout' })}
          />
        </Frame>
      );
    case 'leaving':
      return (
        <Frame title={t('reset.title')}>
          <Spinner label={t('login.leaving')} />
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
