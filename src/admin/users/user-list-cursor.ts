import { isStorable } from '../../core/text/text.js';
import { snowflakeFault } from '../../http/input.js';

export const USER_SORTS = ['created', 'last_seen', 'username'] as const;
export const USER_ORDERS = ['asc', 'desc'] as const;

export type UserSort = (typeof USER_SORTS)[number];
export type UserOrder = (typeof USER_ORDERS)[number];

/** The position of an account in a sorted list. A time is a number of microseconds since 1970, or null for never. */
export interface UserPosition {
  readonly key: string | null;
  readonly id: string;
}

const MICROSECONDS = /^-?\d{1,16}$/;
/** A username of 32 code points is at most this long in lower case. */
const MAX_KEY = 128;

const isKey = (sort: UserSort, key: unknown): key is string | null =>
  typeof key === 'string'
    ? key.length <= MAX_KEY && isStorable(key) && (sort === 'username' || MICROSECONDS.test(key))
    : key === null && sort === 'last_seen';

export const cursorAt = (sort: UserSort, order: UserOrder, { key, id }: UserPosition): string =>
  Buffer.from(JSON.stringify([sort, order, key, id])).toString('base64url');

/** Returns the position of a cursor, or undefined if the cursor is invalid or was made for another sort or order. */
export function positionOf(sort: UserSort, order: UserOrder, cursor: string): UserPosition | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parts)) return undefined;
    const [ofSort, ofOrder, key, id] = parts as unknown[];
    const isValid =
      ofSort === sort &&
      ofOrder === order &&
      isKey(sort, key) &&
      typeof id === 'string' &&
      snowflakeFault(id) === undefined;
    return isValid ? { key, id } : undefined;
  } catch {
    return undefined;
  }
}
