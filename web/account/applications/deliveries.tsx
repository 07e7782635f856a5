import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { Empty } from '../../kit/shown.js';

const SHOWN = 20;

/** The newest logout tokens that an application received or that failed. */
export function Deliveries({ id }: { readonly id: string }) {
  const loaded = useLoaded(() =>
    api.get('/v1/oauth2/applications/{id}/backchannel-logouts', { path: { id }, query: { limit: SHOWN } }),
  );
  return (
    <section class="section" aria-labelledby="deliveries">
      <h2 id="deliveries">{t('applications.deliveries')}</h2>
      <p class="quiet">{t('applications.deliveriesWhat')}</p>
      <Loading of={loaded}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Empty>{t('applications.deliveriesNone')}</Empty>
          ) : (
            <ul class="list" aria-labelledby="deliveries">
              {deliveries.map(({ id: delivery, outcome, completed_at: at }) => (
                <li key={delivery}>
                  <div class="stack tight">
                    <strong>{t(`applications.${outcome}`)}</strong>
                    <time class="small quiet" dateTime={at}>
                      {formatDateTime(at)}
                    </time>
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
