import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import pg from 'pg';
import type { Config } from '../../core/config/config.js';
import { StartError } from '../../core/config/start-error.js';
import { startFault } from '../../core/start-fault.js';
import { lockDirectory } from './directory-lock.js';
import type { EmbeddedEngine } from './engine.js';
import { closeToOthers, keepToOwner } from './owner-only.js';
import { snapshotKey, unpackSnapshot } from './snapshot.js';

/** One process with one session needs an eighth of the memory that a server sets aside, and need not clear the rest. */
export const ENGINE_SETTINGS: readonly string[] = ['-c', 'shared_buffers=16MB'];

/**
 * How much of a function of the engine is run before it is compiled a second time, to run faster: many times the default.
 * A start compiles hundreds that it hardly needs again, which takes a third of its time and tens of megabytes; under load
 * what matters is there after a second.
 */
const TIERING = '--wasm-tiering-budget=100000000';

/** Why a connection failed, in the words of the system or of the server; neither tells a password. */
export function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
}

/** How many statements are kept prepared, and how long one may be. */
const MOST_PREPARED = 400;
const LONGEST_PREPARED = 8192;

/**
 * A client that prepares what it is asked with parameters, once for each text: to parse and to plan a statement costs the
 * engine five to ten times what running it does. A new connection begins with nothing prepared, and so does its client.
 */
export class PreparingClient extends pg.Client {
  constructor(options?: pg.ClientConfig) {
    super(options);
    const names = new Map<string, string>();
    const nameOf = (text: string): string | undefined => {
      const known = names.get(text);
      if (known !== undefined || names.size >= MOST_PREPARED || text.length > LONGEST_PREPARED) return known;
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

/** What the message begins with by which a client leaves. */
const TERMINATE = 'X'.charCodeAt(0);

/**
 * A socket whose other end is the embedded database. PGlite speaks PostgreSQL's wire protocol, so the ordinary `pg`
 * client and everything above it stay the same on both databases.
 */
export class EmbeddedSocket extends Duplex {
  constructor(
    private readonly engine: EmbeddedEngine,
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

export interface Embedded {
  readonly engine: EmbeddedEngine;
  readonly close: () => Promise<void>;
  /** It broke off while it was asked; it will not recover. */
  hasFailed: boolean;
}

/**
 * Opens the embedded database in `DATA_DIR/database`. Where there is none yet, it is made from the snapshot of the build, if
 * that is asked for by the names of `migrations` and there is one.
 */
export async function openEmbedded(config: Config, migrations?: readonly string[]): Promise<Embedded> {
  setFlagsFromString(TIERING);
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
    if (migrations && !existsSync(directory)) unpackSnapshot(directory, snapshotKey(migrations));
    const engine = await PGlite.create(directory, { startParams: [...PGlite.defaultStartParams, ...ENGINE_SETTINGS] });
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
