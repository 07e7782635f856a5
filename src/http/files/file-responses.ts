import { type Call, RESPONSE_HANDLED } from '../../policy/call.js';
import { type BuiltFile, codingFor } from './built-files.js';
import { isNotModified } from './conditions.js';

/** The path of the request, as received. */
export const pathOf = ({ target }: Call): string => target.split('?', 1)[0] ?? '';

/** Sends a file in the best content coding, or 304 if the client has it (RFC 9110 section 13.1.2). */
export function sendFile(call: Call, { type, etag, bytes }: BuiltFile): typeof RESPONSE_HANDLED | undefined {
  const { req, res, transfers } = call;
  res.setHeader('ETag', etag);
  res.appendHeader('Vary', 'Accept-Encoding');
  if (isNotModified(req, etag)) {
    res.statusCode = 304;
    return undefined;
  }
  const coding = codingFor(req.headers['accept-encoding']?.toString());
  const body = bytes[coding];
  const isHead = req.method === 'HEAD';
  if (!isHead) transfers.beginResponse(call);
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', body.length);
  if (coding !== 'identity') res.setHeader('Content-Encoding', coding);
  if (isHead) res.end();
  else transfers.send(call, body, () => {});
  return RESPONSE_HANDLED;
}
