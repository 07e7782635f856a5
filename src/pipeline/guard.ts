import type { ErrorCode } from '../core/errors.js';
import type { Call } from '../policy/call.js';
import type { RoutePlan } from '../policy/plan.js';
import type { RoutePolicy } from '../policy/route-policy.js';

/** One check in the order of outcomes. Guards run in order; the first that throws wins. */
export interface Guard {
  /** A stable name, which the console and the command line show. */
  readonly id: string;
  /** Whether the guard can reject a request to a route of this policy. Other guards are left out of the plan. */
  appliesTo(policy: RoutePolicy): boolean;
  /** The error codes that the guard can return for routes of this policy. */
  possibleErrors(policy: RoutePolicy): readonly ErrorCode[];
  /** Throws an `ApiError` to reject the request. */
  check(call: Call, plan: RoutePlan): void | Promise<void>;
  /**
   * Evaluates the guard for a real or hypothetical caller without side effects. Guards that lack this method or return
   * false need a real request.
   */
  dryRun?(caller: Caller, policy: RoutePolicy): boolean;
}

/** The inputs of guards that depend only on the caller. */
export interface Caller extends Pick<Call, 'identity' | 'authorization'> {
  /** Overrides the instance setting, for hypothetical callers. */
  readonly isSsoEnforced?: boolean;
}
