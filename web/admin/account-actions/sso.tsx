import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Field, fieldOf } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { type AccountActionsProps, isOffered } from './account.js';
import { CurrentValues } from './choices.js';
import { AccountActionButton, ActionRow, type Sent, SimpleAction, useAccountAction } from './parts.js';

const SSO = '/v1/admin/users/{user_id}/sso-identity';

interface OfIdentities extends AccountActionsProps {
  readonly onChanged: () => Promise<void>;
}

function Link({ onChanged, ...props }: OfIdentities) {
  const subject = useSignal('');
  const auditedAction = useAccountAction(
    props,
    'linkSso',
    async (sent) => {
      const answer = await api.put(SSO, { ...sent, body: { subject: subject.value } });
      subject.value = '';
      await onChanged();
      return answer;
    },
    { fields: ['subject'] },
  );
  const isTaken = auditedAction.action.failure.value?.code === 'SSO_IDENTITY_MISMATCH';
  const field = fieldOf(subject, auditedAction.action, 'subject');
  return (
    <AccountActionButton user={props.user} name="linkSso" auditedAction={auditedAction}>
      <Field
        {...field}
        wrong={isTaken ? t('adminActions.ssoTaken') : field.wrong}
        label={t('adminActions.subject')}
        isVerbatim
        required
        maxLength={255}
      />
    </AccountActionButton>
  );
}

function Unlink({ onChanged, ...props }: OfIdentities) {
  const unlink = async (sent: Sent) => {
    const answer = await api.delete(SSO, sent);
    await onChanged();
    return answer;
  };
  return <SimpleAction {...props} name="unlinkSso" work={unlink} />;
}

/** Linked identities of the identity provider. */
export function Sso(props: AccountActionsProps) {
  const { user } = props;
  const loaded = useLoaded(() => api.get(SSO, { path: { user_id: user.id } }));
  const onChanged = () => loaded.again.run();
  return (
    <Loading of={loaded}>
      {({ identities }) => (
        <ActionRow
          title="adminActions.sso"
          state={
            <CurrentValues
              none="adminActions.ssoNone"
              of={identities.map(({ issuer, subject }) => (
                <>
                  <bdi>{subject}</bdi> · <bdi dir="ltr">{issuer}</bdi>
                </>
              ))}
            />
          }
        >
          {isOffered(user, 'people', 'put', SSO) && <Link {...props} onChanged={onChanged} />}
          {identities.length > 0 && isOffered(user, 'others', 'delete', SSO) && (
            <Unlink {...props} onChanged={onChanged} />
          )}
        </ActionRow>
      )}
    </Loading>
  );
}
