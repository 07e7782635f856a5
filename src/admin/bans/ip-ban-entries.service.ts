import { Injectable } from '@nestjs/common';
import { IpBanEntry } from '../../bans/bans.entities.js';
import { IpBans } from '../../bans/ip-bans.service.js';
import {
  banCoverage,
  type Network,
  networkFromCidr,
  networksOverlap,
  PRIVATE_NETWORKS,
  parseNetwork,
} from '../../bans/networks.js';
import { parseAddress } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import { AuditLog } from '../audit/audit.service.js';
import type { Operator } from '../audit/operator.js';
import type { BanAddressInput, BanEntriesQuery } from './ip-bans.dto.js';

const SECONDS_PER_HOUR = 3600;

const entryView = (entry: IpBanEntry) => ({
  value: entry.value,
  kind: entry.kind,
  reason: entry.reason,
  expires_at: entry.expiresAt?.toISOString() ?? null,
  created_at: entry.createdAt.toISOString(),
  created_by_user_id: entry.createdByUserId,
  signals: entry.signals,
});

/**
 * The values that a ban of this IP address or range can have. An administrator bans `own`, and automatic bans use
 * `reach`.
 */
function banValuesFor(value: string): [own: string, reach: string] {
  const network = parseNetwork(value);
  if (!network) throw new Error('The IP address or range was not validated');
  return [network.text, banCoverage(network).text];
}

/** Reads and changes the IP ban list for administrators (admin.md section 8). */
@Injectable()
export class IpBanEntries {
  constructor(
    private readonly database: Database,
    private readonly bans: IpBans,
    private readonly config: Config,
    private readonly audit: AuditLog,
  ) {}

  /** Lists active bans, ordered by value. */
  async list({ limit = 50, after }: BanEntriesQuery) {
    const found = await this.database.read((reader) => {
      const query = reader
        .createQueryBuilder(IpBanEntry, 'b')
        .where('(b.expires_at IS NULL OR b.expires_at > now())')
        .orderBy('b.value COLLATE "C"', 'ASC')
        .limit(limit + 1);
      if (after !== undefined) query.andWhere('b.value COLLATE "C" > :after', { after });
      return query.getMany();
    });
    const items = found.slice(0, limit).map(entryView);
    const hasMore = found.length > limit;
    return { items, has_more: hasMore, next_after: hasMore ? (items.at(-1)?.value ?? null) : null };
  }

  /**
   * Bans an IP address or a range. The ban is permanent if no duration is given, and it replaces an existing ban.
   * @throws ApiError IP_BAN_DECLINED for a range that contains the service itself or the IP address of the operator
   */
  async ban(by: Operator, { ip, duration_hours: hours = 0 }: BanAddressInput): Promise<void> {
    const network = parseNetwork(ip);
    if (!network) throw new Error('The IP address or range was not validated');
    const isDeclined = this.isProtected(by, banCoverage(network));
    await this.database.transaction(async (tx) => {
      const entry = {
        value: network.text,
        kind: hours === 0 ? 'permanent' : 'temporary_24h',
        reason: 'platform_admin_enforcement',
        createdByUserId: by.accountId,
        signals: null,
      } as const;
      if (!isDeclined && hours > 0) await this.bans.lift(tx, [network.text]);
      if (!isDeclined) await this.bans.add(tx, entry, hours === 0 ? null : hours * SECONDS_PER_HOUR);
      await this.audit.record(tx, by, {
        action: isDeclined ? 'ban_ip_declined' : 'ban_ip',
        target: { type: 'ip_ban', id: network.text },
        metadata: { value: network.text, ...(hours === 0 ? {} : { duration_hours: hours }) },
      });
    });
    if (isDeclined) throw new ApiError('IP_BAN_DECLINED');
  }

  private isProtected(by: Operator, reach: Network): boolean {
    const own = by.origin === null ? null : parseNetwork(by.origin.ip);
    const exempt = [...this.config.abuse.exempt, ...this.config.trustedProxies].map(networkFromCidr);
    return [...PRIVATE_NETWORKS, ...exempt, ...(own ? [own] : [])].some((network) => networksOverlap(reach, network));
  }

  /** Reports whether the IP address is banned now, and by which entry. Text that is not an IP address is not banned. */
  async check(value: string) {
    const address = parseAddress(value);
    const ban = address && this.bans.find(address.toString());
    const entry = ban && (await this.database.manager.findOneBy(IpBanEntry, { value: ban.value }));
    return { banned: ban !== null, entry: entry && entryView(entry) };
  }

  /** Whether there is an active ban that `lift` would remove. */
  isBanned(value: string): Promise<boolean> {
    return this.database.manager
      .createQueryBuilder(IpBanEntry, 'b')
      .where('b.value = ANY (:values) AND (b.expires_at IS NULL OR b.expires_at > now())', {
        values: banValuesFor(value),
      })
      .getExists();
  }

  /** Lifts the ban of the IP address or range, including an automatic ban of its /64. */
  async lift(by: Operator, value: string): Promise<void> {
    const [own, reach] = banValuesFor(value);
    await this.database.transaction(async (tx) => {
      await this.bans.lift(tx, [own, reach]);
      await this.audit.record(tx, by, {
        action: 'unban_ip',
        target: { type: 'ip_ban', id: own },
        metadata: { value: own },
      });
    });
  }
}
