import { field } from '../input.js';

export const MAX_IMAGE_BYTES = 2 * 1024 * 1024;

const PREFIX = /^data:[A-Za-z0-9.+/-]{1,100};base64,/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const payloadOf = (text: string): string => text.replace(PREFIX, '');

const decodedLength = (payload: string): number => Math.floor((payload.replace(/=+$/, '').length * 3) / 4);

/** The bytes of a value that `Base64Image` accepted. */
export const imageBytes = (text: string): Buffer => Buffer.from(payloadOf(text), 'base64');

/** An image in base64, with or without a `data:` prefix; at most 2 MiB decoded. Whether it is one shows later. */
export function Base64Image(options: { nullable?: boolean } = {}): PropertyDecorator {
  return field({ ...options, optional: true, description: { type: String, format: 'byte' } }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    const payload = payloadOf(value);
    if (decodedLength(payload) > MAX_IMAGE_BYTES) return 'IMAGE_SIZE_EXCEEDS_LIMIT';
    return BASE64.test(payload) && payload.length % 4 !== 1 ? undefined : 'INVALID_BASE64_FORMAT';
  });
}
