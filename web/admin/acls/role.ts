import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { api } from '../../core/api.js';
import { language } from '../../core/language.js';

export const ROLES = '/v1/admin/roles';
export const ROLE = '/v1/admin/roles/{role_id}';

export type Role = ResponseBody<paths, '/v1/admin/roles', 'get'>['roles'][number];

/** Maximum number of roles (admin.md, precisions). */
export const MAX_ROLES = 50;

/** All roles, sorted by name. */
export async function loadRoles(): Promise<readonly Role[]> {
  const { roles } = await api.get(ROLES);
  return roles.toSorted((a, b) => a.name.localeCompare(b.name, language.value));
}
