import type { AclRequirement } from './route-policy.js';

/** Whether a set of ACLs grants one ACL: by name or by the wildcard `*`. */
export const grants = (held: readonly string[], acl: string): boolean => held.includes(acl) || held.includes('*');

/** Whether a set of ACLs satisfies the requirement of an operation. */
export const satisfiesAcl = (held: readonly string[], { mode, acls }: AclRequirement): boolean =>
  mode === 'any' ? acls.some((acl) => grants(held, acl)) : acls.every((acl) => grants(held, acl));
