import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { isPublicAddress, parseAddress } from '../../core/address.js';
import { NameFault, type NameOptions, Names } from './names.js';

/** Why a request to another server failed without a response. */
export type OutboundReason =
  /** The URL, its host name or one of its IP addresses is not allowed. */
  | 'target'
  /** Too many redirects, a redirect loop, or a redirect without a location. */
  | 'redirect'
  | 'unreachable'
  | 'slow'
  /** The header block is too long. */
  | 'headers'
  /** The response is too long, by its declared or its actual length. */
  | 'size'
  /** Too many requests are in progress. */
  | 'busy';

/** An outbound request that failed without a response. Contains nothing that the other server sent. */
export class OutboundFault extends Error {
  constructor(readonly reason: OutboundReason) {
    super(`an outbound request failed: ${reason}`);
  }
}

export interface Way {
  readonly address: string;
  readonly port: number;
}

/** DNS and connection targets as this process sees them. Tests replace it. */
export class Network {
  /** Users' host names have a queue of their own, so that slow ones delay only users' requests. */
  private readonly ofUsers: Names;
  private readonly ofOperators: Names;
  private readonly own = new Map<string, Promise<readonly string[]>>();

  constructor(options: NameOptions = {}) {
    this.ofUsers = new Names(options);
    this.ofOperators = new Names(options);
  }

  /**
   * Returns all IP addresses of a host name that a user or an administrator chose.
   * @throws NameFault
   */
  addressesOf(name: string, by: 'user' | 'operator' = 'operator'): Promise<readonly string[]> {
    return (by === 'user' ? this.ofUsers : this.ofOperators).addressesOf(name);
  }

  /**
   * Returns all IP addresses of a host name from the environment. If DNS has none, the system resolver is tried, which
   * may know more, such as the search list of a cluster.
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

  /** Returns where to connect for a checked IP address. Tests override it. */
  wayTo(address: string, port: number): Way {
    return { address, port };
  }
}

/** Whether an IP address is public and not an IPv4 address in IPv6 notation, which is rejected (media.md section 6). */
const isPublicTarget = (address: string): boolean =>
  isPublicAddress(address) && parseAddress(address)?.kind() === `ipv${isIP(address)}`;

/**
 * Who chose a host: a user (`foreign`), an administrator (`public`, `anywhere`) or the environment (`own`). `foreign`
 * and `public` reject a host if any of its IP addresses is not globally routable.
 */
export type Reach = 'foreign' | 'public' | 'anywhere' | 'own';

/**
 * Returns the IP addresses to which a connection to `host` (a name or an IP address) is allowed.
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

/** Returns only checked IP addresses, so that a second DNS lookup cannot return other ones (DNS rebinding). */
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
  /** The trusted certificate authorities. Called only for TLS connections. */
  readonly trust: () => SecureContext;
}

/**
 * Connects only to checked IP addresses. A lookup hook is not enough, because it is not called if the host is an IP
 * address.
 */
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
