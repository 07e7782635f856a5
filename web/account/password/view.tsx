import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { session, startSession, withTokenRotation } from '../../core/session.js';
import { Button } from '../../kit/button.js';
import { fieldOf, PasswordField } from '../../kit/field.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { setUser, user } from '../account.js';
import { useCompletions } from '../contact/steps.js';
import { PasswordByMail } from './mailed.js';

interface FormProps {
  readonly hasPassword: boolean;
  readonly onStart: () => void;
  readonly onDone: () => void;
}

function Form({ hasPassword, onStart, onDone }: FormProps) {
  const current = useSignal('');
  const next = useSignal('');
  const change = useAction(
    async () => {
      onStart();
      const body = { new_password: next.value, ...(hasPassword ? { password: current.value } : {}) };
      await withTokenRotation(async () => {
        const response = await api.patch('/v1/users/@me', { body });
        // The response has revoked the previous token.
        if ('token' in response && response.token) startSession(response.token, session.value?.isKept ?? false);
        setUser(response);
      });
      current.value = '';
      next.value = '';
      onDone();
    },
    { fields: ['password', 'new_password'] },
  );
  return (
    <form class="section" onSubmit={change.run}>
      <p class="quiet">{t('account.passwordHint')}</p>
      <FailureNotice of={change} />
      <input type="text" name="username" autocomplete="username" value={user.value?.email ?? ''} readOnly hidden />
      {hasPassword && (
        <PasswordField
          {...fieldOf(current, change, 'password')}
          autocomplete="current-password"
          label={t('account.currentPassword')}
          required
          maxLength={256}
        />
      )}
      <PasswordField
        {...fieldOf(next, change, 'new_password')}
        autocomplete="new-password"
        label={t('account.newPassword')}
        hint={t('account.newPasswordHint')}
        required
        minLength={8}
        maxLength={256}
      />
      <div>
        <Button submits action={change}>
          {t('account.changePassword')}
        </Button>
      </div>
    </form>
  );
}

/** Changes the password, or sets the first one. */
export default function Password() {
  const { times, place, note } = useCompletions<HTMLDivElement>();
  const isChanged = useSignal(false);
  const done = () => {
    isChanged.value = true;
    note();
  };
  const hasPassword = user.value?.password_last_changed_at !== null;
  return (
    <>
      {isChanged.value && (
        <div ref={place} tabIndex={-1}>
          <Notice kind="good">{t('account.passwordChanged')}</Notice>
        </div>
      )}
      <Form
        hasPassword={hasPassword}
        onStart={() => {
          isChanged.value = false;
        }}
        onDone={done}
      />
      {hasPassword && user.value?.email && <PasswordByMail key={times} onDone={done} />}
    </>
  );
}
