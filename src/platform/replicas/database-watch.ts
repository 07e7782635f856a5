import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { Database } from '../database/database.js';
import { answerWithin } from '../process/answer-limit.js';
import { Replica } from './replica.js';

const LOOK_MS = 1000;
const TIMEOUT_MS = 5000;
/** Changed server or database settings only apply to new connections, so the connection is renewed often. */
const LOOKS_PER_CONNECTION = 15;

const databaseState = (tables: readonly string[]): string => `
  SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only,
    ARRAY(${tables.map((table) => `SELECT '${table} ' || name FROM ${table}`).join(' UNION ALL ')}) AS migrations`;

/**
 * Monitors whether the database can be used. It uses a connection of its own, so that readiness requests never wait for
 * the database or compete with other requests. The embedded database has only one session, so errors of that session
 * are used instead.
 */
@Injectable()
export class DatabaseWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private client: pg.Client | undefined;
  private looks = 0;
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;
  private wasUsable = false;

  constructor(
    private readonly database: Database,
    private readonly replica: Replica,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Whether the database responds, is writable and has the expected schema, and this process can create IDs. */
  get isUsable(): boolean {
    return this.wasUsable && this.replica.hasWorkerId && !this.database.hasFailed;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.databaseUrl) await this.look();
    else this.wasUsable = !(await this.database.hasPendingMigrations());
  }

  private async look(): Promise<void> {
    try {
      this.client ??= await this.connect();
      const known = this.database.migrations.filter(({ names }) => names.length > 0);
      const state = databaseState(known.map(({ table }) => table));
      const { rows } = await answerWithin(
        TIMEOUT_MS,
        this.client.query<{ read_only: boolean; migrations: string[] }>(state),
      );
      const applied = new Set(rows[0]?.migrations);
      const isCurrent = known.every(({ table, names }) => names.every((name) => applied.has(`${table} ${name}`)));
      this.wasUsable = isCurrent && rows[0]?.read_only === false;
      if (++this.looks >= LOOKS_PER_CONNECTION) this.letGo();
    } catch (error) {
      if (this.wasUsable) this.log.warn('the database cannot be used: the service is not ready', { error });
      this.wasUsable = false;
      this.letGo();
    }
    if (!this.isOver)
      this.timer = setTimeout(() => {
        this.look().catch((error) => this.log.error('the database is no longer watched', { error }));
      }, LOOK_MS).unref();
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.config.databaseUrl,
      connectionTimeoutMillis: TIMEOUT_MS,
      statement_timeout: TIMEOUT_MS,
      application_name: 'gatehouse readiness',
    });
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    await client.connect();
    this.looks = 0;
    return client;
  }

  private lost(client: pg.Client): void {
    if (client !== this.client) return;
    this.client = undefined;
    this.wasUsable = false;
  }

  private letGo(): void {
    const { client } = this;
    this.client = undefined;
    client?.end().catch(() => {});
  }

  onApplicationShutdown(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.letGo();
  }
}
