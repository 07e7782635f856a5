import ipaddr from 'ipaddr.js';
import { countCodePoints, isText } from '../../core/text/text.js';
import { type Fault, field, Int, OneOf, SNOWFLAKE, Snowflake, snowflakeFault, Text, Time } from '../../http/input.js';
import { PhoneNumber } from '../../users/contact/phone.dto.js';
import { USER_STATES, type UserState } from './user-list.js';
import { USER_ORDERS, USER_SORTS, type UserOrder, type UserSort } from './user-list-cursor.js';

const MAX_IDS = 100;
const MAX_NAME = 320;
const MAX_ADDRESS = 45;
const BOOLEANS = ['true', 'false'] as const;

/** Accepts one ID, or up to 100 IDs as repeated parameters. A repeated parameter becomes a list. */
function SnowflakesOfQuery(): PropertyDecorator {
  const items = { ...SNOWFLAKE.description, type: 'string' } as const;
  const description = { type: 'array', items, maxItems: MAX_IDS } as const;
  return field({ ...SNOWFLAKE, optional: true, description }, (value): Fault | undefined => {
    if (!Array.isArray(value)) return snowflakeFault(value);
    if (value.length > MAX_IDS) return 'INVALID_FORMAT';
    const faults = value.flatMap((id, index) => {
      const code = snowflakeFault(id);
      return code ? [{ at: `.${index}`, code }] : [];
    });
    return faults.length > 0 ? faults : undefined;
  });
}

const TAG = /^(.{1,32})#(\d{4})$/;
const DIGITS = /^\d+$/;

/** Parses `resolve`, which is an ID, an email address or `name#0000`. */
export function parseAccountName(text: string) {
  if (DIGITS.test(text)) return { ids: [text] };
  if (text.includes('@')) return { email: text };
  const [, username = '', discriminator = ''] = TAG.exec(text) ?? [];
  return { tag: { username, discriminator: Number(discriminator) } };
}

function Resolvable(): PropertyDecorator {
  const description = { type: 'string', format: 'account-name', minLength: 1, maxLength: MAX_NAME };
  return field({ optional: true, bound: 2 * MAX_NAME, description }, (value) => {
    if (!isText(value) || value === '') return 'INVALID_FORMAT';
    if (countCodePoints(value) > MAX_NAME) return 'CONTENT_EXCEEDS_MAX_LENGTH';
    if (DIGITS.test(value)) return snowflakeFault(value);
    return value.includes('@') || TAG.test(value) ? undefined : 'INVALID_FORMAT';
  });
}

/** Accepts an IP address in any notation and normalizes it to the stored one. */
function Address(): PropertyDecorator {
  const convert = (value: unknown) =>
    typeof value === 'string' && ipaddr.isValid(value) ? ipaddr.process(value).toString() : value;
  const description = { type: 'string', format: 'ip-address', maxLength: MAX_ADDRESS };
  return field({ optional: true, bound: MAX_ADDRESS, tooLong: 'INVALID_FORMAT', convert, description }, (value) =>
    typeof value === 'string' && ipaddr.isValid(value) ? undefined : 'INVALID_FORMAT',
  );
}

export class UsersQuery {
  @SnowflakesOfQuery() user_id?: string | string[];
  @Resolvable() resolve?: string;
  @Text({ min: 1, max: 254, optional: true }) email?: string;
  @Text({ min: 1, max: 32, optional: true }) username?: string;
  @PhoneNumber({ optional: true }) phone?: string;
  @Text({ min: 43, max: 43, pattern: /^[A-Za-z0-9_-]{43}$/, length: 'INVALID_FORMAT', optional: true })
  session_id_hash?: string;
  @Address() last_active_ip?: string;
  @Int({ min: 1, max: 200, text: true, optional: true }) limit?: number;
  @Int({ min: 0, max: 100_000, text: true, optional: true }) offset?: number;
  @OneOf(USER_STATES, { optional: true }) state?: UserState;
  @OneOf(BOOLEANS, { optional: true }) email_verified?: 'true' | 'false';
  @OneOf(BOOLEANS, { optional: true }) second_factor?: 'true' | 'false';
  @OneOf(BOOLEANS, { optional: true }) has_acls?: 'true' | 'false';
  @Text({ min: 1, max: 32, pattern: /^[a-z0-9-]{1,32}$/, length: 'INVALID_FORMAT', example: 'sso', optional: true })
  provider?: string;
  @Time({ optional: true }) created_from?: string;
  @Time({ optional: true }) created_to?: string;
  @Time({ optional: true }) last_seen_from?: string;
  @Time({ optional: true }) last_seen_to?: string;
  @Text({ min: 2, max: 64, optional: true }) q?: string;
  @OneOf(USER_SORTS, { optional: true }) sort?: UserSort;
  @OneOf(USER_ORDERS, { optional: true }) order?: UserOrder;
  @Text({ min: 1, max: 1024, pattern: /^[A-Za-z0-9_-]+$/, length: 'INVALID_FORMAT', optional: true }) cursor?: string;
}

export class UserPath {
  @Snowflake() user_id: string;
}
