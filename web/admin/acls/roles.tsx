import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../core/api.js';
import { rich, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Field } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { InnerLink } from '../../kit/opened.js';
import { Empty } from '../../kit/shown.js';
import { toast } from '../../kit/toast.js';
import { type AuditedAction, AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import { can } from '../rights.js';
import { AclChoices, AclList } from './choices.js';
import { AclDifference } from './difference.js';
import { loadRoles, MAX_ROLES, ROLE, ROLES, type Role } from './role.js';

interface RoleFacts {
  readonly name: string;
  readonly acls: readonly string[];
}

/** A role that is being edited. Until something is changed, it has the values from the service. */
function useDraft(stored: RoleFacts) {
  const changed = useSignal<Partial<RoleFacts>>({});
  return {
    value: { ...stored, ...changed.value },
    change: (values: Partial<RoleFacts>) => {
      changed.value = { ...changed.value, ...values };
    },
    forget: () => {
      changed.value = {};
    },
  };
}

interface RoleFieldsProps {
  readonly draft: ReturnType<typeof useDraft>;
  /** The ACLs before the change. */
  readonly before: readonly string[];
  readonly of: AuditedAction;
}

/** Name and ACLs of a role. The changes are discarded when the fields disappear. */
function RoleFields({ draft, before, of: { action } }: RoleFieldsProps) {
  useEffect(() => draft.forget, []);
  const { name, acls } = draft.value;
  return (
    <>
      <Field
        label={t('adminAcls.roleName')}
        name="name"
        value={name}
        onValue={(next) => draft.change({ name: next })}
        wrong={action.of('name')}
        required
        maxLength={64}
      />
      <AclChoices
        label={t('adminAcls.choose')}
        name="role"
        chosen={acls}
        onChosen={(next) => draft.change({ acls: next })}
        isOwnMarked={false}
      />
      <AclDifference before={before} after={acls} />
    </>
  );
}

interface Changing {
  readonly again: () => void;
}

interface RolesProps {
  readonly chosen: readonly string[];
  /** Shows the accounts that have all these ACLs. */
  readonly onHolders?: (acls: readonly string[]) => void;
}

function CreateRole({ acls, again }: Changing & { readonly acls: readonly string[] }) {
  const draft = useDraft({ name: '', acls });
  const { name, acls: chosen } = draft.value;
  const auditedAction = useAuditedAction(
    async (sent) => {
      await api.post(ROLES, { body: { name, acls: [...chosen] }, ...sent });
      toast(t('adminAcls.roleCreated'));
      again();
    },
    { fields: ['name'] },
  );
  return (
    <AuditedActionButton
      label={t('adminAcls.createRole')}
      title={t('adminAcls.createRole')}
      of={auditedAction}
      kind="plain"
    >
      <p>{t('adminAcls.roleWhat')}</p>
      <RoleFields draft={draft} before={[]} of={auditedAction} />
    </AuditedActionButton>
  );
}

interface RoleProps extends Changing {
  readonly of: Role;
}

function EditRole({ of: role, again }: RoleProps) {
  const draft = useDraft(role);
  const { name, acls } = draft.value;
  const auditedAction = useAuditedAction(
    async (sent) => {
      await api.patch(ROLE, { path: { role_id: role.id }, body: { name, acls: [...acls] }, ...sent });
      toast(t('adminAcls.roleSaved'));
      again();
    },
    { fields: ['name'] },
  );
  return (
    <AuditedActionButton
      label={t('adminAcls.editRole')}
      title={t('adminAcls.editRoleTitle')}
      of={auditedAction}
      kind="plain"
    >
      <p>{t('adminAcls.roleWhat')}</p>
      <RoleFields draft={draft} before={role.acls} of={auditedAction} />
    </AuditedActionButton>
  );
}

function DeleteRole({ of: { id, name }, again }: RoleProps) {
  const auditedAction = useAuditedAction(async (sent) => {
    await api.delete(ROLE, { path: { role_id: id }, ...sent });
    toast(t('adminAcls.roleDeleted'));
    again();
  });
  return (
    <AuditedActionButton label={t('adminAcls.deleteRole')} title={t('adminAcls.deleteRoleTitle')} of={auditedAction}>
      <p>{rich('adminAcls.deleteRoleWhat', { role: <bdi key="role">{name}</bdi> })}</p>
    </AuditedActionButton>
  );
}

const Item = ({ of: role, again, onHolders }: RoleProps & Pick<RolesProps, 'onHolders'>) => (
  <li>
    <div class="stack tight role">
      <strong>
        <bdi>{role.name}</bdi>
      </strong>
      <span class="small quiet">
        {role.acls.length === 0 ? t('adminAcls.roleEmpty') : <AclList of={role.acls} mode="all" />}
      </span>
    </div>
    {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
    <div class="row" role="group" aria-label={role.name}>
      {role.acls.length > 0 && (
        <InnerLink href={`/admin/acls?${new URLSearchParams({ acls: role.acls.join() })}`}>
          {t('adminAcls.roleRoutes')}
        </InnerLink>
      )}
      {role.acls.length > 0 && onHolders && (
        <Button kind="plain" size="small" onClick={() => onHolders(role.acls)}>
          {t('adminAcls.holdersShow')}
        </Button>
      )}
      {can('patch', ROLE) && <EditRole of={role} again={again} />}
      {can('delete', ROLE) && <DeleteRole of={role} again={again} />}
    </div>
  </li>
);

/** The roles. Administrators with `*` also create, change and delete them. */
export function Roles({ chosen, onHolders }: RolesProps) {
  const loaded = useLoaded(loadRoles);
  const again = () => void loaded.again.run();
  return (
    <section class="section" tabIndex={-1} aria-labelledby="roles">
      <h2 id="roles">{t('adminAcls.roles')}</h2>
      <p class="quiet">{t('adminAcls.rolesLead')}</p>
      <Loading of={loaded}>
        {(roles) => (
          <>
            {roles.length === 0 ? (
              <Empty>{t('adminAcls.rolesNone')}</Empty>
            ) : (
              <>
                <ul class="list" aria-label={t('adminAcls.roles')}>
                  {roles.map((role) => (
                    <Item key={role.id} of={role} again={again} {...(onHolders ? { onHolders } : {})} />
                  ))}
                </ul>
                <p class="small quiet">{t('adminAcls.rolesCount', { count: roles.length, most: MAX_ROLES })}</p>
              </>
            )}
            {can('post', ROLES) && (
              <div>
                <CreateRole acls={chosen} again={again} />
              </div>
            )}
          </>
        )}
      </Loading>
    </section>
  );
}
