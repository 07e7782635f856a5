import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { rich, t } from '../../core/language.js';
import { plainScope } from '../../core/scopes.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { toast } from '../../kit/toast.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import { hasAcl } from '../rights.js';
import type { Application } from './application.js';
import { ScopeCheckboxes } from './scope-checkboxes.js';

interface TrustProps {
  readonly application: Application;
  readonly onChanged: (response: { readonly application: Application | null }) => void;
}

/** The service enforces the same rule (openid.md section 4). */
const mayBeTrusted = ({ client_type, oauth2_redirect_uris: uris }: Application): boolean =>
  client_type === 'confidential' && uris.every((uri) => /^https:/i.test(uri));

/** The bot of an application always needs the consent of the user. */
const loadScopes = async () =>
  (await api.get('/.well-known/oauth-authorization-server')).scopes_supported.filter((name) => name !== 'bot');

function ScopeChoices({ application, onChanged, scopes }: TrustProps & { readonly scopes: readonly string[] }) {
  const chosen = useSignal<readonly string[]>(application.is_trusted ? application.trusted_scopes : []);
  const save = useAuditedAction(async (reason) => {
    const body = { is_trusted: chosen.value.length > 0, trusted_scopes: [...chosen.value] };
    const path = { application_id: application.id };
    onChanged(await api.patch('/v1/admin/applications/{application_id}', { path, body, ...reason }));
    toast(t('account.saved'));
  });
  const { name } = application;
  return (
    <>
      <ScopeCheckboxes
        name="trust"
        scopes={scopes}
        chosen={chosen}
        labelOf={(scope) =>
          rich('adminApplications.trustScope', { scope: <code>{scope}</code>, words: plainScope(scope) })
        }
      />
      <div>
        <AuditedActionButton
          label={t('adminApplications.trustSave')}
          title={t('adminApplications.trustTitle', { application: name })}
          of={save}
          kind="plain"
        >
          <p>
            {chosen.value.length > 0
              ? t('adminApplications.trustWhat', { application: name, scopes: chosen.value.join(', ') })
              : t('adminApplications.trustEnds', { application: name })}
          </p>
        </AuditedActionButton>
      </div>
    </>
  );
}

/** Trusts an application, so that users need no full consent for the selected scopes. */
export function Trust({ application, onChanged }: TrustProps) {
  const loaded = useLoaded(loadScopes);
  if (application.owner_user_id === null || !hasAcl('application:trust')) return null;
  return (
    <section class="section" aria-labelledby="trust">
      <h2 id="trust">{t('adminApplications.trust')}</h2>
      <p class="quiet">{t('adminApplications.trustLead')}</p>
      {mayBeTrusted(application) ? (
        <Loading of={loaded}>
          {(scopes) => <ScopeChoices application={application} onChanged={onChanged} scopes={scopes} />}
        </Loading>
      ) : (
        <p>{t('adminApplications.trustNot')}</p>
      )}
    </section>
  );
}
