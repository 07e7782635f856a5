import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A security event of an account, as shown to its owner (web.md section 5). */
@Entity('security_event')
export class RecordedEvent {
  @PrimaryColumn('bigint') id: string;
  /** The user. Events of a bot are recorded for its owner. */
  @Column('bigint', { name: 'account_id' }) accountId: string;
  @Column('text') type: string;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  /** SHA-256 of the token of the session that the event is about. */
  @Column('bytea', { name: 'session_digest', nullable: true }) sessionDigest: Buffer | null;
  /** IP address of the request that caused the event; `null` if the account owner must not see it. */
  @Column('text', { nullable: true }) ip: string | null;
  @Column('text', { name: 'user_agent', nullable: true }) userAgent: string | null;
  @Column('text', { nullable: true }) os: string | null;
  /** Facts, never secrets. */
  @Column('jsonb') data: Record<string, unknown>;
}
