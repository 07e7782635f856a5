import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One completed Admin operation. The database rejects UPDATE and DELETE on this table. */
@Entity('audit_log')
export class AuditEntry {
  @PrimaryColumn('bigint') id: string;
  /** `0` for the console. */
  @Column('bigint', { name: 'admin_user_id' }) adminUserId: string;
  @Column('bigint', { name: 'api_key_id', nullable: true }) apiKeyId: string | null;
  @Column('text') action: string;
  @Column('text', { name: 'target_type' }) targetType: string;
  @Column('text', { name: 'target_id' }) targetId: string;
  @Column('text', { nullable: true }) reason: string | null;
  @Column('jsonb') metadata: Record<string, string>;
  @Column('text', { name: 'request_id' }) requestId: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  /** The IP address of the request. It is `null` for the console and for entries that are older than this column. */
  @Column('text', { nullable: true }) ip: string | null;
  /** Position in the chain, from 1, without gaps. */
  @Column('bigint') sequence: string;
  /** SHA-256 over the hash of the previous entry and the content of this entry. */
  @Column('bytea') hash: Buffer;
}

/** The progress of chain verification and the result of the last complete walk. This table has one row. */
@Entity('audit_verification')
export class ChainVerification {
  @PrimaryColumn('text') name: string;
  /** The last entry that the current walk has verified. */
  @Column('bigint') sequence: string;
  @Column('bytea') head: Buffer;
  @Column('timestamptz', { name: 'verified_at', nullable: true }) verifiedAt: Date | null;
  @Column('bigint', { nullable: true }) entries: string | null;
  @Column('bigint', { name: 'broken_at', nullable: true }) brokenAt: string | null;
}
