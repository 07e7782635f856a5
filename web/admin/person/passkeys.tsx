import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { signal } from '@preact/signals';
import { api } from '../../core/api.js';
import { formatDateTime, rich, t } from '../../core/language.js';
import { Loading } from '../../kit/loaded.js';
import { toast } from '../../kit/toast.js';
import { isOffered, nameOf } from '../account-actions/account.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import type { RecordedProps } from './account.js';
import { useFresh } from './fresh.js';
import { Read } from './read.js';

export const PASSKEYS = '/v1/admin/users/{user_id}/webauthn-credentials';
const PASSKEY = '/v1/admin/users/{user_id}/webauthn-credentials/{credential_id}';

type Passkey = ResponseBody<paths, typeof PASSKEYS, 'get'>[number];

export interface PasskeysProps extends Pick<RecordedProps, 'user' | 'kept'> {
  /** Reloads the account and its lists. */
  readonly again: () => Promise<void>;
}

interface OfPasskey extends PasskeysProps {
  readonly passkey: Passkey;
  readonly onRemoved: () => void;
}

function Remove({ user, again, passkey, onRemoved }: OfPasskey) {
  const auditedAction = useAuditedAction(async ({ headers }) => {
    await api.delete(PASSKEY, { path: { user_id: user.id, credential_id: passkey.id }, headers });
    toast(t('adminActions.removePasskeyDone'));
    await again();
    onRemoved();
  });
  const values = { name: <bdi key="name">{nameOf(user)}</bdi>, passkey: <bdi key="passkey">{passkey.name}</bdi> };
  return (
    <AuditedActionButton
      label={t('adminActions.removePasskey')}
      title={t('adminActions.removePasskeyTitle')}
      of={auditedAction}
    >
      <p>{rich('adminActions.removePasskeyWhat', values)}</p>
    </AuditedActionButton>
  );
}

const Item = (props: OfPasskey) => {
  const { name, created_at: made, last_used_at: used } = props.passkey;
  return (
    <li>
      <div class="stack tight">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span class="small quiet">
          {t('adminActions.passkeyMade', { time: formatDateTime(made) })} ·{' '}
          {used === null
            ? t('adminActions.passkeyUnused')
            : t('adminActions.passkeyUsed', { time: formatDateTime(used) })}
        </span>
      </div>
      {isOffered(props.user, 'people', 'delete', PASSKEY) && <Remove {...props} />}
    </li>
  );
};

/** Removing a passkey does not load the others again, because each access is recorded. */
const ONCE = signal(0);

function Found(props: PasskeysProps) {
  const { user, kept } = props;
  const found = useFresh(() => api.get(PASSKEYS, { path: { user_id: user.id } }), ONCE, kept.passkeys);
  return (
    <Loading of={found}>
      {(passkeys) =>
        passkeys.length === 0 ? (
          <p class="quiet">{t('adminActions.noPasskeys')}</p>
        ) : (
          <ul class="list" aria-labelledby="person-passkeys">
            {passkeys.map((passkey) => (
              <Item
                key={passkey.id}
                {...props}
                passkey={passkey}
                onRemoved={() => found.take(passkeys.filter((one) => one !== passkey))}
              />
            ))}
          </ul>
        )
      }
    </Loading>
  );
}

/** Passkeys of the account. */
export const Passkeys = (props: PasskeysProps) => (
  <Read
    id="person-passkeys"
    title={t('adminActions.passkeys')}
    label={t('adminActions.showPasskeys')}
    kept={props.kept.passkeys}
  >
    <Found {...props} />
  </Read>
);
