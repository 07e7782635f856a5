import { Injectable, type Type } from '@nestjs/common';
import type { RoutePlan } from '../policy/plan.js';
import type { Guard } from './guard.js';

/** A handler at one of its paths, found by reflection. */
export interface DiscoveredRoute {
  readonly controller: Type;
  readonly name: string;
  readonly handler: object;
  readonly method: string;
  readonly path: string;
}

/** A plan with the guards that can reject a request to its route. */
export interface CompiledRoute {
  readonly plan: RoutePlan;
  readonly guards: readonly Guard[];
}

/** A compiled route with its controller and handler. */
export interface AuditedRoute extends CompiledRoute {
  readonly controller: Type;
  readonly handler: object;
}

/** A compiled service policy. */
export interface CompiledPolicy extends CompiledRoute {
  readonly name: string;
  /** A digest of all that decides, as base64url. */
  readonly hash: string;
}

/** The routes that the guard stack runs. The route audit compiles them once during startup and freezes them. */
@Injectable()
export class CompiledRoutes {
  private readonly routes = new Map<Type, Map<object, CompiledRoute>>();
  private audited: readonly AuditedRoute[] = [];
  /** The service policies by name, sorted. */
  policies: ReadonlyMap<string, CompiledPolicy> = new Map();

  fill(audited: readonly AuditedRoute[], policies: readonly CompiledPolicy[]): void {
    this.audited = audited;
    this.policies = new Map(policies.map((policy) => [policy.name, Object.freeze(policy)]));
    for (const { controller, handler, plan, guards } of audited) {
      const ofController = this.routes.get(controller) ?? new Map<object, CompiledRoute>();
      this.routes.set(controller, ofController.set(handler, Object.freeze({ plan, guards })));
    }
  }

  requireRoute(controller: Type, handler: object): CompiledRoute {
    const route = this.routes.get(controller)?.get(handler);
    if (!route)
      throw new Error(`A route of ${controller.name} was not audited. Add the controller to a module before startup`);
    return route;
  }

  ofController(controller: Type): AuditedRoute[] {
    return this.audited.filter((route) => route.controller === controller);
  }

  /** The guards of a plan, in order. */
  guardsOf(plan: RoutePlan): readonly Guard[] {
    const all: readonly CompiledRoute[] = [...this.audited, ...this.policies.values()];
    return all.find((route) => route.plan === plan)?.guards ?? [];
  }
}
