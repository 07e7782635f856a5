import { parseNetwork } from '../../bans/networks.js';
import { type Fault, field, Int, Text } from '../../http/input.js';

const MAX_LENGTH = 45;
const NETWORK = { type: String, format: 'ip-network', minLength: 1, maxLength: MAX_LENGTH };
const WIDEST = { ipv4: 8, ipv6: 32 } as const;

/** An address or CIDR range; `bounded` refuses ranges wider than IPv4 /8 and IPv6 /32. */
function NetworkText({ bounded = false } = {}): PropertyDecorator {
  const description = { ...NETWORK, example: '198.51.100.0/24' };
  return field({ bound: MAX_LENGTH, description }, (value): Fault | undefined => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    const network = parseNetwork(value);
    if (!network || (bounded && network.bits < WIDEST[network.kind])) return 'INVALID_FORMAT';
    return undefined;
  });
}

export class BanEntriesQuery {
  @Int({ min: 1, max: 200, text: true, optional: true }) limit?: number;
  @Text({ min: 1, max: 64, optional: true }) after?: string;
}

export class BanAddressInput {
  @NetworkText({ bounded: true }) ip: string;
}

/** Whatever stands there: what is no address is not banned. */
export class CheckAddressPath {
  @Text({ max: 16_384 }) value: string;
}

export class LiftBanPath {
  @NetworkText() value: string;
}
