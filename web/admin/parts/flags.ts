import type { AdminUser } from '../rights.js';

/** Bits of `flags` (admin.md section 5.1). */
export const FLAGS = {
  STAFF: 0,
  HIGH_GLOBAL_RATE_LIMIT: 33,
  DELETED: 34,
  DISABLED_SUSPICIOUS_ACTIVITY: 35,
  SELF_DELETED: 36,
  DISABLED: 38,
  RATE_LIMIT_BYPASS: 47,
  NOT_SUSPICIOUS: 62,
} as const;

export type Flag = keyof typeof FLAGS;

/** The mask of a flag, as operations expect it. */
export const maskOf = (flag: Flag): string => String(1n << BigInt(FLAGS[flag]));

export const hasBit = (bits: bigint, bit: number): boolean => ((bits >> BigInt(bit)) & 1n) === 1n;

export const hasFlag = ({ flags }: AdminUser, flag: Flag): boolean => hasBit(BigInt(flags), FLAGS[flag]);

/** True if the deletion is complete. Only the ID and a reserved name remain. */
export const isErased = (user: AdminUser): boolean =>
  hasFlag(user, 'DELETED') && user.username === 'DeletedUser' && user.discriminator === '0000';
