import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What spoke against an address when it was banned (conventions.md 9.1). */
export interface BanSignals {
  readonly trigger: 'rejected_credentials' | 'score';
  /** In the window of five minutes in which it was banned. */
  readonly score: number;
  readonly rejected_credentials: number;
  /** Windows of the last hour whose score was too high. */
  readonly windows: number;
}

/** A banned address or CIDR range, in canonical form. */
@Entity('ip_ban')
export class IpBanEntry {
  @PrimaryColumn('text') value: string;
  @Column('text') kind: 'permanent' | 'temporary_24h';
  @Column('text') reason: 'platform_admin_enforcement' | 'automatic';
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('bigint', { name: 'created_by_user_id', nullable: true }) createdByUserId: string | null;
  /** `null` where nobody counted: an administrator decided, or the ban is older than this member. */
  @Column('jsonb', { nullable: true }) signals: BanSignals | null;
}
