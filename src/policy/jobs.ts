import type { Type } from '@nestjs/common';

/** One attempt to run a job. */
export interface JobAttempt {
  /** The ID of the job, a UUID. It is the same in every attempt, so use it to detect repetitions. */
  readonly id: string;
  /** 1 for the first attempt. */
  readonly number: number;
  /** The `trace_id` of this attempt. Add it to the lines that you log, so that operators find all lines of an attempt. */
  readonly traceId: string;
  /** Aborted when the lease ends or the process shuts down. Stop as soon as possible. */
  readonly signal: AbortSignal;
}

/**
 * Runs one kind of job. It is a provider of a module. A job runs at least once, so make repetitions harmless. If `run`
 * throws, the job is tried again later.
 */
export interface JobHandler<P = Record<string, never>> {
  run(payload: P, attempt: JobAttempt): Promise<void>;
}

/** A kind of background job. */
export interface JobDeclaration {
  /** The provider that runs it. The type of its payload is the type of the payload to enqueue. */
  readonly handler: Type<JobHandler<never>>;
  /** Number of attempts after the first one. Afterwards, the job is in the list of failed jobs. Default: 10. */
  readonly retryLimit?: number;
  /** Shortest pause before the second attempt. Jitter adds up to as much. It doubles after each attempt. Default: 5. */
  readonly retryDelaySeconds?: number;
  /** If an attempt takes longer, its process counts as crashed and the job is tried again. Default: 60. */
  readonly leaseSeconds?: number;
  /** At most one job of this kind runs at a time, on all replicas together. Default: false. */
  readonly singleton?: boolean;
  /**
   * Also runs it at these times in UTC, once for all replicas, such as `0 3 * * *`. Five fields: minute, hour, day of
   * the month, month, day of the week. The payload of these runs is `{}`. A run that was missed is made up for once.
   */
  readonly cron?: string;
  /**
   * Also runs it again and again, once for all replicas. The interval counts from the start of a run, and a run begins
   * up to five seconds late. The payload of these runs is `{}`. A run that fails is not retried, because the next one
   * follows.
   */
  readonly everySeconds?: number;
}

export const JOB_DEFAULTS = { retryLimit: 10, retryDelaySeconds: 5, leaseSeconds: 60, singleton: false } as const;

const MAX_LEASE_SECONDS = 3600;
const MAX_INTERVAL_SECONDS = 86_400;
const CRON = /^[\d*/,-]+(?: [\dA-Z*/,-]+){4}$/i;

const isCount = (value: number, from: number, to: number): boolean =>
  Number.isInteger(value) && value >= from && value <= to;

/** Returns the problems of a declaration, as ends of a sentence that names the job. */
export function jobFaults(declaration: JobDeclaration): string[] {
  const { cron, everySeconds } = declaration;
  const { retryLimit, retryDelaySeconds, leaseSeconds } = { ...JOB_DEFAULTS, ...declaration };
  return [
    ...(isCount(retryLimit, 0, 100) ? [] : ['retryLimit must be an integer from 0 to 100']),
    ...(isCount(retryDelaySeconds, 1, 86_400) ? [] : ['retryDelaySeconds must be an integer from 1 to 86400']),
    ...(isCount(leaseSeconds, 1, MAX_LEASE_SECONDS)
      ? []
      : [`leaseSeconds must be an integer from 1 to ${MAX_LEASE_SECONDS}`]),
    ...(cron === undefined || CRON.test(cron) ? [] : ['cron must have five fields, such as 0 3 * * *']),
    ...(everySeconds === undefined || isCount(everySeconds, 1, MAX_INTERVAL_SECONDS)
      ? []
      : [`everySeconds must be an integer from 1 to ${MAX_INTERVAL_SECONDS}`]),
  ];
}
