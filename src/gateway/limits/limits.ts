import type { Config } from '../../core/config/config.js';
import type { AddressUse } from '../protocol/windows.js';
import type { GatewaySession } from '../sessions/session.js';

/** Rate and connection limits of clients (contract/gateway.md section 10). */
export abstract class GatewayLimits {
  abstract takePayload(use: AddressUse, session: GatewaySession | null): boolean | Promise<boolean>;
  abstract takeAttempt(use: AddressUse): boolean | Promise<boolean>;
  /** True if the IP address, and the third-party pages on it, are within the socket limits. */
  abstract allowsSocket(use: AddressUse, foreign: AddressUse | null): boolean | Promise<boolean>;
  /** Called when a socket of the IP address has closed. */
  abstract onSocketClosed(use: AddressUse): void;
  abstract tick(now: number, addresses: Iterable<AddressUse>): void;
  /** Removes the counts of this process on shutdown. */
  abstract removeOwnCounts(addresses: Iterable<AddressUse>): Promise<void>;
}

/** True if the socket counts are within the limits: all sockets of an IP address, then those of third-party pages. */
export function isWithinSocketLimits(config: Config, [sockets = 0, ofForeignPages = 0]: readonly number[]): boolean {
  const { sockets_per_address, foreign_sockets_per_address } = config.gateway;
  return sockets <= sockets_per_address && ofForeignPages <= foreign_sockets_per_address;
}
