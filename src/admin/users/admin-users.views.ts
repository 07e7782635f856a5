import { authenticatorTypes, formatDiscriminator } from '../../accounts/account.views.js';
import type { AccountRecord } from '../../accounts/account-records.service.js';
import { clientInfo } from '../../accounts/events/origin.js';
import { idHash } from '../../auth/sessions/sessions.service.js';

/** The fields of an account that an operator may read in addition to those of `user:lookup`. */
export interface FieldVisibility {
  readonly email: boolean;
  readonly ip: boolean;
}

export const FULL_VISIBILITY: FieldVisibility = { email: true, ip: true };

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** An account in the Admin API (admin.md 5.1). It contains no secrets. */
export const adminUserView = (user: AccountRecord, sight: FieldVisibility) => ({
  id: user.id,
  username: user.username,
  discriminator: formatDiscriminator(user.discriminator),
  global_name: user.globalName,
  avatar: user.avatar,
  banner: user.banner,
  bio: user.bio,
  pronouns: user.pronouns,
  locale: user.locale,
  accent_color: user.accentColor,
  bot: user.bot,
  system: user.system,
  flags: String(BigInt.asUintN(64, user.flags)),
  email: sight.email ? user.email : null,
  email_verified: sight.email && user.emailVerified,
  email_bounced: sight.email && user.emailBounced,
  has_verified_phone: user.hasVerifiedPhone,
  suspicious_activity_flags: user.suspiciousFlags,
  banned: user.banned,
  temp_banned_until: user.banned ? iso(user.bannedUntil) : null,
  pending_deletion_at: iso(user.deletionAt),
  deletion_reason_code: user.deletionReasonCode,
  deletion_public_reason: user.deletionPublicReason,
  acls: user.acls,
  traits: user.traits,
  has_totp: (user.ownerAuthenticators ?? user).hasTotp,
  authenticator_types: authenticatorTypes(user),
  sso_linked: user.ssoLinked,
  created_at: user.createdAt,
  last_active_at: iso(user.lastActiveAt),
  last_active_ip: sight.ip ? user.lastActiveIp : null,
});

/** A session in the Admin API, active or revoked (admin.md 5.1). */
export function adminSessionView(
  session: {
    digest: Buffer;
    ip: string;
    userAgent: string;
    os: string | null;
    createdAt: Date;
    lastUsedAt: Date;
    revokedAt: Date | null;
  },
  sight: FieldVisibility,
) {
  const { os, platform } = clientInfo(session);
  return {
    session_id_hash: idHash(session),
    created_at: iso(session.createdAt),
    approx_last_used_at: iso(session.lastUsedAt),
    client_ip: sight.ip ? session.ip : '[redacted]',
    client_os: os,
    client_platform: platform,
    deleted_at: iso(session.revokedAt),
  };
}
