import type { Type } from '@nestjs/common';
import type { DataSourceOptions, EntitySchema, MigrationInterface } from 'typeorm';

type MigrationClass = new () => MigrationInterface;

/** What the features store: the tables of all, the migrations of the service, and those of the extension. */
export interface DatabaseSchema {
  readonly entities: readonly (Type | EntitySchema)[];
  readonly migrations: readonly MigrationClass[];
  readonly extensionMigrations: readonly MigrationClass[];
}

/**
 * The options of the one DataSource, for the application and for TypeORM's own command line.
 * @param patience factor by which all timeouts are longer than usual
 */
export const dataSourceOptions = (
  url: string | undefined,
  poolSize: number,
  { entities, migrations }: Pick<DatabaseSchema, 'entities' | 'migrations'>,
  patience = 1,
): DataSourceOptions => ({
  type: 'postgres',
  ...(url ? { url } : {}),
  username: url ? undefined : 'postgres',
  database: url ? undefined : 'postgres',
  poolSize,
  connectTimeoutMS: 2000,
  installExtensions: false,
  synchronize: false,
  logging: false,
  migrationsTableName: 'migration',
  entities: [...entities],
  migrations: [...migrations],
  invalidWhereValuesBehavior: { null: 'throw', undefined: 'throw' },
  extra: url
    ? {
        connectionTimeoutMillis: 2000 * patience,
        statement_timeout: 5000 * patience,
        lock_timeout: 4000 * patience,
        idle_in_transaction_session_timeout: 10_000 * patience,
        keepAlive: true,
        // A statement is sent while the one before it is under way, where its caller does not wait.
        pipeline: true,
      }
    : {},
});
