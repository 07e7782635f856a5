import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A webhook. Only the digest of its token is stored. */
@Entity('webhook')
export class Webhook {
  @PrimaryColumn('bigint') id: string;
  @Column('bigint', { name: 'owner_id' }) ownerId: string;
  @Column('bigint', { name: 'application_id', nullable: true }) applicationId: string | null;
  @Column('text') name: string;
  @Column('text', { nullable: true }) avatar: string | null;
  @Column('bytea') digest: Buffer;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}

/** A file of a message, as stored with the message. */
export interface StoredAttachment {
  readonly id: string;
  readonly key: string;
  readonly filename: string;
  readonly content_type: string;
  readonly size: number;
  readonly width?: number;
  readonly height?: number;
}

/** A message of a webhook. It is hidden after it has expired (webhooks.md section 8). */
@Entity('webhook_message')
export class WebhookMessage {
  @PrimaryColumn('bigint') id: string;
  @Column('bigint', { name: 'webhook_id' }) webhookId: string;
  @Column('bigint', { name: 'application_id', nullable: true }) applicationId: string | null;
  /** Name and avatar at the time of sending. */
  @Column('text') username: string;
  @Column('text', { nullable: true }) avatar: string | null;
  /** The override as sent. It is shown only as a signed URL. */
  @Column('text', { name: 'avatar_url', nullable: true }) avatarUrl: string | null;
  @Column('text') content: string;
  @Column('jsonb') embeds: Record<string, unknown>[];
  @Column('jsonb') attachments: StoredAttachment[];
  @Column('integer') flags: number;
  @Column('jsonb', { nullable: true }) nonce: string | number | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'edited_at', nullable: true }) editedAt: Date | null;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}

/** Idempotency values: nonces for 5 minutes and delivery IDs for 24 hours. */
@Entity('webhook_repeat')
export class WebhookRepeat {
  @PrimaryColumn('bigint', { name: 'webhook_id' }) webhookId: string;
  @PrimaryColumn('text') kind: 'nonce' | 'delivery';
  @PrimaryColumn('text') value: string;
  @Column('bigint', { name: 'message_id', nullable: true }) messageId: string | null;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}
