import { Injectable } from '@nestjs/common';
import { AbuseLedger } from '../bans/abuse-ledger.service.js';
import { Refusal } from '../core/errors.js';
import { Doorkeeper } from '../http/doorkeeper.js';
import type { Call } from '../policy/call.js';
import { BanGuard, LoadGuard } from './guards.js';

/** Runs the guards that come before routing. */
@Injectable()
export class ArrivalStack extends Doorkeeper {
  constructor(
    private readonly load: LoadGuard,
    private readonly bans: BanGuard,
    private readonly abuse: AbuseLedger,
  ) {
    super();
  }

  arrive(call: Call, address: string | null): void {
    this.load.arrive();
    if (address === null) throw new Refusal('FORBIDDEN');
    this.bans.arrive(call);
  }

  leave(call: Call, status: number): void {
    this.abuse.note(call, status);
  }
}
