import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { Loading } from '../../kit/loaded.js';
import type { RecordedProps } from './account.js';
import { Address } from './address.js';
import { useFresh } from './fresh.js';
import { Read } from './read.js';

function Found({ user: { id }, turn, kept }: RecordedProps) {
  const found = useFresh(
    async () => {
      const { networks } = await api.get('/v1/admin/users/{user_id}/networks', { path: { user_id: id } });
      return networks;
    },
    turn,
    kept.networks,
  );
  return (
    <Loading of={found}>
      {(networks) =>
        networks.length === 0 ? (
          <p class="quiet">{t('adminPerson.networksNone')}</p>
        ) : (
          <ul class="list" aria-labelledby="person-networks">
            {networks.map(({ network, created_at: since }) => (
              <li key={network}>
                <Address ip={network} />
                <span class="small quiet">{t('adminPerson.networkSince', { time: formatDateTime(since) })}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Loading>
  );
}

/** Networks from which the account signs in without an email confirmation. */
export const Networks = (props: RecordedProps) => (
  <Read
    id="person-networks"
    title={t('adminPerson.networks')}
    what={t('adminPerson.networksWhat')}
    label={t('adminPerson.networksShow')}
    kept={props.kept.networks}
  >
    <Found {...props} />
  </Read>
);
