import { Injectable } from '@nestjs/common';
import { addressIsIn } from '../core/address.js';
import { Config } from '../core/config/config.js';
import type { RoutePlan } from '../policy/plan.js';

/** What belongs to administrators: their operations by policy, their pages by path. */
const isOfAdministrators = ({ policy, path }: RoutePlan): boolean =>
  policy.kind === 'AdminAcl' || path === '/admin' || path.startsWith('/admin/');

/** From where administration is there at all: elsewhere its paths are as unknown as any other (web.md section 4). */
@Injectable()
export class AdminNetworks {
  constructor(private readonly config: Config) {}

  hides(plan: RoutePlan, address: string | null): boolean {
    const { networks } = this.config.admin;
    if (networks.length === 0 || !isOfAdministrators(plan)) return false;
    return address === null || !addressIsIn(address, networks);
  }

  /** The route, unless it does not exist for that address. */
  visible(plan: RoutePlan | undefined, address: string | null): RoutePlan | undefined {
    return plan && !this.hides(plan, address) ? plan : undefined;
  }
}
