import { countCodePoints, isOneLine, isText } from '../core/text/text.js';
import { Bool, field, Int, ListOf, Snowflake, Text, Time } from '../http/input.js';

const MAX_URL = 2048;
const MAX_TYPES = 100;
const MAX_TYPE_LENGTH = 64;
const ENDPOINT_URL = /^https?:\/\/[^/?#@\\\s]+(?:[/?][^#\\\s]*)?$/i;

/** An absolute URL without user info and fragment. The settings decide whether `http` is allowed. */
function EndpointUrl(options: { optional?: boolean } = {}): PropertyDecorator {
  const description = { type: 'string', format: 'uri', minLength: 1, maxLength: MAX_URL };
  return field({ ...options, bound: 2 * MAX_URL, tooLong: 'CONTENT_EXCEEDS_MAX_LENGTH', description }, (value) => {
    if (!isText(value) || value === '') return 'INVALID_FORMAT';
    if (countCodePoints(value) > MAX_URL) return 'CONTENT_EXCEEDS_MAX_LENGTH';
    return ENDPOINT_URL.test(value) && URL.canParse(value) ? undefined : 'INVALID_URL_FORMAT';
  });
}

/** Declared event types. */
function EventTypes(options: { optional?: boolean } = {}): PropertyDecorator {
  const items = { type: 'string', format: 'event-type', examples: ['account.created'] };
  const rule = { ...options, min: 1, max: MAX_TYPES, bound: MAX_TYPE_LENGTH, items };
  return ListOf(rule, (value, features) =>
    typeof value === 'string' && features?.outgoingEvents.has(value) ? undefined : 'INVALID_FORMAT',
  );
}

const Description = (): PropertyDecorator =>
  Text({ optional: true, max: 256, trim: true, check: (text) => text === '' || isOneLine(text) });

export class EventEndpointPath {
  @Snowflake() endpoint_id: string;
}

export class EventDeliveryPath extends EventEndpointPath {
  @Snowflake() delivery_id: string;
}

export class CreateEventEndpointInput {
  @EndpointUrl() url: string;
  @EventTypes() event_types: string[];
  @Description() description?: string;
}

export class EditEventEndpointInput {
  @EndpointUrl({ optional: true }) url?: string;
  @EventTypes({ optional: true }) event_types?: string[];
  @Description() description?: string;
  @Bool({ optional: true }) is_disabled?: boolean;
}

export class EventDeliveriesQuery {
  @Snowflake({ optional: true }) before?: string;
  @Int({ min: 1, max: 100, text: true, optional: true }) limit?: number;
}

export class ReplayFailedInput {
  @Time() since: string;
}
