import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { InnerLink } from '../../kit/opened.js';
import { Entries } from '../parts/entries.js';
import { pathWith } from './addresses.js';
import type { Entry } from './entry.js';

/** The raw values of an entry, for searches in other tools. */
const Exact = ({ of: { log_id: id, action, target_type: type, created_at: at } }: { readonly of: Entry }) => (
  <dl class="facts">
    <dt>{t('adminAudit.id')}</dt>
    <dd>
      <code dir="ltr">{id}</code>
    </dd>
    <dt>{t('adminAudit.action')}</dt>
    <dd>
      <code dir="ltr">{action}</code>
    </dd>
    <dt>{t('adminAudit.target_type')}</dt>
    <dd>
      <code dir="ltr">{type}</code>
    </dd>
    <dt>{t('adminAudit.exactly')}</dt>
    <dd>
      <code dir="ltr">{at}</code>
    </dd>
  </dl>
);

/** One entry, opened by its URL. */
export function One({ id }: { readonly id: string }) {
  const entry = useLoaded(() => api.get('/v1/admin/audit-logs/{log_id}', { path: { log_id: id } }));
  return (
    <>
      <p>
        <InnerLink href={pathWith({})}>{t('adminAudit.all')}</InnerLink>
      </p>
      <h2 tabIndex={-1}>{t('adminAudit.one')}</h2>
      <Loading of={entry}>
        {(known) => (
          <>
            <Entries of={[known]} label={t('adminAudit.one')} />
            <Exact of={known} />
          </>
        )}
      </Loading>
    </>
  );
}
