import { assertLocalizedText, type LocalizedText } from '../core/text/localized-text.js';
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

const words = new Map<string, LocalizedText>();
const MAX_LENGTH = 64;

export const acls = (): readonly string[] => REGISTRY;

/** Whether a set of ACLs grants one ACL: by name or by the wildcard `*`. */
export const grants = (held: readonly string[], acl: string): boolean => held.includes(acl) || held.includes('*');

/** Whether a set of ACLs satisfies the requirement of an operation. */
export const satisfiesAcl = (held: readonly string[], { mode, acls }: AclRequirement): boolean =>
  mode === 'any' ? acls.some((acl) => grants(held, acl)) : acls.every((acl) => grants(held, acl));

/** Sorts ACLs into registry order; unknown ones last. */
export const inRegistryOrder = (list: readonly string[]): string[] => [
  ...REGISTRY.filter((acl) => list.includes(acl)),
  ...list.filter((acl) => !isAcl(acl)),
];

export const isAcl = (value: string): boolean => REGISTRY.includes(value);

/** The descriptions of extension ACLs for administrators, in registry order. */
export const aclDescriptions = (): Readonly<Record<string, LocalizedText>> => Object.fromEntries(words);

/**
 * Adds an ACL of an extension: lower-case parts between colons, such as `notes:moderate`.
 * @param said what the ACL allows, such as "remove notes of others"; English is the fallback for missing languages
 */
export function registerAcl(acl: string, said: LocalizedText): void {
  if (isAcl(acl) || acl.length > MAX_LENGTH || !/^[a-z0-9_]+(?::[a-z0-9_]+)+$/.test(acl))
    throw new Error(`the ACL ${acl} cannot be added`);
  assertLocalizedText(`the ACL ${acl}`, said);
  REGISTRY.push(acl);
  words.set(acl, Object.freeze({ ...said }));
}
