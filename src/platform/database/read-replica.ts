import type pg from 'pg';
import { type DataSource, type DataSourceOptions, type EntityManager, QueryFailedError } from 'typeorm';
import { isTransientDatabaseError } from '../../core/database-errors.js';
import { withQueryTimeout } from '../process/query-timeout.js';
import { failConnection } from './driver-internals.js';
import { ServerConnections } from './server-connections.js';
import { connectWithRightResults } from './session-settings.js';

/** Maximum time that a read waits until the standby has replayed everything that was committed before. */
const MAX_LAG_MS = 200;
const LAG_POLL_MS = 5;
/** Maximum time to connect to the standby and to get a response about its state. */
const RESPONSE_TIMEOUT_MS = 1000;
/** Longer than the statement timeout of the server, so that it ends only statements of a silent server. */
const STATEMENT_TIMEOUT_MS = 6000;
const RETRY_MS = 1000;

const CLUSTER = `(SELECT system_identifier FROM pg_control_system())::text AS system,
  (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database`;

/** If commits do not wait for the disk, the standby must also have what is not yet written. */
const PRIMARY_SQL = `
  SELECT lsn::text AS lsn, left(pg_walfile_name(lsn), 8) AS timeline, ${CLUSTER}
  FROM (SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
    ELSE pg_current_wal_flush_lsn() END AS lsn) AS position`;

const STANDBY_SQL = `
  SELECT pg_is_in_recovery() AS is_standby, coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) AS has_replayed,
    upper(lpad(to_hex(greatest((SELECT timeline_id FROM pg_control_checkpoint()),
      (SELECT min_recovery_end_timeline FROM pg_control_recovery()))), 8, '0')) AS timeline, ${CLUSTER}`;

/** The committed state of the primary, which a read must see. */
interface Position {
  readonly lsn: string;
  readonly timeline: string;
  readonly system: string;
  readonly database: string;
}

interface StandbyState extends Omit<Position, 'lsn'> {
  readonly is_standby: boolean;
  readonly has_replayed: boolean;
}

/** The standby responds, but cannot serve a read. */
class UnusableStandby extends Error {}

/** The statement needs rows that the primary has already removed. The standby still works. */
const isRecoveryConflict = (error: unknown): boolean =>
  error instanceof QueryFailedError && (error.driverError as { code?: unknown }).code === '40001';

/** The standby could not complete the work. The primary can. */
class FailedRead extends Error {}

/**
 * The standby of `DATABASE_READ_URL`. A read sees everything that was committed before it started. If the standby cannot
 * provide this in time, it is not used until a test in the background passes.
 */
export class ReadReplica {
  private readonly connections: Promise<ServerConnections>;
  private source: Promise<DataSource> | undefined;
  private isUsable = true;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    url: string,
    private readonly options: DataSourceOptions,
    private readonly primary: DataSource,
    private readonly patience: number,
  ) {
    this.connections = ServerConnections.direct(url, patience);
  }

  /**
   * Runs `work` on the standby if it is usable, otherwise or after a failure of the standby on the primary. `work` may
   * therefore run twice. Errors of `work` itself are passed on.
   */
  async read<T>(work: (reader: EntityManager) => Promise<T>, onPrimary: () => Promise<T>): Promise<T> {
    if (!this.isUsable) return onPrimary();
    try {
      return await this.run(work);
    } catch (error) {
      if (!(error instanceof FailedRead)) throw error;
      return onPrimary();
    }
  }

  /** Tests whether reads can use the standby. @throws Error with the reason */
  async test(): Promise<void> {
    try {
      await this.run(async () => {});
    } catch (error) {
      throw error instanceof FailedRead ? error.cause : error;
    }
  }

  private async run<T>(work: (reader: EntityManager) => Promise<T>): Promise<T> {
    const limit = RESPONSE_TIMEOUT_MS * this.patience;
    const position = await this.primaryPosition();
    let isReady = false;
    try {
      const source = await withQueryTimeout(limit, this.open());
      const runner = source.createQueryRunner();
      let client: pg.PoolClient | undefined;
      try {
        client = (await runner.connect()) as pg.PoolClient;
        await this.waitFor(client, position, limit);
        isReady = true;
        this.isUsable = true;
        return await work(runner.manager);
      } catch (error) {
        // The connection may still wait for a response, so it is not used again.
        if (client && isTransientDatabaseError(error)) failConnection(client, error as Error);
        throw error;
      } finally {
        await runner.release();
      }
    } catch (error) {
      if (isReady && !isTransientDatabaseError(error)) throw error;
      if (!isRecoveryConflict(error)) this.suspend();
      throw new FailedRead('the standby failed', { cause: error });
    }
  }

  private async primaryPosition(): Promise<Position> {
    const [position] = await this.primary.query<[Position]>(PRIMARY_SQL);
    return position;
  }

  private async waitFor(client: pg.PoolClient, position: Position, limit: number): Promise<void> {
    const deadline = performance.now() + MAX_LAG_MS * this.patience;
    for (;;) {
      const requested = client.query<StandbyState>(STANDBY_SQL, [position.lsn]);
      const [state] = (await withQueryTimeout(limit, requested)).rows;
      if (!state?.is_standby) throw new UnusableStandby('the server is not a standby');
      if (state.system !== position.system || state.database !== position.database)
        throw new UnusableStandby('the server is not a standby of the primary of DATABASE_URL');
      if (state.has_replayed && state.timeline === position.timeline) return;
      if (performance.now() > deadline)
        throw new UnusableStandby(
          state.has_replayed
            ? 'the standby has not reached a restart point since the last failover'
            : `the standby is more than ${MAX_LAG_MS * this.patience} ms behind`,
        );
      await new Promise((resolve) => setTimeout(resolve, LAG_POLL_MS));
    }
  }

  /** Connects when first used. If this fails, the next use tries again. */
  private open(): Promise<DataSource> {
    this.source ??= this.connect().catch((error) => {
      this.source = undefined;
      throw error;
    });
    return this.source;
  }

  private async connect(): Promise<DataSource> {
    const connections = await this.connections;
    const source = connections.pool(this.options, {
      connectionTimeoutMillis: RESPONSE_TIMEOUT_MS * this.patience,
      query_timeout: STATEMENT_TIMEOUT_MS * this.patience,
    });
    await connectWithRightResults(() => source.initialize());
    if (this.isClosed) await source.destroy();
    else connections.watch(source);
    return source;
  }

  /** Uses only the primary until a test passes. */
  private suspend(): void {
    this.isUsable = false;
    if (this.timer || this.isClosed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      // A test that fails suspends the standby again.
      this.test().catch(() => this.suspend());
    }, RETRY_MS).unref();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    const source = await this.source?.catch(() => undefined);
    if (source?.isInitialized) await source.destroy();
  }
}
