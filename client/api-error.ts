/** One field that was refused (conventions.md section 5). */
export interface FieldError {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** The body of every refusal. */
export interface ApiErrorBody {
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly FieldError[];
  readonly retry_after?: number;
  readonly request_id?: string;
  readonly [member: string]: unknown;
}

/** What the service refused, and why. OAuth2's token operations name their codes by `error`: here it is `code` too. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The code of the error table; `''` where something else than the service answered. */
  readonly code: string;
  readonly errors: readonly FieldError[];
  readonly requestId: string | undefined;
  /** Seconds after which the same request may be tried again. */
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

  /** The code of the first refusal of that field. */
  of(path: string): string | undefined {
    return this.errors.find((error) => error.path === path)?.code;
  }
}

/** Nobody answered: there is no connection, or it broke. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}
