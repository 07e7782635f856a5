import { isErased } from '../parts/flags.js';
import { type AdminUser, can, holds, me, type Operation, registry } from '../rights.js';

export interface DeedsProps {
  readonly user: AdminUser;
  /** What an operation answered. */
  readonly take: (next: AdminUser) => void;
  /** Asks for the account and its lists anew. */
  readonly again: () => Promise<void>;
}

export const isSelf = ({ id }: AdminUser): boolean => id === me.value?.id;

/** What an account may do that the administrator may not: nobody changes an account that holds more than they do. */
export const heldBeyond = ({ acls }: AdminUser): readonly string[] =>
  acls.filter((acl) => registry.value?.acls.includes(acl) && !holds(acl));

/** Whose account an operation is for: anybody's, that of somebody else, or that of somebody else who is no bot. */
export type Whose = 'any' | 'others' | 'people';

/** Whether an operation is there for this account and this administrator. */
export function offers(user: AdminUser, whose: Whose, ...operation: Operation): boolean {
  if (!can(...operation) || isErased(user) || heldBeyond(user).length > 0) return false;
  return whose === 'any' || !(isSelf(user) || (whose === 'people' && user.bot));
}

export const nameOf = ({ username, discriminator }: AdminUser): string => `${username}#${discriminator}`;
