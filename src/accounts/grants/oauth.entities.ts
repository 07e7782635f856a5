import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Algorithms of ID tokens. An application chooses one of them (openid.md section 3). */
export const SIGNING_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;

export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** A third-party application. Its bot account, if any, has the same ID. */
@Entity('application')
export class Application {
  @PrimaryColumn('bigint') id: string;
  /** `null` only for the built-in applications. */
  @Column('bigint', { name: 'owner_id', nullable: true }) ownerId: string | null;
  @Column('text') name: string;
  @Column('text', { name: 'client_type' }) clientType: 'confidential' | 'public';
  @Column('text', { name: 'redirect_uris', array: true }) redirectUris: string[];
  @Column('boolean', { name: 'bot_public' }) botPublic: boolean;
  @Column('boolean', { name: 'bot_require_code_grant' }) botRequireCodeGrant: boolean;
  @Column('bytea', { name: 'secret_digest', nullable: true }) secretDigest: Buffer | null;
  @Column('timestamptz', { name: 'secret_created_at', nullable: true }) secretCreatedAt: Date | null;
  @Column('bytea', { name: 'bot_digest', nullable: true }) botDigest: Buffer | null;
  /** The first 8 characters of the bot secret. */
  @Column('text', { name: 'bot_preview', nullable: true }) botPreview: string | null;
  @Column('timestamptz', { name: 'bot_created_at', nullable: true }) botCreatedAt: Date | null;
  @Column('text', { name: 'id_token_signed_response_alg' }) idTokenAlg: SigningAlgorithm;
  /** Where a user may continue after a logout at the request of the application (openid.md section 6). */
  @Column('text', { name: 'post_logout_redirect_uris', array: true }) postLogoutRedirectUris: string[];
  /** Where the service sends logout tokens (openid.md section 6). */
  @Column('text', { name: 'backchannel_logout_uri', nullable: true }) backchannelLogoutUri: string | null;
  @Column('boolean', { name: 'backchannel_logout_session_required' }) backchannelLogoutSessionRequired: boolean;
  /** Whether an administrator trusts the application, and for which scopes (openid.md section 4). */
  @Column('boolean', { name: 'is_trusted' }) isTrusted: boolean;
  @Column('text', { name: 'trusted_scopes', array: true }) trustedScopes: string[];
  /** The scopes that the application serves: it introspects tokens of others that have one (tokens.md section 3). */
  @Column('text', { name: 'resource_scopes', array: true }) resourceScopes: string[];
  /** The service policies for which the application may ask for decisions (forward-auth.md section 3). */
  @Column('text', { name: 'resource_policies', array: true }) resourcePolicies: string[];
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
}

/** All tokens that originate from one code (oauth.md section 3). Revocation deletes the family with its tokens. */
@Entity('oauth_family')
export class TokenFamily {
  @PrimaryColumn('bigint') id: string;
  @Column('bigint', { name: 'application_id' }) applicationId: string;
  @Column('bigint', { name: 'account_id' }) accountId: string;
  @Column('text', { array: true }) scopes: string[];
  @Column('bytea', { name: 'code_digest' }) codeDigest: Buffer;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  /** When the exchange was committed, immediately before its response. */
  @Column('timestamptz', { name: 'settled_at', nullable: true }) settledAt: Date | null;
  /** The login session that consented, and how its user had authenticated then (openid.md section 3). */
  @Column('bigint', { name: 'session_id', nullable: true }) sessionId: string | null;
  @Column('timestamptz', { name: 'authenticated_at', nullable: true }) authenticatedAt: Date | null;
  @Column('text', { array: true, nullable: true }) amr: string[] | null;
  @Column('smallint', { name: 'auth_level', nullable: true }) authLevel: number | null;
  /** Whether the trust in the application replaced the full consent of the user (openid.md section 4). */
  @Column('boolean', { name: 'by_platform' }) byPlatform: boolean;
}

/** An authorization code that was not redeemed yet. Redemption deletes it. */
@Entity('oauth_code')
export class AuthorizationCode {
  @PrimaryColumn('bytea') digest: Buffer;
  @Column('bigint', { name: 'application_id' }) applicationId: string;
  @Column('bigint', { name: 'account_id' }) accountId: string;
  /** As submitted. The exchange compares it byte for byte. */
  @Column('text', { name: 'redirect_uri' }) redirectUri: string;
  @Column('text', { array: true }) scopes: string[];
  /** PKCE S256 challenge. */
  @Column('text', { nullable: true }) challenge: string | null;
  /** False for a silent authorization, which does not authorize a bot. */
  @Column('boolean') consented: boolean;
  /** Whether the bot was already notified, when the user consented. */
  @Column('boolean') announced: boolean;
  /** Whether the trust in the application replaced the full consent of the user (openid.md section 4). */
  @Column('boolean', { name: 'by_platform' }) byPlatform: boolean;
  /** The login session that consented, and how its user had authenticated then (openid.md section 3). */
  @Column('bigint', { name: 'session_id', nullable: true }) sessionId: string | null;
  @Column('text', { nullable: true }) nonce: string | null;
  @Column('timestamptz', { name: 'authenticated_at', nullable: true }) authenticatedAt: Date | null;
  @Column('text', { array: true, nullable: true }) amr: string[] | null;
  @Column('smallint', { name: 'auth_level', nullable: true }) authLevel: number | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}

@Entity('oauth_token')
export class OAuthToken {
  @PrimaryColumn('bigint') id: string;
  @Column('bytea') digest: Buffer;
  @Column('text') kind: 'access' | 'refresh';
  @Column('bigint', { name: 'family_id' }) familyId: string;
  @Column('bigint', { name: 'application_id' }) applicationId: string;
  @Column('bigint', { name: 'account_id' }) accountId: string;
  @Column('text', { array: true }) scopes: string[];
  /** The refresh token whose redemption issued this one; `null` if a code did. */
  @Column('bigint', { name: 'parent_id', nullable: true }) parentId: string | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
  @Column('timestamptz', { name: 'consumed_at', nullable: true }) consumedAt: Date | null;
  /** When the redemption was committed, immediately before its response. */
  @Column('timestamptz', { name: 'settled_at', nullable: true }) settledAt: Date | null;
}

/** An account's consent to an application's bot. */
@Entity('oauth_bot_grant')
export class BotGrant {
  @PrimaryColumn('bigint', { name: 'account_id' }) accountId: string;
  @PrimaryColumn('bigint', { name: 'application_id' }) applicationId: string;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
}
