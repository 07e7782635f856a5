import { type Fault, type FieldOptions, field } from '../http/input.js';
import { parseNetwork } from './networks.js';

const MAX_LENGTH = 45;
const NETWORK = { type: 'string', format: 'ip-network', minLength: 1, maxLength: MAX_LENGTH };
const MIN_PREFIX_BITS = { ipv4: 8, ipv6: 32 } as const;

/** An IP address or CIDR range. `bounded` rejects ranges larger than IPv4 /8 and IPv6 /32. */
export function NetworkText({
  bounded = false,
  ...options
}: FieldOptions & { bounded?: boolean } = {}): PropertyDecorator {
  const description = { ...NETWORK, examples: ['198.51.100.0/24'] };
  return field({ ...options, bound: MAX_LENGTH, description }, (value): Fault | undefined => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    const network = parseNetwork(value);
    if (!network || (bounded && network.bits < MIN_PREFIX_BITS[network.kind])) return 'INVALID_FORMAT';
    return undefined;
  });
}
