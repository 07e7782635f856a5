import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { Database } from '../database/database.js';
import { connectTo } from '../database/hosts.js';
import { withQueryTimeout } from '../process/query-timeout.js';
import { ReplicaBus } from './replica-bus.js';

const DATABASE_CHECK_INTERVAL_MS = 1000;
const DATABASE_CHECK_TIMEOUT_MS = 5000;
/** Changed server or database settings only apply to new connections, so the connection is renewed often. */
const CHECKS_PER_CONNECTION = 15;

const databaseStateSql = (tables: readonly string[]): string => `
  SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only,
    ARRAY(${tables.map((table) => `SELECT '${table} ' || name FROM ${table}`).join(' UNION ALL ')}) AS migrations`;

/**
 * Monitors whether the database can be used. It uses a connection of its own, so that readiness requests never wait for
 * the database or compete with other requests. The embedded database has only one session, so errors of that session
 * are used instead.
 */
@Injectable()
export class DatabaseMonitor implements OnApplicationBootstrap, OnApplicationShutdown {
  private client: pg.Client | undefined;
  private checksOnConnection = 0;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private wasUsable = false;
  /** Since the worker ID was missing, no check has ended that began later. */
  private isOutdated = false;

  constructor(
    private readonly database: Database,
    private readonly replicaBus: ReplicaBus,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Whether the database responds, is writable and has the expected schema, and this process can create IDs. */
  get isUsable(): boolean {
    const { hasWorkerId } = this.replicaBus;
    // The connection with the worker ID was lost, so the database may have changed since the last check. A pooler hides
    // this from the connection of the checks.
    if (!hasWorkerId && this.config.databaseUrl) this.isOutdated = true;
    return this.wasUsable && !this.isOutdated && hasWorkerId && !this.database.hasFailed;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.databaseUrl) await this.check();
    else this.wasUsable = !(await this.database.hasPendingMigrations());
  }

  private async check(): Promise<void> {
    const { isOutdated } = this;
    try {
      this.client ??= await this.connect();
      const known = this.database.migrations.filter(({ names }) => names.length > 0);
      const state = databaseStateSql(known.map(({ table }) => table));
      const { rows } = await withQueryTimeout(
        DATABASE_CHECK_TIMEOUT_MS,
        this.client.query<{ read_only: boolean; migrations: string[] }>(state),
      );
      const applied = new Set(rows[0]?.migrations);
      const isCurrent = known.every(({ table, names }) => names.every((name) => applied.has(`${table} ${name}`)));
      const isWritable = rows[0]?.read_only === false;
      this.wasUsable = isCurrent && isWritable;
      if (isOutdated) this.isOutdated = false;
      if (!isWritable) this.database.findPrimary();
      if (!isWritable || ++this.checksOnConnection >= CHECKS_PER_CONNECTION) this.releaseConnection();
    } catch (error) {
      if (this.wasUsable) this.log.warn('the database is unavailable: the service is not ready', { error });
      this.wasUsable = false;
      this.releaseConnection();
      this.database.findPrimary();
    }
    if (!this.isStopped)
      this.timer = setTimeout(() => {
        this.check().catch((error) => this.log.error('the database check stopped', { error }));
      }, DATABASE_CHECK_INTERVAL_MS).unref();
  }

  private async connect(): Promise<pg.Client> {
    const client = await connectTo(this.config.databaseUrl as string, {
      connectionTimeoutMillis: DATABASE_CHECK_TIMEOUT_MS,
      application_name: 'gatehouse readiness',
    });
    client.on('error', () => this.onConnectionLost(client));
    client.on('end', () => this.onConnectionLost(client));
    this.checksOnConnection = 0;
    return client;
  }

  private onConnectionLost(client: pg.Client): void {
    if (client !== this.client) return;
    this.client = undefined;
    this.wasUsable = false;
  }

  private releaseConnection(): void {
    const { client } = this;
    this.client = undefined;
    client?.end().catch(() => {});
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.releaseConnection();
  }
}
