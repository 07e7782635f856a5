import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isInactive } from '../../accounts/account-facts.js';
import type { Origin } from '../../accounts/events/origin.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { BearerIdentity, SessionIdentity } from '../../policy/identity.js';
import { authorizationView, currentAuthorizationView, userInfoView } from '../applications/application.views.js';
import { Applications } from '../applications/applications.service.js';

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
      this.applications.find(me.applicationId),
      this.accounts.find(me.applicationId),
    ]);
    if (!application) throw new ApiError('UNAUTHORIZED');
    return currentAuthorizationView(me, application, { bot, scopes: this.features.sortScopes(me.scopes) });
  }

  async list({ account }: SessionIdentity) {
    return (await this.grants.list(account.id)).map(authorizationView);
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
      await this.grants.revoke(tx, account.id, ids, { by: 'owner', reason: 'deauthorized', origin });
    });
  }
}
