import { t } from '../../core/language.js';
import { PersonLink } from '../parts/person-link.js';
import { hasAcl, me } from '../rights.js';
import { searchable } from './search-providers.js';

/** The signed-in administrator and their ACLs. */
function You() {
  const you = me.value;
  if (!you) return null;
  return (
    <section class="section" aria-labelledby="you">
      <h2 id="you">{t('adminSearch.you')}</h2>
      <p>
        <PersonLink id={you.id} summary={you} />
      </p>
      {hasAcl('*') ? (
        <p>{t('adminSearch.allPermissions')}</p>
      ) : (
        <>
          <p>{t('adminSearch.permissions', { count: you.acls.length })}</p>
          <ul class="row acl-list">
            {you.acls.map((acl) => (
              <li key={acl}>
                <code class="small" dir="ltr">
                  {acl}
                </code>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** Shown before a search. */
export function Start() {
  const whats = searchable();
  return (
    <>
      <You />
      <section class="section" aria-labelledby="searchable">
        <h2 id="searchable">{t('adminSearch.searchable')}</h2>
        {whats.length === 0 ? (
          <p>{t('adminSearch.nothingSearchable')}</p>
        ) : (
          <ul>
            {whats.map((what) => (
              <li key={what}>{t(what)}</li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}
