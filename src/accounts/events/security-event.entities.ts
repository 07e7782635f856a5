import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Something that befell the security of an account, as its owner is told of it (web.md section 5). */
@Entity('security_event')
export class RecordedEvent {
  @PrimaryColumn('bigint') id: string;
  /** The person: what befalls a bot is told whoever owns it. */
  @Column('bigint', { name: 'account_id' }) accountId: string;
  @Column('text') type: string;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  /** SHA-256 of the token of the session that it is about. */
  @Column('bytea', { name: 'session_digest', nullable: true }) sessionDigest: Buffer | null;
  /** Where the request came from that brought it about; `null` where that is nobody's business. */
  @Column('text', { nullable: true }) ip: string | null;
  @Column('text', { name: 'user_agent', nullable: true }) userAgent: string | null;
  @Column('text', { nullable: true }) os: string | null;
  /** Facts, never secrets. */
  @Column('jsonb') data: Record<string, unknown>;
}
