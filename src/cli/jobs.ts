import { parseArgs } from 'node:util';
import { consoleOperator } from '../admin/audit/operator.js';
import { AdminJobs } from '../admin/jobs/admin-jobs.service.js';
import { ApiError } from '../core/errors.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import { assertNoArguments, parseCount } from './terminal/arguments.js';
import { type Command, CommandError, UsageError } from './terminal/command.js';
import { auditConsoleAction, withService } from './terminal/service.js';
import { formatCount, printResult } from './terminal/words.js';

const LIST_OPTIONS = { waiting: { type: 'boolean' }, limit: { type: 'string' } } as const;
const DEFAULT_LISTED = 50;
const MAX_LISTED = 1000;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

type Job = Awaited<ReturnType<AdminJobs['show']>>['jobs'][number];

const TIMES: Readonly<Record<Job['state'], string>> = { waiting: 'due', active: 'started', failed: 'failed' };

const lineOf = ({ id, name, is_declared, state, attempts, at, error }: Job): string =>
  [
    ...[id, is_declared ? name : `${name} (not declared)`, `${TIMES[state]} ${at}`],
    ...[formatCount(attempts, 'attempt'), error ?? '-'],
  ].join('  ');

/** Lists failed jobs, or with `--waiting` those that wait or run. Payloads are not shown. */
export const listJobs: Command = (args, terminal) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: LIST_OPTIONS });
  assertNoArguments(positionals);
  const limit = parseCount('--limit', values.limit, DEFAULT_LISTED, [1, MAX_LISTED]);
  return withService(terminal, async (app) => {
    const { jobs } = await app.get(AdminJobs).show({ state: values.waiting ? 'waiting' : 'failed', limit });
    await auditConsoleAction(app, terminal, {
      action: 'list_jobs',
      target: { type: 'instance' },
      metadata: { count: jobs.length },
    });
    const none = values.waiting ? 'No job waits.' : 'No job has failed.';
    printResult(terminal, jobs, jobs.length === 0 ? [none] : jobs.map(lineOf));
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
    const rejected: string[] = [];
    const retried: { id: string; name: string }[] = [];
    for (const id of ids) {
      try {
        retried.push({ id, name: await app.get(AdminJobs).retry(consoleOperator(terminal.reason), id) });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        rejected.push(id);
      }
    }
    const lines = retried.map(({ id, name }) => `${id}  ${name}: queued again`);
    if (retried.length > 0) printResult(terminal, retried, lines);
    if (rejected.length > 0) {
      throw new CommandError(`No failed job of an installed feature has the ID ${rejected.join(', ')}.`);
    }
    return 0;
  });
};

/** Deletes the jobs of a feature that is no longer installed. No replica runs them. */
export const deleteJobs: Command = (args, terminal) => {
  const [name, ...others] = parseArgs({ args, allowPositionals: true }).positionals;
  if (name === undefined || others.length > 0) {
    throw new UsageError('Name one job. To list jobs that no feature declares, use jobs list --waiting.');
  }
  return withService(terminal, async (app) => {
    if (app.get(FeatureRegistry).jobs.has(name)) {
      throw new CommandError(`A feature declares ${name}. You can only delete jobs that are not declared.`);
    }
    const count = await app.get(AdminJobs).deleteUndeclared(consoleOperator(terminal.reason), name);
    if (count === 0) throw new CommandError(`No job has the name ${name}.`);
    printResult(terminal, { name, deleted: count }, [`Deleted ${formatCount(count, 'job')}.`]);
    return 0;
  });
};
