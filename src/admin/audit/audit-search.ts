import { MAX_TOTAL, type Page } from '../../accounts/account-records.service.js';
import { banCoverage, parseNetwork } from '../../bans/networks.js';
import { SNOWFLAKE_EPOCH } from '../../core/snowflake.js';
import type { Tx } from '../../platform/database/database.js';
import type { AuditQuery } from './audit.dto.js';

const LARGEST_ID = 9223372036854775807n;

/** The smallest ID that can have been issued at this time. */
function firstIdAt(ms: number): string {
  const id = BigInt(Math.max(0, ms - SNOWFLAKE_EPOCH)) << 22n;
  return String(id > LARGEST_ID ? LARGEST_ID : id);
}

/**
 * A search in the audit log. IDs contain their time, so times and the cursor become ranges of IDs. Each other filter
 * has an index in ID order.
 */
export class AuditSearch {
  private readonly values: unknown[] = [];
  private readonly conditions: readonly string[];
  /** Each matching entry matches exactly one alternative. Therefore `UNION ALL` returns no duplicates. */
  private readonly alternatives: readonly string[];

  /** @param seesAddresses whether the reader may see the IP addresses of operations */
  constructor(
    private readonly query: AuditQuery,
    seesAddresses: boolean,
  ) {
    const { admin_user_id, target_type, target_id, action, request_id, from, to, ip } = query;
    this.conditions = [
      ...this.where('admin_user_id = ?', admin_user_id),
      ...this.where('target_type = ?', target_type),
      ...this.where('target_id = ?', target_id),
      ...this.where('action = ?', action),
      ...this.where('request_id = ?', request_id),
      ...this.where('id >= ?', from && firstIdAt(Date.parse(from))),
      ...this.where('id < ?', to && firstIdAt(Date.parse(to) + 1)),
    ];
    this.alternatives = ip === undefined ? ['true'] : this.ipConditions(ip, seesAddresses);
  }

  private where(condition: string, value: unknown): string[] {
    return value === undefined ? [] : [condition.replace('?', `$${this.values.push(value)}`)];
  }

  /** Matches bans of the IP address and operations that came from it. A ban of an IPv6 address often covers its /64. */
  private ipConditions(ip: string, seesAddresses: boolean): string[] {
    const network = parseNetwork(ip);
    if (!network) throw new Error('The IP address or range was not validated');
    const banned = [...new Set([network.text, banCoverage(network).text])];
    const bans = this.where("target_type = 'ip_ban' AND target_id = ANY (?)", banned);
    if (!seesAddresses) return bans;
    return [
      [...bans, ...this.where('ip IS DISTINCT FROM ?', network.text)].join(' AND '),
      ...this.where('ip = ?', network.text),
    ];
  }

  /** Selects the IDs of matching entries. `tail` is appended to each alternative. */
  private select(more: readonly string[], tail: string): string {
    return this.alternatives
      .map((alternative) => [...this.conditions, ...more, alternative].join(' AND '))
      .map((condition) => `(SELECT id FROM audit_log WHERE ${condition} ${tail})`)
      .join(' UNION ALL ');
  }

  /** Counts matching entries, up to `MAX_TOTAL`. The cursor does not reduce the count. */
  async total(tx: Tx): Promise<number> {
    const [{ total }] = await tx.query<[{ total: number }]>(
      `SELECT least(count(*), ${MAX_TOTAL})::int AS total FROM (${this.select([], `LIMIT ${MAX_TOTAL}`)}) fitting`,
      [...this.values],
    );
    return total;
  }

  /** Returns the IDs of one page, newest first. */
  async ids(tx: Tx, { limit, offset }: Page): Promise<string[]> {
    const [reach, skipped] = [Number(limit) + Number(offset), Number(offset)];
    const behind = this.where('id < ?', this.query.before);
    const rows = await tx.query<{ id: string }[]>(
      `SELECT id FROM (${this.select(behind, `ORDER BY id DESC LIMIT ${reach}`)}) page
       ORDER BY id DESC LIMIT ${reach - skipped} OFFSET ${skipped}`,
      this.values,
    );
    return rows.map(({ id }) => id);
  }
}
