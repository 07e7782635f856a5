import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import type { NameOf } from '../../core/names.js';
import { Rejections } from '../../http/request-hooks.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Call } from '../../policy/call.js';
import type { LifecycleEvent, RequiredSubscriber } from '../../policy/lifecycle.js';
import { dayOf } from './day.js';

const WRITE_INTERVAL_MS = 60_000;

/** Rate-limit buckets of the operations that sign in a user. Their error responses are failed sign-ins. */
const SIGN_IN_BUCKETS: ReadonlySet<string> = new Set<NameOf<'buckets'>>([
  ...(['auth:login', 'auth:login:mfa', 'auth:webauthn:authenticate'] as const),
  ...(['auth:passkey_bridge:redeem', 'auth:sso:complete'] as const),
]);

/** The counted lifecycle events, and the kind of their rows. */
const KINDS = { registered: 'sign_ups', signedIn: 'sign_ins', erased: 'deletions' } as const;

type Counted = keyof typeof KINDS;

/** The kind of the rows that count failed sign-ins with an error code. */
export const FAILURE_PREFIX = 'failure:';

/** Replicas lock rows in the same order, so that they cannot deadlock. */
const ADD_COUNTS = `
  INSERT INTO instance_statistics AS d (day, kind, count)
  SELECT * FROM unnest($1::date[], $2::text[], $3::bigint[]) AS added (day, kind, count) ORDER BY day, kind
  ON CONFLICT (day, kind) DO UPDATE SET count = d.count + excluded.count`;

/**
 * Counts events of this replica in memory and adds them to the table `instance_statistics` once a minute, and at shutdown.
 * A sign-in therefore writes no shared row. A process that crashes loses the counts of at most one minute.
 */
@Injectable()
export class DailyCounters implements RequiredSubscriber<Counted>, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Counts that are not written yet, by day and kind. */
  private counts = new Map<string, Map<string, number>>();
  private lastWrite: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly log: Log,
    rejections: Rejections,
  ) {
    rejections.add((call) => this.countFailure(call));
  }

  onApplicationBootstrap(): void {
    if (this.config.nodeEnv === 'test') return;
    this.timer = setInterval(() => void this.write().catch(this.onFailure), WRITE_INTERVAL_MS).unref();
  }

  async handleAll(tx: Tx, events: readonly LifecycleEvent<Counted>[]): Promise<void> {
    this.database.onCommit(tx, async () => {
      for (const { type } of events) this.add(dayOf(this.clock.now()), KINDS[type], 1);
    });
  }

  private countFailure({ rejectedWith, plan }: Call): void {
    if (rejectedWith === undefined || !SIGN_IN_BUCKETS.has(plan?.policy.bucket?.name ?? '')) return;
    this.add(dayOf(this.clock.now()), `${FAILURE_PREFIX}${rejectedWith}`, 1);
  }

  private add(day: string, kind: string, count: number): void {
    const kinds = this.counts.get(day) ?? new Map<string, number>();
    kinds.set(kind, (kinds.get(kind) ?? 0) + count);
    this.counts.set(day, kinds);
  }

  /** Writes all counts so far. If this fails, they are kept for the next time. */
  write(): Promise<void> {
    this.lastWrite = this.lastWrite.catch(() => {}).then(() => this.writeNow());
    return this.lastWrite;
  }

  private async writeNow(): Promise<void> {
    if (this.counts.size === 0) return;
    const taken = this.counts;
    this.counts = new Map();
    const rows = [...taken].flatMap(([day, kinds]) => [...kinds].map(([kind, count]) => ({ day, kind, count })));
    try {
      await this.database.manager.query(ADD_COUNTS, [
        rows.map(({ day }) => day),
        rows.map(({ kind }) => kind),
        rows.map(({ count }) => count),
      ]);
    } catch (error) {
      for (const { day, kind, count } of rows) this.add(day, kind, count);
      throw error;
    }
  }

  private readonly onFailure = (error: unknown): void =>
    this.log.error('writing the daily statistics failed', { error });

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.write().catch(this.onFailure);
  }
}
