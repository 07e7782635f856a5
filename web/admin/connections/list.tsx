import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { Field, fieldOf, Select } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice } from '../../kit/notice.js';
import { ExpandableForm, InnerLink } from '../../kit/opened.js';
import { Badge } from '../../kit/portrait.js';
import { Empty } from '../../kit/shown.js';
import { ProviderIcon } from '../../sign-in/provider-icon.js';
import { ReasonField, toReasonHeaders } from '../parts/audited-action.js';
import { can } from '../rights.js';
import { CONNECTIONS, type Connection, KIND_NAMES, type Kind, MAX_CONNECTIONS, pathOf } from './connection.js';

const kinds = (): Readonly<Record<Kind, string>> => ({
  ...KIND_NAMES,
  oidc: t('adminConnections.kindOidc'),
  oauth2: t('adminConnections.kindOauth2'),
});

/** The name of a preset, which is also a good first name for its connection. */
const nameOf = (kind: Kind): string => (kind === 'oidc' || kind === 'oauth2' ? '' : KIND_NAMES[kind]);

export const State = ({ of: { enabled } }: { readonly of: Connection }) =>
  enabled ? <Badge kind="good">{t('adminInstance.on')}</Badge> : <Badge>{t('adminInstance.off')}</Badge>;

export const iconOf = ({ icon, kind }: Connection): string => icon ?? kind;

interface CreateFormProps {
  readonly taken: readonly string[];
  readonly onCancel: () => void;
}

/** Creates a disabled connection. Its page then shows the callback URL, which the provider needs first. */
function CreateForm({ taken, onCancel }: CreateFormProps) {
  const freeIdOf = (kind: Kind) => (taken.includes(kind) ? '' : kind);
  const kind = useSignal<Kind>('google');
  const name = useSignal(nameOf('google'));
  const id = useSignal(freeIdOf('google'));
  const reason = useSignal('');
  const create = useAction(
    async () => {
      const body = { id: id.value.trim(), kind: kind.value, display_name: name.value.trim() };
      const made = await api.post(CONNECTIONS, { body, ...toReasonHeaders(reason.value) });
      navigate(pathOf(made.id));
    },
    { fields: ['id', 'kind', 'display_name'] },
  );
  const choose = (value: string) => {
    const next = value as Kind;
    // Replace only what the former choice filled in.
    if (name.value === nameOf(kind.value)) name.value = nameOf(next);
    if (id.value === freeIdOf(kind.value)) id.value = freeIdOf(next);
    kind.value = next;
  };
  return (
    <form class="section" onSubmit={create.run} aria-labelledby="create">
      <h2 id="create">{t('adminConnections.create')}</h2>
      <Select
        name="kind"
        label={t('adminInstance.preset')}
        value={kind.value}
        options={kinds()}
        onValue={choose}
        wrong={create.of('kind')}
      />
      <Field
        {...fieldOf(name, create, 'display_name')}
        label={t('adminConnections.name')}
        hint={t('adminConnections.nameHint')}
        required
        maxLength={64}
      />
      <Field
        {...fieldOf(id, create, 'id')}
        label={t('adminConnections.id')}
        hint={t('adminConnections.idHint')}
        required
        maxLength={32}
        isVerbatim
      />
      <ReasonField of={{ action: create, reason }} />
      <FailureNotice of={create} />
      <div class="actions">
        <Button kind="plain" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button submits action={create}>
          {t('adminConnections.createSubmit')}
        </Button>
      </div>
    </form>
  );
}

const Item = ({ of: connection }: { readonly of: Connection }) => (
  <li>
    <ProviderIcon icon={iconOf(connection)} />
    <div class="stack tight">
      <InnerLink href={pathOf(connection.id)}>
        <bdi>{connection.display_name}</bdi>
      </InnerLink>
      <span class="small quiet">
        <bdi>{kinds()[connection.kind]}</bdi> · {t('adminConnections.identities', { count: connection.identities })}
      </span>
    </div>
    <State of={connection} />
  </li>
);

export function AllConnections() {
  const loaded = useLoaded(async () => (await api.get(CONNECTIONS)).connections);
  return (
    <>
      <p class="quiet">{t('adminConnections.lead')}</p>
      <Loading of={loaded}>
        {(all) => (
          <>
            {all.length === 0 ? (
              <Empty>{t('adminConnections.none')}</Empty>
            ) : (
              <ul class="list" aria-label={t('adminConnections.title')}>
                {all.map((one) => (
                  <Item key={one.id} of={one} />
                ))}
              </ul>
            )}
            {can('post', CONNECTIONS) && all.length < MAX_CONNECTIONS && (
              <ExpandableForm label={t('adminConnections.create')}>
                {(fold) => <CreateForm taken={all.map(({ id }) => id)} onCancel={fold} />}
              </ExpandableForm>
            )}
          </>
        )}
      </Loading>
      <p class="small">
        <InnerLink href="/admin/instance">{t('adminConnections.toSso')}</InnerLink>
      </p>
    </>
  );
}
