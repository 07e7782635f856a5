import { createHmac } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { InstanceSetting } from '../../platform/instance/instance.entities.js';
import { DigestKeys } from '../../platform/keys/digest-keys.js';
import { Replica } from '../../platform/replicas/replica.js';

const NAME = 'password_decoys';
const DECOYS = 256;
/** Pages of a large table that the decoys are drawn from, some twenty thousand accounts. */
const DRAWN_FROM = 1_000;

/**
 * Accounts in whose stead addresses without an account are worked for. Hashes of other services cost other work than ours:
 * an address that nobody has costs what the hash of some account costs, always that of the same one, so that among them
 * every cost is as frequent as among accounts, and changes as it does there, when owners sign in.
 */
@Injectable()
export class Decoys implements OnModuleInit {
  private ids: readonly string[] = [];

  constructor(
    private readonly database: Database,
    private readonly keys: DigestKeys,
    private readonly replica: Replica,
  ) {}

  async onModuleInit(): Promise<void> {
    this.replica.on('decoys', () => this.reload());
    this.replica.on('resync', () => this.reload());
    await this.reload();
  }

  get areDrawn(): boolean {
    return this.ids.length > 0;
  }

  /** The account whose hash an address costs that has none; `null` while all hashes were made here. */
  of(email: string): string | null {
    const [key] = this.keys.of('password-decoy');
    if (this.ids.length === 0 || !key) return null;
    const place = createHmac('sha256', key).update(email.toLowerCase()).digest().readUInt32BE() % this.ids.length;
    return this.ids[place] ?? null;
  }

  /** Draws decoys from the accounts that there are, after hashes of other services came in. */
  async draw(): Promise<void> {
    await this.database.transaction(async (tx) => {
      const value = { accounts: await this.sample(tx) };
      await tx.upsert(InstanceSetting, { name: NAME, value: value as never }, ['name']);
      await this.replica.announce(tx, { topic: 'decoys', data: {} });
    });
  }

  private async sample(tx: Tx): Promise<string[]> {
    const [size] = await tx.query<[{ pages: number }]>(
      `SELECT (pg_relation_size('account') / current_setting('block_size')::int)::int AS pages`,
    );
    const drawn = await tx.query<{ id: string }[]>(
      `SELECT a.id FROM account a TABLESAMPLE SYSTEM ($1)
       WHERE a.email IS NOT NULL AND a.deleted_at IS NULL ORDER BY random() LIMIT $2`,
      [Math.min(100, (100 * DRAWN_FROM) / Math.max(1, size.pages)), DECOYS],
    );
    return drawn.map(({ id }) => id);
  }

  private async reload(): Promise<void> {
    const stored = await this.database.manager.findOneBy(InstanceSetting, { name: NAME });
    this.ids = (stored?.value as { accounts: string[] } | undefined)?.accounts ?? [];
  }
}
