import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';

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
@Injectable()
export class Network {
  /** Every address of a name. */
  async addressesOf(name: string): Promise<readonly string[]> {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  }

  /** Where a connection to an address, which was checked, is made. */
  wayTo(address: string, port: number): Way {
    return { address, port };
  }
}

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');

/** Global unicast: no address of this machine, its networks, a tunnel, a document or a test (media.md section 6). */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() === 'unicast' && (family === 4 || parsed.match(GLOBAL_UNICAST, 3));
}

/** `public` refuses a host if a single one of its addresses is not globally routable. */
export type Reach = 'public' | 'anywhere';

/**
 * The addresses to which a connection to `host`, a name or an address, may be made.
 * @throws OutboundFault `target`, `unreachable`
 */
export async function checkedAddresses(network: Network, host: string, reach: Reach): Promise<readonly string[]> {
  const isName = isIP(host) === 0;
  const addresses = isName
    ? await network.addressesOf(host).catch(() => {
        throw new OutboundFault(reach === 'public' ? 'target' : 'unreachable');
      })
    : [host];
  const areFit = addresses.every((address) => (reach === 'public' ? isPublicAddress(address) : isIP(address) !== 0));
  if (addresses.length === 0 || !areFit) throw new OutboundFault('target');
  return addresses;
}

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
  readonly ca: readonly string[] | undefined;
}

/** Connects to checked addresses only. The host may be an address: a look-up hook alone would not see that. */
export function guardedConnector(
  build: typeof buildConnector,
  { network, reach, timeoutMs, ca }: ConnectorOptions,
): buildConnector.connector {
  const connect = async (options: buildConnector.Options): Promise<[buildConnector.connector, typeof options]> => {
    const { hostname, protocol } = options;
    const port = Number(options.port) || (protocol === 'https:' ? 443 : 80);
    const addresses = await checkedAddresses(network, hostname, reach);
    const ways = addresses.map((address) => network.wayTo(address, port));
    const lookup = fixedLookup(ways.map(({ address }) => address));
    const connector = build({ lookup, timeout: timeoutMs, maxCachedSessions: 0, ...(ca ? { ca: [...ca] } : {}) });
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
