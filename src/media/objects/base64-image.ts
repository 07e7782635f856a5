import { field } from '../../http/input.js';

export const MAX_IMAGE_BYTES = 2 * 1024 * 1024;

const MAX_PREFIX = 120;
const MAX_PAYLOAD = Math.ceil(MAX_IMAGE_BYTES / 3) * 4;
const PREFIX = /^data:[A-Za-z0-9.+/-]{1,100};base64,/;

function withoutPrefix(text: string): string {
  const [prefix = ''] = PREFIX.exec(text.slice(0, MAX_PREFIX)) ?? [];
  return text.slice(prefix.length);
}

/** Removes the padding. */
const withoutPadding = (payload: string): string =>
  payload.slice(0, payload.length - (/={0,2}$/.exec(payload.slice(-2))?.[0].length ?? 0));

/** Decodes a value that `Base64Image` accepted. */
export const imageBytes = (text: string): Buffer => Buffer.from(withoutPrefix(text), 'base64');

/** Checks for valid base64 by decoding and encoding again. The last digit may differ in its unused bits. */
function isBase64(digits: string): boolean {
  if (digits === '' || digits.length % 4 === 1) return false;
  const again = Buffer.from(digits, 'base64').toString('base64');
  const whole = digits.length - (digits.length % 4 === 0 ? 0 : 1);
  return again.startsWith(digits.slice(0, whole)) && /^[A-Za-z0-9+/]*$/.test(digits.slice(whole));
}

/**
 * An image in base64, with or without a `data:` prefix, of at most 2 MiB decoded. Whether it is an image is checked
 * later.
 */
export function Base64Image(options: { nullable?: boolean } = {}): PropertyDecorator {
  const bound = { bound: MAX_PREFIX + MAX_PAYLOAD, tooLong: 'IMAGE_SIZE_EXCEEDS_LIMIT' } as const;
  const description = { type: 'string', format: 'byte' };
  return field({ ...options, ...bound, optional: true, description }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    const digits = withoutPadding(withoutPrefix(value));
    if (Math.floor((digits.length * 3) / 4) > MAX_IMAGE_BYTES) return 'IMAGE_SIZE_EXCEEDS_LIMIT';
    return isBase64(digits) ? undefined : 'INVALID_BASE64_FORMAT';
  });
}
