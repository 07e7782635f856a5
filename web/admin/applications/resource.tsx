import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { rich, t } from '../../core/language.js';
import { ScopeName, type ScopeWords } from '../../core/scopes.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { Empty } from '../../kit/shown.js';
import { toast } from '../../kit/toast.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import { hasAcl } from '../rights.js';
import type { Application } from './application.js';
import { ScopeCheckboxes } from './scope-checkboxes.js';

export interface ResourceProps {
  readonly application: Application;
  readonly onChanged: (response: { readonly application: Application | null }) => void;
}

interface Scopes {
  readonly scopes: readonly string[];
  readonly words: ScopeWords;
}

/** Scopes of extensions, whose names have a dot. The service itself serves the built-in ones (tokens.md section 3). */
async function loadScopes(): Promise<Scopes> {
  const { scopes_supported: supported, scope_descriptions: words } = await api.get(
    '/.well-known/oauth-authorization-server',
  );
  return { scopes: supported.filter((name) => name.includes('.')), words };
}

function ScopeChoices({ application, onChanged, scopes, words }: ResourceProps & Scopes) {
  const chosen = useSignal<readonly string[]>(application.resource_scopes);
  const save = useAuditedAction(async (reason) => {
    const body = { resource_scopes: [...chosen.value] };
    const path = { application_id: application.id };
    onChanged(await api.patch('/v1/admin/applications/{application_id}', { path, body, ...reason }));
    toast(t('account.saved'));
  });
  const { name } = application;
  return (
    <>
      <ScopeCheckboxes
        name="resource"
        scopes={scopes}
        chosen={chosen}
        labelOf={(scope) =>
          rich('adminApplications.resourceScope', {
            scope: <code key="scope">{scope}</code>,
            words: <ScopeName key="words" name={scope} words={words} />,
          })
        }
      />
      <div>
        <AuditedActionButton
          label={t('adminApplications.resourceSave')}
          title={t('adminApplications.resourceTitle', { application: name })}
          of={save}
          kind="plain"
        >
          <p>
            {chosen.value.length > 0
              ? t('adminApplications.resourceWhat', { application: name, scopes: chosen.value.join(', ') })
              : t('adminApplications.resourceEnds', { application: name })}
          </p>
        </AuditedActionButton>
      </div>
    </>
  );
}

/** Makes an application a resource server, which may check the tokens for its scopes. */
export function Resource({ application, onChanged }: ResourceProps) {
  const loaded = useLoaded(loadScopes);
  if (application.owner_user_id === null || !hasAcl('application:resource')) return null;
  return (
    <section class="section" aria-labelledby="resource">
      <h2 id="resource">{t('adminApplications.resource')}</h2>
      <p class="quiet">{t('adminApplications.resourceLead')}</p>
      <Loading of={loaded}>
        {({ scopes, words }) =>
          scopes.length === 0 ? (
            <Empty>{t('adminApplications.resourceNoScopes')}</Empty>
          ) : (
            <ScopeChoices application={application} onChanged={onChanged} scopes={scopes} words={words} />
          )
        }
      </Loading>
    </section>
  );
}
