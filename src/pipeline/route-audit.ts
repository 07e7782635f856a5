import {
  Injectable,
  type NestModule,
  type OnApplicationBootstrap,
  RequestMethod,
  type Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import {
  APP_GUARD,
  ApplicationConfig,
  DiscoveryService,
  HttpAdapterHost,
  MetadataScanner,
  ModuleRef,
  ModulesContainer,
} from '@nestjs/core';
import { StartError } from '../core/config/start-error.js';
import type { ErrorCode } from '../core/errors.js';
import { hasOwnGuard, NO_FRONT_DOOR } from '../core/front-door.js';
import { suggest } from '../core/text/similar.js';
import { Commands } from '../gateway/commands/commands.service.js';
import { findPlatformWatch } from '../http/adapter.js';
import { JSON_LIMIT } from '../http/body.js';
import { requiredMembers } from '../http/input-members.js';
import {
  middlewareName,
  type PlatformWatch,
  type Unguarded,
  undeclaredPlatformMessage,
} from '../http/platform-watch.js';
import { bucketId } from '../platform/store/limits.js';
import { declaredBodies, declaredQuery, declaredResponses } from '../policy/answers.js';
import { readPolicy } from '../policy/decorators.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import type { InputPlan, RoutePlan } from '../policy/plan.js';
import type { RoutePolicy } from '../policy/route-policy.js';
import { Routes } from '../policy/routes.js';
import {
  hashServicePolicy,
  SERVICE_POLICY_SAMPLES,
  type ServicePolicyDeclaration,
  servicePolicyPath,
  toRoutePolicy,
} from '../policy/service-policy.js';
import { CheckGuard } from './check-guard.js';
import { CommandAudit } from './command-audit.js';
import {
  type AuditedRoute,
  type CompiledPolicy,
  type CompiledRoute,
  CompiledRoutes,
  type DiscoveredRoute,
} from './compiled-routes.js';
import type { Guard } from './guard.js';
import { GuardStack } from './guard-stack.js';
import { guardsInOrder, InputGuard } from './guards.js';
import {
  GUARDS_METADATA,
  HOST_METADATA,
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  MODULE_PATH,
  PATH_METADATA,
  VERSION_METADATA,
} from './nest-internals.js';
import { findPackageFaults } from './nest-packages.js';
import { buildInputPlan } from './route-input.js';

/** Thrown during startup. Lists every route and gateway command with an invalid declaration. */
export class RouteAuditError extends StartError {
  constructor(readonly faults: string[]) {
    super(`Route policy audit failed:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

type Version = string | typeof VERSION_NEUTRAL;

/** The first segments of the paths of a handler, as in URI versioning of Nest. Without a version, it is empty. */
function findVersions(handler: object, controller: object): string[] {
  const [own, ofController] = [handler, controller].map((declared): Version | Version[] | undefined =>
    Reflect.getMetadata(VERSION_METADATA, declared),
  );
  return [own || ofController || VERSION_NEUTRAL]
    .flat()
    .map((version) => (version === VERSION_NEUTRAL ? '' : `v${String(version)}`));
}

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const METHODS: ReadonlySet<string> = new Set(['GET', ...BODY_METHODS]);
const NO_BODY: RoutePlan['accepts'] = Object.freeze({ kind: 'none', limit: 0 });

/** Audits all handlers during startup: rejects invalid declarations and compiles the rest into plans. */
@Injectable()
export class RouteAudit implements OnApplicationBootstrap {
  private readonly faults: string[] = [];
  private readonly platform: PlatformWatch;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly modules: ModuleRef,
    private readonly containers: ModulesContainer,
    private readonly application: ApplicationConfig,
    private readonly routes: Routes,
    private readonly compiled: CompiledRoutes,
    private readonly commandAudit: CommandAudit,
    private readonly commands: Commands,
    private readonly features: FeatureRegistry,
    { httpAdapter }: HttpAdapterHost,
  ) {
    const platform = findPlatformWatch(httpAdapter);
    if (!platform) throw new StartError(NO_FRONT_DOOR);
    this.platform = platform;
  }

  /**
   * Runs before the router registers the routes, because the router would reject some of them with its own errors.
   * @throws RouteAuditError if a route has an invalid declaration
   */
  audit(unguarded: Unguarded = {}): void {
    const guards: Guard[] = guardsInOrder().map((type) => this.modules.get(type, { strict: false }));
    this.checkGlobalGuards();
    const audited = this.findRoutes().flatMap((found) => this.compile(found, guards));
    this.checkDuplicates(audited);
    this.checkMiddleware(unguarded);
    this.faults.push(...findPackageFaults(this.containers));
    const commands = this.commandAudit.audit((fault) => this.faults.push(fault));
    const policies = this.compileServicePolicies(guards);
    this.throwFaults();
    this.compiled.fill(audited, policies);
    this.routes.fill(
      audited.map(({ plan }) => plan),
      { unguarded, servicePolicies: policies },
    );
    this.platform.expectRoutes(this.routes.all);
    this.commands.register(commands);
  }

  /** Repeats the check, because modules can add global guards while they start. */
  onApplicationBootstrap(): void {
    this.checkGlobalGuards();
    this.throwFaults();
  }

  private throwFaults(): void {
    if (this.faults.length > 0) throw new RouteAuditError(this.faults);
  }

  private checkGlobalGuards(): void {
    for (const wrapper of this.discovery.getProviders()) {
      const token = String(wrapper.token ?? wrapper.name);
      const host = wrapper.host?.metatype?.name ?? 'a module';
      if (token.startsWith(APP_GUARD) && host !== 'PipelineModule') {
        this.faults.push(`${host} registers an APP_GUARD. Remove it and declare a policy on each route`);
      }
    }
    // An APP_GUARD is also a global guard.
    if (this.faults.length > 0) return;
    const isForeign = this.application.getGlobalGuards().some((guard) => !(guard instanceof GuardStack));
    if (isForeign || this.application.getGlobalRequestGuards().length > 0) {
      this.faults.push('useGlobalGuards adds a guard. Remove it and declare a policy on each route');
    }
  }

  private checkMiddleware(unguarded: Unguarded): void {
    for (const { instance, metatype } of this.containers.values()) {
      if (!(instance as Partial<NestModule> | undefined)?.configure) continue;
      const name = middlewareName(metatype.name);
      if (!(name in unguarded)) this.faults.push(undeclaredPlatformMessage(name));
    }
  }

  private findRoutes(): DiscoveredRoute[] {
    const routes: DiscoveredRoute[] = [];
    for (const { instance, metatype, host } of this.discovery.getControllers()) {
      if (!instance || !metatype) continue;
      const controller = metatype as Type;
      if (host?.metatype) this.checkModulePath(host.metatype);
      if (Reflect.getMetadata(HOST_METADATA, controller))
        this.faults.push(
          `${controller.name} sets a host in @Controller(). Remove it, because routes of all hosts are the same`,
        );
      const prefixes = [Reflect.getMetadata(PATH_METADATA, controller) ?? ''].flat() as string[];
      if (hasOwnGuard(Reflect.getMetadata(GUARDS_METADATA, controller))) {
        this.faults.push(`${controller.name} uses @UseGuards. Remove it and declare a policy, such as @UserOnly()`);
      }
      const prototype = Object.getPrototypeOf(instance);
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name] as object;
        const suffixes = Reflect.getMetadata(PATH_METADATA, handler) as string | string[] | undefined;
        if (suffixes === undefined) continue;
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number] ?? 'GET';
        for (const version of findVersions(handler, controller)) {
          for (const prefix of prefixes) {
            for (const suffix of [suffixes].flat()) {
              const path = `/${[version, prefix, suffix].join('/').split('/').filter(Boolean).join('/')}`;
              routes.push({ controller, name, handler, method, path });
            }
          }
        }
      }
    }
    return routes;
  }

  /** A path that is set on a module is not part of its routes, so rules about paths would miss it. */
  private checkModulePath(module: object & { name?: string }): void {
    const keys: unknown[] = Reflect.getMetadataKeys(module);
    if (keys.some((key) => String(key).startsWith(MODULE_PATH))) {
      this.faults.push(`${module.name} is mounted under a path. Write the path into @Controller() of its controllers`);
    }
  }

  private compile(found: DiscoveredRoute, guards: readonly Guard[]): AuditedRoute[] {
    const { controller, name, handler, method, path } = found;
    const where = `${controller.name}.${name} (${method} ${path})`;
    const report = (fault: string) => this.faults.push(`${where} ${fault}`);
    if (hasOwnGuard(Reflect.getMetadata(GUARDS_METADATA, handler)))
      report('uses @UseGuards. Remove it and declare a policy, such as @UserOnly()');
    if (!findVersions(handler, controller).includes('') && /^\/v[^/]+\/v\d+(?:\/|$)/.test(path))
      report('sets a version, but its path also begins with one. Remove it from @Controller()');
    if (!METHODS.has(method))
      report(
        method === 'ALL'
          ? 'uses @All(). Use a decorator for each method, such as @Get()'
          : `has the unsupported method ${method}. Use GET, POST, PUT, PATCH or DELETE`,
      );
    const policy = readPolicy(handler, controller);
    if (Array.isArray(policy)) {
      policy.forEach(report);
      return [];
    }
    findPolicyFaults(policy, found, this.features).forEach(report);
    const input = buildInputPlan(found, policy, report);
    findInputFaults(input, policy, found).forEach(report);
    this.modules.get(CheckGuard).findFaults(policy, input).forEach(report);
    const accepts = resolveAccepts(policy, method);
    const takesInput = input !== undefined || accepts.kind === 'json';
    const compiled = compilePlan(
      {
        controller: controller.name,
        handler: name,
        method,
        path,
        policy,
        accepts: Object.freeze(accepts),
        input,
        status: Reflect.getMetadata(HTTP_CODE_METADATA, handler) ?? (method === 'POST' ? 201 : 200),
        responses: declaredResponses(handler),
        bodies: declaredBodies(handler),
        query: declaredQuery(handler),
      },
      guards.filter((guard) => takesInput || !(guard instanceof InputGuard)),
    );
    return [{ controller, handler, ...compiled }];
  }

  /** Compiles the policies of other services, which have the guards of a route without input. */
  private compileServicePolicies(guards: readonly Guard[]): CompiledPolicy[] {
    const { servicePolicies, servicePolicySources } = this.features;
    return [...servicePolicies].sort().map(([name, declaration]) => {
      const policy = toRoutePolicy(name, declaration);
      const path = servicePolicyPath(name);
      const source = servicePolicySources.get(name);
      for (const fault of findPolicyFaults(policy, { path }, this.features))
        this.faults.push(`${source}: the service policy ${JSON.stringify(name)} ${fault}`);
      const compiled = compilePlan(
        {
          ...{ controller: 'ServicePolicies', handler: name, method: 'GET', path, policy, status: 200 },
          ...{ accepts: NO_BODY, input: undefined, responses: [], bodies: [], query: [] },
        },
        guards.filter((guard) => !(guard instanceof InputGuard)),
      );
      return { name, hash: hashServicePolicy(name, declaration), ...compiled };
    });
  }

  private checkDuplicates(audited: readonly AuditedRoute[]): void {
    const seen = new Map<string, RoutePlan>();
    for (const { plan } of audited) {
      const shape = `${plan.method} ${plan.path.replace(/:[^/]+/g, ':').replace(/\*[^/]+/g, '*')}`;
      const other = seen.get(shape);
      if (other) {
        const pair = `${other.controller}.${other.handler} and ${plan.controller}.${plan.handler}`;
        this.faults.push(`${pair} both have the route ${plan.method} ${plan.path}. Change the path of one`);
      }
      seen.set(shape, plan);
    }
  }
}

const toSample = (declaration: ServicePolicyDeclaration): RoutePolicy => toRoutePolicy('sample', declaration);

const findPossibleErrors = (policy: RoutePolicy, guards: readonly Guard[]): ErrorCode[] =>
  guards.filter((guard) => guard.appliesTo(policy)).flatMap((guard) => guard.possibleErrors(policy));

/** Completes a plan with the guards that can reject a request to its route. */
function compilePlan(
  route: Omit<RoutePlan, 'bucketId' | 'possibleErrors'>,
  candidates: readonly Guard[],
): CompiledRoute {
  const { policy } = route;
  const guards = candidates.filter((guard) => guard.appliesTo(policy));
  const enforced = policy.byServicePolicy ? [policy, ...SERVICE_POLICY_SAMPLES.map(toSample)] : [policy];
  const plan: RoutePlan = Object.freeze({
    ...route,
    bucketId: policy.bucket && bucketId(policy.bucket.name),
    possibleErrors: Object.freeze([...new Set(enforced.flatMap((one) => findPossibleErrors(one, candidates)))]),
  });
  return { plan, guards: Object.freeze(guards) };
}

/** Finds what a policy must not declare for this method and path. */
function findPolicyFaults(
  { kind, acl, scope, bucket, sudo }: RoutePolicy,
  { path }: Pick<DiscoveredRoute, 'path'>,
  features: FeatureRegistry,
): string[] {
  const faults: string[] = [];
  const isAdminPath = path === '/v1/admin' || path.startsWith('/v1/admin/');
  if (isAdminPath && kind !== 'AdminAcl')
    faults.push('is below /v1/admin without @AdminAcl(). Add it, or use another path');
  if (!isAdminPath && kind === 'AdminAcl')
    faults.push('declares @AdminAcl() outside /v1/admin. Move it below /v1/admin');
  for (const name of acl?.acls ?? [])
    if (!features.acls.has(name))
      faults.push(
        `names the unknown ACL '${name}'. Declare it in acls of a feature${suggest(name, features.acls.keys())}`,
      );
  if (scope !== undefined && !features.scopes.has(scope))
    faults.push(
      `names the unknown scope '${scope}'. Declare it in scopes of a feature${suggest(scope, features.scopes.keys())}`,
    );
  if (scope !== undefined && sudo)
    faults.push(
      'declares @OAuthScope() and @RequiresSudo(), but no access token satisfies sudo mode. Remove one of them',
    );
  for (const name of [bucket?.name, bucket?.misses, bucket?.ofResourceServer, bucket?.failures]) {
    if (name !== undefined && !features.buckets.has(name))
      faults.push(
        `names the unknown bucket '${name}'. Declare it in buckets of a feature${suggest(name, features.buckets.keys())}`,
      );
  }
  if (bucket?.per && !path.split('/').includes(`:${bucket.per}`)) {
    faults.push(
      `limits per '${bucket.per}', but the path has no parameter :${bucket.per}. Add it to the path, or remove per`,
    );
  }
  return faults;
}

function findInputFaults(
  input: InputPlan | undefined,
  { accepts }: RoutePolicy,
  { method, path }: Pick<DiscoveredRoute, 'method' | 'path'>,
): string[] {
  const faults: string[] = [];
  const given = new Set([...path.matchAll(/[:*](\w+)/g)].map(([, name]) => name));
  for (const name of input?.params ? requiredMembers(input.params) : []) {
    if (!given.has(name))
      faults.push(
        `requires the path parameter ${name}, which its path does not have. Add :${name}, or rename the member`,
      );
  }
  if (accepts && !BODY_METHODS.has(method)) faults.push('declares @Accepts, but its method has no body. Remove it');
  if (input?.body && !BODY_METHODS.has(method))
    faults.push('uses @Body(), but its method has no body. Use POST, PUT, PATCH or DELETE');
  if (input?.body && accepts && accepts.kind !== 'json')
    faults.push('uses @Body(), although @Accepts lets the handler read the body itself. Remove one of them');
  return faults;
}

function resolveAccepts({ accepts }: RoutePolicy, method: string): RoutePlan['accepts'] {
  if (!BODY_METHODS.has(method)) return NO_BODY;
  return { kind: accepts?.kind ?? 'json', limit: accepts?.limit ?? JSON_LIMIT };
}
