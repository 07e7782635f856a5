import type { Answer, paths } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { FailureNotice } from '../../kit/notice.js';
import { Empty } from '../../kit/shown.js';
import { isErased } from '../parts/flags.js';
import { type AdminUser, can } from '../rights.js';
import { type AccountActionsProps, isOffered } from './account.js';
import { AccountActionButton, ActionRow, Group, SimpleAction, useAccountAction } from './parts.js';
import { Sso } from './sso.js';

const MFA = '/v1/admin/users/{user_id}/mfa';
const PASSKEYS = '/v1/admin/users/{user_id}/webauthn-credentials';
const PASSKEY = '/v1/admin/users/{user_id}/webauthn-credentials/{credential_id}';
const SSO = '/v1/admin/users/{user_id}/sso-identity';
/** Value in `authenticator_types`. */
const PASSKEY_AS_SECOND_FACTOR = 2;

type Passkey = Answer<paths, typeof PASSKEYS, 'get'>[number];

const factorState = ({ has_totp: hasTotp, authenticator_types: types }: AdminUser) =>
  hasTotp ? 'app' : types.includes(PASSKEY_AS_SECOND_FACTOR) ? 'codes' : 'none';

const FACTOR_STATE_WORDS = {
  app: 'adminActions.mfaApp',
  codes: 'adminActions.mfaCodes',
  none: 'adminActions.mfaNone',
} as const;

function MfaMatter(props: AccountActionsProps) {
  const standing = factorState(props.user);
  return (
    <ActionRow title="adminActions.mfa" state={t(FACTOR_STATE_WORDS[standing])}>
      {standing !== 'none' && <SimpleAction {...props} name="disableMfa" work={(sent) => api.delete(MFA, sent)} />}
    </ActionRow>
  );
}

interface OfPasskey extends AccountActionsProps {
  readonly passkey: Passkey;
  readonly onRemoved: (id: string) => void;
}

function RemovePasskey({ passkey, onRemoved, ...props }: OfPasskey) {
  const auditedAction = useAccountAction(props, 'removePasskey', async ({ path, headers }) => {
    await api.delete(PASSKEY, { path: { ...path, credential_id: passkey.id }, headers });
    onRemoved(passkey.id);
  });
  const values = { passkey: <bdi key="passkey">{passkey.name}</bdi> };
  return <AccountActionButton user={props.user} name="removePasskey" auditedAction={auditedAction} values={values} />;
}

const PasskeyItem = (props: OfPasskey) => {
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
      {isOffered(props.user, 'people', 'delete', PASSKEY) && <RemovePasskey {...props} />}
    </li>
  );
};

/** Loads passkeys on request, because each access is recorded in the audit log. */
function PasskeysMatter(props: AccountActionsProps) {
  const passkeys = useSignal<readonly Passkey[] | null>(null);
  const show = useAction(async () => {
    passkeys.value = await api.get(PASSKEYS, { path: { user_id: props.user.id } });
  });
  const forget = (id: string) => {
    passkeys.value = passkeys.value?.filter((passkey) => passkey.id !== id) ?? null;
  };
  const known = passkeys.value;
  return (
    <>
      <ActionRow title="adminActions.passkeys" state={t('adminActions.passkeysHint')}>
        <Button kind="plain" size="small" action={show}>
          {t('adminActions.showPasskeys')}
        </Button>
      </ActionRow>
      <FailureNotice of={show} />
      {known?.length === 0 && <Empty>{t('adminActions.noPasskeys')}</Empty>}
      {known && known.length > 0 && (
        <ul class="list" aria-label={t('adminActions.passkeys')}>
          {known.map((passkey) => (
            <PasskeyItem key={passkey.id} {...props} passkey={passkey} onRemoved={forget} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Sign-in methods of the account. */
export function Factors(props: AccountActionsProps) {
  const { user } = props;
  if (user.bot || isErased(user)) return null;
  const mayMfa = isOffered(user, 'people', 'delete', MFA);
  const maySeePasskeys = can('get', PASSKEYS);
  const maySeeSso = can('get', SSO);
  if (!(mayMfa || maySeePasskeys || maySeeSso)) return null;
  return (
    <Group title="adminActions.factors">
      {mayMfa && <MfaMatter {...props} />}
      {maySeePasskeys && <PasskeysMatter {...props} />}
      {maySeeSso && <Sso {...props} />}
    </Group>
  );
}
