import type { Answer, paths } from 'gatehouse/client';
import { registry } from '../rights.js';

/** A route of administrators, with the ACLs that it asks for. */
export type Rule = Answer<paths, '/v1/admin/acls', 'get'>['operations'][number];

/** Every route of administrators asks for this one first (admin.md section 1). */
export const GATE = 'admin:authenticate';
export const EVERYTHING = '*';

export const grants = (chosen: readonly string[], acl: string): boolean =>
  chosen.includes(acl) || chosen.includes(EVERYTHING);

/** What of a rule a set of ACLs lacks: nothing where it opens the route. */
export function lacking(chosen: readonly string[], { mode, acls }: Rule): readonly string[] {
  const missing = acls.filter((acl) => !grants(chosen, acl));
  const isMet = mode === 'any' && missing.length < acls.length;
  return [...new Set([...(grants(chosen, GATE) ? [] : [GATE]), ...(isMet ? [] : missing)])];
}

/** Those of these names that are ACLs, in the order of the registry. */
export const inOrder = (names: readonly string[]): readonly string[] =>
  registry.value?.acls.filter((acl) => names.includes(acl)) ?? [];
