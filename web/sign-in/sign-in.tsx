import type { ApiError } from '@gatehouse-auth/client';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type Failure, useAction } from '../core/action.js';
import { brand } from '../core/brand.js';
import { t, wordsOfCode } from '../core/language.js';
import { hasPasskeys, PasskeyCancelled } from '../core/passkeys.js';
import { pageAfterSignIn, withDestination } from '../core/redirects.js';
import { useTypedEmail } from '../core/typed-email.js';
import { Button } from '../kit/button.js';
import { Icon } from '../kit/icon.js';
import { Notice } from '../kit/notice.js';
import { useAutofill } from './autofill.js';
import { ConnectionButtons } from './connections.js';
import { beginHandoff, OtherDevice } from './device.js';
import { SignInFailure } from './failure.js';
import { EmailHold } from './hold.js';
import { type Chosen, choosePasskey, signInWith } from './passkey.js';
import { PasswordForm } from './password-form.js';
import { SecondFactor } from './second-factor.js';
import { detectSsoEnforced, isSsoEnforced, loadService, service } from './service.js';
import type { SignedIn } from './signed-in.js';
import { SsoButton } from './single-sign-on.js';
import { readStep, type Step, storeStep } from './steps.js';

export interface SignInProps {
  /**
   * Called once after sign-in. The page starts the session (`core/session`) and redirects.
   * `password` is set if a password was used; it is empty if a second factor was also used.
   */
  readonly onSignedIn: (response: SignedIn, isKept: boolean, password?: string) => void;
  /** Content above the first step. */
  readonly intro?: ComponentChildren;
  /** False hides the "keep me signed in" choice. */
  readonly allowsKeep?: boolean;
  /** The email address that fills the form. */
  readonly email?: string | undefined;
}

/** Properties of the first step. */
interface Entry {
  readonly isKept: Signal<boolean>;
  readonly allowsKeep: boolean;
  readonly typed: { readonly email: Signal<string>; readonly password: Signal<string> };
  readonly go: (step: Step) => void;
  readonly done: (response: SignedIn, password?: string) => void;
}

const holdStep = ({ body }: ApiError): Step => ({
  kind: 'hold',
  hold: {
    ticket: String(body?.ticket),
    email: String(body?.email),
    at: Date.now(),
    resendAt: Date.now() + Number(body?.resend_available_in) * 1000,
    isResent: false,
  },
});

function PasskeyButton({ done }: Pick<Entry, 'done'>) {
  const isCancelled = useSignal(false);
  const found = useRef<Chosen | null>(null);
  const passkey = useAction(
    async () => {
      isCancelled.value = false;
      try {
        const chosen = found.current ?? (await choosePasskey());
        if (chosen) done(await signInWith(chosen));
      } catch (error) {
        if (!(error instanceof PasskeyCancelled)) throw error;
        isCancelled.value = true;
      }
    },
    { onError: detectSsoEnforced },
  );
  useAutofill(!passkey.isBusy.value, async (chosen) => {
    found.current = chosen;
    await passkey.run();
    found.current = null;
  });
  if (!hasPasskeys()) return null;
  return (
    <>
      <SignInFailure of={passkey} />
      {isCancelled.value && <Notice kind="bad">{t('signIn.passkeyCancelled')}</Notice>}
      <Button action={passkey} kind="plain" size="wide">
        <Icon name="fingerprint-pattern" />
        {t('signIn.passkey')}
      </Button>
    </>
  );
}

function DeviceButton({ go, kind }: Pick<Entry, 'go'> & { readonly kind: 'main' | 'plain' }) {
  const device = useAction(async () => go({ kind: 'device', handoff: await beginHandoff() }));
  return (
    <>
      <SignInFailure of={device} />
      <Button action={device} kind={kind} size="wide">
        <Icon name="smartphone" />
        {t('signIn.device')}
      </Button>
    </>
  );
}

function OtherWays({ isKept, go, done }: Entry) {
  return (
    <>
      <p class="or">{t('signIn.or')}</p>
      <PasskeyButton done={done} />
      {brand.pages && service.value?.sso.enabled && <SsoButton returnTo={pageAfterSignIn()} isKept={isKept.value} />}
      {brand.pages && <ConnectionButtons returnTo={pageAfterSignIn()} isKept={isKept.value} />}
      <DeviceButton go={go} kind="plain" />
    </>
  );
}

const Links = () => (
  <div class="row between small">
    <a href={withDestination('/forgot')}>{t('signIn.forgot')}</a>
    {service.value && service.value.registration.mode !== 'closed' && (
      <a href={withDestination('/register')}>{t('signIn.register')}</a>
    )}
  </div>
);

function Enter({ allowsKeep, ...entry }: Entry) {
  const { typed, isKept, go, done } = entry;
  return (
    <>
      <PasswordForm
        {...typed}
        isKept={allowsKeep ? isKept : undefined}
        onAnswer={(response) =>
          'mfa' in response
            ? go({ kind: 'factor', challenge: response, email: typed.email.value.trim() })
            : done(response, typed.password.value)
        }
        onHeld={(refused) => go(holdStep(refused))}
      />
      {brand.pages && <Links />}
      <OtherWays allowsKeep={allowsKeep} {...entry} />
    </>
  );
}

/** All ways to sign in, within a `Frame`. Input is kept until the sign-in succeeds. */
export function SignIn({ onSignedIn, intro, allowsKeep = true, email }: SignInProps) {
  const kept = useMemo(readStep, []);
  const step = useSignal<Step>(kept.step);
  const isKept = useSignal(kept.isKept);
  const typed = { email: useTypedEmail(email), password: useSignal('') };
  const failure = useSignal<Failure | null>(null);
  useEffect(() => void loadService(), []);

  const go = (next: Step) => {
    failure.value = null;
    step.value = next;
    storeStep(next, isKept.value);
  };
  const back = (why?: Failure) => {
    go({ kind: 'enter' });
    failure.value = why ?? null;
  };
  const done = (response: SignedIn, password?: string) => {
    storeStep({ kind: 'enter' }, false);
    onSignedIn(response, allowsKeep && isKept.value, password);
  };

  const now = step.value;
  // If the other pages are disabled, there is no callback page for single sign-on. Another signed-in device can approve
  // the sign-in.
  if (isSsoEnforced.value && !brand.pages && now.kind !== 'device') {
    return (
      <>
        {intro}
        <p>{t('signIn.ssoElsewhere')}</p>
        <SignInFailure of={{ failure }} />
        <DeviceButton go={go} kind="main" />
      </>
    );
  }
  if (isSsoEnforced.value && brand.pages) {
    return (
      <>
        {intro}
        <p>{t('signIn.ssoOnly')}</p>
        <SsoButton returnTo={pageAfterSignIn()} isKept={allowsKeep && isKept.value} kind="main" />
      </>
    );
  }
  switch (now.kind) {
    case 'factor':
      return (
        <SecondFactor
          challenge={now.challenge}
          account={{
            email: now.email,
            onOther: () => {
              typed.email.value = '';
              typed.password.value = '';
              back();
            },
          }}
          onSignedIn={(response) => done(response, now.email === null ? undefined : '')}
          onTimeout={() =>
            back({ message: wordsOfCode('SESSION_TIMEOUT') ?? null, fields: {}, code: 'SESSION_TIMEOUT' })
          }
        />
      );
    case 'hold':
      return (
        <EmailHold
          hold={now.hold}
          onHold={(hold) => go({ kind: 'hold', hold })}
          onSignedIn={(response) => done(response, typed.password.value)}
          onBack={back}
        />
      );
    case 'device':
      return (
        <OtherDevice
          handoff={now.handoff}
          onHandoff={(handoff) => go({ kind: 'device', handoff })}
          onSignedIn={done}
          onBack={back}
        />
      );
    default:
      return (
        <>
          {intro}
          <SignInFailure of={{ failure }} />
          <Enter allowsKeep={allowsKeep} isKept={isKept} typed={typed} go={go} done={done} />
        </>
      );
  }
}
