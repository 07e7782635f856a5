import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from '../../src/cli/execute.js';
import { databaseSchema, loadConfig } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { letters } from '../fixtures/letters/letters.js';
import { openTestDatabase, type Row, type TestDatabase } from '../support/gatehouse.js';
import { GENEROUS_TIMEOUTS } from '../support/timeouts.js';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-jobs-'));
const env: Record<string, string | undefined> = {
  DATA_DIR: directory,
  GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
  LOG_LEVEL: 'silent',
  // Only `runDue` runs jobs.
  NODE_ENV: 'test',
  ...GENEROUS_TIMEOUTS,
};
const FAILED = '00000000-0000-4000-8000-000000000001';
const WAITING = '00000000-0000-4000-8000-000000000002';
const UNDECLARED = '00000000-0000-4000-8000-000000000003';

let own: TestDatabase;

async function cli(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await execute(args, {
    env,
    extension: { features: [letters] },
    ...(own.embedded ? { embeddedDatabase: own.embedded } : {}),
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

async function sql(text: string): Promise<Row[]> {
  const database = await Database.open(loadConfig(env), databaseSchema(), own.embedded);
  return database.manager.query<Row[]>(text).finally(() => database.close());
}

const states = () => sql('SELECT id, state, retry_limit FROM pgboss_job ORDER BY id');
const audited = () => sql('SELECT admin_user_id, action, metadata FROM audit_log ORDER BY sequence');

beforeAll(async () => {
  own = await openTestDatabase();
  env.DATABASE_URL = own.databaseUrl;
});
afterAll(async () => {
  await own.release();
  rmSync(directory, { recursive: true, force: true });
});

test('jobs list shows failed or waiting jobs without their payload, and jobs retry makes failed ones due', async () => {
  expect(await cli('jobs', 'list')).toEqual({ code: 0, out: 'No job has failed.', err: '' });
  await sql(`
    INSERT INTO pgboss_job (id, name, data, state, retry_limit, retry_count, started_on, completed_on, output) VALUES
      ('${FAILED}', 'letters:deliver', '{"secret": "hidden"}', 'failed', 2, 2, now(), '2026-11-01T12:00:00Z', '{"message": "Error: no\\nnote"}'),
      ('${WAITING}', 'letters:deliver', '{"secret": "hidden"}', 'created', 2, 0, NULL, NULL, NULL)`);
  expect(await cli('jobs', 'list')).toEqual({
    code: 0,
    out: `${FAILED}  letters:deliver  failed 2026-11-01T12:00:00.000Z  3 attempts  Error: no\\nnote`,
    err: '',
  });
  const { out } = await cli('jobs', 'list', '--waiting', '--json');
  expect(out).not.toContain('hidden');
  expect(JSON.parse(out)).toEqual([
    expect.objectContaining({ id: WAITING, name: 'letters:deliver', state: 'waiting', attempts: 0, error: null }),
  ]);
  expect(await cli('jobs', 'retry', FAILED)).toEqual({
    code: 0,
    out: `${FAILED}  letters:deliver: queued again`,
    err: '',
  });
  expect(await states()).toEqual([
    { id: FAILED, state: 'retry', retry_limit: 3 },
    { id: WAITING, state: 'created', retry_limit: 2 },
  ]);
  expect((await audited()).map(({ admin_user_id, action, metadata }) => [admin_user_id, action, metadata])).toEqual([
    ['0', 'list_jobs', { count: '0' }],
    ['0', 'list_jobs', { count: '1' }],
    ['0', 'list_jobs', { count: '1' }],
    ['0', 'retry_job', { id: FAILED, name: 'letters:deliver' }],
  ]);
});

test('a job that is not failed, an invalid ID and no ID are rejected and change nothing', async () => {
  const before = [await states(), await audited()];
  const waiting = await cli('jobs', 'retry', WAITING);
  expect([waiting.code, waiting.err]).toEqual([1, `No failed job of an installed feature has the ID ${WAITING}.`]);
  const invalid = await cli('jobs', 'retry', 'all');
  expect([invalid.code, invalid.err.split('\n')[0]]).toEqual([2, 'Invalid job ID: all']);
  const none = await cli('jobs', 'retry');
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('The ID of a failed job is missing.')]);
  const limit = await cli('jobs', 'list', '--limit', '1001');
  expect([limit.code, limit.err]).toEqual([
    2,
    expect.stringContaining('--limit must be a whole number from 1 to 1000'),
  ]);
  expect([await states(), await audited()]).toEqual(before);
});

test('jobs delete deletes the waiting and failed jobs of a name that no feature declares, and no others', async () => {
  await sql(`
    INSERT INTO pgboss_job (id, name, state, started_on, completed_on) VALUES
      ('${UNDECLARED}', 'old:job', 'failed', now(), '2026-11-01T12:00:00Z'),
      (gen_random_uuid(), 'old:job', 'created', NULL, NULL), (gen_random_uuid(), 'old:job', 'active', now(), NULL),
      (gen_random_uuid(), 'old:job', 'active', now() - interval '1 hour', NULL)`);
  const before = [await states(), await audited()];
  expect((await cli('jobs', 'list', '--waiting')).out).toMatch(/ {2}old:job \(not declared\) {2}due /);
  const retried = await cli('jobs', 'retry', UNDECLARED);
  expect([retried.code, retried.err]).toEqual([1, `No failed job of an installed feature has the ID ${UNDECLARED}.`]);
  const declared = await cli('jobs', 'delete', 'letters:deliver');
  expect([declared.code, declared.err]).toEqual([
    1,
    'A feature declares letters:deliver. You can only delete jobs that are not declared.',
  ]);
  const unknown = await cli('jobs', 'delete', 'old:jobs');
  expect([unknown.code, unknown.err]).toEqual([1, 'No job has the name old:jobs.']);
  const none = await cli('jobs', 'delete');
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('Name one job.')]);
  expect(await states()).toEqual(before[0]);
  expect(await cli('jobs', 'delete', 'old:job')).toEqual({ code: 0, out: 'Deleted 3 jobs.', err: '' });
  expect(await sql(`SELECT state FROM pgboss_job WHERE name = 'old:job'`)).toEqual([{ state: 'active' }]);
  expect((await audited()).at(-1)).toMatchObject({
    admin_user_id: '0',
    action: 'delete_jobs',
    metadata: { name: 'old:job', count: '3' },
  });
});
