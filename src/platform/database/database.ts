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
import { withQueryTimeout } from '../process/query-timeout.js';
import { type DatabaseSchema, dataSourceOptions } from './data-source-options.js';
import { type Connection, poolOf, shareTransaction } from './driver-internals.js';
import {
  connectionErrorMessage,
  type EmbeddedDatabase,
  EmbeddedSocket,
  openEmbedded,
  PreparingClient,
} from './embedded.js';
import type { EmbeddedEngine } from './engine.js';
import { commitWith, commitWithUnprepared, type LastStatement } from './last-statement.js';
import { Migrations, migrationNames } from './migrations.js';
import { ReadReplica } from './read-replica.js';
import { handleConnectErrors, ServerConnections } from './server-connections.js';
import {
  applySettings,
  connectWithRightResults,
  localTimeoutsSql,
  NO_TIMEOUTS_SQL,
  RESET_TIMEOUTS_SQL,
  timeoutsSql,
} from './session-settings.js';

/** The entity manager of one transaction. Helpers take it as their first argument. */
export type Tx = EntityManager;

/** Result of TypeORM for an UPDATE or a DELETE: the returned rows and the number of changed rows. */
export type ChangeResult<R = unknown> = [rows: R[], count: number];

type Row = Record<string, unknown>;

const RELEASED_RUNNER_ERRORS = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

const MIGRATION_LOCK = [0x6761, 0x7465];

type Action = () => void | Promise<void>;

/** Actions and statements that run when a transaction ends. */
interface TransactionHooks {
  readonly beforeCommit: Action[];
  readonly lastStatements: (() => LastStatement)[];
  readonly afterCommit: Action[];
}

/** A pool of one connection to `DATABASE_DIRECT_URL`. */
interface DirectPool {
  readonly source: DataSource;
  readonly connections: ServerConnections;
}

async function openDirectPool(options: DataSourceOptions, url: string, patience: number): Promise<DirectPool> {
  const connections = await ServerConnections.direct(url, patience);
  const source = connections.pool(options);
  await connectWithRightResults(() => source.initialize());
  return { source, connections };
}

const embeddedPool = (options: DataSourceOptions, embedded: EmbeddedDatabase, patience: number): DataSource =>
  new DataSource({
    ...options,
    poolSize: 1,
    extra: {
      Client: PreparingClient,
      stream: () => new EmbeddedSocket(embedded.engine, () => (embedded.hasFailed = true)),
      max: 1,
      connectionTimeoutMillis: 3000 * patience,
      onConnect: (client: pg.PoolClient) => applySettings(client),
    },
  } as DataSourceOptions);

const getConnection = (tx: Tx): Promise<Connection> => tx.queryRunner?.connect() as Promise<Connection>;

/**
 * The database: PostgreSQL if `DATABASE_URL` is set, otherwise the embedded one. The only source of truth for security
 * state.
 */
export class Database {
  private readonly transactionHooks = new WeakMap<Tx, TransactionHooks>();
  /** What follows when the savepoint of a lent transaction is released. */
  private readonly releaseHooks = new WeakMap<Tx, ((outer: Tx) => void)[]>();

  private constructor(
    readonly source: DataSource,
    private readonly embedded: EmbeddedDatabase | undefined,
    private readonly server: ServerConnections | undefined,
    private readonly openDirect: (() => Promise<DirectPool>) | undefined,
    /** The standby of `DATABASE_READ_URL`. */
    readonly replica: ReadReplica | undefined,
    /** Those of Gatehouse, then those of the extension. */
    readonly migrations: readonly Migrations[],
  ) {}

  /**
   * Opens the database.
   * @param lent an embedded database that its owner opens and closes, used instead of the one in `DATA_DIR`
   * @param isPrepared whether a new embedded database may be created from the build's snapshot, with the built-in
   * migrations applied
   * @throws StartError if the database cannot be opened
   * @internal
   */
  static async open(
    config: Config,
    schema: DatabaseSchema,
    lent?: EmbeddedEngine,
    isPrepared = false,
  ): Promise<Database> {
    const { databaseUrl, databaseDirectUrl, databaseReadUrl, databasePoolSize, databasePatience } = config;
    const options = dataSourceOptions(databaseUrl, databasePoolSize, schema);
    const own =
      databaseUrl || lent ? undefined : await openEmbedded(config, isPrepared ? migrationNames(options) : undefined);
    const embedded: EmbeddedDatabase | undefined = lent
      ? { engine: lent, close: async () => {}, hasFailed: false }
      : own;
    let source: DataSource | undefined;
    try {
      const server = databaseUrl
        ? await ServerConnections.open(databaseUrl, databaseDirectUrl ?? databaseUrl, databasePatience)
        : undefined;
      const created = server?.pool(options) ?? embeddedPool(options, embedded as EmbeddedDatabase, databasePatience);
      source = await connectWithRightResults(() => created.initialize());
      if (server) server.watch(source);
      else handleConnectErrors(poolOf(source));
      const openDirect = databaseDirectUrl
        ? () => openDirectPool(dataSourceOptions(databaseDirectUrl, 1, schema), databaseDirectUrl, databasePatience)
        : undefined;
      const replica =
        databaseReadUrl === undefined
          ? undefined
          : new ReadReplica(
              databaseReadUrl,
              dataSourceOptions(databaseReadUrl, databasePoolSize, schema),
              source,
              databasePatience,
            );
      return new Database(source, embedded, server, openDirect, replica, [
        Migrations.builtIn(source),
        Migrations.ofExtension(source, schema.extensionMigrations),
      ]);
    } catch (error) {
      if (source?.isInitialized) await source.destroy();
      await embedded?.close();
      if (error instanceof StartError) throw error;
      throw new StartError(`Connecting to the database failed: ${connectionErrorMessage(error)}`, { cause: error });
    }
  }

  /** An unconnected DataSource, enough to assemble the service and print its routes. @internal */
  static unconnected(config: Config): Database {
    return new Database(
      new DataSource(dataSourceOptions(config.databaseUrl, 1, { entities: [], migrations: [] })),
      undefined,
      undefined,
      undefined,
      undefined,
      [],
    );
  }

  get isEmbedded(): boolean {
    return this.embedded !== undefined;
  }

  /** Whether the embedded engine has crashed, as opposed to returning an SQL error. @internal */
  get hasFailed(): boolean {
    return this.embedded?.hasFailed ?? false;
  }

  /** Looks for the primary in the background, if `DATABASE_URL` names several hosts. @internal */
  findPrimary(): void {
    this.server?.hosts.search();
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
      if (this.server?.areShared) await runner.query(localTimeoutsSql(this.server.patience));
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

  /**
   * Runs `work`, which only reads, on the standby of `DATABASE_READ_URL` if there is one. It sees everything that was
   * committed before. Never use it to look up a credential or to decide about a permission.
   */
  read<T>(work: (reader: Tx) => Promise<T>): Promise<T> {
    const onPrimary = () => work(this.manager);
    return this.replica ? this.replica.read(work, onPrimary) : onPrimary();
  }

  /** The same in one transaction. @internal */
  readTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const onPrimary = () => this.transaction(work);
    return this.replica ? this.replica.read((reader) => reader.transaction(work), onPrimary) : onPrimary();
  }

  /** Runs `work` on one connection without a transaction. Only `work` sees temporary objects that it creates there. @internal */
  async session<T>(work: (session: Tx) => Promise<T>): Promise<T> {
    // The embedded database has only one connection, so none can be reserved.
    if (this.embedded) return work(this.manager);
    return this.withDirectConnection((runner) => work(runner.manager));
  }

  /** Runs `work` on a connection whose session no other client uses in the meantime. */
  private async withDirectConnection<T>(
    work: (runner: QueryRunner, server: ServerConnections | undefined) => Promise<T>,
  ): Promise<T> {
    const direct = await this.openDirect?.();
    const runner = (direct?.source ?? this.source).createQueryRunner();
    try {
      await runner.connect();
      return await work(runner, direct?.connections ?? this.server);
    } finally {
      await runner.release();
      await direct?.source.destroy();
      direct?.connections.hosts.close();
    }
  }

  private async commit(runner: QueryRunner, last: readonly LastStatement[]): Promise<void> {
    if (last.length === 0) return runner.commitTransaction();
    try {
      const connection = await runner.connect();
      await (this.server?.areShared ? commitWithUnprepared(connection, last) : commitWith(connection, last));
    } catch (error) {
      for (const statement of last) statement.onFailure();
      throw error;
    }
  }

  /**
   * Runs `work` in a savepoint of a transaction. If it fails or takes too long, its changes and its actions at the commit
   * are undone, and its `tx` rejects all later statements. The transaction can continue.
   * @throws QueryTimeoutError if it takes longer than `limitMs`, and whatever `work` throws
   * @internal
   */
  async savepoint<T>(outer: Tx, limitMs: number, work: (tx: Tx) => Promise<T>): Promise<T> {
    const { tx, end } = shareTransaction(outer);
    const released: ((outer: Tx) => void)[] = [];
    this.releaseHooks.set(tx, released);
    await outer.query('SAVEPOINT lent');
    try {
      const result = await withQueryTimeout(limitMs, work(tx));
      await outer.query('RELEASE SAVEPOINT lent');
      for (const follow of released) follow(outer);
      return result;
    } catch (error) {
      end();
      await outer.query('ROLLBACK TO SAVEPOINT lent');
      await outer.query('RELEASE SAVEPOINT lent');
      throw error;
    }
  }

  /** Calls `work` with the transaction of `tx`. In a savepoint, calls it when the savepoint is released, or never. @internal */
  whenReleased(tx: Tx, work: (outer: Tx) => void): void {
    const released = this.releaseHooks.get(tx);
    if (released) released.push((outer) => this.whenReleased(outer, work));
    else work(tx);
  }

  /** Runs `action` inside the transaction, after the work of its closure. @internal */
  beforeCommit(tx: Tx, action: Action): void {
    this.whenReleased(tx, (outer) => this.requireHooks(outer).beforeCommit.push(action));
  }

  /**
   * Runs a statement as the last one of the transaction, in one round trip with the commit. Its locks are held only for
   * that round trip and taken in the same order by every transaction. If it fails, nothing is committed.
   * @internal
   */
  withCommit(tx: Tx, make: () => LastStatement): void {
    this.whenReleased(tx, (outer) => this.requireHooks(outer).lastStatements.push(make));
  }

  /**
   * Runs `action` after the transaction of `tx` is committed and before `transaction` resolves; never after a rollback.
   */
  onCommit(tx: Tx, action: Action): void {
    this.whenReleased(tx, (outer) => this.requireHooks(outer).afterCommit.push(action));
  }

  private requireHooks(tx: Tx): TransactionHooks {
    const closing = this.transactionHooks.get(tx);
    if (!closing) throw new Error('The transaction was not started by Database.transaction. Use its tx');
    return closing;
  }

  /**
   * Runs a prepared statement without the ORM, in the transaction of `tx` if there is one. For frequent statements. It
   * keeps its name in the session, unless connections share sessions.
   */
  async statement<R = Row>(name: string, text: string, values: unknown[], tx?: Tx): Promise<R[]> {
    const connection = tx?.queryRunner ? await getConnection(tx) : poolOf(this.source);
    const named = this.server?.areShared ? {} : { name };
    return (await connection.query<R>({ ...named, text, values })).rows;
  }

  /**
   * Applies pending migrations, the built-in ones before those of the extension. An advisory lock lets any number of
   * replicas start at the same time. Lock and migrations share one connection without the timeouts of requests.
   * @returns the names of the applied migrations
   * @internal
   */
  async migrate(): Promise<string[]> {
    return this.withDirectConnection(async (runner, server) => {
      if (server) server.isPatient = true;
      try {
        await runner.query(NO_TIMEOUTS_SQL);
        await runner.query('SELECT pg_advisory_lock($1, $2)', MIGRATION_LOCK);
        const applied: string[] = [];
        for (const migrations of this.migrations) applied.push(...(await migrations.apply(runner)));
        return applied;
      } finally {
        // If the connection is lost, the server releases the lock and the settings itself.
        await runner.query('SELECT pg_advisory_unlock($1, $2)', MIGRATION_LOCK).catch(() => {});
        await runner.query(server ? timeoutsSql(server.patience) : RESET_TIMEOUTS_SQL).catch(() => {});
        if (server) server.isPatient = false;
      }
    });
  }

  /** @internal */
  async hasPendingMigrations(): Promise<boolean> {
    for (const migrations of this.migrations) {
      if ((await migrations.state()).pending.length > 0) return true;
    }
    return false;
  }

  /** Returns a copy of the embedded database as one file, from which another one can be opened. @internal */
  async dump(): Promise<Blob> {
    if (!this.embedded) throw new Error('Only the embedded database can be exported to a file');
    return this.embedded.engine.dumpDataDir('none');
  }

  private closed = false;

  /** @internal */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.server?.hosts.close();
    await this.replica?.close();
    if (this.source.isInitialized) await this.source.destroy();
    await this.embedded?.close();
  }
}
