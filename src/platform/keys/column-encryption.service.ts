import { Injectable } from '@nestjs/common';
import type { NameOf } from '../../core/names.js';
import { Keyring } from '../../core/secrets.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { requireEncryptedColumn } from './encrypted-columns.js';

/** Encrypts values of an extension's column with a key that is derived from `GATEHOUSE_SECRET` for that column only. */
@Injectable()
export class ColumnEncryption {
  constructor(
    private readonly keyring: Keyring,
    private readonly features: FeatureRegistry,
  ) {}

  /** Encrypts with AES-256-GCM. The result can only be decrypted for the same column and row key. */
  encrypt(column: NameOf<'encryptedColumns'>, text: string, rowKey: string): Buffer {
    return this.keyring.encrypt(this.labelOf(column), text, rowKey);
  }

  /**
   * Decrypts a value.
   * @throws Error if no available key decrypts it: it is damaged, belongs to another row, or its key was removed
   */
  decrypt(column: NameOf<'encryptedColumns'>, box: Buffer, rowKey: string): string {
    return this.keyring.decrypt(this.labelOf(column), box, rowKey);
  }

  private labelOf(column: string): string {
    return requireEncryptedColumn(this.features.encryptedColumns, column).label;
  }
}
