import { randomInt } from 'node:crypto';
import pg, { type QueryResultRow } from 'pg';
import { unavailable } from '../../core/errors.js';
import type { Log } from '../../core/log.js';
import { applySettings } from '../database/session-settings.js';
import { Turns } from '../database/turns.js';
import { answerWithin, NoAnswer } from '../process/answer-limit.js';

const CHANNEL = 'gatehouse';
const LEASE_CLASS = 0x6777;
const WORKERS = 1024;
/** A connection that swallows everything reports no error: it counts as lost when an answer takes this long. */
const ANSWER_MS = 3000;

/** The longest pause between two attempts to connect: without a connection nothing new is made here. */
const RETRY_MS = 1000;

const answered = <T>(question: Promise<T>): Promise<T> => answerWithin(ANSWER_MS, question);

interface Listener {
  /** Another process says that there is something to read. */
  heard(): void;
  /** The connection was lost, and there is another one. */
  isBack(): void;
}

/** A connection of its own for notices: it wakes the other processes and is woken, and the worker id is leased on it. */
export class NoticeConnection {
  private client: pg.Client | undefined;
  private leased: number | undefined;
  /** What was leased on a connection that was lost: the first to ask for again. */
  private former: number | undefined;
  private isClosing = false;
  /** The client takes one statement at a time. */
  private readonly turns = new Turns();
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly url: string,
    private readonly fixedWorker: number | undefined,
    private readonly log: Log,
    private readonly listener: Listener,
  ) {}

  get workerId(): number {
    // Ids that another replica makes as well would be no ids.
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
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: 2000,
      keepAlive: true,
      application_name: 'gatehouse notices',
    });
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client));
    // One's own commits need no word from outside.
    const own = () => (client as unknown as { processID: number }).processID;
    client.on('notification', ({ processId }) => processId !== own() && this.listener.heard());
    await client.connect();
    try {
      this.leased = await this.prepare(client);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.client = client;
  }

  async notify(): Promise<void> {
    await this.ask('notice', `SELECT pg_notify('${CHANNEL}', '')`, []);
  }

  /** Runs a statement in its turn; undefined while there is no connection. */
  ask<R>(name: string, text: string, values: unknown[]): Promise<R[]> | undefined {
    const { client } = this;
    if (!client) return undefined;
    return this.turns.take(async () => {
      try {
        return (await answered(client.query<R & QueryResultRow>({ name, text, values }))).rows;
      } catch (error) {
        if (error instanceof NoAnswer) this.lost(client, error);
        throw error;
      }
    });
  }

  private async prepare(client: pg.Client): Promise<number> {
    await answered(applySettings(client));
    // A wake-up is nothing that a crash must not lose.
    await answered(client.query<never>('SET synchronous_commit = off'));
    const leased = await this.lease(client);
    await answered(client.query<never>(`LISTEN ${CHANNEL}`));
    return leased;
  }

  private async lease(client: pg.Client): Promise<number> {
    if (this.fixedWorker !== undefined) return this.fixedWorker;
    const start = this.former ?? randomInt(WORKERS);
    for (let step = 0; step < WORKERS; step++) {
      const worker = (start + step) % WORKERS;
      const { rows } = await answered(
        client.query<{ won: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS won', [LEASE_CLASS, worker]),
      );
      if (rows[0]?.won) return worker;
    }
    throw new Error('all worker ids are leased');
  }

  private lost(client: pg.Client, error?: unknown): void {
    if (client !== this.client || this.isClosing) return;
    this.client = undefined;
    this.former = this.leased;
    this.leased = this.fixedWorker;
    client.end().catch(() => {});
    this.log.warn('the connection for notices between replicas was lost', { error });
    this.reconnectIn(250);
  }

  private reconnectIn(delay: number): void {
    this.retry = setTimeout(() => {
      this.open().then(
        () => this.listener.isBack(),
        (error) => {
          if (this.isClosing) return;
          this.log.debug('the connection for notices between replicas cannot be made', { error });
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
