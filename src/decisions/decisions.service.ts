import { Injectable } from '@nestjs/common';
import { decodeJwt } from 'jose';
import { formatDiscriminator } from '../accounts/account.views.js';
import { remainingSecondsSql } from '../accounts/session-limits.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import type { CompiledPolicy } from '../pipeline/compiled-routes.js';
import { ServicePolicies } from '../pipeline/service-policies.service.js';
import { Database } from '../platform/database/database.js';
import type { Client, Identity } from '../policy/identity.js';
import { type CallerKind, callerKindOf } from '../policy/service-policy.js';
import { CallerFailures } from './caller-failures.service.js';
import type { DecisionInput } from './decisions.dto.js';
import { Marks } from './marks.js';
import { PolicyVersions } from './policy-versions.service.js';
import { subjectsOfDecision, Tags } from './tags.js';

/** The longest time for which an admission may be kept. */
const MAX_SECONDS = 300;

/** The caller, as another service sees it. Members without a value are absent. */
export interface CallerView {
  readonly kind: CallerKind;
  readonly account_id?: string;
  /** `<username>#<discriminator>` */
  readonly username?: string;
  readonly application_id?: string;
  readonly scopes?: readonly string[];
}

/** The decision about one credential (contract/forward-auth.md section 3). */
export interface DecisionView {
  readonly admitted: boolean;
  /** 200, or the status of the error response. */
  readonly status: number;
  /** Headers and body of the error response, exactly as the service sends them. Absent if the caller is admitted. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Absent with status 401. */
  readonly identity?: CallerView;
  /** Seconds for which the service may keep the decision. 0: not at all. */
  readonly expires_in: number;
  /** Names of what the decision depends on. The revocation of one of them ends it. */
  readonly tags: readonly string[];
  /** The position of the journal before the decision. */
  readonly as_of: string;
}

function callerView(identity: Identity | null): CallerView {
  const kind = callerKindOf(identity);
  if (!identity) return { kind };
  const { id, username, discriminator } = identity.account;
  const account = { account_id: id, username: `${username}#${formatDiscriminator(discriminator)}` };
  return {
    ...{ kind, ...account },
    ...((identity.via === 'bot' || identity.via === 'bearer') && { application_id: identity.applicationId }),
    ...(identity.via === 'bearer' && { scopes: identity.scopes }),
  };
}

/** Decides for services that keep decisions. The guards of the policy decide about each request. */
@Injectable()
export class Decisions {
  private readonly sessionLife: string | null;

  constructor(
    private readonly policies: ServicePolicies,
    private readonly versions: PolicyVersions,
    private readonly failures: CallerFailures,
    private readonly marks: Marks,
    private readonly tags: Tags,
    private readonly database: Database,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.sessionLife = remainingSecondsSql(config);
  }

  /**
   * Decides about the credential that a service has received.
   * @throws ApiError NOT_FOUND if the policy is not on the list of the application or does not exist
   */
  async decide(client: Client, { policy: name, authorization, sudo, address }: DecisionInput): Promise<DecisionView> {
    const { applicationId } = client;
    const policy = client.resourcePolicies.includes(name) ? this.policies.find(name) : undefined;
    if (!policy) throw new ApiError('NOT_FOUND');
    // Read first: everything up to it is committed, so the guards see it.
    const asOf = this.marks.current();
    const presented = { authorization: authorization || undefined, sudo: sudo || undefined, address };
    const blocked = address === undefined ? null : await this.failures.find(applicationId, address);
    const decision = blocked
      ? this.policies.reject(blocked)
      : await this.policies.decide(policy, presented, applicationId);
    if (!decision.admitted && address !== undefined && !blocked)
      this.failures.record(applicationId, address, { ...decision, authorization });
    const { identity } = decision;
    const subjects = subjectsOfDecision(policy, identity, address);
    const common = { as_of: asOf, tags: this.tags.of(applicationId, subjects) };
    if (decision.admitted) {
      const expiresIn = await this.remainingSeconds(policy, identity, sudo);
      return { admitted: true, status: 200, identity: callerView(identity), expires_in: expiresIn, ...common };
    }
    const { status, headers, body } = decision;
    const rejection = { admitted: false, status, headers, body, expires_in: 0, ...common };
    if (status === 401) return { ...rejection, tags: [] };
    return identity ? { ...rejection, identity: callerView(identity) } : rejection;
  }

  /** The least of the maximum, and the remaining life of session, token and proof, in whole seconds. */
  private async remainingSeconds(
    policy: CompiledPolicy,
    identity: Identity | null,
    sudo: string | undefined,
  ): Promise<number> {
    if (this.versions.isOutdated(policy)) return 0;
    const lives = [MAX_SECONDS];
    const now = this.clock.now() / 1000;
    if (identity?.via === 'bearer') lives.push(identity.expiresAt.getTime() / 1000 - now);
    if (identity?.via === 'session') lives.push(await this.sessionSeconds(identity.sessionId));
    if (policy.plan.policy.sudo && sudo) lives.push((decodeJwt(sudo).exp ?? 0) - now);
    return Math.max(0, Math.floor(Math.min(...lives)));
  }

  private async sessionSeconds(sessionId: string): Promise<number> {
    if (!this.sessionLife) return MAX_SECONDS;
    const rows = await this.database.statement<{ seconds: number }>(
      'session-life',
      `SELECT ${this.sessionLife} AS seconds FROM session WHERE id = $1 AND revoked_at IS NULL`,
      [sessionId],
    );
    return rows[0]?.seconds ?? 0;
  }
}
