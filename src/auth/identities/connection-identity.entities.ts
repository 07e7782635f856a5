import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An identity at a provider and its account. An account has at most one per connection and issuer (connections.md). */
@Entity('connection_identity')
export class ConnectionIdentity {
  @PrimaryColumn('bigint') id: string;
  @Column('text', { name: 'connection_id' }) connectionId: string;
  /** The issuer. For OAuth 2 providers, the origin of the user information. */
  @Column('text') issuer: string;
  @Column('text') subject: string;
  @Column('bigint', { name: 'account_id' }) accountId: string;
  /** The email address that the provider last stated. */
  @Column('text', { nullable: true }) email: string | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
}
