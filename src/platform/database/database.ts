import type { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import type { PGlite } from '@electric-sql/pglite';
import {
  DataSource,
  type DataSourceOptions,
  type EntityManager,
  MigrationExecutor,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { dataSourceOptions } from '../../../ormconfig.js';
import type { Config } from '../../core/config/config.js';
import { StartError } from '../../core/config/start-error.js';
import { startFault } from '../../core/start-fault.js';
import { lockDirectory } from './directory-lock.js';
import { closeToOthers, keepToOwner } from './owner-only.js';

/** One transaction's view of the database; helpers take it as their first argument. */
export type Tx = EntityManager;

/** What TypeORM answers to an UPDATE or a DELETE: the rows that it returns, and how many it changed. */
export type Changed<R = unknown> = [rows: R[], count: number];

type Row = Record<string, unknown>;

/** What the message begins with by which a client leaves. */
const TERMINATE = 'X'.charCodeAt(0);

/**
 * A socket whose other end is the embedded database. PGlite speaks PostgreSQL's wire protocol, so the ordinary `pg`
 * client and everything above it stay the same on both databases.
 */
class EmbeddedSocket extends Duplex {
  constructor(
    private readonly engine: PGlite,
    private readonly failed: () => void,
  ) {
    super();
  }

  /** There is one session for all connections that follow one another: what the last one left in it is thrown away. */
  connect(): this {
    this.engine
      .exec('ROLLBACK')
      .then(() => this.engine.exec('DISCARD ALL'))
      .then(
        () => this.emit('connect'),
        (error) => this.destroy(error),
      );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.ask(chunk).then(
      () => done(),
      (error: Error) => {
        this.failed();
        done(error);
      },
    );
  }

  /** The messages of a statement at once: most of what a short one costs is the way into the engine and back. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    // A farewell is heard only where a message begins, and among others it would end the engine.
    const messages = chunks.map(({ chunk }) => chunk).filter((chunk) => chunk[0] !== TERMINATE);
    this._write(Buffer.concat(messages), 'binary', done);
  }

  /** The answer goes on as it is: `pg` reads it, the engine's own reader need not. */
  private async ask(message: Buffer): Promise<void> {
    const pieces: Buffer[] = [];
    await this.engine.execProtocolRawStream(message, { onRawData: (piece) => void pieces.push(Buffer.from(piece)) });
    this.push(Buffer.concat(pieces));
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }
}

interface Embedded {
  readonly engine: PGlite;
  readonly close: () => Promise<void>;
  /** It broke off while it was asked; it will not recover. */
  hasFailed: boolean;
}

/** Opens the embedded database in `DATA_DIR/database`. */
async function openEmbedded(config: Config): Promise<Embedded> {
  const { PGlite } = await import('@electric-sql/pglite');
  const release = await holdDirectory(config.dataDir);
  const directory = join(config.dataDir, 'database');
  try {
    const halfWritten = existsSync(directory) && !existsSync(join(directory, 'global', 'pg_control'));
    if (halfWritten || (existsSync(directory) && !existsSync(join(directory, 'PG_VERSION')))) {
      throw new StartError(
        `${directory} is not a complete database: its first start was cut off. Remove it and start again`,
      );
    }
    const engine = await PGlite.create(directory);
    // What a new database is unpacked from brings rights of its own.
    closeToOthers(directory);
    return { engine, close: () => engine.close().finally(release), hasFailed: false };
  } catch (error) {
    release();
    throw error;
  }
}

/** Makes the data directory this process's alone: no other user's, and no other process's until it is released. */
async function holdDirectory(directory: string): Promise<() => void> {
  keepToOwner();
  try {
    closeToOthers(directory);
    return await lockDirectory(directory);
  } catch (error) {
    const fault = startFault(error);
    if (fault instanceof StartError) throw fault;
    throw new StartError(`the embedded database cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
}

// Longer than any statement may take, and than the pool keeps an idle connection.
const SILENCE_MS = 12_000;

/**
 * A connection that swallows everything reports no error: one that stays silent too long is given up, and what waits on
 * it fails. Migrations may take as long as they need.
 */
function watchedSocket(patience: Patience): Socket {
  const socket = new Socket();
  return socket.setTimeout(SILENCE_MS, () => {
    if (!patience.isEndless) socket.destroy();
  });
}

/**
 * The server may end a connection in the same breath in which it accepts it, before whoever waits for it can listen; a
 * failure that nobody listens for would end the process. The next statement on the connection fails instead.
 */
const surviveItsEnd = (client: EventEmitter): void => void client.on('error', () => {});

const LET_GO = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

interface Patience {
  isEndless: boolean;
}

const MIGRATION_LOCK = [0x6761, 0x7465];
/** What a connection limits by default, and a migration must not be limited by. */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** Why a connection failed, in the words of the system or of the server; neither tells a password. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
}

/** A connection of the driver, or its pool. */
interface Connection {
  query<R>(statement: { name?: string; text: string; values: unknown[] }): Promise<{ rows: R[] }>;
}

type Action = () => void | Promise<void>;

/**
 * Runs a prepared statement, which is on its way to the server when this returns. Who reads its rows says what they are.
 */
export type Send = <R = Row>(name: string, text: string, values: unknown[]) => Promise<R[]>;
type LastAction = (send: Send) => Promise<void>;

/** What belongs to the end of a transaction. */
interface Closing {
  readonly before: Action[];
  readonly last: LastAction[];
  readonly after: Action[];
}

const connectionOf = (tx: Tx): Promise<Connection> => tx.queryRunner?.connect() as Promise<Connection>;

const run = async <R>(connection: Connection, [name, text, values]: Parameters<Send>): Promise<R[]> =>
  (await connection.query<R>({ name, text, values })).rows;

/** The database: PostgreSQL by `DATABASE_URL`, else the embedded one. The only source of truth for security state. */
export class Database {
  private readonly closings = new WeakMap<Tx, Closing>();

  private constructor(
    readonly source: DataSource,
    private readonly embedded: Embedded | undefined,
    private readonly patience: Patience,
  ) {}

  /** @param lent an embedded database that its owner opened and closes, instead of the one in `DATA_DIR` */
  static async open(config: Config, lent?: PGlite): Promise<Database> {
    const own = config.databaseUrl || lent ? undefined : await openEmbedded(config);
    const embedded: Embedded | undefined = lent ? { engine: lent, close: async () => {}, hasFailed: false } : own;
    const patience: Patience = { isEndless: false };
    const options = dataSourceOptions(config.databaseUrl, config.databasePoolSize);
    const source = new DataSource({
      ...options,
      ...(embedded
        ? {
            poolSize: 1,
            extra: {
              stream: () => new EmbeddedSocket(embedded.engine, () => (embedded.hasFailed = true)),
              max: 1,
              connectionTimeoutMillis: 3000,
            },
          }
        : { extra: { ...options.extra, stream: () => watchedSocket(patience), onConnect: surviveItsEnd } }),
    } as DataSourceOptions);
    try {
      await source.initialize();
    } catch (error) {
      await embedded?.close();
      throw new StartError(`the database cannot be opened: ${reasonOf(error)}`, { cause: error });
    }
    return new Database(source, embedded, patience);
  }

  /** A database that nobody asks anything: enough to assemble the service and read its routes. */
  static unopened(config: Config): Database {
    return new Database(new DataSource(dataSourceOptions(config.databaseUrl, 1)), undefined, { isEndless: false });
  }

  get isEmbedded(): boolean {
    return this.embedded !== undefined;
  }

  /** The embedded database, which answers errors as PostgreSQL does, failed to answer at all. */
  get hasFailed(): boolean {
    return this.embedded?.hasFailed ?? false;
  }

  /** The names of all migrations that this version knows. */
  get migrations(): string[] {
    return this.source.migrations.map((migration) => migration.name ?? migration.constructor.name);
  }

  get manager(): EntityManager {
    return this.source.manager;
  }

  /** One operation, one transaction, one closure. Nothing outside the database happens inside it. */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const closing: Closing = { before: [], last: [], after: [] };
    let sent: Promise<unknown> | undefined;
    const result = await this.source
      .transaction(async (tx) => {
        this.closings.set(tx, closing);
        const result = await work(tx);
        for (const action of closing.before) await action();
        if (closing.last.length > 0) {
          const connection = await connectionOf(tx);
          const send: Send = (...statement) => run(connection, statement);
          sent = Promise.all(closing.last.map((action) => action(send)));
          // Whether it worked is asked once the commit is answered.
          sent.catch(() => {});
        }
        return result;
      })
      .catch((error) => {
        // Inside a transaction a connection is only let go because it ended, between two statements.
        if (!LET_GO.some((kind) => error instanceof kind)) throw error;
        throw new Error('Connection terminated between two statements', { cause: error });
      });
    await sent;
    for (const action of closing.after) await action();
    return result;
  }

  /** Runs `action` in the transaction when the work of its closure is done. */
  beforeCommit(tx: Tx, action: Action): void {
    this.closingOf(tx).before.push(action);
  }

  /**
   * Runs `action` after everything else in the transaction. What it sends at once goes to the server together with the
   * commit: what is locked there is held for no longer than that takes, and by everybody in one order. If it fails, nothing
   * is committed.
   */
  withCommit(tx: Tx, action: LastAction): void {
    this.closingOf(tx).last.push(action);
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

  /** A prepared statement by name, past the ORM, in a transaction or on its own: for what is asked all the time. */
  async statement<R = Row>(name: string, text: string, values: unknown[], tx?: Tx): Promise<R[]> {
    const pool = (this.source.driver as unknown as { master: Connection }).master;
    return run(tx ? await connectionOf(tx) : pool, [name, text, values]);
  }

  /**
   * Applies pending migrations under an advisory lock, so that any number of replicas may start at once. Lock and
   * migrations share one connection, without the limits of requests: a migration may take as long as it needs.
   */
  async migrate(): Promise<string[]> {
    const runner = this.source.createQueryRunner();
    this.patience.isEndless = true;
    try {
      for (const limit of LIMITS) await runner.query(`SET ${limit} = 0`);
      await runner.query('SELECT pg_advisory_lock($1, $2)', MIGRATION_LOCK);
      const executor = new MigrationExecutor(this.source, runner);
      executor.transaction = 'each';
      return (await executor.executePendingMigrations()).map(({ name }) => name);
    } finally {
      // The end of a connection ends all of it, too.
      await runner.query('SELECT pg_advisory_unlock($1, $2)', MIGRATION_LOCK).catch(() => {});
      for (const limit of LIMITS) await runner.query(`RESET ${limit}`).catch(() => {});
      await runner.release();
      this.patience.isEndless = false;
    }
  }

  hasPendingMigrations(): Promise<boolean> {
    return this.source.showMigrations();
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
