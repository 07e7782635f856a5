/** The promises of background jobs, as numbers of jobs that broke them, and how the run went. */
export interface JobsProof {
  readonly jobs: number;
  readonly rolledBack: number;
  /** Number of replicas that were killed. */
  readonly kills: number;
  readonly seconds: number;
  readonly lost: number;
  readonly ranAfterRollback: number;
  /** Jobs that ran more than once. */
  readonly repeated: number;
  readonly repeatedWithoutDeath: number;
}

export function proveJobs(server: string, jobs: number): Promise<JobsProof>;
