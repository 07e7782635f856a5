import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { privateUserView } from '../../accounts/account.views.js';
import { AccountState } from '../../accounts/account-state.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { SessionService } from '../../auth/sessions/sessions.service.js';
import { Standing } from '../../auth/sessions/standing.service.js';
import { Config } from '../../core/config/config.js';
import { Database } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import type { SessionIdentity } from '../../policy/identity.js';

/** What an account decides about its own life (account.md section 3). */
@Injectable()
export class Lifecycle {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly state: AccountState,
    private readonly sessions: SessionService,
    private readonly standing: Standing,
    private readonly events: SecurityEvents,
    private readonly outbox: Outbox,
    private readonly config: Config,
  ) {}

  async forgetIps(me: SessionIdentity): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.standing.hold(tx, me);
      await this.sessions.forgetIps(tx, me.account.id);
    });
  }

  /** A completed sign-in before the deadline cancels the deletion. */
  async scheduleDeletion(me: SessionIdentity, origin: Origin): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { id, email } = await this.standing.hold(tx, me);
      const deadline = await this.state.scheduleDeletion(tx, id, this.config.deletionGraceHours);
      await this.sessions.revokeAll(tx, id, { by: 'owner', reason: 'account_deletion_scheduled', origin });
      const data = { deadline: deadline.toISOString() };
      await this.events.record(tx, { accountId: id, type: 'account_deletion_scheduled', origin, data });
      if (email === null) return;
      await this.outbox.enqueue(tx, {
        type: 'account_deletion_scheduled',
        to: email,
        accountId: id,
        metadata: data,
      });
    });
  }

  acceptTerms(me: SessionIdentity) {
    return this.database.transaction(async (tx) => {
      const { id } = await this.standing.hold(tx, me);
      await this.accounts.acceptTerms(tx, id);
      return privateUserView(await this.accounts.require(tx, id));
    });
  }
}
