import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { SessionService } from '../../auth/sessions/sessions.service.js';
import type { Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';

/** Password change by a signed-in account owner (account.md 2.2 and 4.1). */
@Injectable()
export class OwnPassword {
  constructor(
    private readonly accounts: AccountService,
    private readonly sessions: SessionService,
    private readonly notices: SecurityNotices,
  ) {}

  /**
   * Sets the password, ends all other sessions and pending operations, and rotates the token of the calling session.
   * @param account as `tx` sees it before the change; the notice goes to its email address
   */
  async set(tx: Tx, me: SessionIdentity, account: Account, passwordHash: string, origin: Origin) {
    await this.accounts.setPassword(tx, account.id, passwordHash);
    await this.sessions.revokeAll(tx, account.id, { by: 'owner', reason: 'password_changed', origin }, me.sessionId);
    await this.notices.send(tx, account, 'password_changed', origin);
    return this.sessions.rotate(tx, me);
  }
}
