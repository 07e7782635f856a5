import { useSignal } from '@preact/signals';
import { t } from '../../core/language.js';
import { Select } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { hasAcl } from '../rights.js';
import { loadRoles, type Role } from './role.js';

interface RoleChoiceProps {
  readonly onChosen: (role: Role) => void;
}

function RoleSelect({ of: roles, onChosen }: RoleChoiceProps & { readonly of: readonly Role[] }) {
  const chosen = useSignal('');
  // Administrators can grant only ACLs that they have.
  const grantable = roles.filter(({ acls }) => acls.every(hasAcl));
  const rest = roles.length - grantable.length;
  if (roles.length === 0) return null;
  return (
    <Select
      label={t('adminAcls.copyRole')}
      name="role"
      value={chosen.value}
      options={{ '': t('adminAcls.noRole'), ...Object.fromEntries(grantable.map(({ id, name }) => [id, name])) }}
      hint={[t('adminAcls.copyRoleHint'), rest > 0 && t('adminAcls.rolesBeyond', { count: rest })]
        .filter(Boolean)
        .join(' ')}
      onValue={(id) => {
        chosen.value = id;
        const role = grantable.find((one) => one.id === id);
        if (role) onChosen(role);
      }}
    />
  );
}

/** Chooses a role whose ACLs replace the selection. Nothing is shown if there are no roles. */
export function RoleChoice({ onChosen }: RoleChoiceProps) {
  const loaded = useLoaded(loadRoles);
  return <Loading of={loaded}>{(roles) => <RoleSelect of={roles} onChosen={onChosen} />}</Loading>;
}
