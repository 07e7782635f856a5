import { useSignal } from '@preact/signals';
import { rich, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Field } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { InnerLink } from '../../kit/opened.js';
import { Empty } from '../../kit/shown.js';
import { setQueryParameters } from '../parts/address.js';
import { PersonLink } from '../parts/person-link.js';
import { can } from '../rights.js';
import { AccountFinder } from './account-finder.js';
import { type Application, applicationsOfOwner, canReadById, findAccountById, idIn } from './application.js';

function ById() {
  const text = useSignal('');
  const isWrong = useSignal(false);
  const look = (event: Event) => {
    event.preventDefault();
    const id = idIn(text.value);
    isWrong.value = id === undefined;
    if (id !== undefined) setQueryParameters({ id, owner: null });
  };
  return (
    <form class="stack" onSubmit={look}>
      <Field
        name="application_id"
        label={t('adminApplications.applicationId')}
        value={text.value}
        onValue={(value) => {
          text.value = value;
          isWrong.value = false;
        }}
        wrong={isWrong.value ? t('adminApplications.notAnId') : undefined}
        inputMode="numeric"
        isVerbatim
        required
        maxLength={64}
      />
      <div>
        <Button submits kind="plain">
          {t('adminApplications.lookUp')}
        </Button>
      </div>
    </form>
  );
}

const Owned = ({ of: applications, owner }: { readonly of: readonly Application[]; readonly owner: string }) =>
  applications.length === 0 ? (
    <Empty>{t('adminApplications.none')}</Empty>
  ) : (
    <ul class="list" aria-labelledby="owned">
      {applications.map(({ id, name }) => (
        <li key={id}>
          <div class="stack tight">
            <InnerLink href={`/admin/applications?${new URLSearchParams({ owner, id })}`}>
              <bdi>{name}</bdi>
            </InnerLink>
            <code class="small quiet" dir="ltr">
              {id}
            </code>
          </div>
        </li>
      ))}
    </ul>
  );

function OfOwner({ owner }: { readonly owner: string }) {
  const loaded = useLoaded(async () => {
    const [applications, somebody] = await Promise.all([applicationsOfOwner(owner), findAccountById(owner)]);
    return { applications, summary: somebody?.summary ?? null };
  });
  return (
    <section class="stack" aria-labelledby="owned">
      <Loading of={loaded}>
        {({ applications, summary }) => (
          <>
            <h2 id="owned">
              {rich('adminApplications.ofOwner', { owner: <PersonLink id={owner} summary={summary} /> })}
            </h2>
            <p class="unseen" role="status">
              {t('adminApplications.count', { count: applications.length })}
            </p>
            <Owned of={applications} owner={owner} />
          </>
        )}
      </Loading>
    </section>
  );
}

/** Forms to look up applications, and the applications of an owner. */
export const LookUp = ({ owner }: { readonly owner: string | null }) => (
  <>
    <p class="quiet">{t('adminApplications.lead')}</p>
    <div class="section">
      {canReadById() && <ById />}
      {can('get', '/v1/admin/applications') && (
        <AccountFinder
          name="owner"
          label={t('adminApplications.owner')}
          submit={t('adminApplications.listOwned')}
          onFound={({ id }) => setQueryParameters({ owner: id })}
        />
      )}
    </div>
    {owner && <OfOwner key={owner} owner={owner} />}
  </>
);
