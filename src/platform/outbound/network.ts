import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { isPublicAddress, parseAddress } from '../../core/address.js';
import { DnsError, type DnsOptions, DnsResolver } from './dns-resolver.js';

/** Why a request to another server failed without a response. */
export type OutboundReason =
  /** The URL, its host name or one of its IP addresses is not allowed. */
  | 'target'
  /** Too many redirects, a redirect loop, or a redirect without a location. */
  | 'redirect'
  | 'unreachable'
  /** The certificate of the server is invalid, names another host, or comes from an unknown authority. */
  | 'certificate'
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

export interface ConnectionEndpoint {
  readonly address: string;
  readonly port: number;
}

/** DNS and connection targets as this process sees them. Tests replace it. */
export class Network {
  /** Users' host names have a queue of their own, so that slow ones delay only users' requests. */
  private readonly userResolver: DnsResolver;
  private readonly operatorResolver: DnsResolver;
  private readonly systemLookups = new Map<string, Promise<readonly string[]>>();

  constructor(dnsOptions: DnsOptions = {}) {
    this.userResolver = new DnsResolver(dnsOptions);
    this.operatorResolver = new DnsResolver(dnsOptions);
  }

  /**
   * Returns all IP addresses of a host name that a user or an administrator chose.
   * @throws DnsError
   */
  resolve(name: string, by: 'user' | 'operator' = 'operator'): Promise<readonly string[]> {
    return (by === 'user' ? this.userResolver : this.operatorResolver).resolve(name);
  }

  /**
   * Returns all IP addresses of a host name from the environment. If DNS has none, the system resolver is tried, which
   * may know more, such as the search list of a cluster.
   */
  async resolveWithSystemFallback(name: string): Promise<readonly string[]> {
    try {
      return await this.resolve(name);
    } catch (error) {
      if (!(error instanceof DnsError) || error.dnsErrorReason !== 'absent') throw error;
    }
    const running = this.systemLookups.get(name);
    if (running) return running;
    const response = lookup(name, { all: true })
      .then((found) => found.map(({ address }) => address))
      .finally(() => this.systemLookups.delete(name));
    this.systemLookups.set(name, response);
    return response;
  }

  /** Returns where to connect for a checked IP address. Tests override it. */
  endpointFor(address: string, port: number): ConnectionEndpoint {
    return { address, port };
  }
}

/** Whether an IP address is public and not an IPv4 address in IPv6 notation, which is rejected (media.md section 6). */
const isPublicTarget = (address: string): boolean =>
  isPublicAddress(address) && parseAddress(address)?.kind() === `ipv${isIP(address)}`;

/**
 * The source of a host name: a user (`foreign`), an administrator (`public`, `anywhere`) or the environment (`own`).
 * `foreign` and `public` reject a host if any of its IP addresses is not globally routable.
 */
export type AddressPolicy = 'foreign' | 'public' | 'anywhere' | 'own';

/**
 * Returns the IP addresses to which a connection to `host` (a name or an IP address) is allowed.
 * @throws OutboundFault `target`, `unreachable`, `busy`
 */
export async function resolveAllowedAddresses(
  network: Network,
  host: string,
  reach: AddressPolicy,
): Promise<readonly string[]> {
  const isName = isIP(host) === 0;
  const mustBePublic = reach === 'foreign' || reach === 'public';
  const addresses = isName
    ? await resolveName(network, host, reach).catch((error) => {
        if (error instanceof DnsError && error.dnsErrorReason === 'busy') throw new OutboundFault('busy');
        throw new OutboundFault(mustBePublic ? 'target' : 'unreachable');
      })
    : [host];
  const areFit = addresses.every((address) => (mustBePublic ? isPublicTarget(address) : isIP(address) !== 0));
  if (addresses.length === 0 || !areFit) throw new OutboundFault('target');
  return addresses;
}

const resolveName = (network: Network, host: string, reach: AddressPolicy): Promise<readonly string[]> =>
  reach === 'own'
    ? network.resolveWithSystemFallback(host)
    : network.resolve(host, reach === 'foreign' ? 'user' : 'operator');

/** Returns only checked IP addresses, so that a second DNS lookup cannot return other ones (DNS rebinding). */
const createFixedLookup =
  (addresses: readonly string[]): LookupFunction =>
  (_name, options, callback) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };

interface ConnectorOptions {
  readonly network: Network;
  readonly addressPolicy: AddressPolicy;
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
  { network, addressPolicy, timeoutMs, trust }: ConnectorOptions,
): buildConnector.connector {
  const connect = async (options: buildConnector.Options): Promise<[buildConnector.connector, typeof options]> => {
    const { hostname, protocol } = options;
    const port = Number(options.port) || (protocol === 'https:' ? 443 : 80);
    const addresses = await resolveAllowedAddresses(network, hostname, addressPolicy);
    const ways = addresses.map((address) => network.endpointFor(address, port));
    const lookup = createFixedLookup(ways.map(({ address }) => address));
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
