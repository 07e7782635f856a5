import type { AclRequirement } from './route-policy.js';

/** The ACL registry, in the contract's order (admin.md 2.1). */
const REGISTRY = [
  '*',
  'acl:set:user',
  'admin_api_key:manage',
  'application:lookup',
  'application:list:by_owner',
  'application:transfer_ownership',
  'audit_log:view',
  'admin:authenticate',
  'ban:ip:add',
  'ban:ip:check',
  'ban:ip:remove',
  'instance:config:update',
  'instance:config:view',
  'user:delete',
  'user:disable:suspicious',
  'user:list:sessions',
  'user:lookup',
  'user:view:email',
  'user:view:ip',
  'user:temp_ban',
  'user:update:email',
  'user:update:flags',
  'user:update:mfa',
  'user:update:phone',
  'user:update:sso',
  'user:update:suspicious_activity',
  'user:update:traits',
];

export const acls = (): readonly string[] => REGISTRY;

/** Whether a set of ACLs grants one: by name, or by the literal wildcard. */
export const grants = (held: readonly string[], acl: string): boolean => held.includes(acl) || held.includes('*');

/** Whether a set of ACLs is what an operation demands. */
export const meets = (held: readonly string[], { mode, acls }: AclRequirement): boolean =>
  mode === 'any' ? acls.some((acl) => grants(held, acl)) : acls.every((acl) => grants(held, acl));

/** ACLs in the order of the registry; unknown ones last. */
export const inRegistryOrder = (list: readonly string[]): string[] => [
  ...REGISTRY.filter((acl) => list.includes(acl)),
  ...list.filter((acl) => !isAcl(acl)),
];

export const isAcl = (value: string): boolean => REGISTRY.includes(value);

/** Adds an ACL of a team's own. */
export function registerAcl(acl: string): void {
  if (isAcl(acl)) throw new Error(`the ACL ${acl} exists`);
  REGISTRY.push(acl);
}
