import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Database } from '../../platform/database/database.js';
import { AdminKey } from './admin-key.entities.js';

const WRITE_INTERVAL_MS = 60_000;
const MAX_CACHED_KEYS = 10_000;

/** Records when keys were last used, at most once a minute per key. */
@Injectable()
export class AdminKeyUse {
  private readonly written = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  note(keyId: string): void | Promise<void> {
    const now = this.clock.now();
    if (now - (this.written.get(keyId) ?? Number.NEGATIVE_INFINITY) < WRITE_INTERVAL_MS) return;
    if (this.written.size >= MAX_CACHED_KEYS) this.written.clear();
    this.written.set(keyId, now);
    return this.write(keyId);
  }

  private async write(keyId: string): Promise<void> {
    await this.database.manager
      .createQueryBuilder()
      .update(AdminKey)
      .set({ lastUsedAt: () => 'now()' })
      .where("id = :keyId AND (last_used_at IS NULL OR last_used_at <= now() - interval '1 minute')", { keyId })
      .execute();
  }
}
