import { api } from '../../core/api.js';
import { formatDate, type TranslationKey, t } from '../../core/language.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { Portrait } from '../../kit/portrait.js';
import { Empty } from '../../kit/shown.js';
import { Days, EventLine, foldEvents } from '../events/days.js';
import '../events/events.css';

const ENTRIES = 5;
/** More events than entries, because equal ones are folded. */
const EVENTS = 25;
const APPLICATIONS = 3;

interface HeadProps {
  readonly id: string;
  readonly title: TranslationKey;
  readonly path: string;
}

const Head = ({ id, title, path }: HeadProps) => (
  <div class="row between">
    <h2 id={id}>{t(title)}</h2>
    <a href={path} aria-label={`${t('account.seeAll')}: ${t(title)}`}>
      {t('account.seeAll')}
    </a>
  </div>
);

/** The newest security events. */
export function Activity() {
  const events = useLoaded(
    () => api.get('/v1/users/@me/security-events', { query: { limit: EVENTS } }),
    ['USER_UPDATE', 'WEBAUTHN_CREDENTIALS_UPDATE', 'SESSIONS_REPLACE'],
  );
  return (
    <section class="section" aria-labelledby="activity">
      <Head id="activity" title="events.latest" path="/account/events" />
      <Loading of={events}>
        {(newest) =>
          newest.length === 0 ? (
            <Empty>{t('events.none')}</Empty>
          ) : (
            <Days entries={foldEvents(newest).slice(0, ENTRIES)}>
              {(entry) => (
                <div class="line">
                  <EventLine entry={entry} />
                </div>
              )}
            </Days>
          )
        }
      </Loading>
    </section>
  );
}

/** The applications that got access last. */
export function Connected() {
  const connections = useLoaded(() => api.get('/v1/oauth2/@me/authorizations'));
  return (
    <section class="section" aria-labelledby="connected">
      <Head id="connected" title="connections.title" path="/account/connections" />
      <Loading of={connections}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{t('connections.none')}</Empty>
          ) : (
            <ul class="list" aria-labelledby="connected">
              {[...all]
                .sort((a, b) => b.authorized_at.localeCompare(a.authorized_at))
                .slice(0, APPLICATIONS)
                .map(({ application: { id, name, icon }, authorized_at: since }) => (
                  <li key={id} class="entry">
                    <Portrait id={id} name={name} picture={icon} />
                    <div class="stack tight">
                      <strong>
                        <bdi>{name}</bdi>
                      </strong>
                      <span class="small quiet">{t('connections.since', { day: formatDate(since) })}</span>
                    </div>
                  </li>
                ))}
            </ul>
          )
        }
      </Loading>
    </section>
  );
}
