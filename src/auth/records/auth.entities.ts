import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AuthenticationLevel } from './authentication.js';

/** A session of a signed-in device. The token is not stored. */
@Entity('session')
export class Session {
  @PrimaryColumn('bigint') id: string;
  /** SHA-256 of the token. In base64url, it is the public `id_hash`. */
  @Column('bytea') digest: Buffer;
  @Column('bigint', { name: 'account_id' }) accountId: string;
  @Column('text') ip: string;
  @Column('text', { name: 'user_agent' }) userAgent: string;
  @Column('text', { nullable: true }) os: string | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { name: 'last_used_at', default: () => 'now()' }) lastUsedAt: Date;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt: Date | null;
  /** When the user last authenticated. `null` in sessions from before this column: at their creation. */
  @Column('timestamptz', { name: 'authenticated_at', nullable: true }) authenticatedAt: Date | null;
  /** How the user authenticated. See `Authentication`. */
  @Column('text', { array: true }) amr: string[];
  @Column('smallint', { name: 'auth_level' }) authLevel: AuthenticationLevel;
}

/** An IP address from which the account may sign in without email confirmation. */
@Entity('authorized_ip')
export class AuthorizedIp {
  @PrimaryColumn('bigint', { name: 'account_id' }) accountId: string;
  /** An IPv4 address, or the /64 of an IPv6 address. */
  @PrimaryColumn('text', { name: 'ip_key' }) ipKey: string;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
}

@Entity('backup_code')
export class BackupCode {
  @PrimaryColumn('bigint', { name: 'account_id' }) accountId: string;
  /** HMAC of the normalized code with a server key. */
  @PrimaryColumn('bytea') digest: Buffer;
  @Column('smallint') position: number;
  @Column('timestamptz', { name: 'consumed_at', nullable: true }) consumedAt: Date | null;
}

@Entity('passkey')
export class Passkey {
  /** Credential ID, base64url. */
  @PrimaryColumn('text') id: string;
  @Column('bigint', { name: 'account_id' }) accountId: string;
  @Column('text') name: string;
  /** COSE public key. */
  @Column('bytea', { name: 'public_key' }) publicKey: Buffer;
  @Column('bigint') counter: string;
  @Column('text', { array: true }) transports: string[];
  @Column('boolean', { name: 'backup_eligible' }) backupEligible: boolean;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
}

/** All tickets, codes, tokens, challenges and states that work once. See `OneTimeSecrets`. */
@Entity('one_time_secret')
export class OneTimeSecret {
  @PrimaryColumn('bytea') digest: Buffer;
  @Column('text') purpose: string;
  @Column('text') subject: string;
  /** The account that the secret is bound to, with the epochs from that time. See `SecretBinding`. */
  @Column('bigint', { name: 'account_id', nullable: true }) accountId: string | null;
  @Column('integer', { nullable: true }) epoch: number | null;
  @Column('integer', { name: 'address_epoch', nullable: true }) addressEpoch: number | null;
  @Column('jsonb') payload: Record<string, unknown>;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}
