import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A banned address or CIDR range, in canonical form. */
@Entity('ip_ban')
export class IpBanEntry {
  @PrimaryColumn('text') value: string;
  @Column('text') kind: 'permanent' | 'temporary_24h';
  @Column('text') reason: 'platform_admin_enforcement' | 'automatic';
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('bigint', { name: 'created_by_user_id', nullable: true }) createdByUserId: string | null;
}
