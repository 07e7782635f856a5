import ipaddr from 'ipaddr.js';
import { parseAddress } from '../core/address.js';
import type { Cidr } from '../core/config/reader.js';

type Kind = 'ipv4' | 'ipv6';
const ADDRESS_BITS: Readonly<Record<Kind, number>> = { ipv4: 32, ipv6: 128 };

/** An IP address or CIDR range, in canonical form. */
export interface Network {
  readonly text: string;
  readonly kind: Kind;
  readonly bits: number;
  /** The leading `bits` of the address. */
  readonly prefix: bigint;
}

type Address = NonNullable<ReturnType<typeof parseAddress>>;

const addressToBigInt = (address: Address): bigint =>
  address.toByteArray().reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** The network with the leading bits `prefix`, `bits` long. */
function createNetwork(kind: Kind, prefix: bigint, bits: number): Network {
  const size = ADDRESS_BITS[kind];
  const hex = (prefix << BigInt(size - bits)).toString(16).padStart(size / 4, '0');
  const address = ipaddr.fromByteArray([...Buffer.from(hex, 'hex')]).toString();
  return { text: bits === size ? address : `${address}/${bits}`, kind, bits, prefix };
}

/** Parses an IP address or CIDR range. Returns `null` if it is invalid or has host bits set. */
export function parseNetwork(text: string): Network | null {
  const [, host = '', suffix] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (!address) return null;
  const kind = address.kind();
  const size = ADDRESS_BITS[kind];
  // The prefix length of an IPv4-mapped IPv6 range includes the 96 leading bits of the mapping.
  const bits = suffix === undefined ? size : Number(suffix) - (kind === 'ipv4' && host.includes(':') ? 96 : 0);
  if (bits < 0 || bits > size) return null;
  const rest = BigInt(size - bits);
  const number = addressToBigInt(address);
  return number & ((1n << rest) - 1n) ? null : createNetwork(kind, number >> rest, bits);
}

/** Whether two networks overlap, which means that one contains the other. */
export function networksOverlap(a: Network, b: Network): boolean {
  if (a.kind !== b.kind) return false;
  const bits = Math.min(a.bits, b.bits);
  return a.prefix >> BigInt(a.bits - bits) === b.prefix >> BigInt(b.bits - bits);
}

export const networkFromCidr = ([address, bits]: Cidr): Network => {
  const kind = address.kind();
  return createNetwork(kind, addressToBigInt(address) >> BigInt(ADDRESS_BITS[kind] - bits), bits);
};

const IPV6_BAN_BITS = 64;

/** The network that a ban covers. For IPv6, it is at least a /64. */
export const banCoverage = (banned: Network): Network =>
  banned.kind === 'ipv6' && banned.bits > IPV6_BAN_BITS
    ? createNetwork('ipv6', banned.prefix >> BigInt(banned.bits - IPV6_BAN_BITS), IPV6_BAN_BITS)
    : banned;

/** Networks that are not routed on the public Internet: loopback, private, shared and link-local. */
export const PRIVATE_NETWORKS: readonly Network[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['::', '::1', 'fc00::/7', 'fe80::/10'],
].flatMap((text) => parseNetwork(text) ?? []);
