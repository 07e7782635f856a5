import type { Type } from '@nestjs/common';
import type { DataSourceOptions, EntitySchema, MigrationInterface } from 'typeorm';
import { hostUrls } from './hosts.js';

type MigrationClass = new () => MigrationInterface;

/** What the features store: the tables of all, the migrations of the service, and those of the extension. */
export interface DatabaseSchema {
  readonly entities: readonly (Type | EntitySchema)[];
  readonly migrations: readonly MigrationClass[];
  readonly extensionMigrations: readonly MigrationClass[];
}

/** The options of the one DataSource, for the application and for TypeORM's own command line. */
export const dataSourceOptions = (
  url: string | undefined,
  poolSize: number,
  { entities, migrations }: Pick<DatabaseSchema, 'entities' | 'migrations'>,
): DataSourceOptions => ({
  type: 'postgres',
  ...(url ? { url: hostUrls(url)[0] } : {}),
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
});
