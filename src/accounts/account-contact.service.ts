import { Injectable } from '@nestjs/common';
import { validationError } from '../core/errors.js';
import { violatesConstraint } from '../platform/database/constraints.js';
import type { ChangeResult, Tx } from '../platform/database/database.js';
import { AccountService, PENDING_VERIFICATION } from './account.service.js';
import { CLEARED_BY_VERIFICATION } from './account-facts.js';
import { LifecycleEvents } from './events/lifecycle-events.service.js';
import type { Origin } from './events/origin.js';
import { SecurityEvents } from './events/security-events.service.js';

/**
 * Details of a change by the account owner: the request body member to which an error refers, and the origin of the
 * request.
 */
interface OwnerChange {
  readonly member: string;
  readonly origin: Origin;
}

/** The email address and the phone number of an account, and whether they are verified. */
@Injectable()
export class AccountContact {
  constructor(
    private readonly accounts: AccountService,
    private readonly events: SecurityEvents,
    private readonly lifecycle: LifecycleEvents,
  ) {}

  /**
   * Marks an email address as verified if the account still has it, and clears the suspicion bits that this clears
   * (account.md section 7). Returns false if the account has another email address by now.
   */
  async confirmEmail(tx: Tx, id: string, email: string): Promise<boolean> {
    const [, changed] = await tx.query<ChangeResult>(
      `UPDATE account SET email_verified = true, email_bounced = false, suspicious_flags = suspicious_flags & ~$3::int,
         traits = array_remove(traits, $4)
       WHERE id = $1 AND email = $2`,
      [id, email, CLEARED_BY_VERIFICATION.email, PENDING_VERIFICATION],
    );
    if (changed !== 1) return false;
    await this.lifecycle.emit(tx, 'emailVerified', [{ account_id: id }]);
    await this.accounts.announceUpdate(tx, id);
    return true;
  }

  /**
   * Sets a new, verified email address and clears the suspicion bits that a verification clears. Everything pending for
   * the former email address becomes invalid; sessions stay.
   * @throws ApiError FV(EMAIL_ALREADY_IN_USE@member)
   */
  async changeEmail(tx: Tx, id: string, email: string, { member, origin }: OwnerChange): Promise<void> {
    try {
      await tx.query(
        `UPDATE account SET email = $2, email_verified = true, email_bounced = false,
           address_epoch = address_epoch + 1, suspicious_flags = suspicious_flags & ~$3::int, traits = array_remove(traits, $4)
         WHERE id = $1`,
        [id, email, CLEARED_BY_VERIFICATION.email, PENDING_VERIFICATION],
      );
    } catch (error) {
      if (violatesConstraint(error, 'account_email')) throw validationError(member, 'EMAIL_ALREADY_IN_USE');
      throw error;
    }
    await this.lifecycle.emit(tx, 'emailChanged', [{ account_id: id }], { origin });
    await this.accounts.announceUpdate(tx, id);
  }

  /**
   * Sets a new, unverified email address.
   * @throws ApiError FV(EMAIL_ALREADY_IN_USE@email)
   */
  async assignEmail(tx: Tx, id: string, email: string): Promise<void> {
    try {
      await tx.query(
        `UPDATE account SET email = $2, email_verified = false, email_bounced = false, address_epoch = address_epoch + 1
         WHERE id = $1`,
        [id, email],
      );
    } catch (error) {
      throw violatesConstraint(error, 'account_email') ? validationError('email', 'EMAIL_ALREADY_IN_USE') : error;
    }
    await this.accounts.announceUpdate(tx, id);
  }

  /**
   * Marks an email address as bounced and unverified after a permanent rejection. Does nothing if the account has
   * another one.
   */
  async markBounced(tx: Tx, id: string, email: string): Promise<void> {
    const [, changed] = await tx.query<ChangeResult>(
      'UPDATE account SET email_bounced = true, email_verified = false WHERE id = $1 AND lower(email) = lower($2)',
      [id, email],
    );
    if (changed !== 1) return;
    await this.events.record(tx, { accountId: id, type: 'email_bounced' });
    await this.accounts.announceUpdate(tx, id);
  }

  /** Stores a verified phone number and clears suspicion bits 2 to 7 (account.md section 7). */
  async confirmPhone(tx: Tx, id: string, phoneDigest: Buffer): Promise<void> {
    await tx.query(
      `UPDATE account SET phone_digest = $2, has_verified_phone = true, suspicious_flags = suspicious_flags & ~$3::int
       WHERE id = $1`,
      [id, phoneDigest, CLEARED_BY_VERIFICATION.phone],
    );
    await this.accounts.announceUpdate(tx, id);
  }

  /** Returns the number of other accounts that have verified the phone number with one of these digests. */
  async countPhone(tx: Tx, id: string, digests: readonly Buffer[]): Promise<number> {
    const [row] = await tx.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM account
       WHERE phone_digest = ANY($2) AND has_verified_phone AND deleted_at IS NULL AND id <> $1`,
      [id, digests],
    );
    return row.count;
  }
}
