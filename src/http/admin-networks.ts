import { Injectable } from '@nestjs/common';
import { addressIsIn } from '../core/address.js';
import { Config } from '../core/config/config.js';
import type { Call } from '../policy/call.js';
import type { RoutePlan } from '../policy/plan.js';
import { Routes } from '../policy/routes.js';

/** Whether a route belongs to administration: operations by their policy, pages by their path. */
const isAdminRoute = ({ policy, path }: RoutePlan): boolean =>
  policy.kind === 'AdminAcl' || path === '/admin' || path.startsWith('/admin/');

/**
 * Restricts administration to configured networks. From other networks, its paths are like unknown paths (web.md
 * section 4).
 */
@Injectable()
export class AdminNetworks {
  constructor(
    private readonly config: Config,
    private readonly routes: Routes,
  ) {}

  hides(plan: RoutePlan, address: string | null): boolean {
    const { networks } = this.config.admin;
    if (networks.length === 0 || !isAdminRoute(plan)) return false;
    return address === null || !addressIsIn(address, networks);
  }

  /** The route that a request to this path would reach, or `undefined` if it is hidden from this caller. */
  findVisible({ req, address }: Call, path: string): RoutePlan | undefined {
    const plan = this.routes.find(req.method ?? '', path);
    return plan && !this.hides(plan, address) ? plan : undefined;
  }

  /** All routes whose template matches a path, without those that are hidden from this IP address. */
  findMatchingVisible(path: string, address: string | null): RoutePlan[] {
    return this.routes.findMatching(path).filter((plan) => !this.hides(plan, address));
  }
}
