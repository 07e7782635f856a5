import { parseArgs } from 'node:util';
import { AuditLog } from '../admin/audit/audit.service.js';
import { consoleOperator } from '../admin/audit/operator.js';
import { Database } from '../platform/database/database.js';
import { JobQueue, type JobRow } from '../platform/jobs/job-queue.js';
import { assertNoArguments, parseCount } from './terminal/arguments.js';
import { type Command, CommandError, UsageError } from './terminal/command.js';
import { auditConsoleAction, withService } from './terminal/service.js';
import { escapeLineFeeds, formatCount } from './terminal/words.js';

const LIST_OPTIONS = { waiting: { type: 'boolean' }, json: { type: 'boolean' }, limit: { type: 'string' } } as const;
const DEFAULT_LISTED = 50;
const MAX_LISTED = 1000;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const TIMES: Readonly<Record<JobRow['state'], string>> = { waiting: 'due', active: 'started', failed: 'failed' };

const lineOf = ({ id, name, state, attempts, at, error }: JobRow): string =>
  escapeLineFeeds(
    [id, name, `${TIMES[state]} ${at.toISOString()}`, formatCount(attempts, 'attempt'), error ?? '-'].join('  '),
  );

/** Lists failed jobs, or with `--waiting` those that wait or run. Payloads are not shown. */
export const listJobs: Command = (args, terminal) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: LIST_OPTIONS });
  assertNoArguments(positionals);
  const limit = parseCount('--limit', values.limit, DEFAULT_LISTED, [1, MAX_LISTED]);
  return withService(terminal, async (app) => {
    const jobs = await app.get(JobQueue).list(values.waiting ? 'waiting' : 'failed', limit);
    await auditConsoleAction(app, {
      action: 'list_jobs',
      target: { type: 'instance' },
      metadata: { count: jobs.length },
    });
    if (values.json) terminal.out(JSON.stringify(jobs, null, 2));
    else for (const job of jobs) terminal.out(lineOf(job));
    if (!values.json && jobs.length === 0) terminal.out(values.waiting ? 'No job waits.' : 'No job has failed.');
    return 0;
  });
};

/** Makes failed jobs due again. A replica runs them within five seconds. */
export const retryJobs: Command = (args, terminal) => {
  const ids = parseArgs({ args, allowPositionals: true }).positionals;
  if (ids.length === 0) throw new UsageError('The ID of a failed job is missing. To list failed jobs, use jobs list.');
  const invalid = ids.find((id) => !UUID.test(id));
  if (invalid !== undefined) throw new UsageError(`Invalid job ID: ${invalid}`);
  return withService(terminal, async (app) => {
    const retried = await app.get(Database).transaction(async (tx) => {
      const found = await app.get(JobQueue).retry(tx, ids);
      for (const { id, name } of found) {
        const target = { type: 'instance' } as const;
        await app.get(AuditLog).record(tx, consoleOperator(), { action: 'retry_job', target, metadata: { id, name } });
      }
      return found;
    });
    for (const { id, name } of retried) terminal.out(`${id}  ${name} is due again`);
    const missing = ids.filter((id) => !retried.some((job) => job.id === id.toLowerCase()));
    if (missing.length > 0) throw new CommandError(`No failed job has the ID ${missing.join(', ')}`);
    return 0;
  });
};
