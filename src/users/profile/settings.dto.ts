import { LOCALES } from '../../accounts/locales.js';
import { isStorableJson } from '../../core/text/text.js';
import { Bool, type Fault, field, OneOf } from '../../http/input.js';

const CUSTOM_BYTES = 16 * 1024;

/** Any JSON object that the client defines, at most 16 KiB serialized. */
function CustomSettings(): PropertyDecorator {
  const description = { type: 'object', additionalProperties: true } as const;
  return field({ optional: true, bound: 0, tooLong: 'INVALID_FORMAT', description }, (value): Fault | undefined => {
    if (typeof value !== 'object' || Array.isArray(value)) return 'INVALID_FORMAT';
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) > CUSTOM_BYTES) return 'CONTENT_EXCEEDS_MAX_LENGTH';
    return isStorableJson(value) ? undefined : 'INVALID_FORMAT';
  });
}

/** A subset of the settings (account.md 1.2). Each given setting is replaced completely. */
export class EditSettingsInput {
  @OneOf(LOCALES, { optional: true }) locale?: string;
  @OneOf(['system', 'light', 'dark'], { optional: true }) theme?: 'system' | 'light' | 'dark';
  @Bool({ optional: true }) email_notifications?: boolean;
  @Bool({ optional: true }) session_ip_authorization?: boolean;
  @Bool({ optional: true }) developer_mode?: boolean;
  @CustomSettings() custom?: Record<string, unknown>;
}
