import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { api } from '../../core/api.js';
import { rich, t } from '../../core/language.js';
import { Loading } from '../../kit/loaded.js';
import { toast } from '../../kit/toast.js';
import { isOffered, nameOf } from '../account-actions/account.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import type { AboutProps } from './account.js';
import { useFresh } from './fresh.js';

export const IDENTITIES = '/v1/admin/users/{user_id}/sso-identity';

type Identity = ResponseBody<paths, typeof IDENTITIES, 'get'>['identities'][number];

interface UnlinkProps extends Pick<AboutProps, 'user'> {
  readonly connectionId: string;
  readonly onUnlinked: () => Promise<void>;
}

function Unlink({ user, connectionId, onUnlinked }: UnlinkProps) {
  const auditedAction = useAuditedAction(async ({ headers }) => {
    const body = { connection_id: connectionId };
    await api.delete(IDENTITIES, { path: { user_id: user.id }, headers, body });
    toast(t('adminActions.unlinkSsoDone'));
    await onUnlinked();
  });
  const values = { name: <bdi key="name">{nameOf(user)}</bdi>, connection: <bdi key="connection">{connectionId}</bdi> };
  return (
    <AuditedActionButton
      label={t('adminActions.unlinkIdentity')}
      title={t('adminActions.unlinkSsoTitle')}
      of={auditedAction}
    >
      <p>{rich('adminActions.unlinkIdentityWhat', values)}</p>
    </AuditedActionButton>
  );
}

const keyOf = ({ connection_id: connection, issuer, subject }: Identity) => `${connection} ${issuer} ${subject}`;

/** Identities of the account at single sign-on and at connections. The menu unlinks that of single sign-on. */
export function Identities({ user, turn, again }: AboutProps & { readonly again: () => Promise<void> }) {
  const found = useFresh(async () => (await api.get(IDENTITIES, { path: { user_id: user.id } })).identities, turn);
  return (
    <section class="section" aria-labelledby="person-identities">
      <h2 id="person-identities">{t('adminActions.identities')}</h2>
      <Loading of={found}>
        {(identities) =>
          identities.length === 0 ? (
            <p class="quiet">{t('adminActions.ssoNone')}</p>
          ) : (
            <ul class="list" aria-labelledby="person-identities">
              {identities.map((identity) => (
                <li key={keyOf(identity)}>
                  <div class="stack tight">
                    <strong>
                      <bdi>{identity.connection_id ?? t('adminActions.sso')}</bdi>
                    </strong>
                    <bdi>{identity.subject}</bdi>
                    <bdi dir="ltr" class="small quiet">
                      {identity.issuer}
                    </bdi>
                  </div>
                  {identity.connection_id !== null && isOffered(user, 'others', 'delete', IDENTITIES) && (
                    <Unlink user={user} connectionId={identity.connection_id} onUnlinked={again} />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loading>
    </section>
  );
}
