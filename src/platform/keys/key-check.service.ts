import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Log } from '../../core/log.js';
import { Keyring } from '../../core/secrets.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { Database } from '../database/database.js';
import { checkDecryption } from './encrypted-columns.js';

/**
 * Warns at startup if the service's secret does not decrypt stored values. Otherwise, a wrong secret would only be
 * noticed at the first use.
 */
@Injectable()
export class KeyCheck implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
    private readonly log: Log,
    private readonly features: FeatureRegistry,
  ) {}

  async onModuleInit(): Promise<void> {
    try {
      for (const { name, tried, opened } of await checkDecryption(
        this.database.manager,
        this.keyring,
        this.features.encryptedColumns,
      )) {
        if (opened < tried) this.log.warn(`GATEHOUSE_SECRET cannot decrypt stored secrets: ${name}`, { tried, opened });
      }
    } catch (error) {
      this.log.warn('checking whether GATEHOUSE_SECRET decrypts stored secrets failed', { error });
    }
  }
}
