import { Injectable } from '@nestjs/common';
import { isInactive } from '../../accounts/account-facts.js';
import { SIGNING_ALGORITHMS } from '../../accounts/grants/oauth.entities.js';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { LANGUAGES } from '../../core/text/languages.js';
import { batchById } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import type { BearerIdentity } from '../../policy/identity.js';
import { PROMPTS } from './authentication-request.js';
import { CLAIM_COLUMNS, type ClaimsRow, claimsOf, type UserClaims } from './claims.js';
import { ACR } from './id-tokens.service.js';
import { logoutPage } from './logouts.service.js';
import { ServerMetadata } from './server-metadata.service.js';

const CLAIMS_BY_ID = `SELECT ${CLAIM_COLUMNS} FROM account a WHERE a.id = ANY ($1::bigint[])`;

const CLAIMS = [
  ...['iss', 'aud', 'azp', 'sub', 'iat', 'exp', 'auth_time', 'nonce', 'at_hash', 'sid', 'amr', 'acr'],
  ...['name', 'preferred_username', 'picture', 'locale', 'updated_at', 'email', 'email_verified'],
];

/** Discovery and userinfo of the OpenID Provider (contract/openid.md sections 2 and 5). */
@Injectable()
export class OpenIdProvider {
  private readonly findClaims = batchById((ids) => this.findClaimsByIds(ids));

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly server: ServerMetadata,
  ) {}

  metadata() {
    const { publicOrigin } = this.config;
    return {
      ...this.server.describe(),
      userinfo_endpoint: `${publicOrigin}/v1/oauth2/openid/userinfo`,
      end_session_endpoint: logoutPage(this.config),
      jwks_uri: `${publicOrigin}/.well-known/jwks.json`,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...SIGNING_ALGORITHMS],
      claims_supported: CLAIMS,
      acr_values_supported: Object.values(ACR),
      prompt_values_supported: [...PROMPTS],
      ui_locales_supported: LANGUAGES,
      claim_types_supported: ['normal'],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    };
  }

  /** @throws ApiError UNAUTHORIZED for a deleted, disabled or banned account */
  async userInfo({ account, scopes }: BearerIdentity): Promise<UserClaims> {
    const row = isInactive(account) ? undefined : await this.findClaims(account.id);
    if (!row) throw new ApiError('UNAUTHORIZED');
    return claimsOf(row, scopes, this.config.media.baseUrl);
  }

  private async findClaimsByIds(ids: string[]): Promise<Map<string, ClaimsRow>> {
    const rows = await this.database.statement<ClaimsRow>('openid-claims', CLAIMS_BY_ID, [ids]);
    return new Map(rows.map((row) => [row.account_id, row]));
  }
}
