import pg from 'pg';
import { Database } from '../../src/platform/database/database.js';
import type { Gatehouse } from './gatehouse.js';

/** A statement, with the values of its first execution. */
export interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Tables that have few rows on a platform of any size, and one table that every replica copies on purpose. */
const SMALL = new Set([
  ...['instance', 'migration', 'sso_document', 'ip_ban', 'audit_verification', 'replica_statistics'],
  ...['openid_key', 'pgboss_queue', 'admin_role', 'connection', 'outgoing_endpoint'],
]);
/**
 * This prefix is removed, because a statement that a cursor reads is planned for all its rows
 * (`cursor_tuple_fraction`).
 */
const BY_CURSOR = /^DECLARE \w+ NO SCROLL CURSOR FOR /;
/** A change of `pg_settings` is a rule without a plan. */
const EXPLAINABLE = /^\s*(?!UPDATE pg_catalog\.pg_settings)(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;
/** The assumed number of rows of a table that was not filled. */
const ROWS = 1_000_000;
/** From this number of rows, reading the whole table costs more than a few index lookups. */
const MANY = 10_000;

type Query = (this: unknown, ...args: unknown[]) => unknown;

/** Records every statement that this process sends to a database, until `stop` is called. */
export function recordStatements(): { readonly sent: Map<string, Sent>; pause(): void; resume(): void; stop(): void } {
  const sent = new Map<string, Sent>();
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  let isPaused = false;
  prototype.query = function (...args) {
    const [first, second] = args;
    const named = typeof first === 'string' ? { text: first } : (first as Partial<Sent>);
    const given = { values: second, ...named };
    const { values } = given;
    const text = given.text?.replace(BY_CURSOR, '');
    if (!isPaused && text !== undefined && EXPLAINABLE.test(text) && !sent.has(text)) {
      sent.set(text, { text, values: Array.isArray(values) ? values : [] });
    }
    return query.apply(this, args);
  };
  return {
    sent,
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
    },
    stop: () => {
      prototype.query = query;
    },
  };
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Node[];
}

/** The state of a table. */
interface Held {
  readonly table: string;
  readonly empty: boolean;
  readonly filled: boolean;
}

interface Schema {
  readonly tables: ReadonlySet<string>;
  /** Partial indexes. */
  readonly partial: ReadonlySet<string>;
}

/** The plan nodes that read a growing table completely, or may do so before they find a matching row. */
function wholeReads(node: Node, schema: Schema, isLimited = false): string[] {
  const type = node['Node Type'];
  const table = node['Relation Name'] ?? '';
  const isBig = schema.tables.has(table) && !SMALL.has(table);
  const index = node['Index Name'];
  const isOrdered = type.startsWith('Index') && node['Index Cond'] === undefined && !schema.partial.has(index ?? '');
  // Without a filter, a limited scan reads few rows, in any order.
  const isBounded = isLimited && node.Filter === undefined;
  const found = isBig && (type.includes('Seq Scan') || isOrdered) && !isBounded ? [`${type} on ${table}`] : [];
  const isLimit = type === 'Limit' || (isLimited && ['Subquery Scan', 'Result', 'LockRows'].includes(type));
  return [...found, ...(node.Plans ?? []).flatMap((child) => wholeReads(child, schema, isLimit))];
}

export interface Planned {
  readonly text: string;
  readonly reads: string[];
  readonly plan: Node;
  /** The execution time in milliseconds, if the statement was run. */
  readonly ms?: number;
}

export interface PlanOptions {
  /** Also runs each statement, then rolls it back. */
  readonly isRun?: boolean;
  /** Uses the actual sizes of tables, and checks only tables that have `MANY` rows. */
  readonly isAsFilled?: boolean;
}

/**
 * The plans of statements in a database in which every growing table is large. Smaller tables are treated as if they
 * had `ROWS` rows.
 */
export async function plansOf(
  service: Gatehouse,
  statements: Iterable<Sent>,
  { isRun = false, isAsFilled = false }: PlanOptions = {},
): Promise<{ plans: Planned[]; empty: string[] }> {
  const runner = service.app.get(Database).source.createQueryRunner();
  await runner.startTransaction();
  try {
    const [unseen, partials] = [
      await runner.query(
        `SELECT c.relname AS table, pg_relation_size(c.oid) = 0 AS empty, c.reltuples >= $1 AS filled FROM pg_class c
         WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`,
        [MANY],
      ),
      await runner.query(
        `SELECT c.relname AS index FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indpred IS NOT NULL`,
      ),
    ];
    if (!isAsFilled) {
      await runner.query(
        `UPDATE pg_class SET reltuples = $1::float4, relpages = greatest(1, pg_relation_size(oid) / 8192)
         WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples < 100000`,
        [ROWS],
      );
    }
    const judged = (unseen as Held[]).filter(({ filled }) => filled || !isAsFilled);
    const schema = {
      tables: new Set(judged.map(({ table }) => table)),
      partial: new Set<string>(partials.map(({ index }: { index: string }) => index)),
    };
    const plans: Planned[] = [];
    for (const { text, values } of statements) {
      await runner.query('SAVEPOINT plan');
      const explain = async (options: string) => {
        const rows = await runner.query(`EXPLAIN (${options}) ${text}`, [...values]).catch((error: Error) => error);
        await runner.query('ROLLBACK TO SAVEPOINT plan');
        return rows;
      };
      // A statement can fail when it is run again, for example on a duplicate key. Then it is only planned.
      const run = isRun ? await explain('ANALYZE, FORMAT JSON') : undefined;
      const rows = run === undefined || run instanceof Error ? await explain('FORMAT JSON') : run;
      if (rows instanceof Error) throw new Error(`${rows.message}: ${text}`, { cause: rows });
      const [row] = rows;
      const [explained] = row['QUERY PLAN'];
      const plan: Node = explained.Plan;
      const ms = explained['Execution Time'];
      plans.push({ text, plan, reads: wholeReads(plan, schema), ...(ms === undefined ? {} : { ms }) });
    }
    return {
      plans,
      empty: (unseen as Held[]).flatMap(({ table, empty }) => (empty && !SMALL.has(table) ? [table] : [])),
    };
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}
