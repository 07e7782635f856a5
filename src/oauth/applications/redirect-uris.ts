import type { FieldCode } from '../../core/errors.js';

const MAX_LENGTH = 256;
/** How many may be registered, and how long each may be. */
export const REDIRECT_URIS = { max: 10, bound: MAX_LENGTH, tooLong: 'INVALID_URL_FORMAT' } as const;

/** Visible ASCII without wildcard, backslash and fragment: what a URI may hold and a registration may not hide. */
const PLAIN = /^[\x21-\x7e]+$/;
const FORBIDDEN = /[*\\#]/;
/** What may not be hidden in a URI by percent-encoding either: white space, control characters, a backslash. */
const HIDDEN = /[\s\p{Cc}\\]/u;
/** Parameters of the response: one that is registered could pass for what the service says (RFC 6749, RFC 9207). */
const OF_RESPONSE = ['code', 'state', 'iss', 'error', 'error_description'];
const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;
const LOOPBACK_NAME = /^(?:[^.].*\.)?localhost$/;
const LOOPBACK_IP = /^http:\/\/(127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?(?=[/?]|$)/;

const isLoopbackHost = (host: string): boolean =>
  LOOPBACK_NAME.test(host) || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** `null` if the percent-encoding is malformed. */
function decoded(uri: string): string | null {
  try {
    return decodeURIComponent(uri);
  } catch {
    return null;
  }
}

function isAcceptable(uri: string): boolean {
  if (uri.length > MAX_LENGTH || !PLAIN.test(uri) || FORBIDDEN.test(uri)) return false;
  const plain = decoded(uri);
  if (plain === null || HIDDEN.test(plain)) return false;
  const authority = ABSOLUTE.exec(uri)?.[1];
  if (authority === undefined || authority.includes('@') || !URL.canParse(uri)) return false;
  const { protocol, hostname, searchParams } = new URL(uri);
  if (OF_RESPONSE.some((name) => searchParams.has(name))) return false;
  // A host that a parser rewrites (octal, percent-encoded, shortened) is not the one that a person reads.
  if (authority.replace(/:\d*$/, '').toLowerCase() !== hostname) return false;
  return protocol === 'https:' || isLoopbackHost(hostname);
}

/** What keeps a value from being registered (oauth.md 3.2), or nothing. */
export function redirectUriFault(value: unknown): FieldCode | undefined {
  if (typeof value !== 'string') return 'INVALID_FORMAT';
  return isAcceptable(value) ? undefined : 'INVALID_URL_FORMAT';
}

/** A loopback IP address with its port cut out, or `null` for every other URI. */
function withoutLoopbackPort(uri: string): string | null {
  const match = LOOPBACK_IP.exec(uri);
  if (!match || Number(match[2] ?? 80) > 65535) return null;
  return `http://${match[1]}${uri.slice(match[0].length)}`;
}

/** Byte-equal to one that is registered; only the port of one and the same loopback IP literal may float. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  const floating = withoutLoopbackPort(uri);
  return floating !== null && registered.some((candidate) => withoutLoopbackPort(candidate) === floating);
}

/** Adds query parameters to a URI whose own query stays as it is; those that are `undefined` are left out. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value);
  if (query.size === 0) return uri;
  const joint = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${joint}${query}`;
}
