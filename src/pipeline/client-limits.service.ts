import { Injectable } from '@nestjs/common';
import { ApiError } from '../core/errors.js';
import { ClientAuthenticator } from '../oauth/tokens/client-authenticator.service.js';
import type { Call } from '../policy/call.js';
import type { RoutePlan } from '../policy/plan.js';
import { RequestLimits } from './request-limits.js';

/** Authenticates clients. Some routes have limits that are charged after it, because they depend on the client. */
@Injectable()
export class ClientLimits {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly limits: RequestLimits,
  ) {}

  /** @throws ApiError INVALID_CLIENT, INVALID_REQUEST, RATE_LIMITED, 413, 415 */
  authenticate(call: Call, plan: RoutePlan): Promise<void> {
    const { bucket, confidentialClient } = plan.policy;
    if (this.limits.enabled && bucket?.failures !== undefined)
      return this.limitFailures(call, confidentialClient, { ...bucket, failures: bucket.failures });
    const authenticated = this.clients.authenticate(call, confidentialClient);
    return bucket?.ofResourceServer === undefined ? authenticated : this.limitAfter(authenticated, call, plan);
  }

  /** Charges the limits of the client, or of the IP address if it is not authenticated. A limit is the first error. */
  private async limitAfter(authenticated: Promise<void>, call: Call, plan: RoutePlan): Promise<void> {
    const [outcome] = await Promise.allSettled([authenticated]);
    if (this.limits.enabled) await this.limits.assertWithinLimits(call, plan);
    if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** Charges the limit of the client, or the failures of its IP address, which are limited before the next attempt. */
  private async limitFailures(
    call: Call,
    confidentialOnly: boolean,
    { name, failures }: { readonly name: string; readonly failures: string },
  ): Promise<void> {
    await this.limits.assertFewFailures(call, failures);
    try {
      await this.clients.authenticate(call, confidentialOnly);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'INVALID_CLIENT') await this.limits.recordFailure(call, failures);
      throw error;
    }
    await this.limits.assertWithinClient(call, name);
  }
}
