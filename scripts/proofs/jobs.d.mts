/** The promises of background jobs, as numbers of jobs that broke them. */
export interface BrokenPromises {
  readonly lost: number;
  readonly ranAfterRollback: number;
  /** Jobs that ran more than once. */
  readonly repeated: number;
  readonly repeatedWithoutDeath: number;
}

/** The broken promises, and how the run went. */
export interface JobsProof extends BrokenPromises {
  readonly jobs: number;
  readonly rolledBack: number;
  /** Number of replicas that were killed. */
  readonly kills: number;
  readonly seconds: number;
}

/** The runs of a job, the last one first. */
export interface JobRuns {
  readonly number: number;
  readonly starts: number;
  readonly ends: number;
  readonly pids: readonly number[];
}

export function countBroken(
  runs: readonly JobRuns[],
  more: { readonly jobs: number; readonly killed: ReadonlySet<number> },
): BrokenPromises;

export function proveJobs(server: string, jobs: number): Promise<JobsProof>;
