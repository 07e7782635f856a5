import { Injectable, type Type } from '@nestjs/common';
import { IpBans } from '../bans/ip-bans.service.js';
import { type ErrorCode } from '../core/errors.js';
import { Load } from '../http/load.js';
import type { Call } from '../policy/call.js';

/** A guard that runs before routing and before anything is read. */
export interface ArrivalGuard {
  /** A stable name, which the console and the command line show. */
  readonly id: string;
  arrive(call: Call): void;
  /** The error codes that the guard can return. */
  possibleErrors(): readonly ErrorCode[];
}

/** The guards that run before anything is read, on known and unknown paths (credentials.md section 4, rows 1 and 2). */
export const arrivalGuardsInOrder = (): Type<ArrivalGuard>[] => [
  LoadGuard, //       1   503 SERVICE_UNAVAILABLE
  BanGuard, //        2   403 GLOBAL_IP_BANNED, GLOBAL_IP_TEMPORARILY_BANNED
];

@Injectable()
export class LoadGuard implements ArrivalGuard {
  readonly id = 'load';

  constructor(private readonly load: Load) {}

  arrive(): void {
    this.load.assertCapacity();
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['SERVICE_UNAVAILABLE'];
  }
}

@Injectable()
export class BanGuard implements ArrivalGuard {
  readonly id = 'ip_ban';

  constructor(private readonly bans: IpBans) {}

  arrive({ address }: Pick<Call, 'address'>): void {
    this.bans.assertNotBanned(address);
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['GLOBAL_IP_BANNED', 'GLOBAL_IP_TEMPORARILY_BANNED'];
  }
}
