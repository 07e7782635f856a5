import { hash } from 'node:crypto';
import type { Tx } from '../../platform/database/database.js';
import { AuditEntry } from './audit.entities.js';

export const GENESIS = Buffer.alloc(32);
const BATCH_SIZE = 1000;

/** A position in the chain: the last verified entry and its hash. */
export interface ChainPosition {
  readonly sequence: number;
  readonly head: Buffer;
}

export const CHAIN_START: ChainPosition = { sequence: 0, head: GENESIS };

/**
 * The result of a walk: the position it reached, the fault of the next entry if there is one, and whether the chain
 * ends there.
 */
export interface ChainWalkResult extends ChainPosition {
  readonly fault?: string;
  readonly isEnd: boolean;
}

/** Returns the hash of an entry, which covers the previous hash and every column of the entry. */
export function hashEntry(previous: Buffer, entry: Omit<AuditEntry, 'hash'>): Buffer {
  const { sequence, id, adminUserId, apiKeyId, action, targetType, targetId, reason, requestId, createdAt, ip } = entry;
  const metadata = Object.entries(entry.metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  const facts = [sequence, id, adminUserId, apiKeyId, action, targetType, targetId, reason, metadata, requestId];
  // Entries from before this column have no IP address. Leave it out, so that their hashes stay valid.
  const content = JSON.stringify([...facts, createdAt.toISOString(), ...(ip === null ? [] : [ip])]);
  return hash('sha256', Buffer.concat([previous, Buffer.from(content)]), 'buffer');
}

/** Verifies the chain after `from`, up to `atMost` entries. */
export async function walkChain(
  tx: Tx,
  from: ChainPosition,
  atMost = Number.POSITIVE_INFINITY,
): Promise<ChainWalkResult> {
  let { sequence, head } = from;
  while (sequence - from.sequence < atMost) {
    const batch = await tx
      .createQueryBuilder(AuditEntry, 'e')
      .where('e.sequence > :sequence', { sequence })
      .orderBy('e.sequence', 'ASC')
      .limit(BATCH_SIZE)
      .getMany();
    for (const entry of batch) {
      const wanted = String(sequence + 1);
      if (entry.sequence !== wanted) return { sequence, head, fault: 'is missing', isEnd: false };
      const link = hashEntry(head, entry);
      if (!link.equals(entry.hash)) {
        return { sequence, head, fault: 'does not fit the entry before it, or was changed', isEnd: false };
      }
      sequence++;
      head = link;
    }
    if (batch.length < BATCH_SIZE) return { sequence, head, isEnd: true };
  }
  return { sequence, head, isEnd: false };
}
