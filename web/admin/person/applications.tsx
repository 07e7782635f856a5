import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Loading } from '../../kit/loaded.js';
import { InnerLink } from '../../kit/opened.js';
import { can } from '../rights.js';
import type { AboutProps } from './account.js';
import { useFresh } from './fresh.js';

const pathOf = (id: string): string => `/admin/applications?${new URLSearchParams({ id })}`;

/** Permission to list applications does not include permission to open one. */
const Name = ({ id, name }: { readonly id: string; readonly name: string }) =>
  can('get', '/v1/admin/applications/{application_id}') ? (
    <InnerLink href={pathOf(id)}>
      <bdi>{name}</bdi>
    </InnerLink>
  ) : (
    <bdi>{name}</bdi>
  );

/** Applications that the account owns. */
export function Applications({ user: { id }, turn }: AboutProps) {
  const found = useFresh(async () => {
    const { applications } = await api.get('/v1/admin/users/{user_id}/applications', { path: { user_id: id } });
    return applications;
  }, turn);
  return (
    <section class="section" aria-labelledby="person-applications">
      <h2 id="person-applications">{t('adminPerson.applications')}</h2>
      <Loading of={found}>
        {(applications) =>
          applications.length === 0 ? (
            <p class="quiet">{t('adminPerson.applicationsNone')}</p>
          ) : (
            <ul class="list" aria-labelledby="person-applications">
              {applications.map((application) => (
                <li key={application.id}>
                  <Name {...application} />
                  <code dir="ltr" class="small quiet">
                    {application.id}
                  </code>
                </li>
              ))}
            </ul>
          )
        }
      </Loading>
    </section>
  );
}

/** An application has the same ID as its bot. */
export const ApplicationOfBot = ({ id }: { readonly id: string }) => (
  <section class="section" aria-labelledby="person-applications">
    <h2 id="person-applications">{t('adminPerson.applications')}</h2>
    <p>
      <InnerLink href={pathOf(id)}>{t('adminPerson.applicationOfBot')}</InnerLink>
    </p>
  </section>
);
