import { Injectable } from '@nestjs/common';
import { Log } from '../../core/log.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { ChainVerification } from './audit.entities.js';
import { CHAIN_START, type ChainWalkResult, walkChain } from './audit-chain.js';

/** Entries that one replica verifies each minute. */
const ENTRIES_PER_RUN = 5000;
const STATE_ROW_NAME = 'chain';

/**
 * Verifies the hash chain of the audit log continuously, one stretch at a time. After a fault, the state stays `broken`
 * until a complete walk finds the chain intact.
 */
@Injectable()
export class AuditVerification {
  constructor(
    private readonly database: Database,
    private readonly log: Log,
    cleanup: Cleanup,
  ) {
    cleanup.add('audit_verification', async (tx) => {
      await this.verifyNextEntries(tx);
      return 0;
    });
  }

  /** Returns the result of the last finished walk. */
  async state() {
    const found = await this.database.read((reader) => reader.findOneBy(ChainVerification, { name: STATE_ROW_NAME }));
    const brokenAt = found?.brokenAt ?? null;
    return {
      state: brokenAt !== null ? 'broken' : found?.verifiedAt ? 'intact' : 'unverified',
      verified_at: found?.verifiedAt?.toISOString() ?? null,
      entries: found?.entries == null ? null : Number(found.entries),
      broken_at: brokenAt === null ? null : Number(brokenAt),
    } as const;
  }

  private async verifyNextEntries(tx: Tx): Promise<void> {
    const found = await tx.findOneBy(ChainVerification, { name: STATE_ROW_NAME });
    const place = found ? { sequence: Number(found.sequence), head: found.head } : CHAIN_START;
    const walked = await walkChain(tx, place, ENTRIES_PER_RUN);
    if (walked.fault !== undefined) {
      this.log.error('audit log hash chain is broken: entries were changed directly in the database', {
        sequence: walked.sequence + 1,
      });
    }
    await tx.upsert(ChainVerification, { name: STATE_ROW_NAME, ...(await this.nextState(tx, walked)) }, ['name']);
  }

  /** At the end of the chain and after a fault, the walk starts again. */
  private async nextState(tx: Tx, { sequence, head, fault, isEnd }: ChainWalkResult) {
    if (!isEnd && fault === undefined) return { sequence: String(sequence), head };
    const [{ now }] = await tx.query<[{ now: Date }]>('SELECT now()');
    const begun = { sequence: String(CHAIN_START.sequence), head: CHAIN_START.head };
    return isEnd
      ? { ...begun, verifiedAt: now, entries: String(sequence), brokenAt: null }
      : { ...begun, verifiedAt: now, brokenAt: String(sequence + 1) };
  }
}
