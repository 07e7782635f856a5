import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDate, t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { Field, fieldOf } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice } from '../../kit/notice.js';
import { InnerLink, UnlessMissing } from '../../kit/opened.js';
import { type Picture, PictureField } from '../../kit/picture.js';
import { Portrait } from '../../kit/portrait.js';
import { secretsToShow } from '../../kit/shown-once.js';
import { toast } from '../../kit/toast.js';
import { pathOf as pathOfApplication } from '../applications/application.js';
import { Messages } from './messages.js';
import { noteUrl, TestMessage } from './test-message.js';
import { EVENTS, LIST, type Webhook } from './webhook.js';

interface WebhookProps {
  readonly webhook: Webhook;
}

function OfApplication({ id }: { readonly id: string }) {
  const { value } = useLoaded(() => api.get('/v1/users/@me/applications'));
  const name = value.value?.find((application) => application.id === id)?.name;
  return (
    <InnerLink href={pathOfApplication(id)}>
      <bdi>{name ?? id}</bdi>
    </InnerLink>
  );
}

const Head = ({ webhook: { id, name, avatar, created_at: createdAt, application_id: application } }: WebhookProps) => (
  <>
    <div class="row">
      <Portrait id={id} name={name} picture={avatar} />
      <div>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <p class="small quiet">{t('webhooks.madeOn', { day: formatDate(createdAt) })}</p>
      </div>
    </div>
    {application && (
      <dl class="facts">
        <dt>{t('webhooks.application')}</dt>
        <dd>
          <OfApplication id={application} />
        </dd>
      </dl>
    )}
  </>
);

function Settings({ webhook, onChanged }: WebhookProps & { readonly onChanged: (webhook: Webhook) => void }) {
  const { id } = webhook;
  const name = useSignal(webhook.name);
  const avatar = useSignal<Picture>(undefined);
  useEffect(() => {
    name.value = webhook.name;
  }, [webhook.name, name]);
  const save = useAction(
    async () => {
      const body = { name: name.value, ...(avatar.value === undefined ? {} : { avatar: avatar.value }) };
      const next = await api.patch('/v1/webhooks/{id}', { path: { id }, body });
      name.value = next.name;
      avatar.value = undefined;
      onChanged(next);
      toast(t('account.saved'));
    },
    { fields: ['name', 'avatar'] },
  );
  return (
    <form class="section" onSubmit={save.run}>
      <Head webhook={webhook} />
      <FailureNotice of={save} />
      <Field
        {...fieldOf(name, save, 'name')}
        label={t('webhooks.name')}
        hint={t('webhooks.nameHint')}
        required
        maxLength={80}
      />
      <PictureField
        name="avatar"
        label={t('applications.picture')}
        hint={t('applications.pictureHint')}
        removeLabel={t('applications.pictureRemove')}
        look="portrait"
        chosen={avatar}
        present={webhook.avatar && <Portrait id={id} name={webhook.name} picture={webhook.avatar} />}
        wrong={save.of('avatar')}
      />
      <div>
        <Button submits action={save}>
          {t('webhooks.save')}
        </Button>
      </div>
    </form>
  );
}

function Address({ webhook: { id } }: WebhookProps) {
  const rotate = useAction(async () => {
    const { url } = await api.post('/v1/webhooks/{id}/token/rotate', { path: { id } });
    noteUrl(id, url);
    secretsToShow.value = { title: t('webhooks.newAddress'), secrets: { [t('webhooks.address')]: url } };
  });
  return (
    <section class="section" aria-labelledby="address">
      <h2 id="address">{t('webhooks.address')}</h2>
      <p class="quiet">{t('webhooks.addressHint')}</p>
      <div>
        <ConfirmButton kind="plain" label={t('webhooks.rotate')} title={t('webhooks.rotateTitle')} action={rotate}>
          <p>{t('webhooks.rotateWhat')}</p>
        </ConfirmButton>
      </div>
    </section>
  );
}

function Deletion({ webhook: { id, name } }: WebhookProps) {
  const remove = useAction(async () => {
    await api.delete('/v1/webhooks/{id}', { path: { id } });
    toast(t('webhooks.deleted'));
    navigate(LIST, { isInstead: true });
  });
  return (
    <div>
      <ConfirmButton label={t('webhooks.delete')} title={t('webhooks.deleteTitle', { webhook: name })} action={remove}>
        <p>{t('webhooks.deleteWhat')}</p>
      </ConfirmButton>
    </div>
  );
}

/** One webhook with its settings and messages. */
export function One({ id }: { readonly id: string }) {
  const loaded = useLoaded<Webhook>(() => api.get('/v1/webhooks/{id}', { path: { id } }), EVENTS);
  return (
    <>
      <p>
        <InnerLink href={LIST}>{t('webhooks.all')}</InnerLink>
      </p>
      <UnlessMissing again={loaded.again} code="UNKNOWN_WEBHOOK">
        <Loading of={loaded}>
          {(webhook) => (
            <>
              <Settings webhook={webhook} onChanged={loaded.take} />
              <Address webhook={webhook} />
              <TestMessage id={id} />
              <Messages id={id} />
              <Deletion webhook={webhook} />
            </>
          )}
        </Loading>
      </UnlessMissing>
    </>
  );
}
