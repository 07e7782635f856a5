import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { addressKey } from '../../core/address.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import type { ApiError } from '../../core/errors.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { allowanceExhaustedError } from './rate-limit-errors.js';
import { type Allowance, SharedStore } from './shared-store.js';

interface Rule {
  readonly limit: number;
  readonly seconds: number;
}

/** The public name of a bucket: the first 16 hex digits of the SHA-256 of its internal name. */
export const bucketId = (name: string): string => hash('sha256', name, 'hex').slice(0, 16);

/** Builds a store key. Each part is prefixed with its length, so that different parts never give the same key. */
const storeKey = (kind: string, ...parts: string[]): string =>
  `${kind} ${parts.map((part) => `${part.length}:${part}`).join('')}`;

/** Rate-limit key for anonymous callers. */
export const anonymousCallerKey = (address: string): string => `address/${addressKey(address)}`;

/** Rate limits of routes and of handlers, on one store. */
@Injectable()
export class Limiter {
  private readonly rules: ReadonlyMap<string, Rule>;
  private readonly exemptBuckets: ReadonlySet<string>;

  constructor(
    private readonly store: SharedStore,
    config: Config,
    private readonly clock: Clock,
    { buckets }: FeatureRegistry,
  ) {
    for (const name of config.rateLimitOverrides.keys()) {
      if (!buckets.has(name)) throw new Error(`Unknown bucket ${name} in RATE_LIMIT_OVERRIDES`);
    }
    const declared = [...buckets].map(([name, [limit, seconds]]) => [name, { limit, seconds }] as const);
    this.rules = new Map([...declared, ...config.rateLimitOverrides]);
    const exempt = [...buckets].filter(([, [, , options]]) => options?.countsGlobally === false);
    this.exemptBuckets = new Set(exempt.map(([name]) => name));
  }

  /** @internal */
  rule(bucket: string): Rule {
    const rule = this.rules.get(bucket);
    if (!rule) throw new Error(`Unknown bucket ${bucket}. Declare it in buckets of a feature`);
    return rule;
  }

  /** Whether requests of a bucket also count against the global limit. @internal */
  countsGlobally(bucket: string): boolean {
    return !this.exemptBuckets.has(bucket);
  }

  /** @internal */
  global(key: string, limit: number): Allowance | Promise<Allowance> {
    return this.store.take(storeKey('global', key), limit, 1);
  }

  /** @internal */
  route(bucket: string, caller: string, resource = ''): Allowance | Promise<Allowance> {
    const { limit, seconds } = this.rule(bucket);
    return this.store.take(storeKey('route', bucket, caller, resource), limit, seconds);
  }

  /** Returns the state of a bucket without counting a request. @internal */
  peek(bucket: string, caller: string): Allowance | Promise<Allowance> {
    const { limit, seconds } = this.rule(bucket);
    return this.store.take(storeKey('route', bucket, caller, ''), limit, seconds, 0);
  }

  /** Charges an allowance of a handler and returns its state, without rejecting the request. */
  charge(name: string, key: string, limit: number, seconds: number): Allowance | Promise<Allowance> {
    return this.store.take(storeKey(`allowance/${name}`, key), limit, seconds);
  }

  /** Refunds a charge for an action that did not happen. */
  async refund(name: string, key: string, limit: number, seconds: number): Promise<void> {
    await this.store.take(storeKey(`allowance/${name}`, key), limit, seconds, -1);
  }

  /**
   * Charges an allowance of a handler.
   * @throws ApiError 429 if it is exhausted (auth.md 1.5)
   */
  async chargeOrThrow(name: string, key: string, limit: number, seconds: number): Promise<void> {
    const allowance = await this.charge(name, key, limit, seconds);
    if (!allowance.admitted) throw allowanceExhaustedError(allowance, limit, this.clock.now());
  }

  /** Counts a failure. The count is reset `seconds` after the last one. */
  async recordFailure(name: string, key: string, seconds: number): Promise<void> {
    await this.store.strike(storeKey(`strikes/${name}`, key), seconds);
  }

  /** Returns the number of counted failures. */
  countFailures(name: string, key: string): number | Promise<number> {
    return this.store.strikes(storeKey(`strikes/${name}`, key));
  }

  /** Whether the counted failures have reached a limit, or the share of it that this process counts. */
  async hasFailures(name: string, key: string, limit: number): Promise<boolean> {
    return (await this.countFailures(name, key)) >= this.store.share(limit);
  }

  /** Builds the 429 error of an allowance of one that is available again in `seconds`. */
  retryLaterError(seconds: number): ApiError {
    const allowance = { admitted: false, remaining: 0, resetAfter: seconds, retryAfter: seconds };
    return allowanceExhaustedError(allowance, 1, this.clock.now());
  }

  async reset(name: string, key: string): Promise<void> {
    await this.store.reset(storeKey(`allowance/${name}`, key));
  }
}
