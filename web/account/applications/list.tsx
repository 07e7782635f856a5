import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { withCaptcha } from '../../core/captcha.js';
import { t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { Field, fieldOf, Select } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice } from '../../kit/notice.js';
import { ExpandableForm, InnerLink } from '../../kit/opened.js';
import { Portrait } from '../../kit/portrait.js';
import { Empty } from '../../kit/shown.js';
import { secretsToShow } from '../../kit/shown-once.js';
import { type Application, pathOf } from './application.js';
import { REDIRECT_FIELDS, RedirectFields } from './redirects.js';

/** Shows the secrets, which are available only once, before the application page opens. */
function show({ id, name, client_secret: secret, bot }: Application): void {
  secretsToShow.value = {
    title: t('applications.created', { application: name }),
    secrets: {
      [t('applications.clientId')]: id,
      ...(secret ? { [t('applications.clientSecret')]: secret } : {}),
      ...(bot?.token ? { [t('applications.botToken')]: bot.token } : {}),
    },
    onKept: () => navigate(pathOf(id)),
  };
}

function CreateForm({ onCancel }: { readonly onCancel: () => void }) {
  const name = useSignal('');
  const kind = useSignal<'confidential' | 'public'>('confidential');
  const redirects = useSignal<readonly string[]>([]);
  const place = useRef<HTMLDivElement>(null);
  const create = useAction(
    async () => {
      const body = { name: name.value, client_type: kind.value, redirect_uris: [...redirects.value] };
      show(await withCaptcha(place.current, (more) => api.post('/v1/oauth2/applications', { ...more, body })));
    },
    { fields: ['name', ...REDIRECT_FIELDS] },
  );
  return (
    <form class="section" onSubmit={create.run} aria-labelledby="create">
      <h2 id="create">{t('applications.create')}</h2>
      <FailureNotice of={create} />
      <Field
        {...fieldOf(name, create, 'name')}
        label={t('applications.name')}
        hint={t('applications.nameHint')}
        required
        maxLength={100}
      />
      <Select
        name="client_type"
        label={t('applications.kind')}
        hint={t('applications.kindHint')}
        value={kind.value}
        options={{ confidential: t('applications.confidential'), public: t('applications.public') }}
        onValue={(value) => {
          kind.value = value as typeof kind.value;
        }}
      />
      <RedirectFields uris={redirects} action={create} />
      <div class="widget" ref={place} />
      <div class="actions">
        <Button kind="plain" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button submits action={create}>
          {t('applications.createSubmit')}
        </Button>
      </div>
    </form>
  );
}

const Entries = ({ of: applications }: { readonly of: readonly Application[] }) =>
  applications.length === 0 ? (
    <Empty>{t('applications.none')}</Empty>
  ) : (
    <ul class="list">
      {applications.map(({ id, name, bot, client_type: kind }) => (
        <li key={id} class="entry">
          <Portrait id={id} name={name} picture={bot?.avatar ?? null} />
          <div class="stack tight">
            <InnerLink href={pathOf(id)}>
              <bdi>{name}</bdi>
            </InnerLink>
            <span class="small quiet">{t(`applications.${kind}`)}</span>
          </div>
        </li>
      ))}
    </ul>
  );

export function Applications() {
  const loaded = useLoaded(() => api.get('/v1/users/@me/applications'));
  return (
    <>
      <p class="quiet">{t('applications.lead')}</p>
      <Loading of={loaded}>{(applications) => <Entries of={applications} />}</Loading>
      <ExpandableForm label={t('applications.create')}>{(fold) => <CreateForm onCancel={fold} />}</ExpandableForm>
    </>
  );
}
