import { isErased } from '../parts/flags.js';
import { type AdminUser, can, hasAcl, me, type Operation, registry } from '../rights.js';

export interface AccountActionsProps {
  readonly user: AdminUser;
  /** Takes over the account from a response. */
  readonly take: (next: AdminUser) => void;
  /** Reloads the account and its lists. */
  readonly again: () => Promise<void>;
}

export const isSelf = ({ id }: AdminUser): boolean => id === me.value?.id;

/** ACLs of the account that the administrator lacks. Administrators cannot modify accounts with such ACLs. */
export const aclsBeyondOwn = ({ acls }: AdminUser): readonly string[] =>
  acls.filter((acl) => registry.value?.acls.includes(acl) && !hasAcl(acl));

/** The accounts that an operation applies to: `any`, `others` (not one's own), or `people` (`others` without bots). */
export type Whose = 'any' | 'others' | 'people';

/** True if the administrator may run the operation on this account. */
export function isOffered(user: AdminUser, whose: Whose, ...operation: Operation): boolean {
  if (!can(...operation) || isErased(user) || aclsBeyondOwn(user).length > 0) return false;
  return whose === 'any' || !(isSelf(user) || (whose === 'people' && user.bot));
}

export const nameOf = ({ username, discriminator }: AdminUser): string => `${username}#${discriminator}`;
