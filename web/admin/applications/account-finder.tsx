import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Field } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { can } from '../rights.js';
import { type AccountReference, findAccount } from './application.js';

export interface AccountFinderProps {
  readonly name: string;
  readonly label: string;
  readonly submit: string;
  readonly onFound: (somebody: AccountReference) => void;
}

/** Maximum length of an email address. */
const MAX_LENGTH = 320;

/** A form that finds an account by ID, name or email address. */
export function AccountFinder({ name, label, submit, onFound }: AccountFinderProps) {
  const text = useSignal('');
  const isNobody = useSignal(false);
  const find = useAction(async () => {
    isNobody.value = false;
    const found = await findAccount(text.value);
    if (found) onFound(found);
    else isNobody.value = true;
  });
  return (
    <form class="stack" onSubmit={find.run}>
      <Field
        name={name}
        label={label}
        hint={t(can('get', '/v1/admin/users') ? 'adminApplications.personHint' : 'adminApplications.accountIdHint')}
        value={text.value}
        onValue={(value) => {
          text.value = value;
          isNobody.value = false;
        }}
        wrong={isNobody.value ? t('adminApplications.nobody') : undefined}
        isVerbatim
        required
        maxLength={MAX_LENGTH}
      />
      <FailureNotice of={find} />
      <div>
        <Button submits kind="plain" action={find}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
