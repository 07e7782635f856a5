import type { ServerResponse } from 'node:http';

/** Headers that belong to one connection, or that the server of the response sets itself. */
const OF_CONNECTION = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/** Headers of a response, each with one value or several. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * The caller is not admitted. Contains the response of the guard that rejected the request: status, headers and body,
 * unchanged. If Gatehouse does not respond, the status is 503 and `cause` is the reason.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  readonly headers: ResponseHeaders;

  constructor(
    readonly status: number,
    headers: ResponseHeaders,
    readonly body: string,
    options?: { cause?: unknown },
  ) {
    super(`The request was rejected with status ${status}`, options);
    this.headers = Object.fromEntries(
      Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name.toLowerCase())),
    );
  }

  /** The error if Gatehouse does not decide. @param retryAfter in seconds */
  static unavailable(cause: unknown, retryAfter = '1'): AuthError {
    const headers = {
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'retry-after': retryAfter,
    };
    const body = JSON.stringify({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The service is unavailable. Try again later.',
    });
    return new AuthError(503, headers, body, { cause });
  }

  /** Sends it as a response of Node's HTTP server. */
  send(response: ServerResponse): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(this.headers)) response.setHeader(name, value);
    response.statusCode = this.status;
    response.end(this.body);
  }

  /** Returns it as a response of the Fetch API. Hono calls this method for errors of handlers. */
  getResponse(): Response {
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.headers)) {
      for (const one of [value].flat()) headers.append(name, one as string);
    }
    headers.set('content-length', String(Buffer.byteLength(this.body)));
    return new Response(this.body, { status: this.status, headers });
  }
}
