import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { formatDiscriminator } from '../../accounts/account.views.js';
import { AccountRecords } from '../../accounts/account-records.service.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { SessionService } from '../../auth/sessions/sessions.service.js';
import { ApiError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import type { Operator } from '../audit/operator.js';
import { visibilityFor } from '../users/admin-users.service.js';
import { UserChanges } from '../users/user-changes.service.js';
import type { PendingQuery } from './instance.dto.js';

const PENDING = 'registration_pending_approval';
const REJECTED = 'registration_rejected';

/** Registrations that wait for approval (admin.md section 9). */
@Injectable()
export class PendingRegistrations {
  constructor(
    private readonly records: AccountRecords,
    private readonly accounts: AccountService,
    private readonly sessions: SessionService,
    private readonly notices: SecurityNotices,
    private readonly changes: UserChanges,
    private readonly database: Database,
  ) {}

  /** Lists pending registrations, oldest first. */
  async list(by: Operator, { limit = 50, offset = 0 }: PendingQuery) {
    const visibility = visibilityFor(by);
    const { records, total } = await this.database.read((reader) =>
      this.records.search({ trait: PENDING }, { limit, offset }, 'oldest', reader),
    );
    const pending_registrations = records.map((record) => ({
      user_id: record.id,
      username: record.username,
      discriminator: formatDiscriminator(record.discriminator),
      global_name: record.globalName,
      email: visibility.email ? record.email : null,
      client_ip: visibility.ip ? record.registrationIp : null,
      requested_at: record.createdAt,
    }));
    return { pending_registrations, total };
  }

  /** Approves or rejects a registration. A rejected registration can still be approved. */
  decide(by: Operator, id: string, status: 'approved' | 'rejected') {
    return this.changes.applyAndShow(by, id, {
      action: status === 'approved' ? 'approve_registration' : 'reject_registration',
      make: async (tx, target) => {
        const { traits } = target;
        const others = traits.filter((trait) => trait !== PENDING && trait !== REJECTED);
        if (others.length === traits.length) throw new ApiError('REGISTRATION_NOT_PENDING');
        await this.accounts.update(tx, id, { traits: status === 'approved' ? others : [...others, REJECTED] });
        if (status === 'rejected') await this.sessions.revokeAll(tx, id, { by: 'administrator', reason: REJECTED });
        const isNews = status === 'approved' || !traits.includes(REJECTED);
        if (isNews) await this.notices.sendDecision(tx, target, `registration_${status}`);
        return undefined;
      },
    });
  }
}
