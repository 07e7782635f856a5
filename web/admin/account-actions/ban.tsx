import { api } from '../../core/api.js';
import { BanFields, useBanDraft } from './ban-fields.js';
import { ActionDialog, type ActionProps, useAccountAction } from './parts.js';

/** A form that bans the account or changes the ban. */
export function Ban(props: ActionProps) {
  const { user } = props;
  const draft = useBanDraft();
  const auditedAction = useAccountAction(
    props,
    'ban',
    async (sent) => api.put('/v1/admin/users/{user_id}/ban', { ...sent, body: draft.body() }),
    { fields: ['duration_hours', 'reason'] },
  );
  const { of: wrongIn } = auditedAction.action;
  return (
    <ActionDialog
      {...props}
      name="ban"
      kind="danger"
      auditedAction={auditedAction}
      {...(user.banned ? { label: 'adminActions.changeBan' } : {})}
      {...(user.bot ? { what: 'adminActions.banBotWhat' } : {})}
    >
      <BanFields of={draft} wrong={{ hours: wrongIn('duration_hours'), reason: wrongIn('reason') }} />
    </ActionDialog>
  );
}
