import { Injectable } from '@nestjs/common';
import type { RoutePlan } from './plan.js';
import { describePolicy } from './route-policy.js';

/** A service policy, as `npm run routes` prints it. */
interface NamedPolicy {
  readonly name: string;
  readonly plan: RoutePlan;
}

/** What the route audit found besides routes. */
interface OtherDeclarations {
  /** What an extension declared to run without the guards, and why. */
  readonly unguarded?: Readonly<Record<string, string>>;
  readonly servicePolicies?: readonly NamedPolicy[];
}

/** Every route of the application with its policy, from the route audit. Preflights, tests and documents use it. */
@Injectable()
export class Routes {
  private plans: readonly RoutePlan[] = [];
  private unguarded: readonly (readonly [name: string, reason: string])[] = [];
  private servicePolicies: readonly NamedPolicy[] = [];
  /** The paths of `@ByServicePolicy()` routes, up to the parameter that names the policy. */
  private policyPrefixes: readonly string[] = [];
  /** Each route with its template in parts, the most specific first. */
  private ranked: readonly { readonly plan: RoutePlan; readonly parts: readonly string[] }[] = [];
  private secretTemplates: readonly (readonly string[])[] = [];

  /** Sorted by path, then method. */
  get all(): readonly RoutePlan[] {
    return this.plans;
  }

  /** Sets the routes. */
  fill(plans: readonly RoutePlan[], { unguarded = {}, servicePolicies = [] }: OtherDeclarations = {}): void {
    this.unguarded = Object.entries(unguarded);
    this.servicePolicies = servicePolicies;
    this.policyPrefixes = plans
      .filter(({ policy }) => policy.byServicePolicy)
      .map(({ path }) => path.slice(0, path.indexOf(':')));
    this.plans = plans.toSorted((a, b) => a.path.localeCompare(b.path, 'en') || a.method.localeCompare(b.method, 'en'));
    this.ranked = this.plans
      .toSorted((a, b) => sortKey(a.path).localeCompare(sortKey(b.path), 'en'))
      .map((plan) => ({ plan, parts: plan.path.split('/') }));
    this.secretTemplates = this.plans.filter(({ policy }) => policy.secretPath).map(({ path }) => path.split('/'));
  }

  /**
   * Whether a request target begins like a route with `@SecretPath()`, whatever its method and the rest of its path. The
   * path of an unknown route can also contain the secret.
   */
  isSecret(target: string): boolean {
    if (this.secretTemplates.length === 0) return false;
    const segments = pathOf(target).split('/');
    return this.secretTemplates.some((template) => beginsLike(template, segments));
  }

  /**
   * The routes whose template matches a path, the most specific first, in the order of the router. Used for preflights.
   */
  findMatching(path: string): RoutePlan[] {
    const segments = path.split('/');
    return this.ranked.filter(({ parts }) => matchesTemplate(parts, segments)).map(({ plan }) => plan);
  }

  /** The route that would match a request, for responses that are sent before routing. */
  find(method: string, path: string): RoutePlan | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const segments = path.split('/');
    return this.ranked.find(({ plan, parts }) => plan.method === wanted && matchesTemplate(parts, segments))?.plan;
  }

  /**
   * The path that names the service policy, without the rest of the request target. `undefined` for requests that do not
   * ask for a decision.
   */
  findPolicyPath(target: string): string | undefined {
    const prefix = this.policyPrefixes.find((one) => target.startsWith(one));
    return prefix && prefix + (/^[^/?]*/.exec(target.slice(prefix.length))?.[0] ?? '');
  }

  /** The service policy whose decision a request to this path asks for. */
  findServicePolicy(path: string): RoutePlan | undefined {
    const wanted = this.findPolicyPath(path);
    return this.servicePolicies.find(({ plan }) => plan.path === wanted)?.plan;
  }

  /**
   * One line `METHOD path policy` per route, then the service policies and what runs without the guards: the output of
   * `npm run routes`.
   */
  describe(): string {
    const routes = this.plans.map(({ method, path, policy }) => `${method} ${path} ${describePolicy(policy)}`);
    const policies = this.servicePolicies.map(({ name, plan }) => `POLICY ${name} ${describePolicy(plan.policy)}`);
    const others = this.unguarded.map(([name, reason]) => `UNGUARDED ${name}: ${reason}`);
    return `${[...routes, ...policies, ...others].join('\n')}\n`;
  }
}

/** The path of a request target, which can be an absolute URL. */
function pathOf(target: string): string {
  const [url = ''] = target.split('?', 1);
  const host = url.indexOf('://') + 3;
  return url.startsWith('/') || host < 3 ? url : url.slice(host + Math.max(0, url.slice(host).indexOf('/')));
}

function beginsLike(template: readonly string[], segments: readonly string[]): boolean {
  return template.every((part, index) => {
    const segment = segments[index];
    return part[0] === ':' || part[0] === '*' ? !!segment : segment?.toLowerCase() === part.toLowerCase();
  });
}

function matchesTemplate(template: readonly string[], segments: readonly string[]): boolean {
  for (const [index, part] of template.entries()) {
    // The value of a parameter is never empty.
    if (part.startsWith('*')) return segments.slice(index).join('/') !== '';
    if (part.startsWith(':') ? segments[index] === '' : segments[index] !== part) return false;
  }
  return template.length === segments.length;
}

/** Sort key: static text comes before parameters, parameters before wildcards. */
const sortKey = (path: string): string =>
  path.replace(/[^/]+/g, (part) => (part[0] === '*' ? '2' : part[0] === ':' ? '1' : ''));
