import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountRecords, type AccountSummary, MAX_TOTAL } from '../../accounts/account-records.service.js';
import { Clock } from '../../core/clock.js';
import { Refusal } from '../../core/errors.js';
import { Snowflakes } from '../../core/snowflake.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { AuditQuery } from './audit.dto.js';
import { AuditEntry } from './audit.entities.js';
import type { Operator } from './operator.js';

export type TargetType = 'user' | 'application' | 'admin_api_key' | 'ip_ban' | 'instance';

/** What was done, as the audit log keeps it. */
export interface Deed {
  readonly action: string;
  readonly target: { readonly type: TargetType; readonly id?: string };
  /** Facts, never secrets. Lists are joined by commas, `null` is the empty text. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
}

export type Verdict =
  | { readonly intact: true; readonly entries: number; readonly head: string }
  | { readonly intact: false; readonly sequence: string; readonly fault: string };

const CHAIN_LOCK = [0x6761, 0x6175];
const GENESIS = Buffer.alloc(32);
const BATCH = 1000;

function metadataOf(metadata: Deed['metadata'] = {}): Record<string, string> {
  const text = (value: unknown) => (Array.isArray(value) ? value.join(',') : value === null ? '' : String(value));
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, text(value)]));
}

/** The hash of an entry: over the one before it and everything that the entry says. */
function linkOf(previous: Buffer, entry: Omit<AuditEntry, 'hash'>): Buffer {
  const { sequence, id, adminUserId, apiKeyId, action, targetType, targetId, reason, requestId, createdAt } = entry;
  const metadata = Object.entries(entry.metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  const facts = [sequence, id, adminUserId, apiKeyId, action, targetType, targetId, reason, metadata, requestId];
  const content = JSON.stringify([...facts, createdAt.toISOString()]);
  return hash('sha256', Buffer.concat([previous, Buffer.from(content)]), 'buffer');
}

/** The audit log: one entry per Admin mutation, in the mutation's own transaction, each chained to the one before. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly clock: Clock,
    private readonly records: AccountRecords,
  ) {}

  /**
   * Appends an entry. Call it last in the transaction: from here to the commit, every other appender waits.
   */
  async record(tx: Tx, by: Operator, { action, target, metadata }: Deed): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1, $2)', CHAIN_LOCK);
    const [last] = await tx.find(AuditEntry, {
      order: { sequence: 'DESC' },
      take: 1,
      select: { sequence: true, hash: true },
    });
    const entry = {
      id: this.snowflakes.next(),
      adminUserId: by.accountId,
      apiKeyId: by.keyId,
      action,
      targetType: target.type,
      targetId: target.id ?? '0',
      reason: by.reason,
      metadata: metadataOf(metadata),
      requestId: by.requestId,
      createdAt: this.clock.date(),
      sequence: String(BigInt(last?.sequence ?? 0) + 1n),
    };
    await tx.insert(AuditEntry, { ...entry, hash: linkOf(last?.hash ?? GENESIS, entry) });
  }

  /** Newest first; the total as far as pages reach. */
  async list(by: Operator, { admin_user_id, target_type, target_id, action, limit = 50, offset = 0 }: AuditQuery) {
    const query = this.database.manager.createQueryBuilder(AuditEntry, 'e').orderBy('e.sequence', 'DESC');
    if (admin_user_id !== undefined) query.andWhere('e.adminUserId = :admin_user_id', { admin_user_id });
    if (target_type !== undefined) query.andWhere('e.targetType = :target_type', { target_type });
    if (target_id !== undefined) query.andWhere('e.targetId = :target_id', { target_id });
    if (action !== undefined) query.andWhere('e.action = :action', { action });
    const counted = query.clone().select('1', 'one').orderBy().limit(MAX_TOTAL);
    const count = await this.database.manager
      .createQueryBuilder()
      .select('count(*)::int', 'total')
      .from(`(${counted.getQuery()})`, 'counted')
      .setParameters(counted.getParameters())
      .getRawOne<{ total: number }>();
    const entries = await query.limit(limit).offset(offset).getMany();
    return { logs: await this.views(by, entries), total: count?.total ?? 0 };
  }

  /** @throws Refusal NOT_FOUND */
  async show(by: Operator, id: string) {
    const entry = await this.database.manager.findOneBy(AuditEntry, { id });
    if (!entry) throw new Refusal('NOT_FOUND');
    return (await this.views(by, [entry]))[0];
  }

  private async views(by: Operator, entries: readonly AuditEntry[]) {
    const named = entries.flatMap((entry) => [
      entry.adminUserId,
      ...(entry.targetType === 'user' ? [entry.targetId] : []),
    ]);
    const summaries = await this.records.summaries(named);
    const seesEmail = by.holds('user:view:email');
    return entries.map((entry) => auditEntryView(entry, summaries, seesEmail));
  }

  /** Walks the whole chain; the first entry that does not fit is named. */
  async verify(): Promise<Verdict> {
    let head: Buffer = GENESIS;
    let entries = 0;
    for (;;) {
      const batch = await this.database.manager
        .createQueryBuilder(AuditEntry, 'e')
        .where('e.sequence > :entries', { entries })
        .orderBy('e.sequence', 'ASC')
        .limit(BATCH)
        .getMany();
      for (const entry of batch) {
        entries++;
        if (entry.sequence !== String(entries)) return broken(String(entries), 'is missing');
        const link = linkOf(head, entry);
        if (!link.equals(entry.hash)) return broken(entry.sequence, 'does not fit the entry before it, or was changed');
        head = link;
      }
      if (batch.length < BATCH) return { intact: true, entries, head: head.toString('hex') };
    }
  }
}

const broken = (sequence: string, fault: string): Verdict => ({ intact: false, sequence, fault });

function auditEntryView(entry: AuditEntry, summaries: Map<string, AccountSummary>, seesEmail: boolean) {
  const hidden = (name: string) => !seesEmail && name.endsWith('email');
  return {
    log_id: entry.id,
    admin_user_id: entry.adminUserId,
    admin_user: summaries.get(entry.adminUserId) ?? null,
    api_key_id: entry.apiKeyId,
    target_type: entry.targetType,
    target_id: entry.targetId,
    target_user: (entry.targetType === 'user' && summaries.get(entry.targetId)) || null,
    action: entry.action,
    audit_log_reason: entry.reason,
    metadata: Object.fromEntries(
      Object.entries(entry.metadata).map(([name, value]) => [name, hidden(name) ? '[redacted]' : value]),
    ),
    request_id: entry.requestId,
    created_at: entry.createdAt.toISOString(),
  };
}
