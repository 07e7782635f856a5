import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';
import { Keyring } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { type Changed, Database, type Tx } from '../database/database.js';
import { Instance } from '../instance/instance.js';
import { KeyRotation } from '../keys/key-rotation.js';
import { backOffSeconds, Drain } from '../process/at-least-once.js';
import { Janitor } from '../process/janitor.js';
import { InboxMessage, OutboxMessage } from './mail.entities.js';
import { type MailTransport, MessageRefused, RecipientRefused } from './mail.js';
import type { MailMetadata, MailType } from './templates/contents.js';
import { renderMail } from './templates/render.js';

export const MAIL_TRANSPORT = Symbol('MailTransport');

/** A message to put into the outbox. */
export interface Letter<T extends MailType> {
  readonly type: T;
  readonly to: string;
  /** The account that the message is about: a refused address is marked on it. */
  readonly accountId: string | null;
  readonly metadata: MailMetadata[T];
  /** The device that asked, as it may be named in the message. */
  readonly client?: string | undefined;
  /** How long the token or code works: afterwards the message is not sent any more. */
  readonly expiresInSeconds?: number;
}

interface Payload {
  readonly metadata: MailMetadata[MailType];
  readonly client?: string;
}

interface Claimed {
  readonly id: string;
  readonly type: MailType;
  readonly recipient: string;
  readonly payload: Buffer | null;
  readonly account_id: string | null;
  readonly created_at: Date;
  readonly attempts: number;
  readonly too_late: boolean;
  readonly hopeless: boolean;
}

/** Longer than any transport takes: afterwards the sender is taken for dead and the message is sent again. */
const LEASE_SECONDS = 120;

const CLAIM_DUE_MAIL = `
  UPDATE outbox SET attempts = attempts + 1, next_attempt_at = now() + interval '${LEASE_SECONDS} seconds'
  WHERE id = (SELECT id FROM outbox WHERE sent_at IS NULL AND parked_at IS NULL AND next_attempt_at <= now()
              ORDER BY next_attempt_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, type, recipient, payload, account_id, created_at, attempts,
            coalesce(expires_at <= now(), false) AS too_late, created_at < now() - interval '1 day' AS hopeless`;

/**
 * Mail as rows of the operation's own transaction, sent after its commit by whichever process is free: at least once,
 * with the same message id, never after it has expired. What it holds is encrypted until then and erased afterwards.
 */
@Injectable()
export class Outbox implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Told of an address that a mail server refused for good. */
  refused: (accountId: string, address: string) => Promise<void> = async () => {};

  private readonly outcomes: Counter<'type' | 'outcome'>;
  private readonly drain: Drain;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly keyring: Keyring,
    private readonly instance: Instance,
    private readonly config: Config,
    private readonly log: Log,
    metrics: Metrics,
    janitor: Janitor,
    rotation: KeyRotation,
    @Inject(MAIL_TRANSPORT) private readonly transport: MailTransport | null,
  ) {
    this.drain = new Drain(
      () => this.sendNext(),
      (error) => log.error('the outbox cannot be read', { error }),
    );
    this.outcomes = new Counter({
      name: 'gatehouse_mail_total',
      help: 'Mail by kind and what became of it',
      labelNames: ['type', 'outcome'],
      registers: [metrics.registry],
    });
    const WAITING_MAIL = 'FROM outbox WHERE sent_at IS NULL AND parked_at IS NULL';
    const ask = async (value: string) => {
      const [row] = await database.manager.query<[{ v: string }]>(`SELECT ${value} AS v ${WAITING_MAIL}`);
      return Number(row.v);
    };
    metrics.gauge('gatehouse_outbox_waiting', 'Mail that waits to be sent', () => ask('count(*)'));
    metrics.gauge('gatehouse_outbox_lag_seconds', 'Age of the oldest mail that waits', () =>
      ask('coalesce(extract(epoch FROM now() - min(created_at)), 0)'),
    );
    rotation.addColumn('mail that waits', 'outbox', 'outbox', 'payload');
    // What was never sent waits for a transport that is gone: a running one parks it after a day.
    janitor.addExpiry('outbox', 'id', "coalesce(sent_at, parked_at, created_at) < now() - interval '7 days'");
    const newest = 'SELECT id FROM inbox_message ORDER BY id DESC LIMIT 1000';
    janitor.addExpiry('inbox_message', 'id', `id < (SELECT min(id) FROM (${newest}) n)`);
  }

  /** Whether mail can be sent at all. */
  get isOpen(): boolean {
    return this.transport !== null;
  }

  onApplicationBootstrap(): void {
    if (this.isOpen) this.drain.start();
  }

  /** Writes a message in the transaction of what causes it. Without a transport nothing is written. */
  async enqueue<T extends MailType>(tx: Tx, letter: Letter<T>): Promise<void> {
    if (!this.isOpen) return;
    const id = this.snowflakes.next();
    const payload: Payload = { metadata: letter.metadata, ...(letter.client ? { client: letter.client } : {}) };
    const { expiresInSeconds: seconds } = letter;
    await tx
      .createQueryBuilder()
      .insert()
      .into(OutboxMessage)
      .values({
        id,
        type: letter.type,
        recipient: letter.to,
        accountId: letter.accountId,
        payload: this.keyring.encrypt('outbox', JSON.stringify(payload), id),
        expiresAt: seconds === undefined ? null : () => `now() + interval '${Number(seconds)} seconds'`,
      })
      .execute();
    this.database.onCommit(tx, () => this.drain.wake());
  }

  /** Forgets mail to and about an account that goes, sent or not. */
  async forget(tx: Tx, accountId: string, address: string | null): Promise<void> {
    for (const entity of [OutboxMessage, InboxMessage]) {
      await tx
        .createQueryBuilder()
        .delete()
        .from(entity)
        .where('account_id = :accountId OR lower(recipient) = lower(:address)', { accountId, address })
        .execute();
    }
  }

  /** False when nothing is due. */
  private async sendNext(): Promise<boolean> {
    const [[message]] = await this.database.manager.query<Changed<Claimed>>(CLAIM_DUE_MAIL);
    if (!message) return false;
    if (message.too_late || message.hopeless || !message.payload) await this.park(message, 'expired');
    else await this.attempt(message, message.payload);
    return true;
  }

  private async attempt(message: Claimed, box: Buffer): Promise<void> {
    try {
      await this.transport?.send(this.mailOf(message, box));
    } catch (error) {
      await this.failed(message, error);
      return;
    }
    this.outcomes.inc({ type: message.type, outcome: 'sent' });
    await this.database.manager.update(OutboxMessage, { id: message.id }, { sentAt: () => 'now()', payload: null });
  }

  private mailOf({ id, type, recipient, account_id: accountId, created_at }: Claimed, box: Buffer) {
    const { metadata, client } = JSON.parse(this.keyring.decrypt('outbox', box, id)) as Payload;
    const rendered = renderMail(type, {
      metadata: metadata as never,
      client,
      product: this.instance.current.branding.productName,
      at: created_at.toISOString(),
      link: (path, token) => `${this.config.webAppUrl}${path}#token=${token}`,
    });
    return { id, to: recipient, accountId, type, metadata: { ...metadata }, ...rendered };
  }

  private async failed(message: Claimed, error: unknown): Promise<void> {
    const { id, type, recipient, account_id: accountId, attempts } = message;
    const isFinal = error instanceof RecipientRefused || error instanceof MessageRefused;
    this.log.warn('mail was not delivered', { mail: id, type, attempts, final: isFinal, reason: reasonOf(error) });
    if (!isFinal) {
      this.outcomes.inc({ type, outcome: 'deferred' });
      const nextAttemptAt = () => `now() + interval '${Math.round(backOffSeconds(attempts))} seconds'`;
      await this.database.manager.update(OutboxMessage, { id }, { nextAttemptAt });
      return;
    }
    await this.park(message, 'refused');
    if (error instanceof RecipientRefused && accountId) await this.refused(accountId, recipient);
  }

  private async park({ id, type }: Claimed, outcome: 'expired' | 'refused'): Promise<void> {
    this.outcomes.inc({ type, outcome });
    await this.database.manager.update(OutboxMessage, { id }, { parkedAt: () => 'now()', payload: null });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drain.stop();
    await this.transport?.close();
  }
}

/** The kind of a failure; its message may quote the recipient. */
const reasonOf = (error: unknown): string => {
  if (error instanceof RecipientRefused || error instanceof MessageRefused) return error.message;
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return (
    [code, responseCode].filter(Boolean).join(' ') || (error instanceof Error ? error.constructor.name : 'unknown')
  );
};
