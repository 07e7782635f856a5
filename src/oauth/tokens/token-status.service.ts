import { Injectable } from '@nestjs/common';
import { IS_ACTIVE_SQL } from '../../accounts/account-facts.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import { mayComeFrom, PERSONAL_APPLICATION_ID } from '../../accounts/grants/personal-application.js';
import { Config } from '../../core/config/config.js';
import { digest } from '../../core/secrets.js';
import { batchById } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { Client } from '../../policy/identity.js';
import { type Form, formValue, requiredValue } from './form.js';

/** A token of another client counts as unknown. */
const LIVE_TOKENS_BY_DIGEST = `
  SELECT t.digest, t.application_id, t.kind, t.scopes, t.account_id, floor(extract(epoch FROM t.created_at))::float8 AS iat,
    floor(extract(epoch FROM t.expires_at))::float8 AS exp
  FROM oauth_token t JOIN account a ON a.id = t.account_id
  WHERE t.digest = ANY ($1::bytea[]) AND t.application_id = ANY ($2::bigint[]) AND t.expires_at > now() AND t.consumed_at IS NULL AND ${IS_ACTIVE_SQL}`;

/** Access tokens of any application that have one of these scopes (tokens.md section 3). */
const SERVED_TOKEN = `
  SELECT t.digest, t.application_id, t.kind, t.scopes, t.account_id, floor(extract(epoch FROM t.created_at))::float8 AS iat,
    floor(extract(epoch FROM t.expires_at))::float8 AS exp, coalesce(p.networks, '{}') AS networks
  FROM oauth_token t JOIN account a ON a.id = t.account_id LEFT JOIN personal_token p ON p.id = t.id
  WHERE t.digest = $1 AND t.kind = 'access' AND t.scopes && $2::text[] AND t.expires_at > now() AND ${IS_ACTIVE_SQL}`;

interface LiveToken {
  readonly digest: Buffer;
  readonly application_id: string;
  readonly kind: 'access' | 'refresh';
  readonly scopes: string[];
  readonly account_id: string;
  readonly iat: number;
  readonly exp: number;
}

type ServedToken = LiveToken & { readonly networks: string[] };

export interface InactiveToken {
  readonly active: false;
}

export interface ActiveToken {
  readonly active: true;
  readonly scope: string;
  readonly client_id: string;
  readonly token_type: 'Bearer' | 'refresh_token';
  readonly iat: number;
  readonly exp: number;
  readonly sub: string;
}

/** Introspection and revocation of tokens (RFC 7662, RFC 7009; oauth.md 5.7 and 5.8). */
@Injectable()
export class TokenStatus {
  private readonly find = batchById((claims) => this.tokensOf(claims));

  constructor(
    private readonly database: Database,
    private readonly grants: Grants,
    private readonly features: FeatureRegistry,
    private readonly config: Config,
  ) {}

  /** Returns the same "not active" for every token that is not a valid token of the client or for its resources. */
  async introspect(client: Client, form: Form): Promise<InactiveToken | ActiveToken> {
    const token = digest(tokenOf(form));
    const address = formValue(form, 'address');
    const row =
      (await this.find(claimOf(client.applicationId, token))) ?? (await this.findServed(client, token, address));
    if (!row) return { active: false };
    return {
      active: true,
      scope: this.features.sortScopes(row.scopes).join(' '),
      client_id: row.application_id,
      token_type: row.kind === 'access' ? 'Bearer' : 'refresh_token',
      iat: row.iat,
      exp: row.exp,
      sub: row.account_id,
    };
  }

  /**
   * Finds a token for the resources of the client, with only the scopes that the client serves. A token that is limited
   * to networks needs the IP address from which it was used.
   */
  private async findServed(
    { resourceScopes }: Client,
    token: Buffer,
    address: string | undefined,
  ): Promise<LiveToken | undefined> {
    const served = this.features.sortScopes(resourceScopes);
    if (served.length === 0) return undefined;
    const rows = await this.database.statement<ServedToken>('oauth-introspect-served', SERVED_TOKEN, [token, served]);
    const row = rows[0];
    const isOff = row?.application_id === PERSONAL_APPLICATION_ID && !this.config.personalTokens.isEnabled;
    if (!row || isOff || !mayComeFrom(address ?? '', row.networks)) return undefined;
    return { ...row, scopes: row.scopes.filter((scope) => served.includes(scope)) };
  }

  private async tokensOf(claims: string[]): Promise<Map<string, LiveToken>> {
    const [clients, digests] = [0, 1].map((part) => claims.map((claim) => claim.split(' ')[part] as string));
    const values = [digests?.map((hex) => Buffer.from(hex, 'hex')), clients];
    const rows = await this.database.statement<LiveToken>('oauth-introspect', LIVE_TOKENS_BY_DIGEST, values);
    return new Map(rows.map((row) => [claimOf(row.application_id, row.digest), row]));
  }

  /**
   * A refresh token that was just rotated still revokes its grant, so that no successor is valid after this response.
   */
  async revoke(client: Client, form: Form): Promise<void> {
    const token = digest(tokenOf(form));
    await this.database.transaction(async (tx) => {
      const [row] = await tx.query<{ account_id: string }[]>(
        'SELECT account_id FROM oauth_token WHERE digest = $1 AND application_id = $2 AND expires_at > now()',
        [token, client.applicationId],
      );
      const ending = { by: 'application', reason: 'token_revoked' } as const;
      if (row) await this.grants.revoke(tx, row.account_id, [client.applicationId], ending);
    });
  }
}

/** The key of a lookup: the client and the token. */
const claimOf = (clientId: string, token: Buffer): string => `${clientId} ${token.toString('hex')}`;

/** The hint has no effect: tokens of all kinds are looked up (oauth.md, precisions). */
function tokenOf(form: Form): string {
  formValue(form, 'token_type_hint');
  return requiredValue(form, 'token');
}
