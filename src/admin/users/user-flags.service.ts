import { Injectable } from '@nestjs/common';
import { AccountService, LOCKED_DOWN } from '../../accounts/account.service.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import type { Tx } from '../../platform/database/database.js';
import { SATISFIED_WHILE_VERIFIED } from '../../policy/account.js';
import type { Operator } from '../audit/operator.js';
import { UserChanges } from './user-changes.service.js';
import { type EditFlagsInput, SETTABLE_TRAITS } from './user-marks.dto.js';

const union = (flags: readonly string[]): bigint => flags.reduce((all, flag) => all | BigInt(flag), 0n);

/** Flags, suspicious-activity bits, traits and phone verification of accounts (admin.md 5.3). */
@Injectable()
export class UserFlags {
  constructor(
    private readonly changes: UserChanges,
    private readonly accounts: AccountService,
    private readonly events: SecurityEvents,
  ) {}

  /** Adds flags first, then removes flags. */
  editFlags(by: Operator, id: string, { add_flags = [], remove_flags = [] }: EditFlagsInput) {
    return this.changes.applyAndShow(by, id, {
      action: 'update_flags',
      make: async (tx, target) => {
        const flags = String((target.flags | union(add_flags)) & ~union(remove_flags));
        await this.accounts.update(tx, id, { flags });
        return { add_flags, remove_flags, new_flags: flags };
      },
    });
  }

  setSuspicion(by: Operator, id: string, flags: number) {
    return this.changes.applyAndShow(by, id, {
      action: 'update_suspicious_activity_flags',
      make: async (tx, target) => {
        await this.accounts.update(tx, id, { suspiciousFlags: flags });
        if (flags !== target.suspiciousFlags) await this.recordRequirementsChange(tx, id);
        return { old_flags: target.suspiciousFlags, flags };
      },
    });
  }

  /** Replaces the settable traits and keeps the others, which the service manages. */
  setTraits(by: Operator, id: string, wanted: readonly string[]) {
    return this.changes.applyAndShow(by, id, {
      action: 'set_traits',
      make: async (tx, target) => {
        const traits = SETTABLE_TRAITS.filter((trait) => wanted.includes(trait));
        const kept = target.traits.filter((trait) => !SETTABLE_TRAITS.includes(trait));
        await this.accounts.update(tx, id, { traits: [...kept, ...traits] });
        return { traits };
      },
    });
  }

  /** Removes the lockdown, so that the account no longer needs a password reset. */
  async endLockdown(by: Operator, id: string): Promise<void> {
    await this.changes.apply(by, id, {
      action: 'end_lockdown',
      make: async (tx, target) => {
        await this.accounts.removeTrait(tx, id, LOCKED_DOWN);
        if (target.traits.includes(LOCKED_DOWN)) await this.recordRequirementsChange(tx, id);
        return undefined;
      },
    });
  }

  /**
   * `true` keeps the bits that require a new verification. `false` deletes the stored number and clears no requirement.
   */
  setVerifiedPhone(by: Operator, id: string, isVerified: boolean) {
    return this.changes.applyAndShow(by, id, {
      action: 'update_has_verified_phone',
      make: async (tx, target) => {
        const change = isVerified
          ? { suspiciousFlags: target.suspiciousFlags & ~SATISFIED_WHILE_VERIFIED.phone }
          : { phoneDigest: null };
        await this.accounts.update(tx, id, { hasVerifiedPhone: isVerified, ...change });
        if (isVerified !== target.hasVerifiedPhone) await this.recordRequirementsChange(tx, id);
        return { before: target.hasVerifiedPhone, after: isVerified };
      },
    });
  }

  private recordRequirementsChange(tx: Tx, accountId: string): Promise<void> {
    return this.events.record(tx, { accountId, type: 'requirements_changed' });
  }
}
