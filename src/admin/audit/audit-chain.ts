import { hash } from 'node:crypto';
import type { Tx } from '../../platform/database/database.js';
import { AuditEntry } from './audit.entities.js';

export const GENESIS = Buffer.alloc(32);
const BATCH = 1000;

/** How far the chain was walked: the last entry that fits, and its hash. */
export interface Place {
  readonly sequence: number;
  readonly head: Buffer;
}

export const START: Place = { sequence: 0, head: GENESIS };

/** What walking found: the first entry that does not fit, the end, or neither. */
export interface Walked extends Place {
  readonly fault?: string;
  readonly isEnd: boolean;
}

/** The hash of an entry: over the one before it and everything that the entry says. */
export function linkOf(previous: Buffer, entry: Omit<AuditEntry, 'hash'>): Buffer {
  const { sequence, id, adminUserId, apiKeyId, action, targetType, targetId, reason, requestId, createdAt, ip } = entry;
  const metadata = Object.entries(entry.metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  const facts = [sequence, id, adminUserId, apiKeyId, action, targetType, targetId, reason, metadata, requestId];
  // Entries without an address hash as they did before there was one.
  const content = JSON.stringify([...facts, createdAt.toISOString(), ...(ip === null ? [] : [ip])]);
  return hash('sha256', Buffer.concat([previous, Buffer.from(content)]), 'buffer');
}

/** Walks the chain from a place on, past at most so many entries. */
export async function walkChain(tx: Tx, from: Place, atMost = Number.POSITIVE_INFINITY): Promise<Walked> {
  let { sequence, head } = from;
  while (sequence - from.sequence < atMost) {
    const batch = await tx
      .createQueryBuilder(AuditEntry, 'e')
      .where('e.sequence > :sequence', { sequence })
      .orderBy('e.sequence', 'ASC')
      .limit(BATCH)
      .getMany();
    for (const entry of batch) {
      const wanted = String(sequence + 1);
      if (entry.sequence !== wanted) return { sequence, head, fault: 'is missing', isEnd: false };
      const link = linkOf(head, entry);
      if (!link.equals(entry.hash)) {
        return { sequence, head, fault: 'does not fit the entry before it, or was changed', isEnd: false };
      }
      sequence++;
      head = link;
    }
    if (batch.length < BATCH) return { sequence, head, isEnd: true };
  }
  return { sequence, head, isEnd: false };
}
