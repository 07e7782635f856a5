import { SudoInput } from '../../auth/sudo/sudo.dto.js';
import { countCodePoints, isText } from '../../core/text/text.js';
import { field, Int, ListOf, OneOf, SNOWFLAKE, Snowflake, snowflakeFault } from '../../http/input.js';
import { promptsOf } from '../openid/authentication-request.js';

const MAX_VALUE = 256;
const MAX_STATE = 1024;
const MAX_NONCE = 255;
const MAX_HINT = 254;
const MAX_ID_TOKEN = 4096;
/** Maximum `max_age` in seconds: a year. */
const AGE = { min: 0, max: 31_536_000 };

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
    if (max !== undefined && countCodePoints(value) > max) return 'CONTENT_EXCEEDS_MAX_LENGTH';
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

function QueryAge(): PropertyDecorator {
  const { min: minimum, max: maximum } = AGE;
  const convert = (value: unknown) =>
    typeof value === 'string' && /^\d{1,8}$/.test(value) ? Number(value) : sent(value);
  return field({ ...WORD, optional: true, convert, description: { type: 'integer', minimum, maximum } }, (value) =>
    typeof value === 'number' && value <= maximum ? undefined : 'INVALID_FORMAT',
  );
}

function QueryPrompt(): PropertyDecorator {
  const rule = {
    bound: MAX_VALUE,
    tooLong: 'INVALID_FORMAT',
    description: { type: 'string', examples: ['login'] },
  } as const;
  return field({ ...rule, optional: true, convert: sent }, (value) =>
    typeof value === 'string' && promptsOf(value) ? undefined : 'INVALID_FORMAT',
  );
}

/** A parameter that the service does not support. It has its own error (OpenID Connect Core 3.1.2.6). */
const Unsupported = () =>
  field(
    { optional: true, bound: ANY_LENGTH, convert: sent, description: { type: 'string', maxLength: 0 } },
    () => 'INVALID_FORMAT',
  );

/** The authorization request in a query. The challenge is validated with the other PKCE rules. */
export class AuthorizeQuery {
  @QueryId() client_id: string;
  @QueryText(MAX_VALUE, false) scope: string;
  @QueryChoice(['code']) response_type?: 'code';
  @QueryText(MAX_VALUE) redirect_uri?: string;
  @QueryText(MAX_STATE) state?: string;
  @QueryText() code_challenge?: string;
  @QueryText() code_challenge_method?: string;
  @QueryPrompt() prompt?: string;
  @QueryText(MAX_NONCE) nonce?: string;
  @QueryAge() max_age?: number;
  @QueryText(MAX_HINT) login_hint?: string;
  @QueryText(MAX_ID_TOKEN) id_token_hint?: string;
  @QueryText(MAX_VALUE) ui_locales?: string;
  @QueryText(MAX_VALUE) display?: string;
  @QueryText(MAX_VALUE) acr_values?: string;
  @QueryChoice(['query']) response_mode?: 'query';
  @Unsupported() request?: never;
  @Unsupported() request_uri?: never;
  @Unsupported() registration?: never;
}

/** The consent, with the factors of a reauthentication (contract/openid.md section 4). */
export class ConsentInput extends SudoInput {
  @Snowflake() client_id: string;
  @Verbatim({ max: MAX_VALUE }) scope: string;
  @OneOf(['code'], { optional: true }) response_type?: 'code';
  @Verbatim({ min: 1, max: MAX_VALUE, optional: true }) redirect_uri?: string;
  @Verbatim({ min: 1, max: MAX_STATE, optional: true }) state?: string;
  @Verbatim({ optional: true }) code_challenge?: string;
  @Verbatim({ optional: true }) code_challenge_method?: string;
  @Verbatim({ min: 1, max: MAX_NONCE, optional: true }) nonce?: string;
  @Verbatim({ min: 1, max: MAX_VALUE, optional: true }) prompt?: string;
  @Int({ ...AGE, optional: true }) max_age?: number;
  @Verbatim({ min: 1, max: MAX_VALUE, optional: true }) acr_values?: string;
  @Verbatim({ min: 1, max: MAX_ID_TOKEN, optional: true }) id_token_hint?: string;
  @Verbatim({ min: 1, max: MAX_HINT, optional: true }) login_hint?: string;
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
