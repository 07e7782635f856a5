import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Action } from '../core/action.js';
import { t } from '../core/language.js';
import { typedEmail } from '../core/typed-email.js';
import { Choice, UsernameForPassword } from '../kit/field.js';
import { NewPasswordField } from '../kit/new-password.js';
import { FailureNotice } from '../kit/notice.js';

export interface NewPasswordFormProps {
  readonly password: Signal<string>;
  readonly isKept: Signal<boolean>;
  readonly action: Action;
  readonly children: ComponentChildren;
}

/** A form for a new password, with a choice to stay signed in. @param children the submit button */
export const NewPasswordForm = ({ password, isKept, action, children }: NewPasswordFormProps) => (
  <>
    <FailureNotice of={action} />
    <form class="stack" onSubmit={action.run}>
      <UsernameForPassword value={typedEmail()} />
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
