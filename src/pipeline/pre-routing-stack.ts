import { Injectable } from '@nestjs/common';
import { AbuseTracker } from '../bans/abuse-tracker.service.js';
import { ApiError } from '../core/errors.js';
import type { RequestListener } from '../http/adapter.js';
import { ClientAddresses } from '../http/client-addresses.js';
import { METHODS } from '../http/recorder.js';
import { RequestHooks } from '../http/request-hooks.js';
import type { Call } from '../policy/call.js';
import { BanGuard, LoadGuard } from './arrival-guards.js';
import { FastPath } from './fast-path.js';

/** Runs the guards that come before routing, and chooses how the handler is called. */
@Injectable()
export class PreRoutingStack extends RequestHooks {
  constructor(
    private readonly addresses: ClientAddresses,
    private readonly load: LoadGuard,
    private readonly bans: BanGuard,
    private readonly abuse: AbuseTracker,
    private readonly fastPath: FastPath,
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

  dispatch(call: Call, path: string, next: RequestListener): Promise<void> | undefined {
    return this.fastPath.dispatch(call, path, next);
  }

  onResponse(call: Call, status: number): void {
    this.abuse.recordResponse(call, status);
  }
}
