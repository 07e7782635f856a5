import type { FileHandle } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { Database, type Tx } from '../platform/database/database.js';
import { openSpool, writeText } from '../platform/storage/spool.js';
import type { ExportReader } from '../policy/account-data.js';
import { AccountDataRegistry } from './account-data-registry.service.js';

/** An export as JSON text. */
export interface ExportFile {
  readonly size: number;
  /** Unlinked temporary file. The caller closes it. */
  readonly file: FileHandle;
}

const RETRY_SECONDS = 30;

/** @returns the error for an export that must wait for another one */
export const exportBusyError = (): ApiError =>
  new ApiError('RATE_LIMITED', { global: false, retry_after: RETRY_SECONDS }).withHeaders({
    'Retry-After': String(RETRY_SECONDS),
  });

/** Exports everything that is stored about an account. */
@Injectable()
export class AccountExport {
  constructor(
    private readonly database: Database,
    private readonly accountDataRegistry: AccountDataRegistry,
    private readonly config: Config,
  ) {}

  /**
   * Locks the export of an account until `tx` ends.
   * @throws ApiError RATE_LIMITED if any replica is exporting the account
   */
  async lockOrThrow(tx: Tx, id: string): Promise<void> {
    const [lock] = await tx.query<[{ won: boolean }]>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('export/' || $1, 0)) AS won`,
      [id],
    );
    if (!lock.won) throw exportBusyError();
  }

  /**
   * Writes a consistent snapshot to a file, so that no transaction stays open while a client downloads it.
   * @param goOn called before each piece; if it throws, the export stops
   * @throws ApiError RATE_LIMITED if another export of the account is running
   */
  async write(id: string, reader: ExportReader, goOn: () => void = () => {}): Promise<ExportFile> {
    let file = await openSpool(this.config.media.root);
    let isUsed = false;
    try {
      const size = await this.database.readTransaction(async (tx) => {
        // A standby that failed has left a part of the export.
        if (isUsed) {
          await file.close();
          file = await openSpool(this.config.media.root);
        }
        isUsed = true;
        await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
        await this.lockOrThrow(tx, id);
        // Plans for reading all rows. By default, a cursor gets a plan that returns the first rows quickly and may be
        // slow for the rest.
        await tx.query('SET LOCAL cursor_tuple_fraction = 1');
        return writeText(file, this.pieces(tx, id, reader, goOn));
      });
      return { size, file };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private async *pieces(tx: Tx, id: string, reader: ExportReader, goOn: () => void): AsyncGenerator<string> {
    for await (const piece of this.accountDataRegistry.exportAll(tx, id, reader)) {
      goOn();
      yield piece;
    }
  }
}
