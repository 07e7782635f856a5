import { SqlMigration } from './sql-migration.js';

/** Adds indexes for the lists of background jobs: unfinished jobs by age, and failed jobs by name. */
export class JobLists1797632000000 extends SqlMigration {
  readonly sql = `
      CREATE INDEX pgboss_job_unfinished ON pgboss_job (created_on, id) WHERE state <= 'active';
      CREATE INDEX pgboss_job_failed_name ON pgboss_job (name) WHERE state = 'failed';
    `;
}
