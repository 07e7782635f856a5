import { proveJobs } from '../../scripts/proofs/jobs.mjs';
import { testOnPostgres } from '../machine/postgres.js';

const JOBS = 100;

testOnPostgres(
  'jobs on three replicas survive kill -9: none is lost, and only those of killed workers run again',
  async () => {
    const { kills, ...found } = await proveJobs(process.env.TEST_DATABASE_URL as string, JOBS);
    expect(kills).toBeGreaterThan(0);
    expect(found).toMatchObject({ jobs: JOBS, lost: 0, ranAfterRollback: 0, repeatedWithoutDeath: 0 });
  },
);
