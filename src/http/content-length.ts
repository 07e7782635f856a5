import { ServerResponse } from 'node:http';
import { callOf } from '../policy/call.js';

/** The outcome of a request whose response did not match its `Content-Length`. */
export const CONTENT_LENGTH_MISMATCH = 'WRONG_LENGTH';

/**
 * Enforces the `Content-Length` of a response. On a keep-alive connection, excess bytes would become part of the next
 * response, and missing bytes would be taken from it. Closes the connection instead.
 */
export function enforceContentLength(res: ServerResponse): void {
  res.strictContentLength = true;
  res.write = writeChecked as ServerResponse['write'];
  res.end = endChecked as ServerResponse['end'];
}

function writeChecked(this: ServerResponse, ...said: unknown[]): boolean {
  return (
    catchLengthMismatch(this, () =>
      ServerResponse.prototype.write.apply(this, said as Parameters<ServerResponse['write']>),
    ) ?? false
  );
}

export function endChecked(this: ServerResponse, ...said: unknown[]): ServerResponse {
  return (
    catchLengthMismatch(this, () =>
      ServerResponse.prototype.end.apply(this, said as Parameters<ServerResponse['end']>),
    ) ?? this
  );
}

/** Node throws where a stream writes, and handlers cannot catch that. */
function catchLengthMismatch<T>(res: ServerResponse, write: () => T): T | undefined {
  try {
    return write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_HTTP_CONTENT_LENGTH_MISMATCH') throw error;
    callOf(res.req).outcome = CONTENT_LENGTH_MISMATCH;
    res.destroy();
    return undefined;
  }
}
