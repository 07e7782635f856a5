import type { NameOf } from './names.js';

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
  SUDO_MODE_REQUIRED: {
    has_mfa: boolean;
    methods: { totp: boolean; webauthn: boolean; backup_codes: boolean };
    /** A code needs the password next to it. */
    password_required?: boolean;
  };
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

/** The code of an error that some feature declares in `errors`. */
export type ErrorCode = NameOf<'errors'>;
/** The code of the error of one field. */
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

/** 503 with `Retry-After` in whole seconds: 1 if load is shed, 5 if a dependency is down. */
export const unavailable = (retryAfterSeconds: number): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE').withHeaders({ 'Retry-After': String(retryAfterSeconds) });
