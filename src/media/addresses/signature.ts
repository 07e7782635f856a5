import { createHmac } from 'node:crypto';
import { equalsInConstantTime } from '../../core/secrets.js';

const UNIX = /^[1-9][0-9]{0,10}$/;

/** HMAC-SHA-256 of `signed`, as 43 base64url characters (media.md 5.1). */
export const signatureOf = (secret: string, signed: string): string =>
  createHmac('sha256', secret).update(signed, 'latin1').digest('base64url');

/** The opaque form of a target. Signed URLs that this service issues always use it. */
export const opaqueTarget = (url: string): string => `v2/${Buffer.from(url).toString('base64url')}`;

/** True if one of the secrets signed it. Checks all secrets, so that the time does not reveal which one matched. */
export function isSignedBy(secrets: readonly string[], signature: string, signed: string): boolean {
  let found = false;
  for (const secret of secrets) {
    found = equalsInConstantTime(Buffer.from(signatureOf(secret, signed)), Buffer.from(signature)) || found;
  }
  return found;
}

/** Splits off the expiration time of a signed path. Returns `null` if the time is malformed. */
export function splitExpiry(signed: string): { target: string; expires: number | null } | null {
  if (!signed.startsWith('e/')) return { target: signed, expires: null };
  const end = signed.indexOf('/', 2);
  const unix = signed.slice(2, end);
  return end < 0 || !UNIX.test(unix) ? null : { target: signed.slice(end + 1), expires: Number(unix) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readOpaque(text: string): string | null {
  const bytes = Buffer.from(text, 'base64url');
  if (text === '' || bytes.toString('base64url') !== text) return null;
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function readSegmented(target: string): string | null {
  const segments = target.split('/');
  let query = '';
  if (/^%3F/i.test(segments[0] ?? '')) {
    try {
      query = decodeURIComponent(segments.shift() ?? '');
    } catch {
      return null;
    }
  }
  const [scheme, host, ...path] = segments;
  if ((scheme !== 'http' && scheme !== 'https') || !host) return null;
  return `${scheme}://${host}/${path.join('/')}${query}`;
}

/** Returns the URL of a target (opaque or segmented), or `null` if it is malformed. */
export const urlOfTarget = (target: string): string | null =>
  target.startsWith('v2/') ? readOpaque(target.slice(3)) : readSegmented(target);
