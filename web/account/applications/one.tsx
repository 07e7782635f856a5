import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { Choice, Field, fieldOf, setterOf } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice } from '../../kit/notice.js';
import { InnerLink, UnlessMissing } from '../../kit/opened.js';
import { Portrait } from '../../kit/portrait.js';
import { CopyButton } from '../../kit/shown.js';
import { secretsToShow } from '../../kit/shown-once.js';
import { toast } from '../../kit/toast.js';
import { type Application, LIST } from './application.js';
import { BotProfile } from './bot.js';
import { BOT_TOKENS, BotTokens } from './bot-tokens.js';
import { Deliveries } from './deliveries.js';
import { Logout } from './logout.js';
import { QuickStart } from './quick-start.js';
import { type ChangeProps, Redirects } from './redirects.js';

const Facts = ({ application: { id, name, bot, client_type: kind } }: Pick<ChangeProps, 'application'>) => (
  <>
    <div class="row">
      <Portrait id={id} name={name} picture={bot?.avatar ?? null} />
      <h2>
        <bdi>{name}</bdi>
      </h2>
    </div>
    <dl class="facts">
      <dt>{t('applications.clientId')}</dt>
      <dd class="row">
        <code>{id}</code>
        <CopyButton text={id} label={`${t('common.copy')}: ${t('applications.clientId')}`} />
      </dd>
      <dt>{t('applications.kind')}</dt>
      <dd>{t(`applications.${kind}`)}</dd>
    </dl>
  </>
);

function Settings({ application, onChanged }: ChangeProps) {
  const name = useSignal(application.name);
  const isPublic = useSignal(application.bot_public);
  const needsCode = useSignal(application.bot_require_code_grant);
  const save = useAction(
    async () => {
      const body = { name: name.value, bot_public: isPublic.value, bot_require_code_grant: needsCode.value };
      const next = await api.patch('/v1/oauth2/applications/{id}', { path: { id: application.id }, body });
      name.value = next.name;
      onChanged(next);
      toast(t('account.saved'));
    },
    { fields: ['name'] },
  );
  return (
    <form class="section" onSubmit={save.run}>
      <Facts application={application} />
      <FailureNotice of={save} />
      <Field
        {...fieldOf(name, save, 'name')}
        label={t('applications.name')}
        hint={t('applications.nameHint')}
        required
        maxLength={100}
      />
      <Choice
        name="bot_public"
        label={t('applications.botPublic')}
        checked={isPublic.value}
        onChecked={setterOf(isPublic)}
      />
      <Choice
        name="bot_require_code_grant"
        label={t('applications.needsCode')}
        checked={needsCode.value}
        onChecked={setterOf(needsCode)}
      />
      <div>
        <Button submits action={save}>
          {t('applications.save')}
        </Button>
      </div>
    </form>
  );
}

interface SecretsProps extends Pick<ChangeProps, 'application'> {
  readonly onTokenReset: () => Promise<void>;
}

function Secrets({ application: { id, client_type: kind }, onTokenReset }: SecretsProps) {
  const path = { id };
  const resetSecret = useAction(async () => {
    const { client_secret: secret = '' } = await api.post('/v1/oauth2/applications/{id}/client-secret/reset', { path });
    secretsToShow.value = { title: t('applications.newSecret'), secrets: { [t('applications.clientSecret')]: secret } };
  });
  const resetToken = useAction(async () => {
    const { token } = await api.post('/v1/oauth2/applications/{id}/bot/reset-token', { path });
    secretsToShow.value = { title: t('applications.newToken'), secrets: { [t('applications.botToken')]: token } };
    await onTokenReset();
  });
  return (
    <section class="section" aria-labelledby="secrets">
      <h2 id="secrets">{t('applications.secrets')}</h2>
      <p class="quiet">{t('applications.secretsHint')}</p>
      <div class="row">
        {kind === 'confidential' && (
          <ConfirmButton
            kind="plain"
            label={t('applications.resetSecret')}
            title={t('applications.resetSecretTitle')}
            action={resetSecret}
          >
            <p>{t('applications.resetSecretWhat')}</p>
          </ConfirmButton>
        )}
        <ConfirmButton
          kind="plain"
          label={t('applications.resetToken')}
          title={t('applications.resetTokenTitle')}
          action={resetToken}
        >
          <p>{t('applications.resetTokenWhat')}</p>
        </ConfirmButton>
      </div>
    </section>
  );
}

function Deletion({ application: { id, name } }: Pick<ChangeProps, 'application'>) {
  const remove = useAction(async () => {
    await api.delete('/v1/oauth2/applications/{id}', { path: { id } });
    toast(t('applications.deleted'));
    navigate(LIST, { isInstead: true });
  });
  return (
    <div>
      <ConfirmButton
        label={t('applications.delete')}
        title={t('applications.deleteTitle', { application: name })}
        action={remove}
      >
        <p>{t('applications.deleteWhat')}</p>
      </ConfirmButton>
    </div>
  );
}

/** The credentials of the application and of its bot. */
function Credentials({ application }: Pick<ChangeProps, 'application'>) {
  const { id, bot } = application;
  const tokens = useLoaded(async () => (bot ? (await api.get(BOT_TOKENS, { path: { id } })).tokens : []));
  return (
    <>
      {bot && <BotTokens id={id} loaded={tokens} />}
      <Secrets application={application} onTokenReset={() => tokens.again.run()} />
    </>
  );
}

/** One application with all settings of its owner. */
export function One({ id }: { readonly id: string }) {
  const loaded = useLoaded<Application>(() => api.get('/v1/oauth2/applications/{id}', { path: { id } }));
  return (
    <>
      <p>
        <InnerLink href={LIST}>{t('applications.all')}</InnerLink>
      </p>
      <UnlessMissing again={loaded.again} code="UNKNOWN_APPLICATION">
        <Loading of={loaded}>
          {(application) => (
            <>
              <Settings application={application} onChanged={loaded.take} />
              <Redirects application={application} onChanged={loaded.take} />
              <QuickStart application={application} />
              <Logout application={application} onChanged={loaded.take} />
              {application.backchannel_logout_uri && <Deliveries id={id} />}
              {application.bot && (
                <BotProfile bot={application.bot} onChanged={(bot) => loaded.take({ ...application, bot })} />
              )}
              <Credentials application={application} />
              <Deletion application={application} />
            </>
          )}
        </Loading>
      </UnlessMissing>
    </>
  );
}
