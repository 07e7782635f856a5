import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { validationError } from '../core/errors.js';
import { violatesConstraint } from '../platform/database/constraints.js';
import type { Tx } from '../platform/database/database.js';
import type { Account as AccountFacts } from '../policy/account.js';
import { AccountSettings } from './account.entities.js';
import { AccountService, AVATAR_COLORS, LOCKED_DOWN, PENDING_VERIFICATION } from './account.service.js';
import { ACCOUNT_ERASURE_SQL, ACCOUNT_FLAGS, ACCOUNT_RESET_SQL, CLEARED_BY_VERIFICATION } from './account-facts.js';
import { LifecycleEvents } from './events/lifecycle-events.service.js';
import type { Origin } from './events/origin.js';

/** Reason code of a deletion (admin.md section 6). */
const USER_REQUESTED = 1;

/** What the user had done to their own account before a sign-in reverted it. */
export type RevertedState = 'disabled' | 'deletion';

/** The new owner of an account. */
export interface NewOwner {
  readonly username: string;
  readonly globalName: string | null;
  readonly ip: string;
}

/** Lifecycle of an account: disable, delete, reactivate, hand over. */
@Injectable()
export class AccountState {
  constructor(
    private readonly accounts: AccountService,
    private readonly lifecycle: LifecycleEvents,
  ) {}

  /**
   * Reactivates an account at a completed sign-in, if its user had disabled it or scheduled its deletion. Also lifts an
   * expired suspension (auth.md section 2). Returns the state that the user had set, or `null` if there was none.
   */
  async reactivate(tx: Tx, account: AccountFacts, origin: Origin): Promise<RevertedState | null> {
    const { id, flags, banned, bannedUntil } = account;
    const left = ACCOUNT_FLAGS.DISABLED | ACCOUNT_FLAGS.SELF_DELETED;
    if (banned || ((flags & left) === 0n && bannedUntil === null)) return null;
    await tx.query(
      `UPDATE account SET flags = flags & ~$2::bigint, banned = false, banned_until = NULL, ban_reason = NULL,
         deletion_at = CASE WHEN flags & $3::bigint <> 0 THEN NULL ELSE deletion_at END
       WHERE id = $1`,
      [id, String(left), String(ACCOUNT_FLAGS.SELF_DELETED)],
    );
    await this.accounts.announceUpdate(tx, id);
    const isCanceled = (flags & ACCOUNT_FLAGS.SELF_DELETED) !== 0n;
    const recordedAs = isCanceled || bannedUntil === null ? undefined : 'account_reinstated';
    const type = isCanceled ? 'deletionCanceled' : 'enabled';
    await this.lifecycle.emit(tx, type, [{ account_id: id }], { account, origin, recordedAs });
    if (isCanceled) return 'deletion';
    return recordedAs ? null : 'disabled';
  }

  /** Schedules the deletion of an account at its owner's request. Returns the time of the deletion. */
  async scheduleDeletion(tx: Tx, id: string, hours: number): Promise<Date> {
    const [[row]] = await tx.query<[rows: [{ deletion_at: Date }], count: number]>(
      `UPDATE account SET flags = flags | $2::bigint, deletion_at = now() + $3 * interval '1 hour',
         deletion_reason_code = $4
       WHERE id = $1 RETURNING deletion_at`,
      [id, String(ACCOUNT_FLAGS.SELF_DELETED), hours, USER_REQUESTED],
    );
    return row.deletion_at;
  }

  /**
   * Returns the IDs of accounts whose deletion is due, locked until `tx` ends. Accounts that a sign-in has locked are
   * skipped this time.
   */
  async findDueForDeletion(tx: Tx, limit: number): Promise<string[]> {
    const rows = await tx.query<{ id: string }[]>(
      `SELECT id FROM account WHERE deletion_at <= now() AND deleted_at IS NULL
       ORDER BY deletion_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Erases an account except for its ID and the fact that it is deleted, to which other data refers. */
  async erase(tx: Tx, id: string): Promise<void> {
    await tx.query(`UPDATE account SET ${ACCOUNT_ERASURE_SQL}, flags = $2 WHERE id = $1`, [
      id,
      String(ACCOUNT_FLAGS.DELETED),
    ]);
    await tx.delete(AccountSettings, { accountId: id });
  }

  /** Sets a password during account recovery. Also removes a lock for suspicious activity and one by the owner. */
  async recover(tx: Tx, id: string, passwordHash: string): Promise<void> {
    await tx.query(
      `UPDATE account SET password_hash = $2, password_changed_at = now(), flags = flags & ~$3::bigint,
         traits = array_remove(traits, $4)
       WHERE id = $1`,
      [id, passwordHash, String(ACCOUNT_FLAGS.DISABLED_SUSPICIOUS_ACTIVITY), LOCKED_DOWN],
    );
    await this.accounts.announceUpdate(tx, id);
  }

  /**
   * Restores an account to the owner of a former email address. The email address is verified, the password is new and
   * all second factors are removed.
   * @throws ApiError FV(EMAIL_ALREADY_IN_USE@token)
   */
  async restore(tx: Tx, id: string, email: string, passwordHash: string): Promise<void> {
    try {
      await tx.query(
        `UPDATE account SET email = $2, email_verified = true, email_bounced = false, password_hash = $3,
           password_changed_at = now(), totp_secret = NULL, passkey_second_factor = false,
           address_epoch = address_epoch + 1, traits = array_remove(traits, $4)
         WHERE id = $1`,
        [id, email, passwordHash, LOCKED_DOWN],
      );
    } catch (error) {
      if (violatesConstraint(error, 'account_email')) throw validationError('token', 'EMAIL_ALREADY_IN_USE');
      throw error;
    }
    await this.accounts.announceUpdate(tx, id);
  }

  /**
   * Hands an account over to the proven owner of its email address. All credentials and sudo proofs become invalid and
   * the profile is reset. Decisions of administrators about the account stay.
   * @throws ApiError FV(TOO_MANY_USERS_WITH_THIS_USERNAME@username)
   */
  async handOver(tx: Tx, id: string, { username, globalName, ip }: NewOwner): Promise<void> {
    const discriminator = await this.accounts.freeDiscriminator(tx, username);
    await tx.query(
      `UPDATE account SET ${ACCOUNT_RESET_SQL}, username = $4, discriminator = $5, global_name = $6,
         email_verified = true, avatar_color = $7, registration_ip = $8,
         suspicious_flags = suspicious_flags & ~$2::int, traits = array_remove(traits, $3)
       WHERE id = $1`,
      [
        ...[id, CLEARED_BY_VERIFICATION.email, PENDING_VERIFICATION],
        ...[username, discriminator, globalName, randomInt(AVATAR_COLORS), ip],
      ],
    );
    await tx.delete(AccountSettings, { accountId: id });
    await tx.insert(AccountSettings, { accountId: id });
    await this.accounts.announceUpdate(tx, id);
  }

  async setFlags(tx: Tx, id: string, flags: bigint): Promise<void> {
    await tx.query('UPDATE account SET flags = flags | $2::bigint WHERE id = $1', [id, String(flags)]);
  }
}
