import { SqlMigration } from './sql-migration.js';

/**
 * Adds the tables of pg-boss 10 for background jobs, in the schema of all other tables and without partitions. Creating
 * a partition per job needs permission to change the schema, which the service may not have.
 */
export class Jobs1797610000000 extends SqlMigration {
  readonly sql = `
      CREATE TYPE pgboss_job_state AS ENUM ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');

      CREATE TABLE pgboss_queue (
        name text PRIMARY KEY,
        policy text,
        retry_limit int,
        retry_delay int,
        retry_backoff bool,
        expire_seconds int,
        retention_minutes int,
        dead_letter text,
        partition_name text,
        created_on timestamptz NOT NULL DEFAULT now(),
        updated_on timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE pgboss_job (
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        name text NOT NULL,
        priority integer NOT NULL DEFAULT 0,
        data jsonb,
        state pgboss_job_state NOT NULL DEFAULT 'created',
        retry_limit integer NOT NULL DEFAULT 2,
        retry_count integer NOT NULL DEFAULT 0,
        retry_delay integer NOT NULL DEFAULT 0,
        retry_backoff boolean NOT NULL DEFAULT false,
        start_after timestamptz NOT NULL DEFAULT now(),
        started_on timestamptz,
        singleton_key text,
        singleton_on timestamp,
        expire_in interval NOT NULL DEFAULT interval '15 minutes',
        created_on timestamptz NOT NULL DEFAULT now(),
        completed_on timestamptz,
        keep_until timestamptz NOT NULL DEFAULT now() + interval '14 days',
        output jsonb,
        dead_letter text,
        policy text,
        PRIMARY KEY (name, id)
      );
      CREATE UNIQUE INDEX pgboss_job_i2 ON pgboss_job (name, COALESCE(singleton_key, ''))
        WHERE state = 'active' AND policy = 'singleton';
      CREATE INDEX pgboss_job_i5 ON pgboss_job (name, start_after) INCLUDE (priority, created_on, id)
        WHERE state < 'active';
      CREATE UNIQUE INDEX pgboss_job_id ON pgboss_job (id);
      CREATE INDEX pgboss_job_active ON pgboss_job (name, started_on) WHERE state = 'active';
      CREATE INDEX pgboss_job_failed ON pgboss_job (completed_on, id) WHERE state = 'failed';
      CREATE INDEX pgboss_job_finished ON pgboss_job (completed_on) WHERE completed_on IS NOT NULL;
    `;
}
