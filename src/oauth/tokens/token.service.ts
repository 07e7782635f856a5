import { Injectable } from '@nestjs/common';
import { IS_ACTIVE_SQL } from '../../accounts/account-facts.js';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { digest } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { batchById } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { Client } from '../../policy/identity.js';
import { IdTokens } from '../openid/id-tokens.service.js';
import { Arrivals } from './arrivals.js';
import { CodeExchange } from './code-exchange.service.js';
import { type Form, formValue, requiredValue } from './form.js';
import { oauthError } from './oauth-errors.js';
import { type PairRows, tokenLifetimes } from './pair-rows.js';
import { challengeOf } from './pkce.js';
import { RefreshRotation, type RotatedToken } from './refresh-rotation.service.js';
import { TokenMint, type TokenPair } from './token-mint.service.js';

/** All parameters of the token operation. None may be sent twice, whatever the grant type. */
const PARAMETERS = ['grant_type', 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope'];

/**
 * Concurrent timestamps are written together, in the lock order of revocation. The commit does not wait for the disk,
 * because a timestamp that is lost in a crash only delays the detection of replays.
 */
const settleRows = (table: string): string => `
  UPDATE ${table} SET settled_at = clock_timestamp()
  WHERE id IN (SELECT id FROM ${table} WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE)
    AND set_config('synchronous_commit', 'off', true) = 'off'`;

const SETTLE_FAMILIES = settleRows('oauth_family');

const SETTLE_TOKENS = settleRows('oauth_token');

const REVOKE_FAMILY = 'DELETE FROM oauth_family WHERE id = $1';

/** The pair that replaced a refresh token, if the new refresh token is unused. */
const UNUSED_SUCCESSOR = `
  SELECT access.digest AS access, refresh.digest AS refresh, access.scopes, refresh.scopes AS family_scopes,
    floor(extract(epoch FROM access.expires_at - clock_timestamp()))::int AS seconds
  FROM oauth_token used
    JOIN oauth_token access ON access.family_id = used.family_id AND access.parent_id = used.id
      AND access.kind = 'access'
    JOIN oauth_token refresh ON refresh.family_id = used.family_id AND refresh.parent_id = used.id
      AND refresh.kind = 'refresh' AND refresh.consumed_at IS NULL
    JOIN account a ON a.id = used.account_id
  WHERE used.id = $1 AND used.consumed_at + $2::int * interval '1 second' > clock_timestamp() AND ${IS_ACTIVE_SQL}`;

interface SuccessorPair {
  readonly access: Buffer;
  readonly refresh: Buffer;
  readonly scopes: string[];
  readonly family_scopes: string[];
  readonly seconds: number;
}

/** The token operation: exchanges codes and refresh tokens for token pairs (oauth.md 3.3 and 5.6). */
@Injectable()
export class TokenService {
  private readonly settleFamily = batchById((ids) => this.settle('oauth-settle-families', SETTLE_FAMILIES, ids));
  private readonly settleToken = batchById((ids) => this.settle('oauth-settle-tokens', SETTLE_TOKENS, ids));

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly snowflakes: Snowflakes,
    private readonly mint: TokenMint,
    private readonly codes: CodeExchange,
    private readonly rotation: RefreshRotation,
    private readonly arrivals: Arrivals,
    private readonly log: Log,
    private readonly features: FeatureRegistry,
    private readonly idTokens: IdTokens,
  ) {}

  /** @throws ApiError INVALID_REQUEST, UNSUPPORTED_GRANT_TYPE, INVALID_GRANT, INVALID_SCOPE */
  issue(client: Client, form: Form) {
    for (const name of PARAMETERS) formValue(form, name);
    switch (formValue(form, 'grant_type')) {
      case 'authorization_code':
        return this.exchange(client, form);
      case 'refresh_token':
        return this.refresh(client, form);
      case undefined:
        throw oauthError('invalid_request', ['grant_type']);
      default:
        throw oauthError('unsupported_grant_type');
    }
  }

  private async exchange(client: Client, form: Form) {
    const code = digest(requiredValue(form, 'code'));
    const redirectUri = requiredValue(form, 'redirect_uri');
    const challenge = challengeOf(trimmedVerifier(form), this.config.oauth.pkceRequired);
    const familyId = this.snowflakes.next();
    const pair = this.mint.mintPair();
    const presented = { digest: code, redirectUri, challenge, familyId, ...this.rows(pair) };
    await this.arrivals.waitForConcurrentRequests();
    const taken = await this.codes.exchange(client.applicationId, presented);
    if (!taken) await this.codes.revokeReplayed(code, client.beganAt);
    if (!taken?.family_id) throw oauthError('invalid_grant');
    await this.settleFamily(familyId);
    const { scopes, nonce } = taken;
    const idToken = await this.idTokens.first(familyId, {
      accessToken: pair.access,
      scopes,
      nonce: nonce ?? undefined,
    });
    return this.view(pair, scopes, tokenLifetimes(this.config.oauth).access, idToken);
  }

  private async refresh(client: Client, form: Form) {
    const presented = requiredValue(form, 'refresh_token');
    const scopes = narrowedScopes(form, this.features);
    const hasLeeway = this.config.oauth.reuseLeewaySeconds > 0;
    const pair = hasLeeway ? this.mint.deriveSuccessor(presented) : this.mint.mintPair();
    await this.arrivals.waitForConcurrentRequests();
    const token = { digest: digest(presented), scopes, beganAt: client.beganAt, ...this.rows(pair) };
    const row = await this.rotation.rotate(client.applicationId, token);
    if (row?.is_won) {
      await this.settleToken(row.id);
      return this.viewRefreshed(row.family_id, pair, scopes ?? row.scopes, row.seconds);
    }
    if (row && !row.is_own) return this.revokeReusedFamily(row.family_id);
    if (!row?.is_active) throw oauthError('invalid_grant');
    if (!row.is_consumed && row.is_live && !row.is_granted) throw oauthError('invalid_scope');
    const repeated = hasLeeway ? await this.repeatSuccessor(presented, row, scopes) : null;
    if (repeated) return repeated;
    if (row.is_replayed) return this.revokeReusedFamily(row.family_id);
    throw oauthError('invalid_grant');
  }

  /** Returns the same pair again for a retry within the leeway. With `openid`, the retry needs the same scopes. */
  private async repeatSuccessor(presented: string, row: RotatedToken, scopes: readonly string[] | null) {
    const { reuseLeewaySeconds } = this.config.oauth;
    const [successor] = await this.database.statement<SuccessorPair>('oauth-successor', UNUSED_SUCCESSOR, [
      row.id,
      reuseLeewaySeconds,
    ]);
    const pair = successor && this.mint.findSuccessor(presented, successor);
    if (!pair || !isRetryFor(scopes ?? successor.family_scopes, successor)) return null;
    return this.viewRefreshed(row.family_id, pair, successor.scopes, successor.seconds);
  }

  private async revokeReusedFamily(familyId: string): Promise<never> {
    await this.database.statement('oauth-revoke-family', REVOKE_FAMILY, [familyId]);
    throw oauthError('invalid_grant');
  }

  private rows({ access, refresh }: TokenPair): PairRows {
    return {
      ...{ accessId: this.snowflakes.next(), accessDigest: digest(access) },
      ...{ refreshId: this.snowflakes.next(), refreshDigest: digest(refresh) },
    };
  }

  /**
   * Records that uses are committed, before any response is sent. If it fails, the tokens are still valid, but replays
   * are detected a few seconds later.
   */
  private async settle(name: string, statement: string, ids: string[]): Promise<ReadonlyMap<string, void>> {
    try {
      await this.database.statement(name, statement, [ids]);
    } catch (error) {
      this.log.warn('marking OAuth2 codes or refresh tokens as used failed', { error });
    }
    return new Map<string, void>();
  }

  private async viewRefreshed(familyId: string, pair: TokenPair, scopes: readonly string[], seconds: number) {
    return this.view(pair, scopes, seconds, await this.idTokens.next(familyId, { accessToken: pair.access, scopes }));
  }

  private view(
    { access, refresh }: TokenPair,
    scopes: readonly string[],
    seconds: number,
    { id_token }: { id_token?: string },
  ) {
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: seconds,
      refresh_token: refresh,
      scope: this.features.sortScopes(scopes).join(' '),
      id_token,
    };
  }
}

/** ID tokens contain claims by scope, so a retry for other scopes gets none (contract/openid.md section 3). */
const isRetryFor = (requested: readonly string[], { scopes, family_scopes }: SuccessorPair): boolean =>
  !family_scopes.includes('openid') ||
  (requested.length === scopes.length && requested.every((scope) => scopes.includes(scope)));

/** Accepts any length and alphabet. An invalid verifier is rejected together with the code, which is then spent. */
function trimmedVerifier(form: Form): string | undefined {
  const verifier = formValue(form, 'code_verifier');
  if (verifier !== undefined && verifier.trim() !== verifier) throw oauthError('invalid_request', ['code_verifier']);
  return verifier;
}

/** @throws ApiError INVALID_SCOPE for an unregistered scope and for a list without scopes */
function narrowedScopes(form: Form, features: FeatureRegistry): string[] | null {
  const text = formValue(form, 'scope');
  if (text === undefined) return null;
  if (text.length > 256) throw oauthError('invalid_request', ['scope']);
  const scopes = features.parseScopes(text);
  if (!scopes) throw oauthError('invalid_scope');
  return scopes;
}
