import pg from 'pg';
import { Database } from '../../src/platform/database/database.js';
import type { Gatehouse } from './gatehouse.js';

/** A statement as it was sent, with the first values that it was sent with. */
export interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Tables that hold a handful of rows whatever the platform's size, and one that every replica copies on purpose. */
const SMALL = new Set(['instance', 'migration', 'sso_document', 'ip_ban', 'audit_verification', 'replica_statistics']);
/** What is read by a cursor is planned as if all of it was read at once (`cursor_tuple_fraction`). */
const BY_CURSOR = /^DECLARE \w+ NO SCROLL CURSOR FOR /;
const EXPLAINABLE = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;
/** Rows that a table is said to have where it was not filled. */
const ROWS = 1_000_000;
/** As many rows cost more to read than a few of them to look for. */
const MANY = 10_000;

type Query = (this: unknown, ...args: unknown[]) => unknown;

/** Notes every statement that anybody in this process sends to a database, until it is stopped. */
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

/** A table as it is. */
interface Held {
  readonly table: string;
  readonly empty: boolean;
  readonly filled: boolean;
}

interface Schema {
  readonly tables: ReadonlySet<string>;
  /** Indexes of some rows only. */
  readonly partial: ReadonlySet<string>;
}

/** Whether the plan reads a table that grows from end to end, or may before it finds what it looks for. */
function wholeReads(node: Node, schema: Schema, isLimited = false): string[] {
  const type = node['Node Type'];
  const table = node['Relation Name'] ?? '';
  const isBig = schema.tables.has(table) && !SMALL.has(table);
  const index = node['Index Name'];
  const isOrdered = type.startsWith('Index') && node['Index Cond'] === undefined && !schema.partial.has(index ?? '');
  // The first rows in some order, or any rows, are few where nothing has to be passed over.
  const isBounded = isLimited && node.Filter === undefined;
  const found = isBig && (type.includes('Seq Scan') || isOrdered) && !isBounded ? [`${type} on ${table}`] : [];
  const isLimit = type === 'Limit' || (isLimited && ['Subquery Scan', 'Result', 'LockRows'].includes(type));
  return [...found, ...(node.Plans ?? []).flatMap((child) => wholeReads(child, schema, isLimit))];
}

export interface Planned {
  readonly text: string;
  readonly reads: string[];
  readonly plan: Node;
  /** Milliseconds that it took, if it was run. */
  readonly ms?: number;
}

export interface PlanOptions {
  /** Runs each statement too, and takes it back. */
  readonly isRun?: boolean;
  /** Takes tables as they are, and looks only at those that have `MANY` rows. */
  readonly isAsFilled?: boolean;
}

/**
 * The plans of statements in a database in which every table that grows is large: those with fewer rows than that are said
 * to have as many.
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
      // What was there once cannot be put there again.
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
