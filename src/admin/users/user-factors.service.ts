import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { AccountRecords } from '../../accounts/account-records.service.js';
import { Factors } from '../../auth/factors/factors.service.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { Passkeys } from '../../auth/passkeys/passkeys.service.js';
import { SessionService } from '../../auth/sessions/sessions.service.js';
import { ApiError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import { AuditLog, type AuditRecord } from '../audit/audit.service.js';
import type { Operator } from '../audit/operator.js';
import { visibilityFor } from './admin-users.service.js';
import { adminSessionView } from './admin-users.views.js';
import { UserChanges } from './user-changes.service.js';

/** Sessions, passkeys and second factors of accounts (admin.md 5.2, 5.3). */
@Injectable()
export class UserFactors {
  constructor(
    private readonly database: Database,
    private readonly changes: UserChanges,
    private readonly records: AccountRecords,
    private readonly accounts: AccountService,
    private readonly sessions: SessionService,
    private readonly passkeys: Passkeys,
    private readonly factors: Factors,
    private readonly notices: SecurityNotices,
    private readonly audit: AuditLog,
  ) {}

  async listSessions(by: Operator, id: string) {
    await this.assertExists(id);
    const sight = visibilityFor(by);
    const sessions = (await this.sessions.history(id)).map((session) => adminSessionView(session, sight));
    await this.recordRead(by, id, 'list_user_sessions', { session_count: sessions.length });
    return { sessions };
  }

  async listNetworks(by: Operator, id: string) {
    await this.assertExists(id);
    const found = await this.sessions.networks(id);
    await this.recordRead(by, id, 'list_user_networks', { network_count: found.length });
    return { networks: found.map(({ ipKey, createdAt }) => ({ network: ipKey, created_at: createdAt.toISOString() })) };
  }

  async listPasskeys(by: Operator, id: string) {
    await this.assertExists(id);
    const passkeys = await this.passkeys.list(id);
    await this.recordRead(by, id, 'list_webauthn_credentials', { credential_count: passkeys.length });
    return passkeys;
  }

  private async assertExists(id: string): Promise<void> {
    if (!(await this.records.find(id))) throw new ApiError('UNKNOWN_USER');
  }

  private recordRead(
    by: Operator,
    id: string,
    action: AuditRecord['action'],
    metadata: Record<string, number>,
  ): Promise<void> {
    return this.database.transaction((tx) =>
      this.audit.record(tx, by, { action, target: { type: 'user', id }, metadata }),
    );
  }

  /** @throws ApiError UNKNOWN_WEBAUTHN_CREDENTIAL */
  async deletePasskey(by: Operator, id: string, credentialId: string): Promise<void> {
    await this.changes.apply(by, id, {
      action: 'delete_webauthn_credential',
      ofOthers: true,
      make: async (tx, target) => {
        await this.passkeys.removeOf(tx, target, credentialId);
        return { credential_id: credentialId };
      },
    });
  }

  /** Keeps passkeys and sessions. */
  async disableMfa(by: Operator, id: string): Promise<void> {
    await this.changes.apply(by, id, {
      action: 'disable_mfa',
      ofOthers: true,
      make: async (tx, target) => {
        const had = target.hasTotp || (await this.factors.hasBackupCodes(id, tx));
        await this.accounts.removeTotpSecret(tx, id);
        await this.factors.removeBackupCodes(tx, id);
        if (!had) return undefined;
        await this.accounts.incrementEpoch(tx, id);
        await this.notices.send(tx, target, 'mfa_disabled');
        return undefined;
      },
    });
  }
}
