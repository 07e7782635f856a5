import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user account or a bot account. */
@Entity('account')
export class Account {
  @PrimaryColumn('bigint') id: string;
  @Column('boolean') bot: boolean;
  @Column('boolean') system: boolean;
  @Column('text') username: string;
  @Column('smallint') discriminator: number;
  @Column('text', { name: 'global_name', nullable: true }) globalName: string | null;
  @Column('text', { nullable: true }) email: string | null;
  @Column('boolean', { name: 'email_verified' }) emailVerified: boolean;
  @Column('boolean', { name: 'email_bounced' }) emailBounced: boolean;
  @Column('bytea', { name: 'phone_digest', nullable: true, select: false }) phoneDigest: Buffer | null;
  @Column('boolean', { name: 'has_verified_phone' }) hasVerifiedPhone: boolean;
  @Column('text', { name: 'password_hash', nullable: true, select: false }) passwordHash: string | null;
  @Column('timestamptz', { name: 'password_changed_at', nullable: true }) passwordChangedAt: Date | null;
  @Column('bytea', { name: 'totp_secret', nullable: true, select: false }) totpSecret: Buffer | null;
  @Column('bigint', { name: 'totp_last_step' }) totpLastStep: string;
  @Column('boolean', { name: 'passkey_second_factor' }) passkeySecondFactor: boolean;
  @Column('text', { nullable: true }) bio: string | null;
  @Column('text', { nullable: true }) pronouns: string | null;
  @Column('integer', { name: 'accent_color', nullable: true }) accentColor: number | null;
  @Column('text', { nullable: true }) avatar: string | null;
  @Column('integer', { name: 'avatar_color', nullable: true }) avatarColor: number | null;
  @Column('text', { nullable: true }) banner: string | null;
  @Column('text') locale: string;
  @Column('bigint') flags: string;
  @Column('text', { array: true }) traits: string[];
  @Column('text', { array: true }) acls: string[];
  @Column('integer', { name: 'suspicious_flags' }) suspiciousFlags: number;
  /** Incremented to invalidate sudo proofs and all pending operations (credentials.md sections 6 and 7). */
  @Column('integer') epoch: number;
  /** Incremented when the email address changes, which invalidates everything pending for the former one. */
  @Column('integer', { name: 'address_epoch' }) addressEpoch: number;
  @Column('timestamptz', { name: 'terms_agreed_at', nullable: true }) termsAgreedAt: Date | null;
  @Column('boolean') banned: boolean;
  @Column('timestamptz', { name: 'banned_until', nullable: true }) bannedUntil: Date | null;
  @Column('text', { name: 'ban_reason', nullable: true }) banReason: string | null;
  @Column('timestamptz', { name: 'deletion_at', nullable: true }) deletionAt: Date | null;
  @Column('smallint', { name: 'deletion_reason_code', nullable: true }) deletionReasonCode: number | null;
  @Column('text', { name: 'deletion_public_reason', nullable: true }) deletionPublicReason: string | null;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt: Date | null;
  @Column('text', { name: 'registration_ip', nullable: true }) registrationIp: string | null;
  @Column('timestamptz', { name: 'last_active_at', nullable: true }) lastActiveAt: Date | null;
  @Column('text', { name: 'last_active_ip', nullable: true }) lastActiveIp: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}

@Entity('account_settings')
export class AccountSettings {
  @PrimaryColumn('bigint', { name: 'account_id' }) accountId: string;
  @Column('text') theme: 'system' | 'light' | 'dark';
  @Column('boolean', { name: 'email_notifications' }) emailNotifications: boolean;
  @Column('boolean', { name: 'session_ip_authorization' }) sessionIpAuthorization: boolean;
  @Column('boolean', { name: 'developer_mode' }) developerMode: boolean;
  @Column('jsonb') custom: Record<string, unknown>;
}
