import { Database } from '../../src/platform/database/database.js';
import { JobQueue } from '../../src/platform/jobs/job-queue.js';
import { Jobs } from '../../src/platform/jobs/jobs.service.js';
import { DeliverLetter, letters } from '../fixtures/letters/letters.js';
import {
  administrator,
  auditOf,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  race,
  runCleanup,
  runJobs,
  superuser,
  withoutAudit,
} from '../support/index.js';

const JOBS = '/v1/admin/jobs';
const IN_A_DAY = new Date(Date.now() + 86_400_000);
const UNKNOWN = '6f1c1a52-3c0b-4b7e-9d0a-5f2d7c1e8a90';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse({ features: [letters] });
  root = await superuser(service);
});
afterAll(() => service.close());
beforeEach(() => service.sql('DELETE FROM pgboss_job'));

const send = (to: string) =>
  service.app
    .get(Database)
    .transaction((tx) => service.app.get(Jobs).enqueue(tx, 'letters:deliver', { to }, { key: null }));
const list = async (query = '') =>
  (
    await service
      .as(root)
      .get(JOBS + query)
      .expect(200)
  ).body;
const retry = (id: string, by: Persona = root) => service.as(by).post(`${JOBS}/${id}/retry`);
const states = () => service.sql('SELECT id, state, retry_limit FROM pgboss_job ORDER BY id');
/** Makes emails fail every attempt. */
const fail = async (...lost: readonly string[]) => {
  for (const to of lost) await send(to);
  await runJobs(service);
};
const undeclared = (name: string, state: 'created' | 'failed', count = 1) =>
  service.sql(
    `INSERT INTO pgboss_job (name, state, data, completed_on, output)
     SELECT $1, $2::pgboss_job_state, '{"secret": "hidden"}', CASE WHEN $2 = 'failed' THEN now() END, '{"message": "old"}'
     FROM generate_series(1, $3)`,
    [name, state, count],
  );

describe('admin.md background jobs', () => {
  test('are listed by state and counted by name, without their payloads', async () => {
    await fail('lost ring');
    await send('secret bob');
    const failed = await list();
    expect(failed).toEqual({
      queues: [
        { name: 'letters:deliver', is_declared: true, waiting: 1, active: 0, failed: 1, due_at: expect.any(String) },
        ...[
          'personal_tokens:remind',
          'platform:clean_up',
          'protection:revoke_leaked',
          'restore:write_ledger',
          'statistics:count_accounts',
        ].map((name) => ({
          ...{ name, is_declared: true, waiting: 0, active: 0, failed: 0, due_at: null },
        })),
      ],
      jobs: [
        {
          id: expect.any(String),
          name: 'letters:deliver',
          is_declared: true,
          state: 'failed',
          attempts: 1,
          created_at: expect.stringMatching(/Z$/),
          at: expect.stringMatching(/Z$/),
          error: 'Error: the recipient lost ring is lost',
        },
      ],
      has_more: false,
      next_after: null,
    });
    const waiting = await list('?state=waiting');
    expect(waiting.jobs.map(({ name, state, error }: Record<string, unknown>) => [name, state, error])).toEqual(
      expect.arrayContaining([['letters:deliver', 'waiting', null]]),
    );
    expect(JSON.stringify(waiting)).not.toContain('secret bob');
    expect(await auditOf(service, 'list_jobs')).toEqual([]);
  });

  test('are paged without duplicates or gaps, also while jobs of earlier pages leave the list', async () => {
    await undeclared('old:job', 'failed', 7);
    await undeclared('old:job', 'created', 7);
    for (const state of ['failed', 'waiting']) {
      const all = (await list(`?state=${state}`)).jobs.map(({ id }: { id: string }) => id);
      const seen: string[] = [];
      let after = '';
      do {
        const page = await list(`?state=${state}&limit=2${after}`);
        seen.push(...page.jobs.map(({ id }: { id: string }) => id));
        await service.sql('DELETE FROM pgboss_job WHERE id = ANY ($1)', [seen]);
        expect(page.has_more).toBe(page.next_after !== null);
        after = page.next_after === null ? '' : `&after=${page.next_after}`;
      } while (after !== '');
      expect(seen).toEqual(all);
      expect(all.length).toBeGreaterThanOrEqual(7);
    }
  });

  test('reject invalid filters', async () => {
    for (const [query, path] of [
      ['?state=active', 'state'],
      ['?limit=201', 'limit'],
      ['?after=1', 'after'],
      [`?after=12345678901234567.${UNKNOWN}`, 'after'],
    ] as const) {
      expectInvalid(await service.as(root).get(JOBS + query), `${path}: INVALID_FORMAT`);
    }
    expect((await list(`?after=9999999999999999.${UNKNOWN}`)).jobs).toEqual([]);
  });
});

describe('admin.md a failed job', () => {
  test('is retried once by 32 parallel calls, and runs again', async () => {
    await fail('lost one');
    const [{ id }] = (await list()).jobs;
    await service.sql(`UPDATE pgboss_job SET data = '{"to": "found"}', completed_on = now() - interval '2 days'`);
    const entries = (await auditOf(service, 'retry_job')).length;
    const { responses, statuses } = await race(32, () => retry(id));
    expect(statuses).toEqual({ 204: 1, 400: 31 });
    for (const response of responses.filter(({ status }) => status === 400))
      expectApiError(response, 'JOB_NOT_RETRYABLE');
    const audited = (await auditOf(service, 'retry_job')).slice(entries);
    expect(audited).toMatchObject([
      { admin_user_id: root.id, target_type: 'instance', metadata: { id, name: 'letters:deliver' } },
    ]);
    await runCleanup(service);
    expect(await runJobs(service)).toBe(1);
    expect(service.app.get(DeliverLetter, { strict: false }).delivered).toEqual([id]);
    expect((await list()).jobs).toEqual([]);
  });

  test('keeps the reason of the retry in the audit log', async () => {
    await fail('lost two');
    const [{ id }] = (await list()).jobs;
    const by = service.as(root).with({ 'x-audit-log-reason': 'the carrier is back' });
    await by.post(`${JOBS}/${id}/retry`).expect(204);
    expect((await auditOf(service, 'retry_job')).at(-1)).toMatchObject({ reason: 'the carrier is back' });
  });

  test('is not retried without the ACL; one that is waiting, unknown or undeclared is never retried', async () => {
    await fail('lost three');
    await send('waits');
    await undeclared('old:job', 'failed');
    const before = await states();
    const jobs = (await list()).jobs as { id: string; name: string; is_declared: boolean }[];
    const ours = jobs.find(({ name }) => name === 'letters:deliver')?.id as string;
    const old = jobs.find(({ name }) => name === 'old:job');
    expect(old?.is_declared).toBe(false);
    const waiting = (await list('?state=waiting')).jobs.find(
      ({ name }: { name: string }) => name === 'letters:deliver',
    );
    const viewer = await administrator(service, 'instance:jobs:view');
    const clerk = await administrator(service, 'instance:jobs:retry');
    expect((await service.as(viewer).get(JOBS)).status).toBe(200);
    expectApiError(await service.as(clerk).get(JOBS), 'MISSING_ACL');
    const attempt = (id: string, by?: Persona) => withoutAudit(service, () => retry(id, by));
    expectApiError(await attempt(ours, viewer), 'MISSING_ACL');
    expectApiError(await attempt(UNKNOWN), 'UNKNOWN_JOB');
    expectApiError(await attempt(waiting.id), 'JOB_NOT_RETRYABLE');
    expectApiError(await attempt(old?.id as string), 'JOB_NOT_RETRYABLE');
    expectInvalid(await attempt('all'), 'job_id: INVALID_FORMAT');
    expect(await states()).toEqual(before);
    expect((await retry(ours, clerk)).status).toBe(204);
  });
});

describe('admin.md a job that no feature declares', () => {
  test('stays in the list and never runs', async () => {
    await undeclared('old:job', 'created');
    await service.sql(`INSERT INTO pgboss_queue (name, policy) VALUES ('old:job', 'standard') ON CONFLICT DO NOTHING`);
    await runJobs(service, IN_A_DAY);
    await runCleanup(service);
    const { queues, jobs } = await list('?state=waiting');
    const about = { name: 'old:job', is_declared: false };
    expect(queues).toContainEqual({ ...about, waiting: 1, active: 0, failed: 0, due_at: expect.any(String) });
    expect(jobs).toContainEqual(expect.objectContaining({ ...about, state: 'waiting', attempts: 0 }));
    await service.app.get(Database).transaction((tx) => service.app.get(JobQueue).deleteAll(tx, 'old:job'));
    expect((await list('?state=waiting')).queues.map(({ name }: { name: string }) => name)).not.toContain('old:job');
  });
});
