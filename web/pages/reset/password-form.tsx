import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { offerPassword } from '../../core/password-manager.js';
import { typedEmail } from '../../core/typed-email.js';
import { Button } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { NewPasswordForm, showUsername } from '../../sign-in/new-password-form.js';
import type { Challenge, SignedIn } from '../../sign-in/signed-in.js';

export interface PasswordFormProps {
  readonly token: string;
  readonly onDead: () => void;
  readonly onFactor: (challenge: Challenge, isKept: boolean, password: string) => void;
  readonly onSignedIn: (response: SignedIn, isKept: boolean) => Promise<void>;
}

export function PasswordForm({ token, onDead, onFactor, onSignedIn }: PasswordFormProps) {
  const password = useSignal('');
  const isKept = useSignal(false);
  const username = useSignal<string | null>(typedEmail());
  const reset = useAction(
    async () => {
      const response = await api.post('/v1/auth/reset', { body: { token, password: password.value } });
      if ('mfa' in response) return onFactor(response, isKept.value, password.value);
      await showUsername(username, await offerPassword(response.token, password.value));
      return onSignedIn(response, isKept.value);
    },
    {
      fields: ['password'],
      onError: (refused) => {
        if (refused.of('token') === undefined) return false;
        onDead();
        return true;
      },
    },
  );
  return (
    <Frame title={t('reset.title')}>
      <p>{t('reset.lead')}</p>
      <NewPasswordForm username={username.value} password={password} isKept={isKept} action={reset}>
        <Button submits action={reset} size="wide">
          {t('reset.submit')}
        </Button>
      </NewPasswordForm>
    </Frame>
  );
}
