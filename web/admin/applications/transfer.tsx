import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { rich, type TranslationKey, t } from '../../core/language.js';
import { Notice } from '../../kit/notice.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import { PersonLink } from '../parts/person-link.js';
import { hasAcl } from '../rights.js';
import { AccountFinder } from './account-finder.js';
import { type AccountReference, type Application, summaryOf } from './application.js';

export interface TransferProps {
  readonly application: Application;
  readonly onTransferred: (response: { readonly application: Application | null }) => void;
}

/** Messages for the new owner, because the default messages address the current one. */
const REFUSALS: Readonly<Record<string, TranslationKey>> = {
  ACCESS_DENIED: 'adminApplications.cannotOwn',
  MAX_APPLICATIONS: 'adminApplications.ownsTooMany',
  UNKNOWN_USER: 'adminApplications.nobody',
};

const tagOf = ({ id, summary }: AccountReference): string =>
  summary ? `${summary.username}#${summary.discriminator}` : id;

interface HandOverProps extends TransferProps {
  readonly from: AccountReference;
  readonly to: AccountReference;
  readonly onDone: () => void;
}

function HandOver({ application, from, to, onTransferred, onDone }: HandOverProps) {
  const apiError = useSignal<TranslationKey | null>(null);
  const transfer = useAuditedAction(
    async (reason) => {
      apiError.value = null;
      const sent = { path: { application_id: application.id }, body: { new_owner_id: to.id }, ...reason };
      onTransferred(await api.patch('/v1/admin/applications/{application_id}', sent));
      onDone();
    },
    {
      onError: ({ code }) => {
        apiError.value = REFUSALS[code] ?? null;
        return apiError.value !== null;
      },
    },
  );
  const { name } = application;
  return (
    <>
      {apiError.value && <Notice kind="bad">{t(apiError.value)}</Notice>}
      <div class="row">
        <p>{rich('adminApplications.goesTo', { to: <PersonLink {...to} /> })}</p>
        <AuditedActionButton
          label={t('adminApplications.transfer')}
          title={t('adminApplications.transferTitle', { application: name })}
          of={transfer}
        >
          <p>{t('adminApplications.transferWhat', { application: name, from: tagOf(from), to: tagOf(to) })}</p>
        </AuditedActionButton>
      </div>
    </>
  );
}

/** Transfers an application to another account. The built-in application has no owner and cannot be transferred. */
export function Transfer({ application, onTransferred }: TransferProps) {
  const to = useSignal<AccountReference | null>(null);
  const done = useSignal<AccountReference | null>(null);
  const { owner_user_id: owner, owner_username: name, owner_discriminator: number } = application;
  if (owner === null || !hasAcl('application:transfer_ownership')) return null;
  return (
    <section class="section" aria-labelledby="transfer">
      <h2 id="transfer">{t('adminApplications.transferSection')}</h2>
      {done.value && (
        <Notice kind="good">
          {t('adminApplications.transferred', { application: application.name, to: tagOf(done.value) })}
        </Notice>
      )}
      <AccountFinder
        name="new_owner"
        label={t('adminApplications.newOwner')}
        submit={t('adminApplications.findAccount')}
        onFound={(somebody) => {
          to.value = somebody;
          done.value = null;
        }}
      />
      {to.value && (
        <HandOver
          key={to.value.id}
          application={application}
          from={{ id: owner, summary: summaryOf(owner, name, number) }}
          to={to.value}
          onTransferred={onTransferred}
          onDone={() => {
            done.value = to.value;
            to.value = null;
          }}
        />
      )}
    </section>
  );
}
