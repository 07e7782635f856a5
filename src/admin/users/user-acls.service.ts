import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { AccountRecord } from '../../accounts/account-records.service.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { SessionService } from '../../auth/sessions/sessions.service.js';
import { ApiError } from '../../core/errors.js';
import type { Tx } from '../../platform/database/database.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { assertGrantable, type Operator } from '../audit/operator.js';
import { AdminKeys } from '../keys/admin-keys.service.js';
import { SetupToken } from '../setup/setup.service.js';
import { assertTargetNotBot, UserChanges } from './user-changes.service.js';

/** Changes the ACLs of accounts, which decide who administers the instance. */
@Injectable()
export class UserAcls {
  constructor(
    private readonly changes: UserChanges,
    private readonly accounts: AccountService,
    private readonly setup: SetupToken,
    private readonly notices: SecurityNotices,
    private readonly features: FeatureRegistry,
    private readonly sessions: SessionService,
    private readonly keys: AdminKeys,
  ) {}

  /**
   * @throws ApiError ACCESS_DENIED for the operator's own account and for a bot, MISSING_ACL for ACLs that the operator
   * lacks
   */
  async replace(by: Operator, id: string, acls: readonly string[]) {
    if (id === by.accountId) throw new ApiError('ACCESS_DENIED');
    return this.changes.applyAndShow(by, id, {
      action: 'set_acls',
      make: async (tx, target) => {
        assertTargetNotBot(target);
        assertGrantable(by, acls);
        return this.write(tx, target, acls);
      },
    });
  }

  /**
   * Adds registered ACLs to an account from the console. Returns all ACLs of the account.
   * @throws ApiError UNKNOWN_USER, ACCESS_DENIED for a bot
   */
  async grant(by: Operator, id: string, acls: readonly string[]): Promise<readonly string[]> {
    const changed = await this.changes.apply(by, id, {
      action: 'set_acls',
      make: async (tx, target) => {
        assertTargetNotBot(target);
        return this.write(tx, target, [...target.acls, ...acls]);
      },
    });
    return changed.acls;
  }

  /**
   * Removes ACLs from an account from the console. Returns the remaining ACLs.
   * @throws ApiError UNKNOWN_USER
   */
  async revoke(by: Operator, id: string, acls: readonly string[]): Promise<readonly string[]> {
    const changed = await this.changes.apply(by, id, {
      action: 'set_acls',
      make: (tx, target) =>
        this.write(
          tx,
          target,
          target.acls.filter((acl) => !acls.includes(acl)),
        ),
    });
    return changed.acls;
  }

  /**
   * Removes everything with which a user can administer, from the console: ACLs, Admin API keys and sessions. The
   * grant of the Admin application ends with the sessions.
   * @throws ApiError UNKNOWN_USER
   */
  async demote(by: Operator, id: string): Promise<{ acls: readonly string[]; keys: number; sessions: number }> {
    const removed = { acls: [] as readonly string[], keys: 0, sessions: 0 };
    await this.changes.apply(by, id, {
      action: 'demote_administrator',
      make: async (tx, target) => {
        removed.sessions = (
          await this.sessions.revokeAll(tx, id, { by: 'administrator', reason: 'sessions_ended' })
        ).count;
        removed.acls = (await this.write(tx, target, [])).old_acls;
        removed.keys = await this.keys.revokeAllOf(tx, id, { by: 'administrator', reason: 'deleted' });
        return { old_acls: removed.acls, key_count: removed.keys, session_count: removed.sessions };
      },
    });
    return removed;
  }

  private async write(tx: Tx, target: AccountRecord, acls: readonly string[]) {
    const changed = [...new Set(acls)];
    await this.accounts.update(tx, target.id, { acls: changed });
    if (changed.includes('*')) await this.setup.invalidate(tx);
    const [before, after] = [this.features.sortAcls(target.acls), this.features.sortAcls(changed)];
    if (before.join() !== after.join()) await this.notices.send(tx, target, 'permissions_changed');
    return { old_acls: before, new_acls: after };
  }
}
