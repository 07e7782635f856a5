import type { Log } from '../../core/log.js';
import type { Database } from '../database/database.js';
import { PollingWorker } from '../process/polling-worker.js';

const FAILURES_BEFORE_PAUSE = 20;
const PAUSE_MS = 60_000;
/** Longer than the requests of one claim take. After that, the process that claimed the lane counts as crashed. */
const LEASE = "interval '60 seconds'";
const MAX_LANES_AT_ONCE = 64;
const LANES_PER_CLAIM = 20;

/** An outbox and its lanes. Each row of the outbox belongs to a lane, such as the host that receives it. */
export interface DeliveryQueueOptions<D> {
  /** The start of the names of its prepared statements. */
  readonly name: string;
  /** The outbox, with the columns `next_attempt_at` and `ended_at`, and an index of waiting rows by lane. */
  readonly table: string;
  /** The table of lanes, with the columns `lease`, `next_attempt_at`, `failures` and `recent`. */
  readonly laneTable: string;
  /** The column that names the lane in both tables. */
  readonly lane: { readonly column: string; readonly type: 'text' | 'bigint' };
  /** The columns of a due row `d`, and the tables to join. */
  readonly select: string;
  readonly join?: string;
  readonly concurrentPerLane: number;
  readonly requestsPerSecond: number;
  /** Sends a row once and stores the outcome. Returns whether the receiver gave a final response. */
  readonly attempt: (row: D) => Promise<boolean>;
}

interface ClaimedLane {
  readonly lane: string;
  /** Number of the claim. */
  readonly lease: string;
  /** Number of failures in a row. */
  failures: number;
  /** Milliseconds since the ends of the requests in the last second. */
  readonly ages: readonly number[];
}

/**
 * Claims lanes with due rows. One replica at a time sends the rows of a lane, so the limits of a lane hold for all
 * replicas. The lanes are found one by one in the index, because a paused lane may have many rows.
 */
const claimLanes = ({ table, laneTable, lane: { column } }: DeliveryQueueOptions<never>): string => `
  WITH RECURSIVE waiting AS (
    (SELECT ${column} FROM ${table} WHERE ended_at IS NULL ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT d.${column} FROM ${table} d WHERE d.ended_at IS NULL AND d.${column} > w.${column}
            ORDER BY d.${column} LIMIT 1)
    FROM waiting w WHERE w.${column} IS NOT NULL
  ), due AS MATERIALIZED (
    SELECT w.${column} FROM waiting w LEFT JOIN ${laneTable} h ON h.${column} = w.${column}
    WHERE w.${column} IS NOT NULL AND coalesce(h.next_attempt_at <= now(), true)
      AND EXISTS (SELECT FROM ${table} d
                  WHERE d.${column} = w.${column} AND d.ended_at IS NULL AND d.next_attempt_at <= now())
    LIMIT $1
  ), claimed AS (
    INSERT INTO ${laneTable} AS h (${column}, lease, next_attempt_at)
    SELECT ${column}, 1, now() + ${LEASE} FROM due ORDER BY ${column}
    ON CONFLICT (${column}) DO UPDATE SET lease = h.lease + 1, next_attempt_at = excluded.next_attempt_at
      WHERE h.next_attempt_at <= now()
    RETURNING h.*
  )
  SELECT c.${column} AS lane, c.lease, c.failures, ARRAY(
      SELECT (extract(epoch FROM now() - at) * 1000)::float8 FROM unnest(c.recent) AS at
      WHERE at > now() - interval '1 second') AS ages
  FROM due LEFT JOIN claimed c ON c.${column} = due.${column}`;

const dueRows = ({ table, lane: { column, type }, select, join = '' }: DeliveryQueueOptions<never>): string => `
  SELECT d.${column} AS lane, ${select}
  FROM unnest($1::${type}[], $2::int[]) AS h (lane, budget)
    CROSS JOIN LATERAL (
      SELECT * FROM ${table} w WHERE w.${column} = h.lane AND w.ended_at IS NULL AND w.next_attempt_at <= now()
      ORDER BY w.next_attempt_at LIMIT h.budget) d
    ${join}`;

const releaseLane = ({ laneTable, lane: { column } }: DeliveryQueueOptions<never>): string => `
  UPDATE ${laneTable} SET failures = $3, next_attempt_at = now() + $4::float8 * interval '1 millisecond',
    recent = ARRAY(SELECT now() - age * interval '1 millisecond' FROM unnest($5::float8[]) AS age)
  WHERE ${column} = $1 AND lease = $2`;

/**
 * Sends the rows of a transactional outbox to other servers. Any free process delivers a row after the commit, at least
 * once. Each lane has its own limits and pauses, so a slow receiver does not delay others.
 */
export class DeliveryQueue<D extends object> {
  private readonly worker: PollingWorker;
  private readonly batches = new Set<Promise<void>>();
  private readonly sql: { readonly claim: string; readonly due: string; readonly release: string };
  private isStopping = false;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    private readonly options: DeliveryQueueOptions<D>,
  ) {
    this.sql = { claim: claimLanes(options), due: dueRows(options), release: releaseLane(options) };
    this.worker = new PollingWorker(
      () => this.claim(),
      (error) => log.error('reading an outbox failed', { outbox: options.table, error }),
      1,
    );
  }

  start(): void {
    this.worker.start();
  }

  /** Checks for due rows immediately. */
  wake(): void {
    this.worker.wake();
  }

  /** Stops after the current requests. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.worker.stop();
    await Promise.all(this.batches);
  }

  /** Claims due lanes and starts to send their rows. Returns false if there is nothing to claim. */
  private async claim(): Promise<boolean> {
    const free = MAX_LANES_AT_ONCE - this.batches.size;
    if (free <= 0) return false;
    const { name, requestsPerSecond } = this.options;
    const due = await this.database.statement<ClaimedLane>(`${name}-claim`, this.sql.claim, [
      Math.min(free, LANES_PER_CLAIM),
    ]);
    // A lane without data was claimed by another process at the same time.
    const lanes = due.filter(({ lane }) => lane !== null);
    if (lanes.length > 0) {
      const rows = await this.database.statement<D & { lane: string }>(`${name}-due`, this.sql.due, [
        lanes.map(({ lane }) => lane),
        lanes.map(({ ages }) => Math.max(0, requestsPerSecond - ages.length)),
      ]);
      for (const claimed of lanes) {
        this.startBatch(
          claimed,
          rows.filter(({ lane }) => lane === claimed.lane),
        );
      }
    }
    return due.length > 0;
  }

  private startBatch(lane: ClaimedLane, rows: readonly D[]): void {
    const batch = this.sendAll(lane, rows)
      .catch((error) => this.log.error('sending the rows of an outbox failed', { outbox: this.options.table, error }))
      .finally(() => this.batches.delete(batch));
    this.batches.add(batch);
  }

  /** Sends the rows of one lane, some at a time, and makes the lane available again. */
  private async sendAll(claimed: ClaimedLane, rows: readonly D[]): Promise<void> {
    const { name, concurrentPerLane, requestsPerSecond, attempt } = this.options;
    const claimedAt = performance.now();
    const ended = claimed.ages.map((age) => claimedAt - age);
    const queue = [...rows];
    const sendNext = async (): Promise<void> => {
      for (let row = queue.shift(); row && !this.isStopping; row = queue.shift()) {
        if (claimed.failures >= FAILURES_BEFORE_PAUSE) return;
        claimed.failures = (await attempt(row)) ? 0 : claimed.failures + 1;
        // The time of the response, so that requests also arrive at this rate.
        ended.push(performance.now());
      }
    };
    await Promise.all(Array.from({ length: concurrentPerLane }, sendNext));
    const isPaused = claimed.failures >= FAILURES_BEFORE_PAUSE;
    const endedAt = performance.now();
    const ages = ended.map((at) => endedAt - at).filter((age) => age < 1000);
    const delay = isPaused ? PAUSE_MS : ages.length < requestsPerSecond ? 0 : 1000 - Math.max(...ages);
    await this.database.statement(`${name}-release`, this.sql.release, [
      ...[claimed.lane, claimed.lease, isPaused ? 0 : claimed.failures, delay],
      ages,
    ]);
    setTimeout(() => this.worker.wake(), delay).unref();
  }
}
