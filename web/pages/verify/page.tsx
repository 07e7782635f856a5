import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { useLink } from '../../core/link.js';
import { signInPath } from '../../core/redirects.js';
import { resolveSession, session } from '../../core/session.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { Success } from '../../kit/shown.js';

const ToAccount = () => <LinkButton href="/account">{t('verify.toAccount')}</LinkButton>;

/** For signed-in users: shows whether the email address is already verified, or sends a new link. */
function Again() {
  const isVerified = useSignal(false);
  const isSent = useSignal(false);
  useEffect(() => {
    const held = session.value?.token;
    void api
      .get('/v1/users/@me')
      .then(({ verified }) => {
        if (session.value?.token === held) isVerified.value = verified === true;
      })
      .catch(() => {});
  }, [isVerified]);
  const resend = useAction(async () => {
    await api.post('/v1/auth/verify/resend');
    isSent.value = true;
  });
  if (isVerified.value) {
    return (
      <>
        <Notice kind="good">{t('verify.already')}</Notice>
        <ToAccount />
      </>
    );
  }
  if (isSent.value) return <Notice kind="good">{t('verify.resent')}</Notice>;
  return (
    <>
      <FailureNotice of={resend} />
      <Button action={resend}>{t('verify.resend')}</Button>
    </>
  );
}

export default function Verify() {
  const { state, action } = useLink((token) => api.post('/v1/auth/verify', { body: { token } }));
  useEffect(() => void resolveSession(), []);
  const isSignedIn = session.value !== null;
  if (state.value === 'ready') {
    return (
      <Frame title={t('verify.title')}>
        <p>{t('verify.lead')}</p>
        <FailureNotice of={action} />
        <Button action={action}>{t('verify.submit')}</Button>
      </Frame>
    );
  }
  if (state.value === 'done') {
    return (
      <Frame title={t('verify.doneTitle')}>
        <Success>{t(isSignedIn ? 'verify.doneSignedIn' : 'verify.done')}</Success>
        {isSignedIn ? <ToAccount /> : <LinkButton href="/login">{t('common.signIn')}</LinkButton>}
      </Frame>
    );
  }
  return (
    <Frame title={t(state.value === 'missing' ? 'link.missingTitle' : 'link.deadTitle')}>
      <p>{t(state.value === 'missing' ? 'link.missing' : 'verify.dead')}</p>
      {isSignedIn ? (
        <Again />
      ) : (
        <>
          <p>{t('verify.signInForNew')}</p>
          <LinkButton href={signInPath()}>{t('common.signIn')}</LinkButton>
        </>
      )}
    </Frame>
  );
}
