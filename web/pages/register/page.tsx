import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { signOut } from '../../core/api.js';
import { readHistoryState, writeHistoryState } from '../../core/history-state.js';
import { rich, t } from '../../core/language.js';
import { destination, withDestination } from '../../core/redirects.js';
import { resolveSession, session } from '../../core/session.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { Success } from '../../kit/shown.js';
import { isSsoEnforced, loadService, service } from '../../sign-in/service.js';
import { type Pending, RegisterForm } from './form.js';

const SignIn = () => <LinkButton href={withDestination('/login')}>{t('common.signIn')}</LinkButton>;

interface WaitingProps {
  readonly pending: Pending;
  readonly onAgain: () => void;
}

function Waiting({ pending: { kind, email }, onAgain }: WaitingProps) {
  const hasMail = kind === 'verification' || service.value?.features.email !== false;
  return (
    <Frame title={t(kind === 'approval' ? 'register.approvalTitle' : 'register.verificationTitle')}>
      <Success>
        {kind === 'approval' ? t('register.approval') : rich('register.verification', { email: <b>{email}</b> })}
      </Success>
      {kind === 'approval' && hasMail && <p>{rich('register.approvalMail', { email: <b>{email}</b> })}</p>}
      <SignIn />
      <Button kind="bare" onClick={onAgain}>
        {t('register.again')}
      </Button>
    </Frame>
  );
}

/** The reason why registration is not available. */
const RegistrationUnavailable = ({ title, words }: { readonly title: string; readonly words: string }) => (
  <Frame title={title}>
    <Notice isAnnounced={false}>{words}</Notice>
    <SignIn />
  </Frame>
);

function SignedIn({ onLeft }: { readonly onLeft: () => void }) {
  const leave = useAction(async () => {
    await signOut();
    onLeft();
  });
  return (
    <Frame title={t('register.signedInTitle')}>
      <p>{t('register.signedIn')}</p>
      <FailureNotice of={leave} />
      <LinkButton href={destination()}>{t('register.goOn')}</LinkButton>
      <Button kind="plain" action={leave}>
        {t('register.signOutFirst')}
      </Button>
    </Frame>
  );
}

export default function Register() {
  const pending = useSignal(readHistoryState<Pending>('registered') ?? null);
  const wasSignedIn = useSignal(session.value !== null);
  useEffect(() => {
    void loadService();
    void resolveSession().then((held) => {
      wasSignedIn.value = held !== null;
    });
  }, [wasSignedIn]);
  if (pending.value) {
    return (
      <Waiting
        pending={pending.value}
        onAgain={() => {
          pending.value = writeHistoryState('registered', null);
        }}
      />
    );
  }
  if (wasSignedIn.value) {
    return (
      <SignedIn
        onLeft={() => {
          wasSignedIn.value = false;
        }}
      />
    );
  }
  const known = service.value;
  if (isSsoEnforced.value) return <RegistrationUnavailable title={t('register.ssoTitle')} words={t('register.sso')} />;
  if (known?.registration.mode === 'closed') {
    return <RegistrationUnavailable title={t('register.closedTitle')} words={t('register.closed')} />;
  }
  return (
    <RegisterForm
      onPending={(next) => {
        pending.value = next;
      }}
    />
  );
}
