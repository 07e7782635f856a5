import { Injectable } from '@nestjs/common';
import { addressIsIn } from '../core/address.js';
import { Config } from '../core/config/config.js';
import type { RoutePlan } from '../policy/plan.js';

/** Whether a route belongs to administration: operations by their policy, pages by their path. */
const isAdminRoute = ({ policy, path }: RoutePlan): boolean =>
  policy.kind === 'AdminAcl' || path === '/admin' || path.startsWith('/admin/');

/**
 * Restricts administration to configured networks. From other networks, its paths are like unknown paths (web.md
 * section 4).
 */
@Injectable()
export class AdminNetworks {
  constructor(private readonly config: Config) {}

  hides(plan: RoutePlan, address: string | null): boolean {
    const { networks } = this.config.admin;
    if (networks.length === 0 || !isAdminRoute(plan)) return false;
    return address === null || !addressIsIn(address, networks);
  }

  /** The route, or `undefined` if it is hidden from this IP address. */
  visible(plan: RoutePlan | undefined, address: string | null): RoutePlan | undefined {
    return plan && !this.hides(plan, address) ? plan : undefined;
  }
}
