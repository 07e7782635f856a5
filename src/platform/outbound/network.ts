import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { isPublicAddress, parseAddress } from '../../core/address.js';
import { NameFault, type NameOptions, Names } from './names.js';

/** Why a request to another server did not end with an answer. */
export type OutboundReason =
  /** The target may not be asked: its URL, its name or one of its addresses. */
  | 'target'
  /** Redirected too often, in a circle or to nowhere. */
  | 'redirect'
  | 'unreachable'
  | 'slow'
  /** The header block is too long. */
  | 'headers'
  /** The answer is too long, declared or counted. */
  | 'size'
  /** Too many requests are under way. */
  | 'busy';

/** A request that ended without an answer. Holds nothing that the other server said. */
export class OutboundFault extends Error {
  constructor(readonly reason: OutboundReason) {
    super(`an outbound request failed: ${reason}`);
  }
}

export interface Way {
  readonly address: string;
  readonly port: number;
}

/** Names and ways as this process sees them. Tests pass a network of their own. */
export class Network {
  /** What users name may be slow without keeping anything waiting but what users name. */
  private readonly ofUsers: Names;
  private readonly ofOperators: Names;
  private readonly own = new Map<string, Promise<readonly string[]>>();

  constructor(options: NameOptions = {}) {
    this.ofUsers = new Names(options);
    this.ofOperators = new Names(options);
  }

  /**
   * Every address of a name that users or administrators chose.
   * @throws NameFault
   */
  addressesOf(name: string, by: 'user' | 'operator' = 'operator'): Promise<readonly string[]> {
    return (by === 'user' ? this.ofUsers : this.ofOperators).addressesOf(name);
  }

  /**
   * Every address of a name that stands in the environment. Where the domain name system has none, the machine may
   * know it by other means, such as the search list of a cluster.
   */
  async ownAddressesOf(name: string): Promise<readonly string[]> {
    try {
      return await this.addressesOf(name);
    } catch (error) {
      if (!(error instanceof NameFault) || error.reason !== 'absent') throw error;
    }
    const running = this.own.get(name);
    if (running) return running;
    const answer = lookup(name, { all: true })
      .then((found) => found.map(({ address }) => address))
      .finally(() => this.own.delete(name));
    this.own.set(name, answer);
    return answer;
  }

  /** Where a connection to an address, which was checked, is made. */
  wayTo(address: string, port: number): Way {
    return { address, port };
  }
}

/** Public in its own spelling: an IPv4 address written as IPv6 is refused (media.md section 6). */
const isPublicTarget = (address: string): boolean =>
  isPublicAddress(address) && parseAddress(address)?.kind() === `ipv${isIP(address)}`;

/**
 * Who named a host: a user (`foreign`), an administrator (`public`, `anywhere`), the environment (`own`). `foreign` and
 * `public` refuse it if a single one of its addresses is not globally routable.
 */
export type Reach = 'foreign' | 'public' | 'anywhere' | 'own';

/**
 * The addresses to which a connection to `host`, a name or an address, may be made.
 * @throws OutboundFault `target`, `unreachable`, `busy`
 */
export async function checkedAddresses(network: Network, host: string, reach: Reach): Promise<readonly string[]> {
  const isName = isIP(host) === 0;
  const mustBePublic = reach === 'foreign' || reach === 'public';
  const addresses = isName
    ? await namedAddresses(network, host, reach).catch((error) => {
        if (error instanceof NameFault && error.reason === 'busy') throw new OutboundFault('busy');
        throw new OutboundFault(mustBePublic ? 'target' : 'unreachable');
      })
    : [host];
  const areFit = addresses.every((address) => (mustBePublic ? isPublicTarget(address) : isIP(address) !== 0));
  if (addresses.length === 0 || !areFit) throw new OutboundFault('target');
  return addresses;
}

const namedAddresses = (network: Network, host: string, reach: Reach): Promise<readonly string[]> =>
  reach === 'own' ? network.ownAddressesOf(host) : network.addressesOf(host, reach === 'foreign' ? 'user' : 'operator');

/** Answers what was checked, so that no second look-up can answer anything else. */
const fixedLookup =
  (addresses: readonly string[]): LookupFunction =>
  (_name, options, callback) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };

interface ConnectorOptions {
  readonly network: Network;
  readonly reach: Reach;
  readonly timeoutMs: number;
  /** Whom connections trust; asked for only where one is secured. */
  readonly trust: () => SecureContext;
}

/** Connects to checked addresses only. The host may be an address: a look-up hook alone would not see that. */
export function guardedConnector(
  build: typeof buildConnector,
  { network, reach, timeoutMs, trust }: ConnectorOptions,
): buildConnector.connector {
  const connect = async (options: buildConnector.Options): Promise<[buildConnector.connector, typeof options]> => {
    const { hostname, protocol } = options;
    const port = Number(options.port) || (protocol === 'https:' ? 443 : 80);
    const addresses = await checkedAddresses(network, hostname, reach);
    const ways = addresses.map((address) => network.wayTo(address, port));
    const lookup = fixedLookup(ways.map(({ address }) => address));
    const secured = protocol === 'https:' ? { secureContext: trust() } : {};
    const connector = build({ lookup, timeout: timeoutMs, maxCachedSessions: 0, ...secured });
    const [first] = ways;
    const target = {
      ...options,
      hostname: isIP(hostname) !== 0 && first ? first.address : hostname,
      port: String(first?.port ?? port),
    };
    return [connector, target];
  };
  return (options, callback) => {
    connect(options)
      .then(([connector, target]) => connector(target, callback))
      .catch((error: Error) => callback(error, null));
  };
}
