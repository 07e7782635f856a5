import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import pg from 'pg';
import type { Config } from '../../core/config/config.js';
import { StartError } from '../../core/config/start-error.js';
import { toStartError } from '../../core/to-start-error.js';
import { lockDirectory } from './directory-lock.js';
import type { EmbeddedEngine } from './engine.js';
import { restrictToOwner, restrictUmask } from './owner-only.js';
import { snapshotKey, unpackSnapshot } from './snapshot.js';

/** A single session needs an eighth of the default shared buffers, and does not have to zero the rest. */
export const ENGINE_SETTINGS: readonly string[] = ['-c', 'shared_buffers=16MB'];

/**
 * Budget after which V8 recompiles a WebAssembly function with optimizations, many times the default. At startup, V8
 * would optimize hundreds of functions that are hardly used again, which takes a third of the startup time and tens of
 * megabytes. Under load, the important functions are optimized within a second.
 */
const WASM_TIERING_FLAG = '--wasm-tiering-budget=100000000';

/** Returns the system's or server's message of a connection error. Neither contains the password. */
export function connectionErrorMessage(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
}

/** Limits for prepared statements: their number per connection and their length in characters. */
const MAX_PREPARED_STATEMENTS = 400;
const MAX_PREPARED_LENGTH = 8192;

/**
 * Prepares each distinct parameterized statement once. Parsing and planning a statement takes the engine five to ten
 * times as long as running it. A new connection gets a new client, so neither has anything prepared.
 */
export class PreparingClient extends pg.Client {
  constructor(options?: pg.ClientConfig) {
    super(options);
    const names = new Map<string, string>();
    const nameOf = (text: string): string | undefined => {
      const known = names.get(text);
      if (known !== undefined || names.size >= MAX_PREPARED_STATEMENTS || text.length > MAX_PREPARED_LENGTH)
        return known;
      const name = `prepared_${names.size}`;
      names.set(text, name);
      return name;
    };
    const ask = this.query.bind(this) as (...of: unknown[]) => unknown;
    this.query = ((text: unknown, values: unknown, ...rest: unknown[]) => {
      const name = typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined;
      return ask(name === undefined ? text : { name, text }, values, ...rest);
    }) as typeof this.query;
  }
}

/** Type byte of the Terminate message, with which a client disconnects. */
const TERMINATE_MESSAGE_TYPE = 'X'.charCodeAt(0);

/**
 * A socket connected to the embedded database. PGlite speaks PostgreSQL's wire protocol, so the `pg` client and
 * everything above it work the same on both databases.
 */
export class EmbeddedSocket extends Duplex {
  constructor(
    private readonly engine: EmbeddedEngine,
    private readonly onFailure: () => void,
  ) {
    super();
  }

  /** All consecutive connections share one session, so everything that the previous one left in it is discarded. */
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
    this.execute(chunk).then(
      () => done(),
      (error: Error) => {
        this.onFailure();
        done(error);
      },
    );
  }

  /**
   * Sends all messages of a statement in one call, because the call into the engine dominates the cost of a short
   * statement.
   */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    // The engine expects Terminate only as the first message. In the middle of a batch, it would stop the engine.
    const messages = chunks.map(({ chunk }) => chunk).filter((chunk) => chunk[0] !== TERMINATE_MESSAGE_TYPE);
    this._write(Buffer.concat(messages), 'binary', done);
  }

  /** Passes the raw response to `pg`, so that the engine does not parse it a second time. */
  private async execute(message: Buffer): Promise<void> {
    const pieces: Buffer[] = [];
    await this.engine.execProtocolRawStream(message, { onRawData: (piece) => void pieces.push(Buffer.from(piece)) });
    this.push(Buffer.concat(pieces));
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }
}

export interface EmbeddedDatabase {
  readonly engine: EmbeddedEngine;
  readonly close: () => Promise<void>;
  /** Whether the engine has crashed during a statement. It does not recover. */
  hasFailed: boolean;
}

/**
 * Opens the embedded database in `DATA_DIR/database`. If it does not exist, it is created from the build's snapshot,
 * provided that `migrations` is given and matches the snapshot.
 * @throws StartError
 */
export async function openEmbedded(config: Config, migrations?: readonly string[]): Promise<EmbeddedDatabase> {
  setFlagsFromString(WASM_TIERING_FLAG);
  const { PGlite } = await import('@electric-sql/pglite');
  const release = await lockDataDirectory(config.dataDir);
  const directory = join(config.dataDir, 'database');
  try {
    const halfWritten = existsSync(directory) && !existsSync(join(directory, 'global', 'pg_control'));
    if (halfWritten || (existsSync(directory) && !existsSync(join(directory, 'PG_VERSION')))) {
      throw new StartError(
        `${directory} is an incomplete database, because its first start was interrupted. Delete this folder and start again`,
      );
    }
    if (migrations && !existsSync(directory)) unpackSnapshot(directory, snapshotKey(migrations));
    const engine = await PGlite.create(directory, { startParams: [...PGlite.defaultStartParams, ...ENGINE_SETTINGS] });
    // Files of a new database have the permissions that the engine's archive gives them.
    restrictToOwner(directory);
    return { engine, close: () => engine.close().finally(release), hasFailed: false };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Locks the data directory against other users and other processes.
 * @returns a function that releases the lock
 */
async function lockDataDirectory(directory: string): Promise<() => void> {
  restrictUmask();
  try {
    restrictToOwner(directory);
    return await lockDirectory(directory);
  } catch (error) {
    const fault = toStartError(error);
    if (fault instanceof StartError) throw fault;
    throw new StartError(`Opening the embedded database failed: ${connectionErrorMessage(error)}`, { cause: error });
  }
}
