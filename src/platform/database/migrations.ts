import {
  type DataSource,
  type DataSourceOptions,
  MigrationExecutor,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';
import type { Extension } from '../../core/extension.js';

/** What of a list of migrations a database has. */
export interface MigrationState {
  /** Known here and not applied, in the order in which they will be. */
  readonly pending: readonly string[];
  /** Applied, and not known here: a newer version was at work. */
  readonly unknown: readonly string[];
}

/** What a migration may say of itself, ours or a team's. */
export interface MigrationNotes {
  /** Why the version before cannot run on the schema that it leaves: neither beside this one nor after it. */
  readonly breaksRollback?: string;
}

const nameOf = (migration: MigrationInterface): string => migration.name ?? migration.constructor.name;
const timeOf = (name: string): number => Number(name.slice(-13));

/** Of the migrations that a source is told of, as classes. */
export const namesOf = ({ migrations = [] }: DataSourceOptions): string[] =>
  Object.values(migrations).flatMap((migration) => (typeof migration === 'function' ? migration.name : []));

/** A list of migrations with the table that tells which of them are applied. */
export class Migrations {
  private constructor(
    private readonly source: DataSource,
    /** Which of them are applied. */
    readonly table: string,
  ) {}

  static ours(source: DataSource): Migrations {
    return new Migrations(source, 'migration');
  }

  /** The same database as a team sees it: with a list and a table of its own. */
  static ofTeam(source: DataSource, { migrations = [] }: Extension): Migrations {
    const table = 'team_migration';
    const seen: DataSource = Object.create(source, {
      migrations: { value: migrations.map((Migration) => new Migration()) },
      options: { value: { ...source.options, migrationsTableName: table } },
    });
    return new Migrations(seen, table);
  }

  /** In the order in which they are applied. */
  get names(): string[] {
    return this.source.migrations.map(nameOf).sort((a, b) => timeOf(a) - timeOf(b));
  }

  /** Those after which there is no way back to the version before, with the reason that they give. */
  get breaking(): ReadonlyMap<string, string> {
    const migrations: readonly (MigrationInterface & MigrationNotes)[] = this.source.migrations;
    return new Map(
      migrations.flatMap((migration) => {
        const { breaksRollback } = migration;
        return breaksRollback === undefined ? [] : [[nameOf(migration), breaksRollback] as const];
      }),
    );
  }

  /** Applies what is pending, each in a transaction of its own, and answers the names. */
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
