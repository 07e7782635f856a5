import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The counts that led to an automatic ban (conventions.md 9.1). */
export interface BanSignals {
  readonly trigger: 'rejected_credentials' | 'score';
  /** Score in the five-minute window of the ban. */
  readonly score: number;
  readonly rejected_credentials: number;
  /** Number of windows in the last hour that reached the score limit. */
  readonly windows: number;
}

/** A banned IP address or CIDR range, in canonical form. */
@Entity('ip_ban')
export class IpBanEntry {
  @PrimaryColumn('text') value: string;
  @Column('text') kind: 'permanent' | 'temporary_24h';
  @Column('text') reason: 'platform_admin_enforcement' | 'automatic';
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('bigint', { name: 'created_by_user_id', nullable: true }) createdByUserId: string | null;
  /** `null` if an administrator created the ban, or it is older than this column. */
  @Column('jsonb', { nullable: true }) signals: BanSignals | null;
}
