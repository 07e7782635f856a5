import { Injectable } from '@nestjs/common';
import type { EventData, EventType } from '../../core/names.js';
import { type ChangeResult, Database, type Tx } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { LifecycleEvents } from '../events/lifecycle-events.service.js';
import type { RevocationCause } from '../events/origin.js';
import { AdminApplication } from './admin-application.service.js';
import { PERSONAL_APPLICATION_ID } from './personal-application.js';

export interface Authorization {
  readonly applicationId: string;
  readonly name: string;
  readonly botPublic: boolean;
  readonly icon: string | null;
  readonly description: string | null;
  readonly scopes: string[];
  readonly authorizedAt: Date;
  /** Whether the trust in the application replaced the full consent of the user. */
  readonly isByPlatform: boolean;
}

interface AuthorizationRow {
  readonly id: string;
  readonly name: string;
  readonly bot_public: boolean;
  readonly avatar: string | null;
  readonly bio: string | null;
  readonly authorized_at: Date;
  readonly scopes: string[];
  readonly by_platform: boolean;
}

const LIVE_REFRESH_TOKEN = `t.kind = 'refresh' AND t.consumed_at IS NULL AND t.expires_at > now()`;

/**
 * Grants of accounts to applications: token families, pending codes, bot authorizations (oauth.md section 3). The only
 * place that revokes a grant, for every trigger of section 3.4.
 */
@Injectable()
export class Grants {
  constructor(
    private readonly database: Database,
    private readonly replicaBus: ReplicaBus,
    private readonly adminApplication: AdminApplication,
    private readonly lifecycle: LifecycleEvents,
    private readonly features: FeatureRegistry,
    cleanup: Cleanup,
  ) {
    cleanup.addExpiry('oauth_code', 'digest', 'expires_at < now()');
    cleanup.add('oauth_token', (tx, limit) => this.removeExpired(tx, limit));
  }

  /**
   * Revokes everything that the account granted to these applications, and notifies their bots. Returns the IDs of
   * applications that had a grant.
   */
  revoke(tx: Tx, accountId: string, applicationIds: readonly string[], ending: RevocationCause): Promise<string[]> {
    return this.revokeGrants(tx, accountId, applicationIds, ending);
  }

  /** Revokes everything that the account granted to any application, including the built-in Admin application. */
  revokeAll(tx: Tx, accountId: string, ending: RevocationCause): Promise<string[]> {
    return this.revokeGrants(tx, accountId, null, ending);
  }

  /** Revokes the grant of the built-in Admin application, which ends with the last session of an account. */
  async revokeAdminGrant(tx: Tx, accountId: string, ending: RevocationCause): Promise<void> {
    await this.revokeGrants(tx, accountId, [this.adminApplication.id], ending);
  }

  /** The same for several accounts. */
  async revokeAdminGrants(tx: Tx, accountIds: readonly string[], ending: RevocationCause): Promise<void> {
    const holders = await tx.query<{ account_id: string }[]>(
      `SELECT account_id FROM oauth_family WHERE account_id = ANY ($1::bigint[]) AND application_id = $2
       UNION SELECT account_id FROM oauth_code WHERE account_id = ANY ($1::bigint[]) AND application_id = $2
       ORDER BY account_id`,
      [accountIds, this.adminApplication.id],
    );
    for (const { account_id: id } of holders) await this.revokeAdminGrant(tx, id, ending);
  }

  /**
   * Deletes the codes first, in the order in which exchanges lock them. A code exchange in progress has locked its code,
   * so when the codes are deleted, the family of that exchange exists and is also deleted. The advisory lock keeps silent
   * authorizations, which require the grant, waiting until it is revoked.
   */
  private async revokeGrants(
    tx: Tx,
    accountId: string,
    applicationIds: readonly string[] | null,
    ending: RevocationCause,
  ): Promise<string[]> {
    await this.lockGrants(tx, accountId);
    const ofGrant = 'account_id = $1 AND ($2::bigint[] IS NULL OR application_id = ANY ($2))';
    const values = [accountId, applicationIds];
    const [codes] = await tx.query<ChangeResult<{ application_id: string; is_live: boolean }>>(
      `DELETE FROM oauth_code WHERE digest IN (SELECT digest FROM oauth_code WHERE ${ofGrant} ORDER BY digest FOR UPDATE)
       RETURNING application_id, expires_at > now() AS is_live`,
      values,
    );
    const [families] = await tx.query<ChangeResult<{ application_id: string }>>(
      `DELETE FROM oauth_family WHERE id IN (SELECT id FROM oauth_family WHERE ${ofGrant} ORDER BY id FOR UPDATE)
       RETURNING application_id`,
      values,
    );
    const [bots] = await tx.query<ChangeResult<{ application_id: string }>>(
      `DELETE FROM oauth_bot_grant WHERE ${ofGrant} RETURNING application_id`,
      values,
    );
    const ended = [...codes.filter(({ is_live }) => is_live), ...families, ...bots];
    const endedIds = [...new Set(ended.map((row) => row.application_id))];
    for (const applicationId of endedIds) {
      await this.announce(tx, 'APPLICATION_DEAUTHORIZE', applicationId, { user_id: accountId });
    }
    const { origin, ...data } = ending;
    const revoked = endedIds.map((id) => ({ account_id: accountId, application_id: id }));
    await this.lifecycle.emit(tx, 'applicationDeauthorized', revoked, { origin, data });
    return endedIds;
  }

  /** Locks the grants of the account until `tx` ends: none is used for a new authorization and none is revoked. */
  async lockGrants(tx: Tx, accountId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('grants/' || $1, 0))`, [accountId]);
  }

  async recordBot(tx: Tx, accountId: string, applicationId: string): Promise<void> {
    await tx.query('INSERT INTO oauth_bot_grant (account_id, application_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      accountId,
      applicationId,
    ]);
  }

  async announceAuthorization(
    tx: Tx,
    applicationId: string,
    { accountId, scopes, at }: { accountId: string; scopes: readonly string[]; at: Date },
  ): Promise<void> {
    const d = { user_id: accountId, scopes: this.features.sortScopes(scopes), authorized_at: at.toISOString() };
    await this.announce(tx, 'APPLICATION_AUTHORIZE', applicationId, d);
  }

  /** Sends an event to the gateway sessions of the application's bot, which has the same ID as the application. */
  private async announce<T extends EventType>(tx: Tx, type: T, applicationId: string, d: EventData<T>): Promise<void> {
    if (applicationId === this.adminApplication.id || applicationId === PERSONAL_APPLICATION_ID) return;
    await this.replicaBus.announceEvent<T>(tx, { type, account_id: applicationId, d });
  }

  /**
   * Returns the union of the scopes of the account's valid refresh tokens for the application, and for each scope
   * whether only the platform gave it. Scopes that the platform gave count while it trusts the application for them.
   */
  async liveScopes(tx: Tx, accountId: string, applicationId: string): Promise<Map<string, boolean>> {
    const rows = await tx.query<{ scope: string; by_platform: boolean }[]>(
      `SELECT scope, bool_and(f.by_platform) AS by_platform
       FROM oauth_family f
         JOIN oauth_token t ON t.family_id = f.id
         JOIN application p ON p.id = f.application_id
         CROSS JOIN LATERAL unnest(f.scopes) scope
       WHERE f.account_id = $1 AND f.application_id = $2 AND ${LIVE_REFRESH_TOKEN}
         AND (NOT f.by_platform OR (p.is_trusted AND scope = ANY (p.trusted_scopes)))
       GROUP BY scope`,
      [accountId, applicationId],
    );
    return new Map(rows.map((row) => [row.scope, row.by_platform]));
  }

  /**
   * Lists applications that have a valid refresh token of the account with more than the scope `bot`, latest
   * authorization first.
   */
  async list(accountId: string): Promise<Authorization[]> {
    const rows = await this.database.manager.query<AuthorizationRow[]>(
      `SELECT p.id, p.name, p.bot_public, b.avatar, b.bio, min(f.created_at) AS authorized_at,
         array_agg(DISTINCT scope) AS scopes, bool_and(f.by_platform) AS by_platform
       FROM oauth_family f
         JOIN oauth_token t ON t.family_id = f.id
         JOIN application p ON p.id = f.application_id
         LEFT JOIN account b ON b.id = p.id
         CROSS JOIN LATERAL unnest(f.scopes) scope
       WHERE f.account_id = $1 AND ${LIVE_REFRESH_TOKEN}
       GROUP BY p.id, b.id
       HAVING bool_or(scope <> 'bot')
       ORDER BY min(f.created_at) DESC, p.id DESC`,
      [accountId],
    );
    return rows.map((row) => ({
      applicationId: row.id,
      name: row.name,
      botPublic: row.bot_public,
      icon: row.avatar,
      description: row.bio,
      scopes: this.features.sortScopes(row.scopes),
      authorizedAt: row.authorized_at,
      isByPlatform: row.by_platform,
    }));
  }

  /** Deletes expired tokens, and families without tokens. */
  private async removeExpired(tx: Tx, limit: number): Promise<number> {
    const [tokens] = await tx.query<ChangeResult<{ family_id: string }>>(
      `DELETE FROM oauth_token WHERE id IN (SELECT id FROM oauth_token WHERE expires_at < now() LIMIT $1)
       RETURNING family_id`,
      [limit],
    );
    await tx.query(
      `DELETE FROM oauth_family f
       WHERE f.id = ANY ($1) AND NOT EXISTS (SELECT 1 FROM oauth_token t WHERE t.family_id = f.id)`,
      [[...new Set(tokens.map(({ family_id }) => family_id))]],
    );
    return tokens.length;
  }
}
