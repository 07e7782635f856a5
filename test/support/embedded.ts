import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { ENGINE_SETTINGS } from '../../src/platform/database/embedded.js';
import type { EmbeddedEngine } from '../../src/platform/database/engine.js';

/** A migrated embedded database in memory, with the initial state that is needed to detect and undo changes. */
interface Fresh {
  readonly engine: PGlite;
  readonly schema: string;
  readonly rows: Readonly<Record<string, string>>;
  /** Statements that set all sequences to their initial values. */
  readonly counts: string;
}

/** Each idle database uses 100 MB. Few tests have more than this number open at the same time. */
const MOST_IDLE = 2;

/**
 * One list per process, because each test file may have its own instance of this module. The test run closes the
 * databases at its end.
 */
const IDLE = Symbol.for('gatehouse.idleDatabases');
const { [IDLE]: idle } = Object.assign(globalThis, { [IDLE]: (globalThis as { [IDLE]?: Fresh[] })[IDLE] ?? [] });
type Compiled = NonNullable<PGliteOptions['pgliteWasmModule']>;

let compiled: Promise<Compiled> | undefined;

const wasm = (): Promise<Compiled> => {
  const directory = join(createRequire(import.meta.url).resolve('@electric-sql/pglite'), '..');
  // biome-ignore lint/suspicious/noExplicitAny: Node.js has WebAssembly, but its types do not
  const { WebAssembly } = globalThis as any;
  compiled ??= WebAssembly.compile(readFileSync(join(directory, 'pglite.wasm'))) as Promise<Compiled>;
  return compiled;
};

async function value(engine: PGlite, text: string): Promise<string> {
  return (await engine.query<{ value: string | null }>(text)).rows[0]?.value ?? '';
}

/** A hash of everything that a test may change in addition to rows. */
const schemaOf = (engine: PGlite): Promise<string> =>
  value(
    engine,
    `SELECT md5(string_agg(line, E'\\n' ORDER BY line)) AS value FROM (
       SELECT format('%s %s %s', oid, relname, relkind) AS line FROM pg_class WHERE relnamespace = 'public'::regnamespace
       UNION ALL SELECT format('%s %s %s', attrelid, attname, atttypid) FROM pg_attribute
         WHERE attnum > 0 AND attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
       UNION ALL SELECT format('%s %s', oid, md5(prosrc)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       UNION ALL SELECT format('%s %s %s %s', oid, tgrelid, tgname, tgenabled) FROM pg_trigger
       UNION ALL SELECT format('%s %s', oid, conname) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
       UNION ALL SELECT format('%s %s', nspname, oid) FROM pg_namespace
       UNION ALL SELECT format('%s %s', rolname, rolsuper) FROM pg_roles
       UNION ALL SELECT format('%s %s', setrole, setconfig) FROM pg_db_role_setting
     ) AS lines`,
  );

// The startup reports its progress with a timer that is never stopped and would keep the process running.
const START = [...PGlite.defaultStartParams, ...ENGINE_SETTINGS, '-c', 'log_startup_progress_interval=0'];

async function open(template: Buffer): Promise<Fresh> {
  const engine = await PGlite.create({
    loadDataDir: new Blob([new Uint8Array(template)]),
    pgliteWasmModule: await wasm(),
    startParams: START,
  });
  const { rows: named } = await engine.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const tables = named.map(({ name }) => name);
  const rows: Record<string, string> = {};
  for (const table of tables) {
    const kept = await value(engine, `SELECT json_agg(t)::text AS value FROM ${table} t`);
    if (kept) rows[table] = kept;
  }
  const counts = await value(
    engine,
    `SELECT string_agg(format('SELECT setval(%L, %s)', format('%I.%I', schemaname, sequencename), last_value), ';') AS value
     FROM pg_sequences WHERE last_value IS NOT NULL`,
  );
  return { engine, schema: await schemaOf(engine), rows, counts };
}

/**
 * Tables that were written to or analyzed since they were last truncated. Truncating a table recreates its files and
 * indexes, and most tests write to few tables.
 */
const USED = `SELECT quote_ident(relname) AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND (pg_relation_size(oid) > 0 OR reltuples >= 0)`;

/** Resets every used sequence to its start value. */
const UNCOUNTED = `SELECT setval(format('%I.%I', schemaname, sequencename), start_value, false) FROM pg_sequences
  WHERE last_value IS NOT NULL`;

/** Restores the initial state. Returns false if truncating tables is not enough. */
async function isMadeFresh({ engine, schema, rows, counts }: Fresh): Promise<boolean> {
  await engine.exec('ROLLBACK');
  await engine.exec('DISCARD ALL');
  if ((await schemaOf(engine)) !== schema) return false;
  await engine.exec('SET session_replication_role = replica');
  const { rows: used } = await engine.query<{ name: string }>(USED);
  const names = used.map(({ name }) => name);
  if (names.length > 0) await engine.exec(`TRUNCATE ${names.join(', ')} CASCADE`);
  await engine.exec(UNCOUNTED);
  for (const [table, kept] of Object.entries(rows)) {
    await engine.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::json)`, [kept]);
  }
  await engine.exec(counts);
  await engine.exec('DISCARD ALL');
  await cancelTimer(engine);
  return true;
}

/**
 * After a statement, the engine waits ten seconds before it writes its statistics. The timer would keep the process of
 * an idle database running. This replaces the timer with a short one, and writes the statistics immediately.
 */
async function cancelTimer(engine: PGlite): Promise<void> {
  await engine.exec('SET statement_timeout = 1');
  await engine.exec(`SELECT pg_stat_force_next_flush(), set_config('statement_timeout', '0', false)`);
}

/** An embedded database that is reused after `release`. Opening a new one costs ten times as much as emptying it. */
export async function borrowDatabase(template: string): Promise<{ engine: PGlite; release(): Promise<void> }> {
  const fresh = idle.pop() ?? (await open(readFileSync(template)));
  return {
    engine: fresh.engine,
    async release() {
      if (idle.length < MOST_IDLE && (await isMadeFresh(fresh))) idle.push(fresh);
      else await fresh.engine.close();
    },
  };
}

/** The same engine with another `exec`. */
export const withExec = (engine: EmbeddedEngine, exec: EmbeddedEngine['exec']): EmbeddedEngine =>
  new Proxy(engine, {
    get(target, name) {
      if (name === 'exec') return exec;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** Creates an empty embedded database in memory. */
export const emptyDatabase = async (): Promise<PGlite> =>
  PGlite.create({ pgliteWasmModule: await wasm(), startParams: START });
