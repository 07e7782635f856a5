/** An error of one field of the request (conventions.md section 5). */
export interface FieldError {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** The body of every error response. */
export interface ApiErrorBody {
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly FieldError[];
  readonly retry_after?: number;
  readonly request_id?: string;
  readonly [member: string]: unknown;
}

/**
 * An error response of the service. OAuth2 token operations return the code as `error`. Here, it is also in `code`, in
 * upper case.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The code of the error table; `''` if the response did not come from the service. */
  readonly code: string;
  readonly errors: readonly FieldError[];
  readonly requestId: string | undefined;
  /** Seconds after which the same request may be sent again. */
  readonly retryAfter: number | undefined;

  constructor(
    readonly status: number,
    readonly body: ApiErrorBody | undefined,
    headers: Headers,
  ) {
    super(body?.message ?? `HTTP ${status}`);
    this.code = body?.code ?? (typeof body?.error === 'string' ? body.error.toUpperCase() : '');
    this.errors = body?.errors ?? [];
    this.requestId = headers.get('x-request-id') ?? body?.request_id;
    const seconds = Number(headers.get('retry-after') ?? body?.retry_after ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  }

  /** The code of the first error of a field. */
  of(path: string): string | undefined {
    return this.errors.find((error) => error.path === path)?.code;
  }
}

/** The request got no response, because there is no connection, or because it broke. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}
