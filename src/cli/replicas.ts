import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { AuditLog } from '../admin/audit/audit.service.js';
import { consoleOperator } from '../admin/audit/operator.js';
import { Clock } from '../core/clock.js';
import { Database } from '../platform/database/database.js';
import { ReplicaDrain } from '../platform/replicas/replica-drain.js';
import { type ReplicaStatus, readReplicas } from '../platform/replicas/replica-statistics.js';
import { parseDuration } from './terminal/arguments.js';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.js';
import { withService } from './terminal/service.js';
import { printResult } from './terminal/words.js';

const DEFAULT_DRAIN = '15m';
const MAX_DRAIN_MS = 86_400_000;
/** How long to wait until the replicas report that they follow. A report can be late by five seconds. */
const CONFIRM_MS = 15_000;
const POLL_MS = 250;

interface Request {
  /** Worker IDs, or null for all replicas. */
  readonly workers: readonly number[] | null;
  /** Null to cancel. */
  readonly duration: number | null;
}

function parseDrain(args: string[]): Request {
  const options = { all: { type: 'boolean' }, for: { type: 'string' }, cancel: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  if ((positionals.length === 0) === (values.all !== true))
    throw new UsageError('Give the numbers of replicas, or --all. To list replicas, use status.');
  const invalid = positionals.find((text) => !/^\d{1,4}$/.test(text));
  if (invalid !== undefined) throw new UsageError(`Invalid number of a replica: ${invalid}`);
  if (values.cancel && values.for !== undefined) throw new UsageError('Use only one of --for and --cancel.');
  const duration = parseDuration(values.for ?? DEFAULT_DRAIN);
  if (!duration || duration > MAX_DRAIN_MS)
    throw new UsageError('--for must be a duration from 1m to 24h, such as 30m.');
  return { workers: values.all ? null : positionals.map(Number), duration: values.cancel ? null : duration };
}

/** @throws CommandError if a replica does not run */
async function requireReplicas(app: INestApplicationContext, workers: Request['workers']): Promise<ReplicaStatus[]> {
  const running = await readReplicas(app.get(Database).manager);
  if (running.length === 0) throw new CommandError('No replica runs. The last report is older than 20 seconds.');
  const ids = running.map(({ workerId }) => workerId);
  const unknown = (workers ?? []).filter((id) => !ids.includes(id));
  if (unknown.length > 0)
    throw new CommandError(`No replica has the number ${unknown.join(', ')}. Replicas: ${ids.join(', ')}`);
  return running.filter(({ workerId }) => workers?.includes(workerId) ?? true);
}

/** Waits until the replicas report the end of the drain, or the time is over. Returns their last reports. */
async function waitForReports(app: INestApplicationContext, targets: readonly ReplicaStatus[], until: string | null) {
  const wanted = new Set(targets.map(({ workerId }) => workerId));
  const deadline = performance.now() + CONFIRM_MS;
  for (;;) {
    const all = await readReplicas(app.get(Database).manager);
    const reports = all.filter(({ workerId }) => wanted.has(workerId));
    const late = reports.filter(({ state }) => (state?.drainedUntil ?? null) !== until);
    if (late.length === 0 || performance.now() > deadline) return { reports, late };
    await delay(POLL_MS);
  }
}

async function runDrain(app: INestApplicationContext, terminal: Terminal, { workers, duration }: Request) {
  const database = app.get(Database);
  if (database.isEmbedded)
    throw new CommandError('Only replicas on PostgreSQL can be drained. Stop the service instead.');
  const targets = await requireReplicas(app, workers);
  const until = duration === null ? null : new Date(app.get(Clock).now() + duration);
  await database.transaction(async (tx) => {
    await app.get(ReplicaDrain).announce(tx, workers, until);
    await app.get(AuditLog).record(tx, consoleOperator(terminal.reason), {
      action: 'drain_replicas',
      target: { type: 'instance' },
      metadata: { replicas: workers?.join(', ') ?? 'all', until: until?.toISOString() ?? null },
    });
  });
  const end = until?.toISOString() ?? null;
  const { reports, late } = await waitForReports(app, targets, end);
  const isLate = ({ workerId }: ReplicaStatus) => late.some((one) => one.workerId === workerId);
  const state = end === null ? 'the drain is canceled' : `not ready until ${end}`;
  const result = reports.map((report) => ({
    ...{ replica: report.workerId, host: report.state?.host ?? null },
    ...{ until: report.state?.drainedUntil ?? null, is_confirmed: !isLate(report) },
  }));
  printResult(
    terminal,
    result,
    result.map(
      ({ replica, host, is_confirmed }) => `${replica}  ${host ?? '-'}  ${is_confirmed ? state : 'no confirmation'}`,
    ),
  );
  if (late.length > 0) throw new CommandError('Some replicas did not confirm. Check their logs, and run status.');
  return 0;
}

/** A drain ends at its time, with `--cancel`, or with a restart of the process. */
export const drain: Command = async (args, terminal) => {
  const request = parseDrain(args);
  return withService(terminal, (app) => runDrain(app, terminal, request));
};
