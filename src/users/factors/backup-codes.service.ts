import { Injectable } from '@nestjs/common';
import { hasFactor } from '../../accounts/account-facts.js';
import type { Origin } from '../../accounts/events/origin.js';
import { type BackupCodeView, Factors } from '../../auth/factors/factors.service.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { Standing } from '../../auth/sessions/standing.service.js';
import { Refusal } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';

/** The account's set of backup codes (account.md 6.2). */
@Injectable()
export class BackupCodes {
  constructor(
    private readonly database: Database,
    private readonly standing: Standing,
    private readonly factors: Factors,
    private readonly notices: SecurityNotices,
  ) {}

  /** Lists which codes are used. The codes themselves are only stored as digests. */
  list({ id }: Account, tx?: Tx): Promise<BackupCodeView[]> {
    return this.factors.backupCodesOf(id, tx);
  }

  /** @throws Refusal TWO_FACTOR_REQUIRED */
  renew(me: SessionIdentity, origin: Origin): Promise<BackupCodeView[]> {
    return this.database.transaction(async (tx) => this.renewIn(tx, await this.standing.hold(tx, me), origin));
  }

  /** @throws Refusal TWO_FACTOR_REQUIRED */
  async renewIn(tx: Tx, account: Account, origin: Origin): Promise<BackupCodeView[]> {
    demandFactor(account);
    await this.notices.send(tx, account, 'backup_codes_regenerated', origin);
    return this.factors.renewBackupCodes(tx, account.id);
  }
}

/** @throws Refusal TWO_FACTOR_REQUIRED if the account has neither an authenticator app nor a passkey */
export function demandFactor(account: Account): void {
  if (!hasFactor(account)) throw new Refusal('TWO_FACTOR_REQUIRED');
}
