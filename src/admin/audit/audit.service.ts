import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { AccountRecords, type AccountSummary } from '../../accounts/account-records.service.js';
import { ApiError } from '../../core/errors.js';
import type { NameOf } from '../../core/names.js';
import { Snowflakes, snowflakeTime } from '../../core/snowflake.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { AuditQuery } from './audit.dto.js';
import { AuditEntry } from './audit.entities.js';
import { CHAIN_START, GENESIS, hashEntry, walkChain } from './audit-chain.js';
import { AuditSearch } from './audit-search.js';
import { AuditVerification } from './audit-verification.service.js';
import type { Operator } from './operator.js';

export type TargetType = 'user' | 'application' | 'admin_api_key' | 'ip_ban' | 'instance';

/** An operation as the audit log records it. */
export interface AuditRecord<T extends string = TargetType> {
  readonly action: NameOf<'auditActions'>;
  readonly target: { readonly type: T; readonly id?: string };
  /** Facts, never secrets. Lists are joined with commas, and `null` becomes an empty string. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
}

export type Verdict =
  | { readonly intact: true; readonly entries: number; readonly head: string }
  | { readonly intact: false; readonly sequence: string; readonly fault: string };

/** The fields of an entry that the reader may see in addition to those of `audit_log:view`. */
interface EntryVisibility {
  readonly email: boolean;
  readonly ip: boolean;
}

const CHAIN_LOCK_KEY = [0x6761, 0x6175];

function toMetadata(metadata: AuditRecord['metadata'] = {}): Record<string, string> {
  const text = (value: unknown) => (Array.isArray(value) ? value.join(',') : value === null ? '' : String(value));
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, text(value)]));
}

/**
 * The audit log. Every Admin mutation adds one entry in its own transaction, and each entry is chained to the previous
 * one.
 */
@Injectable()
export class AuditLog {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly records: AccountRecords,
    private readonly verification: AuditVerification,
  ) {}

  /** Appends an entry. Call it last in the transaction, because every other append waits until the commit. */
  async record(tx: Tx, by: Operator, { action, target, metadata }: AuditRecord<string>): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1, $2)', CHAIN_LOCK_KEY);
    const [last] = await tx.find(AuditEntry, {
      order: { sequence: 'DESC' },
      take: 1,
      select: { sequence: true, hash: true },
    });
    const id = this.snowflakes.next();
    const entry = {
      id,
      adminUserId: by.accountId,
      apiKeyId: by.keyId,
      action,
      targetType: target.type,
      targetId: target.id ?? '0',
      reason: by.reason,
      metadata: toMetadata(metadata),
      requestId: by.requestId,
      // Use the time of the ID, because searches translate times to IDs.
      createdAt: new Date(snowflakeTime(id)),
      ip: by.origin?.ip ?? null,
      sequence: String(BigInt(last?.sequence ?? 0) + 1n),
    };
    await tx.insert(AuditEntry, { ...entry, hash: hashEntry(last?.hash ?? GENESIS, entry) });
    by.markAudited();
  }

  /** Lists entries, newest first, with the total up to `MAX_TOTAL` and the state of the whole chain. */
  async list(by: Operator, query: AuditQuery) {
    const { limit = 50, offset = 0 } = query;
    const { logs, total } = await this.database.read(async (reader) => {
      const search = new AuditSearch(query, by.holds('user:view:ip'));
      const total = await search.total(reader);
      const ids = await search.ids(reader, { limit, offset });
      const entries = await reader.find(AuditEntry, { where: { id: Any(ids) }, order: { id: 'DESC' } });
      return { logs: await this.toViews(by, entries, reader), total };
    });
    return { logs, total, chain: await this.verification.state() };
  }

  /** @throws ApiError NOT_FOUND */
  async show(by: Operator, id: string) {
    return this.database.read(async (reader) => {
      const entry = await reader.findOneBy(AuditEntry, { id });
      if (!entry) throw new ApiError('NOT_FOUND');
      return (await this.toViews(by, [entry], reader))[0];
    });
  }

  private async toViews(by: Operator, entries: readonly AuditEntry[], reader: Tx) {
    const named = entries.flatMap((entry) => [
      entry.adminUserId,
      ...(entry.targetType === 'user' ? [entry.targetId] : []),
    ]);
    const summaries = await this.records.summaries(named, reader);
    const visibility = { email: by.holds('user:view:email'), ip: by.holds('user:view:ip') };
    return entries.map((entry) => auditEntryView(entry, summaries, visibility));
  }

  /** Verifies the whole chain. Returns the first invalid entry if there is one. */
  async verify(): Promise<Verdict> {
    const { sequence, head, fault } = await walkChain(this.database.manager, CHAIN_START);
    return fault === undefined
      ? { intact: true, entries: sequence, head: head.toString('hex') }
      : { intact: false, sequence: String(sequence + 1), fault };
  }
}

function auditEntryView(entry: AuditEntry, summaries: Map<string, AccountSummary>, visibility: EntryVisibility) {
  const hidden = (name: string) => !visibility.email && name.endsWith('email');
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
    client_ip: entry.ip === null || visibility.ip ? entry.ip : '[redacted]',
    created_at: entry.createdAt.toISOString(),
  };
}
