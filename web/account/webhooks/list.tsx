import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDate, t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { Field, fieldOf, Select, setterOf } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice } from '../../kit/notice.js';
import { ExpandableForm, InnerLink } from '../../kit/opened.js';
import { type Picture, PictureField } from '../../kit/picture.js';
import { Portrait } from '../../kit/portrait.js';
import { Empty } from '../../kit/shown.js';
import { secretsToShow } from '../../kit/shown-once.js';
import { noteUrl } from './test-message.js';
import { EVENTS, pathOf, type Webhook } from './webhook.js';

function CreateForm({ onCancel }: { readonly onCancel: () => void }) {
  const name = useSignal('');
  const application = useSignal('');
  const avatar = useSignal<Picture>(undefined);
  const { value: applications } = useLoaded(() => api.get('/v1/users/@me/applications'));
  const create = useAction(
    async () => {
      const body = {
        name: name.value,
        ...(avatar.value ? { avatar: avatar.value } : {}),
        ...(application.value ? { application_id: application.value } : {}),
      };
      const { id, url } = await api.post('/v1/users/@me/webhooks', { body });
      noteUrl(id, url);
      secretsToShow.value = {
        title: t('webhooks.created', { webhook: name.value.trim() }),
        secrets: { [t('webhooks.address')]: url },
        onKept: () => navigate(pathOf(id)),
      };
    },
    { fields: ['name', 'avatar', 'application_id'] },
  );
  const owned = (applications.value ?? []).map(({ id, name: title }) => [id, title]);
  return (
    <form class="section" onSubmit={create.run} aria-labelledby="create">
      <h2 id="create">{t('webhooks.create')}</h2>
      <FailureNotice of={create} />
      <Field
        {...fieldOf(name, create, 'name')}
        label={t('webhooks.name')}
        hint={t('webhooks.nameHint')}
        required
        maxLength={80}
      />
      {owned.length > 0 && (
        <Select
          name="application_id"
          label={t('webhooks.application')}
          value={application.value}
          options={{ '': t('webhooks.noApplication'), ...Object.fromEntries(owned) }}
          onValue={setterOf(application)}
          wrong={create.of('application_id')}
        />
      )}
      <PictureField
        name="avatar"
        label={t('applications.picture')}
        hint={t('applications.pictureHint')}
        removeLabel={t('applications.pictureRemove')}
        look="portrait"
        chosen={avatar}
        present={null}
        wrong={create.of('avatar')}
      />
      <div class="actions">
        <Button kind="plain" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button submits action={create}>
          {t('webhooks.createSubmit')}
        </Button>
      </div>
    </form>
  );
}

const Entries = ({ of: webhooks }: { readonly of: readonly Webhook[] }) =>
  webhooks.length === 0 ? (
    <Empty>{t('webhooks.none')}</Empty>
  ) : (
    <ul class="list">
      {webhooks.map(({ id, name, avatar, created_at: createdAt }) => (
        <li key={id} class="entry">
          <Portrait id={id} name={name} picture={avatar} />
          <div class="stack tight">
            <InnerLink href={pathOf(id)}>
              <bdi>{name}</bdi>
            </InnerLink>
            <span class="small quiet">{t('webhooks.madeOn', { day: formatDate(createdAt) })}</span>
          </div>
        </li>
      ))}
    </ul>
  );

export function Webhooks() {
  const loaded = useLoaded(() => api.get('/v1/users/@me/webhooks'), EVENTS);
  return (
    <>
      <p class="quiet">{t('webhooks.lead')}</p>
      <Loading of={loaded}>{(webhooks) => <Entries of={webhooks} />}</Loading>
      <ExpandableForm label={t('webhooks.create')}>{(fold) => <CreateForm onCancel={fold} />}</ExpandableForm>
    </>
  );
}
