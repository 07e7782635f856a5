import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { registry } from '../rights.js';

/** An admin route with its required ACLs. */
export type Rule = ResponseBody<paths, '/v1/admin/acls', 'get'>['operations'][number];

/** Every admin route requires this ACL first (admin.md section 1). */
export const BASE_ACL = 'admin:authenticate';
export const ALL_ACLS = '*';

export const grants = (chosen: readonly string[], acl: string): boolean =>
  chosen.includes(acl) || chosen.includes(ALL_ACLS);

/** The ACLs that are missing for a route. Empty if the route is allowed. */
export function missingAcls(chosen: readonly string[], { mode, acls }: Rule): readonly string[] {
  const missing = acls.filter((acl) => !grants(chosen, acl));
  const isMet = mode === 'any' && missing.length < acls.length;
  return [...new Set([...(grants(chosen, BASE_ACL) ? [] : [BASE_ACL]), ...(isMet ? [] : missing)])];
}

/** Filters names to known ACLs, in registry order. */
export const inOrder = (names: readonly string[]): readonly string[] =>
  registry.value?.acls.filter((acl) => names.includes(acl)) ?? [];
