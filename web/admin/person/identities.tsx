import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Loading } from '../../kit/loaded.js';
import type { AboutProps } from './account.js';
import { useFresh } from './fresh.js';

/** Linked identities of the identity provider. */
export function Identities({ user: { id }, turn }: AboutProps) {
  const found = useFresh(async () => {
    const { identities } = await api.get('/v1/admin/users/{user_id}/sso-identity', { path: { user_id: id } });
    return identities;
  }, turn);
  return (
    <section class="section" aria-labelledby="person-identities">
      <h2 id="person-identities">{t('adminActions.sso')}</h2>
      <Loading of={found}>
        {(identities) =>
          identities.length === 0 ? (
            <p class="quiet">{t('adminActions.ssoNone')}</p>
          ) : (
            <ul class="list" aria-labelledby="person-identities">
              {identities.map(({ issuer, subject }) => (
                <li key={`${issuer} ${subject}`}>
                  <bdi>{subject}</bdi>
                  <bdi dir="ltr" class="small quiet">
                    {issuer}
                  </bdi>
                </li>
              ))}
            </ul>
          )
        }
      </Loading>
    </section>
  );
}
