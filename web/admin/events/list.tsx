import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { Field, fieldOf } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice } from '../../kit/notice.js';
import { ExpandableForm, InnerLink } from '../../kit/opened.js';
import { Badge } from '../../kit/portrait.js';
import { Empty } from '../../kit/shown.js';
import { secretsToShow } from '../../kit/shown-once.js';
import { ReasonField, toReasonHeaders } from '../parts/audited-action.js';
import { can } from '../rights.js';
import { ENDPOINTS, type Endpoint, MAX_ENDPOINTS, pathOf } from './endpoint.js';
import { EventTypes } from './types.js';

function CreateForm({ onCancel }: { readonly onCancel: () => void }) {
  const url = useSignal('');
  const description = useSignal('');
  const types = useSignal<readonly string[]>([]);
  const reason = useSignal('');
  const create = useAction(
    async () => {
      const body = { url: url.value.trim(), description: description.value, event_types: [...types.value] };
      const { id, secret } = await api.post(ENDPOINTS, { body, ...toReasonHeaders(reason.value) });
      secretsToShow.value = {
        title: t('adminEvents.created'),
        secrets: { [t('adminEvents.secret')]: secret },
        onKept: () => navigate(pathOf(id)),
      };
    },
    { fields: ['url', 'description'] },
  );
  return (
    <form class="section" onSubmit={create.run} aria-labelledby="create">
      <h2 id="create">{t('adminEvents.create')}</h2>
      <Field {...fieldOf(url, create, 'url')} label={t('adminEvents.url')} required maxLength={2048} isVerbatim />
      <Field
        {...fieldOf(description, create, 'description')}
        label={t('adminEvents.description')}
        hint={t('adminEvents.descriptionHint')}
        maxLength={256}
      />
      <EventTypes chosen={types} />
      <ReasonField of={{ action: create, reason }} />
      <FailureNotice of={create} />
      <div class="actions">
        <Button kind="plain" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button submits action={create}>
          {t('adminEvents.createSubmit')}
        </Button>
      </div>
    </form>
  );
}

export const State = ({ of: { is_disabled } }: { readonly of: Endpoint }) =>
  is_disabled ? (
    <Badge kind="warn">{t('adminEvents.disabled')}</Badge>
  ) : (
    <Badge kind="good">{t('adminEvents.enabled')}</Badge>
  );

const Item = ({ of: endpoint }: { readonly of: Endpoint }) => (
  <li>
    <div class="stack tight">
      <InnerLink href={pathOf(endpoint.id)}>
        <bdi>{endpoint.description || endpoint.url}</bdi>
      </InnerLink>
      <code class="small quiet" dir="ltr">
        {endpoint.url}
      </code>
    </div>
    <State of={endpoint} />
  </li>
);

export function AllEndpoints() {
  const loaded = useLoaded(async () => (await api.get(ENDPOINTS)).event_endpoints);
  return (
    <>
      <p class="quiet">{t('adminEvents.lead')}</p>
      <Loading of={loaded}>
        {(all) => (
          <>
            {all.length === 0 ? (
              <Empty>{t('adminEvents.none')}</Empty>
            ) : (
              <ul class="list" aria-label={t('adminEvents.title')}>
                {all.map((one) => (
                  <Item key={one.id} of={one} />
                ))}
              </ul>
            )}
            {can('post', ENDPOINTS) && all.length < MAX_ENDPOINTS && (
              <ExpandableForm label={t('adminEvents.create')}>
                {(fold) => <CreateForm onCancel={fold} />}
              </ExpandableForm>
            )}
          </>
        )}
      </Loading>
    </>
  );
}
