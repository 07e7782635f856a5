import { formatDiscriminator } from '../../accounts/account.views.js';

/** Columns of the account `a` for the claims of its user. */
export const CLAIM_COLUMNS = `
  a.id AS account_id, a.username, a.discriminator, a.global_name, a.avatar, a.locale, a.email, a.email_verified,
  floor(extract(epoch FROM coalesce(a.profile_changed_at, a.created_at)))::int AS updated_at`;

/** A row with `CLAIM_COLUMNS`. */
export interface ClaimsRow {
  readonly account_id: string;
  readonly username: string;
  readonly discriminator: number;
  readonly global_name: string | null;
  readonly avatar: string | null;
  readonly locale: string;
  readonly email: string | null;
  readonly email_verified: boolean;
  readonly updated_at: number;
}

/** Claims about a user. Claims without a value are absent. Times are in seconds since 1970. */
export interface UserClaims {
  readonly sub: string;
  readonly name?: string;
  /** Username and discriminator, because only both together are unique. */
  readonly preferred_username?: string;
  /** Absolute URL of the avatar. */
  readonly picture?: string;
  readonly locale?: string;
  readonly updated_at?: number;
  /** Only while the email address is verified. */
  readonly email?: string;
  readonly email_verified?: boolean;
}

/** Returns the claims that the scopes allow (contract/openid.md section 5). */
export function claimsOf(row: ClaimsRow, scopes: readonly string[], mediaUrl: string): UserClaims {
  const { account_id: sub, username, avatar } = row;
  return {
    sub,
    ...(scopes.includes('profile') && {
      name: row.global_name ?? username,
      preferred_username: `${username}#${formatDiscriminator(row.discriminator)}`,
      ...(avatar !== null && { picture: `${mediaUrl}/avatars/${sub}/${avatar}.webp` }),
      locale: row.locale,
      updated_at: row.updated_at,
    }),
    ...(scopes.includes('email') &&
      row.email !== null &&
      row.email_verified && { email: row.email, email_verified: true }),
  };
}
