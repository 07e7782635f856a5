import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type PgBoss from 'pg-boss';
import { JOB_DEFAULTS, type JobDeclaration } from '../../policy/jobs.js';
import { Database, type Tx } from '../database/database.js';

/** A job that this process has claimed. */
export interface ClaimedJob {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Attempts before this one. */
  readonly retryCount: number;
}

/** A job as operators see it, without its payload, which may contain personal data. */
export interface JobRow {
  readonly id: string;
  readonly name: string;
  readonly state: 'waiting' | 'active' | 'failed';
  readonly attempts: number;
  readonly created_at: Date;
  /** The next attempt of a waiting job, the start of an active one, the last failure of a failed one. */
  readonly at: Date;
  /** The error of the last attempt, if it failed. */
  readonly error: string | null;
  /** Where the row is in its list, in microseconds. */
  readonly position: string;
}

/** The jobs of one name, in numbers. Counts end at 10,000. */
export interface JobCounts {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly failed: number;
  /** The earliest time at which a waiting job is due. */
  readonly due_at: Date | null;
}

interface NewJob {
  readonly id: string | null;
  readonly name: string;
  readonly payload: object;
  readonly startAfter: Date | null;
  readonly declaration: JobDeclaration;
}

/** pg-boss puts a schema in front of each name. Our tables have a prefix instead, in the schema of all other tables. */
const SCHEMA = 'pgboss';
export const inOurSchema = (text: string): string => text.replaceAll(`${SCHEMA}.`, `${SCHEMA}_`);

const statementName = (text: string): string => `job-${createHash('sha1').update(text).digest('base64url')}`;

const DUE = `
  SELECT name, bool_or(expired) AS expired FROM (
    SELECT name, false AS expired FROM pgboss_job j
    WHERE name = ANY ($1) AND state < 'active' AND start_after < now() AND (policy IS DISTINCT FROM 'singleton'
      OR NOT EXISTS (SELECT 1 FROM pgboss_job a WHERE a.name = j.name AND a.state = 'active'))
    UNION ALL
    SELECT name, true FROM pgboss_job WHERE state = 'active' AND name = ANY ($1) AND started_on + expire_in < now()
  ) found GROUP BY name`;

const REGISTER = `
  INSERT INTO pgboss_queue (name, policy) SELECT * FROM unnest($1::text[], $2::text[])
  ON CONFLICT (name) DO UPDATE SET policy = excluded.policy WHERE pgboss_queue.policy <> excluded.policy`;

/** pg-boss records the end of a lease in `value`, in its own words. */
const LEASE_ENDED = 'The attempt took longer than leaseSeconds, or its process crashed';

const SELECT = `
  SELECT id, name, CASE WHEN state < 'active' THEN 'waiting' ELSE state::text END AS state,
  retry_count + (started_on IS NOT NULL)::int AS attempts, created_on AS created_at,
  CASE WHEN state < 'active' THEN start_after WHEN state = 'active' THEN started_on ELSE completed_on END AS at,
  coalesce(output->>'message', CASE WHEN output ? 'value' THEN '${LEASE_ENDED}' END) AS error`;

const microsecondsOf = (column: string): string => `(extract(epoch FROM ${column}) * 1000000)::bigint::text`;
const positionOr = (start: string): string =>
  `(coalesce(timestamptz 'epoch' + $2::bigint * interval '1 microsecond', '${start}'), $3::uuid)`;

/** Each list has the order of an index, so that a page costs the same for any number of jobs. */
const LISTS = {
  failed: `
    ${SELECT}, ${microsecondsOf('completed_on')} AS position FROM pgboss_job
    WHERE state = 'failed' AND (completed_on, id) < ${positionOr('infinity')}
    ORDER BY completed_on DESC, id DESC LIMIT $1`,
  waiting: `
    ${SELECT}, ${microsecondsOf('created_on')} AS position FROM pgboss_job
    WHERE state <= 'active' AND (created_on, id) > ${positionOr('-infinity')}
    ORDER BY created_on, id LIMIT $1`,
} as const;

const MAX_COUNT = 10_000;
const countOf = (condition: string): string =>
  `(SELECT count(*)::int FROM (SELECT FROM pgboss_job WHERE name = q.name AND ${condition} LIMIT ${MAX_COUNT}) found)`;

const COUNTS = `
  SELECT q.name, ${countOf(`state < 'active'`)} AS waiting, ${countOf(`state = 'active'`)} AS active,
         ${countOf(`state = 'failed'`)} AS failed,
         (SELECT min(start_after) FROM pgboss_job WHERE name = q.name AND state < 'active') AS due_at
  FROM pgboss_queue q ORDER BY q.name`;

const DELETE_NAME = `
  WITH deleted AS (
    DELETE FROM pgboss_job WHERE name = $1
      AND (state < 'active' OR state = 'failed' OR state = 'active' AND started_on + expire_in < now()) RETURNING 1)
  SELECT count(*)::int AS count FROM deleted`;

/**
 * The one row of a job with an interval. It never fails, so that the job continues after any number of lost leases. A
 * changed declaration applies to the next run.
 */
const REPEAT = `
  INSERT INTO pgboss_job AS j (id, name, data, retry_limit, retry_delay, start_after, expire_in)
  VALUES ($1, $2, '{}', 2147483647, 0, now() + make_interval(secs => $3), make_interval(secs => $4))
  ON CONFLICT (id) DO UPDATE SET expire_in = excluded.expire_in, start_after = least(j.start_after, excluded.start_after)
    WHERE j.expire_in <> excluded.expire_in OR j.start_after > excluded.start_after`;

/** The number of attempts is part of the condition, because another process may run the job after the end of a lease. */
const END_REPEATED = `
  UPDATE pgboss_job SET state = 'created', start_after = greatest(now(), started_on + make_interval(secs => $3)),
    started_on = NULL, retry_count = 0
  WHERE id = $1 AND state = 'active' AND retry_count = $2`;

const policyOf = ({ singleton }: JobDeclaration): string => (singleton ? 'singleton' : 'standard');

/** The ID of the one job with this key. The same key always results in the same ID. */
export function idOfKey(name: string, key: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([name, key]))
    .digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** The ID of the one job of a declaration with `everySeconds`. */
export const idOfRepeated = (name: string): string => idOfKey(name, 'every');

/**
 * The queue of background jobs: pg-boss on our own connections and tables. pg-boss is imported on first use, and none of
 * its timers runs.
 */
@Injectable()
export class JobQueue {
  /** Called after the commit of a transaction that has enqueued jobs that are due. */
  onEnqueued: () => void = () => {};
  private boss: Promise<PgBoss> | undefined;
  private readonly registered = new Set<string>();

  constructor(private readonly database: Database) {}

  private load(): Promise<PgBoss> {
    this.boss ??= import('pg-boss').then(
      ({ default: Boss }) =>
        new Boss({ schema: SCHEMA, db: this.connection(), migrate: false, schedule: false, supervise: false }),
    );
    return this.boss;
  }

  /** What pg-boss runs its statements on: the transaction of `tx`, or the pool. */
  private connection(tx?: Tx): PgBoss.Db {
    return {
      executeSql: async (text, values) => {
        const statement = inOurSchema(text);
        if (values?.length > 0)
          return { rows: await this.database.statement(statementName(statement), statement, values, tx) };
        // Maintenance is several statements in a transaction of their own, which may only end with its connection.
        const work = statement.replace(/^\s*BEGIN;/, '').replace(/COMMIT;\s*$/, '');
        await this.database.transaction((own) => own.query<unknown>(work));
        return { rows: [] };
      },
    };
  }

  /** Makes jobs known to the queue. This changes rows only if a declaration is new or has changed. */
  async register(declarations: ReadonlyMap<string, JobDeclaration>, tx?: Tx): Promise<void> {
    const names = [...declarations.keys()].filter((name) => !this.registered.has(name));
    if (names.length === 0) return;
    const policies = [...declarations].filter(([name]) => names.includes(name)).map(([, each]) => policyOf(each));
    await this.database.statement('job-register', REGISTER, [names, policies], tx);
    const remember = () => {
      for (const name of names) this.registered.add(name);
    };
    if (tx) this.database.onCommit(tx, remember);
    else remember();
  }

  /**
   * Inserts a job in a transaction.
   * @returns false if there is a job with this ID, waiting, running or finished
   */
  async insert(tx: Tx, { id, name, payload, startAfter, declaration }: NewJob): Promise<boolean> {
    const { retryLimit, retryDelaySeconds, leaseSeconds } = { ...JOB_DEFAULTS, ...declaration };
    const boss = await this.load();
    await this.register(new Map([[name, declaration]]), tx);
    const inserted = await boss.send(name, payload, {
      ...(id === null ? {} : { id }),
      ...(startAfter === null ? {} : { startAfter }),
      retryLimit,
      retryDelay: retryDelaySeconds,
      retryBackoff: true,
      expireInSeconds: leaseSeconds,
      db: this.connection(tx),
    });
    return inserted !== null;
  }

  /** Makes a job with an interval wait for its first run. Does nothing if it waits or runs. */
  async repeat(name: string, everySeconds: number, leaseSeconds: number): Promise<void> {
    await this.database.statement('job-repeat', REPEAT, [idOfRepeated(name), name, everySeconds, leaseSeconds]);
  }

  /** Makes a job with an interval wait for its next run. This updates its row, so runs leave no rows. */
  async endRepeated({ id, retryCount }: ClaimedJob, everySeconds: number): Promise<void> {
    await this.database.statement('job-end-repeated', END_REPEATED, [id, retryCount, everySeconds]);
  }

  /** Returns the names of jobs that are due. Jobs whose lease has ended become due or failed first. */
  async due(names: readonly string[]): Promise<string[]> {
    const find = () => this.database.statement<{ name: string; expired: boolean }>('job-due', DUE, [names]);
    const found = await find();
    if (!found.some(({ expired }) => expired)) return found.map(({ name }) => name);
    await (await this.load()).expire();
    return (await find()).map(({ name }) => name);
  }

  /** Claims the oldest due job of this name. Returns undefined if there is none, or another process was faster. */
  async claim(name: string): Promise<ClaimedJob | undefined> {
    const options = { includeMetadata: true as const, batchSize: 1, priority: false };
    const [job] = await (await this.load()).fetch<Record<string, unknown>>(name, options);
    return job && { id: job.id, data: job.data, retryCount: job.retryCount };
  }

  async complete(name: string, id: string): Promise<void> {
    await (await this.load()).complete(name, id);
  }

  /** Records a failed attempt. The job runs again after its pause, or is failed after its last attempt. */
  async fail(name: string, id: string, message: string): Promise<void> {
    await (await this.load()).fail(name, id, { message });
  }

  /** Finds an unfinished or failed job and locks it. */
  async find(tx: Tx, id: string): Promise<{ name: string; is_failed: boolean } | undefined> {
    const text = `SELECT name, state = 'failed' AS is_failed FROM pgboss_job WHERE id = $1 AND state <> 'completed' FOR UPDATE`;
    const [job] = await this.database.statement<{ name: string; is_failed: boolean }>('job-find', text, [id], tx);
    return job;
  }

  /** Makes a failed job due again with one more attempt. */
  async retry(tx: Tx, name: string, id: string): Promise<void> {
    await (await this.load()).retry(name, id, { db: this.connection(tx) });
    this.database.onCommit(tx, () => this.onEnqueued());
  }

  /** Deletes all jobs of a name that no process runs. */
  async deleteAll(tx: Tx, name: string): Promise<number> {
    const [deleted] = await this.database.statement<{ count: number }>('job-delete', DELETE_NAME, [name], tx);
    return deleted?.count ?? 0;
  }

  /**
   * Lists failed jobs, the last failure first, or jobs that wait or run, the oldest first.
   * @param limit maximum number of rows
   * @param after a row of the list, to continue after it
   */
  async list(which: 'failed' | 'waiting', limit: number, after?: Pick<JobRow, 'position' | 'id'>): Promise<JobRow[]> {
    const values = [limit, after?.position ?? null, after?.id ?? null];
    return this.database.statement<JobRow>(`job-list-${which}`, LISTS[which], values);
  }

  /** Counts the jobs of each name that has ever been declared, in alphabetical order. */
  async count(): Promise<JobCounts[]> {
    return this.database.statement('job-count', COUNTS, []);
  }

  /** Returns the age of the oldest due job and the number of failed jobs, by name. */
  async backlog(): Promise<{ name: string; oldest_seconds: number; failed: number }[]> {
    const text = `
      SELECT name, coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE state < 'active')), 0)::float8 AS oldest_seconds,
             count(*) FILTER (WHERE state = 'failed')::int AS failed
      FROM pgboss_job WHERE state < 'active' AND start_after < now() OR state = 'failed' GROUP BY name`;
    return this.database.statement('job-backlog', text, []);
  }

  /** Makes jobs of these names due that wait for a later time, up to `at`. */
  async runNow(names: readonly string[], at: Date): Promise<void> {
    const text = `UPDATE pgboss_job SET start_after = now() - interval '1 microsecond'
      WHERE name = ANY ($1) AND state < 'active' AND start_after <= $2`;
    await this.database.statement('job-run-now', text, [names, at]);
  }
}
