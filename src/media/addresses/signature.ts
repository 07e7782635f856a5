import { createHmac } from 'node:crypto';
import { matches } from '../../core/secrets.js';

const UNIX = /^[1-9][0-9]{0,10}$/;

/** HMAC-SHA-256 of `signed`, 43 characters (media.md 5.1). */
export const signatureOf = (secret: string, signed: string): string =>
  createHmac('sha256', secret).update(signed, 'latin1').digest('base64url');

/** The opaque form of a target, which the issuer always uses. */
export const opaqueTarget = (url: string): string => `v2/${Buffer.from(url).toString('base64url')}`;

/** Whether one of the secrets signed it; every one is computed. */
export function isSignedBy(secrets: readonly string[], signature: string, signed: string): boolean {
  let found = false;
  for (const secret of secrets) {
    found = matches(Buffer.from(signatureOf(secret, signed)), Buffer.from(signature)) || found;
  }
  return found;
}

/** The expiry of the expiring form and the target behind it; `null` when `unix` is malformed. */
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

/** The URL that a target (opaque or segmented) stands for, or `null`. */
export const urlOfTarget = (target: string): string | null =>
  target.startsWith('v2/') ? readOpaque(target.slice(3)) : readSegmented(target);
