import { Injectable } from '@nestjs/common';
import { AccountExport } from '../../accounts/account-export.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { Standing } from '../../auth/sessions/standing.service.js';
import { Database } from '../../platform/database/database.js';
import type { SessionIdentity } from '../../policy/identity.js';

/** What an operator can export of an account, for its owner (web.md section 5). */
@Injectable()
export class OwnExport {
  constructor(
    private readonly database: Database,
    private readonly standing: Standing,
    private readonly notices: SecurityNotices,
    private readonly accounts: AccountExport,
  ) {}

  /** Nothing leaves before its owner is told of it. */
  async make(me: SessionIdentity, origin: Origin) {
    await this.database.transaction(async (tx) =>
      this.notices.send(tx, await this.standing.hold(tx, me), 'data_exported', origin),
    );
    return this.accounts.of(me.account.id);
  }
}
