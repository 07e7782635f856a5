import { Injectable } from '@nestjs/common';
import { Refusal } from '../errors.js';
import { Database, type Tx } from '../platform/database.js';
import { type AccountRecord, AccountRecords } from '../users/account-records.service.js';
import { sightOf } from './admin-users.service.js';
import { adminUserView } from './admin-users.views.js';
import { AuditLog, type Deed } from './audit.service.js';
import { demandReach, type Operator } from './operator.js';

/** One change of one account. */
export interface Change {
  readonly action: string;
  /** The operation is about the address: bots are refused before anything else. */
  readonly ofEmail?: boolean;
  /** Makes the change of the locked account, and answers what the audit entry says of it. */
  make(tx: Tx, target: AccountRecord): Promise<Deed['metadata']>;
}

/** The frame of every mutation of an account: lookup, protection, change, audit entry, all or nothing (admin.md 5.3). */
@Injectable()
export class UserChanges {
  constructor(
    private readonly database: Database,
    private readonly records: AccountRecords,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Answers the account as it is afterwards.
   * @throws Refusal UNKNOWN_USER, MISSING_ACL, BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED, and what `make` throws
   */
  apply(by: Operator, id: string, { action, ofEmail, make }: Change): Promise<AccountRecord> {
    return this.database.transaction(async (tx) => {
      const target = this.require(await this.records.lock(tx, id), ofEmail);
      demandReach(by, target);
      const metadata = await make(tx, target);
      const changed = await this.records.find(id, tx);
      if (!changed) throw new Error('a changed account must be there');
      await this.audit.record(tx, by, { action, target: { type: 'user', id }, ...(metadata && { metadata }) });
      return changed;
    });
  }

  /** `apply` with the answer that most operations give. */
  async show(by: Operator, id: string, change: Change) {
    return { user: adminUserView(await this.apply(by, id, change), sightOf(by)) };
  }

  /**
   * The target as it stands, for what has to be known before the change begins.
   * @throws Refusal as `apply`
   */
  async examine(by: Operator, id: string, { ofEmail }: Pick<Change, 'ofEmail'>): Promise<AccountRecord> {
    const target = this.require(await this.records.find(id), ofEmail);
    demandReach(by, target);
    return target;
  }

  private require(target: AccountRecord | null, ofEmail = false): AccountRecord {
    if (!target || target.deletedAt !== null) throw new Refusal('UNKNOWN_USER');
    if (ofEmail && target.bot) throw new Refusal('BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
    return target;
  }
}

/** @throws Refusal ACCESS_DENIED */
export function demandOther(by: Operator, target: AccountRecord): void {
  if (target.id === by.accountId) throw new Refusal('ACCESS_DENIED');
}

/** @throws Refusal ACCESS_DENIED */
export function demandOrdinary(target: AccountRecord): void {
  if (target.bot) throw new Refusal('ACCESS_DENIED');
}
