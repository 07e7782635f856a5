import type { ApiError, paths, ResponseBody } from '@gatehouse-auth/client';
import { type Signal, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { useAction } from '../core/action.js';
import { api } from '../core/api.js';
import { CaptchaUnavailable, withCaptcha } from '../core/captcha.js';
import { t } from '../core/language.js';
import { Button } from '../kit/button.js';
import { Choice, Field, fieldOf, PasswordField } from '../kit/field.js';
import { Notice } from '../kit/notice.js';
import { SignInFailure } from './failure.js';
import { detectSsoEnforced } from './service.js';

export interface PasswordFormProps {
  readonly email: Signal<string>;
  readonly password: Signal<string>;
  /** The "keep me signed in" choice; undefined to hide it. */
  readonly isKept?: Signal<boolean> | undefined;
  readonly onAnswer: (response: ResponseBody<paths, '/v1/auth/login', 'post'>) => void;
  /** Called if the sign-in needs an emailed link. */
  readonly onHeld: (refused: ApiError) => void;
}

export function PasswordForm({ email, password, isKept, onAnswer, onHeld }: PasswordFormProps) {
  const place = useRef<HTMLDivElement>(null);
  const hasNoCaptcha = useSignal(false);
  const send = useAction(
    async () => {
      hasNoCaptcha.value = false;
      const body = { email: email.value, password: password.value };
      try {
        onAnswer(await withCaptcha(place.current, (more) => api.post('/v1/auth/login', { body, ...more })));
      } catch (error) {
        if (!(error instanceof CaptchaUnavailable)) throw error;
        hasNoCaptcha.value = true;
      }
    },
    {
      fields: ['email', 'password'],
      onError: (refused) => {
        if (refused.code !== 'IP_AUTHORIZATION_REQUIRED') return detectSsoEnforced(refused);
        onHeld(refused);
        return true;
      },
    },
  );
  const hasEmail = useMemo(() => email.peek() !== '', [email]);
  // The error does not say whether email or password is wrong, so show it only once.
  const isEither = send.failure.value?.code === 'INVALID_EMAIL_OR_PASSWORD';
  return (
    <form class="stack" onSubmit={send.run}>
      <SignInFailure of={send} />
      {hasNoCaptcha.value && <Notice kind="bad">{t('signIn.captchaUnavailable')}</Notice>}
      <Field
        type="email"
        name="email"
        label={t('common.email')}
        autocomplete="username webauthn"
        inputMode="email"
        value={email.value}
        onValue={(value) => {
          email.value = value;
        }}
        wrong={isEither ? undefined : send.of('email')}
        required
        maxLength={254}
        isVerbatim
        isFirst={!hasEmail}
      />
      <PasswordField
        {...fieldOf(password, send, 'password')}
        label={t('common.password')}
        autocomplete="current-password"
        isFirst={hasEmail}
        required
        maxLength={256}
      />
      {isKept && (
        <Choice
          name="keep"
          label={t('signIn.keep')}
          checked={isKept.value}
          onChecked={(checked) => {
            isKept.value = checked;
          }}
        />
      )}
      <div class="widget" ref={place} />
      <Button submits action={send} size="wide">
        {t('common.signIn')}
      </Button>
    </form>
  );
}
