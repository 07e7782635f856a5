import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDate, formatDateTime, t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { Field, fieldOf } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { ExpandableForm, InnerLink } from '../../kit/opened.js';
import { Badge } from '../../kit/portrait.js';
import { Empty } from '../../kit/shown.js';
import { secretsToShow } from '../../kit/shown-once.js';
import { ReasonField, toReasonHeaders } from '../parts/audited-action.js';
import { can } from '../rights.js';
import { daysLeft, endsSoon, KEYS, type Key, MAX_KEYS, pathOf } from './key.js';
import { Scope } from './scope.js';

/** Invalid numbers are sent as well, so that the service reports the error. */
const daysOf = (text: string) => (text.trim() === '' ? {} : { expires_in_days: Number(text) });

function CreateForm({ onCancel, onCreated }: { readonly onCancel: () => void; readonly onCreated: () => void }) {
  const name = useSignal('');
  const days = useSignal('90');
  const chosen = useSignal<readonly string[]>([]);
  const reason = useSignal('');
  const create = useAction(
    async () => {
      const body = { name: name.value, acls: [...chosen.value], ...daysOf(days.value) };
      const { key_id: id, key, name: given } = await api.post(KEYS, { body, ...toReasonHeaders(reason.value) });
      onCreated();
      secretsToShow.value = {
        title: t('adminKeys.created', { key: given }),
        secrets: { [t('adminKeys.key')]: key },
        onKept: () => navigate(pathOf(id)),
      };
    },
    { fields: ['name', 'expires_in_days'] },
  );
  return (
    <form class="section" onSubmit={create.run} aria-labelledby="create">
      <h2 id="create">{t('adminKeys.create')}</h2>
      <Field
        {...fieldOf(name, create, 'name')}
        label={t('adminKeys.name')}
        hint={t('adminKeys.nameHint')}
        required
        maxLength={100}
      />
      <Field
        {...fieldOf(days, create, 'expires_in_days')}
        label={t('adminKeys.days')}
        hint={t('adminKeys.daysHint')}
        inputMode="numeric"
        maxLength={3}
      />
      <Scope chosen={chosen} />
      <ReasonField of={{ action: create, reason }} />
      <FailureNotice of={create} />
      <div class="actions">
        <Button kind="plain" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button submits action={create}>
          {t('adminKeys.createSubmit')}
        </Button>
      </div>
    </form>
  );
}

/** A warning if the key expires soon. */
export const EndsSoon = ({ of: key }: { readonly of: Key }) =>
  key.expires_at !== null && endsSoon(key) ? (
    <Badge kind="warn">{t('adminKeys.soon', { count: daysLeft(key.expires_at) })}</Badge>
  ) : null;

const ending = ({ expires_at: time }: Key): string =>
  time === null ? t('adminKeys.noEnd') : t('adminKeys.ends', { day: formatDate(time) });

const lastUse = ({ last_used_at: time }: Key): string =>
  time === null ? t('adminKeys.neverUsed') : t('adminKeys.lastUsed', { time: formatDateTime(time) });

const Item = ({ of: key }: { readonly of: Key }) => (
  <li>
    <div class="stack tight">
      <InnerLink href={pathOf(key.key_id)}>
        <bdi>{key.name}</bdi>
      </InnerLink>
      <span class="small quiet">
        {t('adminKeys.holds', { count: key.acls.length })} · {lastUse(key)} · {ending(key)} <EndsSoon of={key} />
      </span>
    </div>
  </li>
);

function Keys({ of: keys }: { readonly of: readonly Key[] }) {
  const soon = keys.filter(endsSoon).length;
  if (keys.length === 0) return <Empty>{t('adminKeys.none')}</Empty>;
  return (
    <>
      {soon > 0 && (
        <Notice kind="warn" isAnnounced={false}>
          {t('adminKeys.soonWarning', { count: soon })}
        </Notice>
      )}
      <ul class="list" aria-label={t('adminKeys.title')}>
        {keys.map((key) => (
          <Item key={key.key_id} of={key} />
        ))}
      </ul>
      <p class="small quiet">{t('adminKeys.countOf', { count: keys.length, most: MAX_KEYS })}</p>
    </>
  );
}

export function OwnKeys() {
  const loaded = useLoaded(() => api.get(KEYS));
  return (
    <>
      <p class="quiet">{t('adminKeys.lead')}</p>
      <Loading of={loaded}>{(keys) => <Keys of={keys} />}</Loading>
      {can('post', KEYS) && (
        <ExpandableForm label={t('adminKeys.create')}>
          {(fold) => <CreateForm onCancel={fold} onCreated={() => void loaded.again.run()} />}
        </ExpandableForm>
      )}
    </>
  );
}
