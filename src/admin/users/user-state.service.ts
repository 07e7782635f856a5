import { Injectable } from '@nestjs/common';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { AccountService } from '../../accounts/account.service.js';
import { ACCOUNT_FLAGS } from '../../accounts/account-facts.js';
import { type AccountRecord, AccountRecords } from '../../accounts/account-records.service.js';
import { LifecycleEvents } from '../../accounts/events/lifecycle-events.service.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { SessionService } from '../../auth/sessions/sessions.service.js';
import type { Tx } from '../../platform/database/database.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { StoredAccount } from '../../policy/account.js';
import type { Operator } from '../audit/operator.js';
import { assertTargetNotBot, UserChanges } from './user-changes.service.js';
import type { BanInput, DeletionInput } from './user-state.dto.js';

const { DISABLED, DISABLED_SUSPICIOUS_ACTIVITY, DELETED, SELF_DELETED } = ACCOUNT_FLAGS;

const USER_REQUESTED = 1;
const DEFAULT_DAYS = 60;
const MIN_DAYS = { ofRequest: 14, ofOther: 60 };

/** A time relative to the clock of the database. */
const fromNow = (count: number, unit: 'hours' | 'days') => () => `now() + interval '${Number(count)} ${unit}'`;

/** Disables, bans and deletes accounts and ends their sessions (admin.md 5.3). */
@Injectable()
export class UserState {
  constructor(
    private readonly changes: UserChanges,
    private readonly accounts: AccountService,
    private readonly records: AccountRecords,
    private readonly sessions: SessionService,
    private readonly notices: SecurityNotices,
    private readonly lifecycle: LifecycleEvents,
    private readonly replicaBus: ReplicaBus,
  ) {}

  /** The user can recover the account with a password reset. That clears the flag but not the requirements. */
  disable(by: Operator, id: string, flags: number) {
    return this.changes.applyAndShow(by, id, {
      action: 'disable_suspicious_activity',
      ofOthers: true,
      make: async (tx, target) => {
        assertTargetNotBot(target);
        await this.blockSignIn(
          tx,
          target,
          {
            flags: String(target.flags | DISABLED_SUSPICIOUS_ACTIVITY),
            suspiciousFlags: flags,
            passwordHash: null,
          },
          'suspicious_activity',
        );
        await this.notices.send(tx, target, 'suspicious_activity');
        return { flags };
      },
    });
  }

  enable(by: Operator, id: string) {
    return this.changes.applyAndShow(by, id, {
      action: 'enable_suspicious_activity',
      make: async (tx, target) => {
        await this.accounts.update(tx, id, { flags: String(target.flags & ~DISABLED_SUSPICIOUS_ACTIVITY) });
        if (target.flags & DISABLED_SUSPICIOUS_ACTIVITY) {
          await this.notices.send(tx, target, 'suspicious_activity_ended');
        }
        return undefined;
      },
    });
  }

  /**
   * Zero hours mean a permanent ban. A bot gets no flag, because only a sign-in clears the flag after the ban expires.
   */
  ban(by: Operator, id: string, { duration_hours: hours, reason = null }: BanInput) {
    const data = { public_reason: reason || undefined };
    return this.changes.applyAndShow(by, id, {
      action: 'temp_ban',
      ofOthers: true,
      make: async (tx, target) => {
        await this.blockSignIn(
          tx,
          target,
          {
            flags: String(target.bot ? target.flags : target.flags | DISABLED),
            banned: true,
            bannedUntil: hours === 0 ? null : fromNow(hours, 'hours'),
            banReason: reason || null,
          },
          'account_suspended',
        );
        if (target.bot) await this.replicaBus.announce(tx, { topic: 'revoked', data: { bot: id } });
        const until = (await this.records.find(id, tx))?.bannedUntil?.toISOString() ?? null;
        await this.lifecycle.emit(tx, 'banned', [{ account_id: id, until }], { account: target, data });
        return { duration_hours: hours, reason, banned_until: until };
      },
    });
  }

  unban(by: Operator, id: string) {
    return this.changes.applyAndShow(by, id, {
      action: 'unban',
      make: async (tx, target) => {
        await this.accounts.update(tx, id, {
          flags: String(target.flags & ~DISABLED),
          banned: false,
          bannedUntil: null,
          banReason: null,
        });
        if (target.banned || target.bannedUntil) {
          const cause = { account: target, recordedAs: 'account_reinstated' } as const;
          await this.lifecycle.emit(tx, 'enabled', [{ account_id: id }], cause);
        }
        return undefined;
      },
    });
  }

  scheduleDeletion(by: Operator, id: string, input: DeletionInput) {
    const { reason_code: code, public_reason: reason = null, days_until_deletion: wanted = DEFAULT_DAYS } = input;
    const data = { public_reason: reason || undefined };
    const days = Math.max(wanted, code === USER_REQUESTED ? MIN_DAYS.ofRequest : MIN_DAYS.ofOther);
    return this.changes.applyAndShow(by, id, {
      action: 'schedule_deletion',
      ofOthers: true,
      make: async (tx, target) => {
        assertTargetNotBot(target);
        await this.blockSignIn(
          tx,
          target,
          {
            flags: String(target.flags | DELETED),
            deletionAt: fromNow(days, 'days'),
            deletionReasonCode: code,
            deletionPublicReason: reason,
          },
          'account_deletion_scheduled',
        );
        const deadline = (await this.records.find(id, tx))?.deletionAt?.toISOString();
        if (deadline)
          await this.lifecycle.emit(tx, 'deletionScheduled', [{ account_id: id, deadline }], { account: target, data });
        return { days, reason_code: code };
      },
    });
  }

  cancelDeletion(by: Operator, id: string) {
    return this.changes.applyAndShow(by, id, {
      action: 'cancel_deletion',
      make: async (tx, target) => {
        await this.accounts.update(tx, id, {
          flags: String(target.flags & ~(DELETED | SELF_DELETED)),
          deletionAt: null,
          deletionReasonCode: null,
          deletionPublicReason: null,
        });
        if (target.flags & (DELETED | SELF_DELETED))
          await this.lifecycle.emit(tx, 'deletionCanceled', [{ account_id: id }], { account: target });
        return undefined;
      },
    });
  }

  /** Returns the number of sessions that ended. */
  async endSessions(by: Operator, id: string): Promise<number> {
    let ended = 0;
    await this.changes.apply(by, id, {
      action: 'terminate_sessions',
      make: async (tx) => {
        const { count } = await this.sessions.revokeAll(tx, id, { by: 'administrator', reason: 'sessions_ended' });
        ended = count;
        return { count };
      },
    });
    return ended;
  }

  /** Stores a state that blocks sign-in and revokes all sessions. */
  private async blockSignIn(
    tx: Tx,
    { id }: AccountRecord,
    state: QueryDeepPartialEntity<StoredAccount>,
    reason: string,
  ): Promise<void> {
    await this.accounts.update(tx, id, state);
    await this.sessions.revokeAll(tx, id, { by: 'administrator', reason });
  }
}
