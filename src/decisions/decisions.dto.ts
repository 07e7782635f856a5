import { parseAddress } from '../core/address.js';
import { isText } from '../core/text/text.js';
import { type FieldRule, field } from '../http/field.js';
import { Text } from '../http/input.js';

const MAX_HEADER_LENGTH = 16 * 1024;
const MAX_ADDRESS_LENGTH = 45;

/** The value of a header, exactly as the service received it. An invalid credential is an outcome of the decision. */
function HeaderValue(): PropertyDecorator {
  const rule: FieldRule = {
    optional: true,
    bound: MAX_HEADER_LENGTH,
    description: { type: 'string', maxLength: MAX_HEADER_LENGTH },
  };
  return field(rule, (value) => (isText(value) ? undefined : 'INVALID_FORMAT'));
}

/** The IP address of the client, which is normalized. */
function ClientAddress(): PropertyDecorator {
  const rule: FieldRule = {
    optional: true,
    bound: MAX_ADDRESS_LENGTH,
    description: {
      ...{ type: 'string', format: 'ip-address', minLength: 2, maxLength: MAX_ADDRESS_LENGTH },
      examples: ['198.51.100.7'],
    },
    convert: (value) => (typeof value === 'string' && parseAddress(value)?.toString()) || value,
  };
  return field(rule, (value) => (typeof value === 'string' && parseAddress(value) ? undefined : 'INVALID_FORMAT'));
}

export class DecisionInput {
  @Text({ max: 64, example: 'documents-read' }) policy: string;
  @HeaderValue() authorization?: string;
  @HeaderValue() sudo?: string;
  @ClientAddress() address?: string;
}
