import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { ApiError, validationError } from '../core/errors.js';
import { Snowflakes } from '../core/snowflake.js';
import { GatewayEvents } from '../gateway/sessions/events.service.js';
import { MediaUrlService } from '../media/addresses/urls.service.js';
import { MediaService } from '../media/objects/media.service.js';
import { Database, type Tx } from '../platform/database/database.js';
import { toJsonColumn } from '../platform/database/json-column.js';
import { type MessageView, messageView } from './message.views.js';
import { MessageEvents } from './message-events.service.js';
import type { NewFile } from './message-files.service.js';
import type { MessageEdit, MessageInput } from './message-input.js';
import { type StoredAttachment, WebhookMessage, WebhookRepeat } from './webhook.entities.js';
import { type AuthenticatedWebhook, WebhookTokenService } from './webhook-tokens.service.js';
import type { MessagesQuery } from './webhooks.dto.js';
import { type WebhookCaller, WebhookService } from './webhooks.service.js';

/** An idempotency value of a sender, and how long it is stored. */
export interface Repeatable {
  readonly kind: WebhookRepeat['kind'];
  readonly value: string;
  readonly seconds: number;
}

const NONCE_SECONDS = 300;
const PAGE = 50;

type NewMessage = Omit<WebhookMessage, 'expiresAt'>;

interface Visible {
  readonly content: string;
  readonly embeds: readonly unknown[];
  readonly attachments: readonly unknown[];
}

function assertVisible({ content, embeds, attachments }: Visible): void {
  if (content.trim() === '' && embeds.length === 0 && attachments.length === 0) {
    throw new ApiError('CANNOT_SEND_EMPTY_MESSAGE');
  }
}

/** Messages of webhooks (webhooks.md sections 4 and 5). */
@Injectable()
export class WebhookMessageService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookService,
    private readonly tokens: WebhookTokenService,
    private readonly media: MediaService,
    private readonly urls: MediaUrlService,
    private readonly snowflakes: Snowflakes,
    private readonly events: GatewayEvents,
    private readonly sinks: MessageEvents,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    for (const type of ['WEBHOOK_MESSAGE_CREATE', 'WEBHOOK_MESSAGE_UPDATE'] as const) {
      this.events.reader(type, async ({ webhook_id, message_id }) => {
        const message = await this.find(String(webhook_id), String(message_id));
        return message ? messageView(message, this.urls) : undefined;
      });
    }
  }

  /**
   * Creates a message. A repeat returns the original message.
   * The bytes of `files` are already stored; the commit makes them public.
   * @throws ApiError CANNOT_SEND_EMPTY_MESSAGE, MEDIA_QUOTA_EXCEEDED, UNKNOWN_WEBHOOK; UNKNOWN_MESSAGE for a repeat
   * whose original was deleted
   */
  async create(
    webhook: AuthenticatedWebhook,
    input: MessageInput,
    { files = [], repeat }: { files?: readonly NewFile[]; repeat?: Repeatable } = {},
  ): Promise<{ message: MessageView; isRepeat: boolean }> {
    assertVisible({ ...input, attachments: files });
    const message = this.compose(
      webhook,
      input,
      files.map(({ attachment }) => attachment),
    );
    const repeatable = repeat ?? nonceKey(input);
    const first = await this.database.transaction(async (tx) => {
      await this.tokens.lock(tx, webhook);
      const earlier = repeatable ? await this.claim(tx, webhook.id, message.id, repeatable) : null;
      if (earlier !== null) return earlier;
      await tx.createQueryBuilder().insert().into(WebhookMessage).values(this.expiring(message)).execute();
      if (files.length > 0) {
        const sizes = files.map(({ attachment }) => attachment.size);
        await this.media.assertQuota(tx, webhook.ownerId, sizes);
      }
      await this.media.adopt(
        tx,
        files.map(({ object }) => object),
      );
      await this.sinks.enqueue(tx, 'create', webhook, message);
      await this.announce(tx, 'WEBHOOK_MESSAGE_CREATE', webhook, message.id);
      return message.id;
    });
    const isRepeat = first !== message.id;
    return { message: isRepeat ? await this.show(webhook.id, first) : messageView(message, this.urls), isRepeat };
  }

  /**
   * Claims an idempotency value for message `id`. Returns `null` if it was free, otherwise the ID of the message that
   * has it.
   */
  private async claim(tx: Tx, webhookId: string, id: string, { kind, value, seconds }: Repeatable) {
    const won = await tx.query<unknown[]>(
      `INSERT INTO webhook_repeat AS r (webhook_id, kind, value, message_id, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
       ON CONFLICT (webhook_id, kind, value)
         DO UPDATE SET message_id = excluded.message_id, expires_at = excluded.expires_at WHERE r.expires_at <= now()
       RETURNING message_id`,
      [webhookId, kind, value, id, seconds],
    );
    if (won.length > 0) return null;
    const held = await tx.findOneByOrFail(WebhookRepeat, { webhookId, kind, value });
    return held.messageId;
  }

  private compose(webhook: AuthenticatedWebhook, input: MessageInput, files: readonly StoredAttachment[]): NewMessage {
    const isShown = input.avatarUrl !== null && this.urls.sign(input.avatarUrl) !== null;
    return {
      id: this.snowflakes.next(),
      webhookId: webhook.id,
      applicationId: webhook.applicationId,
      username: input.username ?? webhook.name,
      avatar: webhook.avatar,
      avatarUrl: isShown ? input.avatarUrl : null,
      content: input.content,
      embeds: [...input.embeds],
      attachments: [...files],
      flags: input.flags,
      nonce: input.nonce,
      createdAt: this.clock.date(),
      editedAt: null,
    };
  }

  /** The row of a message. The clock of the database determines when it expires. */
  private expiring(message: NewMessage) {
    return {
      ...message,
      embeds: toJsonColumn(message.embeds),
      expiresAt: () => `now() + interval '${Number(this.config.webhookRetentionDays)} days'`,
    };
  }

  /** Lists the messages of a webhook that the caller owns, newest first. */
  async list(
    me: WebhookCaller,
    webhookId: string,
    { limit = PAGE, before, after }: MessagesQuery,
  ): Promise<MessageView[]> {
    if (before !== undefined && after !== undefined) throw validationError('after', 'INVALID_FORMAT');
    await this.webhooks.requireOwned(me, webhookId);
    const query = this.database.manager
      .createQueryBuilder(WebhookMessage, 'm')
      .where('m.webhook_id = :webhookId AND m.expires_at > now()', { webhookId })
      .orderBy('m.id', after === undefined ? 'DESC' : 'ASC')
      .limit(limit);
    if (before !== undefined) query.andWhere('m.id < :before', { before });
    if (after !== undefined) query.andWhere('m.id > :after', { after });
    const messages = await query.getMany();
    if (after !== undefined) messages.reverse();
    return messages.map((message) => messageView(message, this.urls));
  }

  private find(webhookId: string, id: string, tx: Tx = this.database.manager): Promise<WebhookMessage | null> {
    return tx
      .createQueryBuilder(WebhookMessage, 'm')
      .where('m.id = :id AND m.webhook_id = :webhookId AND m.expires_at > now()', { id, webhookId })
      .getOne();
  }

  private async require(webhookId: string, id: string): Promise<WebhookMessage> {
    const message = await this.find(webhookId, id);
    if (!message) throw new ApiError('UNKNOWN_MESSAGE');
    return message;
  }

  /** @throws ApiError UNKNOWN_MESSAGE */
  async show(webhookId: string, id: string): Promise<MessageView> {
    return messageView(await this.require(webhookId, id), this.urls);
  }

  /**
   * Replaces the members that are present.
   * @throws ApiError UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE, CANNOT_SEND_EMPTY_MESSAGE
   */
  async edit(webhook: AuthenticatedWebhook, id: string, edit: MessageEdit): Promise<MessageView> {
    const edited = await this.database.transaction(async (tx) => {
      await this.tokens.lock(tx, webhook);
      await tx.query('SELECT 1 FROM webhook_message WHERE id = $1 FOR UPDATE', [id]);
      const message = await this.find(webhook.id, id, tx);
      if (!message) throw new ApiError('UNKNOWN_MESSAGE');
      if (Object.keys(edit).length === 0) throw new ApiError('CANNOT_SEND_EMPTY_MESSAGE');
      const changes = { ...edit, editedAt: this.clock.date() };
      assertVisible({ ...message, ...edit });
      await tx.update(WebhookMessage, { id }, { ...changes, embeds: edit.embeds && toJsonColumn(edit.embeds) });
      const { expiresAt: _, ...result } = Object.assign(message, changes);
      await this.sinks.enqueue(tx, 'update', webhook, result as NewMessage);
      await this.announce(tx, 'WEBHOOK_MESSAGE_UPDATE', webhook, id);
      return result as NewMessage;
    });
    return messageView(edited, this.urls);
  }

  /** @throws ApiError UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE */
  async delete(webhook: AuthenticatedWebhook, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.tokens.lock(tx, webhook);
      const { raw }: { raw: { attachments: StoredAttachment[] }[] } = await tx
        .createQueryBuilder()
        .delete()
        .from(WebhookMessage)
        .where('id = :id AND webhook_id = :webhookId AND expires_at > now()', { id, webhookId: webhook.id })
        .returning(['attachments'])
        .execute();
      const [deleted] = raw;
      if (!deleted) throw new ApiError('UNKNOWN_MESSAGE');
      await this.media.delete(
        tx,
        deleted.attachments.map(({ key }) => key),
      );
      await this.sinks.enqueue(tx, 'delete', webhook, { id });
      const d = { id, webhook_id: webhook.id };
      await this.events.announce(tx, { type: 'WEBHOOK_MESSAGE_DELETE', account_id: webhook.ownerId, d });
    });
  }

  /** Sends only IDs, because a message may exceed the size limit of notices. */
  private announce(
    tx: Tx,
    type: 'WEBHOOK_MESSAGE_CREATE' | 'WEBHOOK_MESSAGE_UPDATE',
    { id: webhookId, ownerId }: AuthenticatedWebhook,
    messageId: string,
  ): Promise<void> {
    return this.events.announce(tx, { type, account_id: ownerId, webhook_id: webhookId, message_id: messageId });
  }
}

const nonceKey = ({ nonce }: MessageInput): Repeatable | undefined =>
  nonce === null ? undefined : { kind: 'nonce', value: JSON.stringify(nonce), seconds: NONCE_SECONDS };
