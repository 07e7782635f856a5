import { t } from '../../core/language.js';
import { Choice } from '../../kit/field.js';
import { Home } from '../home/home.js';
import { PersonLink } from '../parts/person-link.js';
import { hasAcl, me } from '../rights.js';
import { searchable } from './search-providers.js';
import { isSlashOn, setSlash } from './shortcut.js';

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

const Shortcut = () => (
  <>
    <Choice name="slash" label={t('adminSearch.slash')} checked={isSlashOn.value} onChecked={setSlash} />
    <p class="small quiet">{t('adminSearch.slashHint')}</p>
  </>
);

/** What the search finds, with the permissions of the user, and its shortcut. */
function Searchable() {
  const names = searchable();
  if (names.length === 0) return <p>{t('adminSearch.nothingSearchable')}</p>;
  return (
    <details>
      <summary class="small">{t('adminSearch.searchable')}</summary>
      <ul>
        {names.map((name) => (
          <li key={name}>{t(name)}</li>
        ))}
      </ul>
      <Shortcut />
    </details>
  );
}

/** Shown before a search. */
export const Start = () => (
  <>
    <Searchable />
    <Home />
    <You />
  </>
);
