import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import type { SigningAlgorithm } from '../../accounts/grants/oauth.entities.js';
import { withinLimitsSql } from '../../accounts/session-limits.js';
import type { AuthenticationLevel } from '../../auth/records/authentication.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { batchById } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import { CLAIM_COLUMNS, type ClaimsRow, claimsOf } from './claims.js';
import { SigningKeys } from './signing-keys.service.js';

/** Authentication context classes by level (contract/openid.md section 3). */
export const ACR: Readonly<Record<AuthenticationLevel, string>> = {
  1: 'urn:gatehouse:acr:1',
  2: 'urn:gatehouse:acr:2',
  3: 'phr',
};

type LoginRow = ClaimsRow & {
  readonly family_id: string;
  readonly application_id: string;
  readonly alg: SigningAlgorithm;
  readonly authenticated_at: Date;
  readonly amr: string[];
  readonly auth_level: AuthenticationLevel;
  readonly sid: string;
  readonly is_live: boolean;
};

interface IssuedWith {
  readonly accessToken: string;
  readonly scopes: readonly string[];
  /** Only for the first token of a family. */
  readonly nonce?: string | undefined;
}

/** The left half of the hash of the access token. EdDSA with Ed25519 uses SHA-512 (OpenID Connect Core 3.1.3.6). */
function atHash(accessToken: string, alg: SigningAlgorithm): string {
  const digest = hash(alg === 'EdDSA' ? 'sha512' : 'sha256', accessToken, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

/** Signs ID tokens for responses of the token operation (contract/openid.md section 3). */
@Injectable()
export class IdTokens {
  private readonly findLogin = batchById((ids) => this.findLogins(ids));
  private readonly loginsSql: string;

  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeys,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    this.loginsSql = `
      SELECT f.id AS family_id, f.application_id, p.id_token_signed_response_alg AS alg, f.authenticated_at, f.amr,
        f.auth_level, o.sid, s.revoked_at IS NULL${withinLimitsSql(config, 's')} AS is_live, ${CLAIM_COLUMNS}
      FROM oauth_family f
        JOIN application p ON p.id = f.application_id
        JOIN openid_session o ON o.session_id = f.session_id AND o.application_id = f.application_id
        JOIN session s ON s.id = f.session_id
        JOIN account a ON a.id = f.account_id
      WHERE f.id = ANY ($1::bigint[])`;
  }

  /** Returns the ID token for a family whose code was just exchanged, whose login session was live then. */
  async first(familyId: string, terms: IssuedWith): Promise<{ id_token?: string }> {
    return this.issue(familyId, terms, () => true);
  }

  /** Returns the ID token for a refreshed family. After the end of its login session there is none. */
  async next(familyId: string, terms: IssuedWith): Promise<{ id_token?: string }> {
    return this.issue(familyId, terms, (login) => login.is_live);
  }

  private async issue(
    familyId: string,
    terms: IssuedWith,
    isAllowed: (login: LoginRow) => boolean,
  ): Promise<{ id_token?: string }> {
    if (!this.config.openid.isEnabled || !terms.scopes.includes('openid')) return {};
    const login = await this.findLogin(familyId);
    return login && isAllowed(login) ? { id_token: await this.sign(login, terms) } : {};
  }

  private async findLogins(ids: string[]): Promise<Map<string, LoginRow>> {
    const rows = await this.database.statement<LoginRow>('openid-logins', this.loginsSql, [ids]);
    return new Map(rows.map((row) => [row.family_id, row]));
  }

  private async sign(login: LoginRow, { accessToken, scopes, nonce }: IssuedWith): Promise<string> {
    const { alg, application_id: clientId } = login;
    const key = await this.keys.current(alg);
    const issuedAt = Math.floor(this.clock.now() / 1000);
    return new SignJWT({
      ...claimsOf(login, scopes, this.config.media.baseUrl),
      iss: this.config.publicOrigin,
      aud: clientId,
      azp: clientId,
      iat: issuedAt,
      exp: issuedAt + this.config.openid.idTokenSeconds,
      auth_time: Math.floor(login.authenticated_at.getTime() / 1000),
      nonce,
      at_hash: atHash(accessToken, alg),
      sid: login.sid,
      ...(login.amr.length > 0 && { amr: login.amr }),
      acr: ACR[login.auth_level],
    })
      .setProtectedHeader({ alg, typ: 'JWT', kid: key.kid })
      .sign(await this.keys.privateKey(key));
  }
}
