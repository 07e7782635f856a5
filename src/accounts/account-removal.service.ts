import { Injectable } from '@nestjs/common';
import { Log } from '../core/log.js';
import type { Tx } from '../platform/database/database.js';
import { Cleanup } from '../platform/jobs/cleanup.js';
import { Outbox } from '../platform/mail/outbox.js';
import type { DataEraser } from '../policy/account-data.js';
import { AccountService } from './account.service.js';
import { AccountDataRegistry } from './account-data-registry.service.js';
import { AccountState, type NewOwner } from './account-state.service.js';
import { LifecycleEvents } from './events/lifecycle-events.service.js';
import { SecurityEvents } from './events/security-events.service.js';
import { Grants } from './grants/grants.service.js';

const BATCH = 50;

/**
 * Deletes the data of an account: when its deletion deadline has passed (account.md section 3), and when it is handed
 * over to another owner.
 */
@Injectable()
export class AccountRemoval implements DataEraser {
  constructor(
    private readonly accounts: AccountService,
    private readonly state: AccountState,
    private readonly accountDataRegistry: AccountDataRegistry,
    private readonly grants: Grants,
    private readonly events: SecurityEvents,
    private readonly outbox: Outbox,
    private readonly lifecycle: LifecycleEvents,
    private readonly log: Log,
    cleanup: Cleanup,
  ) {
    cleanup.add('account', (tx, limit) => this.removeDue(tx, Math.min(limit, BATCH)));
  }

  private async removeDue(tx: Tx, limit: number): Promise<number> {
    const due = await this.state.findDueForDeletion(tx, limit);
    for (const id of due) await this.removeInSavepoint(tx, id);
    return due.length;
  }

  /** Removes one account in a savepoint, so that a failure does not affect the others. */
  private async removeInSavepoint(tx: Tx, id: string): Promise<void> {
    await tx.query('SAVEPOINT removal');
    try {
      await this.remove(tx, id);
      await tx.query('RELEASE SAVEPOINT removal');
    } catch (error) {
      await tx.query('ROLLBACK TO SAVEPOINT removal');
      this.log.error('removing an account failed', { account: id, error });
    }
  }

  /** Erases an account that `tx` has locked. Only the row to which other data refers and the audit log remain. */
  async remove(tx: Tx, id: string): Promise<void> {
    await this.accountDataRegistry.eraseAll(tx, id);
    await this.state.erase(tx, id);
    await this.lifecycle.emit(tx, 'erased', [{ account_id: id }]);
  }

  /**
   * Gives an account that `tx` has locked to the proven owner of its unverified email address. The former owner loses
   * all access and all data.
   * @throws ApiError FV(TOO_MANY_USERS_WITH_THIS_USERNAME@username)
   */
  async handOver(tx: Tx, id: string, successor: NewOwner): Promise<void> {
    await this.accountDataRegistry.eraseAll(tx, id);
    await this.state.handOver(tx, id, successor);
  }

  /** Deletes the grants, the security events and the emails of an account. */
  async erase(tx: Tx, id: string): Promise<void> {
    const email = (await this.accounts.find(id, tx))?.email ?? null;
    await this.grants.revokeAll(tx, id, { by: 'service', reason: 'account_removed' });
    await this.events.deleteAllOf(tx, id);
    await this.outbox.deleteAllOf(tx, id, email);
  }
}
