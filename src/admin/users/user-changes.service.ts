import { Injectable } from '@nestjs/common';
import { type AccountRecord, AccountRecords } from '../../accounts/account-records.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { AuditLog, type AuditRecord } from '../audit/audit.service.js';
import type { Operator } from '../audit/operator.js';
import { visibilityFor } from './admin-users.service.js';
import { adminUserView } from './admin-users.views.js';
import { assertNotSelf, TargetProtection } from './target-protection.service.js';

/** One change of one account. */
export interface AccountChange {
  readonly action: AuditRecord['action'];
  /** Set for operations on the email address. They reject bots before any other check. */
  readonly ofEmail?: boolean;
  /**
   * Set for operations that reject the operator's own account. Operators use the account API for it, with sudo mode.
   */
  readonly ofOthers?: boolean;
  /** Changes the locked account and returns the metadata of the audit entry. */
  make(tx: Tx, target: AccountRecord): Promise<AuditRecord['metadata']>;
}

/**
 * The steps of every mutation of an account: lookup, protection, change and audit entry in one transaction (admin.md
 * 5.3).
 */
@Injectable()
export class UserChanges {
  constructor(
    private readonly database: Database,
    private readonly records: AccountRecords,
    private readonly callerGuard: CallerGuard,
    private readonly audit: AuditLog,
    private readonly protection: TargetProtection,
  ) {}

  /**
   * Returns the changed account.
   * @throws ApiError UNKNOWN_USER, BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED, ACCESS_DENIED, MISSING_ACL, and the errors of
   * `make`
   */
  apply(by: Operator, id: string, change: AccountChange): Promise<AccountRecord> {
    const { action, make } = change;
    return this.database.transaction(async (tx) => {
      if (by.identity) await this.callerGuard.lockCallerAndTarget(tx, by.identity, id);
      const target = await this.assertChangeable(by, await this.records.lock(tx, id), change, tx);
      const metadata = await make(tx, target);
      const changed = await this.records.find(id, tx);
      if (!changed) throw new Error('The changed account was not found');
      await this.audit.record(tx, by, { action, target: { type: 'user', id }, ...(metadata && { metadata }) });
      return changed;
    });
  }

  /** Like `apply`, with the response of most operations. */
  async applyAndShow(by: Operator, id: string, change: AccountChange) {
    return { user: adminUserView(await this.apply(by, id, change), visibilityFor(by)) };
  }

  /**
   * Returns the target for checks that must run before the change.
   * @throws ApiError as `apply`
   */
  async requireTarget(
    by: Operator,
    id: string,
    kind: Pick<AccountChange, 'ofEmail' | 'ofOthers'>,
  ): Promise<AccountRecord> {
    return this.assertChangeable(by, await this.records.find(id), kind);
  }

  private async assertChangeable(
    by: Operator,
    target: AccountRecord | null,
    { ofEmail = false, ofOthers = ofEmail }: Pick<AccountChange, 'ofEmail' | 'ofOthers'>,
    tx?: Tx,
  ): Promise<AccountRecord> {
    if (!target || target.deletedAt !== null) throw new ApiError('UNKNOWN_USER');
    if (ofEmail && target.bot) throw new ApiError('BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
    if (ofOthers) assertNotSelf(by, target);
    await this.protection.assertMayChange(by, target, tx);
    return target;
  }
}

/** @throws ApiError ACCESS_DENIED */
export function assertTargetNotBot(target: AccountRecord): void {
  if (target.bot) throw new ApiError('ACCESS_DENIED');
}
