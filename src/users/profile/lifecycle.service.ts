import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { privateUserView } from '../../accounts/account.views.js';
import { AccountState } from '../../accounts/account-state.service.js';
import { LifecycleEvents } from '../../accounts/events/lifecycle-events.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { SessionService } from '../../auth/sessions/sessions.service.js';
import { Config } from '../../core/config/config.js';
import { Database } from '../../platform/database/database.js';
import type { SessionIdentity } from '../../policy/identity.js';

/** Lifecycle operations by the account owner (account.md section 3). */
@Injectable()
export class Lifecycle {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly state: AccountState,
    private readonly sessions: SessionService,
    private readonly callerGuard: CallerGuard,
    private readonly lifecycle: LifecycleEvents,
    private readonly config: Config,
  ) {}

  async forgetIps(me: SessionIdentity): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.callerGuard.lockCaller(tx, me);
      await this.sessions.deauthorizeIps(tx, me.account.id);
    });
  }

  /** Schedules the deletion of the account. A completed sign-in before the deadline cancels it. */
  async scheduleDeletion(me: SessionIdentity, origin: Origin): Promise<void> {
    await this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      const { id } = account;
      const deadline = (await this.state.scheduleDeletion(tx, id, this.config.deletionGraceHours)).toISOString();
      await this.sessions.revokeAll(tx, id, { by: 'owner', reason: 'account_deletion_scheduled', origin });
      await this.lifecycle.emit(tx, 'deletionScheduled', [{ account_id: id, deadline }], { account, origin });
    });
  }

  acceptTerms(me: SessionIdentity) {
    return this.database.transaction(async (tx) => {
      const { id } = await this.callerGuard.lockCaller(tx, me);
      await this.accounts.acceptTerms(tx, id);
      return privateUserView(await this.accounts.require(tx, id));
    });
  }
}
