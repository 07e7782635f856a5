import { Roles1797710000000 } from '../../migrations/1797710000000-roles.js';
import { defineFeature } from '../../policy/feature.js';
import { Role } from './role.entities.js';
import { RolesModule } from './roles.module.js';

/** Roles: templates for the ACLs of accounts (contract/admin.md, precisions). */
export const role = defineFeature('role', {
  modules: [RolesModule],
  entities: [Role],
  migrations: [Roles1797710000000],
  errors: {
    MAX_ROLES: [400, 'The instance has the maximum number of roles.'],
    UNKNOWN_ROLE: [404, 'Unknown role.'],
  },
  fieldErrors: { ROLE_NAME_ALREADY_IN_USE: 'Another role has this name.' },
  erasure: { admin_role: { kept: 'templates of the instance' } },
  auditActions: { create_role: 'role', update_role: 'role', delete_role: 'role' },
});

declare module '../../core/merged.js' {
  interface Features {
    role: typeof role;
  }
}
