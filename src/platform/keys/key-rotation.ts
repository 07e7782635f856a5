import { Injectable } from '@nestjs/common';
import { Keyring } from '../../core/secrets.js';
import { type Changed, Database } from '../database/database.js';

/** What became of the boxes of one kind: under the current key by now, or opened by no live key. */
export interface Renewed {
  readonly renewed: number;
  readonly lost: number;
}

interface Replacement {
  readonly id: string;
  readonly box: Buffer;
  readonly fresh: Buffer;
}

const BATCH = 500;

/**
 * Puts everything that is encrypted at rest under the key of the current `GATEHOUSE_SECRET`, beside a running service.
 * Modules add what they own.
 */
@Injectable()
export class KeyRotation {
  private readonly parts = new Map<string, () => Promise<Renewed>>();

  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {}

  /** Everything that is renewed. */
  get names(): string[] {
    return [...this.parts.keys()];
  }

  add(name: string, renew: () => Promise<Renewed>): void {
    this.parts.set(name, renew);
  }

  /** Boxes of `label` in a column, each bound to the `id` of its row. */
  addColumn(name: string, label: string, table: string, column: string): void {
    this.add(name, () => this.renewColumn(label, table, column));
  }

  /** Repeating it does no harm. */
  async run(): Promise<Map<string, Renewed>> {
    const outcome = new Map<string, Renewed>();
    for (const [name, renew] of this.parts) outcome.set(name, await renew());
    return outcome;
  }

  /** The box under the current key, `null` when it has it already, `'lost'` when no live key opens it. */
  renew(label: string, box: Buffer, context: string): Buffer | null | 'lost' {
    try {
      return this.keyring.renew(label, box, context);
    } catch {
      return 'lost';
    }
  }

  private async renewColumn(label: string, table: string, column: string): Promise<Renewed> {
    let [after, renewed, lost] = ['0', 0, 0];
    for (;;) {
      const rows = await this.database.manager.query<{ id: string; box: Buffer }[]>(
        `SELECT id, ${column} AS box FROM ${table} WHERE ${column} IS NOT NULL AND id > $1 ORDER BY id LIMIT ${BATCH}`,
        [after],
      );
      for (const { id, box } of rows) {
        const fresh = this.renew(label, box, id);
        if (fresh === 'lost') lost++;
        else if (fresh) renewed += await this.replace(table, column, { id, box, fresh });
        after = id;
      }
      if (rows.length < BATCH) return { renewed, lost };
    }
  }

  /** Nothing, if somebody changed the box meanwhile: then it has the current key. */
  private async replace(table: string, column: string, { id, box, fresh }: Replacement): Promise<number> {
    const [, changed] = await this.database.manager.query<Changed>(
      `UPDATE ${table} SET ${column} = $3 WHERE id = $1 AND ${column} = $2`,
      [id, box, fresh],
    );
    return changed;
  }
}
