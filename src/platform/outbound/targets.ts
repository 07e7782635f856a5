import type { Config } from '../../core/config/config.js';

/**
 * Rules for URLs that are fetched on behalf of a user, as far as the text of the URL is concerned (media.md section 6).
 */
export interface TargetRules {
  /** Allowed ports. If empty, all except 0. */
  readonly ports: readonly number[];
  /** Hosts of the service itself, which are never allowed. */
  readonly ownHosts: ReadonlySet<string>;
}

const MAX_URL_BYTES = 8192;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
export const UNSAFE_CHARACTERS = /[\u0000-\u0020\u007f-\u009f\\]/;
const AUTHORITY = /^[^:/?#]*:([^/?#]*)\/*([^/?#]*)/;

/** Whether a URL contains user info in any form that a URL parser might recognize. */
export const hasUserInfo = (text: string): boolean =>
  AUTHORITY.exec(text)
    ?.slice(1)
    .some((part) => part.includes('@')) ?? false;

export const getOwnHosts = ({ publicOrigin, webAppUrl, media }: Config): ReadonlySet<string> =>
  new Set([publicOrigin, webAppUrl, media.baseUrl].map((url) => new URL(url).hostname));

/** Whether a host is a domain name with a dot, not an IP address in any notation and not a local name. */
function isPublicName(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= 253 &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  );
}

/** Parses a URL and removes its fragment. Returns `null` if it breaks a rule. Does not use DNS. */
export function parseTarget(text: string, { ports, ownHosts }: TargetRules): URL | null {
  if (Buffer.byteLength(text) > MAX_URL_BYTES || UNSAFE_CHARACTERS.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isHttp || url.username || url.password || hasUserInfo(text)) return null;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (port === 0 || (ports.length > 0 && !ports.includes(port))) return null;
  if (!isPublicName(url.hostname) || ownHosts.has(url.hostname)) return null;
  url.hash = '';
  return url;
}
