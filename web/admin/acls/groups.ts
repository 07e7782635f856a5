import { aclText } from '../parts/acl-words.js';
import { registry } from '../rights.js';

/** The areas of the ACLs of the service, by the part of an ACL before its first colon. */
const AREAS = {
  access: ['*', 'acl', 'admin', 'admin_api_key'],
  people: ['user'],
  applications: ['application'],
  security: ['ban', 'audit_log'],
  platform: ['instance', 'outgoing_events'],
} as const;

export type AclGroupName = keyof typeof AREAS | 'extensions';

export interface AclGroup {
  readonly name: AclGroupName;
  readonly acls: readonly string[];
}

const areaOf = (acl: string): AclGroupName => {
  const [word] = acl.split(':');
  const found = Object.entries(AREAS).find(([, words]) => (words as readonly string[]).includes(word ?? ''));
  // Extensions describe their own ACLs.
  return registry.value?.words?.[acl] || !found ? 'extensions' : (found[0] as AclGroupName);
};

/** Groups ACLs by area. Groups and their ACLs are in order, and empty groups are left out. */
export function groupsOf(acls: readonly string[]): readonly AclGroup[] {
  const names = [...(Object.keys(AREAS) as (keyof typeof AREAS)[]), 'extensions' as const];
  return names
    .map((name) => ({ name, acls: acls.filter((acl) => areaOf(acl) === name) }))
    .filter((group) => group.acls.length > 0);
}

/** True if every word of the search is in the name or the description of the ACL. */
export function matches(acl: string, search: string): boolean {
  const text = `${acl} ${aclText(acl)}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
