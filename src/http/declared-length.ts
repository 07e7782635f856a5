import { ServerResponse } from 'node:http';
import { callOf } from '../policy/call.js';

/** The outcome of a request whose response was not as long as its `Content-Length`. */
export const WRONG_LENGTH = 'WRONG_LENGTH';

/**
 * Holds a response to its `Content-Length`, whoever writes it. On a connection that goes on, bytes beyond the length would be
 * the response to somebody else's request, and missing ones would be taken from it: the connection ends instead.
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

/** Node throws where a stream writes, which no handler could catch. */
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
