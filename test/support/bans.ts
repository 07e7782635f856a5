import { IpBans } from '../../src/bans/ip-bans.service.js';
import { Database } from '../../src/platform/database/database.js';
import type { Gatehouse } from './gatehouse.js';

/** Bans an IP address for some seconds, or permanently if `seconds` is null. */
export const ban = (service: Pick<Gatehouse, 'app'>, value: string, seconds: number | null): Promise<void> =>
  service.app.get(Database).transaction((tx) =>
    service.app.get(IpBans).add(
      tx,
      {
        value,
        kind: seconds === null ? 'permanent' : 'temporary_24h',
        reason: seconds === null ? 'platform_admin_enforcement' : 'automatic',
        createdByUserId: null,
        signals: null,
      },
      seconds,
    ),
  );

/** Ends a ban of an IP address or a network. */
export const liftBan = (service: Gatehouse, value: string): Promise<void> =>
  service.app.get(Database).transaction((tx) => service.app.get(IpBans).lift(tx, [value]));
