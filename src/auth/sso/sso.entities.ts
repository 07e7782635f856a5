import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One identity belongs to one account; an account has at most one identity per issuer (sso.md section 3). */
@Entity('sso_identity')
export class SsoIdentity {
  @PrimaryColumn('text') issuer: string;
  @PrimaryColumn('text') subject: string;
  @Column('bigint', { name: 'account_id' }) accountId: string;
}

/** What the provider said last, so that every replica knows it and an outage or a restart does not lose it. */
@Entity('sso_document')
export class SsoDocument {
  /** Where it came from: the issuer for its description, else the address of its keys. */
  @PrimaryColumn('text') url: string;
  @Column('jsonb') value: object;
  @Column('timestamptz', { name: 'fetched_at' }) fetchedAt: Date;
  /** When an unknown key last made somebody ask again. */
  @Column('timestamptz', { name: 'refetched_at', nullable: true }) refetchedAt: Date | null;
}
