import { Injectable } from '@nestjs/common';
import { ApiError } from '../core/errors.js';
import { toApiError } from '../core/to-api-error.js';
import { JSON_TYPE } from '../http/front-door/error-responder.js';
import type { GuardedCall } from '../policy/call.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import type { Identity } from '../policy/identity.js';
import type { RoutePlan } from '../policy/plan.js';
import { BanGuard } from './arrival-guards.js';
import { type CompiledPolicy, CompiledRoutes } from './compiled-routes.js';
import { runGuards } from './guard-stack.js';

/** The credential of a caller, as another service received it. */
export interface PresentedCredential {
  /** The value of the `Authorization` header; `undefined` if there is none. */
  readonly authorization?: string | undefined;
  /** The value of the header `X-Service-Sudo-Mode-JWT`. */
  readonly sudo?: string | undefined;
  /** The IP address of the caller. Without it, a token that is bound to networks is rejected, and no ban applies. */
  readonly address?: string | undefined;
}

/** The headers of the response to the caller: rate limits, and with a rejection also the type of the body. */
type Headers = Readonly<Record<string, string>>;

interface Admission {
  readonly admitted: true;
  readonly identity: Identity | null;
  readonly headers: Headers;
}

export interface Rejection {
  readonly admitted: false;
  /** Status, headers and body are those of a route with the same policy. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The resolved caller. `null` with status 401. */
  readonly identity: Identity | null;
  /** The error code in the body. */
  readonly code: string;
  /** A credential was sent, but it is malformed, unknown, expired or revoked. */
  readonly isCredentialRejected: boolean;
}

/** The result of a service policy for one credential. */
export type Decision = Admission | Rejection;

/**
 * Decides for other services whether a caller may use them (contract/forward-auth.md section 1). Runs the guards of
 * routes, in their order. Nothing is cached: every decision looks up the credential.
 */
@Injectable()
export class ServicePolicies {
  constructor(
    private readonly compiled: CompiledRoutes,
    private readonly bans: BanGuard,
    private readonly features: FeatureRegistry,
  ) {}

  /** All policies, sorted by name. */
  get all(): readonly CompiledPolicy[] {
    return [...this.compiled.policies.values()];
  }

  /** The policy with this name; `undefined` if there is none. */
  find(name: string): CompiledPolicy | undefined {
    return this.compiled.policies.get(name);
  }

  /**
   * Lets a request pass if its own credential satisfies the policy. Sets the identity of the call, and the headers of
   * the rate limit. The load and ban guards ran before routing.
   * @throws ApiError the error of the first guard that rejects the call
   */
  admit({ plan, guards }: CompiledPolicy, call: GuardedCall): Promise<void> {
    call.plan = plan;
    return runGuards<GuardedCall, RoutePlan>(call, plan, guards);
  }

  /**
   * Decides for a credential that another service sent. It does not record abuse signals.
   * @param anonymousKey the key of the rate limit for callers without identity and IP address, such as the ID of the
   * application that asks
   * @throws any error with a status of 500 or more, such as SERVICE_UNAVAILABLE. Then there is no decision
   */
  async decide(
    policy: CompiledPolicy,
    { authorization, sudo, address = '' }: PresentedCredential,
    anonymousKey = '',
  ): Promise<Decision> {
    const headers: Record<string, string> = {};
    const call: GuardedCall = {
      authorization: authorization === undefined ? [] : [authorization],
      sudoProof: sudo,
      address,
      ...(address === '' && { anonymousKey }),
      identity: null,
      isOperational: false,
      params: {},
      header: (name, value) => {
        headers[name] = value;
      },
    };
    try {
      if (address !== '') this.bans.arrive(call);
      await this.admit(policy, call);
      return { admitted: true, identity: call.identity, headers };
    } catch (error) {
      return this.rejection(call, toApiError(error), error, headers);
    }
  }

  /** The decision that rejects a caller with an error before any guard runs. */
  reject(error: ApiError): Rejection {
    return this.rejection({ identity: null }, error, error, {});
  }

  private rejection(
    call: Pick<GuardedCall, 'credential' | 'identity'>,
    apiError: ApiError,
    thrown: unknown,
    headers: Record<string, string>,
  ): Rejection {
    const { status, body } = this.features.describe(apiError);
    if (status >= 500) throw thrown;
    const { credential, identity } = call;
    return {
      admitted: false,
      status,
      headers: {
        ...headers,
        ...apiError.headers,
        'Cache-Control': 'no-store',
        'Content-Type': JSON_TYPE,
      },
      body: JSON.stringify(body),
      identity: status === 401 ? null : identity,
      code: apiError.code,
      isCredentialRejected: credential !== undefined && credential.kind !== 'none' && identity === null,
    };
  }
}
