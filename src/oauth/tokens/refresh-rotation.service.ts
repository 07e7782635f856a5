import { Injectable } from '@nestjs/common';
import { IS_ACTIVE_SQL } from '../../accounts/account-facts.js';
import { Config } from '../../core/config/config.js';
import { KeyedBatcher } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import { PAIRS_AT_ONCE, type PairRows, pairColumns, tokenLifetimes, wasSettledBefore } from './pair-rows.js';

/** The SQL expression for the time at which the family `f` expires. It is null if families do not expire. */
const FAMILY_EXPIRES_AT = "(f.created_at + nullif($11::int, 0) * interval '1 second')";

/**
 * Rotates tokens in one statement. Locks families before their tokens, in the order of revocation. Therefore a refresh
 * either completes before its family is deleted, or finds no family. `presented` is the state before the statement, and
 * `won` has the tokens that it rotated.
 */
const ROTATE_REFRESH_TOKENS = `
  WITH presented AS MATERIALIZED (
    SELECT q.place, t.id, t.family_id, t.application_id, t.expires_at > now() AS is_live, ${IS_ACTIVE_SQL} AS is_active,
      t.consumed_at IS NOT NULL AS is_consumed, q.narrowed IS NULL OR string_to_array(q.narrowed, ' ') <@ t.scopes AS is_granted,
      t.consumed_at IS NOT NULL AND ${wasSettledBefore('t.consumed_at', 't.settled_at', 'q.began_at')} AS is_replayed,
      string_to_array(q.narrowed, ' ') AS narrowed, q.access_id, q.access_digest, q.refresh_id, q.refresh_digest
    FROM unnest($2::bytea[], $3::text[], $4::float8[], $5::bigint[], $6::bytea[], $7::bigint[], $8::bytea[])
        WITH ORDINALITY AS q (token, narrowed, began_at, access_id, access_digest, refresh_id, refresh_digest, place)
      JOIN oauth_token t ON t.digest = q.token AND t.kind = 'refresh'
      JOIN account a ON a.id = t.account_id
  ), family AS MATERIALIZED (
    SELECT f.*, p.id AS token_id, p.place FROM presented p JOIN oauth_family f ON f.id = p.family_id
    WHERE p.application_id = $1 AND p.is_live AND p.is_active AND p.is_granted AND NOT p.is_consumed
      AND coalesce(${FAMILY_EXPIRES_AT} > now(), true)
    ORDER BY f.id FOR NO KEY UPDATE OF f
  ), won AS (
    UPDATE oauth_token t SET consumed_at = clock_timestamp() FROM family f
    WHERE t.id = f.token_id AND t.family_id = f.id AND t.consumed_at IS NULL
    RETURNING t.id
  ), minted AS (
    INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, parent_id, expires_at)
    SELECT new.id, new.digest, new.kind, f.id, f.application_id, f.account_id,
      CASE new.kind WHEN 'access' THEN coalesce(p.narrowed, f.scopes) ELSE f.scopes END, won.id,
      least(now() + new.seconds * interval '1 second', ${FAMILY_EXPIRES_AT})
    FROM won JOIN family f ON f.token_id = won.id JOIN presented p ON p.id = won.id
      CROSS JOIN LATERAL (VALUES (p.access_id, p.access_digest, 'access', $9::int), (p.refresh_id, p.refresh_digest, 'refresh', $10::int))
        AS new (id, digest, kind, seconds)
    RETURNING kind, parent_id, expires_at
  )
  SELECT p.place, p.id, p.family_id, p.is_live, p.is_active, p.is_consumed, p.is_granted, p.is_replayed,
    p.application_id = $1 AS is_own, won.id IS NOT NULL AS is_won, f.scopes,
    ceil(extract(epoch FROM m.expires_at - now()))::int AS seconds
  FROM presented p LEFT JOIN won ON won.id = p.id LEFT JOIN family f ON f.token_id = p.id
    LEFT JOIN minted m ON m.parent_id = won.id AND m.kind = 'access'`;

/** A presented refresh token and the pair to store if it is valid. */
interface PresentedToken extends PairRows {
  readonly digest: Buffer;
  /** The scopes of the access token if the client requested fewer. */
  readonly scopes: readonly string[] | null;
  /** When the request began, in milliseconds. */
  readonly beganAt: number;
}

interface TokenFacts {
  readonly place: string;
  readonly id: string;
  readonly family_id: string;
  readonly is_live: boolean;
  readonly is_active: boolean;
  readonly is_consumed: boolean;
  readonly is_granted: boolean;
  readonly is_replayed: boolean;
  readonly is_own: boolean;
}

export type RotatedToken = TokenFacts &
  ({ is_won: true; scopes: string[]; seconds: number } | { is_won: false; scopes: string[] | null; seconds: null });

/** Rotates refresh tokens (oauth.md 5.6). Concurrent rotations of one application share a statement. */
@Injectable()
export class RefreshRotation {
  private readonly batches = new KeyedBatcher<PresentedToken, RotatedToken | undefined>(
    (applicationId, tokens) => this.rotateBatch(applicationId, tokens),
    { nameOf: ({ digest }) => digest.toString('base64'), maxSize: PAIRS_AT_ONCE },
  );

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Returns the result of the rotation, or `undefined` if the token does not exist. */
  rotate(applicationId: string, token: PresentedToken): Promise<RotatedToken | undefined> {
    return this.batches.submit(applicationId, token);
  }

  private async rotateBatch(applicationId: string, tokens: readonly PresentedToken[]) {
    const lives = tokenLifetimes(this.config.oauth);
    const rows = await this.database.statement<RotatedToken>('oauth-refresh', ROTATE_REFRESH_TOKENS, [
      applicationId,
      tokens.map(({ digest }) => digest),
      tokens.map(({ scopes }) => scopes?.join(' ') ?? null),
      tokens.map(({ beganAt }) => beganAt),
      ...pairColumns(tokens),
      lives.access,
      lives.refresh,
      this.config.oauth.familySeconds,
    ]);
    const rotated = tokens.map((): RotatedToken | undefined => undefined);
    for (const row of rows) rotated[Number(row.place) - 1] = row;
    return rotated;
  }
}
