import { Injectable } from '@nestjs/common';
import { Keyring } from '../../core/secrets.js';
import type { EncryptedColumn } from './encrypted-columns.js';

/** Encrypts values of an extension's column with a key that is derived from `GATEHOUSE_SECRET` for that column only. */
@Injectable()
export class ColumnEncryption {
  constructor(private readonly keyring: Keyring) {}

  /** Encrypts with AES-256-GCM. The result can only be decrypted for the same column and row key. */
  encrypt({ label }: EncryptedColumn, text: string, rowKey: string): Buffer {
    return this.keyring.encrypt(label, text, rowKey);
  }

  /**
   * Decrypts a value.
   * @throws Error if no available key decrypts it: it is damaged, belongs to another row, or its key was removed
   */
  decrypt({ label }: EncryptedColumn, box: Buffer, rowKey: string): string {
    return this.keyring.decrypt(label, box, rowKey);
  }
}
