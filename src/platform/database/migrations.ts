import {
  type DataSource,
  type DataSourceOptions,
  MigrationExecutor,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';
import type { DatabaseSchema } from './data-source-options.js';

/** Which migrations of a list a database has applied. */
export interface MigrationState {
  /** Known to this version and not applied, in the order of application. */
  readonly pending: readonly string[];
  /** Applied, but unknown to this version: a newer version has run. */
  readonly unknown: readonly string[];
}

/** Metadata that a migration can declare, in Gatehouse or in an extension. */
export interface MigrationNotes {
  /**
   * Reason why the previous version cannot run on the new schema, neither next to this version nor after a rollback.
   */
  readonly breaksRollback?: string;
}

const nameOf = (migration: MigrationInterface): string => migration.name ?? migration.constructor.name;
const timeOf = (name: string): number => Number(name.slice(-13));

/** Names of the migrations that a data source gets as classes. */
export const migrationNames = ({ migrations = [] }: DataSourceOptions): string[] =>
  Object.values(migrations).flatMap((migration) => (typeof migration === 'function' ? migration.name : []));

/** A list of migrations and the table that records which of them are applied. */
export class Migrations {
  private constructor(
    private readonly source: DataSource,
    readonly table: string,
  ) {}

  static builtIn(source: DataSource): Migrations {
    return new Migrations(source, 'migration');
  }

  /** The migrations of the extension, on the same database with their own table. */
  static ofExtension(source: DataSource, migrations: DatabaseSchema['extensionMigrations']): Migrations {
    const table = 'team_migration';
    const seen: DataSource = Object.create(source, {
      migrations: { value: migrations.map((Migration) => new Migration()) },
      options: { value: { ...source.options, migrationsTableName: table } },
    });
    return new Migrations(seen, table);
  }

  /** Names in the order of application. */
  get names(): string[] {
    return this.source.migrations.map(nameOf).sort((a, b) => timeOf(a) - timeOf(b));
  }

  /** Migrations that rule out a rollback to the previous version, with their reasons. */
  get breaking(): ReadonlyMap<string, string> {
    const migrations: readonly (MigrationInterface & MigrationNotes)[] = this.source.migrations;
    return new Map(
      migrations.flatMap((migration) => {
        const { breaksRollback } = migration;
        return breaksRollback === undefined ? [] : [[nameOf(migration), breaksRollback] as const];
      }),
    );
  }

  /** Applies pending migrations, each in its own transaction, and returns their names. */
  async apply(runner: QueryRunner): Promise<string[]> {
    if (this.names.length === 0) return [];
    const executor = new MigrationExecutor(this.source, runner);
    executor.transaction = 'each';
    return (await executor.executePendingMigrations()).map(({ name }) => name);
  }

  async state(): Promise<MigrationState> {
    const known = this.names;
    const executed = await new MigrationExecutor(this.source).getExecutedMigrations();
    const applied = new Set(executed.map(({ name }) => name).reverse());
    return {
      pending: known.filter((name) => !applied.has(name)),
      unknown: [...applied].filter((name) => !known.includes(name)),
    };
  }
}
