import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Field, fieldOf } from '../../kit/field.js';
import type { AdminUser } from '../rights.js';
import { isOffered } from './account.js';
import { useSelection } from './choices.js';
import { canGetMail } from './contact.js';
import { type AccountAction, ActionDialog, type ActionProps, simpleDialog, useAccountAction } from './parts.js';
import { bitsOf, RequirementChoices, requirementsOf } from './requirements.js';

const RESET = '/v1/admin/users/{user_id}/password-reset';
const SESSIONS = '/v1/admin/users/{user_id}/sessions';
const MFA = '/v1/admin/users/{user_id}/mfa';
const SSO = '/v1/admin/users/{user_id}/sso-identity';
const REQUIREMENTS = '/v1/admin/users/{user_id}/suspicious-activity-flags';

function LinkIdentity(props: ActionProps) {
  const subject = useSignal('');
  const auditedAction = useAccountAction(
    props,
    'linkSso',
    (sent) => api.put(SSO, { ...sent, body: { subject: subject.value } }),
    { fields: ['subject'] },
  );
  const isTaken = auditedAction.action.failure.value?.code === 'SSO_IDENTITY_MISMATCH';
  const field = fieldOf(subject, auditedAction.action, 'subject');
  return (
    <ActionDialog {...props} name="linkSso" kind="main" auditedAction={auditedAction}>
      <Field
        {...field}
        wrong={isTaken ? t('adminActions.ssoTaken') : field.wrong}
        label={t('adminActions.subject')}
        isVerbatim
        required
        maxLength={255}
      />
    </ActionDialog>
  );
}

function SetRequirements(props: ActionProps) {
  const choosing = useSelection(requirementsOf(props.user));
  const auditedAction = useAccountAction(props, 'setDemands', (sent) =>
    api.put(REQUIREMENTS, { ...sent, body: { flags: bitsOf(choosing) } }),
  );
  return (
    <ActionDialog {...props} name="setDemands" kind="main" auditedAction={auditedAction}>
      <RequirementChoices of={choosing} />
    </ActionDialog>
  );
}

const hasFactor = ({ has_totp: hasTotp, authenticator_types: types }: AdminUser): boolean =>
  hasTotp || types.length > 0;

export const END_SESSIONS_ACTION: AccountAction = {
  name: 'endSessions',
  isOffered: (user) => !user.bot && isOffered(user, 'any', 'delete', SESSIONS),
  Form: simpleDialog('endSessions', 'danger', (sent) => api.delete(SESSIONS, sent)),
};

/** Password, sessions, sign-in methods and requirements. */
export const SECURITY: readonly AccountAction[] = [
  {
    name: 'mailReset',
    isOffered: (user) => canGetMail(user) && isOffered(user, 'people', 'post', RESET),
    Form: simpleDialog('mailReset', 'plain', (sent) => api.post(RESET, sent)),
  },
  END_SESSIONS_ACTION,
  {
    name: 'disableMfa',
    isOffered: (user) => hasFactor(user) && isOffered(user, 'people', 'delete', MFA),
    Form: simpleDialog('disableMfa', 'danger', (sent) => api.delete(MFA, sent)),
  },
  { name: 'linkSso', isOffered: (user) => isOffered(user, 'people', 'put', SSO), Form: LinkIdentity },
  {
    name: 'unlinkSso',
    isOffered: (user) => user.sso_linked && isOffered(user, 'others', 'delete', SSO),
    Form: simpleDialog('unlinkSso', 'danger', (sent) => api.delete(SSO, sent)),
  },
  { name: 'setDemands', isOffered: (user) => isOffered(user, 'any', 'put', REQUIREMENTS), Form: SetRequirements },
];
