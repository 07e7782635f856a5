import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Cidr } from './config/reader.js';

/**
 * Ranges that are unassigned or reserved for documentation and benchmarks, which ipaddr.js counts as ordinary
 * addresses.
 */
const RESERVED_RANGES: readonly Cidr[] = [
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '198.18.0.0/15',
  '2001:db8::/32',
  '3fff::/20',
  // The 6bone, returned to IANA (RFC 3701).
  '3ffe::/16',
].map((range) => ipaddr.parseCIDR(range));
/** All IPv6 addresses that IANA has allocated. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Maximum length of an IP address in any notation. */
const MAX_ADDRESS_LENGTH = 64;

/** Parses an IP address in any strict notation; IPv4-mapped IPv6 becomes IPv4. Returns `null` for anything else. */
export function parseAddress(text: string): Address | null {
  if (text.length > MAX_ADDRESS_LENGTH) return null;
  // Accept only the four-part decimal form of IPv4. ipaddr.js also reads octal, hexadecimal and short forms.
  if (!text.includes(':') && !/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(text)) return null;
  if (!ipaddr.isValid(text) || text.includes('%')) return null;
  return ipaddr.process(text);
}

const isGap = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** Removes the white space that HTTP allows around a hop; `trim` would remove more. */
function trimHop(text: string): string {
  let [start, end] = [0, text.length];
  while (isGap(text[start])) start++;
  while (end > start && isGap(text[end - 1])) end--;
  return text.slice(start, end);
}

/** The format of proxies that append the port of the connection: `192.0.2.1:443` or `[2001:db8::1]:443`. */
const ADDRESS_WITH_PORT = /^(?:((?:\d{1,3}\.){3}\d{1,3})|\[([\da-f]{0,4}:[\da-f:.]{1,41})\]):(\d{1,5})$/i;

/** The IP address of a hop, without its port. */
function parseHop(hop: string): Address | null {
  const text = trimHop(hop);
  const [, v4, v6, port] = ADDRESS_WITH_PORT.exec(text) ?? [];
  return Number(port ?? 0) > 65535 ? null : parseAddress(v4 ?? v6 ?? text);
}

const isIn = (address: Address, ranges: readonly Cidr[]): boolean =>
  ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));

export const addressIsIn = (text: string, ranges: readonly Cidr[]): boolean => {
  const address = parseAddress(text);
  return address !== null && isIn(address, ranges);
};

/**
 * The client IP address (conventions.md section 1). Without trusted proxies, it is the address of the peer. Behind
 * trusted proxies, it is the rightmost untrusted hop of `X-Forwarded-For`, or the leftmost hop if all are trusted.
 * Returns `null` if a trusted peer does not send a valid header.
 */
export function clientAddress(req: IncomingMessage, trusted: readonly Cidr[]): string | null {
  const text = req.socket.remoteAddress ?? '';
  if (trusted.length === 0 && !text.includes(':')) return text || null;
  const peer = parseAddress(text);
  if (!peer) return null;
  if (trusted.length === 0 || !isIn(peer, trusted)) return peer.toString();
  const forwarded = req.headers['x-forwarded-for'];
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',');
  let leftmost: Address | null = null;
  for (const hop of hops.reverse()) {
    leftmost = parseHop(hop);
    if (!leftmost) return null;
    if (!isIn(leftmost, trusted)) break;
  }
  return leftmost?.toString() ?? null;
}

/** Whether the IP address is globally routable unicast: not private, not reserved, not for documentation or tests. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address?.range() !== 'unicast' || isIn(address, RESERVED_RANGES)) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST, 3);
}

/** An IP address as a key: IPv4 exactly, IPv6 by its /64. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = parseAddress(address);
  if (!parsed) return address;
  const groups = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(':')}::/64`;
}

/** The subnet of an IP address: IPv4 /24, IPv6 /48. */
export function subnetKey(address: string): string {
  if (!address.includes(':')) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  const parsed = parseAddress(address);
  if (!parsed) return address;
  const groups = (parsed as ipaddr.IPv6).parts.slice(0, 3).map((part) => part.toString(16));
  return `${groups.join(':')}::/48`;
}

/** Masks an IP address for session lists: two groups of four or eight remain. */
export function maskAddress(address: string): string | null {
  const parsed = parseAddress(address);
  if (!parsed) return null;
  if (parsed.kind() === 'ipv4') return `${address.split('.').slice(0, 2).join('.')}.x.x`;
  const groups = (parsed as ipaddr.IPv6).parts.slice(0, 2).map((part) => part.toString(16));
  return `${groups.join(':')}:x:x:x:x:x:x`;
}
