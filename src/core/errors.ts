import { HttpException } from '@nestjs/common';
import { isTransientDatabaseError } from './database-errors.js';
import type { ExtraErrorCodes } from './merged.js';

/** All error codes of the service (contract/conventions.md section 5): status and fixed message. */
const TABLE = {
  INVALID_FORM_BODY: [400, 'The request has invalid fields.'],
  BAD_REQUEST: [400, 'The request is malformed.'],
  CAPTCHA_REQUIRED: [400, 'A captcha token is required.'],
  INVALID_CAPTCHA: [400, 'The captcha token was not accepted.'],
  INVALID_HANDOFF_CODE: [400, 'The code is not valid.'],
  HANDOFF_CODE_EXPIRED: [400, 'The code has expired.'],
  SESSION_TOKEN_MISMATCH: [400, 'The credential belongs to another account.'],
  IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED: [400, 'The message was already sent again.'],
  TWO_FA_ALREADY_ENABLED: [400, 'An authenticator is already set up.'],
  TWO_FA_NOT_ENABLED: [400, 'No authenticator is set up.'],
  TWO_FACTOR_REQUIRED: [400, 'The account has no second factor.'],
  NO_PASSKEYS_REGISTERED: [400, 'The account has no passkey.'],
  INVALID_WEBAUTHN_CREDENTIAL: [400, 'The passkey could not be registered.'],
  WEBAUTHN_CREDENTIAL_LIMIT_REACHED: [400, 'The account has the most passkeys allowed.'],
  SMS_VERIFICATION_UNAVAILABLE: [400, 'Text messages cannot be sent.'],
  INVALID_PHONE_NUMBER: [400, 'The phone number cannot be used.'],
  INVALID_PHONE_VERIFICATION_CODE: [400, 'The code is not valid.'],
  PHONE_ALREADY_USED: [400, 'The phone number is in use.'],
  MAX_APPLICATIONS: [400, 'The account owns the most applications allowed.'],
  MAX_ADMIN_API_KEYS: [400, 'The account holds the most keys allowed.'],
  MAX_WEBHOOKS: [400, 'The account owns the most webhooks allowed.'],
  UNCLAIMED_ACCOUNT_CANNOT_CREATE_APPLICATIONS: [400, 'The account has no way to sign in yet.'],
  NOT_A_BOT_APPLICATION: [400, 'The application has no bot.'],
  PUBLIC_CLIENT_HAS_NO_SECRET: [400, 'A public client has no secret.'],
  USERNAME_NOT_AVAILABLE: [400, 'The username is not available.'],
  REGISTRATION_NOT_PENDING: [400, 'The registration is not pending.'],
  IP_BAN_DECLINED: [400, 'The address cannot be banned.'],
  CANNOT_SEND_EMPTY_MESSAGE: [400, 'The message is empty.'],
  FILE_SIZE_TOO_LARGE: [400, 'The file is too large.'],
  MEDIA_QUOTA_EXCEEDED: [400, 'The account has used its storage.'],
  INVALID_REQUEST: [400, 'The OAuth2 request is not valid.'],
  INVALID_CLIENT: [401, 'Client authentication failed.'],
  INVALID_GRANT: [400, 'The grant is not valid.'],
  INVALID_SCOPE: [400, 'The scope is not valid.'],
  UNSUPPORTED_GRANT_TYPE: [400, 'The grant type is not supported.'],
  UNAUTHORIZED: [401, 'A valid credential is required.'],
  INVALID_TOKEN: [401, 'A bot token is required.'],
  PASSKEY_AUTHENTICATION_FAILED: [401, 'The passkey was not accepted.'],
  ACCESS_DENIED: [403, 'This credential may not use this operation.'],
  MISSING_OAUTH_SCOPE: [403, 'This token lacks a required scope.'],
  MISSING_PERMISSIONS: [403, 'The account may not use the Admin API.'],
  MISSING_ACL: [403, 'A required permission is missing.'],
  SSO_REQUIRED: [403, 'Single sign-on is required.'],
  ACCOUNT_SUSPICIOUS_ACTIVITY: [403, 'The account has an outstanding requirement.'],
  SUDO_MODE_REQUIRED: [403, 'The operation needs a fresh proof of identity.'],
  BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED: [403, 'A bot account may not use this operation.'],
  BOT_USER_AUTH_SESSION_CREATION_DENIED: [403, 'A bot account has no sessions.'],
  ACCOUNT_SUSPENDED_TEMPORARILY: [403, 'The account is suspended for a time.'],
  ACCOUNT_SUSPENDED_PERMANENTLY: [403, 'The account is suspended.'],
  REGISTRATION_CLOSED: [403, 'Registration is closed.'],
  REGISTRATION_PENDING_APPROVAL: [403, 'The registration awaits approval.'],
  REGISTRATION_REJECTED: [403, 'The registration was rejected.'],
  IP_AUTHORIZATION_REQUIRED: [403, 'The sign-in awaits confirmation by mail.'],
  GLOBAL_IP_BANNED: [403, 'The address is banned.'],
  GLOBAL_IP_TEMPORARILY_BANNED: [403, 'The address is banned for a time.'],
  INVALID_API_ORIGIN: [403, 'The origin is not allowed.'],
  FEATURE_TEMPORARILY_DISABLED: [403, 'The feature is switched off.'],
  MFA_EMAIL_VERIFICATION_REQUIRED: [403, 'The e-mail address must be verified first.'],
  BOT_IS_PRIVATE: [403, 'The bot is private.'],
  FORBIDDEN: [403, 'The request is not allowed.'],
  NOT_FOUND: [404, 'Not found.'],
  UNKNOWN_USER: [404, 'Unknown account.'],
  UNKNOWN_APPLICATION: [404, 'Unknown application.'],
  BOT_USER_NOT_FOUND: [404, 'The application has no bot.'],
  UNKNOWN_WEBHOOK: [404, 'Unknown webhook.'],
  UNKNOWN_MESSAGE: [404, 'Unknown message.'],
  UNKNOWN_WEBAUTHN_CREDENTIAL: [404, 'Unknown passkey.'],
  ADMIN_API_KEY_NOT_FOUND: [404, 'Unknown Admin API key.'],
  CONFLICT: [409, 'The resource is in use.'],
  GONE: [410, 'The resource is gone.'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The content type is not supported.'],
  RANGE_NOT_SATISFIABLE: [416, 'The range cannot be served.'],
  RATE_LIMITED: [429, 'Too many requests.'],
  PHONE_RATE_LIMIT_EXCEEDED: [429, 'Too many messages were sent.'],
  IP_AUTHORIZATION_RESEND_COOLDOWN: [429, 'The message was sent a moment ago.'],
  INTERNAL_SERVER_ERROR: [500, 'Something went wrong.'],
  BOT_USER_GENERATION_FAILED: [500, 'No name is free for the bot.'],
  TRANSCODE_FAILED: [500, 'The asset cannot be decoded.'],
  UPSTREAM_FETCH_FAILED: [502, 'The origin refused the request.'],
  BAD_GATEWAY: [502, 'A remote server failed.'],
  SERVICE_UNAVAILABLE: [503, 'The service is not available right now.'],
  GATEWAY_TIMEOUT: [504, 'A remote server was too slow.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** Error codes of single fields (contract/conventions.md section 6). */
const FIELD_TABLE = {
  INVALID_FORMAT: 'The value is not valid.',
  CONTENT_EXCEEDS_MAX_LENGTH: 'The value is too long.',
  STRING_LENGTH_EXACT: 'The value has the wrong length.',
  EMAIL_LENGTH_INVALID: 'The address has a wrong length.',
  INVALID_EMAIL_FORMAT: 'The address is not valid.',
  INVALID_EMAIL_LOCAL_PART: 'The part before the @ is not valid.',
  INVALID_EMAIL_ADDRESS: 'The address cannot receive mail.',
  INVALID_URL_FORMAT: 'The URL is not valid.',
  URL_NOT_PUBLICLY_ROUTABLE: 'The URL does not lead to a public address.',
  INVALID_SNOWFLAKE_FORMAT: 'The id is not valid.',
  SNOWFLAKE_OUT_OF_RANGE: 'The id is out of range.',
  BASE64_LENGTH_INVALID: 'The image has a wrong length.',
  INVALID_BASE64_FORMAT: 'The image is not valid base64.',
  IMAGE_SIZE_EXCEEDS_LIMIT: 'The image is too large.',
  INVALID_IMAGE_FORMAT: 'The image cannot be decoded.',
  INVALID_EMAIL_OR_PASSWORD: 'The address or the password is wrong.',
  INVALID_PASSWORD: 'The password is wrong.',
  INVALID_CODE: 'The code is wrong.',
  INVALID_MFA_CODE: 'The proof is wrong.',
  TOTP_NOT_ENABLED: 'No authenticator is set up.',
  SESSION_TIMEOUT: 'The sign-in has expired.',
  PASSWORD_LENGTH_INVALID: 'The password has a wrong length.',
  PASSWORD_IS_TOO_COMMON: 'The password is too common.',
  USERNAME_LENGTH_INVALID: 'The username has a wrong length.',
  USERNAME_INVALID_CHARACTERS: 'The username has characters that are not allowed.',
  USERNAME_RESERVED_VALUE: 'The username is reserved.',
  USERNAME_CANNOT_CONTAIN_RESERVED_TERMS: 'The username contains a reserved term.',
  TOO_MANY_USERS_WITH_THIS_USERNAME: 'The username is taken.',
  TAG_ALREADY_TAKEN: 'The discriminator is taken.',
  DISCRIMINATOR_INVALID_FORMAT: 'The discriminator is not valid.',
  DISCRIMINATOR_OUT_OF_RANGE: 'The discriminator is out of range.',
  BOT_DISCRIMINATOR_CANNOT_BE_CHANGED: 'The discriminator of a bot cannot be changed.',
  GLOBAL_NAME_LENGTH_INVALID: 'The name has a wrong length.',
  GLOBAL_NAME_RESERVED_VALUE: 'The name is reserved.',
  GLOBAL_NAME_CANNOT_CONTAIN_RESERVED_TERMS: 'The name contains a reserved term.',
  USERNAME_CHANGED_TOO_MANY_TIMES: 'The username was changed too often.',
  BIO_CHANGED_TOO_MANY_TIMES: 'The biography was changed too often.',
  PRONOUNS_CHANGED_TOO_MANY_TIMES: 'The pronouns were changed too often.',
  ACCENT_COLOR_CHANGED_TOO_MANY_TIMES: 'The colour was changed too often.',
  AVATAR_CHANGED_TOO_MANY_TIMES: 'The avatar was changed too often.',
  BANNER_CHANGED_TOO_MANY_TIMES: 'The banner was changed too often.',
  MUST_AGREE_TO_TOS_AND_PRIVACY_POLICY: 'The terms must be accepted.',
  EMAIL_ALREADY_IN_USE: 'The address is in use.',
  EMAIL_MUST_BE_CHANGED_VIA_TOKEN: 'The address is changed by a token.',
  NEW_EMAIL_MUST_BE_DIFFERENT: 'The address is the current one.',
  NO_NEW_EMAIL_REQUESTED: 'No new address was requested.',
  ORIGINAL_EMAIL_ALREADY_VERIFIED: 'The current address needs no code.',
  ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST: 'The current address must be confirmed first.',
  ORIGINAL_VERIFICATION_NOT_REQUIRED: 'The current address needs no confirmation.',
  INVALID_EMAIL_TOKEN: 'The token is not valid.',
  EMAIL_TOKEN_EXPIRED: 'The token has expired.',
  USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS: 'The account has no e-mail address.',
  VERIFICATION_CODE_NOT_ISSUED: 'No code was issued.',
  VERIFICATION_CODE_EXPIRED: 'The code has expired.',
  INVALID_VERIFICATION_CODE: 'The code is wrong.',
  INVALID_PROOF_TOKEN: 'The proof is wrong.',
  INVALID_OR_EXPIRED_TICKET: 'The ticket is not valid.',
  TICKET_ALREADY_COMPLETED: 'The ticket is completed.',
  INVALID_OR_EXPIRED_VERIFICATION_TOKEN: 'The link is not valid.',
  INVALID_OR_EXPIRED_RESET_TOKEN: 'The link is not valid.',
  INVALID_OR_EXPIRED_REVERT_TOKEN: 'The link is not valid.',
  INVALID_OR_EXPIRED_LOCKDOWN_TOKEN: 'The link is not valid.',
  INVALID_OR_EXPIRED_AUTHORIZATION_TOKEN: 'The link is not valid.',
  INVALID_OR_EXPIRED_AUTHORIZATION_TICKET: 'The ticket is not valid.',
  INVALID_OR_EXPIRED_SSO_STATE: 'The sign-in has expired.',
  PHONE_NUMBER_INVALID_FORMAT: 'The phone number is not valid.',
  SSO_MISCONFIGURED: 'Single sign-on is not fully configured.',
  SSO_IDENTITY_MISMATCH: 'The identity belongs elsewhere.',
  SSO_PROVIDER_DID_NOT_RETURN_EMAIL: 'The provider named no address.',
  EMAIL_DOMAIN_NOT_ALLOWED_FOR_SSO: 'The domain is not allowed.',
  INVALID_SSO_AUTHORIZATION_CODE: 'The provider refused the code.',
  INVALID_SSO_TOKEN: 'The provider sent an invalid token.',
  FAILED_TO_FETCH_SSO_USER_INFO: 'The provider did not describe the user.',
  FAILED_TO_PARSE_SSO_USER_INFO: 'The provider described the user wrongly.',
  SSO_UNABLE_TO_ALLOCATE_DISCRIMINATOR: 'The username is taken.',
  WEBHOOK_NAME_LENGTH_INVALID: 'The name has a wrong length.',
  TOO_MANY_EMBEDS: 'There are too many embeds.',
  TOO_MANY_FILES: 'There are too many files.',
  INVALID_MESSAGE_DATA: 'The message is not valid.',
  INVALID_JSON_IN_PAYLOAD_JSON: 'The payload is not valid JSON.',
  FAILED_TO_PARSE_MULTIPART_FORM_DATA: 'The form cannot be read.',
  INVALID_FILE_FIELD_NAME: 'A file field has a wrong name.',
  DUPLICATE_FILE_INDEX: 'A file index occurs twice.',
  FILE_SIZE_TOO_LARGE: 'The file is too large.',
  UPLOADED_ATTACHMENT_NOT_FOUND: 'The upload was not found.',
  INVALID_MEDIA_URL: 'The URL cannot be used.',
} as const satisfies Record<string, string>;

export interface FieldError {
  readonly path: string;
  readonly code: FieldCode;
  readonly message: string;
}

/**
 * Members of an error body besides `code` and `message` (conventions.md section 5). Extensions add theirs by
 * declaration merging.
 */
export interface ErrorExtras {
  INVALID_FORM_BODY: { errors: FieldError[] };
  INVALID_REQUEST: OAuthExtra & { errors?: FieldError[] };
  INVALID_CLIENT: OAuthExtra;
  INVALID_GRANT: OAuthExtra;
  INVALID_SCOPE: OAuthExtra;
  UNSUPPORTED_GRANT_TYPE: OAuthExtra;
  MISSING_OAUTH_SCOPE: { required_scope: string };
  ACCOUNT_SUSPICIOUS_ACTIVITY: { data: { suspicious_activity_flags: number } };
  SUDO_MODE_REQUIRED: { has_mfa: boolean; methods: { totp: boolean; webauthn: boolean; backup_codes: boolean } };
  IP_AUTHORIZATION_REQUIRED: {
    ip_authorization_required: true;
    ticket: string;
    email: string;
    resend_available_in: number;
  };
  ACCOUNT_SUSPENDED_TEMPORARILY: SuspensionExtra;
  ACCOUNT_SUSPENDED_PERMANENTLY: SuspensionExtra;
  GLOBAL_IP_BANNED: BanExtra;
  GLOBAL_IP_TEMPORARILY_BANNED: BanExtra;
  RATE_LIMITED: { global: boolean; retry_after: number };
  PHONE_RATE_LIMIT_EXCEEDED: { retry_after: number };
  IP_AUTHORIZATION_RESEND_COOLDOWN: { resend_available_in: number; retry_after: number };
}

interface OAuthExtra {
  error: string;
  error_description: string;
}

interface SuspensionExtra {
  banned_until: string | null;
  reason: string | null;
}

export interface BanExtra {
  ip_address: string;
  ban_kind: 'temporary_24h' | 'permanent';
  expires_at: string | null;
  appeal_email: string | null;
  appeals_supported: boolean;
}

export type ErrorCode = keyof typeof TABLE | (keyof ExtraErrorCodes & string);
export type FieldCode = keyof typeof FIELD_TABLE | (keyof ExtraErrorCodes & string);

type Args<C extends ErrorCode> = C extends keyof ErrorExtras ? [extra: ErrorExtras[C]] : [];

const codes = new Map<string, readonly [status: number, message: string]>(Object.entries(TABLE));
const fieldCodes = new Map<string, string>(Object.entries(FIELD_TABLE));

/**
 * Adds an error code of an extension.
 * @throws Error if the code exists or its name is invalid
 */
export function registerErrorCode(code: string, status: number, message: string): void {
  if (!/^[A-Z][A-Z0-9_]*$/.test(code) || codes.has(code)) throw new Error(`the error code ${code} cannot be added`);
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw new Error(`${code}: ${status} is no error status`);
  codes.set(code, [status, message]);
}

/**
 * Adds a field code of an extension.
 * @throws Error if the code exists or its name is invalid
 */
export function registerFieldCode(code: string, message: string): void {
  if (!/^[A-Z][A-Z0-9_]*$/.test(code) || fieldCodes.has(code)) throw new Error(`the code ${code} cannot be added`);
  fieldCodes.set(code, message);
}

/** `[code, status, message]` of every error code, for the documentation and the tests. */
export const errorTable = (): [code: string, status: number, message: string][] =>
  [...codes].map(([code, [status, message]]) => [code, status, message]);

/** `[code, message]` of every field code. */
export const fieldCodeTable = (): [code: string, message: string][] => [...fieldCodes];

/**
 * The only way to return an error. The code determines status and message. The compiler enforces required members: `new
 * ApiError('MISSING_OAUTH_SCOPE')` does not compile.
 */
export class ApiError<C extends ErrorCode = ErrorCode> extends HttpException {
  readonly code: C;
  /** Response headers of the error, such as `Retry-After`. */
  readonly headers: Record<string, string> = {};
  private statusOverride: number | undefined;

  constructor(code: C, ...[extra]: Args<C>) {
    const [status, message] = codes.get(code) ?? [500, ''];
    // Expected errors do not need a stack trace. Capturing one costs as much as the guards.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super({ code, message, ...(extra as object | undefined) }, status);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
  }

  /** Overrides the HTTP status (UPSTREAM_FETCH_FAILED only). */
  withStatus(status: number): this {
    this.statusOverride = status;
    return this;
  }

  override getStatus(): number {
    return this.statusOverride ?? super.getStatus();
  }

  /** Sets the cause, which is logged and never sent. */
  withCause(cause: unknown): this {
    this.cause = cause;
    return this;
  }

  withHeaders(headers: Record<string, string>): this {
    Object.assign(this.headers, headers);
    return this;
  }
}

export const fieldError = (path: string, code: FieldCode): FieldError => ({
  path,
  code,
  message: fieldCodes.get(code) ?? '',
});

/** `400 INVALID_FORM_BODY` for one field: the contract's `FV(path: CODE)`. */
export const validationError = (path: string, code: FieldCode): ApiError<'INVALID_FORM_BODY'> =>
  new ApiError('INVALID_FORM_BODY', { errors: [fieldError(path, code)] });

/** An OAuth2 protocol error (oauth.md 1.2, RFC 6749 section 5.2): status 400, or 401 for `invalid_client`. */
export function oauthError(
  error: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'invalid_scope' | 'unsupported_grant_type',
  fields: string[] = [],
): ApiError {
  const code = error.toUpperCase() as 'INVALID_REQUEST';
  const [, description] = TABLE[code];
  const errors = fields.length ? { errors: fields.map((field) => fieldError(field, 'INVALID_FORMAT')) } : {};
  return new ApiError(code, { error, error_description: description, ...errors });
}

/** 503 with `Retry-After` in whole seconds: 1 if load is shed, 5 if a dependency is down. */
export const unavailable = (retryAfterSeconds: number): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE').withHeaders({ 'Retry-After': String(retryAfterSeconds) });

/**
 * The error for a request that the origin of external media rejected, with the status of the origin (media.md section
 * 6).
 */
export const upstreamFailed = (status: number): ApiError => new ApiError('UPSTREAM_FETCH_FAILED').withStatus(status);

const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'GONE',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  416: 'RANGE_NOT_SATISFIABLE',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};

/**
 * Converts any thrown value to the error that the caller sees. An exception of the framework keeps its status if a code
 * exists for it.
 */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isTransientDatabaseError(thrown)) return unavailable(5).withCause(thrown);
  if (!(thrown instanceof HttpException)) return new ApiError('INTERNAL_SERVER_ERROR');
  const status = thrown.getStatus();
  if (status === 429) {
    return new ApiError('RATE_LIMITED', { global: false, retry_after: 1 }).withHeaders({ 'Retry-After': '1' });
  }
  const isOfClient = status >= 400 && status < 500;
  return new ApiError(
    (CODE_BY_STATUS[status] ?? (isOfClient ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR')) as 'NOT_FOUND',
  );
}
