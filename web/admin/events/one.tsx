import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { formatDateTime, rich, t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { Choice, Field, fieldOf } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { secretsToShow } from '../../kit/shown-once.js';
import { toast } from '../../kit/toast.js';
import { AuditedActionButton, ReasonField, useAuditedAction } from '../parts/audited-action.js';
import { can } from '../rights.js';
import { Deliveries } from './deliveries.js';
import { ENDPOINT, type Endpoint, LIST } from './endpoint.js';
import { State } from './list.js';
import { EventTypes } from './types.js';

const SECRET = '/v1/admin/event-endpoints/{endpoint_id}/secret';

interface OfEndpoint {
  readonly of: Endpoint;
}

interface ChangeProps extends OfEndpoint {
  readonly onChanged: (endpoint: Endpoint) => void;
}

function EditForm({ of: endpoint, onChanged }: ChangeProps) {
  const url = useSignal(endpoint.url);
  const description = useSignal(endpoint.description);
  const types = useSignal<readonly string[]>(endpoint.event_types);
  const isEnabled = useSignal(!endpoint.is_disabled);
  const edit = useAuditedAction(
    async (sent) => {
      const body = {
        ...{ url: url.value.trim(), description: description.value, event_types: [...types.value] },
        is_disabled: !isEnabled.value,
      };
      onChanged(await api.patch(ENDPOINT, { path: { endpoint_id: endpoint.id }, body, ...sent }));
      toast(t('adminEvents.saved'));
    },
    { fields: ['url', 'description'] },
  );
  return (
    <form class="section" onSubmit={edit.action.run} aria-labelledby="edit">
      <h3 id="edit">{t('adminEvents.edit')}</h3>
      <Field {...fieldOf(url, edit.action, 'url')} label={t('adminEvents.url')} required maxLength={2048} isVerbatim />
      <Field
        {...fieldOf(description, edit.action, 'description')}
        label={t('adminEvents.description')}
        hint={t('adminEvents.descriptionHint')}
        maxLength={256}
      />
      <Choice
        name="enabled"
        label={t('adminEvents.enable')}
        checked={isEnabled.value}
        onChecked={(isChosen) => {
          isEnabled.value = isChosen;
        }}
      />
      <EventTypes chosen={types} />
      <ReasonField of={edit} />
      <FailureNotice of={edit.action} />
      <div>
        <Button submits action={edit.action}>
          {t('adminEvents.save')}
        </Button>
      </div>
    </form>
  );
}

function Rotation({ of: { id }, onChanged }: ChangeProps) {
  const rotate = useAuditedAction(async (sent) => {
    const { secret, ...endpoint } = await api.post(SECRET, { path: { endpoint_id: id }, ...sent });
    onChanged(endpoint);
    secretsToShow.value = { title: t('adminEvents.rotated'), secrets: { [t('adminEvents.secret')]: secret } };
  });
  return (
    <AuditedActionButton label={t('adminEvents.rotate')} title={t('adminEvents.rotateTitle')} of={rotate} kind="plain">
      <p>{t('adminEvents.rotateWhat')}</p>
    </AuditedActionButton>
  );
}

function Deletion({ of: { id, url } }: OfEndpoint) {
  const remove = useAuditedAction(async (sent) => {
    await api.delete(ENDPOINT, { path: { endpoint_id: id }, ...sent });
    toast(t('adminEvents.deleted'));
    navigate(LIST, { isInstead: true });
  });
  return (
    <AuditedActionButton label={t('adminEvents.delete')} title={t('adminEvents.deleteTitle')} of={remove}>
      <p>{rich('adminEvents.deleteWhat', { url: <code dir="ltr">{url}</code> })}</p>
    </AuditedActionButton>
  );
}

const Head = ({ of: endpoint }: OfEndpoint) => (
  <section class="section" aria-labelledby="endpoint">
    <div class="row between">
      <h2 id="endpoint">
        <bdi>{endpoint.description || endpoint.url}</bdi>
      </h2>
      <State of={endpoint} />
    </div>
    {endpoint.disabled_by === 'receiver' && (
      <Notice kind="warn" isAnnounced={false}>
        {t('adminEvents.gone')}
      </Notice>
    )}
    {endpoint.previous_secret_expires_at !== null && (
      <p class="small">{t('adminEvents.rotating', { time: formatDateTime(endpoint.previous_secret_expires_at) })}</p>
    )}
  </section>
);

const UNKNOWN: ReadonlySet<string> = new Set(['UNKNOWN_EVENT_ENDPOINT', 'INVALID_SNOWFLAKE_FORMAT']);

/** One endpoint with all operations, and its deliveries. */
export function One({ id }: { readonly id: string }) {
  const loaded = useLoaded<Endpoint>(() => api.get(ENDPOINT, { path: { endpoint_id: id } }));
  return (
    <>
      <p class="row">
        <InnerLink href={LIST}>{t('adminEvents.all')}</InnerLink>
      </p>
      {UNKNOWN.has(loaded.again.failure.value?.code ?? '') ? (
        <Notice kind="bad">{t('adminEvents.unknown')}</Notice>
      ) : (
        <Loading of={loaded}>
          {(endpoint) => (
            <>
              <Head of={endpoint} />
              <Deliveries id={id} isDisabled={endpoint.is_disabled} />
              {can('patch', ENDPOINT) && <EditForm of={endpoint} onChanged={loaded.take} />}
              <div class="row">
                {can('post', SECRET) && <Rotation of={endpoint} onChanged={loaded.take} />}
                {can('delete', ENDPOINT) && <Deletion of={endpoint} />}
              </div>
            </>
          )}
        </Loading>
      )}
    </>
  );
}
