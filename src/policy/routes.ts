import { Injectable, type Type } from '@nestjs/common';
import type { Guard } from '../pipeline/guards.js';
import type { InputPlan } from '../pipeline/route-input.js';
import type { Answer, Taken } from './answers.js';
import type { PolicyKind, RoutePolicy } from './decorators.js';

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
  /** Of a success that has no status of its own. */
  readonly status: number;
  /** What the route answers beside the JSON that its handler returns. */
  readonly answers: readonly Answer[];
  /** Bodies that its handler reads itself. */
  readonly takes: readonly Taken[];
}

/** A plan with what the framework knows its route by. */
export interface AuditedRoute {
  readonly controller: Type;
  readonly handler: object;
  readonly plan: RoutePlan;
}

/** Every route of the application with its policy, as the route audit found it: what guards, tests and documents read. */
@Injectable()
export class Routes {
  private readonly plans = new Map<Type, Map<object, RoutePlan>>();
  private listed: readonly RoutePlan[] = [];

  /** Sorted by path, then method. */
  get all(): readonly RoutePlan[] {
    return this.listed;
  }

  fill(audited: readonly AuditedRoute[]): void {
    for (const { controller, handler, plan } of audited) {
      const ofController = this.plans.get(controller) ?? new Map<object, RoutePlan>();
      this.plans.set(controller, ofController.set(handler, plan));
    }
    this.listed = audited
      .map(({ plan }) => plan)
      .sort((a, b) => a.path.localeCompare(b.path, 'en') || a.method.localeCompare(b.method, 'en'));
  }

  planOf(controller: Type, handler: object): RoutePlan {
    const plan = this.plans.get(controller)?.get(handler);
    if (!plan) throw new Error(`the route audit did not see ${controller.name}`);
    return plan;
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

  /** `METHOD path policy`, a line each: the output of `npm run routes`. */
  describe(): string {
    return `${this.listed.map(({ method, path, policy }) => `${method} ${path} ${describePolicy(policy)}`).join('\n')}\n`;
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

function describeBucket({ name, ...options }: NonNullable<RoutePolicy['bucket']>): string {
  const members = Object.entries(options).map(([option, value]) => `${option}: '${value}'`);
  return members.length > 0 ? `'${name}', { ${members.join(', ')} }` : `'${name}'`;
}

/** A policy as it reads in the code, for `npm run routes` and the description. */
export function describePolicy(policy: RoutePolicy): string {
  const acl = policy.acl?.acls.map((name) => `'${name}'`).join(', ') ?? '';
  const sudo = Object.entries(policy.sudo ?? {})
    .map(([name, value]) => `${name}: ${typeof value === 'function' ? value.name || 'predicate' : value}`)
    .join(', ');
  const argument = {
    AdminAcl: policy.acl?.mode === 'any' ? `{ anyOf: [${acl}] }` : acl,
    ClientAuth: policy.confidentialClient ? '{ confidential: true }' : '',
  } as Partial<Record<PolicyKind, string>>;
  return [
    `@${policy.kind}(${argument[policy.kind] ?? ''})`,
    policy.scope && `@OAuthScope('${policy.scope}')`,
    policy.blockedBySso && '@BlockedBySso()',
    policy.allowSuspicious && '@AllowSuspicious()',
    policy.sudo && `@RequiresSudo(${sudo && `{ ${sudo} }`})`,
    policy.captcha && '@Captcha()',
    policy.caseInsensitiveScheme && '@CaseInsensitiveScheme()',
    policy.bucket && `@RateLimit(${describeBucket(policy.bucket)})`,
    policy.cors !== 'default' && `@Cors('${policy.cors}')`,
    policy.accepts &&
      `@Accepts('${policy.accepts.kind}'${policy.accepts.limit ? `, { limit: ${policy.accepts.limit} }` : ''})`,
  ]
    .filter(Boolean)
    .join(' ');
}
