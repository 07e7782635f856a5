import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';
import type { FactsOfMail, MailType } from '../../core/names.js';
import { Keyring } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { matchLanguage } from '../../core/text/languages.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { type ChangeResult, Database, type Tx } from '../database/database.js';
import { Instance } from '../instance/instance.js';
import { Cleanup } from '../jobs/cleanup.js';
import { KeyRotation } from '../keys/key-rotation.js';
import { OutboundFault } from '../outbound/network.js';
import { backOffSeconds, PollingWorker } from '../process/polling-worker.js';
import { InboxMessage, OutboxMessage } from './mail.entities.js';
import { EndpointRejected, type MailTransport, MessageRejected, RecipientRejected } from './mail.js';
import { linkWithFragment } from './templates/contents.js';
import { mailBranding, renderMail } from './templates/render.js';
import type { Device } from './templates/words/kinds.js';

export const MAIL_TRANSPORT = Symbol('MailTransport');

/** A message for the outbox. */
export interface OutgoingMail<T extends MailType> {
  readonly type: T;
  readonly to: string;
  /** The account that the message is about. If the recipient is rejected, its email address is marked as bounced. */
  readonly accountId: string | null;
  readonly metadata: FactsOfMail<T>;
  /** The client device of the request, as the message names it. */
  readonly client?: Device | undefined;
  /** Validity of the token or code. After that, the message is not sent any more. */
  readonly expiresInSeconds?: number;
  /** Send time, if later than now. */
  readonly sendAt?: Date;
}

interface Payload {
  readonly metadata: object;
  readonly client?: Device;
}

interface ClaimedMail {
  readonly id: string;
  readonly type: MailType;
  readonly recipient: string;
  readonly payload: Buffer | null;
  readonly account_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly locale: string | null;
  readonly attempts: number;
  readonly too_late: boolean;
  readonly hopeless: boolean;
}

/** Data for rendering besides the payload. */
type Envelope = Pick<ClaimedMail, 'id' | 'type' | 'recipient' | 'account_id' | 'created_at' | 'expires_at' | 'locale'>;

/** Longer than any transport takes. After that, the sender counts as crashed and the message is sent again. */
const LEASE_SECONDS = 120;

const CLAIM_DUE_MAIL = `
  UPDATE outbox SET attempts = attempts + 1, next_attempt_at = now() + interval '${LEASE_SECONDS} seconds'
  WHERE id = (SELECT id FROM outbox WHERE sent_at IS NULL AND parked_at IS NULL AND next_attempt_at <= now()
              ORDER BY next_attempt_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, type, recipient, payload, account_id, created_at, expires_at, attempts,
            (SELECT locale FROM account WHERE account.id = outbox.account_id) AS locale,
            coalesce(expires_at <= now(), false) AS too_late, created_at < now() - interval '1 day' AS hopeless`;

/**
 * Transactional outbox: email is written in the transaction of the operation and sent after its commit by any free
 * process. It is sent at least once with the same message ID, and never after it has expired. The payload is encrypted,
 * and erased afterwards.
 */
@Injectable()
export class Outbox implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Callback for permanently rejected recipients. */
  onRecipientRejected: (accountId: string, address: string) => Promise<void> = async () => {};

  private readonly worker: PollingWorker;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly keyring: Keyring,
    private readonly instance: Instance,
    private readonly config: Config,
    private readonly log: Log,
    private readonly features: FeatureRegistry,
    private readonly metrics: Metrics,
    cleanup: Cleanup,
    rotation: KeyRotation,
    @Inject(MAIL_TRANSPORT) private readonly transport: MailTransport | null,
  ) {
    this.worker = new PollingWorker(
      () => this.sendNext(),
      (error) => log.error('reading the email outbox failed', { error }),
    );
    metrics.startAtZero('gatehouse_mail_total', { type: [...features.mails.keys()] });
    metrics.measure('gatehouse_outbox_waiting', () => this.countWaiting());
    metrics.measure('gatehouse_outbox_lag_seconds', () =>
      this.queryWaiting('coalesce(extract(epoch FROM now() - min(created_at)), 0)'),
    );
    rotation.addColumn('queued email', 'outbox', 'outbox', 'payload');
    // Also covers rows that were never sent because the transport was removed. A running transport parks such rows
    // after a day.
    cleanup.addExpiry('outbox', 'id', "coalesce(sent_at, parked_at, created_at) < now() - interval '7 days'");
    const newest = 'SELECT id FROM inbox_message ORDER BY id DESC LIMIT 1000';
    cleanup.addExpiry('inbox_message', 'id', `id < (SELECT min(id) FROM (${newest}) n)`);
  }

  /** Returns the number of emails that wait to be sent. */
  countWaiting(): Promise<number> {
    return this.queryWaiting('count(*)');
  }

  private async queryWaiting(value: string): Promise<number> {
    const [row] = await this.database.manager.query<[{ v: string }]>(
      `SELECT ${value} AS v FROM outbox WHERE sent_at IS NULL AND parked_at IS NULL AND created_at <= now()`,
    );
    return Number(row.v);
  }

  /** Whether an email transport is configured. */
  get canSend(): boolean {
    return this.transport !== null;
  }

  onApplicationBootstrap(): void {
    if (this.canSend) this.worker.start();
  }

  /** Writes a message in the transaction that causes it. Does nothing without a transport. */
  async enqueue<T extends MailType>(tx: Tx, letter: OutgoingMail<T>): Promise<void> {
    if (!this.canSend) return;
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
        // The same statement for every kind of email, so that the response time does not reveal the kind.
        expiresAt: () => "now() + :seconds * interval '1 second'",
        createdAt: letter.sendAt ?? (() => 'now()'),
        nextAttemptAt: letter.sendAt ?? (() => 'now()'),
      })
      .setParameter('seconds', seconds ?? null)
      .execute();
    this.database.onCommit(tx, () => this.worker.wake());
  }

  /**
   * Sends a message immediately, bypassing the outbox. Call it outside a transaction, and only if there is a transport.
   * @returns the reason why sending failed, or `null` if it succeeded
   */
  async sendNow<T extends MailType>({ type, to, accountId, metadata }: OutgoingMail<T>): Promise<string | null> {
    const [row] = await this.database.manager.query<[{ at: Date; locale: string | null }]>(
      'SELECT now() AS at, (SELECT locale FROM account WHERE id = $1) AS locale',
      [accountId],
    );
    const envelope = { type, recipient: to, account_id: accountId, created_at: row.at, expires_at: null };
    const mail = this.render({ ...envelope, id: this.snowflakes.next(), locale: row.locale }, { metadata });
    try {
      await this.transport?.send(mail);
    } catch (error) {
      this.metrics.add('gatehouse_mail_total', { type, outcome: 'refused' });
      return describeSendError(error);
    }
    this.metrics.add('gatehouse_mail_total', { type, outcome: 'sent' });
    return null;
  }

  /** Deletes all email to and about an account that is being deleted, sent or not. */
  async deleteAllOf(tx: Tx, accountId: string, address: string | null): Promise<void> {
    for (const entity of [OutboxMessage, InboxMessage]) {
      await tx
        .createQueryBuilder()
        .delete()
        .from(entity)
        .where('account_id = :accountId OR lower(recipient) = lower(:address)', { accountId, address })
        .execute();
    }
  }

  /** Sends the next due email. Returns false if none is due. */
  private async sendNext(): Promise<boolean> {
    const [[message]] = await this.database.manager.query<ChangeResult<ClaimedMail>>(CLAIM_DUE_MAIL);
    if (!message) return false;
    if (message.too_late || message.hopeless || !message.payload) await this.park(message, 'expired');
    else await this.deliver(message, message.payload);
    return true;
  }

  private async deliver(message: ClaimedMail, box: Buffer): Promise<void> {
    try {
      const payload = JSON.parse(this.keyring.decrypt('outbox', box, message.id)) as Payload;
      await this.transport?.send(this.render(message, payload));
    } catch (error) {
      await this.handleFailure(message, error);
      return;
    }
    this.metrics.add('gatehouse_mail_total', { type: message.type, outcome: 'sent' });
    await this.database.manager.update(OutboxMessage, { id: message.id }, { sentAt: () => 'now()', payload: null });
  }

  /** Renders a message in the current language of the account. */
  private render(envelope: Envelope, { metadata, client }: Payload) {
    const { id, type, recipient, account_id: accountId, created_at: at, expires_at: until, locale } = envelope;
    const { branding, legal } = this.instance.current;
    const context = {
      metadata,
      client,
      product: branding.productName,
      at,
      validSeconds: until === null ? 0 : (until.getTime() - at.getTime()) / 1000,
      webAppUrl: this.config.webAppUrl,
      link: (path: string, token: string, facts?: Readonly<Record<string, string>>) =>
        linkWithFragment(`${this.config.webAppUrl}${path}`, token, this.config.web.pages ? facts : {}),
    };
    const rendered = renderMail(
      this.features.mails,
      type,
      context,
      matchLanguage(locale),
      mailBranding(this.config, legal),
    );
    return { id, to: recipient, accountId, type, metadata: { ...metadata }, ...rendered };
  }

  private async handleFailure(message: ClaimedMail, error: unknown): Promise<void> {
    const { id, type, recipient, account_id: accountId, attempts } = message;
    const isFinal = error instanceof RecipientRejected || error instanceof MessageRejected;
    this.log.warn('email was not delivered', {
      mail: id,
      type,
      attempts,
      final: isFinal,
      reason: describeSendError(error),
    });
    if (!isFinal) {
      this.metrics.add('gatehouse_mail_total', { type, outcome: 'deferred' });
      const nextAttemptAt = () => `now() + interval '${Math.round(backOffSeconds(attempts))} seconds'`;
      await this.database.manager.update(OutboxMessage, { id }, { nextAttemptAt });
      return;
    }
    await this.park(message, 'refused');
    if (error instanceof RecipientRejected && accountId) await this.onRecipientRejected(accountId, recipient);
  }

  private async park({ id, type }: ClaimedMail, outcome: 'expired' | 'refused'): Promise<void> {
    this.metrics.add('gatehouse_mail_total', { type, outcome });
    await this.database.manager.update(OutboxMessage, { id }, { parkedAt: () => 'now()', payload: null });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.stop();
    await this.transport?.close();
  }
}

/** Error classes whose messages contain no external text. */
const ERRORS_SAFE_TO_LOG = [RecipientRejected, MessageRejected, EndpointRejected, OutboundFault];

/** Describes an error for the log. The message of an external error is dropped because it may quote the recipient. */
const describeSendError = (error: unknown): string => {
  const own = ERRORS_SAFE_TO_LOG.find((kind) => error instanceof kind) && (error as Error).message;
  if (own) return own;
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return (
    [code, responseCode].filter(Boolean).join(' ') || (error instanceof Error ? error.constructor.name : 'unknown')
  );
};
