import type { FieldCode } from '../../core/errors.js';

const MAX_LENGTH = 256;
/** Maximum number of redirect URIs and maximum length of each. */
export const REDIRECT_URIS = { max: 10, bound: MAX_LENGTH, tooLong: 'INVALID_URL_FORMAT' } as const;

/** Redirect URIs contain only visible ASCII characters, without wildcard, backslash and fragment. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const FORBIDDEN_CHARACTERS = /[*\\#]/;
/** White space, control characters and backslashes. They are also rejected when they are percent-encoded. */
const FORBIDDEN_WHEN_DECODED = /[\s\p{Cc}\\]/u;
/**
 * Parameters of the authorization response. A redirect URI must not contain them, because clients could take them for
 * values of the service (RFC 6749, RFC 9207).
 */
const RESPONSE_PARAMETERS = ['code', 'state', 'iss', 'error', 'error_description'];
const ABSOLUTE_URL = /^https?:\/\/([^/?#]+)/i;
const LOOPBACK_NAME = /^(?:[^.].*\.)?localhost$/;
const LOOPBACK_IP = /^http:\/\/(127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?(?=[/?]|$)/;

const isLoopbackHost = (host: string): boolean =>
  LOOPBACK_NAME.test(host) || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** Decodes a URI. Returns `null` if its percent-encoding is malformed. */
function decodeUri(uri: string): string | null {
  try {
    return decodeURIComponent(uri);
  } catch {
    return null;
  }
}

/** Parses a URL that every parser reads alike. Returns `null` for all others. */
function parseStrictly(uri: string): URL | null {
  if (uri.length > MAX_LENGTH || !VISIBLE_ASCII.test(uri) || FORBIDDEN_CHARACTERS.test(uri)) return null;
  const plain = decodeUri(uri);
  if (plain === null || FORBIDDEN_WHEN_DECODED.test(plain)) return null;
  const authority = ABSOLUTE_URL.exec(uri)?.[1];
  if (authority === undefined || authority.includes('@') || !URL.canParse(uri)) return null;
  const url = new URL(uri);
  // Reject hosts that a parser rewrites (octal, percent-encoded, shortened), because users would read another host.
  return authority.replace(/:\d*$/, '').toLowerCase() === url.hostname ? url : null;
}

function isAcceptable(uri: string): boolean {
  const url = parseStrictly(uri);
  if (!url || RESPONSE_PARAMETERS.some((name) => url.searchParams.has(name))) return false;
  return url.protocol === 'https:' || isLoopbackHost(url.hostname);
}

/** Returns why a redirect URI cannot be registered (oauth.md 3.2), or `undefined`. */
export function redirectUriFault(value: unknown): FieldCode | undefined {
  if (typeof value !== 'string') return 'INVALID_FORMAT';
  return isAcceptable(value) ? undefined : 'INVALID_URL_FORMAT';
}

/** Returns why a text cannot be the URL for back-channel logout, or `undefined`. The service checks its host. */
export function backchannelUriFault(value: unknown): FieldCode | undefined {
  if (typeof value !== 'string') return 'INVALID_FORMAT';
  return parseStrictly(value) ? undefined : 'INVALID_URL_FORMAT';
}

/** Removes the port of a loopback IP address. Returns `null` for all other URIs. */
function withoutLoopbackPort(uri: string): string | null {
  const match = LOOPBACK_IP.exec(uri);
  if (!match || Number(match[2] ?? 80) > 65535) return null;
  return `http://${match[1]}${uri.slice(match[0].length)}`;
}

/** Whether a URI is registered. It must match byte by byte, but the port of a loopback IP literal may differ. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  const floating = withoutLoopbackPort(uri);
  return floating !== null && registered.some((candidate) => withoutLoopbackPort(candidate) === floating);
}

/** Adds query parameters to a URI and keeps its own query. Parameters that are `undefined` are left out. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value);
  if (query.size === 0) return uri;
  const joint = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${joint}${query}`;
}
