import { jest } from '@jest/globals';
import { Config } from '../../src/core/config/config.js';
import { Database, defineFeature, type JobAttempt, type JobDeclaration, Jobs } from '../../src/index.js';
import { type ClaimedJob, idOfKey, idOfRepeated, inOurSchema, JobQueue } from '../../src/platform/jobs/job-queue.js';
import { JobRunner } from '../../src/platform/jobs/job-runner.service.js';
import {
  CountParcels,
  DeliverParcel,
  ParcelsModule,
  parcels,
  SortParcels,
  WeighParcel,
} from '../fixtures/parcels/parcels.js';
import { Expiry, expiry } from '../fixtures/team/expiry.js';
import { notes } from '../fixtures/team/feature.js';
import { testOnPostgres } from '../machine/postgres.js';
import {
  expectApiError,
  type Gatehouse,
  gatehouse,
  type Persona,
  person,
  race,
  runCleanup,
  runJobs,
  superuser,
  withGatehouse,
} from '../support/index.js';

const extension = { features: [parcels], modules: [ParcelsModule] };
const IN_A_DAY = new Date(Date.now() + 86_400_000);

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse(extension);
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

const send = (body: Record<string, unknown>) => service.as(alice).post('/v1/parcels', body);
const delivered = async (parcel: string) =>
  (await service.sql('SELECT job FROM parcels_delivery WHERE parcel = $1', [parcel])).map(({ job }) => job as string);
const jobsOf = (parcel: string) =>
  service.sql(`SELECT * FROM pgboss_job WHERE name = 'parcels:deliver' AND data->>'parcel' = $1`, [parcel]);
const queue = () => service.app.get(JobQueue);
const handler = () => service.app.get(DeliverParcel, { strict: false });
const metric = async (line: string) => (await service.anonymous.get('/metrics')).text.includes(`\n${line}\n`);

describe('a job', () => {
  test('runs once after the commit of the transaction that enqueued it', async () => {
    await send({ parcel: 'first' }).expect(200, { is_new: true });
    expect(await delivered('first')).toEqual([]);
    expect(await runJobs(service)).toBe(1);
    expect(await runJobs(service)).toBe(0);
    const [{ id }] = (await jobsOf('first')) as [{ id: string }];
    expect(await delivered('first')).toEqual([id]);
    expect(await metric('gatehouse_job_runs_total{name="parcels:deliver",outcome="completed"} 1')).toBe(true);
  });

  test('never runs if its transaction was rolled back', async () => {
    expectApiError(await send({ parcel: 'rejected', rejected: true }), 'PARCELS_REJECTED');
    expect(await jobsOf('rejected')).toEqual([]);
    expect(await runJobs(service)).toBe(0);
    expect(await delivered('rejected')).toEqual([]);
  });

  test('with a key is enqueued once, also if 32 transactions enqueue it at the same time', async () => {
    const { responses, statuses } = await race(32, () => send({ parcel: 'unique', key: 'a key' }));
    expect(statuses).toEqual({ 200: 32 });
    expect(responses.filter(({ body }) => body.is_new)).toHaveLength(1);
    expect(await runJobs(service)).toBe(1);
    await send({ parcel: 'unique', key: 'a key' }).expect(200, { is_new: false });
    expect(await runJobs(service)).toBe(0);
    expect(await delivered('unique')).toEqual([idOfKey('parcels:deliver', 'a key')]);
  });

  test('can use a key again that a rolled-back transaction has used', async () => {
    expectApiError(await send({ parcel: 'again', key: 'again', rejected: true }), 'PARCELS_REJECTED');
    await send({ parcel: 'again', key: 'again' }).expect(200, { is_new: true });
    expect(await runJobs(service)).toBe(1);
  });

  test('waits for its time', async () => {
    const jobs = service.app.get(Jobs);
    const startAfter = new Date(Date.now() + 3_600_000);
    await service.app
      .get(Database)
      .transaction((tx) => jobs.enqueue(tx, 'parcels:deliver', { parcel: 'later' }, { startAfter, key: null }));
    expect(await runJobs(service)).toBe(0);
    // The daily job by `cron` can be due in the same hour.
    await runJobs(service, new Date(startAfter.getTime() - 1000));
    expect(await delivered('later')).toHaveLength(0);
    await runJobs(service, startAfter);
    expect(await delivered('later')).toHaveLength(1);
  });

  test('that 32 workers see at the same time runs once', async () => {
    await send({ parcel: 'wanted' }).expect(200);
    const attempts = await Promise.all(Array.from({ length: 32 }, () => runJobs(service)));
    expect(attempts.reduce((sum, each) => sum + each)).toBe(1);
    expect(await delivered('wanted')).toHaveLength(1);
  });

  test('does not compile with a wrong name or payload', async () => {
    const jobs = service.app.get(Jobs);
    await service.app.get(Database).transaction(async (tx) => {
      // @ts-expect-error
      await expect(jobs.enqueue(tx, 'parcels:delivr', { parcel: 'x' }, { key: null })).rejects.toThrow(
        "Unknown job parcels:delivr. Did you mean 'parcels:deliver'?",
      );
    });
    const wrong = () =>
      // @ts-expect-error
      service.app.get(Database).transaction((tx) => jobs.enqueue(tx, 'parcels:deliver', { parcl: 'x' }, { key: null }));
    expect(wrong).toBeInstanceOf(Function);
    expect(await runJobs(service)).toBe(0);
  });
});

describe('a call of enqueue is rejected, and enqueues nothing', () => {
  const enqueue = (payload: object, options: object) =>
    service.app
      .get(Database)
      .transaction((tx) => service.app.get(Jobs).enqueue(tx, 'parcels:deliver', payload as never, options as never));
  const circle: Record<string, unknown> = {};
  circle.self = circle;

  test.each<[string, object, RegExp]>([
    ['a date', { at: new Date(0) }, /^The payload of the job parcels:deliver\.at must be JSON, but is a Date\./],
    ['a map in a list', { list: [1, new Map()] }, /parcels:deliver\.list\.1 must be JSON, but is a Map\./],
    ['a number without a value', { n: Number.NaN }, /parcels:deliver\.n must be JSON, but is a NaN\./],
    ['a large integer', { n: 1n }, /parcels:deliver\.n must be JSON, but is a bigint\./],
    ['a gap in a list', { list: [undefined] }, /parcels:deliver\.list\.0 must be JSON, but is a undefined\./],
    ['itself', circle, /parcels:deliver\.self must be JSON, but contains itself/],
  ])('if the payload contains %s', async (_kind, payload, message) => {
    const before = await queue().count();
    await expect(enqueue(payload, { key: null })).rejects.toThrow(message);
    expect(await queue().count()).toEqual(before);
  });

  test.each([{}, { key: undefined }, { key: '' }, { key: 'x'.repeat(513) }, { key: 7 }])(
    'if the options are %j',
    async (options) => {
      const before = await queue().count();
      await expect(enqueue({ parcel: 'keyless' }, options)).rejects.toThrow(
        /^The job parcels:deliver needs a key of 1 to 512 characters.* If every call must enqueue a job, set key: null$/,
      );
      expect(await queue().count()).toEqual(before);
    },
  );
});

test('jobs wait while migrations are pending, which is logged once and not as an error', async () => {
  await withGatehouse(extension, async (behind) => {
    await behind.sql(`UPDATE migration SET name = 'Not' || name WHERE id = (SELECT max(id) FROM migration)`);
    const carol = await person(behind, 'carol');
    await behind.as(carol).post('/v1/parcels', { parcel: 'patient' }).expect(200);
    expect([await runJobs(behind), await runJobs(behind)]).toEqual([0, 0]);
    const lines = behind.log.join('').split('\n');
    expect(lines.filter((line) => line.includes('background jobs are paused'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
    await behind.sql(`UPDATE migration SET name = substr(name, 4) WHERE name LIKE 'Not%'`);
    expect(await runJobs(behind)).toBe(1);
  });
});

describe('a job that fails', () => {
  test('is tried again after a pause that doubles, then is listed as failed, and can be retried', async () => {
    handler().attempts.length = 0;
    const traceIds: string[] = [];
    handler().onAttempt = async ({ traceId }) => void traceIds.push(traceId);
    await send({ parcel: 'lost one' }).expect(200);
    expect(await runJobs(service)).toBe(1);
    expect(await runJobs(service)).toBe(0);
    const pause = async () => {
      const [row] = await service.sql(
        `SELECT extract(epoch FROM start_after - now())::float8 AS s FROM pgboss_job WHERE data->>'parcel' = 'lost one'`,
      );
      return row?.s as number;
    };
    const first = await pause();
    expect(first).toBeGreaterThan(30);
    expect(first).toBeLessThanOrEqual(120);
    expect(await runJobs(service, IN_A_DAY)).toBeGreaterThanOrEqual(1);
    const second = await pause();
    expect(second).toBeGreaterThan(90);
    expect(second).toBeLessThanOrEqual(240);
    await runJobs(service, IN_A_DAY);
    expect(handler().attempts).toEqual([1, 2, 3]);
    handler().onAttempt = async () => {};
    const lines = service.log.flatMap((line) => line.trim().split('\n')).map((line) => JSON.parse(line));
    const logged = lines.filter(({ msg, job }) => msg === 'background job failed' && job === 'parcels:deliver');
    expect(logged.slice(-3).map(({ trace_id }) => trace_id)).toEqual(traceIds);
    expect(new Set(traceIds).size).toBe(3);
    const [failed] = await queue().list('failed', 10);
    expect(failed).toMatchObject({
      name: 'parcels:deliver',
      state: 'failed',
      attempts: 3,
      error: 'Error: the parcel lost one is lost',
    });
    expect(JSON.stringify(failed)).not.toContain('"parcel"');
    expect(await metric('gatehouse_jobs_failed{name="parcels:deliver"} 1')).toBe(true);
    expect(await metric('gatehouse_job_runs_total{name="parcels:deliver",outcome="retried"} 2')).toBe(true);
    expect(await metric('gatehouse_job_runs_total{name="parcels:deliver",outcome="failed"} 1')).toBe(true);
    await runJobs(service, IN_A_DAY);
    expect(handler().attempts).toHaveLength(3);

    await service.sql(`UPDATE pgboss_job SET data = '{"parcel": "found"}' WHERE id = $1`, [failed?.id]);
    const retried = await race32Retries(failed?.id as string);
    expect(retried).toBe(1);
    await runJobs(service);
    expect(await delivered('found')).toEqual([failed?.id]);
    expect(await queue().list('failed', 10)).toEqual([]);
  });

  async function race32Retries(id: string): Promise<number> {
    const root = await superuser(service);
    const { statuses } = await race(32, () => service.as(root).post(`/v1/admin/jobs/${id}/retry`));
    return statuses[204] ?? 0;
  }
});

test('an attempt that takes longer than its lease ends for the worker, and the job runs again', async () => {
  await service.app
    .get(Database)
    .transaction((tx) => service.app.get(Jobs).enqueue(tx, 'parcels:weigh', { parcel: 'heavy' }, { key: 'heavy' }));
  const weigher = service.app.get(WeighParcel, { strict: false });
  expect(await runJobs(service)).toBe(1);
  expect(weigher.attempts).toEqual([1]);
  const logged = service.log.join('').split('\n');
  expect(logged.filter((line) => line.includes('The attempt took longer than its lease of 1 seconds'))).toEqual([
    expect.stringMatching(/"job":"parcels:weigh","handler":"WeighParcel"/),
  ]);
  await service.sql(`UPDATE pgboss_job SET started_on = now() - interval '2 seconds' WHERE name = 'parcels:weigh'`);
  await runJobs(service);
  const waiting = (await queue().list('waiting', 100)).filter(({ name }) => name === 'parcels:weigh');
  expect(waiting.map(({ state, error }) => [state, error])).toEqual([
    ['waiting', 'The attempt took longer than leaseSeconds, or its process crashed'],
  ]);
  await runJobs(service, IN_A_DAY);
  expect(weigher.attempts).toEqual([1, 2]);
  expect(await metric('gatehouse_job_runs_total{name="parcels:weigh",outcome="completed"} 1')).toBe(true);
});

describe('a worker that exits', () => {
  test('loses its lease, and the job runs again', async () => {
    await send({ parcel: 'orphan' }).expect(200);
    const claimed = await queue().claim('parcels:deliver');
    expect(claimed?.data).toEqual({ parcel: 'orphan' });
    expect(await runJobs(service)).toBe(0);
    await service.sql(`UPDATE pgboss_job SET started_on = now() - interval '2 minutes' WHERE id = $1`, [claimed?.id]);
    await runJobs(service, IN_A_DAY);
    await runJobs(service, IN_A_DAY);
    expect(await delivered('orphan')).toEqual([claimed?.id]);
  });

  test('on shutdown, an attempt gets an abort signal and ends before the process', async () => {
    const other = await gatehouse(extension);
    const bob = await person(other, 'bob');
    await other.as(bob).post('/v1/parcels', { parcel: 'last' }).expect(200);
    let begun = () => {};
    const started = new Promise<void>((resolve) => (begun = resolve));
    const events: string[] = [];
    other.app.get(DeliverParcel, { strict: false }).onAttempt = async ({ signal }: JobAttempt) => {
      begun();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      events.push('aborted');
    };
    const { complete } = JobQueue.prototype;
    const completed = jest.spyOn(other.app.get(JobQueue), 'complete').mockImplementation(async function (
      this: JobQueue,
      ...job
    ) {
      await complete.apply(this, job);
      events.push('completed');
    });
    (other.app.get(JobRunner) as unknown as { worker: { wake(): void } }).worker.wake();
    await started;
    await other.close();
    expect(events).toEqual(['aborted', 'completed']);
    expect(completed).toHaveBeenCalledTimes(1);
  });
});

describe('a job with cron', () => {
  const waiting = () =>
    service.sql(`SELECT start_after FROM pgboss_job WHERE name = 'parcels:count' AND state < 'active'`);

  test('waits once for its next time, whatever the number of starts, and each run enqueues the next', async () => {
    await runJobs(service);
    const [{ start_after: next }] = (await waiting()) as [{ start_after: Date }];
    expect(next.toISOString()).toMatch(/T03:00:00\.000Z$/);
    const counter = service.app.get(CountParcels, { strict: false });
    const before = counter.runs;
    await runJobs(service, next);
    expect(counter.runs).toBe(before + 1);
    const [{ start_after: after }, ...others] = (await waiting()) as [{ start_after: Date }];
    expect(others).toEqual([]);
    expect(after.getTime()).toBe(next.getTime() + 86_400_000);
  });

  testOnPostgres('runs once on all replicas together', async () => {
    const other = await gatehouse({
      ...extension,
      env: { DATABASE_URL: service.app.get(Config).databaseUrl as string },
    });
    const [{ start_after: next }] = (await waiting()) as [{ start_after: Date }];
    const runs = () =>
      [service, other].reduce((sum, { app }) => sum + app.get(CountParcels, { strict: false }).runs, 0);
    const before = runs();
    await Promise.all([service, other].map((each) => runJobs(each, next)));
    expect(runs()).toBe(before + 1);
    expect(await waiting()).toHaveLength(1);
    await other.close();
  });
});

describe('a job with an interval', () => {
  const SORT = 'parcels:sort';
  const SECONDS = 50;
  const sorter = () => service.app.get(SortParcels, { strict: false });
  const rows = () =>
    service.sql(
      `SELECT id, state::text, retry_count, extract(epoch FROM start_after - now())::float8 AS seconds
       FROM pgboss_job WHERE name = $1`,
      [SORT],
    );
  // The clock of the embedded database has milliseconds, and a job is due after its time.
  const makeDue = () =>
    service.sql(`UPDATE pgboss_job SET start_after = now() - interval '1 second' WHERE name = $1`, [SORT]);
  const waits = { id: idOfRepeated(SORT), state: 'created', retry_count: 0 };

  beforeEach(async () => {
    await service.sql('DELETE FROM pgboss_job WHERE name = $1', [SORT]);
    await queue().repeat(SORT, SECONDS, 60);
    sorter().attempts.length = 0;
    sorter().onAttempt = async () => {};
  });

  test('has one row, which waits for the next run after each run', async () => {
    await queue().repeat(SORT, SECONDS, 60);
    expect(await runJobs(service)).toBe(0);
    for (const _run of [1, 2]) {
      await makeDue();
      expect(await runJobs(service)).toBe(1);
      const [row, ...others] = await rows();
      expect([row, others]).toEqual([{ ...waits, seconds: expect.any(Number) }, []]);
      expect(row?.seconds).toBeGreaterThan(SECONDS - 10);
      expect(row?.seconds).toBeLessThanOrEqual(SECONDS);
    }
    expect(sorter().attempts).toEqual([1, 1]);
  });

  test('that 32 workers see at the same time runs once', async () => {
    await makeDue();
    const attempts = await Promise.all(Array.from({ length: 32 }, () => runJobs(service)));
    expect(attempts.reduce((sum, each) => sum + each)).toBe(1);
    expect(sorter().attempts).toEqual([1]);
  });

  test('that fails is not retried and not listed as failed, and its next run follows', async () => {
    sorter().onAttempt = async () => {
      throw new Error('the parcels cannot be sorted');
    };
    await makeDue();
    expect(await runJobs(service)).toBe(1);
    expect(await rows()).toEqual([{ ...waits, seconds: expect.any(Number) }]);
    expect(await metric('gatehouse_job_runs_total{name="parcels:sort",outcome="failed"} 1')).toBe(true);
    expect(await metric('gatehouse_jobs_failed{name="parcels:sort"} 0')).toBe(true);
    expect(service.log.join('')).toContain('the parcels cannot be sorted');
  });

  test('runs again if its worker exits, any number of times, and a late end of an earlier run changes nothing', async () => {
    await makeDue();
    const loseLease = () =>
      service.sql(`UPDATE pgboss_job SET started_on = now() - interval '2 minutes' WHERE name = $1`, [SORT]);
    const claimed = (await queue().claim(SORT)) as ClaimedJob;
    await loseLease();
    expect(await queue().due([SORT])).toEqual([SORT]);
    expect(await queue().claim(SORT)).toMatchObject({ id: claimed.id, retryCount: 1 });
    await loseLease();
    sorter().onAttempt = async () => {
      await queue().endRepeated(claimed, SECONDS);
      expect(await rows()).toMatchObject([{ state: 'active', retry_count: 2 }]);
    };
    expect(await runJobs(service)).toBe(1);
    expect(sorter().attempts).toEqual([3]);
    expect(await rows()).toEqual([{ ...waits, seconds: expect.any(Number) }]);
    expect(await metric('gatehouse_job_runs_total{name="parcels:sort",outcome="failed"} 1')).toBe(true);
  });

  test('starts earlier if its interval becomes shorter', async () => {
    await queue().repeat(SORT, 10, 60);
    const [row] = await rows();
    expect(row?.seconds).toBeLessThanOrEqual(10);
  });
});

test('the example of docs/extending.md removes a note at its time', async () => {
  await withGatehouse({ features: [notes, expiry] }, async (team) => {
    await team.sql('INSERT INTO notes (id, owner_id) VALUES (1, 1), (2, 1)');
    const at = new Date(Date.now() + 3_600_000);
    expect(await team.app.get(Expiry, { strict: false }).removeAt('1', at)).toBe(true);
    expect(await team.app.get(Expiry, { strict: false }).removeAt('1', at)).toBe(false);
    expect(await runJobs(team)).toBe(0);
    expect(await runJobs(team, at)).toBe(1);
    expect(await team.sql('SELECT id FROM notes')).toEqual([{ id: '2' }]);
  });
});

describe('the tables', () => {
  test('have the columns and the indexes of pg-boss', async () => {
    const { default: PgBoss } = await import('pg-boss');
    const plans = PgBoss.getConstructionPlans('pgboss_pin')
      .replace(/^\s*BEGIN;/, '')
      .replace(/COMMIT;\s*$/, '');
    await service.app.get(Database).transaction(async (tx) => {
      await tx.query<unknown>(plans);
      await tx.query<unknown>(`SELECT pgboss_pin.create_queue('pin', '{}')`);
      const columns = (schema: string, table: string) =>
        tx.query<{ name: string; type: string; default: string | null; is_required: boolean }[]>(
          `SELECT attname AS name, replace(replace(format_type(atttypid, atttypmod), 'pgboss_pin.', 'pgboss_'), 'public.', '') AS type,
                  replace(replace(pg_get_expr(adbin, adrelid), 'pgboss_pin.', 'pgboss_'), 'public.', '') AS default, attnotnull AS is_required
           FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
           WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
          [`${schema}${table}`],
        );
      for (const table of ['job', 'queue']) {
        const ours = await columns('pgboss_', table);
        expect(ours.length).toBeGreaterThan(9);
        expect(ours).toEqual(await columns('pgboss_pin.', table));
      }
      const [partition] = await tx.query<[{ partition_name: string }]>('SELECT partition_name FROM pgboss_pin.queue');
      const indexes = async (table: string) =>
        (
          await tx.query<{ line: string }[]>(
            `SELECT regexp_replace(pg_get_indexdef(indexrelid), '^(CREATE (?:UNIQUE )?INDEX )\\S*(_i\\d) ON \\S+', '\\1\\2') AS line
             FROM pg_index WHERE indrelid = to_regclass($1) AND indexrelid::regclass::text ~ '_i\\d$'`,
            [table],
          )
        ).map(({ line }) => line.replaceAll('pgboss_pin.', 'pgboss_').replaceAll('public.', ''));
      const ours = await indexes('pgboss_job');
      expect(ours).toHaveLength(2);
      expect(await indexes(`pgboss_pin.${partition.partition_name}`)).toEqual(expect.arrayContaining(ours));
      await tx.query<unknown>('DROP SCHEMA pgboss_pin CASCADE');
    });
  });

  test('are those that the statements of pg-boss name', () => {
    expect(inOurSchema('SELECT FROM pgboss.job WHERE state = $1::pgboss.job_state')).toBe(
      'SELECT FROM pgboss_job WHERE state = $1::pgboss_job_state',
    );
  });

  test('lose completed jobs after a day and failed ones after 30', async () => {
    await service.sql(`
      INSERT INTO pgboss_job (name, state, completed_on) VALUES
        ('old', 'completed', now() - interval '25 hours'), ('old', 'failed', now() - interval '31 days'),
        ('new', 'completed', now() - interval '23 hours'), ('new', 'failed', now() - interval '29 days')`);
    await runCleanup(service);
    expect(await service.sql(`SELECT name FROM pgboss_job WHERE name IN ('old', 'new')`)).toEqual([
      { name: 'new' },
      { name: 'new' },
    ]);
    await service.sql(`DELETE FROM pgboss_job WHERE name = 'new'`);
  });
});

describe('a declaration', () => {
  test.each<[Partial<JobDeclaration>, string]>([
    [{ retryLimit: -1 }, 'retryLimit must be'],
    [{ retryDelaySeconds: 0 }, 'retryDelaySeconds must be'],
    [{ leaseSeconds: 3601 }, 'leaseSeconds must be'],
    [{ cron: 'daily' }, 'cron must have five fields'],
    [{ everySeconds: 0 }, 'everySeconds must be'],
  ])('%j is rejected at the start', async (wrong, message) => {
    const broken = defineFeature('broken', { jobs: { 'broken:job': { handler: CountParcels, ...wrong } } });
    await expect(gatehouse({ features: [broken] })).rejects.toThrow(`the job broken:job: ${message}`);
  });

  test('with a cron that has no time is rejected at the start', async () => {
    const cron = '0 0 31 2 *';
    const broken = defineFeature('broken', { jobs: { 'broken:job': { handler: CountParcels, cron } } });
    await expect(gatehouse({ features: [broken] })).rejects.toThrow('The cron of the job broken:job is invalid: ');
  });

  test('without its prefix is rejected at the start', async () => {
    const broken = defineFeature('broken', { jobs: { 'parcels:job': { handler: CountParcels } } });
    await expect(gatehouse({ features: [broken] })).rejects.toThrow('must start with broken:');
  });

  test('whose handler no module provides is rejected at the start', async () => {
    const broken = defineFeature('broken', { jobs: { 'broken:job': { handler: CountParcels } } });
    await expect(gatehouse({ features: [broken] })).rejects.toThrow('Add CountParcels to the providers of a module');
  });
});
