import { codePoints, isText } from '../../core/text/text.js';
import { field, ListOf, OneOf, SNOWFLAKE, Snowflake, snowflakeFault } from '../../http/input.js';

const MAX_VALUE = 256;
const MAX_STATE = 1024;
const MAX_NONCE = 255;

/** A parameter without a value counts as absent (oauth.md 1.3). */
const sent = (value: unknown): unknown => (value === '' ? undefined : value);

/** Length limit of values that the operation itself validates. Bodies and queries cannot be longer. */
const ANY_LENGTH = 256 * 1024;

/** Text that is not trimmed. `max` is in code points. Without `max`, the operation validates the value. */
function Verbatim(options: { max?: number; min?: number; optional?: boolean; blankIsAbsent?: boolean } = {}) {
  const { max, min = 0, optional = false, blankIsAbsent = false } = options;
  const description = {
    type: 'string',
    ...((min > 0 || (blankIsAbsent && !optional)) && { minLength: Math.max(min, 1) }),
    ...(max !== undefined && { maxLength: max }),
  };
  const bound = max === undefined ? ANY_LENGTH : 2 * max;
  return field({ optional, bound, description, ...(blankIsAbsent && { convert: sent }) }, (value) => {
    if (!isText(value)) return 'INVALID_FORMAT';
    if (max !== undefined && codePoints(value) > max) return 'CONTENT_EXCEEDS_MAX_LENGTH';
    return value.length < min ? 'INVALID_FORMAT' : undefined;
  });
}

const QueryText = (max?: number, optional = true) =>
  Verbatim({ optional, blankIsAbsent: true, ...(max !== undefined && { max }) });

function QueryId(): PropertyDecorator {
  return field({ ...SNOWFLAKE, convert: sent }, snowflakeFault);
}

const WORD = { bound: 16, tooLong: 'INVALID_FORMAT' } as const;

function QueryChoice(choices: readonly string[]): PropertyDecorator {
  return field({ ...WORD, optional: true, convert: sent, description: { enum: [...choices] } }, (value) =>
    typeof value === 'string' && choices.includes(value) ? undefined : 'INVALID_FORMAT',
  );
}

/** The authorization request in a query. The challenge is validated with the other PKCE rules. */
export class AuthorizeQuery {
  @QueryId() client_id: string;
  @QueryText(MAX_VALUE, false) scope: string;
  @QueryChoice(['code']) response_type?: 'code';
  @QueryText(MAX_VALUE) redirect_uri?: string;
  @QueryText(MAX_STATE) state?: string;
  @QueryText() code_challenge?: string;
  @QueryText() code_challenge_method?: string;
  @QueryChoice(['consent', 'none']) prompt?: 'consent' | 'none';
  @QueryText(MAX_NONCE) nonce?: string;
}

export class ConsentInput {
  @Snowflake() client_id: string;
  @Verbatim({ max: MAX_VALUE }) scope: string;
  @OneOf(['code'], { optional: true }) response_type?: 'code';
  @Verbatim({ min: 1, max: MAX_VALUE, optional: true }) redirect_uri?: string;
  @Verbatim({ min: 1, max: MAX_STATE, optional: true }) state?: string;
  @Verbatim({ optional: true }) code_challenge?: string;
  @Verbatim({ optional: true }) code_challenge_method?: string;
  @Verbatim({ min: 1, max: MAX_NONCE, optional: true }) nonce?: string;
  @OneOf(['approve', 'deny'], { optional: true }) decision?: 'approve' | 'deny';
}

export class AuthorizationPath {
  @Snowflake() applicationId: string;
}

const IDS = {
  ...{ bound: SNOWFLAKE.bound, tooLong: SNOWFLAKE.tooLong },
  items: { ...SNOWFLAKE.description, type: 'string' } as const,
};

const asText = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((id: unknown) => (Number.isSafeInteger(id) && (id as number) >= 0 ? String(id) : id))
    : value;

export class RevokeAuthorizationsInput {
  @ListOf({ min: 1, max: 100, ...IDS, convert: asText }, snowflakeFault) application_ids: string[];
}
