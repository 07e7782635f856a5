import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { QueryResultRow } from 'pg';
import { unavailable } from '../../core/errors.js';
import type { Log } from '../../core/log.js';
import { backendPidOf } from '../database/driver-internals.js';
import { connectTo } from '../database/hosts.js';
import { SerialQueue } from '../database/serial-queue.js';
import { applySettings } from '../database/session-settings.js';
import { QueryTimeoutError, withQueryTimeout } from '../process/query-timeout.js';

const CHANNEL = 'gatehouse';
const LEASE_CLASS = 0x6777;
const WORKERS = 1024;
/** A lost peer may leave the connection open without an error, so it counts as lost if a response takes this long. */
const NOTICE_QUERY_TIMEOUT_MS = 3000;

const FIRST_RETRY_MS = 250;
/** Maximum back-off between connection attempts. Without a connection, this process cannot create IDs. */
const RETRY_MS = 1000;

const withTimeout = <T>(work: Promise<T>): Promise<T> => withQueryTimeout(NOTICE_QUERY_TIMEOUT_MS, work);

interface Listener {
  /** Another process has written entries. */
  onNotification(): void;
  /** The connection was re-established. */
  onReconnect(): void;
}

/** A dedicated connection for notifications between processes, on which the worker ID is leased. */
export class NoticeConnection {
  private client: pg.Client | undefined;
  private leased: number | undefined;
  /** The worker ID of the lost connection, which is requested first. */
  private former: number | undefined;
  private isClosing = false;
  /** The client runs one statement at a time. */
  private readonly statements = new SerialQueue();
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly url: string,
    private readonly fixedWorker: number | undefined,
    private readonly log: Log,
    private readonly listener: Listener,
  ) {}

  get workerId(): number {
    // Without a lease, another replica might create the same IDs.
    if (this.leased === undefined) throw unavailable(5);
    return this.leased;
  }

  get hasWorkerId(): boolean {
    return this.leased !== undefined;
  }

  get database(): string {
    return this.client?.database ?? '';
  }

  async open(): Promise<void> {
    const client = await connectTo(this.url, {
      connectionTimeoutMillis: 2000,
      keepAlive: true,
      application_name: 'gatehouse notices',
    });
    client.on('error', (error) => this.onConnectionLost(client, error));
    client.on('end', () => this.onConnectionLost(client));
    // Notifications of this process itself are ignored.
    client.on('notification', ({ processId }) => processId !== backendPidOf(client) && this.listener.onNotification());
    try {
      this.leased = await this.initialize(client);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.client = client;
  }

  async notify(): Promise<void> {
    await this.query('notice', `SELECT pg_notify('${CHANNEL}', '')`, []);
  }

  /** Runs a statement after those before it. Returns undefined if there is no connection. */
  query<R>(name: string, text: string, values: unknown[]): Promise<R[]> | undefined {
    const { client } = this;
    if (!client) return undefined;
    return this.statements.run(async () => {
      try {
        return (await withTimeout(client.query<R & QueryResultRow>({ name, text, values }))).rows;
      } catch (error) {
        if (error instanceof QueryTimeoutError) this.onConnectionLost(client, error);
        throw error;
      }
    });
  }

  private async initialize(client: pg.Client): Promise<number> {
    await withTimeout(applySettings(client));
    // A notification need not survive a crash.
    await withTimeout(client.query<never>('SET synchronous_commit = off'));
    const leased = await this.leaseWorkerId(client);
    await withTimeout(client.query<never>(`LISTEN ${CHANNEL}`));
    return leased;
  }

  private async leaseWorkerId(client: pg.Client): Promise<number> {
    if (this.fixedWorker !== undefined) return this.fixedWorker;
    const start = this.former ?? randomInt(WORKERS);
    for (let step = 0; step < WORKERS; step++) {
      const worker = (start + step) % WORKERS;
      const { rows } = await withTimeout(
        client.query<{ won: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS won', [LEASE_CLASS, worker]),
      );
      if (rows[0]?.won) return worker;
    }
    throw new Error('All worker IDs are leased by other processes');
  }

  private onConnectionLost(client: pg.Client, error?: unknown): void {
    if (client !== this.client || this.isClosing) return;
    this.client = undefined;
    this.former = this.leased;
    this.leased = this.fixedWorker;
    client.end().catch(() => {});
    this.log.warn('the PostgreSQL LISTEN connection was lost: reconnecting', { error });
    this.reconnectIn(FIRST_RETRY_MS);
  }

  private reconnectIn(delay: number): void {
    this.retry = setTimeout(() => {
      this.open().then(
        () => this.listener.onReconnect(),
        (error) => {
          if (this.isClosing) return;
          // Only the first failure of an outage is logged at the default level.
          const level = delay === FIRST_RETRY_MS ? 'warn' : 'debug';
          this.log[level]('connecting for PostgreSQL LISTEN failed', { error });
          this.reconnectIn(Math.min(delay * 2, RETRY_MS));
        },
      );
    }, delay);
  }

  async close(): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.retry);
    const { client } = this;
    this.client = undefined;
    await client?.end();
  }
}
