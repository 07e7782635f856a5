import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { setterOf } from '../../kit/field.js';
import { toast } from '../../kit/toast.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import { LinesField, linePaths, linesOf } from '../parts/lines-field.js';
import { hasAcl } from '../rights.js';
import type { ResourceProps } from './resource.js';

const MEMBER = 'resource_policies';

/** Lets an application ask for decisions of service policies (forward-auth.md section 3). */
export function Policies({ application, onChanged }: ResourceProps) {
  const policies = useSignal(application.resource_policies.join('\n'));
  const save = useAuditedAction(
    async (reason) => {
      const body = { [MEMBER]: linesOf(policies.value) };
      const path = { application_id: application.id };
      onChanged(await api.patch('/v1/admin/applications/{application_id}', { path, body, ...reason }));
      toast(t('account.saved'));
    },
    { fields: linePaths(MEMBER) },
  );
  if (application.owner_user_id === null || !hasAcl('application:resource')) return null;
  return (
    <section class="section" aria-labelledby="policies">
      <h2 id="policies">{t('adminApplications.policies')}</h2>
      <p class="quiet">{t('adminApplications.policiesLead')}</p>
      <div>
        <AuditedActionButton
          label={t('adminApplications.policiesSave')}
          title={t('adminApplications.policiesTitle', { application: application.name })}
          of={save}
          kind="plain"
        >
          <p>{t('adminApplications.policiesWhat', { application: application.name })}</p>
          <LinesField
            name={MEMBER}
            label={t('adminApplications.policiesField')}
            hint={t('adminApplications.policiesHint')}
            wrongLine={t('adminApplications.policyUnknown')}
            value={policies.value}
            onValue={setterOf(policies)}
            action={save.action}
          />
        </AuditedActionButton>
      </div>
    </section>
  );
}
