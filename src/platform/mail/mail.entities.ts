import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MailType } from '../../core/names.js';

/** A message that must not be lost. It is written in the transaction that causes it and sent afterwards. */
@Entity('outbox')
export class OutboxMessage {
  @PrimaryColumn('bigint') id: string;
  @Column('text') type: MailType;
  @Column('text') recipient: string;
  /** Facts for the template, encrypted. Erased once the message is sent or parked. */
  @Column('bytea', { nullable: true }) payload: Buffer | null;
  @Column('bigint', { name: 'account_id', nullable: true }) accountId: string | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  /** After this time, the message is not sent because its token or code has expired. */
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('timestamptz', { name: 'next_attempt_at', default: () => 'now()' }) nextAttemptAt: Date;
  @Column('integer', { default: 0 }) attempts: number;
  @Column('timestamptz', { name: 'sent_at', nullable: true }) sentAt: Date | null;
  @Column('timestamptz', { name: 'parked_at', nullable: true }) parkedAt: Date | null;
}

/** A message of the development inbox. */
@Entity('inbox_message')
export class InboxMessage {
  @PrimaryColumn('bigint') id: string;
  @Column('text') channel: 'email' | 'sms';
  @Column('text') recipient: string;
  @Column('text') type: string;
  @Column('text', { nullable: true }) subject: string | null;
  @Column('text') text: string;
  @Column('text', { nullable: true }) html: string | null;
  @Column('jsonb') metadata: Record<string, unknown>;
  @Column('bigint', { name: 'account_id', nullable: true }) accountId: string | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
}
