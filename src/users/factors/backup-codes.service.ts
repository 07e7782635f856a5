import { Injectable } from '@nestjs/common';
import { hasFactor } from '../../accounts/account-facts.js';
import type { Origin } from '../../accounts/events/origin.js';
import { type BackupCodeView, Factors } from '../../auth/factors/factors.service.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';

/** The account's set of backup codes (account.md 6.2). */
@Injectable()
export class BackupCodes {
  constructor(
    private readonly database: Database,
    private readonly callerGuard: CallerGuard,
    private readonly factors: Factors,
    private readonly notices: SecurityNotices,
  ) {}

  /** Lists which codes are used. The codes themselves are only stored as digests. */
  list({ id }: Account, tx?: Tx): Promise<BackupCodeView[]> {
    return this.factors.backupCodesOf(id, tx);
  }

  /** @throws ApiError TWO_FACTOR_REQUIRED */
  regenerate(me: SessionIdentity, origin: Origin): Promise<BackupCodeView[]> {
    return this.database.transaction(async (tx) =>
      this.regenerateInTransaction(tx, await this.callerGuard.lockCaller(tx, me), origin),
    );
  }

  /** @throws ApiError TWO_FACTOR_REQUIRED */
  async regenerateInTransaction(tx: Tx, account: Account, origin: Origin): Promise<BackupCodeView[]> {
    assertHasFactor(account);
    await this.notices.send(tx, account, 'backup_codes_regenerated', origin);
    return this.factors.renewBackupCodes(tx, account.id);
  }
}

/** @throws ApiError TWO_FACTOR_REQUIRED if the account has neither an authenticator app nor a passkey */
export function assertHasFactor(account: Account): void {
  if (!hasFactor(account)) throw new ApiError('TWO_FACTOR_REQUIRED');
}
