import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { rich, t } from '../../core/language.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { CopyButton } from '../../kit/shown.js';
import { toast } from '../../kit/toast.js';
import { ProviderIcon } from '../../sign-in/provider-icon.js';
import { type SsoTestResult, TestResult } from '../instance/sso-test.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import { can } from '../rights.js';
import { CONNECTION, type Connection, LIST } from './connection.js';
import { EditForm } from './form.js';
import { iconOf, State } from './list.js';

interface OfConnection {
  readonly of: Connection;
}

const Head = ({ of: connection }: OfConnection) => {
  const { display_name: provider, redirect_uri: callback } = connection;
  return (
    <section class="section" aria-labelledby="connection">
      <div class="row between">
        <h2 id="connection">
          <bdi>{provider}</bdi>
        </h2>
        <State of={connection} />
      </div>
      <div class="stack tight">
        <p class="small quiet">{t('adminInstance.redirect')}</p>
        <div class="row">
          <code dir="ltr">{callback}</code>
          <CopyButton text={callback} />
        </div>
      </div>
      <div class="stack tight">
        <p class="small quiet">{t('adminConnections.preview')}</p>
        <div>
          <span class="button plain">
            <ProviderIcon icon={iconOf(connection)} />
            <bdi>{t('signIn.ssoWith', { provider })}</bdi>
          </span>
        </div>
      </div>
    </section>
  );
};

/** Tests the saved settings. */
function ConnectionTest({ of: { id } }: OfConnection) {
  const result = useSignal<SsoTestResult | null>(null);
  const run = useAction(async () => {
    result.value = null;
    result.value = await api.post('/v1/admin/connections/{id}/test', { path: { id } });
  });
  return (
    <section class="section" aria-labelledby="test">
      <h3 id="test">{t('adminInstance.trial')}</h3>
      <p class="small quiet">{t('adminInstance.trialHint')}</p>
      <FailureNotice of={run} />
      {result.value && <TestResult of={result.value} good="adminConnections.testGood" bad="adminConnections.testBad" />}
      <div>
        <Button kind="plain" size="small" action={run}>
          {t('adminInstance.trial')}
        </Button>
      </div>
    </section>
  );
}

interface DeletionProps extends OfConnection {
  /** Reloads the connection, if its number of identities has changed. */
  readonly onStale: () => Promise<void>;
}

function Deletion({ of: { id, display_name: name, identities }, onStale }: DeletionProps) {
  const audited = useAuditedAction(
    async (sent) => {
      await api.delete(CONNECTION, { path: { id }, body: { identities }, ...sent });
      toast(t('adminConnections.deleted'));
      navigate(LIST, { isInstead: true });
    },
    {
      onError: async (refused) => {
        if (refused.of('identities') !== undefined) await onStale();
        return false;
      },
    },
  );
  return (
    <div>
      <AuditedActionButton label={t('adminConnections.delete')} title={t('adminConnections.deleteTitle')} of={audited}>
        <p>{rich('adminConnections.deleteWhat', { connection: <bdi>{name}</bdi> })}</p>
        <p>{t('adminConnections.deleteIdentities', { count: identities })}</p>
      </AuditedActionButton>
    </div>
  );
}

/** One connection with all operations. */
export function One({ id }: { readonly id: string }) {
  const loaded = useLoaded<Connection>(() => api.get(CONNECTION, { path: { id } }));
  const code = loaded.again.failure.value?.code;
  return (
    <>
      <p class="row">
        <InnerLink href={LIST}>{t('adminConnections.all')}</InnerLink>
      </p>
      {code === 'UNKNOWN_CONNECTION' || code === 'INVALID_FORMAT' ? (
        <Notice kind="bad">{t('adminConnections.unknown')}</Notice>
      ) : (
        <Loading of={loaded}>
          {(connection) => (
            <>
              <Head of={connection} />
              {can('patch', CONNECTION) ? (
                <EditForm of={connection} onSaved={loaded.take} />
              ) : (
                <Notice isAnnounced={false}>{t('adminInstance.onlyReading')}</Notice>
              )}
              {can('post', '/v1/admin/connections/{id}/test') && <ConnectionTest of={connection} />}
              {can('delete', CONNECTION) && <Deletion of={connection} onStale={() => loaded.again.run()} />}
            </>
          )}
        </Loading>
      )}
    </>
  );
}
