import { Injectable } from '@nestjs/common';
import { isInactive } from '../../accounts/account-facts.js';
import type { Origin } from '../../accounts/events/origin.js';
import { PERSONAL_APPLICATION_ID, PERSONAL_APPLICATION_NAME } from '../../accounts/grants/personal-application.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { parseNetwork } from '../../bans/networks.js';
import { Config } from '../../core/config/config.js';
import { ApiError, validationError } from '../../core/errors.js';
import { digest, mintPersonalToken, mintToken } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { type ChangeResult, Database, type Tx } from '../../platform/database/database.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import type { Account } from '../../policy/account.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { SessionIdentity } from '../../policy/identity.js';
import type { CreatePersonalTokenInput } from './personal-tokens.dto.js';

const MAX_TOKENS = 50;
const DEFAULT_DAYS = 30;
const PREVIEW_LENGTH = 4;
const DAY_MS = 86_400_000;
/** How long before its expiration a token is mentioned in an email. */
const REMINDER_DAYS = 7;

const LIVE_TOKENS = `
  FROM oauth_family f JOIN oauth_token t ON t.family_id = f.id JOIN personal_token p ON p.id = t.id
  WHERE f.account_id = $1 AND f.application_id = ${PERSONAL_APPLICATION_ID} AND t.expires_at > now()`;

/** A token is the only one of its family. The family has the digest of a code that was never issued. */
const CREATE_TOKEN = `
  WITH application AS (
    INSERT INTO application (id, name, client_type) VALUES (${PERSONAL_APPLICATION_ID}, $9, 'confidential')
    ON CONFLICT DO NOTHING
  ), family AS (
    INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest, settled_at)
    VALUES ($1, ${PERSONAL_APPLICATION_ID}, $2, $3, $4, now())
  ), token AS (
    INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, expires_at)
    VALUES ($1, $5, 'access', $1, ${PERSONAL_APPLICATION_ID}, $2, $3, now() + $6::int * interval '1 day')
    RETURNING id, scopes, created_at, expires_at
  ), personal AS (
    INSERT INTO personal_token (id, name, preview, networks) VALUES ($1, $7, $8, $10)
    RETURNING name, preview, networks, last_used_at
  )
  SELECT * FROM token, personal`;

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly preview: string;
  readonly scopes: string[];
  readonly networks: string[];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
}

/** Personal access tokens: access tokens that a user creates for a script (tokens.md section 1). */
@Injectable()
export class PersonalTokens {
  constructor(
    private readonly database: Database,
    private readonly callerGuard: CallerGuard,
    private readonly snowflakes: Snowflakes,
    private readonly features: FeatureRegistry,
    private readonly notices: SecurityNotices,
    private readonly jobs: Jobs,
    private readonly config: Config,
  ) {}

  /** Lists the tokens of an account that have not expired, newest first. */
  async list(accountId: string) {
    const rows = await this.database.manager.query<TokenRow[]>(
      `SELECT t.id, t.scopes, t.created_at, t.expires_at, p.name, p.preview, p.networks, p.last_used_at
       ${LIVE_TOKENS} ORDER BY t.id DESC`,
      [accountId],
    );
    return rows.map((row) => this.view(row));
  }

  /**
   * Creates a token. The lock of the account serializes parallel requests, so that they cannot exceed the limit.
   * @throws ApiError FV(expires_in_days: INVALID_FORMAT), ACCESS_DENIED, TOKEN_LIMIT_REACHED
   */
  async create(me: SessionIdentity, input: CreatePersonalTokenInput, origin: Origin) {
    const { maxDays } = this.config.personalTokens;
    const { name, expires_in_days: days = Math.min(DEFAULT_DAYS, maxDays) } = input;
    if (days > maxDays) throw validationError('expires_in_days', 'INVALID_FORMAT');
    return this.database.transaction(async (tx) => {
      const owner = await this.callerGuard.lockCaller(tx, me);
      if (isInactive(owner)) throw new ApiError('ACCESS_DENIED');
      await this.assertBelowLimit(tx, owner.id);
      const token = mintPersonalToken();
      const row = await this.insert(tx, owner, { ...input, days, token });
      const { id, scopes, expires_at } = row;
      const data = { token_id: id, name, scopes: this.features.sortScopes(scopes) };
      await this.notices.send(tx, owner, 'access_token_created', origin, data);
      if (days > REMINDER_DAYS) {
        const startAfter = new Date(expires_at.getTime() - REMINDER_DAYS * DAY_MS);
        await this.jobs.enqueue(tx, 'personal_tokens:remind', { token_id: id }, { startAfter, key: id });
      }
      return { ...this.view(row), token };
    });
  }

  private async assertBelowLimit(tx: Tx, accountId: string): Promise<void> {
    const [live] = await tx.query<{ count: number }[]>(`SELECT count(*)::int AS count ${LIVE_TOKENS}`, [accountId]);
    if ((live?.count ?? 0) >= MAX_TOKENS) throw new ApiError('TOKEN_LIMIT_REACHED');
  }

  private async insert(
    tx: Tx,
    { id: accountId }: Account,
    { name, scopes, networks = [], days, token }: CreatePersonalTokenInput & { days: number; token: string },
  ): Promise<TokenRow> {
    const [row] = await tx.query<TokenRow[]>(CREATE_TOKEN, [
      ...[this.snowflakes.next(), accountId, this.features.sortScopes(scopes), digest(mintToken()), digest(token)],
      ...[days, name, token.slice(-PREVIEW_LENGTH), PERSONAL_APPLICATION_NAME, canonical(networks)],
    ]);
    if (!row) throw new Error('The personal access token was not stored');
    return row;
  }

  /** @throws ApiError UNKNOWN_TOKEN */
  async rename(me: SessionIdentity, id: string, name: string) {
    return this.database.transaction(async (tx) => {
      const owner = await this.callerGuard.lockCaller(tx, me);
      const [rows] = await tx.query<ChangeResult<TokenRow>>(
        `UPDATE personal_token p SET name = $3 FROM oauth_token t
         WHERE p.id = $2 AND t.id = p.id AND t.account_id = $1 AND t.expires_at > now()
         RETURNING t.id, t.scopes, t.created_at, t.expires_at, p.name, p.preview, p.networks, p.last_used_at`,
        [owner.id, id, name],
      );
      if (!rows[0]) throw new ApiError('UNKNOWN_TOKEN');
      return this.view(rows[0]);
    });
  }

  /** @throws ApiError UNKNOWN_TOKEN */
  async delete(me: SessionIdentity, id: string, origin: Origin): Promise<void> {
    await this.database.transaction(async (tx) => {
      const owner = await this.callerGuard.lockCaller(tx, me);
      await this.deleteOf(tx, owner, id, { by: 'owner', origin });
    });
  }

  /**
   * Deletes a token of an account that `tx` has locked, and notifies the owner. Returns the name of the token.
   * @throws ApiError UNKNOWN_TOKEN
   */
  async deleteOf(
    tx: Tx,
    owner: Account,
    id: string,
    { by, origin }: { by: 'owner' | 'administrator'; origin?: Origin },
  ): Promise<string> {
    const [found] = await tx.query<{ name: string }[]>(`SELECT p.name ${LIVE_TOKENS} AND t.id = $2`, [owner.id, id]);
    if (!found) throw new ApiError('UNKNOWN_TOKEN');
    await this.end(tx, owner.id, id);
    await this.notices.send(tx, owner, 'access_token_deleted', origin, { token_id: id, name: found.name, by });
    return found.name;
  }

  /** Deletes a token of an account that `tx` has locked. Returns false if there is none. */
  async end(tx: Tx, ownerId: string, id: string): Promise<boolean> {
    const [ended] = await tx.query<ChangeResult<object>>(
      `DELETE FROM oauth_family WHERE id = $2 AND account_id = $1 AND application_id = ${PERSONAL_APPLICATION_ID}
       RETURNING id`,
      [ownerId, id],
    );
    return ended.length > 0;
  }

  private view({ id, name, preview, scopes, networks, created_at, expires_at, last_used_at }: TokenRow) {
    return {
      ...{ id, name, preview, scopes: this.features.sortScopes(scopes), networks },
      created_at: created_at.toISOString(),
      expires_at: expires_at.toISOString(),
      last_used_at: last_used_at?.toISOString() ?? null,
    };
  }
}

/** The CIDR ranges in canonical form, without duplicates. */
const canonical = (networks: readonly string[]): string[] => [
  ...new Set(
    networks.map((text) => {
      const network = parseNetwork(text);
      if (!network) throw new Error('The network was not validated');
      return network.text.includes('/') ? network.text : `${network.text}/${network.bits}`;
    }),
  ),
];
