import { Injectable } from '@nestjs/common';
import { IS_ACTIVE } from '../../accounts/account-facts.js';
import { Grants, inOrder } from '../../accounts/grants/grants.service.js';
import { Config } from '../../core/config/config.js';
import { oauthError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { digest } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { Database } from '../../platform/database/database.js';
import { gather } from '../../platform/database/gather.js';
import type { Client } from '../../policy/identity.js';
import { parseScopes } from '../../policy/scopes.js';
import { Arrivals } from './arrivals.js';
import { type Form, formValue, requiredValue } from './form.js';
import { challengeOf } from './pkce.js';
import { TokenMint, type TokenPair } from './token-mint.service.js';

/** Every parameter that the token operation knows: none may be sent twice, whatever the grant type. */
const PARAMETERS = ['grant_type', 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope'];

/**
 * Whether a use of the row `t` was over when the request of `$n` began. Before that moment nobody can have known of
 * it, so a second use is a race and gives nothing away; afterwards it is a replay. A use that was never settled was
 * cut off.
 */
const wasOver = (used: string, settled: string, n: number): string =>
  `coalesce(${settled}, ${used} + interval '10 seconds') <= to_timestamp($${n}::float8 / 1000)`;

/**
 * One statement, so that a code is burnt or turned into tokens in one step: of parallel exchanges one deletes the row.
 * The application is locked first, in the order in which its deletion locks.
 */
const EXCHANGE_CODE = `
  WITH client AS MATERIALIZED (
    SELECT id FROM application WHERE id = $2 FOR KEY SHARE
  ), taken AS (
    DELETE FROM oauth_code c USING client, account a
    WHERE c.digest = $1 AND a.id = c.account_id AND (c.application_id <> client.id OR ${IS_ACTIVE})
    RETURNING c.*, c.expires_at > now() AS is_live
  ), family AS (
    INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
    SELECT $5::bigint, application_id, account_id, scopes, digest FROM taken
    WHERE application_id = $2 AND is_live AND redirect_uri = $3 AND challenge IS NOT DISTINCT FROM $4::text
    RETURNING *
  ), minted AS (
    INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, expires_at)
    SELECT new.id, new.digest, new.kind, f.id, f.application_id, f.account_id, f.scopes,
      now() + new.seconds * interval '1 second'
    FROM family f, (VALUES ($6::bigint, $7::bytea, 'access', $8::int), ($9::bigint, $10::bytea, 'refresh', $11::int))
      AS new (id, digest, kind, seconds)
  )
  SELECT t.account_id, t.scopes, t.consented, t.announced, f.id AS family_id, f.created_at
  FROM taken t LEFT JOIN family f ON true`;

interface CodeFacts {
  readonly account_id: string;
  readonly scopes: string[];
  readonly consented: boolean;
  readonly announced: boolean;
}

/** Without a family the code was burnt. */
type TakenCode = CodeFacts & ({ family_id: string; created_at: Date } | { family_id: null; created_at: null });

/**
 * Stamps of one moment go out together, in the order in which revocation locks. One that a crash may lose need not wait
 * for the disk: others see it all the same once it is written.
 */
const settle = (table: string): string => `
  UPDATE ${table} SET settled_at = clock_timestamp()
  WHERE id IN (SELECT id FROM ${table} WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE)
    AND set_config('synchronous_commit', 'off', true) = 'off'`;

const SETTLE_FAMILIES = settle('oauth_family');

const REVOKE_REPLAYED_CODE = `
  DELETE FROM oauth_family WHERE code_digest = $1 AND ${wasOver('created_at', 'settled_at', 2)}`;

/** When everything ends that descends from the code of the family `f`; null where nothing does. */
const END_OF_FAMILY = "(f.created_at + nullif($11::int, 0) * interval '1 second')";

/**
 * One statement again. The family is locked before the token, in the order in which revocation locks them, so that a
 * refresh either is over before its family goes or finds it gone. `presented` is what the statement saw when it
 * began, `won` what it did.
 */
const ROTATE_REFRESH_TOKEN = `
  WITH presented AS MATERIALIZED (
    SELECT t.id, t.family_id, t.application_id, t.expires_at > now() AS is_live, ${IS_ACTIVE} AS is_active,
      t.consumed_at IS NOT NULL AS is_consumed, $3::text[] IS NULL OR $3::text[] <@ t.scopes AS is_granted,
      t.consumed_at IS NOT NULL AND ${wasOver('t.consumed_at', 't.settled_at', 10)} AS is_replayed
    FROM oauth_token t JOIN account a ON a.id = t.account_id
    WHERE t.digest = $1 AND t.kind = 'refresh'
  ), family AS MATERIALIZED (
    SELECT f.* FROM presented p JOIN oauth_family f ON f.id = p.family_id
    WHERE p.application_id = $2 AND p.is_live AND p.is_active AND p.is_granted AND NOT p.is_consumed
      AND coalesce(${END_OF_FAMILY} > now(), true)
    FOR NO KEY UPDATE OF f
  ), won AS (
    UPDATE oauth_token t SET consumed_at = clock_timestamp() FROM family f
    WHERE t.digest = $1 AND t.family_id = f.id AND t.consumed_at IS NULL
    RETURNING t.id
  ), minted AS (
    INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, parent_id, expires_at)
    SELECT new.id, new.digest, new.kind, f.id, f.application_id, f.account_id,
      CASE new.kind WHEN 'access' THEN coalesce($3::text[], f.scopes) ELSE f.scopes END, won.id,
      least(now() + new.seconds * interval '1 second', ${END_OF_FAMILY})
    FROM won, family f, (VALUES ($4::bigint, $5::bytea, 'access', $6::int), ($7::bigint, $8::bytea, 'refresh', $9::int))
      AS new (id, digest, kind, seconds)
    RETURNING kind, expires_at
  )
  SELECT p.*, p.application_id = $2 AS is_own, won.id IS NOT NULL AS is_won, f.scopes,
    ceil(extract(epoch FROM m.expires_at - now()))::int AS seconds
  FROM presented p LEFT JOIN won ON true LEFT JOIN family f ON true LEFT JOIN minted m ON m.kind = 'access'`;

interface PresentedFacts {
  readonly id: string;
  readonly family_id: string;
  readonly is_live: boolean;
  readonly is_active: boolean;
  readonly is_consumed: boolean;
  readonly is_granted: boolean;
  readonly is_replayed: boolean;
  readonly is_own: boolean;
}

type PresentedToken = PresentedFacts &
  ({ is_won: true; scopes: string[]; seconds: number } | { is_won: false; scopes: string[] | null; seconds: null });

const SETTLE_TOKENS = settle('oauth_token');

const REVOKE_FAMILY = 'DELETE FROM oauth_family WHERE id = $1';

/** The pair that a redeemed refresh token was exchanged for, as long as nothing became of its refresh token. */
const LIVE_SUCCESSOR = `
  SELECT access.digest AS access, refresh.digest AS refresh, access.scopes,
    floor(extract(epoch FROM access.expires_at - clock_timestamp()))::int AS seconds
  FROM oauth_token used
    JOIN oauth_token access ON access.family_id = used.family_id AND access.parent_id = used.id
      AND access.kind = 'access'
    JOIN oauth_token refresh ON refresh.family_id = used.family_id AND refresh.parent_id = used.id
      AND refresh.kind = 'refresh' AND refresh.consumed_at IS NULL
    JOIN account a ON a.id = used.account_id
  WHERE used.id = $1 AND used.consumed_at + $2::int * interval '1 second' > clock_timestamp() AND ${IS_ACTIVE}`;

interface SuccessorPair {
  readonly access: Buffer;
  readonly refresh: Buffer;
  readonly scopes: string[];
  readonly seconds: number;
}

/** The token operation: codes and refresh tokens for token pairs (oauth.md 3.3 and 5.6). */
@Injectable()
export class TokenService {
  private readonly settleFamily = gather((ids) => this.settle('oauth-settle-families', SETTLE_FAMILIES, ids));
  private readonly settleToken = gather((ids) => this.settle('oauth-settle-tokens', SETTLE_TOKENS, ids));

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly snowflakes: Snowflakes,
    private readonly mint: TokenMint,
    private readonly grants: Grants,
    private readonly arrivals: Arrivals,
    private readonly log: Log,
  ) {}

  /** @throws Refusal INVALID_REQUEST, UNSUPPORTED_GRANT_TYPE, INVALID_GRANT, INVALID_SCOPE */
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
    const pair = this.mint.fresh();
    await this.arrivals.gathered();
    const taken = await this.database.transaction(async (tx) => {
      const values = [code, client.applicationId, redirectUri, challenge, familyId, ...this.rows(pair)];
      const [row] = await this.database.statement<TakenCode>('oauth-exchange', EXCHANGE_CODE, values, tx);
      if (row?.family_id && !row.announced) {
        const authorization = { accountId: row.account_id, scopes: row.scopes, at: row.created_at };
        await this.grants.announceAuthorization(tx, client.applicationId, authorization);
      }
      if (row?.family_id && row.consented && row.scopes.includes('bot')) {
        await this.grants.recordBot(tx, row.account_id, client.applicationId);
      }
      return row;
    });
    if (!taken) await this.database.statement('oauth-replayed-code', REVOKE_REPLAYED_CODE, [code, client.beganAt]);
    if (!taken?.family_id) throw oauthError('invalid_grant');
    await this.settleFamily(familyId);
    return this.view(pair, taken.scopes, this.lives().access);
  }

  private async refresh(client: Client, form: Form) {
    const presented = requiredValue(form, 'refresh_token');
    const scopes = narrowedScopes(form);
    const hasLeeway = this.config.oauth.reuseLeewaySeconds > 0;
    const pair = hasLeeway ? this.mint.successor(presented) : this.mint.fresh();
    await this.arrivals.gathered();
    const { familySeconds } = this.config.oauth;
    const values = [digest(presented), client.applicationId, scopes, ...this.rows(pair), client.beganAt, familySeconds];
    const [row] = await this.database.statement<PresentedToken>('oauth-refresh', ROTATE_REFRESH_TOKEN, values);
    if (row?.is_won) {
      await this.settleToken(row.id);
      return this.view(pair, scopes ?? row.scopes, row.seconds);
    }
    if (row && !row.is_own) return this.refuseReuse(row.family_id);
    if (!row?.is_active) throw oauthError('invalid_grant');
    if (!row.is_consumed && row.is_live && !row.is_granted) throw oauthError('invalid_scope');
    const repeated = hasLeeway ? await this.repeat(presented, row.id) : null;
    if (repeated) return repeated;
    if (row.is_replayed) return this.refuseReuse(row.family_id);
    throw oauthError('invalid_grant');
  }

  /** The pair of an honest retry within the leeway. */
  private async repeat(presented: string, id: string) {
    const { reuseLeewaySeconds } = this.config.oauth;
    const [row] = await this.database.statement<SuccessorPair>('oauth-successor', LIVE_SUCCESSOR, [
      id,
      reuseLeewaySeconds,
    ]);
    const pair = row && this.mint.successorOf(presented, row);
    return pair ? this.view(pair, row.scopes, row.seconds) : null;
  }

  private async refuseReuse(familyId: string): Promise<never> {
    await this.database.statement('oauth-revoke-family', REVOKE_FAMILY, [familyId]);
    throw oauthError('invalid_grant');
  }

  /** The rows of a pair: id, digest and lifetime of the access and of the refresh token. */
  private rows({ access, refresh }: TokenPair): unknown[] {
    const lives = this.lives();
    const [first, second] = [this.snowflakes.next(), this.snowflakes.next()];
    return [first, digest(access), lives.access, second, digest(refresh), lives.refresh];
  }

  /** Seconds that tokens live at most: none outlives a family that begins with it. */
  private lives() {
    const { accessSeconds, refreshSeconds, familySeconds } = this.config.oauth;
    const most = familySeconds || Number.POSITIVE_INFINITY;
    return { access: Math.min(accessSeconds, most), refresh: Math.min(refreshSeconds, most) };
  }

  /**
   * Stamps that uses are committed, before anyone learns of them. The tokens are good without the stamp: replays are
   * then told from races a little later.
   */
  private async settle(name: string, statement: string, ids: string[]): Promise<ReadonlyMap<string, void>> {
    try {
      await this.database.statement(name, statement, [ids]);
    } catch (error) {
      this.log.warn('the use of codes or refresh tokens could not be settled', { error });
    }
    return new Map<string, void>();
  }

  private view({ access, refresh }: TokenPair, scopes: readonly string[], seconds: number) {
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: seconds,
      refresh_token: refresh,
      scope: inOrder(scopes).join(' '),
    };
  }
}

/** Any length and alphabet: what is wrong with a verifier is found out together with the code, which it burns. */
function trimmedVerifier(form: Form): string | undefined {
  const verifier = formValue(form, 'code_verifier');
  if (verifier !== undefined && verifier.trim() !== verifier) throw oauthError('invalid_request', ['code_verifier']);
  return verifier;
}

/** @throws Refusal INVALID_SCOPE for one that is not in the registry, and for none */
function narrowedScopes(form: Form): string[] | null {
  const text = formValue(form, 'scope');
  if (text === undefined) return null;
  if (text.length > 256) throw oauthError('invalid_request', ['scope']);
  const scopes = parseScopes(text);
  if (!scopes) throw oauthError('invalid_scope');
  return scopes;
}
