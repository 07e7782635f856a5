import type { EventEmitter } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import type { PGlite } from '@electric-sql/pglite';
import {
  DataSource,
  type DataSourceOptions,
  type EntityManager,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { type Config, StartError } from '../config.js';

/** One transaction's view of the database; helpers take it as their first argument. */
export type Tx = EntityManager;

// biome-ignore lint/suspicious/noExplicitAny: rows of raw statements are typed where they are read
export type Row = Record<string, any>;

/**
 * A socket whose other end is the embedded database. PGlite speaks PostgreSQL's wire protocol, so the ordinary `pg`
 * client and everything above it stay the same on both databases.
 */
class EmbeddedSocket extends Duplex {
  constructor(private readonly engine: PGlite) {
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
    this.engine.execProtocolRaw(chunk).then(
      (answer) => {
        this.push(Buffer.from(answer));
        done();
      },
      (error: Error) => done(error),
    );
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }
}

/** Another process has the embedded database open. */
export class DatabaseInUseError extends StartError {}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Two processes on one directory would lose data silently: the second one is refused. */
function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'lock');
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = openSync(path, 'wx');
      writeSync(file, String(process.pid));
      closeSync(file);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = Number(readFileSync(path, 'utf8'));
      if (holder && holder !== process.pid && isRunning(holder)) {
        throw new DatabaseInUseError(`the embedded database in ${directory} is in use by process ${holder}`);
      }
      rmSync(path, { force: true });
    }
  }
  throw new Error(`the embedded database in ${directory} cannot be locked`);
}

interface Embedded {
  readonly engine: PGlite;
  readonly release: () => void;
}

/** Opens the embedded database in `DATA_DIR/database`, or in memory from a dumped directory (for tests). */
async function openEmbedded(config: Config, template?: Blob): Promise<Embedded> {
  const { PGlite } = await import('@electric-sql/pglite');
  if (template) return { engine: await PGlite.create({ loadDataDir: template }), release: () => {} };
  const release = lockDirectory(config.dataDir);
  const directory = join(config.dataDir, 'database');
  try {
    const halfWritten = existsSync(directory) && !existsSync(join(directory, 'global', 'pg_control'));
    if (halfWritten || (existsSync(directory) && !existsSync(join(directory, 'PG_VERSION')))) {
      throw new StartError(
        `${directory} is not a complete database: its first start was cut off. Remove it and start again`,
      );
    }
    return { engine: await PGlite.create(directory), release };
  } catch (error) {
    release();
    throw error;
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

/** Why a connection failed, in the words of the system or of the server; neither tells a password. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
}

/** A connection of the driver, or its pool. */
interface Connection {
  query(statement: { name?: string; text: string; values: unknown[] }): Promise<{ rows: Row[] }>;
}

/** The database: PostgreSQL by `DATABASE_URL`, else the embedded one. The only source of truth for security state. */
export class Database {
  private readonly afterCommit = new WeakMap<Tx, (() => void | Promise<void>)[]>();

  private constructor(
    readonly source: DataSource,
    private readonly embedded: Embedded | undefined,
    private readonly patience: Patience,
  ) {}

  static async open(config: Config, template?: Blob): Promise<Database> {
    const embedded = config.databaseUrl ? undefined : await openEmbedded(config, template);
    const patience: Patience = { isEndless: false };
    const options = dataSourceOptions(config.databaseUrl, config.databasePoolSize);
    const source = new DataSource({
      ...options,
      ...(embedded
        ? {
            poolSize: 1,
            extra: { stream: () => new EmbeddedSocket(embedded.engine), max: 1, connectionTimeoutMillis: 3000 },
          }
        : { extra: { ...options.extra, stream: () => watchedSocket(patience), onConnect: surviveItsEnd } }),
    } as DataSourceOptions);
    try {
      await source.initialize();
    } catch (error) {
      await embedded?.engine.close();
      embedded?.release();
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

  get manager(): EntityManager {
    return this.source.manager;
  }

  /** One operation, one transaction, one closure. Nothing outside the database happens inside it. */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const actions: (() => void | Promise<void>)[] = [];
    const result = await this.source
      .transaction((tx) => {
        this.afterCommit.set(tx, actions);
        return work(tx);
      })
      .catch((error) => {
        // Inside a transaction a connection is only let go because it ended, between two statements.
        if (!LET_GO.some((kind) => error instanceof kind)) throw error;
        throw new Error('Connection terminated between two statements', { cause: error });
      });
    for (const action of actions) await action();
    return result;
  }

  /** Runs `action` once the transaction of `tx` is committed, before its caller goes on; never after a rollback. */
  onCommit(tx: Tx, action: () => void | Promise<void>): void {
    const actions = this.afterCommit.get(tx);
    if (!actions) throw new Error('onCommit needs the transaction of Database.transaction');
    actions.push(action);
  }

  /** A prepared statement by name, past the ORM, in a transaction or on its own: for what is asked all the time. */
  async statement(name: string, text: string, values: unknown[], tx?: Tx): Promise<Row[]> {
    const pool = (this.source.driver as unknown as { master: Connection }).master;
    const connection: Connection = tx ? await tx.queryRunner?.connect() : pool;
    return (await connection.query({ name, text, values })).rows;
  }

  /** Applies pending migrations under an advisory lock, so that any number of replicas may start at once. */
  async migrate(): Promise<string[]> {
    const runner = this.source.createQueryRunner();
    const LOCK = [0x6761, 0x7465];
    this.patience.isEndless = true;
    try {
      await runner.query('SET statement_timeout = 0');
      await runner.query('SELECT pg_advisory_lock($1, $2)', LOCK);
      try {
        // The lock's own connection cannot run the migrations on the embedded database: it has only one.
        if (this.isEmbedded) await runner.release();
        const applied = await this.source.runMigrations({ transaction: 'each' });
        return applied.map(({ name }) => name);
      } finally {
        if (!runner.isReleased) {
          await runner.query('SELECT pg_advisory_unlock($1, $2)', LOCK);
          await runner.query('RESET statement_timeout');
        }
      }
    } finally {
      this.patience.isEndless = false;
      if (!runner.isReleased) await runner.release();
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
    await this.embedded?.engine.close();
    this.embedded?.release();
  }
}
