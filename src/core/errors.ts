import { HttpException } from '@nestjs/common';
import { isTransientDatabaseError } from './database-errors.js';
import type { NameOf } from './merged.js';

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

export type ErrorCode = NameOf<'errors'>;
export type FieldCode = NameOf<'fieldErrors'>;

/** A field error without its message, which the response gets from the registry. */
export type FieldFault = Pick<FieldError, 'path' | 'code'>;

type Given<E> = { [M in keyof E]: E[M] extends FieldError[] | undefined ? readonly FieldFault[] : E[M] };
type Args<C extends ErrorCode> = C extends keyof ErrorExtras ? [extra: Given<ErrorExtras[C]>] : [];

/**
 * The only way to return an error. The code determines status and message, which its feature declares. The compiler
 * enforces required members: `new ApiError('MISSING_OAUTH_SCOPE')` does not compile.
 */
export class ApiError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  /** Members of the body besides `code` and `message`. */
  readonly extra: object;
  /** Response headers of the error, such as `Retry-After`. */
  readonly headers: Record<string, string> = {};
  /** HTTP status in place of that of the code. */
  statusOverride: number | undefined;

  constructor(code: C, ...[extra]: Args<C>) {
    // Expected errors do not need a stack trace. Capturing one costs as much as the guards.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.extra = (extra as object | undefined) ?? {};
  }

  /** Overrides the HTTP status (UPSTREAM_FETCH_FAILED only). */
  withStatus(status: number): this {
    this.statusOverride = status;
    return this;
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

/** The field errors of an `INVALID_FORM_BODY`. Empty for all other errors. */
export const fieldErrorsOf = (error: unknown): readonly FieldFault[] =>
  error instanceof ApiError ? ((error.extra as { errors?: readonly FieldFault[] }).errors ?? []) : [];

export const fieldError = (path: string, code: FieldCode): FieldFault => ({ path, code });

/** `400 INVALID_FORM_BODY` for one field: the contract's `FV(path: CODE)`. */
export const validationError = (path: string, code: FieldCode): ApiError<'INVALID_FORM_BODY'> =>
  new ApiError('INVALID_FORM_BODY', { errors: [fieldError(path, code)] });

/** The messages of the OAuth2 error codes (RFC 6749 section 5.2), which are also their `error_description`. */
export const OAUTH_DESCRIPTIONS = {
  invalid_request: 'The OAuth2 request is not valid.',
  invalid_client: 'Client authentication failed.',
  invalid_grant: 'The grant is not valid.',
  invalid_scope: 'The scope is not valid.',
  unsupported_grant_type: 'The grant type is not supported.',
} as const;

/** An OAuth2 protocol error (oauth.md 1.2, RFC 6749 section 5.2): status 400, or 401 for `invalid_client`. */
export function oauthError(error: keyof typeof OAUTH_DESCRIPTIONS, fields: string[] = []): ApiError {
  const code = error.toUpperCase() as 'INVALID_REQUEST';
  const description = OAUTH_DESCRIPTIONS[error];
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
