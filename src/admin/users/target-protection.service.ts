import { Injectable } from '@nestjs/common';
import { type AccountRecord, AccountRecords } from '../../accounts/account-records.service.js';
import { ApiError } from '../../core/errors.js';
import { Applications } from '../../oauth/applications/applications.service.js';
import type { Tx } from '../../platform/database/database.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { assertGrantable, type Operator } from '../audit/operator.js';

/**
 * Operators cannot change accounts that have ACLs they lack, nor anything that belongs to such accounts (admin.md
 * section 2).
 */
@Injectable()
export class TargetProtection {
  constructor(
    private readonly records: AccountRecords,
    private readonly applications: Applications,
    private readonly features: FeatureRegistry,
  ) {}

  /**
   * A bot is protected like its owner. ACLs that are not registered grant nothing and protect nothing.
   * @throws ApiError MISSING_ACL
   */
  async assertMayChange(by: Operator, target: AccountRecord, tx?: Tx): Promise<void> {
    assertGrantable(by, this.registered(target.acls));
    const application = target.bot ? await this.applications.find(target.id, tx) : null;
    if (application) await this.assertMayChangeOwner(by, application.ownerId, tx);
  }

  /**
   * The first check of Admin operations on something that belongs to an account.
   * @throws ApiError UNKNOWN_USER, MISSING_ACL
   */
  async assertMayChangeAccount(by: Operator, accountId: string, tx?: Tx): Promise<void> {
    const target = await this.records.find(accountId, tx);
    if (!target) throw new ApiError('UNKNOWN_USER');
    await this.assertMayChange(by, target, tx);
  }

  /** @throws ApiError MISSING_ACL */
  async assertMayChangeOwner(by: Operator, ownerId: string | null, tx?: Tx): Promise<void> {
    const owner = ownerId === null ? null : await this.records.find(ownerId, tx);
    if (owner) assertGrantable(by, this.registered(owner.acls));
  }

  private registered(acls: readonly string[]): string[] {
    return acls.filter((acl) => this.features.acls.has(acl));
  }
}

/**
 * Operators change their own sign-in methods only through the account API, which requires sudo mode. Therefore a stolen
 * administrator session cannot remove the factors of its own account (admin.md section 2, "Oneself").
 * @throws ApiError ACCESS_DENIED
 */
export function assertNotSelf(by: Operator, target: AccountRecord): void {
  if (target.id === by.accountId) throw new ApiError('ACCESS_DENIED');
}
