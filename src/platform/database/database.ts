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
import type { Config } from '../../core/config/config.js';
import { StartError } from '../../core/config/start-error.js';
import { markConnectionError } from '../../core/database-errors.js';
import { type DatabaseSchema, dataSourceOptions } from './data-source-options.js';
import { assertDedicatedSessions } from './dedicated-sessions.js';
import { type Connection, poolOf } from './driver-internals.js';
import {
  connectionErrorMessage,
  type EmbeddedDatabase,
  EmbeddedSocket,
  openEmbedded,
  PreparingClient,
} from './embedded.js';
import type { EmbeddedEngine } from './engine.js';
import { commitWith, type LastStatement } from './last-statement.js';
import { Migrations, migrationNames } from './migrations.js';
import { applySettings } from './session-settings.js';

/** The entity manager of one transaction. Helpers take it as their first argument. */
export type Tx = EntityManager;

/** Result of TypeORM for an UPDATE or a DELETE: the returned rows and the number of changed rows. */
export type Changed<R = unknown> = [rows: R[], count: number];

type Row = Record<string, unknown>;

// Longer than the longest statement timeout and the idle timeout of the pool.
const SOCKET_IDLE_TIMEOUT_MS = 12_000;

/**
 * A lost peer may leave the connection open without an error, so a silent socket is destroyed and its pending
 * statements fail. Migrations are exempt because they may take any time.
 */
function createTimeoutSocket(patience: TimeoutPolicy, times: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(SOCKET_IDLE_TIMEOUT_MS * times, () => {
    if (!patience.isSuspended) socket.destroy();
  });
}

/**
 * The server may close a connection right after it accepts it, before the caller can attach a listener. An unhandled
 * `error` event would end the process; with this handler, only the next statement on the connection fails.
 */
const attachErrorHandler = (client: EventEmitter): void => void client.on('error', markConnectionError);

/** A timer that fires this much too late shows that the process was suspended. */
const SUSPENSION_MS = 500;

/**
 * Marks errors of failed connection attempts as database errors, so that they are not blamed on the client of a
 * request. After a suspension, the pool gives up before it reads the data that has arrived, so the request is repeated.
 */
function handleConnectErrors(pool: ReturnType<typeof poolOf>): void {
  const { connect } = pool;
  const timeout = pool.options.connectionTimeoutMillis ?? 0;
  pool.connect = (connected) => {
    if (!connected) return connect.call(pool, connected);
    const startedAt = performance.now();
    return connect.call(pool, (error, ...rest) => {
      if (error && performance.now() - startedAt > timeout + SUSPENSION_MS) return connect.call(pool, reply);
      reply(error, ...rest);
    });
    function reply(...[error, ...rest]: Parameters<NonNullable<typeof connected>>): void {
      markConnectionError(error);
      connected?.(error, ...rest);
    }
  };
}

function initializeConnection(client: pg.PoolClient): Promise<void> {
  attachErrorHandler(client);
  return applySettings(client);
}

const RELEASED_RUNNER_ERRORS = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

interface TimeoutPolicy {
  isSuspended: boolean;
}

const MIGRATION_LOCK = [0x6761, 0x7465];
/** Session timeouts that are set for requests and lifted for migrations. */
const SESSION_TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

type Action = () => void | Promise<void>;

/** Actions and statements that run when a transaction ends. */
interface TransactionHooks {
  readonly beforeCommit: Action[];
  readonly lastStatements: (() => LastStatement)[];
  readonly afterCommit: Action[];
}

const getConnection = (tx: Tx): Promise<Connection> => tx.queryRunner?.connect() as Promise<Connection>;

/**
 * The database: PostgreSQL if `DATABASE_URL` is set, otherwise the embedded one. The only source of truth for security
 * state.
 */
export class Database {
  private readonly transactionHooks = new WeakMap<Tx, TransactionHooks>();

  private constructor(
    readonly source: DataSource,
    private readonly embedded: EmbeddedDatabase | undefined,
    private readonly timeoutPolicy: TimeoutPolicy,
    /** Those of Gatehouse, then those of the extension. */
    readonly migrations: readonly Migrations[],
  ) {}

  /**
   * Opens the database.
   * @param lent an embedded database that its owner opens and closes, used instead of the one in `DATA_DIR`
   * @param isPrepared whether a new embedded database may be created from the build's snapshot, with the built-in
   * migrations applied
   * @throws StartError if the database cannot be opened
   */
  static async open(
    config: Config,
    schema: DatabaseSchema,
    lent?: EmbeddedEngine,
    isPrepared = false,
  ): Promise<Database> {
    const patience: TimeoutPolicy = { isSuspended: false };
    const { databaseUrl, databasePoolSize, databasePatience: times } = config;
    const options = dataSourceOptions(databaseUrl, databasePoolSize, schema, times);
    const own =
      databaseUrl || lent ? undefined : await openEmbedded(config, isPrepared ? migrationNames(options) : undefined);
    const embedded: EmbeddedDatabase | undefined = lent
      ? { engine: lent, close: async () => {}, hasFailed: false }
      : own;
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
        : {
            extra: {
              ...options.extra,
              stream: () => createTimeoutSocket(patience, times),
              onConnect: initializeConnection,
            },
          }),
    } as DataSourceOptions);
    try {
      await source.initialize();
      if (databaseUrl) await assertDedicatedSessions(databaseUrl, times);
    } catch (error) {
      if (source.isInitialized) await source.destroy();
      await embedded?.close();
      if (error instanceof StartError) throw error;
      throw new StartError(`Connecting to the database failed: ${connectionErrorMessage(error)}`, { cause: error });
    }
    handleConnectErrors(poolOf(source));
    return new Database(source, embedded, patience, [
      Migrations.builtIn(source),
      Migrations.ofExtension(source, schema.extensionMigrations),
    ]);
  }

  /** An unconnected DataSource, enough to assemble the service and print its routes. */
  static unconnected(config: Config): Database {
    return new Database(
      new DataSource(dataSourceOptions(config.databaseUrl, 1, { entities: [], migrations: [] })),
      undefined,
      { isSuspended: false },
      [],
    );
  }

  get isEmbedded(): boolean {
    return this.embedded !== undefined;
  }

  /** Whether the embedded engine has crashed, as opposed to returning an SQL error. */
  get hasFailed(): boolean {
    return this.embedded?.hasFailed ?? false;
  }

  get manager(): EntityManager {
    return this.source.manager;
  }

  /**
   * Runs `work` in one transaction: one operation, one transaction, one closure. Nothing outside the database may
   * happen inside it.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const closing: TransactionHooks = { beforeCommit: [], lastStatements: [], afterCommit: [] };
    const runner = this.source.createQueryRunner();
    let result: T;
    try {
      await runner.startTransaction();
      this.transactionHooks.set(runner.manager, closing);
      result = await work(runner.manager);
      for (const action of closing.beforeCommit) await action();
      await this.commit(
        runner,
        closing.lastStatements.map((make) => make()),
      );
    } catch (error) {
      await runner.rollbackTransaction().catch(() => {});
      // Inside a transaction, TypeORM releases a connection early only if the connection ended between two statements.
      if (!RELEASED_RUNNER_ERRORS.some((kind) => error instanceof kind)) throw error;
      throw new Error('Connection terminated between two statements', { cause: error });
    } finally {
      await runner.release();
    }
    for (const action of closing.afterCommit) await action();
    return result;
  }

  /** Runs `work` on one connection without a transaction. Only `work` sees temporary objects that it creates there. */
  async session<T>(work: (session: Tx) => Promise<T>): Promise<T> {
    // The embedded database has only one connection, so none can be reserved.
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
      for (const statement of last) statement.onFailure();
      throw error;
    }
  }

  /** Runs `action` inside the transaction, after the work of its closure. */
  beforeCommit(tx: Tx, action: Action): void {
    this.requireHooks(tx).beforeCommit.push(action);
  }

  /**
   * Runs a statement as the last one of the transaction, in one round trip with the commit. Its locks are held only for
   * that round trip and taken in the same order by every transaction. If it fails, nothing is committed.
   */
  withCommit(tx: Tx, make: () => LastStatement): void {
    this.requireHooks(tx).lastStatements.push(make);
  }

  /**
   * Runs `action` after the transaction of `tx` is committed and before `transaction` resolves; never after a rollback.
   */
  onCommit(tx: Tx, action: Action): void {
    this.requireHooks(tx).afterCommit.push(action);
  }

  private requireHooks(tx: Tx): TransactionHooks {
    const closing = this.transactionHooks.get(tx);
    if (!closing) throw new Error('The transaction was not started by Database.transaction. Use its tx');
    return closing;
  }

  /**
   * Runs a named prepared statement without the ORM, in the transaction of `tx` if there is one. For frequent
   * statements.
   */
  async statement<R = Row>(name: string, text: string, values: unknown[], tx?: Tx): Promise<R[]> {
    const connection = tx?.queryRunner ? await getConnection(tx) : poolOf(this.source);
    return (await connection.query<R>({ name, text, values })).rows;
  }

  /**
   * Applies pending migrations, the built-in ones before those of the extension. An advisory lock lets any number of
   * replicas start at the same time. Lock and migrations share one connection without the timeouts of requests.
   * @returns the names of the applied migrations
   */
  async migrate(): Promise<string[]> {
    const runner = this.source.createQueryRunner();
    this.timeoutPolicy.isSuspended = true;
    try {
      for (const limit of SESSION_TIMEOUTS) await runner.query(`SET ${limit} = 0`);
      await runner.query('SELECT pg_advisory_lock($1, $2)', MIGRATION_LOCK);
      const applied: string[] = [];
      for (const migrations of this.migrations) applied.push(...(await migrations.apply(runner)));
      return applied;
    } finally {
      // If the connection is lost, the server releases the lock and the settings itself.
      await runner.query('SELECT pg_advisory_unlock($1, $2)', MIGRATION_LOCK).catch(() => {});
      for (const limit of SESSION_TIMEOUTS) await runner.query(`RESET ${limit}`).catch(() => {});
      await runner.release();
      this.timeoutPolicy.isSuspended = false;
    }
  }

  async hasPendingMigrations(): Promise<boolean> {
    for (const migrations of this.migrations) {
      if ((await migrations.state()).pending.length > 0) return true;
    }
    return false;
  }

  /** Returns a copy of the embedded database as one file, from which another one can be opened. */
  async dump(): Promise<Blob> {
    if (!this.embedded) throw new Error('Only the embedded database can be exported to a file');
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
