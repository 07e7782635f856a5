import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Log } from '../log.js';
import { Database } from '../platform/database.js';
import type { Identity } from '../policy/identity.js';

const ROW_MS = 60_000;
const DELAY_MS = 500;
const MAX_REMEMBERED = 100_000;

interface Use {
  readonly accountId: string;
  readonly sessionId: string | null;
  readonly ip: string;
}

/**
 * When sessions were last used and accounts last active: written behind the requests, in batches, at most once a
 * minute for each row.
 */
@Injectable()
export class LastUsed implements BeforeApplicationShutdown {
  private readonly seen = new Map<string, number>();
  private waiting: Use[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Notes that an account's own credential was used; what others do in its name is not its activity. */
  touch(identity: Identity, ip: string): void {
    if (identity.via !== 'session' && identity.via !== 'bot') return;
    const sessionId = identity.via === 'session' ? identity.sessionId : null;
    const key = sessionId ?? identity.account.id;
    const now = this.clock.now();
    const last = this.seen.get(key);
    if (last !== undefined && now - last < ROW_MS) return;
    if (this.seen.size >= MAX_REMEMBERED) this.seen.clear();
    this.seen.set(key, now);
    this.waiting.push({ accountId: identity.account.id, sessionId, ip });
    this.timer ??= setTimeout(() => this.flush(), DELAY_MS).unref();
  }

  private flush(): void {
    const uses = this.waiting;
    this.waiting = [];
    this.timer = undefined;
    const written = this.write(uses).catch((error) => this.log.error('times of use could not be written', { error }));
    this.writing = Promise.all([this.writing, written]).then(() => {});
  }

  /** Rows that somebody else is changing are skipped: the next use is only a minute away. */
  private async write(uses: readonly Use[]): Promise<void> {
    const due = (column: string) => `(${column} IS NULL OR ${column} < now() - interval '1 minute')`;
    const sessions = uses.flatMap(({ sessionId }) => sessionId ?? []);
    await this.database.manager.query(
      `UPDATE session SET last_used_at = now() WHERE id IN (
         SELECT id FROM session WHERE id = ANY ($1) AND ${due('last_used_at')} FOR UPDATE SKIP LOCKED)`,
      [sessions],
    );
    const addresses = new Map(uses.map(({ accountId, ip }) => [accountId, ip]));
    await this.database.manager.query(
      `UPDATE account SET last_active_at = now(), last_active_ip = used.ip
       FROM unnest($1::bigint[], $2::text[]) AS used (id, ip)
       WHERE account.id = used.id AND account.id IN (
         SELECT id FROM account
         WHERE id = ANY ($1) AND deleted_at IS NULL AND ${due('last_active_at')} FOR NO KEY UPDATE SKIP LOCKED)`,
      [[...addresses.keys()], [...addresses.values()]],
    );
  }

  /** Writes what waits, now. */
  async settle(): Promise<void> {
    clearTimeout(this.timer);
    this.flush();
    await this.writing;
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.settle();
  }
}
