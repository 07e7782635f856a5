import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { AccountRecords } from '../../accounts/account-records.service.js';
import { ConnectionIdentities } from '../../auth/identities/connection-identities.service.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { SsoIdentities } from '../../auth/sso/sso-identities.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import { Instance } from '../../platform/instance/instance.js';
import type { Operator } from '../audit/operator.js';
import { assertTargetNotBot, UserChanges } from './user-changes.service.js';

/** Identities of accounts: those of the configured issuer (admin.md 5.3) and of connections (connections.md 3). */
@Injectable()
export class UserSso {
  constructor(
    private readonly changes: UserChanges,
    private readonly identities: SsoIdentities,
    private readonly ofConnections: ConnectionIdentities,
    private readonly accounts: AccountService,
    private readonly instance: Instance,
    private readonly records: AccountRecords,
    private readonly database: Database,
    private readonly notices: SecurityNotices,
  ) {}

  link(by: Operator, id: string, subject: string) {
    return this.changes.applyAndShow(by, id, {
      action: 'link_sso_identity',
      ofOthers: true,
      make: async (tx, target) => {
        assertTargetNotBot(target);
        const { issuer } = this.instance.current.sso;
        if (issuer === null) throw validationError('subject', 'SSO_MISCONFIGURED');
        const isLinked = await this.identities.link(tx, { issuer, subject, accountId: id });
        if (!isLinked) throw validationError('subject', 'SSO_IDENTITY_MISMATCH');
        await this.notices.send(tx, target, 'sso_identity_set');
        return { issuer, subject };
      },
    });
  }

  /**
   * Lists identities of all issuers, first those of single sign-on.
   * @throws ApiError UNKNOWN_USER
   */
  async show(id: string) {
    if (!(await this.records.find(id))) throw new ApiError('UNKNOWN_USER');
    const { manager } = this.database;
    const ofSso = await this.identities.findByAccount(manager, id);
    const others = await this.ofConnections.findByAccount(manager, id);
    const all = [...ofSso.map((one) => ({ ...one, connectionId: null })), ...others];
    return {
      identities: all.map(({ connectionId, issuer, subject }) => ({ connection_id: connectionId, issuer, subject })),
    };
  }

  /** Keeps sessions. Changes nothing if there is no link. */
  unlink(by: Operator, id: string) {
    return this.changes.applyAndShow(by, id, {
      action: 'unlink_sso_identity',
      ofOthers: true,
      make: async (tx, target) => {
        const { issuer } = this.instance.current.sso;
        const subject = issuer === null ? null : await this.identities.unlink(tx, issuer, id);
        if (subject !== null) await this.notices.send(tx, target, 'sso_identity_removed');
        return { issuer, subject };
      },
    });
  }

  /** Unlinks the identities of a connection. Keeps sessions. Changes nothing if there are none. */
  unlinkConnection(by: Operator, id: string, connectionId: string) {
    return this.changes.applyAndShow(by, id, {
      action: 'unlink_identity',
      ofOthers: true,
      make: async (tx, target) => {
        const removed = await this.ofConnections.unlinkOf(tx, id, connectionId);
        if (removed.length > 0) {
          await this.accounts.incrementEpoch(tx, id);
          await this.notices.send(tx, target, 'identity_unlinked', undefined, { connection: connectionId });
        }
        const namesOf = (member: 'issuer' | 'subject') => removed.map((one) => one[member]).join(',');
        return { connection_id: connectionId, issuer: namesOf('issuer'), subject: namesOf('subject') };
      },
    });
  }
}
