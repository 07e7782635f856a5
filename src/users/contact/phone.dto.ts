import { plainName } from '../../core/text/text.js';
import { type FieldOptions, field, Text } from '../../http/input.js';

const NUMBER = /^\+[1-9]\d{1,14}$/;
/** Maximum length before trimming. */
const MAX_LENGTH = 256;

/** A phone number in E.164 format, after trimming and removal of control characters. */
export function PhoneNumber(options: FieldOptions = {}): PropertyDecorator {
  const description = { type: 'string', pattern: NUMBER.source, examples: ['+491701234567'] };
  const convert = (value: unknown) => (typeof value === 'string' ? plainName(value) : value);
  const bound = { bound: MAX_LENGTH, tooLong: 'PHONE_NUMBER_INVALID_FORMAT' } as const;
  return field({ ...options, ...bound, description, convert }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    return NUMBER.test(value) ? undefined : 'PHONE_NUMBER_INVALID_FORMAT';
  });
}

export class PhoneInput {
  @PhoneNumber() phone: string;
}

export class PhoneCodeInput extends PhoneInput {
  @Text({ min: 1, max: 32 }) code: string;
}
