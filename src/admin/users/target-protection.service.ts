import { Injectable } from '@nestjs/common';
import { type AccountRecord, AccountRecords } from '../../accounts/account-records.service.js';
import { Refusal } from '../../core/errors.js';
import { Applications } from '../../oauth/applications/applications.service.js';
import type { Tx } from '../../platform/database/database.js';
import { isAcl } from '../../policy/acls.js';
import { demandGrantable, type Operator } from '../audit/operator.js';

/** Nobody changes an account that holds more than they do, nor what belongs to such an account (admin.md section 2). */
@Injectable()
export class TargetProtection {
  constructor(
    private readonly records: AccountRecords,
    private readonly applications: Applications,
  ) {}

  /**
   * A bot is its owner's. Values outside the registry authorise nothing, and protect nothing.
   * @throws Refusal MISSING_ACL
   */
  async demandReach(by: Operator, target: AccountRecord, tx?: Tx): Promise<void> {
    demandGrantable(by, target.acls.filter(isAcl));
    const application = target.bot ? await this.applications.find(target.id, tx) : null;
    if (application) await this.demandReachOfOwner(by, application.ownerId, tx);
  }

  /**
   * What an Admin operation on something of an account begins with.
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
 * What an account signs in with is its owner's own business, with sudo: a stolen session of an administrator cannot strip
 * its own account (admin.md section 2, "Oneself").
 * @throws Refusal ACCESS_DENIED
 */
export function demandOther(by: Operator, target: AccountRecord): void {
  if (target.id === by.accountId) throw new Refusal('ACCESS_DENIED');
}
