import ipaddr from 'ipaddr.js';
import { type Fault, field, Int, Snowflake, snowflakeFault, Text } from '../input.js';

const MAX_IDS = 100;

/** One id, or up to 100 by repeating the parameter; a list afterwards. */
function SnowflakesOfQuery(): PropertyDecorator {
  const description = { type: 'array', items: { type: 'string' }, maxItems: MAX_IDS } as const;
  return field({ optional: true, description }, (value): Fault | undefined => {
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

/** What `resolve` names: an id, an address or `name#0000`. */
export function resolved(text: string) {
  if (DIGITS.test(text)) return { ids: [text] };
  if (text.includes('@')) return { email: text };
  const [, username = '', discriminator = ''] = TAG.exec(text) ?? [];
  return { tag: { username, discriminator: Number(discriminator) } };
}

function Resolvable(): PropertyDecorator {
  return field({ optional: true, description: { type: String, minLength: 1, maxLength: 320 } }, (value) => {
    if (typeof value !== 'string' || value === '' || value.includes('\0')) return 'INVALID_FORMAT';
    if ([...value].length > 320) return 'CONTENT_EXCEEDS_MAX_LENGTH';
    if (DIGITS.test(value)) return snowflakeFault(value);
    return value.includes('@') || TAG.test(value) ? undefined : 'INVALID_FORMAT';
  });
}

/** An address in any spelling; in the stored one afterwards. */
function Address(): PropertyDecorator {
  const convert = (value: unknown) =>
    typeof value === 'string' && ipaddr.isValid(value) ? ipaddr.process(value).toString() : value;
  return field({ optional: true, convert, description: { type: String, maxLength: 45 } }, (value) =>
    typeof value === 'string' && value.length <= 45 && ipaddr.isValid(value) ? undefined : 'INVALID_FORMAT',
  );
}

export class UsersQuery {
  @SnowflakesOfQuery() user_id?: string | string[];
  @Resolvable() resolve?: string;
  @Text({ min: 1, max: 254, optional: true }) email?: string;
  @Address() last_active_ip?: string;
  @Int({ min: 1, max: 200, text: true, optional: true }) limit?: number;
  @Int({ min: 0, max: 100_000, text: true, optional: true }) offset?: number;
}

export class UserPath {
  @Snowflake() user_id: string;
}
