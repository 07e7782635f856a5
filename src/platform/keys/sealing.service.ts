import { Injectable } from '@nestjs/common';
import { Keyring } from '../../core/secrets.js';
import type { SealedColumn } from './sealed-kinds.js';

/** Encrypts what a team stores, under keys of `GATEHOUSE_SECRET` that are derived for its column alone. */
@Injectable()
export class Sealing {
  constructor(private readonly keyring: Keyring) {}

  /** AES-256-GCM; what comes of it opens in the row with this key alone. */
  seal({ label }: SealedColumn, text: string, rowKey: string): Buffer {
    return this.keyring.encrypt(label, text, rowKey);
  }

  /** @throws Error when no live key opens it: it was damaged, moved to another row, or its key is gone */
  open({ label }: SealedColumn, box: Buffer, rowKey: string): string {
    return this.keyring.decrypt(label, box, rowKey);
  }
}
