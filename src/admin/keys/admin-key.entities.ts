import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An Admin API key. It acts as its owner and has the ACLs that both the key and the owner have. */
@Entity('admin_key')
export class AdminKey {
  @PrimaryColumn('bigint') id: string;
  /** SHA-256 of the whole key. */
  @Column('bytea') digest: Buffer;
  @Column('text') name: string;
  @Column('text', { array: true }) acls: string[];
  @Column('bigint', { name: 'owner_id' }) ownerId: string;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
}
