import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One identity belongs to one account; an account has at most one identity per issuer (sso.md section 3). */
@Entity('sso_identity')
export class SsoIdentity {
  @PrimaryColumn('text') issuer: string;
  @PrimaryColumn('text') subject: string;
  @Column('bigint', { name: 'account_id' }) accountId: string;
  /** The ID by which the owner names the identity. */
  @Column('bigint', { generated: 'increment' }) id: string;
}

/** The last documents of the provider. They are shared by all replicas and survive outages and restarts. */
@Entity('sso_document')
export class SsoDocument {
  /** The issuer for its metadata, or the URL of its keys. */
  @PrimaryColumn('text') url: string;
  @Column('jsonb') value: object;
  @Column('timestamptz', { name: 'fetched_at' }) fetchedAt: Date;
  /** When an unknown key last caused a new fetch. */
  @Column('timestamptz', { name: 'refetched_at', nullable: true }) refetchedAt: Date | null;
}
