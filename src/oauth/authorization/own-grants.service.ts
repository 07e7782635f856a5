import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isInactive } from '../../accounts/account-facts.js';
import type { Origin } from '../../accounts/events/origin.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import { withinLimitsSql } from '../../accounts/session-limits.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { idHash } from '../../auth/sessions/sessions.service.js';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { BearerIdentity, SessionIdentity } from '../../policy/identity.js';
import { authorizationView, currentAuthorizationView, userInfoView } from '../applications/application.views.js';
import { Applications } from '../applications/applications.service.js';
import { Trust } from '../applications/trust.service.js';

interface SignedInRow {
  readonly application_id: string;
  readonly digests: Buffer[];
}

/** Shows the authorization of an access token, and lists and revokes the grants of a user (oauth.md 5.9-5.11). */
@Injectable()
export class OwnGrants {
  constructor(
    private readonly database: Database,
    private readonly grants: Grants,
    private readonly applications: Applications,
    private readonly accounts: AccountService,
    private readonly callerGuard: CallerGuard,
    private readonly features: FeatureRegistry,
    private readonly trust: Trust,
    private readonly config: Config,
  ) {}

  /** @throws ApiError UNAUTHORIZED for a deleted, disabled or banned account */
  userInfo(me: BearerIdentity) {
    if (isInactive(me.account)) throw new ApiError('UNAUTHORIZED');
    return userInfoView(me);
  }

  /** @throws ApiError UNAUTHORIZED for a deleted, disabled or banned account */
  async current(me: BearerIdentity) {
    if (isInactive(me.account)) throw new ApiError('UNAUTHORIZED');
    const [application, bot] = await Promise.all([
      this.applications.findIssuer(me.applicationId),
      this.accounts.find(me.applicationId),
    ]);
    if (!application) throw new ApiError('UNAUTHORIZED');
    return currentAuthorizationView(me, application, { bot, scopes: this.features.sortScopes(me.scopes) });
  }

  async list({ account }: SessionIdentity) {
    const [authorizations, sessions] = await Promise.all([
      this.grants.list(account.id),
      this.config.openid.isEnabled ? this.findSessions(account.id) : new Map<string, string[]>(),
    ]);
    return authorizations.map((one) => authorizationView(one, sessions.get(one.applicationId) ?? []));
  }

  /** Returns the ID hashes of the live login sessions for which an application has an ID token, latest first. */
  private async findSessions(accountId: string): Promise<Map<string, string[]>> {
    const rows = await this.database.manager.query<SignedInRow[]>(
      `SELECT o.application_id, array_agg(s.digest ORDER BY o.created_at DESC) AS digests
       FROM openid_session o JOIN session s ON s.id = o.session_id
       WHERE s.account_id = $1 AND s.revoked_at IS NULL${withinLimitsSql(this.config, 's')}
       GROUP BY o.application_id`,
      [accountId],
    );
    return new Map(rows.map((row) => [row.application_id, row.digests.map((digest) => idHash({ digest }))]));
  }

  /**
   * Revokes all or none. Applications without a grant are ignored.
   * @throws ApiError UNKNOWN_APPLICATION
   */
  async revoke(me: SessionIdentity, applicationIds: readonly string[], origin: Origin): Promise<void> {
    const ids = [...new Set(applicationIds)];
    await this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      await this.applications.assertExist(tx, ids);
      const revoked = await this.grants.revoke(tx, account.id, ids, { by: 'owner', reason: 'deauthorized', origin });
      await this.trust.recordRemovals(tx, account.id, revoked);
    });
  }
}
