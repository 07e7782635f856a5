import type { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import type pg from 'pg';
import {
  DataSource,
  type DataSourceOptions,
  type EntityManager,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { dataSourceOptions } from '../../../ormconfig.js';
import type { Config } from '../../core/config/config.js';
import { StartError } from '../../core/config/start-error.js';
import { markConnectionError } from '../../core/errors.js';
import type { Extension } from '../../core/extension.js';
import { type Embedded, EmbeddedSocket, openEmbedded, PreparingClient, reasonOf } from './embedded.js';
import type { EmbeddedEngine } from './engine.js';
import { commitWith, type LastStatement } from './last-statement.js';
import { Migrations, namesOf } from './migrations.js';
import { demandOwnSessions } from './own-sessions.js';
import { applySettings } from './session-settings.js';

/** One transaction's view of the database; helpers take it as their first argument. */
export type Tx = EntityManager;

/** What TypeORM answers to an UPDATE or a DELETE: the rows that it returns, and how many it changed. */
export type Changed<R = unknown> = [rows: R[], count: number];

type Row = Record<string, unknown>;

// Longer than any statement may take, and than the pool keeps an idle connection.
const SILENCE_MS = 12_000;

/**
 * A connection that swallows everything reports no error: one that stays silent too long is given up, and what waits on
 * it fails. Migrations may take as long as they need.
 */
function watchedSocket(patience: Patience, times: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(SILENCE_MS * times, () => {
    if (!patience.isEndless) socket.destroy();
  });
}

/**
 * The server may end a connection in the same breath in which it accepts it, before whoever waits for it can listen; a
 * failure that nobody listens for would end the process. The next statement on the connection fails instead.
 */
const surviveItsEnd = (client: EventEmitter): void => void client.on('error', markConnectionError);

type Connected = (error: Error | undefined, ...rest: unknown[]) => void;

/** A connection that cannot be made fails whoever asked for it, with an error that no client has. */
function markConnectErrors(pool: { connect(connected?: Connected): unknown }): void {
  const { connect } = pool;
  pool.connect = (connected) =>
    connect.call(
      pool,
      connected &&
        ((error, ...rest) => {
          markConnectionError(error);
          connected(error, ...rest);
        }),
    );
}

function begin(client: pg.PoolClient): Promise<void> {
  surviveItsEnd(client);
  return applySettings(client);
}

const LET_GO = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

interface Patience {
  isEndless: boolean;
}

const MIGRATION_LOCK = [0x6761, 0x7465];
/** What a connection limits by default, and a migration must not be limited by. */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** A connection of the driver, or its pool. */
interface Connection {
  query<R>(statement: { name?: string; text: string; values: unknown[] }): Promise<{ rows: R[] }>;
}

type Action = () => void | Promise<void>;

/** What belongs to the end of a transaction. */
interface Closing {
  readonly before: Action[];
  readonly last: (() => LastStatement)[];
  readonly after: Action[];
}

const connectionOf = (tx: Tx): Promise<Connection> => tx.queryRunner?.connect() as Promise<Connection>;

/** The database: PostgreSQL by `DATABASE_URL`, else the embedded one. The only source of truth for security state. */
export class Database {
  private readonly closings = new WeakMap<Tx, Closing>();

  private constructor(
    readonly source: DataSource,
    private readonly embedded: Embedded | undefined,
    private readonly patience: Patience,
    /** Ours, then those of a team. */
    readonly migrations: readonly Migrations[],
  ) {}

  /**
   * @param lent an embedded database that its owner opened and closes, instead of the one in `DATA_DIR`
   * @param isPrepared whether a new embedded database may come from the snapshot of the build, with our migrations applied
   */
  static async open(
    config: Config,
    lent?: EmbeddedEngine,
    extension: Extension = {},
    isPrepared = false,
  ): Promise<Database> {
    const patience: Patience = { isEndless: false };
    const { databaseUrl, databasePoolSize, databasePatience: times } = config;
    const options = dataSourceOptions(databaseUrl, databasePoolSize, extension.entities, times);
    const own = databaseUrl || lent ? undefined : await openEmbedded(config, isPrepared ? namesOf(options) : undefined);
    const embedded: Embedded | undefined = lent ? { engine: lent, close: async () => {}, hasFailed: false } : own;
    const source = new DataSource({
      ...options,
      ...(embedded
        ? {
            poolSize: 1,
            extra: {
              Client: PreparingClient,
              stream: () => new EmbeddedSocket(embedded.engine, () => (embedded.hasFailed = true)),
              max: 1,
              connectionTimeoutMillis: 3000 * times,
              onConnect: applySettings,
            },
          }
        : { extra: { ...options.extra, stream: () => watchedSocket(patience, times), onConnect: begin } }),
    } as DataSourceOptions);
    try {
      await source.initialize();
      if (databaseUrl) await demandOwnSessions(databaseUrl, times);
    } catch (error) {
      if (source.isInitialized) await source.destroy();
      await embedded?.close();
      if (error instanceof StartError) throw error;
      throw new StartError(`the database cannot be opened: ${reasonOf(error)}`, { cause: error });
    }
    markConnectErrors((source.driver as unknown as { master: Parameters<typeof markConnectErrors>[0] }).master);
    return new Database(source, embedded, patience, [Migrations.ours(source), Migrations.ofTeam(source, extension)]);
  }

  /** A database that nobody asks anything: enough to assemble the service and read its routes. */
  static unopened(config: Config): Database {
    return new Database(new DataSource(dataSourceOptions(config.databaseUrl, 1)), undefined, { isEndless: false }, []);
  }

  get isEmbedded(): boolean {
    return this.embedded !== undefined;
  }

  /** The embedded database, which answers errors as PostgreSQL does, failed to answer at all. */
  get hasFailed(): boolean {
    return this.embedded?.hasFailed ?? false;
  }

  get manager(): EntityManager {
    return this.source.manager;
  }

  /** One operation, one transaction, one closure. Nothing outside the database happens inside it. */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const closing: Closing = { before: [], last: [], after: [] };
    const runner = this.source.createQueryRunner();
    let result: T;
    try {
      await runner.startTransaction();
      this.closings.set(runner.manager, closing);
      result = await work(runner.manager);
      for (const action of closing.before) await action();
      await this.commit(
        runner,
        closing.last.map((make) => make()),
      );
    } catch (error) {
      await runner.rollbackTransaction().catch(() => {});
      // Inside a transaction a connection is only let go because it ended, between two statements.
      if (!LET_GO.some((kind) => error instanceof kind)) throw error;
      throw new Error('Connection terminated between two statements', { cause: error });
    } finally {
      await runner.release();
    }
    for (const action of closing.after) await action();
    return result;
  }

  /** Runs `work` on one connection, each statement by itself: what is temporary there is seen by `work` alone. */
  async session<T>(work: (session: Tx) => Promise<T>): Promise<T> {
    // The embedded database has no other connection that could be kept for anybody.
    if (this.embedded) return work(this.manager);
    const runner = this.source.createQueryRunner();
    try {
      await runner.connect();
      return await work(runner.manager);
    } finally {
      await runner.release();
    }
  }

  private async commit(runner: QueryRunner, last: readonly LastStatement[]): Promise<void> {
    if (last.length === 0) return runner.commitTransaction();
    try {
      await commitWith(await runner.connect(), last);
    } catch (error) {
      for (const statement of last) statement.failed();
      throw error;
    }
  }

  /** Runs `action` in the transaction when the work of its closure is done. */
  beforeCommit(tx: Tx, action: Action): void {
    this.closingOf(tx).before.push(action);
  }

  /**
   * Runs a statement after everything else in the transaction, together with the commit. What it locks is held for no longer
   * than that takes, and by everybody in one order. If it fails, nothing is committed.
   */
  withCommit(tx: Tx, make: () => LastStatement): void {
    this.closingOf(tx).last.push(make);
  }

  /** Runs `action` once the transaction of `tx` is committed, before its caller goes on; never after a rollback. */
  onCommit(tx: Tx, action: Action): void {
    this.closingOf(tx).after.push(action);
  }

  private closingOf(tx: Tx): Closing {
    const closing = this.closings.get(tx);
    if (!closing) throw new Error('this needs the transaction of Database.transaction');
    return closing;
  }

  /** A prepared statement by name, past the ORM, in the transaction of `tx` if it has one: for what is asked all the time. */
  async statement<R = Row>(name: string, text: string, values: unknown[], tx?: Tx): Promise<R[]> {
    const pool = (this.source.driver as unknown as { master: Connection }).master;
    const connection = tx?.queryRunner ? await connectionOf(tx) : pool;
    return (await connection.query<R>({ name, text, values })).rows;
  }

  /**
   * Applies pending migrations, ours before those of a team, under an advisory lock, so that any number of replicas may
   * start at once. Lock and migrations share one connection, without the limits of requests: a migration may take as long
   * as it needs. Answers the names of those that it applied.
   */
  async migrate(): Promise<string[]> {
    const runner = this.source.createQueryRunner();
    this.patience.isEndless = true;
    try {
      for (const limit of LIMITS) await runner.query(`SET ${limit} = 0`);
      await runner.query('SELECT pg_advisory_lock($1, $2)', MIGRATION_LOCK);
      const applied: string[] = [];
      for (const migrations of this.migrations) applied.push(...(await migrations.apply(runner)));
      return applied;
    } finally {
      // The end of a connection ends all of it, too.
      await runner.query('SELECT pg_advisory_unlock($1, $2)', MIGRATION_LOCK).catch(() => {});
      for (const limit of LIMITS) await runner.query(`RESET ${limit}`).catch(() => {});
      await runner.release();
      this.patience.isEndless = false;
    }
  }

  async hasPendingMigrations(): Promise<boolean> {
    for (const migrations of this.migrations) {
      if ((await migrations.state()).pending.length > 0) return true;
    }
    return false;
  }

  /** A copy of the embedded database as one file, from which others can be opened. */
  async dump(): Promise<Blob> {
    if (!this.embedded) throw new Error('only the embedded database can be dumped');
    return this.embedded.engine.dumpDataDir('none');
  }

  private closed = false;

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    if (this.source.isInitialized) await this.source.destroy();
    await this.embedded?.close();
  }
}
