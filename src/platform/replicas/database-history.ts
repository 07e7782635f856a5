import { hash } from 'node:crypto';
import type { RunStatement } from './journal.js';

/** What distinguishes a server and a database from another one, and from a restored copy of itself. */
interface Identity {
  readonly database: string;
  readonly file: string;
  readonly system: string | null;
  readonly timeline: string | null;
}

// A restore replaces the database, or the file of each table. A promoted standby starts a new timeline. A literal of the
// type regclass would keep the OID of a dropped table in the prepared statement.
const PLACE = `(SELECT oid FROM pg_database WHERE datname = current_database())::text AS database,
  pg_relation_filenode(to_regclass('journal'))::text AS file`;
const SERVER = `(SELECT system_identifier FROM pg_control_system())::text AS system,
  CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`;
const WITH_SERVER = `SELECT ${PLACE}, ${SERVER}`;
const WITHOUT_SERVER = `SELECT ${PLACE}, NULL AS system, NULL AS timeline`;

/** Insufficient privilege, undefined function and unsupported feature: the operator or provider does not allow it. */
const NOT_ALLOWED: readonly unknown[] = ['42501', '42883', '0A000'];

/** Detects that the database is no longer the one that was read before. */
export class DatabaseHistory {
  private known: Identity | undefined;
  private statement: readonly [name: string, text: string] = ['history-server', WITH_SERVER];

  /** A short digest of the identity, which a restored copy or a promoted standby does not have. Empty before the first read. */
  get fingerprint(): string {
    const { database, file, system, timeline } = this.known ?? {};
    return this.known ? hash('sha256', JSON.stringify([system, timeline, database, file]), 'hex').slice(0, 16) : '';
  }

  /** Returns the names of the parts that have changed since the last call. The first call returns none. */
  async findChanges(ask: RunStatement): Promise<string[]> {
    const { known } = this;
    const current = await this.read(ask);
    this.known = current;
    if (!known || !current) return [];
    const names = ['database', 'file', 'system', 'timeline'] as const;
    return names.filter((name) => known[name] !== null && current[name] !== null && known[name] !== current[name]);
  }

  private async read(ask: RunStatement): Promise<Identity | undefined> {
    try {
      return (await ask<Identity>(...this.statement, []))[0];
    } catch (error) {
      if (!NOT_ALLOWED.includes((error as { code?: unknown }).code) || this.statement[1] === WITHOUT_SERVER)
        throw error;
      this.statement = ['history-database', WITHOUT_SERVER];
      return this.read(ask);
    }
  }
}
