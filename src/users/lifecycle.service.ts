import { Injectable } from '@nestjs/common';
import { SessionService } from '../auth/sessions.service.js';
import { Config } from '../config.js';
import { Database } from '../platform/database.js';
import { Outbox } from '../platform/outbox.js';
import type { SessionIdentity } from '../policy/identity.js';
import { AccountService } from './account.service.js';
import { privateUserView } from './account.views.js';
import { AccountState } from './account-state.service.js';

/** What an account decides about its own life (account.md section 3). */
@Injectable()
export class Lifecycle {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly state: AccountState,
    private readonly sessions: SessionService,
    private readonly outbox: Outbox,
    private readonly config: Config,
  ) {}

  async forgetIps({ account: { id } }: SessionIdentity): Promise<void> {
    await this.database.transaction((tx) => this.sessions.forgetIps(tx, id));
  }

  /** A completed sign-in before the deadline cancels the deletion. */
  async scheduleDeletion({ account: { id } }: SessionIdentity): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { email } = await this.accounts.hold(tx, id);
      const deadline = await this.state.scheduleDeletion(tx, id, this.config.deletionGraceHours);
      await this.sessions.revokeAll(tx, id);
      if (email === null) return;
      await this.outbox.enqueue(tx, {
        type: 'account_deletion_scheduled',
        to: email,
        accountId: id,
        metadata: { deadline: deadline.toISOString() },
      });
    });
  }

  acceptTerms({ account: { id } }: SessionIdentity) {
    return this.database.transaction(async (tx) => {
      await this.accounts.acceptTerms(tx, id);
      return privateUserView(await this.accounts.hold(tx, id));
    });
  }
}
