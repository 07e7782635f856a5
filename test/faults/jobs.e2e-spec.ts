import { countBroken, proveJobs } from '../../scripts/proofs/jobs.mjs';
import { testOnPostgres } from '../machine/postgres.js';

const JOBS = 100;

test('a lost job, a run after a rollback and a repetition without a killed process are counted', () => {
  const runs = [
    { number: 0, starts: 2, ends: 1, pids: [2, 1] },
    { number: 1, starts: 2, ends: 2, pids: [1, 2] },
    { number: 2, starts: 1, ends: 0, pids: [1] },
    { number: 4, starts: 1, ends: 1, pids: [2] },
  ];
  const found = countBroken(runs, { jobs: 4, killed: new Set([1]) });
  expect(found).toEqual({ lost: 2, ranAfterRollback: 1, repeated: 2, repeatedWithoutDeath: 1 });
});

testOnPostgres(
  'jobs on three replicas survive kill -9: none is lost, and only those of killed workers run again',
  async () => {
    const { kills, ...found } = await proveJobs(process.env.TEST_DATABASE_URL as string, JOBS);
    expect(kills).toBeGreaterThan(0);
    expect(found).toMatchObject({ jobs: JOBS, lost: 0, ranAfterRollback: 0, repeatedWithoutDeath: 0 });
  },
);
