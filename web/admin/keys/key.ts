import type { Answer, paths } from 'gatehouse/client';
import { can, holds, registry } from '../rights.js';

export type Key = Answer<paths, '/v1/admin/api-keys/{key_id}', 'get'>;
/** A route of administrators, with the ACLs that it asks for. */
type Rule = Answer<paths, '/v1/admin/acls', 'get'>['operations'][number];

export const KEYS = '/v1/admin/api-keys';
export const KEY = '/v1/admin/api-keys/{key_id}';
export const LIST = '/admin/keys';
export const pathOf = (id: string): string => `${LIST}?${new URLSearchParams({ id })}`;

/** As many as one account may have (admin.md section 4). */
export const MOST_KEYS = 50;

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

/** Whether somebody should think of the next key by now. */
export const endsSoon = ({ expires_at: end }: Key): boolean =>
  end !== null && Date.parse(end) - Date.now() < SOON_DAYS * DAY_MS;

/** Days that are left, the last one included. */
export const daysLeft = (end: string): number => Math.max(1, Math.ceil((Date.parse(end) - Date.now()) / DAY_MS));

/** A key makes, changes and ends no keys, whatever it holds (admin.md section 4). */
const isKeptFromKeys = ({ method, path }: Rule): boolean => method !== 'GET' && path.startsWith(KEYS);

function isMet({ mode, acls }: Rule, has: (acl: string) => boolean): boolean {
  return mode === 'all' ? acls.every(has) : acls.some(has);
}

/** What a key with these ACLs may ask for: it and its owner have to hold what an operation demands, each by itself. */
export function openedBy(acls: readonly string[]): readonly Rule[] {
  const has = (acl: string) => acls.includes('*') || acls.includes(acl);
  const rules = registry.value?.operations ?? [];
  return rules.filter((rule) => isMet(rule, has) && isMet(rule, holds) && !isKeptFromKeys(rule));
}

/** ACLs that may be put on a key, in the order of the registry: those that the owner holds, and what stands on it already. */
export const choosable = (held: readonly string[]): readonly string[] => {
  const known = registry.value?.acls ?? [];
  return known.filter((acl) => holds(acl) || held.includes(acl));
};

/** What was done to a key, by whom; null for whoever may not read that. */
export const auditPath = (id: string): string | null =>
  can('get', '/v1/admin/audit-logs')
    ? `/admin/audit?${new URLSearchParams({ target_type: 'admin_api_key', target_id: id })}`
    : null;
