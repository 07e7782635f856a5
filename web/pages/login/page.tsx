import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { destination, replacePage } from '../../core/redirects.js';
import { retryLoad } from '../../core/retry-load.js';
import { resolveSession, session, signOutCause } from '../../core/session.js';
import { Button } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { Notice } from '../../kit/notice.js';
import { Skeleton, Success } from '../../kit/shown.js';
import { SignIn } from '../../sign-in/sign-in.js';
import { completeSignIn, type SignedIn } from '../../sign-in/signed-in.js';
import { readStep } from '../../sign-in/steps.js';

/** True if another page redirected here because the session ended. */
const wasSignedOut = new URLSearchParams(location.search).get('signed_out') === 'elsewhere';

function AlreadySignedIn({ onOther }: { readonly onOther: () => void }) {
  const name = useSignal<string | null>(null);
  const token = session.value?.token;
  useEffect(() => {
    name.value = null;
    api.get('/v1/users/@me').then(
      (me) => {
        if (session.value?.token === token) name.value = me.global_name ?? me.username;
      },
      () => {
        if (session.value) onOther();
      },
    );
  }, [name, token]);
  if (name.value === null) return <Skeleton />;
  const who = { name: name.value };
  return (
    <>
      <p>{t('login.signedInAs', who)}</p>
      <Button size="wide" onClick={() => replacePage(destination())}>
        {t('login.goOn', who)}
      </Button>
      <Button kind="plain" size="wide" onClick={onOther}>
        {t('login.otherAccount')}
      </Button>
    </>
  );
}

export default function Login() {
  // A sign-in at an identity provider continues here with its second factor.
  const isOther = useSignal(readStep().step.kind === 'factor');
  const isLeaving = useSignal(false);
  const reactivated = useSignal<SignedIn['reactivated']>(undefined);
  // Ask other tabs for a session without waiting for them.
  useEffect(() => void resolveSession(), []);
  const done = (response: SignedIn, isKept: boolean, password?: string) => {
    isLeaving.value = true;
    const note = async () => {
      if (password === undefined) return;
      const { notePasswordSignIn } = await retryLoad(() => import('../../core/password-sign-in.js'));
      await notePasswordSignIn(response.user_id, password);
    };
    void completeSignIn(response, isKept, response.reactivated ? null : destination(), note).then(() => {
      reactivated.value = response.reactivated;
    });
  };
  const isGone = signOutCause.value === 'elsewhere' || wasSignedOut;
  if (reactivated.value) {
    return (
      <Frame title={t('login.backTitle')}>
        <Success>{t(`login.back_${reactivated.value}`)}</Success>
        <Button size="wide" onClick={() => replacePage(destination())}>
          {t('common.continue')}
        </Button>
      </Frame>
    );
  }
  return (
    <Frame title={t('login.title')}>
      {isLeaving.value ? (
        <Success>{t('login.leaving')}</Success>
      ) : session.value && !isOther.value ? (
        <AlreadySignedIn
          onOther={() => {
            isOther.value = true;
          }}
        />
      ) : (
        <SignIn
          onSignedIn={done}
          intro={isGone && !session.value && <Notice kind="warn">{t('common.signedOutElsewhere')}</Notice>}
        />
      )}
    </Frame>
  );
}
