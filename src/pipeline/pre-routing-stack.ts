import { Injectable } from '@nestjs/common';
import { AbuseTracker } from '../bans/abuse-tracker.service.js';
import { ApiError } from '../core/errors.js';
import { ClientAddresses } from '../http/client-addresses.js';
import { METHODS } from '../http/recorder.js';
import { RequestHooks } from '../http/request-hooks.js';
import type { Call } from '../policy/call.js';
import { BanGuard, LoadGuard } from './arrival-guards.js';

/** Runs the guards that come before routing. */
@Injectable()
export class PreRoutingStack extends RequestHooks {
  constructor(
    private readonly addresses: ClientAddresses,
    private readonly load: LoadGuard,
    private readonly bans: BanGuard,
    private readonly abuse: AbuseTracker,
  ) {
    super();
  }

  onRequest(call: Call): void {
    if (!METHODS.has(call.req.method ?? '')) throw new ApiError('NOT_FOUND');
    const address = this.addresses.addressOf(call.req);
    call.address = address ?? '';
    this.load.arrive();
    if (address === null) throw new ApiError('FORBIDDEN');
    this.bans.arrive(call);
  }

  onResponse(call: Call, status: number): void {
    this.abuse.recordResponse(call, status);
  }
}
