import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { formatDate, formatDateTime, rich, t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { Field, fieldOf } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { CopyButton } from '../../kit/shown.js';
import { toast } from '../../kit/toast.js';
import { AuditedActionButton, ReasonField, useAuditedAction } from '../parts/audited-action.js';
import { can } from '../rights.js';
import { auditPath, endsSoon, KEY, type Key, LIST } from './key.js';
import { EndsSoon } from './list.js';
import { Scope } from './scope.js';

interface OfKey {
  readonly of: Key;
}

const Facts = ({ of: key }: OfKey) => (
  <dl class="facts">
    <dt>{t('adminKeys.id')}</dt>
    <dd class="row">
      <code dir="ltr">{key.key_id}</code>
      <CopyButton text={key.key_id} label={`${t('common.copy')}: ${t('adminKeys.id')}`} />
    </dd>
    <dt>{t('adminKeys.made')}</dt>
    <dd>{formatDateTime(key.created_at)}</dd>
    <dt>{t('adminKeys.use')}</dt>
    <dd>{key.last_used_at === null ? t('adminPerson.never') : formatDateTime(key.last_used_at)}</dd>
    <dt>{t('adminKeys.end')}</dt>
    <dd class="row">
      {key.expires_at === null ? t('adminPerson.never') : formatDate(key.expires_at)}
      <EndsSoon of={key} />
    </dd>
  </dl>
);

function EditForm({ of: key, onChanged }: OfKey & { readonly onChanged: (key: Key) => void }) {
  const name = useSignal(key.name);
  const chosen = useSignal<readonly string[]>(key.acls);
  const auditedAction = useAuditedAction(
    async (sent) => {
      // Unchanged ACLs are not sent, because the key may have ACLs that its owner has lost.
      const isSame = [...chosen.value].sort().join() === [...key.acls].sort().join();
      const body = { name: name.value, ...(isSame ? {} : { acls: [...chosen.value] }) };
      const next = await api.patch(KEY, { path: { key_id: key.key_id }, body, ...sent });
      name.value = next.name;
      onChanged(next);
      toast(t('adminKeys.saved'));
    },
    { fields: ['name'] },
  );
  return (
    <form class="section" onSubmit={auditedAction.action.run} aria-labelledby="edit">
      <h3 id="edit">{t('adminKeys.edit')}</h3>
      <Field {...fieldOf(name, auditedAction.action, 'name')} label={t('adminKeys.name')} required maxLength={100} />
      <Scope chosen={chosen} held={key.acls} />
      <ReasonField of={auditedAction} />
      <FailureNotice of={auditedAction.action} />
      <div>
        <Button submits action={auditedAction.action}>
          {t('adminKeys.save')}
        </Button>
      </div>
    </form>
  );
}

function Deletion({ of: { key_id: id, name } }: OfKey) {
  const auditedAction = useAuditedAction(async (sent) => {
    await api.delete(KEY, { path: { key_id: id }, ...sent });
    toast(t('adminKeys.deleted'));
    navigate(LIST, { isInstead: true });
  });
  return (
    <div>
      <AuditedActionButton label={t('adminKeys.delete')} title={t('adminKeys.deleteTitle')} of={auditedAction}>
        <p>{rich('adminKeys.deleteWhat', { key: <bdi>{name}</bdi> })}</p>
      </AuditedActionButton>
    </div>
  );
}

const Whole = ({ of: key, onChanged }: OfKey & { readonly onChanged: (key: Key) => void }) => (
  <>
    <section class="section" aria-labelledby="key">
      <h2 id="key">
        <bdi>{key.name}</bdi>
      </h2>
      {endsSoon(key) && (
        <Notice kind="warn" isAnnounced={false}>
          {t('adminKeys.soonWarning', { count: 1 })}
        </Notice>
      )}
      <Facts of={key} />
    </section>
    {can('patch', KEY) && <EditForm of={key} onChanged={onChanged} />}
    {can('delete', KEY) && <Deletion of={key} />}
  </>
);

/** Errors for an invalid ID, and for a key that does not exist or belongs to another account. */
const UNKNOWN: ReadonlySet<string> = new Set(['ADMIN_API_KEY_NOT_FOUND', 'INVALID_SNOWFLAKE_FORMAT']);

/** One key with all operations of its owner. */
export function One({ id }: { readonly id: string }) {
  const loaded = useLoaded<Key>(() => api.get(KEY, { path: { key_id: id } }));
  const audit = auditPath(id);
  return (
    <>
      <p class="row">
        <InnerLink href={LIST}>{t('adminKeys.all')}</InnerLink>
        {audit && <InnerLink href={audit}>{t('adminKeys.audit')}</InnerLink>}
      </p>
      {UNKNOWN.has(loaded.again.failure.value?.code ?? '') ? (
        <Notice kind="bad">{t('adminKeys.unknown')}</Notice>
      ) : (
        <Loading of={loaded}>{(key) => <Whole of={key} onChanged={loaded.take} />}</Loading>
      )}
    </>
  );
}
