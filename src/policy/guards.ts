import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isNativeError } from 'node:util/types';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type OnApplicationShutdown,
  type Type,
} from '@nestjs/common';
import { grants } from '../admin/acls.js';
import { AdminKeyUse } from '../admin/admin-key-use.service.js';
import { IpBans } from '../admin/ip-bans.service.js';
import { LastUsed } from '../auth/last-used.service.js';
import { OneTimeSecrets } from '../auth/one-time-secrets.service.js';
import { SudoService } from '../auth/sudo.service.js';
import { bodyOf, hasBody } from '../body.js';
import { type Call, callOf, type SudoMembers } from '../call.js';
import { Clock } from '../clock.js';
import { Config } from '../config.js';
import { CrossOrigin } from '../cross-origin.js';
import { type FieldError, Refusal, refusalOf, unavailable } from '../errors.js';
import { validateShape } from '../input.js';
import {
  addressCaller,
  allowanceHeaders,
  bucketId,
  GLOBAL_EXEMPT,
  globallyLimited,
  Limiter,
  routeLimited,
} from '../limits.js';
import { AdminApplication } from '../oauth/admin-application.service.js';
import { ClientAuthenticator } from '../oauth/client-authenticator.service.js';
import { CaptchaVerifier } from '../platform/captcha.js';
import { Instance } from '../platform/instance.js';
import { digest } from '../secrets.js';
import { ACCOUNT_FLAGS, isInactive } from '../users/account-facts.js';
import { hasBotPrefix, parseAuthorization } from './credential.js';
import type { RoutePolicy } from './decorators.js';
import { type Identity, IdentityResolver } from './identity.js';
import type { InputPlan, RoutePlan } from './route-audit.js';

/** One row of the order. A row speaks only if every row above it let the request pass. */
export interface Guard {
  /** Whether the row can refuse a request to a route of this policy; the others skip it. */
  concerns(policy: RoutePolicy): boolean;
  /** Throws a `Refusal`, or lets the request pass. */
  check(call: Call, plan: RoutePlan): void | Promise<void>;
}

/** A row that judges before a route is known and before anything is read. */
export interface ArrivalGuard {
  arrive(call: Call): void;
}

/** Before anything is read, on every path, known or not (credentials.md section 4, rows 1 and 2). */
export const arrivalGuardsInOrder = (): Type<ArrivalGuard>[] => [
  LoadGuard, //       1   503 SERVICE_UNAVAILABLE
  BanGuard, //        2   403 GLOBAL_IP_BANNED, GLOBAL_IP_TEMPORARILY_BANNED
];

/** The order of outcomes of every route (credentials.md section 4, rows 3 to 14). The first that refuses decides. */
export const guardsInOrder = (): Type<Guard>[] => [
  ResolutionGuard, // 3   refuses nothing: attaches the identity or its absence
  SsoGuard, //        4   403 SSO_REQUIRED
  RateGuard, //       5   429 RATE_LIMITED: global, then the route's bucket
  CaptchaGuard, //    6   400 CAPTCHA_REQUIRED, INVALID_CAPTCHA
  IdentityGuard, //   7   401 UNAUTHORIZED, INVALID_TOKEN; 400 INVALID_CLIENT
  KindGuard, //       8   403 ACCESS_DENIED
  ScopeGuard, //      9   403 MISSING_OAUTH_SCOPE
  AdminGuard, //     10   403 MISSING_PERMISSIONS
  AclGuard, //       11   403 MISSING_ACL
  SuspicionGuard, // 12   403 ACCOUNT_SUSPICIOUS_ACTIVITY
  InputGuard, //     13   400 INVALID_FORM_BODY, 413, 415
  SudoGuard, //      14   403 SUDO_MODE_REQUIRED
];

/** Where the stack finds the plan of a handler. The route audit is it; it reads the rows above in its turn. */
export abstract class Plans {
  abstract planOf(controller: Type, handler: object): RoutePlan;
}

/** The only APP_GUARD: runs the rows that the plan of the route holds, in order. */
@Injectable()
export class GuardStack implements CanActivate {
  constructor(
    private readonly plans: Plans,
    private readonly cors: CrossOrigin,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const plan = this.plans.planOf(context.getClass(), context.getHandler());
    const request = context.switchToHttp().getRequest();
    const call = callOf(request);
    call.plan = plan;
    call.params = request.params;
    this.cors.apply(call, plan);
    return run(call, plan, request);
  }
}

async function run(call: Call, plan: RoutePlan, request: { body?: unknown; params?: unknown }): Promise<true> {
  for (const guard of plan.guards) {
    try {
      const pending = guard.check(call, plan);
      if (pending) await pending;
    } catch (error) {
      throw deny(error);
    }
  }
  if (plan.input) handOver(plan.input, call, request);
  return true;
}

/** A guard that throws something unexpected denies with 500, whatever status the thrown thing would have had. */
const deny = (error: unknown): unknown =>
  error instanceof Refusal || refusalOf(error).code === 'SERVICE_UNAVAILABLE' ? error : new GuardFault(error);

class GuardFault extends Error {
  constructor(cause: unknown) {
    super(`a guard failed: ${isNativeError(cause) ? cause.message : 'thrown value'}`, { cause });
    if (isNativeError(cause) && cause.stack) this.stack = cause.stack;
  }
}

/** Replaces the framework's untyped input by the validated instances, where Nest's own decorators read them. */
function handOver(input: InputPlan, call: Call, request: object): void {
  for (const part of ['params', 'query', 'body'] as const) {
    if (input[part])
      Object.defineProperty(request, part, { value: call.input?.[part], configurable: true, writable: true });
  }
}

@Injectable()
export class LoadGuard implements ArrivalGuard, OnApplicationShutdown {
  private readonly delay = monitorEventLoopDelay({ resolution: 20 });
  private late = false;
  private readonly watch: NodeJS.Timeout;
  inFlight = 0;
  draining = false;

  constructor(private readonly config: Config) {
    this.delay.enable();
    this.watch = setInterval(() => {
      this.late = config.maxLoopDelayMs > 0 && this.delay.max / 1e6 > config.maxLoopDelayMs;
      this.delay.reset();
    }, 500).unref();
  }

  arrive({ res }: Call): void {
    if (this.draining && !res.headersSent) res.setHeader('Connection', 'close');
    if (this.draining || this.inFlight > this.config.maxInFlight || this.late) throw unavailable(1);
  }

  onApplicationShutdown(): void {
    clearInterval(this.watch);
    this.delay.disable();
  }
}

@Injectable()
export class BanGuard implements ArrivalGuard {
  constructor(
    private readonly bans: IpBans,
    private readonly config: Config,
  ) {}

  arrive({ address }: Call): void {
    const ban = this.bans.find(address);
    if (!ban) return;
    throw new Refusal(ban.expiresAt ? 'GLOBAL_IP_TEMPORARILY_BANNED' : 'GLOBAL_IP_BANNED', {
      ip_address: address,
      ban_kind: ban.kind,
      expires_at: ban.expiresAt?.toISOString() ?? null,
      appeal_email: this.config.appealEmail ?? null,
      appeals_supported: !ban.expiresAt && this.config.appealEmail !== undefined,
    });
  }
}

@Injectable()
export class ResolutionGuard implements Guard {
  constructor(
    private readonly resolver: IdentityResolver,
    private readonly lastUsed: LastUsed,
  ) {}

  concerns({ kind }: RoutePolicy): boolean {
    return kind !== 'CredentialFree' && kind !== 'ClientAuth';
  }

  check(call: Call, { policy }: RoutePlan): void | Promise<void> {
    const rules = { admin: policy.kind === 'AdminAcl', anyCase: policy.caseInsensitiveScheme };
    call.credential = parseAuthorization(call.authorization, rules);
    const pending = this.resolver.resolve(call.credential);
    return pending?.then((identity) => {
      call.identity = identity;
      if (identity) this.lastUsed.touch(identity, call.address);
    });
  }
}

@Injectable()
export class SsoGuard implements Guard {
  constructor(private readonly instance: Instance) {}

  concerns({ blockedBySso }: RoutePolicy): boolean {
    return blockedBySso;
  }

  check(): void {
    if (this.instance.isSsoEnforced) throw new Refusal('SSO_REQUIRED');
  }
}

const GLOBAL_LIMIT = 50;
const HIGH_GLOBAL_LIMIT = 1200;

@Injectable()
export class RateGuard implements Guard {
  constructor(
    private readonly limiter: Limiter,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  concerns(): boolean {
    return this.config.rateLimits;
  }

  async check(call: Call, { policy: { bucket } }: RoutePlan): Promise<void> {
    const flags = call.identity?.account.flags ?? 0n;
    if (call.isOperational || flags & ACCOUNT_FLAGS.RATE_LIMIT_BYPASS) return;
    const caller = this.callerOf(call);
    if (!bucket || !GLOBAL_EXEMPT.has(bucket.name)) {
      const limit = flags & ACCOUNT_FLAGS.HIGH_GLOBAL_RATE_LIMIT ? HIGH_GLOBAL_LIMIT : GLOBAL_LIMIT;
      const allowance = await this.limiter.global(caller, limit);
      if (!allowance.admitted) throw globallyLimited(allowance, limit, this.clock.now());
    }
    if (!bucket) return;
    const resource = bucket.per ? digest(String(call.params[bucket.per])).toString('base64url') : '';
    const allowance = await this.limiter.route(bucket.name, caller, resource);
    const { limit } = this.limiter.rule(bucket.name);
    const headers = {
      ...allowanceHeaders(allowance, limit, this.clock.now()),
      'X-RateLimit-Bucket': call.plan?.bucketId ?? '',
    };
    if (!allowance.admitted) throw routeLimited(allowance, headers);
    if (bucket.misses) await this.refuseGuessers(bucket.misses, caller);
    for (const name in headers) call.res.setHeader(name, headers[name as keyof typeof headers]);
  }

  private async refuseGuessers(bucket: string, caller: string): Promise<void> {
    const allowance = await this.limiter.look(bucket, caller);
    if (allowance.admitted) return;
    const headers = allowanceHeaders(allowance, this.limiter.rule(bucket).limit, this.clock.now());
    throw routeLimited(allowance, { ...headers, 'X-RateLimit-Bucket': bucketId(bucket) });
  }

  private callerOf({ identity, address }: Call): string {
    switch (identity?.via) {
      case undefined:
        return addressCaller(address);
      case 'bearer':
        return `bearer/${identity.account.id}/${identity.applicationId}`;
      case 'admin-key':
        return `admin-key/${identity.keyId}`;
      default:
        return `${identity?.via}/${identity?.account.id}`;
    }
  }
}

const CAPTCHA_MEMORY_SECONDS = 600;
const CAPTCHA_TOKEN_LENGTH = 8192;

@Injectable()
export class CaptchaGuard implements Guard {
  constructor(
    private readonly verifier: CaptchaVerifier,
    private readonly secrets: OneTimeSecrets,
  ) {}

  concerns({ captcha }: RoutePolicy): boolean {
    return captcha;
  }

  async check({ req, identity, address }: Call): Promise<void> {
    if (this.verifier.provider === 'none' || identity?.account.traits.includes('captcha_exempt')) return;
    const token = req.headers['x-captcha-token'];
    if (typeof token !== 'string' || token === '') throw new Refusal('CAPTCHA_REQUIRED');
    const type = req.headers['x-captcha-type'];
    if (token.length > CAPTCHA_TOKEN_LENGTH) throw new Refusal('INVALID_CAPTCHA');
    const earned = await this.verifier.verify(token, typeof type === 'string' ? type : undefined, address);
    if (earned === null || !(await this.secrets.claim('captcha-spent', earned, CAPTCHA_MEMORY_SECONDS))) {
      throw new Refusal('INVALID_CAPTCHA');
    }
  }
}

@Injectable()
export class IdentityGuard implements Guard {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly adminApplication: AdminApplication,
  ) {}

  concerns({ kind }: RoutePolicy): boolean {
    return kind !== 'Public' && kind !== 'CredentialFree';
  }

  check(call: Call, { policy }: RoutePlan): void | Promise<void> {
    if (policy.kind === 'ClientAuth') return this.clients.authenticate(call, policy.confidentialClient);
    if (policy.kind === 'BotOnly' && policy.caseInsensitiveScheme && !hasBotPrefix(call.authorization)) {
      throw new Refusal('INVALID_TOKEN');
    }
    const { identity } = call;
    if (!identity) throw new Refusal('UNAUTHORIZED');
    if (policy.kind === 'BearerOnly' && identity.via !== 'bearer') throw new Refusal('UNAUTHORIZED');
    if (policy.kind === 'AdminAcl' && this.isNoneToAdmin(identity)) throw new Refusal('UNAUTHORIZED');
  }

  /** admin.md section 2: a bot, and the Admin application's bearer of an account that is deleted, disabled or banned. */
  private isNoneToAdmin(identity: Identity): boolean {
    if (identity.via === 'bot') return true;
    const isAdminBearer = identity.via === 'bearer' && identity.applicationId === this.adminApplication.id;
    return isAdminBearer && isInactive(identity.account);
  }
}

@Injectable()
export class KindGuard implements Guard {
  constructor(private readonly adminApplication: AdminApplication) {}

  concerns({ kind }: RoutePolicy): boolean {
    return kind === 'Authenticated' || kind === 'UserOnly' || kind === 'BotOnly' || kind === 'AdminAcl';
  }

  check({ identity }: Call, { policy }: RoutePlan): void {
    if (!identity || !this.isAdmitted(identity, policy)) throw new Refusal('ACCESS_DENIED');
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
  concerns({ scope }: RoutePolicy): boolean {
    return scope !== undefined;
  }

  check({ identity }: Call, { policy: { scope } }: RoutePlan): void {
    if (identity?.via !== 'bearer' || scope === undefined || identity.scopes.includes(scope)) return;
    throw new Refusal('MISSING_OAUTH_SCOPE', { required_scope: scope });
  }
}

@Injectable()
export class AdminGuard implements Guard {
  constructor(private readonly use: AdminKeyUse) {}

  concerns({ kind }: RoutePolicy): boolean {
    return kind === 'AdminAcl';
  }

  check({ identity }: Call): void | Promise<void> {
    if (!identity || !grants(identity.account.acls, 'admin:authenticate')) throw new Refusal('MISSING_PERMISSIONS');
    if (identity.via === 'admin-key') return this.use.note(identity.keyId);
  }
}

@Injectable()
export class AclGuard implements Guard {
  concerns({ kind }: RoutePolicy): boolean {
    return kind === 'AdminAcl';
  }

  check({ identity }: Call, { policy: { acl } }: RoutePlan): void {
    if (!identity || !acl) throw new Refusal('MISSING_ACL');
    const held = identity.via === 'admin-key' ? [identity.acls, identity.account.acls] : [identity.account.acls];
    const isMet = held.every((acls) =>
      acl.mode === 'any' ? acl.acls.some((name) => grants(acls, name)) : acl.acls.every((name) => grants(acls, name)),
    );
    if (!isMet) throw new Refusal('MISSING_ACL');
  }
}

@Injectable()
export class SuspicionGuard implements Guard {
  concerns({ kind, allowSuspicious }: RoutePolicy): boolean {
    const gated = kind === 'Authenticated' || kind === 'UserOnly' || kind === 'BotOnly' || kind === 'BearerOnly';
    return gated && !allowSuspicious;
  }

  check({ identity }: Call): void {
    const flags = identity?.account.suspicious ?? 0;
    if (flags !== 0) throw new Refusal('ACCOUNT_SUSPICIOUS_ACTIVITY', { data: { suspicious_activity_flags: flags } });
  }
}

/**
 * Path, query and body are all checked before the answer; a bad body never spends a factor. A body that the operation
 * has no use for has to be readable all the same.
 */
@Injectable()
export class InputGuard implements Guard {
  concerns(): boolean {
    return true;
  }

  async check(call: Call, { input = {}, accepts }: RoutePlan): Promise<void> {
    const faults: FieldError[] = [];
    const checked: NonNullable<Call['input']> = {};
    if (input.params) checked.params = collect(input.params, call.params, faults);
    if (input.query) checked.query = collect(input.query, queryOf(call.req.url ?? ''), faults);
    if (input.body || input.sudo || (accepts.kind === 'json' && hasBody(call.req))) {
      const body = await bodyOf(call);
      if ('fault' in body) faults.push(...fieldErrorsOf(body.fault));
      else {
        if (input.body) checked.body = collect(input.body, body.value, faults);
        if (input.sudo) call.sudoMembers = collect(input.sudo, body.value, faults) as SudoMembers;
      }
    }
    if (faults.length > 0) throw new Refusal('INVALID_FORM_BODY', { errors: faults.slice(0, 100) });
    call.input = checked;
  }
}

/** The field errors of an unreadable body; a fault that is not of a field, such as 413, is thrown. */
function fieldErrorsOf(fault: Error): FieldError[] {
  if (fault instanceof Refusal && fault.code === 'INVALID_FORM_BODY') {
    return (fault.getResponse() as { errors: FieldError[] }).errors;
  }
  throw fault;
}

function collect(shape: new () => object, value: unknown, faults: FieldError[]): object {
  const result = validateShape(shape, value);
  for (const fault of result.faults) {
    if (!faults.some(({ path, code }) => path === fault.path && code === fault.code)) faults.push(fault);
  }
  return result.instance;
}

/** Query parameters as text; one that is sent twice is a list, which no scalar field accepts. */
function queryOf(url: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  const start = url.indexOf('?');
  if (start < 0) return query;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const known = query[name];
    if (known === undefined) query[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else query[name] = [known, value];
  }
  return query;
}

@Injectable()
export class SudoGuard implements Guard {
  constructor(private readonly sudo: SudoService) {}

  concerns({ sudo }: RoutePolicy): boolean {
    return sudo !== undefined;
  }

  async check(call: Call, { policy: { sudo } }: RoutePlan): Promise<void> {
    const { identity } = call;
    if (!identity || !sudo) throw new Refusal('UNAUTHORIZED');
    const body = call.input?.body as never;
    if (sudo.when && !sudo.when(body, identity as never)) return;
    sudo.first?.(body, identity as never);
    const proof = await this.sudo.demand(identity, call);
    if (proof === null || sudo.issuesProof === false) return;
    const voids = typeof sudo.voidsProofs === 'function' ? sudo.voidsProofs(body, identity as never) : sudo.voidsProofs;
    if (voids) call.proofOnRefusal = proof;
    else call.res.setHeader('X-Service-Sudo-Mode-JWT', proof);
  }
}
