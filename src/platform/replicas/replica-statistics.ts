import { hostname } from 'node:os';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { Metrics, MetricsReader } from '../../core/metrics.js';
import { Keyring } from '../../core/secrets.js';
import { Database, type Tx } from '../database/database.js';
import { Cleanup } from '../jobs/cleanup.js';
import { ReplicaBus } from './replica-bus.js';
import { ReplicaDrain } from './replica-drain.js';

const REPORT_INTERVAL_MS = 5000;
const LOOP_DELAY_METRIC = 'nodejs_eventloop_lag';
/** Averaging window of rates. */
const RATE_WINDOW_MS = 30_000;
/** A replica that has not reported for this long counts as gone. */
const GONE_AFTER_SECONDS = 20;

/** Statistics of a replica. Counters start at 0 with the process. */
export interface ReplicaNumbers {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Number of error responses by code. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly signIns: number;
  readonly gatewaySockets: number;
  /** The 99th percentile since the last call. */
  readonly eventLoopDelayMs: number;
}

/** What a replica reports about itself. Null if its version does not report it. */
interface ReplicaState {
  readonly host: string;
  readonly isReady: boolean;
  /** Names of the dependencies that do not work. */
  readonly failing: readonly string[];
  /** ISO 8601. Null if an operator did not drain it. */
  readonly drainedUntil: string | null;
  /** The IDs of the secrets that it accepts, first the one that it uses. Versions before 1.0.0 do not report it. */
  readonly secrets?: readonly string[];
}

/** The last known state of a replica. */
export interface ReplicaStatus {
  readonly workerId: number;
  readonly version: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly numbers: ReplicaNumbers;
  readonly state: ReplicaState | null;
}

interface Row {
  readonly worker_id: number;
  readonly version: string;
  readonly started_at: Date;
  readonly seen_at: Date;
  readonly numbers: ReplicaNumbers & { readonly state?: ReplicaState };
}

/** Reads the last report of all active replicas, by worker ID. */
export async function readReplicas(tx: Tx): Promise<ReplicaStatus[]> {
  const rows = await tx.query<Row[]>(
    `SELECT worker_id, version, started_at, seen_at, numbers FROM replica_statistics
     WHERE seen_at > now() - $1 * interval '1 second' ORDER BY worker_id LIMIT 1024`,
    [GONE_AFTER_SECONDS],
  );
  return rows.map(({ worker_id, version, started_at, seen_at, numbers: { state = null, ...numbers } }) => ({
    ...{ workerId: worker_id, version, startedAt: started_at, seenAt: seen_at, numbers, state },
  }));
}

/**
 * Shares statistics between replicas. Each replica has one row, by its worker ID, and updates it every few seconds.
 * With the embedded database, the only process updates it on request.
 */
@Injectable()
export class ReplicaStatistics implements BeforeApplicationShutdown {
  private readonly startedAt: Date;
  private samples: { readonly at: number; readonly requests: number }[];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly replicaBus: ReplicaBus,
    private readonly metrics: Metrics,
    private readonly reader: MetricsReader,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly drain: ReplicaDrain,
    private readonly keyring: Keyring,
    cleanup: Cleanup,
  ) {
    this.startedAt = clock.date();
    this.samples = [{ at: clock.monotonic(), requests: 0 }];
    metrics.set('gatehouse_workers', {}, 1);
    cleanup.addExpiry('replica_statistics', 'worker_id', "seen_at < now() - interval '1 minute'");
  }

  /** Reports this process regularly. Only processes that serve requests do this, not commands. */
  start(): void {
    if (this.database.isEmbedded) return;
    const report = () => {
      // A failed write is ignored, because the next one follows soon.
      this.writing ??= this.write()
        .catch(() => {})
        .finally(() => {
          this.writing = undefined;
        });
    };
    this.timer = setInterval(report, REPORT_INTERVAL_MS).unref();
    this.drain.onChange(report);
    report();
  }

  /** Returns all active replicas by worker ID, with fresh statistics of this one. */
  async list(): Promise<ReplicaStatus[]> {
    await this.write();
    return readReplicas(this.database.manager);
  }

  private async write(): Promise<void> {
    const numbers = { ...(await this.measure()), state: await this.describe() };
    await this.database.manager.query(
      `INSERT INTO replica_statistics (worker_id, version, started_at, numbers) VALUES ($1, $2, $3, $4)
       ON CONFLICT (worker_id) DO UPDATE SET version = excluded.version, started_at = excluded.started_at,
         seen_at = now(), numbers = excluded.numbers`,
      [this.replicaBus.workerId, this.config.buildId, this.startedAt, JSON.stringify(numbers)],
    );
  }

  private async describe(): Promise<ReplicaState> {
    const [isReady, dependencies] = await Promise.all([
      this.reader.total('gatehouse_ready'),
      this.reader.series('gatehouse_dependency_up'),
    ]);
    return {
      host: hostname(),
      isReady: isReady === 1,
      failing: dependencies.filter(({ value }) => value === 0).map(({ labels }) => String(labels.name)),
      drainedUntil: this.drain.until?.toISOString() ?? null,
      secrets: this.keyring.secretIds,
    };
  }

  private async measure(): Promise<ReplicaNumbers> {
    const { reader } = this;
    const total = this.metrics.observations('gatehouse_http_request_seconds');
    // Reading the mean updates the percentiles.
    await reader.series(`${LOOP_DELAY_METRIC}_seconds`);
    const [refusals, signIns, gatewaySockets, delay] = await Promise.all([
      reader.series('gatehouse_refusals_total'),
      reader.total('gatehouse_sign_ins_total'),
      reader.total('gatehouse_gateway_sockets'),
      reader.total(`${LOOP_DELAY_METRIC}_p99_seconds`),
    ]);
    const at = this.clock.monotonic();
    // One sample is older than the window, so that the rate always covers the whole window.
    while (this.samples.length > 1 && (this.samples[1]?.at ?? at) <= at - RATE_WINDOW_MS) this.samples.shift();
    const { at: since, requests } = this.samples[0] ?? { at, requests: 0 };
    if (at - (this.samples.at(-1)?.at ?? 0) >= REPORT_INTERVAL_MS / 2) this.samples.push({ at, requests: total });
    const counted = refusals.filter(({ value }) => value > 0);
    const seconds = Math.max(0.001, (at - since) / 1000);
    return {
      requests: total,
      requestsPerSecond: Math.round(((total - requests) / seconds) * 100) / 100,
      refusals: Object.fromEntries(counted.map(({ labels, value }) => [String(labels.code), value])),
      signIns,
      gatewaySockets,
      eventLoopDelayMs: Math.round(delay * 10_000) / 10,
    };
  }

  /** Removes the row, so that a stopped replica is not listed. If that fails, it expires. */
  async beforeApplicationShutdown(): Promise<void> {
    if (!this.timer) return;
    clearInterval(this.timer);
    await this.writing;
    const remove = 'DELETE FROM replica_statistics WHERE worker_id = $1';
    await this.database.manager.query(remove, [this.replicaBus.workerId]).catch(() => {});
  }
}
