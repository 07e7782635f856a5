import type { Config } from '../../core/config/config.js';
import type { AddressUse } from '../protocol/windows.js';
import type { GatewaySession } from '../sessions/session.js';

/** What clients may use up (contract/gateway.md section 10). */
export abstract class GatewayLimits {
  abstract takePayload(use: AddressUse, session: GatewaySession | null): boolean | Promise<boolean>;
  abstract takeAttempt(use: AddressUse): boolean | Promise<boolean>;
  /** Whether the address may have as many sockets as it has, and foreign pages as many of them. */
  abstract hasRoom(use: AddressUse, foreign: AddressUse | null): boolean | Promise<boolean>;
  /** A socket of the address has ended. */
  abstract left(use: AddressUse): void;
  abstract tick(now: number, addresses: Iterable<AddressUse>): void;
  /** The process leaves with its sockets. */
  abstract leave(addresses: Iterable<AddressUse>): Promise<void>;
}

/** Whether an address may have so many sockets, and foreign pages so many of them. */
export function fitsIn(config: Config, [sockets = 0, ofForeignPages = 0]: readonly number[]): boolean {
  const { sockets_per_address, foreign_sockets_per_address } = config.gateway;
  return sockets <= sockets_per_address && ofForeignPages <= foreign_sockets_per_address;
}
