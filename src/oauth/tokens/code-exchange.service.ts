import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IS_ACTIVE_SQL } from '../../accounts/account-facts.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import { withinLimitsSql } from '../../accounts/session-limits.js';
import { Config } from '../../core/config/config.js';
import { KeyedBatcher } from '../../platform/database/batcher.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { PAIRS_AT_ONCE, type PairRows, pairColumns, tokenLifetimes, wasSettledBefore } from './pair-rows.js';

/**
 * Deletes codes and creates their tokens in one statement. Of parallel exchanges, exactly one deletes the code. Locks
 * the login sessions, then the application, then the codes, each in ascending order. A session that ends at the same
 * time has either ended before the exchange, or finds the row of the exchange in `openid_session`.
 */
const exchangeCodes = (isLive: string): string => `
  WITH login AS MATERIALIZED (
    SELECT s.id FROM session s
    WHERE s.id IN (SELECT c.session_id FROM oauth_code c
                   WHERE c.digest = ANY ($2::bytea[]) AND 'openid' = ANY (c.scopes)) AND ${isLive}
    ORDER BY s.id FOR SHARE OF s
  ), client AS MATERIALIZED (
    SELECT id FROM application WHERE id = $1 AND (SELECT count(*) FROM login) >= 0 FOR KEY SHARE
  ), asked AS MATERIALIZED (
    SELECT * FROM unnest($2::bytea[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bytea[], $8::bigint[],
        $9::bytea[], $12::text[])
      WITH ORDINALITY AS q (code, uri, answered, family, access_id, access_digest, refresh_id, refresh_digest, new_sid, place)
  ), held AS MATERIALIZED (
    SELECT c.digest FROM client, oauth_code c WHERE c.digest = ANY ($2::bytea[]) ORDER BY c.digest FOR UPDATE OF c
  ), taken AS (
    DELETE FROM oauth_code c USING held, client, account a, asked q
    WHERE c.digest = held.digest AND q.code = c.digest AND a.id = c.account_id
      AND (c.application_id <> client.id OR ${IS_ACTIVE_SQL})
    RETURNING c.*, q.*, c.expires_at > now() AS is_live,
      NOT 'openid' = ANY (c.scopes) OR c.session_id IN (SELECT id FROM login) AS is_logged_in
  ), family AS (
    INSERT INTO oauth_family
      (id, application_id, account_id, scopes, code_digest, session_id, authenticated_at, amr, auth_level, by_platform)
    SELECT family, application_id, account_id, scopes, digest, session_id, authenticated_at, amr, auth_level, by_platform
    FROM taken
    WHERE application_id = $1 AND is_live AND is_logged_in AND redirect_uri = uri AND challenge IS NOT DISTINCT FROM answered
    RETURNING *
  ), minted AS (
    INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, expires_at)
    SELECT new.id, new.digest, new.kind, f.id, f.application_id, f.account_id, f.scopes,
      now() + new.seconds * interval '1 second'
    FROM family f JOIN asked q ON q.family = f.id
      CROSS JOIN LATERAL (VALUES (access_id, access_digest, 'access', $10::int), (refresh_id, refresh_digest, 'refresh', $11::int))
        AS new (id, digest, kind, seconds)
  ), known AS (
    INSERT INTO openid_session (session_id, application_id, sid)
    SELECT DISTINCT ON (f.session_id) f.session_id, f.application_id, q.new_sid
    FROM family f JOIN asked q ON q.family = f.id WHERE 'openid' = ANY (f.scopes) ORDER BY f.session_id
    ON CONFLICT (session_id, application_id) DO NOTHING
  )
  SELECT t.place, t.account_id, t.scopes, t.consented, t.announced, t.nonce, f.id AS family_id, f.created_at
  FROM taken t LEFT JOIN family f ON f.id = t.family`;

const REVOKE_REPLAYED_CODE = `
  DELETE FROM oauth_family WHERE code_digest = $1 AND ${wasSettledBefore('created_at', 'settled_at', '$2')}`;

/** The random ID of a login session for one application has this many bytes. */
const SID_BYTES = 16;

/** A presented code and the rows to store if it is valid. */
interface PresentedCode extends PairRows {
  readonly digest: Buffer;
  readonly redirectUri: string;
  /** The challenge that matches the presented verifier. */
  readonly challenge: string | null;
  readonly familyId: string;
}

interface CodeFacts {
  readonly place: string;
  readonly account_id: string;
  readonly scopes: string[];
  readonly consented: boolean;
  readonly announced: boolean;
  readonly nonce: string | null;
}

/** Without a family, the code was invalid and is spent. */
type ExchangeResult = CodeFacts & ({ family_id: string; created_at: Date } | { family_id: null; created_at: null });

/** Exchanges codes (oauth.md 3.3). Concurrent exchanges of one application share a transaction. */
@Injectable()
export class CodeExchange {
  private readonly batches = new KeyedBatcher<PresentedCode, ExchangeResult | undefined>(
    (applicationId, codes) => this.database.transaction((tx) => this.exchangeBatch(tx, applicationId, codes)),
    { nameOf: ({ digest }) => digest.toString('base64'), maxSize: PAIRS_AT_ONCE },
  );

  private readonly exchangeSql: string;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly grants: Grants,
  ) {
    this.exchangeSql = exchangeCodes(`s.revoked_at IS NULL${withinLimitsSql(config, 's')}`);
  }

  /** Returns the result of the exchange, or `undefined` if the code does not exist. */
  exchange(applicationId: string, code: PresentedCode): Promise<ExchangeResult | undefined> {
    return this.batches.submit(applicationId, code);
  }

  private async exchangeBatch(tx: Tx, applicationId: string, codes: readonly PresentedCode[]) {
    const lives = tokenLifetimes(this.config.oauth);
    const rows = await this.database.statement<ExchangeResult>(
      'oauth-exchange',
      this.exchangeSql,
      [
        applicationId,
        codes.map(({ digest }) => digest),
        codes.map(({ redirectUri }) => redirectUri),
        codes.map(({ challenge }) => challenge),
        codes.map(({ familyId }) => familyId),
        ...pairColumns(codes),
        lives.access,
        lives.refresh,
        codes.map(() => randomBytes(SID_BYTES).toString('base64url')),
      ],
      tx,
    );
    const taken = codes.map((): ExchangeResult | undefined => undefined);
    for (const row of rows) taken[Number(row.place) - 1] = row;
    for (const row of taken) await this.announceGrant(tx, applicationId, row);
    return taken;
  }

  private async announceGrant(tx: Tx, applicationId: string, row: ExchangeResult | undefined): Promise<void> {
    if (!row?.family_id) return;
    if (!row.announced) {
      const authorization = { accountId: row.account_id, scopes: row.scopes, at: row.created_at };
      await this.grants.announceAuthorization(tx, applicationId, authorization);
    }
    if (row.consented && row.scopes.includes('bot')) await this.grants.recordBot(tx, row.account_id, applicationId);
  }

  /** Revokes the tokens of a code if its exchange had finished before this request began. */
  async revokeReplayed(digest: Buffer, beganAt: number): Promise<void> {
    await this.database.statement('oauth-replayed-code', REVOKE_REPLAYED_CODE, [digest, beganAt]);
  }
}
