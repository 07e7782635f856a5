import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../platform/database.js';
import { Janitor } from '../platform/janitor.js';
import type { EventNotice } from './events.service.js';

/**
 * Where an event stands: its row, the transaction that wrote it, and the transaction before which all others had ended
 * by then. Events are heard in the order of their commits.
 */
export type Position = readonly [row: number, transaction: number, horizon: number];

/** Which events of an account a session knows of: all of transactions before the horizon, and some after it. */
export class Cursor {
  private constructor(
    private horizon: number,
    private readonly heard: Map<number, number>,
  ) {}

  static of(horizon: number, heard: readonly (readonly [row: number, transaction: number])[]): Cursor {
    return new Cursor(horizon, new Map(heard));
  }

  static parse(text: string): Cursor {
    const [horizon, heard] = JSON.parse(text);
    return Cursor.of(horizon, heard);
  }

  toString(): string {
    return JSON.stringify([this.horizon, [...this.heard]]);
  }

  /** The lowest transaction and the rows that are not asked for. */
  get known(): { horizon: number; rows: number[] } {
    return { horizon: this.horizon, rows: [...this.heard.keys()] };
  }

  /** False if the session knows the event already. */
  take([row, transaction, horizon]: Position): boolean {
    if (transaction < this.horizon || this.heard.has(row)) return false;
    this.heard.set(row, transaction);
    if (horizon > this.horizon) {
      this.horizon = horizon;
      for (const [other, before] of this.heard) if (before < horizon) this.heard.delete(other);
    }
    return true;
  }
}

// The sessions that may ask for an event are gone from the store long before.
const KEPT = `interval '5 minutes'`;

/**
 * The events of the last minutes, written by the transactions that announce them: what happened while nobody served a
 * session is not lost to it. Holds what notices hold, ids and small public data.
 */
@Injectable()
export class EventJournal {
  constructor(
    private readonly database: Database,
    janitor: Janitor,
  ) {
    janitor.addExpiry('gateway_event', 'id', `created_at < now() - ${KEPT}`);
  }

  async write(tx: Tx, notice: EventNotice): Promise<Position> {
    const [row] = await tx.query(
      'INSERT INTO gateway_event (account_id, notice) VALUES ($1, $2) RETURNING id, xid, horizon',
      [notice.account_id, JSON.stringify(notice)],
    );
    return [Number(row.id), Number(row.xid), Number(row.horizon)];
  }

  /** What a session knows that starts now. */
  async cursor(accountId: string): Promise<Cursor> {
    const rows = await this.database.manager.query(
      `WITH now AS (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon)
       SELECT now.horizon, e.id, e.xid FROM now LEFT JOIN gateway_event e ON e.account_id = $1 AND e.xid >= now.horizon`,
      [accountId],
    );
    const heard = rows.filter(({ id }: { id: unknown }) => id !== null);
    return Cursor.of(
      Number(rows[0].horizon),
      heard.map((row: { id: string; xid: string }) => [Number(row.id), Number(row.xid)]),
    );
  }

  /**
   * The events that a session has not heard of, in the order of their commits; null where that order is not known.
   */
  async since(accountId: string, cursor: Cursor): Promise<{ notice: EventNotice; position: Position }[] | null> {
    const { horizon, rows: known } = cursor.known;
    const rows = await this.database.manager.query(
      `SELECT id, xid, horizon, notice, before IS NULL OR before = xid
              OR pg_visible_in_snapshot(before::text::xid8, seen) AS follows
       FROM (SELECT *, lag(xid) OVER (ORDER BY id) AS before FROM gateway_event
             WHERE account_id = $1 AND xid >= $2 AND id <> ALL($3) AND notice->>'lost' IS NULL) e
       ORDER BY id`,
      [accountId, horizon, known],
    );
    if (!rows.every(({ follows }: { follows: boolean }) => follows)) return null;
    return rows.map(({ id, xid, horizon: at, notice }: Record<string, never>) => ({
      notice,
      position: [Number(id), Number(xid), Number(at)],
    }));
  }

  /** Remembers that what the store says of a session is behind what its client has seen. */
  async markLost({ id, accountId }: { id: string; accountId: string }): Promise<void> {
    await this.database.manager.query('INSERT INTO gateway_event (account_id, notice) VALUES ($1, $2)', [
      accountId,
      JSON.stringify({ lost: id }),
    ]);
  }

  async isLost(accountId: string, id: string): Promise<boolean> {
    const rows = await this.database.manager.query(
      `SELECT FROM gateway_event WHERE account_id = $1 AND notice->>'lost' = $2 LIMIT 1`,
      [accountId, id],
    );
    return rows.length > 0;
  }
}
