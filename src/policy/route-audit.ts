import { Injectable, type OnApplicationBootstrap, RequestMethod, type Type } from '@nestjs/common';
import {
  GUARDS_METADATA,
  HOST_METADATA,
  METHOD_METADATA,
  MODULE_PATH,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
} from '@nestjs/common/internal';
import { APP_GUARD, ApplicationConfig, DiscoveryService, MetadataScanner, ModuleRef } from '@nestjs/core';
import { isAcl } from '../admin/acls.js';
import { SudoInput } from '../auth/sudo.dto.js';
import { JSON_LIMIT } from '../body.js';
import { StartError } from '../config.js';
import { isDeclared, type Shape } from '../input.js';
import { bucketId, isBucket } from '../limits.js';
import { isScope } from '../oauth/scopes.js';
import { describePolicy, type RoutePolicy, readPolicy } from './decorators.js';
import { type Guard, GuardStack, guardsInOrder, InputGuard, Plans } from './guards.js';

/** The DTO classes that the input guard validates for a route. */
export interface InputPlan {
  readonly params?: Shape;
  readonly query?: Shape;
  readonly body?: Shape;
  readonly sudo?: Shape;
}

/** A route as the guards see it: compiled once at boot, frozen, read on every request. */
export interface RoutePlan {
  readonly controller: string;
  readonly handler: string;
  readonly method: string;
  /** The route template, with `:name` and `*name` for parameters. */
  readonly path: string;
  readonly policy: RoutePolicy;
  readonly guards: readonly Guard[];
  readonly accepts: { readonly kind: 'json' | 'form' | 'raw' | 'none'; readonly limit: number };
  readonly input: InputPlan | undefined;
  readonly bucketId: string | undefined;
}

/** Thrown at boot: every route that is not declared as it must be. */
export class RouteAuditError extends StartError {
  constructor(readonly faults: string[]) {
    super(`Route policy audit failed:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

const BOT_ROUTES: ReadonlySet<string> = new Set(['GET /v1/gateway/bot', 'GET /v1/applications/@me']);
const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const METHODS: ReadonlySet<string> = new Set(['GET', ...BODY_METHODS]);

interface Found {
  readonly controller: Type;
  readonly name: string;
  readonly handler: object;
  readonly method: string;
  readonly path: string;
}

type ArgumentMetadata = Record<string, { index: number; data?: unknown; pipes?: unknown[] }>;

/** Every route of the application with its policy: the boot audit, and what guards, tests and documents read. */
@Injectable()
export class Routes extends Plans implements OnApplicationBootstrap {
  private readonly plans = new Map<Type, Map<object, RoutePlan>>();
  private faults: string[] = [];
  private listed: RoutePlan[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly modules: ModuleRef,
    private readonly application: ApplicationConfig,
  ) {
    super();
  }

  /** Sorted by path, then method. */
  get all(): readonly RoutePlan[] {
    return this.listed;
  }

  /** `METHOD path policy`, a line each: the output of `npm run routes`. */
  describe(): string {
    return `${this.listed.map(({ method, path, policy }) => `${method} ${path} ${describePolicy(policy)}`).join('\n')}\n`;
  }

  planOf(controller: Type, handler: object): RoutePlan {
    const plan = this.plans.get(controller)?.get(handler);
    if (!plan) throw new Error(`the route audit did not see ${controller.name}`);
    return plan;
  }

  /**
   * Runs before the router learns the routes: it would refuse some of them in its own words.
   * @throws RouteAuditError when a route is not declared as it must be
   */
  audit(): void {
    const guards = guardsInOrder().map((type) => this.modules.get(type, { strict: false }));
    this.refuseForeignGuards();
    for (const found of this.findRoutes()) this.compile(found, guards);
    this.refuseDuplicates();
    if (this.faults.length > 0) throw new RouteAuditError(this.faults);
    this.listed.sort((a, b) => a.path.localeCompare(b.path, 'en') || a.method.localeCompare(b.method, 'en'));
  }

  /** Guards that were added while modules started stand on every route by now. */
  onApplicationBootstrap(): void {
    this.refuseForeignGuards();
    if (this.faults.length > 0) throw new RouteAuditError(this.faults);
  }

  private refuseForeignGuards(): void {
    for (const wrapper of this.discovery.getProviders()) {
      const token = String(wrapper.token ?? wrapper.name);
      const host = wrapper.host?.metatype?.name ?? 'a module';
      if (token.startsWith(APP_GUARD) && host !== 'PolicyModule') {
        this.faults.push(`${host} registers an APP_GUARD; only PolicyModule may`);
      }
    }
    const isForeign = this.application.getGlobalGuards().some((guard) => !(guard instanceof GuardStack));
    if (isForeign || this.application.getGlobalRequestGuards().length > 0) {
      this.faults.push('useGlobalGuards adds a guard outside guardsInOrder');
    }
  }

  private findRoutes(): Found[] {
    const routes: Found[] = [];
    for (const { instance, metatype, host } of this.discovery.getControllers()) {
      if (!instance || !metatype) continue;
      const controller = metatype as Type;
      if (host?.metatype) this.refuseModulePath(host.metatype);
      if (Reflect.getMetadata(HOST_METADATA, controller)) this.faults.push(`${controller.name} answers by host`);
      const prefixes = [Reflect.getMetadata(PATH_METADATA, controller) ?? ''].flat() as string[];
      if (Reflect.getMetadata(GUARDS_METADATA, controller)) {
        this.faults.push(`${controller.name} uses @UseGuards; the order lives in guardsInOrder`);
      }
      const prototype = Object.getPrototypeOf(instance);
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name] as object;
        const suffixes = Reflect.getMetadata(PATH_METADATA, handler) as string | string[] | undefined;
        if (suffixes === undefined) continue;
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number] ?? 'GET';
        for (const prefix of prefixes) {
          for (const suffix of [suffixes].flat()) {
            const path = `/${[prefix, suffix].join('/').split('/').filter(Boolean).join('/')}`;
            routes.push({ controller, name, handler, method, path });
          }
        }
      }
    }
    return routes;
  }

  /** A path that is given to a module stands on none of its routes, so no rule about paths would see it. */
  private refuseModulePath(module: object & { name?: string }): void {
    const keys: unknown[] = Reflect.getMetadataKeys(module);
    if (keys.some((key) => String(key).startsWith(MODULE_PATH))) {
      this.faults.push(`${module.name} is mounted under a path; name it in its controllers`);
    }
  }

  private compile(found: Found, guards: readonly Guard[]): void {
    const { controller, name, handler, method, path } = found;
    const where = `${controller.name}.${name} (${method} ${path})`;
    const blame = (fault: string) => this.faults.push(`${where} ${fault}`);
    if (Reflect.getMetadata(GUARDS_METADATA, handler)) blame('uses @UseGuards; the order lives in guardsInOrder');
    if (!METHODS.has(method)) blame(method === 'ALL' ? 'answers every method' : `answers ${method}, as no route does`);
    const policy = readPolicy(handler);
    if (Array.isArray(policy)) {
      policy.forEach(blame);
      return;
    }
    const isAdminPath = path === '/v1/admin' || path.startsWith('/v1/admin/');
    if (isAdminPath !== (policy.kind === 'AdminAcl')) blame('breaks the rule that @AdminAcl and /v1/admin go together');
    for (const acl of policy.acl?.acls ?? []) if (!isAcl(acl)) blame(`names the unknown ACL '${acl}'`);
    if (policy.scope !== undefined && !isScope(policy.scope)) blame(`names the unknown scope '${policy.scope}'`);
    if (policy.bucket && !isBucket(policy.bucket.name)) blame(`names the unknown bucket '${policy.bucket.name}'`);
    if (policy.bucket?.misses && !isBucket(policy.bucket.misses)) {
      blame(`names the unknown bucket '${policy.bucket.misses}'`);
    }
    if (policy.bucket?.per && !path.split('/').includes(`:${policy.bucket.per}`)) {
      blame(`keys its bucket by :${policy.bucket.per}, which is not in the path`);
    }
    if (policy.caseInsensitiveScheme && !BOT_ROUTES.has(`${method} ${path}`)) {
      blame('is not one of the two routes that may declare @CaseInsensitiveScheme');
    }
    if (policy.accepts && !BODY_METHODS.has(method)) blame('declares @Accepts but takes no body');
    const input = this.inputOf(found, policy, blame);
    const accepts = acceptsOf(policy, method);
    const takesInput = input !== undefined || accepts.kind === 'json';
    const plan: RoutePlan = Object.freeze({
      controller: controller.name,
      handler: name,
      method,
      path,
      policy,
      guards: Object.freeze(
        guards.filter((guard) => guard.concerns(policy) && (takesInput || !(guard instanceof InputGuard))),
      ),
      accepts: Object.freeze(accepts),
      input,
      bucketId: policy.bucket && bucketId(policy.bucket.name),
    });
    const ofController = this.plans.get(controller) ?? new Map<object, RoutePlan>();
    this.plans.set(controller, ofController.set(handler, plan));
    this.listed.push(plan);
  }

  /** What Nest's own parameter decorators bind; every bound part must be a class with rules. */
  private inputOf({ controller, name, method }: Found, policy: RoutePolicy, blame: (fault: string) => void) {
    const bound: ArgumentMetadata = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {};
    const types: unknown[] = Reflect.getMetadata('design:paramtypes', controller.prototype, name) ?? [];
    const input: { -readonly [part in keyof InputPlan]: Shape } = {};
    const parts: Partial<Record<number, 'params' | 'query' | 'body'>> = {
      [RouteParamtypes.PARAM]: 'params',
      [RouteParamtypes.QUERY]: 'query',
      [RouteParamtypes.BODY]: 'body',
    };
    for (const [key, { index, data, pipes }] of Object.entries(bound)) {
      // `3:0` is Nest's own decorator of kind 3; those of `createParamDecorator` begin with a random id.
      const part = parts[Number(/^(\d+):\d+$/.exec(key)?.[1] ?? -1)];
      if (!part) continue;
      const type = types[index];
      if (data !== undefined || (pipes?.length ?? 0) > 0 || typeof type !== 'function' || !isDeclared(type as Shape)) {
        blame(`takes unvalidated ${part}: bind the whole of it to a class whose members have rules`);
      } else input[part] = type as Shape;
    }
    if (input.body && !BODY_METHODS.has(method)) blame('binds a body to a method that has none');
    if (input.body && policy.accepts && policy.accepts.kind !== 'json') blame('binds a body that it reads itself');
    if (policy.sudo) input.sudo = SudoInput;
    return Object.keys(input).length > 0 ? Object.freeze(input) : undefined;
  }

  private refuseDuplicates(): void {
    const seen = new Map<string, RoutePlan>();
    for (const plan of this.listed) {
      const shape = `${plan.method} ${plan.path.replace(/:[^/]+/g, ':').replace(/\*[^/]+/g, '*')}`;
      const other = seen.get(shape);
      if (other) {
        const pair = `${other.controller}.${other.handler} and ${plan.controller}.${plan.handler}`;
        this.faults.push(`${pair} both answer ${plan.method} ${plan.path}`);
      }
      seen.set(shape, plan);
    }
  }

  /** The routes whose template fits a path, the more specific first, as routing has it: for preflights. */
  matching(path: string): RoutePlan[] {
    const segments = path.split('/');
    return this.listed
      .filter((plan) => fits(plan.path.split('/'), segments))
      .sort((a, b) => compareRank(rankOf(a.path), rankOf(b.path)));
  }

  /** The route that would answer, for answers that precede routing. */
  find(method: string, path: string): RoutePlan | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    return this.matching(path).find((plan) => plan.method === wanted);
  }
}

function fits(template: string[], segments: string[]): boolean {
  for (const [index, part] of template.entries()) {
    if (part.startsWith('*')) return segments.length > index;
    if (segments[index] === undefined) return false;
    if (!part.startsWith(':') && part !== segments[index]) return false;
  }
  return template.length === segments.length;
}

/** A digit for every segment: text before parameter before wildcard. */
const rankOf = (path: string): string =>
  path.replace(/[^/]+/g, (part) => (part[0] === '*' ? '2' : part[0] === ':' ? '1' : '0'));
const compareRank = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function acceptsOf({ accepts }: RoutePolicy, method: string): RoutePlan['accepts'] {
  if (!BODY_METHODS.has(method)) return { kind: 'none', limit: 0 };
  return { kind: accepts?.kind ?? 'json', limit: accepts?.limit ?? JSON_LIMIT };
}
