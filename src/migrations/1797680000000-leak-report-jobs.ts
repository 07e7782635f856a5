import { SqlMigration } from './sql-migration.js';

/**
 * Jobs process reports of leaked credentials, also those that wait. The columns of the former queue stay for replicas of
 * the previous version.
 */
export class LeakReportJobs1797680000000 extends SqlMigration {
  readonly sql = `
      INSERT INTO pgboss_job (name, data, retry_limit, retry_delay, retry_backoff, expire_in, policy)
      SELECT 'protection:revoke_leaked', jsonb_build_object('report_id', id::text), 16, 5, true, '120 seconds', 'singleton'
      FROM leak_report
    `;
}
