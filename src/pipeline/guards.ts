import { Injectable, type Type } from '@nestjs/common';
import { isInactive } from '../accounts/account-facts.js';
import { AdminApplication } from '../accounts/grants/admin-application.service.js';
import { IdentityResolver } from '../accounts/identity-resolver.js';
import { AdminKeyUse } from '../admin/keys/admin-key-use.service.js';
import { Captchas } from '../auth/secrets/captchas.service.js';
import { LastUsed } from '../auth/sessions/last-used.service.js';
import { SudoService } from '../auth/sudo/sudo.service.js';
import { ApiError, type ErrorCode } from '../core/errors.js';
import { Instance } from '../platform/instance/instance.js';
import { grants, satisfiesAcl } from '../policy/acls.js';
import type { Call, GuardedCall } from '../policy/call.js';
import { hasBotPrefix, parseAuthorization } from '../policy/credential.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import type { Identity } from '../policy/identity.js';
import type { RoutePlan } from '../policy/plan.js';
import type { RoutePolicy } from '../policy/route-policy.js';
import { CheckGuard } from './check-guard.js';
import { ClientLimits } from './client-limits.service.js';
import type { Caller, Guard } from './guard.js';
import { type RateLimitSubject, RequestLimits } from './request-limits.js';
import { readInput } from './route-input.js';

/** The order of outcomes of every route (credentials.md section 4, rows 3 to 14). The first error decides. */
export const guardsInOrder = (): Type<Guard>[] => [
  ResolutionGuard, // 3   rejects nothing: attaches the identity, if there is one
  SsoGuard, //        4   403 SSO_REQUIRED
  RateGuard, //       5   429 RATE_LIMITED: global, then the route's bucket
  CaptchaGuard, //    6   400 CAPTCHA_REQUIRED, INVALID_CAPTCHA
  IdentityGuard, //   7   401 UNAUTHORIZED, INVALID_TOKEN, INVALID_CLIENT
  KindGuard, //       8   403 ACCESS_DENIED
  ScopeGuard, //      9   403 MISSING_OAUTH_SCOPE
  AdminGuard, //     10   403 MISSING_PERMISSIONS
  AclGuard, //       11   403 MISSING_ACL
  SuspicionGuard, // 12   403 ACCOUNT_SUSPICIOUS_ACTIVITY
  InputGuard, //     13   400 INVALID_FORM_BODY, 413, 415
  CheckGuard, //      -   the errors that checks of extensions declare
  SudoGuard, //      14   403 SUDO_MODE_REQUIRED
];

@Injectable()
export class ResolutionGuard implements Guard {
  readonly id = 'credential';

  constructor(
    private readonly resolver: IdentityResolver,
    private readonly lastUsed: LastUsed,
  ) {}

  appliesTo({ kind }: RoutePolicy): boolean {
    return kind !== 'CredentialFree' && kind !== 'ClientAuth';
  }

  possibleErrors(): readonly ErrorCode[] {
    return [];
  }

  check(call: GuardedCall, { policy }: RoutePlan): void | Promise<void> {
    const rules = { admin: policy.kind === 'AdminAcl', anyCase: policy.caseInsensitiveScheme };
    call.credential = parseAuthorization(call.authorization, rules);
    const pending = this.resolver.resolve(call.credential, call.address);
    return pending?.then((found) => {
      const identity = policy.activeOnly && found && isInactive(found.account) ? null : found;
      call.identity = identity;
      if (identity) this.lastUsed.touch(identity, call.address);
    });
  }
}

@Injectable()
export class SsoGuard implements Guard {
  readonly id = 'sso';

  constructor(private readonly instance: Instance) {}

  appliesTo({ blockedBySso }: RoutePolicy): boolean {
    return blockedBySso;
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['SSO_REQUIRED'];
  }

  check(call: Call): void {
    this.dryRun(call);
  }

  dryRun({ isSsoEnforced = this.instance.isSsoEnforced }: Caller): boolean {
    if (isSsoEnforced) throw new ApiError('SSO_REQUIRED');
    return true;
  }
}

@Injectable()
export class RateGuard implements Guard {
  readonly id = 'rate_limit';

  constructor(private readonly limits: RequestLimits) {}

  appliesTo({ byServicePolicy }: RoutePolicy): boolean {
    return this.limits.enabled && !byServicePolicy;
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['RATE_LIMITED'];
  }

  check(call: RateLimitSubject, plan: Pick<RoutePlan, 'policy' | 'bucketId'>): void | Promise<void> {
    const { ofResourceServer, failures } = plan.policy.bucket ?? {};
    if (ofResourceServer === undefined && failures === undefined) return this.limits.assertWithinLimits(call, plan);
  }
}

@Injectable()
export class CaptchaGuard implements Guard {
  readonly id = 'captcha';

  constructor(private readonly captchas: Captchas) {}

  appliesTo({ captcha }: RoutePolicy): boolean {
    return captcha;
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['CAPTCHA_REQUIRED', 'INVALID_CAPTCHA'];
  }

  check(call: Call): Promise<void> {
    return this.captchas.demand(call);
  }
}

@Injectable()
export class IdentityGuard implements Guard {
  readonly id = 'identity';

  constructor(
    private readonly clients: ClientLimits,
    private readonly adminApplication: AdminApplication,
  ) {}

  appliesTo({ kind }: RoutePolicy): boolean {
    return kind !== 'Public' && kind !== 'CredentialFree';
  }

  possibleErrors({ kind, caseInsensitiveScheme }: RoutePolicy): readonly ErrorCode[] {
    if (kind === 'ClientAuth') {
      return ['INVALID_CLIENT', 'INVALID_REQUEST', 'INVALID_FORM_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
    }
    return kind === 'BotOnly' && caseInsensitiveScheme ? ['INVALID_TOKEN', 'UNAUTHORIZED'] : ['UNAUTHORIZED'];
  }

  check(call: Call, plan: RoutePlan): void | Promise<void> {
    const { policy } = plan;
    if (policy.kind !== 'ClientAuth') {
      this.dryRun(call, policy);
      return;
    }
    return this.clients.authenticate(call, plan);
  }

  dryRun({ identity, authorization }: Caller, { kind, caseInsensitiveScheme }: RoutePolicy): boolean {
    if (kind === 'ClientAuth') return false;
    if (kind === 'BotOnly' && caseInsensitiveScheme && !hasBotPrefix(authorization)) {
      throw new ApiError('INVALID_TOKEN');
    }
    if (!identity) throw new ApiError('UNAUTHORIZED');
    if (kind === 'BearerOnly' && identity.via !== 'bearer') throw new ApiError('UNAUTHORIZED');
    if (kind === 'AdminAcl' && this.isUnauthenticatedForAdmin(identity)) throw new ApiError('UNAUTHORIZED');
    return true;
  }

  /**
   * Callers that count as unauthenticated (admin.md section 2): bots, and Admin application bearers of a deleted,
   * disabled or banned account.
   */
  private isUnauthenticatedForAdmin(identity: Identity): boolean {
    if (identity.via === 'bot') return true;
    const isAdminBearer = identity.via === 'bearer' && identity.applicationId === this.adminApplication.id;
    return isAdminBearer && isInactive(identity.account);
  }
}

@Injectable()
export class KindGuard implements Guard {
  readonly id = 'credential_kind';

  constructor(private readonly adminApplication: AdminApplication) {}

  appliesTo({ kind }: RoutePolicy): boolean {
    return kind === 'Authenticated' || kind === 'UserOnly' || kind === 'BotOnly' || kind === 'AdminAcl';
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['ACCESS_DENIED'];
  }

  check(call: Pick<Call, 'identity'>, { policy }: Pick<RoutePlan, 'policy'>): void {
    this.dryRun(call, policy);
  }

  dryRun({ identity }: Pick<Caller, 'identity'>, policy: RoutePolicy): boolean {
    if (!identity || !this.isAdmitted(identity, policy)) throw new ApiError('ACCESS_DENIED');
    return true;
  }

  private isAdmitted(identity: Identity, { kind, scope }: RoutePolicy): boolean {
    switch (identity.via) {
      case 'session':
        return kind === 'AdminAcl' || (kind !== 'BotOnly' && !identity.account.bot);
      case 'bot':
        return kind === 'Authenticated' || kind === 'BotOnly';
      case 'bearer':
        if (kind === 'AdminAcl') return identity.applicationId === this.adminApplication.id;
        return kind !== 'BotOnly' && scope !== undefined;
      case 'admin-key':
        return kind === 'AdminAcl';
    }
  }
}

@Injectable()
export class ScopeGuard implements Guard {
  readonly id = 'scope';

  appliesTo({ scope }: RoutePolicy): boolean {
    return scope !== undefined;
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['MISSING_OAUTH_SCOPE'];
  }

  check(call: GuardedCall, { policy }: RoutePlan): void {
    this.dryRun(call, policy);
  }

  dryRun({ identity }: Caller, { scope }: RoutePolicy): boolean {
    if (identity?.via !== 'bearer' || scope === undefined || identity.scopes.includes(scope)) return true;
    throw new ApiError('MISSING_OAUTH_SCOPE', { required_scope: scope });
  }
}

@Injectable()
export class AdminGuard implements Guard {
  readonly id = 'administrator';

  constructor(private readonly use: AdminKeyUse) {}

  appliesTo({ kind }: RoutePolicy): boolean {
    return kind === 'AdminAcl';
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['MISSING_PERMISSIONS'];
  }

  check(call: Call): void | Promise<void> {
    this.dryRun(call);
    if (call.identity?.via === 'admin-key') return this.use.note(call.identity.keyId);
  }

  dryRun({ identity }: Caller): boolean {
    if (!identity || !grants(identity.account.acls, 'admin:authenticate')) throw new ApiError('MISSING_PERMISSIONS');
    return true;
  }
}

@Injectable()
export class AclGuard implements Guard {
  readonly id = 'acl';

  appliesTo({ kind }: RoutePolicy): boolean {
    return kind === 'AdminAcl';
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['MISSING_ACL'];
  }

  check(call: Call, { policy }: RoutePlan): void {
    this.dryRun(call, policy);
  }

  dryRun({ identity }: Caller, { acl }: RoutePolicy): boolean {
    if (!identity || !acl || !satisfiesAcl(identity.account.acls, acl)) throw new ApiError('MISSING_ACL');
    if (identity.via === 'admin-key' && !satisfiesAcl(identity.acls, acl)) throw new ApiError('MISSING_ACL');
    return true;
  }
}

@Injectable()
export class SuspicionGuard implements Guard {
  readonly id = 'suspicious_activity';

  appliesTo({ kind, allowSuspicious }: RoutePolicy): boolean {
    const gated = kind === 'Authenticated' || kind === 'UserOnly' || kind === 'BotOnly' || kind === 'BearerOnly';
    return gated && !allowSuspicious;
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['ACCOUNT_SUSPICIOUS_ACTIVITY'];
  }

  check(call: Pick<Call, 'identity'>): void {
    this.dryRun(call);
  }

  dryRun({ identity }: Pick<Caller, 'identity'>): boolean {
    const flags = identity?.account.suspicious ?? 0;
    if (flags !== 0) throw new ApiError('ACCOUNT_SUSPICIOUS_ACTIVITY', { data: { suspicious_activity_flags: flags } });
    return true;
  }
}

/** Runs after all checks of the caller and before sudo, so that an invalid body never consumes a factor. */
@Injectable()
export class InputGuard implements Guard {
  readonly id = 'input';

  constructor(private readonly features: FeatureRegistry) {}

  appliesTo(): boolean {
    return true;
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['INVALID_FORM_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
  }

  check(call: Call, plan: RoutePlan): Promise<void> {
    return readInput(call, plan, this.features);
  }
}

@Injectable()
export class SudoGuard implements Guard {
  readonly id = 'sudo';

  constructor(private readonly sudo: SudoService) {}

  appliesTo({ sudo }: RoutePolicy): boolean {
    return sudo !== undefined;
  }

  possibleErrors({ sudo }: RoutePolicy): readonly ErrorCode[] {
    return sudo?.byProof ? ['SUDO_MODE_REQUIRED'] : ['UNAUTHORIZED', 'INVALID_FORM_BODY', 'SUDO_MODE_REQUIRED'];
  }

  async check(call: Call, { policy: { sudo } }: RoutePlan): Promise<void> {
    const { identity } = call;
    if (!identity || !sudo) throw new ApiError('UNAUTHORIZED');
    if (sudo.byProof) return this.sudo.demandProof(identity, call);
    const body = call.input?.body;
    if (sudo.when && !sudo.when(body, identity)) return;
    sudo.first?.(body, identity);
    let proof: string | null;
    try {
      proof = await this.sudo.demand(identity, call);
    } catch (error) {
      if (sudo.isOptional && error instanceof ApiError && error.code === 'SUDO_MODE_REQUIRED') return;
      throw error;
    }
    call.hasSudo = true;
    if (proof === null || sudo.issuesProof === false) return;
    const voids = typeof sudo.voidsProofs === 'function' ? sudo.voidsProofs(body, identity) : sudo.voidsProofs;
    if (voids) call.proofOnError = proof;
    else call.res.setHeader('X-Service-Sudo-Mode-JWT', proof);
  }
}
