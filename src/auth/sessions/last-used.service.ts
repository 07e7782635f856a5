import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { PERSONAL_APPLICATION_ID } from '../../accounts/grants/personal-application.js';
import { Clock } from '../../core/clock.js';
import { Log } from '../../core/log.js';
import { Database } from '../../platform/database/database.js';
import type { Identity } from '../../policy/identity.js';

const UPDATE_INTERVAL_MS = 60_000;
const FLUSH_DELAY_MS = 500;
const MAX_CACHED_ROWS = 100_000;

/** The tables of credentials that have the time of their last use. */
const TABLES = ['session', 'personal_token', 'bot_token'] as const;

/** The row of a credential. The IDs of all tables differ. */
interface UsedRow {
  readonly table: (typeof TABLES)[number];
  readonly id: string;
}

interface CredentialUse extends UsedRow {
  /** The account that is active. Null if an application acts on its behalf. */
  readonly accountId: string | null;
  /**
   * The epoch from when the credential was used. If the account was taken over since then, its activity is not updated.
   */
  readonly epoch: number;
  /** Empty if another service did not send it. */
  readonly ip: string;
}

function usedRow(identity: Identity): UsedRow | null {
  if (identity.via === 'session') return { table: 'session', id: identity.sessionId };
  if (identity.via === 'bot') return { table: 'bot_token', id: identity.tokenId };
  const isPersonal = identity.via === 'bearer' && identity.applicationId === PERSONAL_APPLICATION_ID;
  return isPersonal ? { table: 'personal_token', id: identity.tokenId } : null;
}

/**
 * Updates the rows that are due. Returns the milliseconds since the previous update of each row. Skips rows that
 * another transaction has locked.
 */
const updateDueRows = (table: string, column: string, rows: string, changes: string): string => `
  WITH due AS (
    SELECT id FROM ${table} WHERE ${rows} AND (${column} IS NULL OR ${column} < now() - interval '1 minute')
    FOR NO KEY UPDATE SKIP LOCKED
  ), written AS (UPDATE ${table} t SET ${changes} FROM due WHERE t.id = due.id RETURNING t.id)
  SELECT id, id IN (SELECT id FROM written) AS written,
         (extract(epoch FROM now() - ${column}) * 1000)::float8 AS age
  FROM ${table} WHERE ${rows}`;

const markUsed = (table: UsedRow['table']): string =>
  updateDueRows(table, 'last_used_at', 'id = ANY ($1::bigint[])', 'last_used_at = now()');
const MARK_ACCOUNTS_ACTIVE = updateDueRows(
  'account',
  'last_active_at',
  'id = ANY ($1::bigint[]) AND deleted_at IS NULL AND epoch = ($3::int[])[array_position($1::bigint[], id)]',
  "last_active_at = now(), last_active_ip = coalesce(nullif(($2::text[])[array_position($1::bigint[], t.id)], ''), last_active_ip)",
);

interface RowUpdate {
  readonly id: string;
  readonly written: boolean;
  readonly age: number | null;
}

/** Returns the milliseconds until each row is due again. Rows that were skipped are due immediately. */
const msUntilDue = (rows: readonly RowUpdate[]): Map<string, number> =>
  new Map(
    rows.map(({ id, written, age }) => [
      id,
      written ? UPDATE_INTERVAL_MS : Math.max(0, UPDATE_INTERVAL_MS - (age ?? UPDATE_INTERVAL_MS)),
    ]),
  );

/**
 * Records when credentials and accounts were last used. It writes in batches, after the requests, at most once a minute
 * per row.
 */
@Injectable()
export class LastUsed implements BeforeApplicationShutdown {
  /** The time at which the next update is due, by credential. */
  private readonly nextUpdateAt = new Map<string, number>();
  private queuedUses: CredentialUse[] = [];
  private timer: NodeJS.Timeout | undefined;
  private pendingWrites: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Records the use of a credential that an account sees in a list, and the activity of the account. Access on its
   * behalf by personal access tokens, applications or Admin API keys is not its activity.
   */
  touch(identity: Identity, ip: string): void {
    const row = usedRow(identity);
    if (!row) return;
    const now = this.clock.now();
    if (now < (this.nextUpdateAt.get(row.id) ?? 0)) return;
    if (this.nextUpdateAt.size >= MAX_CACHED_ROWS) this.nextUpdateAt.clear();
    this.nextUpdateAt.set(row.id, now + UPDATE_INTERVAL_MS);
    const { id, epoch } = identity.account;
    this.queuedUses.push({ ...row, accountId: identity.via === 'bearer' ? null : id, epoch, ip });
    this.timer ??= setTimeout(() => this.flush(), FLUSH_DELAY_MS).unref();
  }

  private flush(): void {
    const uses = this.queuedUses;
    this.queuedUses = [];
    this.timer = undefined;
    const written = this.write(uses).catch((error) => {
      for (const { id } of uses) this.nextUpdateAt.delete(id);
      this.log.error('writing last-used times failed', { error });
    });
    this.pendingWrites = Promise.all([this.pendingWrites, written]).then(() => {});
  }

  /** Writes the rows that are due. A row that was skipped stays due. */
  private async write(uses: readonly CredentialUse[]): Promise<void> {
    const ofCredentials = new Map<string, number>();
    for (const table of TABLES) {
      const ids = uses.filter((use) => use.table === table).map(({ id }) => id);
      if (ids.length === 0) continue;
      const rows = await this.database.manager.query<RowUpdate[]>(markUsed(table), [ids]);
      for (const [id, ms] of msUntilDue(rows)) ofCredentials.set(id, ms);
    }
    const ofAccount = new Map(uses.flatMap((use) => (use.accountId === null ? [] : [[use.accountId, use]])));
    const latest = [...ofAccount.values()];
    const accounts = [[...ofAccount.keys()], latest.map(({ ip }) => ip), latest.map(({ epoch }) => epoch)];
    const ofAccounts = msUntilDue(await this.database.manager.query<RowUpdate[]>(MARK_ACCOUNTS_ACTIVE, accounts));
    const now = this.clock.now();
    for (const use of uses) {
      const rests = [ofAccounts.get(use.accountId ?? ''), ofCredentials.get(use.id)];
      this.nextUpdateAt.set(use.id, now + Math.min(...rests.map((rest) => rest ?? UPDATE_INTERVAL_MS)));
    }
  }

  /** Writes all waiting updates immediately. */
  async flushNow(): Promise<void> {
    clearTimeout(this.timer);
    this.flush();
    await this.pendingWrites;
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.flushNow();
  }
}
