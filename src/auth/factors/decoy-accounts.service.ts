import { createHmac } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { InstanceSetting } from '../../platform/instance/instance.entities.js';
import { DigestKeys } from '../../platform/keys/digest-keys.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';

const SETTING_NAME = 'password_decoys';
const DECOY_COUNT = 256;
/** Number of pages of a large table to sample decoys from, about twenty thousand accounts. */
const SAMPLED_PAGES = 1_000;

/**
 * Accounts whose password hashes are verified when an email address has no account. Imported hashes take another time
 * than native ones. Therefore each unknown email address is mapped to the hash of one fixed account. Response times of
 * unknown email addresses then have the same distribution as those of accounts. They also change in the same way, when
 * the owners sign in.
 */
@Injectable()
export class DecoyAccounts implements OnModuleInit {
  private ids: readonly string[] = [];

  constructor(
    private readonly database: Database,
    private readonly keys: DigestKeys,
    private readonly replicaBus: ReplicaBus,
  ) {}

  async onModuleInit(): Promise<void> {
    this.replicaBus.on('decoys', () => this.reload());
    this.replicaBus.on('resync', () => this.reload());
    await this.reload();
  }

  get hasDecoys(): boolean {
    return this.ids.length > 0;
  }

  /**
   * Returns the account whose hash replaces that of an unknown email address. Returns `null` if no accounts were imported.
   */
  decoyFor(email: string): string | null {
    const [key] = this.keys.keysFor('password-decoy');
    if (this.ids.length === 0 || !key) return null;
    const place = createHmac('sha256', key).update(email.toLowerCase()).digest().readUInt32BE() % this.ids.length;
    return this.ids[place] ?? null;
  }

  /** Samples decoys from the existing accounts. Call it after an import. */
  async resample(): Promise<void> {
    await this.database.transaction(async (tx) => {
      const value = { accounts: await this.sample(tx) };
      await tx.upsert(InstanceSetting, { name: SETTING_NAME, value }, ['name']);
      await this.replicaBus.announce(tx, { topic: 'decoys', data: {} });
    });
  }

  private async sample(tx: Tx): Promise<string[]> {
    const [size] = await tx.query<[{ pages: number }]>(
      `SELECT (pg_relation_size('account') / current_setting('block_size')::int)::int AS pages`,
    );
    const drawn = await tx.query<{ id: string }[]>(
      `SELECT a.id FROM account a TABLESAMPLE SYSTEM ($1)
       WHERE a.email IS NOT NULL AND a.deleted_at IS NULL ORDER BY random() LIMIT $2`,
      [Math.min(100, (100 * SAMPLED_PAGES) / Math.max(1, size.pages)), DECOY_COUNT],
    );
    return drawn.map(({ id }) => id);
  }

  private async reload(): Promise<void> {
    const stored = await this.database.manager.findOneBy(InstanceSetting, { name: SETTING_NAME });
    this.ids = (stored?.value as { accounts: string[] } | undefined)?.accounts ?? [];
  }
}
