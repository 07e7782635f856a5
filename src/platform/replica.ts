import { randomInt, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Config } from '../config.js';
import { Log } from '../log.js';
import { type Database, type Tx } from './database.js';
import { HeardMessages, RedisNotices } from './redis-notices.js';

/** What replicas tell each other after a commit: ids, never secrets and never rows. */
export interface Notice {
  readonly topic: string;
  readonly data: Record<string, unknown>;
}

export type NoticeHandler = (data: Record<string, unknown>) => void | Promise<void>;

/** Adds to what is announced, in the transaction that announces it. */
export type NoticePreparation = (tx: Tx, data: Record<string, unknown>) => Promise<Record<string, unknown>>;

interface Listener {
  readonly handler: NoticeHandler;
  readonly inOrder: boolean;
  readonly early: boolean;
}

/** A notice on its way. Its id is random: nobody can say beforehand what a message will be. */
interface Message extends Notice {
  readonly origin: string;
  readonly id: string;
}

function parseMessage(text: string): Message | null {
  try {
    const { origin, id, topic, data } = JSON.parse(text);
    const isWhole = [origin, id, topic].every((part) => typeof part === 'string');
    return isWhole && typeof data === 'object' && data !== null ? { origin, id, topic, data } : null;
  } catch {
    return null;
  }
}

const everyone = (): boolean => true;
const CHANNEL = 'gatehouse';
const PROBE_MS = 1500;
const MAX_UNANSWERED = 2;
// PostgreSQL takes 8000 bytes; this leaves room for what is sent with it.
const MAX_NOTICE_BYTES = 7900;
const LEASE_CLASS = 0x6777;
const WORKERS = 1024;

/**
 * This process among its equals: its worker id for snowflakes, and the notices that it exchanges with the others.
 * Notices of one transaction are delivered after its commit, here before the operation answers. While notices of
 * others cannot be heard, some are lost; `resync` is delivered once they can be heard again.
 */
export abstract class Replica {
  private readonly listeners = new Map<string, Listener[]>();
  private readonly preparations = new Map<string, NoticePreparation>();
  /** False while notices of other replicas cannot be heard. */
  abstract readonly isConnected: boolean;
  abstract readonly workerId: number;

  constructor(
    protected readonly database: Database,
    protected readonly log: Log,
  ) {}

  static async join(config: Config, database: Database, log: Log): Promise<Replica> {
    if (!config.databaseUrl) return new SingleReplica(database, log, config.workerId ?? 0);
    const replica = new PostgresReplica(database, log, config.databaseUrl, config.workerId);
    try {
      await replica.connect();
      if (config.redisUrl) await replica.openSecondWay(config, config.redisUrl);
    } catch (error) {
      await replica.close();
      throw error;
    }
    return replica;
  }

  /**
   * `inOrder`: the notices of all replicas are heard in the order of their commits, this one's own in their place
   * among the others, and so not always before its operation answers.
   * `early`: notices of others are heard by Redis too, where there is one, each of them once. Whoever may publish there can
   * make them up: such a handler takes from a notice only where to look, or which connections have to come back.
   */
  on(topic: string, handler: NoticeHandler, { inOrder = false, early = false } = {}): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), { handler, inOrder, early }]);
  }

  protected isEarly(topic: string): boolean {
    return this.listeners.get(topic)?.some(({ early }) => early) ?? false;
  }

  prepare(topic: string, preparation: NoticePreparation): void {
    this.preparations.set(topic, preparation);
  }

  /** Announces a change that `tx` makes. A notice is small: what is larger is read where the notice is heard. */
  async announce(tx: Tx, { topic, data }: Notice): Promise<void> {
    const prepare = this.preparations.get(topic);
    const notice = { topic, data: prepare ? await prepare(tx, data) : data };
    if (Buffer.byteLength(JSON.stringify(notice)) > MAX_NOTICE_BYTES) {
      throw new Error(`a notice of topic ${notice.topic} is too large`);
    }
    await this.send(tx, notice);
    this.database.onCommit(tx, () => this.deliver(notice, ({ inOrder }) => !inOrder || !this.hearsItself));
  }

  /** Whether a notice of this replica comes back to it, in its place among those of the others. */
  protected abstract readonly hearsItself: boolean;
  protected abstract send(tx: Tx, notice: Notice): Promise<void>;
  abstract close(): Promise<void>;

  /** What is announced has happened: a handler that fails stops neither the others nor the operation. */
  protected async deliver({ topic, data }: Notice, concerns: (listener: Listener) => boolean): Promise<void> {
    for (const listener of this.listeners.get(topic) ?? []) {
      try {
        if (concerns(listener)) await listener.handler(data);
      } catch (error) {
        this.log.error('a notice could not be handled', { topic, error });
      }
    }
  }
}

/** The only process on its database: the embedded one. */
class SingleReplica extends Replica {
  readonly isConnected = true;
  protected readonly hearsItself = false;

  constructor(
    database: Database,
    log: Log,
    readonly workerId: number,
  ) {
    super(database, log);
  }

  protected async send(): Promise<void> {}
  async close(): Promise<void> {}
}

/**
 * One of any number: notices by LISTEN/NOTIFY, the worker id leased by an advisory lock of the same connection. With
 * Redis, notices that need no order go by it as well, and the first of the two to arrive counts.
 */
class PostgresReplica extends Replica {
  private readonly origin = randomUUID();
  private readonly heardMessages = new HeardMessages();
  private secondWay: RedisNotices | undefined;
  private client: pg.Client | undefined;
  private leased: number | undefined;
  private closing = false;
  private retry: NodeJS.Timeout | undefined;
  private probe: NodeJS.Timeout | undefined;
  isConnected = false;

  constructor(
    database: Database,
    log: Log,
    private readonly url: string,
    private readonly fixedWorker: number | undefined,
  ) {
    super(database, log);
  }

  get workerId(): number {
    if (this.leased === undefined) throw new Error('no worker id is leased');
    return this.leased;
  }

  async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: 2000,
      keepAlive: true,
      application_name: 'gatehouse notices',
    });
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    client.on('notification', ({ payload }) => this.heard(payload));
    await client.connect();
    try {
      this.leased = await this.lease(client);
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      await client.end();
      throw error;
    }
    this.client = client;
    this.isConnected = true;
    this.watch(client);
  }

  async openSecondWay(config: Config, url: string): Promise<void> {
    const { log, client } = this;
    const way = { url, log, database: client?.database ?? '' };
    this.secondWay = await RedisNotices.open(config, way, (message) => this.heardEarly(message));
  }

  /** A connection that swallows everything reports no error: it counts as lost when probes stay unanswered. */
  private watch(client: pg.Client): void {
    let unanswered = 0;
    this.probe = setInterval(() => {
      if (unanswered >= MAX_UNANSWERED) return this.lost(client);
      unanswered++;
      client.query('SELECT 1').then(
        () => {
          unanswered = 0;
        },
        () => this.lost(client),
      );
    }, PROBE_MS).unref();
  }

  private async lease(client: pg.Client): Promise<number> {
    if (this.fixedWorker !== undefined) return this.fixedWorker;
    const start = this.leased ?? randomInt(WORKERS);
    for (let step = 0; step < WORKERS; step++) {
      const worker = (start + step) % WORKERS;
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1, $2) AS won', [LEASE_CLASS, worker]);
      if (rows[0]?.won) return worker;
    }
    throw new Error('all worker ids are leased');
  }

  private lost(client: pg.Client): void {
    if (client !== this.client || this.closing) return;
    clearInterval(this.probe);
    this.client = undefined;
    this.isConnected = false;
    client.end().catch(() => {});
    this.log.warn('the connection for notices between replicas was lost');
    this.reconnectIn(250);
  }

  private reconnectIn(delay: number): void {
    this.retry = setTimeout(() => {
      this.connect().then(
        () => this.deliver({ topic: 'resync', data: {} }, everyone),
        () => !this.closing && this.reconnectIn(Math.min(delay * 2, 5000)),
      );
    }, delay);
  }

  private heard(text: string | undefined): void {
    const message = parseMessage(text ?? '');
    if (!text || !message) return;
    const isOwn = message.origin === this.origin;
    const isRepeated = !isOwn && this.isSecondTime(text, message);
    void this.deliver(message, ({ inOrder, early }) => (isOwn ? inOrder : !(early && isRepeated)));
  }

  private heardEarly(text: string): void {
    const message = parseMessage(text);
    if (!message || message.origin === this.origin || this.isSecondTime(text, message)) return;
    void this.deliver(message, ({ early }) => early);
  }

  private isSecondTime(text: string, { topic }: Message): boolean {
    return this.secondWay !== undefined && this.isEarly(topic) && this.heardMessages.note(text);
  }

  protected get hearsItself(): boolean {
    return this.isConnected;
  }

  protected async send(tx: Tx, notice: Notice): Promise<void> {
    const message: Message = { origin: this.origin, id: randomUUID(), ...notice };
    const text = JSON.stringify(message);
    await tx.query('SELECT pg_notify($1, $2)', [CHANNEL, text]);
    if (this.isEarly(notice.topic)) this.database.onCommit(tx, () => this.secondWay?.publish(text));
  }

  async close(): Promise<void> {
    this.closing = true;
    this.secondWay?.close();
    clearTimeout(this.retry);
    clearInterval(this.probe);
    const client = this.client;
    this.client = undefined;
    await client?.end();
  }
}
