import { Injectable } from '@nestjs/common';
import { Keyring } from '../../core/secrets.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { type ChangeResult, Database } from '../database/database.js';
import { type EncryptedColumn, encryptedColumns } from './encrypted-columns.js';

/**
 * Result of a rotation for one kind of encrypted value: re-encrypted with the current key, or not decryptable with any
 * available key.
 */
export interface RotationResult {
  readonly renewed: number;
  readonly lost: number;
}

type Place = Pick<EncryptedColumn, 'label' | 'table' | 'column' | 'key'>;

interface Replacement {
  readonly id: string;
  readonly box: Buffer;
  readonly fresh: Buffer;
}

const ROTATION_BATCH_SIZE = 500;

/**
 * Re-encrypts all data at rest with the key of the current `GATEHOUSE_SECRET`, while the service runs. Modules register
 * the values that they own.
 */
@Injectable()
export class KeyRotation {
  private readonly rotations = new Map<string, () => Promise<RotationResult>>();

  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
    features: FeatureRegistry,
  ) {
    for (const column of encryptedColumns(features.encryptedColumns))
      this.add(column.name, () => this.reencryptColumn(column));
  }

  /** Names of all kinds that are rotated. */
  get names(): string[] {
    return [...this.rotations.keys()];
  }

  add(name: string, renew: () => Promise<RotationResult>): void {
    this.rotations.set(name, renew);
  }

  /** Registers a column of encrypted values. Each is bound to the `id` of its row. */
  addColumn(name: string, label: string, table: string, column: string): void {
    this.add(name, () => this.reencryptColumn({ label, table, column, key: 'id' }));
  }

  /** Rotates all kinds. It can be repeated safely. */
  async run(): Promise<Map<string, RotationResult>> {
    const outcome = new Map<string, RotationResult>();
    for (const [name, renew] of this.rotations) outcome.set(name, await renew());
    return outcome;
  }

  /**
   * Re-encrypts a value with the current key. Returns `null` if it already has it, `'lost'` if no available key
   * decrypts it.
   */
  reencrypt(label: string, box: Buffer, context: string): Buffer | null | 'lost' {
    try {
      return this.keyring.renew(label, box, context);
    } catch {
      return 'lost';
    }
  }

  private async reencryptColumn(place: Place): Promise<RotationResult> {
    let [renewed, lost] = [0, 0];
    for (let rows = await this.readBatch(place); ; rows = await this.readBatch(place, rows.at(-1)?.id)) {
      for (const { id, box } of rows) {
        const fresh = this.reencrypt(place.label, box, id);
        if (fresh === 'lost') lost++;
        else if (fresh) renewed += await this.replace(place, { id, box, fresh });
      }
      if (rows.length < ROTATION_BATCH_SIZE) return { renewed, lost };
    }
  }

  /** Returns the next batch in key order. */
  private readBatch({ table, column, key }: Place, after?: string): Promise<{ id: string; box: Buffer }[]> {
    const further = after === undefined ? '' : `AND ${key} > $1`;
    return this.database.manager.query<{ id: string; box: Buffer }[]>(
      `SELECT ${key}::text AS id, ${column} AS box FROM ${table} WHERE ${column} IS NOT NULL ${further}
       ORDER BY ${table}.${key} LIMIT ${ROTATION_BATCH_SIZE}`,
      after === undefined ? [] : [after],
    );
  }

  /** Returns 0 if the value changed in the meantime. In that case it already has the current key. */
  private async replace({ table, column, key }: Place, { id, box, fresh }: Replacement): Promise<number> {
    const [, changed] = await this.database.manager.query<ChangeResult>(
      `UPDATE ${table} SET ${column} = $3 WHERE ${key} = $1 AND ${column} = $2`,
      [id, box, fresh],
    );
    return changed;
  }
}
