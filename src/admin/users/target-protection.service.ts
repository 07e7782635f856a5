import { Injectable } from '@nestjs/common';
import { type AccountRecord, AccountRecords } from '../../accounts/account-records.service.js';
import { Refusal } from '../../core/errors.js';
import { Applications } from '../../oauth/applications/applications.service.js';
import type { Tx } from '../../platform/database/database.js';
import { isAcl } from '../../policy/acls.js';
import { demandGrantable, type Operator } from '../audit/operator.js';

/**
 * Operators cannot change accounts that have ACLs they lack, nor anything that belongs to such accounts (admin.md
 * section 2).
 */
@Injectable()
export class TargetProtection {
  constructor(
    private readonly records: AccountRecords,
    private readonly applications: Applications,
  ) {}

  /**
   * A bot is protected like its owner. ACLs that are not registered grant nothing and protect nothing.
   * @throws Refusal MISSING_ACL
   */
  async demandReach(by: Operator, target: AccountRecord, tx?: Tx): Promise<void> {
    demandGrantable(by, target.acls.filter(isAcl));
    const application = target.bot ? await this.applications.find(target.id, tx) : null;
    if (application) await this.demandReachOfOwner(by, application.ownerId, tx);
  }

  /**
   * The first check of Admin operations on something that belongs to an account.
   * @throws Refusal UNKNOWN_USER, MISSING_ACL
   */
  async demandReachOfAccount(by: Operator, accountId: string, tx?: Tx): Promise<void> {
    const target = await this.records.find(accountId, tx);
    if (!target) throw new Refusal('UNKNOWN_USER');
    await this.demandReach(by, target, tx);
  }

  /** @throws Refusal MISSING_ACL */
  async demandReachOfOwner(by: Operator, ownerId: string | null, tx?: Tx): Promise<void> {
    const owner = ownerId === null ? null : await this.records.find(ownerId, tx);
    if (owner) demandGrantable(by, owner.acls.filter(isAcl));
  }
}

/**
 * Operators change their own sign-in methods only through the account API, which requires sudo mode. Therefore a stolen
 * administrator session cannot remove the factors of its own account (admin.md section 2, "Oneself").
 * @throws Refusal ACCESS_DENIED
 */
export function demandOther(by: Operator, target: AccountRecord): void {
  if (target.id === by.accountId) throw new Refusal('ACCESS_DENIED');
}
