import { Injectable } from '@nestjs/common';
import { ACCOUNT_FLAGS } from '../accounts/account-facts.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { digest } from '../core/secrets.js';
import { anonymousCallerKey, bucketId, Limiter } from '../platform/store/limits.js';
import { allowanceHeaders, globalLimitError, routeLimitError } from '../platform/store/rate-limit-errors.js';
import type { Call, GuardedCall } from '../policy/call.js';
import type { RoutePlan } from '../policy/plan.js';

const GLOBAL_LIMIT = 50;
const HIGH_GLOBAL_LIMIT = 1200;

/** The subject of a rate limit: a request or a gateway command. A command has no response headers. */
export type RateLimitSubject = Pick<GuardedCall, 'identity' | 'address' | 'isOperational' | 'params'> &
  Partial<Pick<Call, 'header' | 'client'> & Pick<GuardedCall, 'anonymousKey'>>;

/** The rate-limit key of the caller: its identity, or its IP address without one. */
function callerKey({ identity, address, anonymousKey }: RateLimitSubject): string {
  switch (identity?.via) {
    case undefined:
      return anonymousKey === undefined ? anonymousCallerKey(address) : `service/${anonymousKey}`;
    case 'bearer':
      return `bearer/${identity.account.id}/${identity.applicationId}`;
    case 'admin-key':
      return `admin-key/${identity.keyId}`;
    default:
      return `${identity?.via}/${identity?.account.id}`;
  }
}

/** The rate limits of every request: the global limit, then the bucket of the route. */
@Injectable()
export class RequestLimits {
  constructor(
    private readonly limiter: Limiter,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  get enabled(): boolean {
    return this.config.rateLimits;
  }

  /** @throws ApiError RATE_LIMITED */
  async assertWithinLimits(call: RateLimitSubject, plan: Pick<RoutePlan, 'policy' | 'bucketId'>): Promise<void> {
    const { bucket } = plan.policy;
    if (bucket?.ofResourceServer !== undefined && (call.client?.resourceScopes.length ?? 0) > 0) {
      await this.assertWithinClient(call, bucket.ofResourceServer);
      return;
    }
    const flags = call.identity?.account.flags ?? 0n;
    if (call.isOperational || flags & ACCOUNT_FLAGS.RATE_LIMIT_BYPASS) return;
    const caller = callerKey(call);
    if (!bucket || this.limiter.countsGlobally(bucket.name)) {
      const limit = flags & ACCOUNT_FLAGS.HIGH_GLOBAL_RATE_LIMIT ? HIGH_GLOBAL_LIMIT : GLOBAL_LIMIT;
      const allowance = await this.limiter.global(caller, limit);
      if (!allowance.admitted) throw globalLimitError(allowance, limit, this.clock.now());
    }
    if (!bucket) return;
    const resource = bucket.per ? digest(String(call.params[bucket.per])).toString('base64url') : '';
    await this.assertWithinRoute(call, bucket.name, caller, {
      resource,
      ...(plan.bucketId !== undefined && { id: plan.bucketId }),
      ...(bucket.misses !== undefined && { misses: bucket.misses }),
    });
  }

  private async assertWithinRoute(
    call: RateLimitSubject,
    name: string,
    caller: string,
    { resource = '', id = bucketId(name), misses }: { resource?: string; id?: string; misses?: string } = {},
  ): Promise<void> {
    const allowance = await this.limiter.route(name, caller, resource);
    const { limit } = this.limiter.rule(name);
    const headers = { ...allowanceHeaders(allowance, limit, this.clock.now()), 'X-RateLimit-Bucket': id };
    if (!allowance.admitted) throw routeLimitError(allowance, headers);
    if (misses) await this.rejectGuessers(misses, caller);
    for (const header in headers) call.header?.(header, headers[header as keyof typeof headers]);
  }

  /** @throws ApiError RATE_LIMITED if the authenticated client has used up its allowance */
  assertWithinClient(call: RateLimitSubject, bucket: string): Promise<void> {
    return this.assertWithinRoute(call, bucket, `client/${call.client?.applicationId}`);
  }

  /** @throws ApiError RATE_LIMITED if the IP address has too many failed client authentications */
  assertFewFailures({ address }: RateLimitSubject, bucket: string): Promise<void> {
    return this.rejectGuessers(bucket, anonymousCallerKey(address));
  }

  /** Counts a failed client authentication of an IP address. */
  async recordFailure({ address }: RateLimitSubject, bucket: string): Promise<void> {
    await this.limiter.route(bucket, anonymousCallerKey(address));
  }

  private async rejectGuessers(bucket: string, caller: string): Promise<void> {
    const allowance = await this.limiter.peek(bucket, caller);
    if (allowance.admitted) return;
    const headers = allowanceHeaders(allowance, this.limiter.rule(bucket).limit, this.clock.now());
    throw routeLimitError(allowance, { ...headers, 'X-RateLimit-Bucket': bucketId(bucket) });
  }
}
