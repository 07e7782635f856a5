import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { can, hasAcl, registry } from '../rights.js';

export type Key = ResponseBody<paths, '/v1/admin/api-keys/{key_id}', 'get'>;
/** An admin route with its required ACLs. */
type Rule = ResponseBody<paths, '/v1/admin/acls', 'get'>['operations'][number];

export const KEYS = '/v1/admin/api-keys';
export const KEY = '/v1/admin/api-keys/{key_id}';
export const LIST = '/admin/keys';
export const pathOf = (id: string): string => `${LIST}?${new URLSearchParams({ id })}`;

/** Maximum number of keys per account (admin.md section 4). */
export const MAX_KEYS = 50;

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

export const endsSoon = ({ expires_at: end }: Key): boolean =>
  end !== null && Date.parse(end) - Date.now() < SOON_DAYS * DAY_MS;

/** Remaining days, including the last one. */
export const daysLeft = (end: string): number => Math.max(1, Math.ceil((Date.parse(end) - Date.now()) / DAY_MS));

/** Admin keys cannot create, change or delete keys (admin.md section 4). */
const isForbiddenToKeys = ({ method, path }: Rule): boolean => method !== 'GET' && path.startsWith(KEYS);

function isMet({ mode, acls }: Rule, has: (acl: string) => boolean): boolean {
  return mode === 'all' ? acls.every(has) : acls.some(has);
}

/** The routes that a key with these ACLs can use. Both the key and its owner must satisfy the required ACLs. */
export function routesAllowedBy(acls: readonly string[]): readonly Rule[] {
  const has = (acl: string) => acls.includes('*') || acls.includes(acl);
  const rules = registry.value?.operations ?? [];
  return rules.filter((rule) => isMet(rule, has) && isMet(rule, hasAcl) && !isForbiddenToKeys(rule));
}

/** ACLs that can be selected for a key, in registry order: those of the owner and those already on the key. */
export const selectableAcls = (held: readonly string[]): readonly string[] => {
  const known = registry.value?.acls ?? [];
  return known.filter((acl) => hasAcl(acl) || held.includes(acl));
};

/** The audit log of a key; null if the user may not read it. */
export const auditPath = (id: string): string | null =>
  can('get', '/v1/admin/audit-logs')
    ? `/admin/audit?${new URLSearchParams({ target_type: 'admin_api_key', target_id: id })}`
    : null;
