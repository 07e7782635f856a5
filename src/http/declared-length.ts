import { ServerResponse } from 'node:http';
import { callOf } from '../policy/call.js';

/** The outcome of a request whose response did not match its `Content-Length`. */
export const WRONG_LENGTH = 'WRONG_LENGTH';

/**
 * Enforces the `Content-Length` of a response. On a keep-alive connection, excess bytes would become part of the next
 * response, and missing bytes would be taken from it. Closes the connection instead.
 */
export function holdToLength(res: ServerResponse): void {
  res.strictContentLength = true;
  res.write = writeExactly as ServerResponse['write'];
  res.end = endExactly as ServerResponse['end'];
}

function writeExactly(this: ServerResponse, ...said: unknown[]): boolean {
  return (
    exactly(this, () => ServerResponse.prototype.write.apply(this, said as Parameters<ServerResponse['write']>)) ??
    false
  );
}

export function endExactly(this: ServerResponse, ...said: unknown[]): ServerResponse {
  return (
    exactly(this, () => ServerResponse.prototype.end.apply(this, said as Parameters<ServerResponse['end']>)) ?? this
  );
}

/** Node throws where a stream writes, and handlers cannot catch that. */
function exactly<T>(res: ServerResponse, write: () => T): T | undefined {
  try {
    return write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_HTTP_CONTENT_LENGTH_MISMATCH') throw error;
    callOf(res.req).outcome = WRONG_LENGTH;
    res.destroy();
    return undefined;
  }
}
