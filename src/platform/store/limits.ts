import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { addressKey } from '../../core/address.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { ApiError, type ErrorExtras } from '../../core/errors.js';
import { type Allowance, SharedStore } from './shared-store.js';

interface Rule {
  readonly limit: number;
  readonly seconds: number;
}

/** All buckets of contract/conventions.md 7.3: requests and seconds. */
const RULES: Readonly<Record<string, readonly [limit: number, seconds: number]>> = {
  'auth:register': [10, 10],
  'auth:login': [10, 10],
  'auth:login:mfa': [5, 60],
  'auth:forgot': [5, 60],
  'auth:webauthn:options': [20, 10],
  'auth:webauthn:authenticate': [10, 10],
  'auth:passkey_bridge:start': [10, 60],
  'auth:passkey_bridge:complete': [10, 60],
  'auth:passkey_bridge:redeem': [10, 60],
  'auth:passkey_bridge:options': [20, 60],
  'auth:logout': [20, 10],
  'auth:sessions:logout': [20, 10],
  'auth:sessions': [40, 10],
  'auth:verify': [10, 60],
  'auth:verify:resend': [10, 60],
  'auth:reset': [10, 60],
  'auth:email_revert': [10, 60],
  'auth:reset:validate': [20, 60],
  'auth:authorize_ip': [5, 60],
  'auth:ip_authorization_resend': [5, 60],
  'auth:ip_authorization_poll': [60, 60],
  'auth:handoff:initiate': [10, 60],
  'auth:handoff:info': [10, 60],
  'auth:handoff:complete': [10, 60],
  'auth:handoff:cancel': [10, 60],
  'auth:handoff:status': [60, 60],
  'auth:sso:start': [10, 10],
  'auth:sso:complete': [15, 10],
  'user:settings:get': [40, 10],
  'user:settings:update': [20, 10],
  'user:update': [20, 60],
  'user:authorized_ips:forget': [10, 60],
  'user:security_events': [30, 60],
  'user:lockdown': [3, 3600],
  'user:export': [3, 86_400],
  'auth:lockdown': [10, 60],
  'credential:revoke': [60, 3600],
  'user:account:disable': [5, 3600],
  'user:account:delete': [5, 3600],
  'phone:send_verification': [5, 60],
  'phone:verify_code': [10, 60],
  'user:email_change:start': [10, 60],
  'user:email_change:resend_original': [10, 60],
  'user:email_change:verify_original': [20, 60],
  'user:email_change:request_new': [10, 60],
  'user:email_change:resend_new': [10, 60],
  'user:email_change:verify_new': [20, 60],
  'user:email_change:apply': [20, 60],
  'user:email_change:bounced:request_new': [10, 60],
  'user:email_change:bounced:resend_new': [10, 60],
  'user:email_change:bounced:verify_new': [20, 60],
  'user:password_change:start': [10, 60],
  'user:password_change:resend': [10, 60],
  'user:password_change:verify': [20, 60],
  'user:password_change:complete': [10, 60],
  'user:mfa:totp:enable': [10, 60],
  'user:mfa:totp:disable': [10, 60],
  'user:mfa:backup_codes': [6, 60],
  'user:mfa:backup_codes_challenge:start': [6, 60],
  'user:mfa:backup_codes_challenge:resend': [6, 60],
  'user:mfa:backup_codes_challenge:verify': [20, 60],
  'user:mfa:backup_codes_challenge:regenerate': [6, 60],
  'mfa:webauthn:list': [40, 10],
  'mfa:webauthn:registration_options': [20, 10],
  'mfa:webauthn:update': [20, 10],
  'mfa:webauthn:register': [10, 60],
  'mfa:webauthn:delete': [10, 60],
  'mfa:webauthn:two_factor': [10, 60],
  'sudo:mfa:methods': [20, 60],
  'sudo:webauthn:options': [10, 60],
  'sudo:passkey_bridge': [10, 60],
  'oauth:authorize': [60, 60],
  'oauth:token': [120, 60],
  'oauth:introspect': [120, 60],
  'oauth_dev:clients:list': [60, 60],
  'oauth_dev:clients:update': [30, 60],
  'oauth_dev:clients:create': [10, 3600],
  'oauth_dev:clients:rotate_secret': [10, 3600],
  'oauth_dev:clients:delete': [10, 3600],
  'gateway:bot_info': [60, 60],
  'instance:info': [60, 60],
  'admin:lookup': [200, 60],
  'admin:user:modify': [100, 60],
  'admin:application:modify': [100, 60],
  'admin:audit_log': [100, 60],
  'admin:ban:operation': [60, 60],
  'admin:code:generation': [30, 60],
  setup: [5, 60],
  'webhook:list': [40, 10],
  'webhook:create': [10, 60],
  'webhook:read': [100, 10],
  'webhook:update': [20, 10],
  'webhook:delete': [20, 10],
  'webhook:rotate': [5, 60],
  'webhook:messages': [60, 60],
  'webhook:miss': [60, 60],
  'webhook:execute': [60, 60],
  'webhook:message_get': [60, 60],
  'webhook:message_edit': [30, 60],
  'webhook:message_delete': [30, 60],
  'webhook:github': [200, 60],
  'media:upload': [10, 10],
  'media:external': [60, 60],
  'media:relay': [60, 60],
  'media:read': [1200, 60],
  'web:page': [120, 60],
};

const rules = new Map<string, Rule>(
  Object.entries(RULES).map(([name, [limit, seconds]]) => [name, { limit, seconds }]),
);

/**
 * Registers a bucket of an extension: `limit` requests per `seconds`.
 * @throws Error if the name is taken
 */
export function registerBucket(name: string, limit: number, seconds: number): void {
  if (rules.has(name)) throw new Error(`the bucket ${name} exists`);
  rules.set(name, { limit, seconds });
}

export const isBucket = (name: string): boolean => rules.has(name);

/** Lists all buckets with their limits and windows in seconds. */
export const bucketTable = (): [name: string, limit: number, seconds: number][] =>
  [...rules].map(([name, { limit, seconds }]) => [name, limit, seconds]);

/** The public name of a bucket: the first 16 hex digits of the SHA-256 of its internal name. */
export const bucketId = (name: string): string => hash('sha256', name, 'hex').slice(0, 16);

const wholeSeconds = (seconds: number): string => String(Math.max(1, Math.ceil(seconds)));
const fractionalSeconds = (seconds: number): string => seconds.toFixed(3);

/** Builds a store key. Each part is prefixed with its length, so that different parts never give the same key. */
const storeKey = (kind: string, ...parts: string[]): string =>
  `${kind} ${parts.map((part) => `${part.length}:${part}`).join('')}`;

/** Rate-limit key for anonymous callers. */
export const anonymousCallerKey = (address: string): string => `address/${addressKey(address)}`;

/** Rate limits of routes and of handlers, on one store. */
@Injectable()
export class Limiter {
  constructor(
    private readonly store: SharedStore,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    for (const name of config.rateLimitOverrides.keys()) {
      if (!rules.has(name)) throw new Error(`RATE_LIMIT_OVERRIDES names the unknown bucket ${name}`);
    }
  }

  rule(bucket: string): Rule {
    const rule = this.config.rateLimitOverrides.get(bucket) ?? rules.get(bucket);
    if (!rule) throw new Error(`unknown bucket ${bucket}`);
    return rule;
  }

  global(key: string, limit: number): Allowance | Promise<Allowance> {
    return this.store.take(storeKey('global', key), limit, 1);
  }

  route(bucket: string, caller: string, resource = ''): Allowance | Promise<Allowance> {
    const { limit, seconds } = this.rule(bucket);
    return this.store.take(storeKey('route', bucket, caller, resource), limit, seconds);
  }

  /** Returns the state of a bucket without counting a request. */
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

  /** Builds the 429 error of an allowance of one that is available again in `seconds`. */
  retryLaterError(seconds: number): ApiError {
    const allowance = { admitted: false, remaining: 0, resetAfter: seconds, retryAfter: seconds };
    return allowanceExhaustedError(allowance, 1, this.clock.now());
  }

  async reset(name: string, key: string): Promise<void> {
    await this.store.reset(storeKey(`allowance/${name}`, key));
  }
}

const rateLimitError = (allowance: Allowance, global: boolean): ApiError<'RATE_LIMITED'> => {
  const extra: ErrorExtras['RATE_LIMITED'] = { global, retry_after: Math.ceil(allowance.retryAfter * 1000) / 1000 };
  return new ApiError('RATE_LIMITED', extra).withHeaders({ 'Retry-After': wholeSeconds(allowance.retryAfter) });
};

export function allowanceHeaders(allowance: Allowance, limit: number, nowMs: number): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(allowance.remaining),
    'X-RateLimit-Reset': String(Math.ceil(nowMs / 1000 + allowance.resetAfter)),
    'X-RateLimit-Reset-After': fractionalSeconds(allowance.resetAfter),
  };
}

/**
 * Builds the 429 error of a route limit.
 * @param headers rate-limit headers that a successful response would have
 */
export const routeLimitError = (allowance: Allowance, headers: Record<string, string>): ApiError =>
  rateLimitError(allowance, false).withHeaders({ ...headers, 'X-RateLimit-Scope': 'user' });

export const globalLimitError = (allowance: Allowance, limit: number, nowMs: number): ApiError =>
  rateLimitError(allowance, true).withHeaders({
    ...allowanceHeaders(allowance, limit, nowMs),
    'X-RateLimit-Scope': 'global',
    'X-RateLimit-Global': 'true',
  });

const allowanceExhaustedError = (allowance: Allowance, limit: number, nowMs: number): ApiError =>
  rateLimitError(allowance, false).withHeaders({
    ...allowanceHeaders(allowance, limit, nowMs),
    'X-RateLimit-Scope': 'user',
  });

/** Builds the error for too many text messages. The allowance of a phone number is shared by all accounts. */
export const phoneLimitError = (
  allowance: Allowance,
  limit: number,
  nowMs: number,
  scope: 'user' | 'shared',
): ApiError =>
  new ApiError('PHONE_RATE_LIMIT_EXCEEDED', { retry_after: Math.ceil(allowance.retryAfter * 1000) / 1000 }).withHeaders(
    {
      ...allowanceHeaders(allowance, limit, nowMs),
      'Retry-After': wholeSeconds(allowance.retryAfter),
      'X-RateLimit-Scope': scope,
    },
  );
