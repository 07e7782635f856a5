import { formatDateTime, rich, t } from '../../core/language.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { InnerLink } from '../../kit/opened.js';
import { CopyButton, Empty } from '../../kit/shown.js';
import { PersonLink } from '../parts/person-link.js';
import { type Application, applicationBy, summaryOf } from './application.js';
import { Policies } from './policies.js';
import { Resource } from './resource.js';
import { Transfer } from './transfer.js';
import { Trust } from './trust.js';

interface OfApplication {
  readonly application: Application;
}

const Owner = ({
  application: { owner_user_id: id, owner_username: name, owner_discriminator: number },
}: OfApplication) =>
  id === null ? t('adminApplications.builtIn') : <PersonLink id={id} summary={summaryOf(id, name, number)} />;

const Bot = ({ application: { bot_user_id: id, bot_username: name, bot_discriminator: number } }: OfApplication) =>
  id === null ? t('adminApplications.noBot') : <PersonLink id={id} summary={summaryOf(id, name, number)} />;

const Codes = ({ of: texts }: { readonly of: readonly string[] }) =>
  texts.length === 0 ? (
    t('adminApplications.noRedirects')
  ) : (
    <ul>
      {texts.map((text) => (
        <li key={text}>
          <code dir="ltr">{text}</code>
        </li>
      ))}
    </ul>
  );

const since = (time: string | null): string =>
  time === null ? t('adminApplications.present') : t('adminApplications.presentSince', { time: formatDateTime(time) });

const Token = ({
  application: { has_bot_token: has, bot_token_preview: begin, bot_token_created_at: at },
}: OfApplication) => (
  <>
    {has ? since(at) : t('adminApplications.absent')}
    {has && begin && <> {rich('adminApplications.begins', { preview: <code dir="ltr">{begin}</code> })}</>}
  </>
);

const Facts = ({ application }: OfApplication) => (
  <dl class="facts">
    <dt>{t('adminApplications.applicationId')}</dt>
    <dd class="row">
      <code dir="ltr">{application.id}</code>
      <CopyButton text={application.id} label={`${t('common.copy')}: ${t('adminApplications.applicationId')}`} />
    </dd>
    <dt>{t('adminApplications.owner')}</dt>
    <dd class="row">
      <Owner application={application} />
      {application.owner_global_name && <bdi>{application.owner_global_name}</bdi>}
    </dd>
    <dt>{t('adminApplications.kind')}</dt>
    <dd>{t(`adminApplications.${application.client_type}`)}</dd>
    <dt>{t('adminApplications.redirects')}</dt>
    <dd>
      <Codes of={application.oauth2_redirect_uris} />
    </dd>
    <dt>{t('adminApplications.secret')}</dt>
    <dd>
      {application.has_client_secret ? since(application.client_secret_created_at) : t('adminApplications.absent')}
    </dd>
    <dt>{t('adminApplications.bot')}</dt>
    <dd>
      <Bot application={application} />
    </dd>
    <dt>{t('adminApplications.token')}</dt>
    <dd>
      <Token application={application} />
    </dd>
    <dt>{t('adminApplications.whoMayAdd')}</dt>
    <dd>{t(application.bot_is_public ? 'adminApplications.everybody' : 'adminApplications.ownerAlone')}</dd>
    <dt>{t('adminApplications.countsAsAdded')}</dt>
    <dd>{t(application.bot_require_code_grant ? 'adminApplications.onceRedeemed' : 'adminApplications.atOnce')}</dd>
    <dt>{t('adminApplications.trust')}</dt>
    <dd>{application.is_trusted ? <Codes of={application.trusted_scopes} /> : t('adminApplications.notTrusted')}</dd>
    <dt>{t('adminApplications.resource')}</dt>
    <dd>
      {application.resource_scopes.length > 0 ? (
        <Codes of={application.resource_scopes} />
      ) : (
        t('adminApplications.notResource')
      )}
    </dd>
    <dt>{t('adminApplications.policies')}</dt>
    <dd>
      {application.resource_policies.length > 0 ? (
        <Codes of={application.resource_policies} />
      ) : (
        t('adminApplications.noPolicies')
      )}
    </dd>
    <dt>{t('adminApplications.version')}</dt>
    <dd>{application.version}</dd>
  </dl>
);

/** One application with its facts and the transfer form. */
export function One({ id, owner }: { readonly id: string; readonly owner: string | null }) {
  const loaded = useLoaded(async () => ({ application: await applicationBy(id, owner) }));
  return (
    <>
      <p>
        {owner ? (
          <InnerLink href={`/admin/applications?${new URLSearchParams({ owner })}`}>
            {t('adminApplications.allOfOwner')}
          </InnerLink>
        ) : (
          <InnerLink href="/admin/applications">{t('adminApplications.another')}</InnerLink>
        )}
      </p>
      <Loading of={loaded}>
        {({ application }) =>
          application === null ? (
            <Empty>{t('adminApplications.unknown')}</Empty>
          ) : (
            <>
              <section class="section" aria-labelledby="application">
                <h2 id="application">
                  <bdi>{application.name}</bdi>
                </h2>
                <Facts application={application} />
              </section>
              <Trust key={application.version} application={application} onChanged={loaded.take} />
              <Resource key={`resource-${application.version}`} application={application} onChanged={loaded.take} />
              <Policies key={`policies-${application.version}`} application={application} onChanged={loaded.take} />
              <Transfer application={application} onTransferred={loaded.take} />
            </>
          )
        }
      </Loading>
    </>
  );
}
