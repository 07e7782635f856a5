import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Action } from '../core/action.js';
import { t } from '../core/language.js';
import { Choice, UsernameForPassword } from '../kit/field.js';
import { NewPasswordField } from '../kit/new-password.js';
import { FailureNotice } from '../kit/notice.js';

export interface NewPasswordFormProps {
  /** The email address of the account for password managers, if it is known. */
  readonly username: string | null;
  readonly password: Signal<string>;
  readonly isKept: Signal<boolean>;
  readonly action: Action;
  readonly children: ComponentChildren;
}

/**
 * Puts the email address of the account into the form after success, because a link does not name its account. Waits
 * until the form has it, because password managers read the form when it is removed.
 */
export async function showUsername(username: Signal<string | null>, email: string | null): Promise<void> {
  username.value = email;
  await new Promise((rendered) => setTimeout(rendered));
}

/** A form for a new password, with a choice to stay signed in. @param children the submit button */
export const NewPasswordForm = ({ username, password, isKept, action, children }: NewPasswordFormProps) => (
  <>
    <FailureNotice of={action} />
    <form class="stack" onSubmit={action.run}>
      <UsernameForPassword value={username} />
      <NewPasswordField
        label={t('reset.password')}
        action={action}
        value={password.value}
        onValue={(value) => {
          password.value = value;
        }}
      />
      <Choice
        name="keep"
        label={t('signIn.keep')}
        checked={isKept.value}
        onChecked={(checked) => {
          isKept.value = checked;
        }}
      />
      {children}
    </form>
  </>
);
