import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Log } from '../core/log.js';
import { Metrics } from '../core/metrics.js';
import { Snowflakes } from '../core/snowflake.js';
import { MediaUrlService } from '../media/addresses/urls.service.js';
import { type ChangeResult, Database, type Tx } from '../platform/database/database.js';
import { Cleanup } from '../platform/jobs/cleanup.js';
import { backOffSeconds, PollingWorker } from '../platform/process/polling-worker.js';
import { messageView } from './message.views.js';
import { WEBHOOK_MESSAGE_SINKS, type WebhookMessageEvent, type WebhookMessageSink } from './message-sinks.js';
import type { WebhookMessage } from './webhook.entities.js';
import type { AuthenticatedWebhook } from './webhook-tokens.service.js';

type Message = Omit<WebhookMessage, 'expiresAt'>;

interface ClaimedEvent {
  readonly webhook_id: string;
  /** Lease number of the claim. */
  readonly lease: string;
  /** Null if no event is waiting. */
  readonly id: string | null;
  readonly event_id: string;
  readonly kind: WebhookMessageEvent['kind'];
  readonly webhook: WebhookMessageEvent['webhook'];
  readonly message: Message;
  readonly attempts: number;
  readonly hopeless: boolean;
}

const SINK_TIMEOUT_MS = 10_000;
/** Longer than the time limit of a sink. After this, the process that claimed the event is considered crashed. */
const LEASE_SECONDS = 30;

/**
 * Claims the oldest event of a due webhook. Later events of the webhook wait until it is handled or parked.
 * Only webhooks are scheduled, so waiting events cost nothing. The search starts after `done_id`, because recently
 * deleted rows are still in the index.
 */
export const CLAIM_DUE_WEBHOOK = `
  WITH claimed AS (
    UPDATE webhook_queue SET attempts = attempts + 1, lease = lease + 1,
      next_attempt_at = now() + interval '${LEASE_SECONDS} seconds'
    WHERE (sink, webhook_id) = (
      SELECT sink, webhook_id FROM webhook_queue WHERE sink = $1 AND next_attempt_at <= now()
      ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING webhook_id, attempts, lease, done_id)
  SELECT c.webhook_id, c.attempts, c.lease, e.id, e.event_id, e.kind, e.webhook, e.message,
         e.created_at < now() - interval '1 day' AS hopeless
  FROM claimed c LEFT JOIN LATERAL (
    SELECT * FROM webhook_event WHERE sink = $1 AND webhook_id = c.webhook_id AND parked_at IS NULL AND id > c.done_id
    ORDER BY id LIMIT 1) e ON true`;

const WAITING_EVENTS = `SELECT FROM webhook_event e
  WHERE e.sink = q.sink AND e.webhook_id = q.webhook_id AND e.parked_at IS NULL AND e.id > q.done_id`;

/** The row lock makes events of one webhook commit in the order of their IDs. */
const QUEUE_WEBHOOK = `
  INSERT INTO webhook_queue AS q (sink, webhook_id) SELECT sink, $1 FROM unnest($2::text[]) AS sink ORDER BY sink
  ON CONFLICT (sink, webhook_id) DO UPDATE SET lease = q.lease`;

/**
 * Delivers message events to the sinks of extensions (webhooks.md section 7).
 * A transactional outbox: events are written with the message and delivered after the commit, at least once, in order
 * per webhook.
 */
@Injectable()
export class MessageEvents implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private sinks: readonly string[] = [];
  /** One per sink, so that sinks do not wait for each other. */
  private drains: readonly PollingWorker[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly urls: MediaUrlService,
    private readonly log: Log,
    private readonly metrics: Metrics,
    cleanup: Cleanup,
  ) {
    // Events of a removed sink are never claimed. They are deleted together with parked ones.
    cleanup.addExpiry('webhook_event', 'id', "coalesce(parked_at, created_at) < now() - interval '7 days'");
    cleanup.add('webhook_queue', async (tx, limit) => {
      const [, count] = await tx.query<ChangeResult>(
        `DELETE FROM webhook_queue WHERE ctid = ANY (ARRAY(
           SELECT q.ctid FROM (
             SELECT ctid, * FROM webhook_queue WHERE next_attempt_at < now() - interval '8 days'
             ORDER BY next_attempt_at LIMIT ${limit}) q
           WHERE NOT EXISTS (${WAITING_EVENTS})))`,
      );
      return count;
    });
  }

  /** @throws Error if two sinks have the same name or a name is empty */
  onModuleInit(): void {
    const sinks = this.discovery
      .getProviders()
      .filter(({ token }) => token === WEBHOOK_MESSAGE_SINKS)
      .flatMap(({ instance }) => instance as WebhookMessageSink | WebhookMessageSink[]);
    const names = new Set(sinks.map(({ name }) => name));
    if (names.size !== sinks.length || names.has(''))
      throw new Error('Two sinks of webhook messages have the same name. Rename one');
    this.sinks = [...names];
    this.metrics.startAtZero('gatehouse_webhook_events_total', { sink: this.sinks });
    this.drains = sinks.map(
      (sink) =>
        new PollingWorker(
          () => this.handleNext(sink),
          (error) => this.log.error('reading webhook message events failed', { error }),
        ),
    );
  }

  onApplicationBootstrap(): void {
    for (const drain of this.drains) drain.start();
  }

  /** Writes an event in the transaction of the change. */
  async enqueue(
    tx: Tx,
    kind: WebhookMessageEvent['kind'],
    { id, applicationId, ownerId, name }: AuthenticatedWebhook,
    message: Message | Pick<Message, 'id'>,
  ): Promise<void> {
    if (this.sinks.length === 0) return;
    const webhook = JSON.stringify({ id, applicationId, ownerId, name });
    const row = [this.snowflakes.next(), id, kind, webhook, JSON.stringify(message), this.sinks];
    this.database.beforeCommit(tx, async () => {
      await tx.query(QUEUE_WEBHOOK, [id, this.sinks]);
      await tx.query(
        `INSERT INTO webhook_event (event_id, sink, webhook_id, kind, webhook, message)
         SELECT $1::bigint, sink, $2::bigint, $3::text, $4::jsonb, $5::jsonb FROM unnest($6::text[]) AS sink`,
        row,
      );
    });
    this.database.onCommit(tx, () => this.wake());
  }

  /** Deletes the waiting events of webhooks whose owner is deleted. */
  async forget(tx: Tx, webhookIds: readonly string[]): Promise<void> {
    await tx.query('DELETE FROM webhook_event WHERE webhook_id = ANY ($1::bigint[])', [webhookIds]);
  }

  /** Checks for due events immediately. */
  wake(): void {
    for (const drain of this.drains) drain.wake();
  }

  /** Handles the next due event. Returns false if there is none. */
  private async handleNext(sink: WebhookMessageSink): Promise<boolean> {
    const [claimed] = await this.database.manager.query<ClaimedEvent[]>(CLAIM_DUE_WEBHOOK, [sink.name]);
    if (!claimed) return false;
    if (claimed.id === null) await this.dequeue(sink, claimed);
    else if (claimed.hopeless) await this.park(sink, claimed);
    else await this.attempt(sink, claimed);
    return true;
  }

  private async attempt(sink: WebhookMessageSink, claimed: ClaimedEvent): Promise<void> {
    try {
      await withSinkTimeout(sink.handle(this.toEvent(claimed)));
    } catch (error) {
      await this.defer(sink, claimed, error);
      return;
    }
    this.metrics.add('gatehouse_webhook_events_total', { sink: sink.name, outcome: 'handled' });
    await this.finish(sink, claimed, 'DELETE FROM webhook_event');
  }

  /** Ends an event and makes the next one of the webhook due. Has no effect on the queue if the lease has been lost. */
  private async finish(sink: WebhookMessageSink, { id, webhook_id, lease }: ClaimedEvent, end: string): Promise<void> {
    await this.database.manager.query(
      `WITH ended AS (${end} WHERE id = $1)
       UPDATE webhook_queue SET next_attempt_at = now(), attempts = 0, done_id = $1
       WHERE sink = $2 AND webhook_id = $3 AND lease = $4`,
      [id, sink.name, webhook_id, lease],
    );
    this.wake();
  }

  /**
   * Removes the queue row of a webhook without waiting events. The row lock excludes concurrent `enqueue` calls, and
   * the check runs after it.
   */
  private async dequeue(sink: WebhookMessageSink, { webhook_id: id }: ClaimedEvent): Promise<void> {
    await this.database.transaction(async (tx) => {
      const key = [sink.name, id];
      await tx.query('SELECT 1 FROM webhook_queue WHERE sink = $1 AND webhook_id = $2 FOR UPDATE', key);
      const [, removed] = await tx.query<ChangeResult>(
        `DELETE FROM webhook_queue q WHERE sink = $1 AND webhook_id = $2 AND NOT EXISTS (${WAITING_EVENTS})`,
        key,
      );
      if (removed === 1) return;
      await tx.query('UPDATE webhook_queue SET next_attempt_at = now() WHERE sink = $1 AND webhook_id = $2', key);
    });
    this.wake();
  }

  private toEvent({ event_id: eventId, kind, webhook, message }: ClaimedEvent): WebhookMessageEvent {
    if (kind === 'delete') return { eventId, kind, webhook, message: { id: message.id } };
    const editedAt = message.editedAt === null ? null : new Date(message.editedAt);
    const row = { ...message, createdAt: new Date(message.createdAt), editedAt };
    return { eventId, kind, webhook, message: messageView(row, this.urls) };
  }

  private async defer(sink: WebhookMessageSink, claimed: ClaimedEvent, error: unknown): Promise<void> {
    const { id, webhook_id, lease, attempts } = claimed;
    this.metrics.add('gatehouse_webhook_events_total', { sink: sink.name, outcome: 'deferred' });
    const reason = error instanceof Error ? error.constructor.name : 'unknown';
    this.log.warn('a sink rejected a webhook message event', { sink: sink.name, event: id, attempts, reason });
    await this.database.manager.query(
      `UPDATE webhook_queue SET next_attempt_at = now() + make_interval(secs => $4)
       WHERE sink = $1 AND webhook_id = $2 AND lease = $3`,
      [sink.name, webhook_id, lease, backOffSeconds(attempts)],
    );
  }

  private async park(sink: WebhookMessageSink, claimed: ClaimedEvent): Promise<void> {
    this.metrics.add('gatehouse_webhook_events_total', { sink: sink.name, outcome: 'parked' });
    this.log.error('webhook message event dropped: a sink rejected it for a day', {
      sink: sink.name,
      event: claimed.id,
    });
    await this.finish(sink, claimed, 'UPDATE webhook_event SET parked_at = now()');
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.drains.map((drain) => drain.stop()));
  }
}

class SinkTimeout extends Error {}

async function withSinkTimeout(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SinkTimeout('no answer')), SINK_TIMEOUT_MS);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
