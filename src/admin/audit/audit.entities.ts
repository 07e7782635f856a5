import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One Admin operation that was carried out. The table takes no UPDATE and no DELETE. */
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
  /** The address that it came from; `null` at the console, and in entries that are older than this member. */
  @Column('text', { nullable: true }) ip: string | null;
  /** Position in the chain, from 1, without gaps. */
  @Column('bigint') sequence: string;
  /** SHA-256 over the hash before it and the content of this entry. */
  @Column('bytea') hash: Buffer;
}

/** How far the chain was verified, and what the last whole walk found. The only row. */
@Entity('audit_verification')
export class ChainVerification {
  @PrimaryColumn('text') name: string;
  /** Of the last entry that was found to fit in the walk that is under way. */
  @Column('bigint') sequence: string;
  @Column('bytea') head: Buffer;
  @Column('timestamptz', { name: 'verified_at', nullable: true }) verifiedAt: Date | null;
  @Column('bigint', { nullable: true }) entries: string | null;
  @Column('bigint', { name: 'broken_at', nullable: true }) brokenAt: string | null;
}
