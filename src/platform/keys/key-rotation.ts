import { Injectable } from '@nestjs/common';
import { Keyring } from '../../core/secrets.js';
import { type Changed, Database } from '../database/database.js';
import { type SealedColumn, sealedColumns } from './sealed-kinds.js';

/** What became of the boxes of one kind: under the current key by now, or opened by no live key. */
export interface Renewed {
  readonly renewed: number;
  readonly lost: number;
}

type Place = Pick<SealedColumn, 'label' | 'table' | 'column' | 'key'>;

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
  ) {
    for (const column of sealedColumns()) this.add(column.name, () => this.renewColumn(column));
  }

  /** Everything that is renewed. */
  get names(): string[] {
    return [...this.parts.keys()];
  }

  add(name: string, renew: () => Promise<Renewed>): void {
    this.parts.set(name, renew);
  }

  /** Boxes of `label` in a column, each bound to the `id` of its row. */
  addColumn(name: string, label: string, table: string, column: string): void {
    this.add(name, () => this.renewColumn({ label, table, column, key: 'id' }));
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

  private async renewColumn(place: Place): Promise<Renewed> {
    let [renewed, lost] = [0, 0];
    for (let rows = await this.boxes(place); ; rows = await this.boxes(place, rows.at(-1)?.id)) {
      for (const { id, box } of rows) {
        const fresh = this.renew(place.label, box, id);
        if (fresh === 'lost') lost++;
        else if (fresh) renewed += await this.replace(place, { id, box, fresh });
      }
      if (rows.length < BATCH) return { renewed, lost };
    }
  }

  /** The next in the order of their keys. */
  private boxes({ table, column, key }: Place, after?: string): Promise<{ id: string; box: Buffer }[]> {
    const further = after === undefined ? '' : `AND ${key} > $1`;
    return this.database.manager.query<{ id: string; box: Buffer }[]>(
      `SELECT ${key}::text AS id, ${column} AS box FROM ${table} WHERE ${column} IS NOT NULL ${further}
       ORDER BY ${table}.${key} LIMIT ${BATCH}`,
      after === undefined ? [] : [after],
    );
  }

  /** Nothing, if somebody changed the box meanwhile: then it has the current key. */
  private async replace({ table, column, key }: Place, { id, box, fresh }: Replacement): Promise<number> {
    const [, changed] = await this.database.manager.query<Changed>(
      `UPDATE ${table} SET ${column} = $3 WHERE ${key} = $1 AND ${column} = $2`,
      [id, box, fresh],
    );
    return changed;
  }
}
