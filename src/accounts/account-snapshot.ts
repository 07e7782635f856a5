import type { Account } from '../policy/account.js';
import type { Identity } from '../policy/identity.js';

/** The account data that is stored with a secret when an operation of several steps starts. */
export type StoredEpochs = Pick<Account, 'id' | 'epoch' | 'addressEpoch'>;

interface EpochRow {
  readonly id: string;
  readonly epoch: number;
}

/**
 * Snapshot of an account's epoch when an operation started or a credential was verified. An operation that creates a
 * session, adds a factor or changes contact data compares the snapshot with the locked row (credentials.md section 7).
 * The snapshot must come from the start of the operation, never from the locked row. Therefore the factories take the
 * data of that start. The only exception is for operations that start and end in one transaction.
 */
export class AccountSnapshot {
  private constructor(
    readonly accountId: string,
    private readonly epoch: number,
  ) {}

  /** When the credential of a request was resolved. */
  static ofRequest({ account }: Identity): AccountSnapshot {
    return new AccountSnapshot(account.id, account.epoch);
  }

  /** When a password hash was read, before the password was compared with it. */
  static ofPassword({ id, epoch }: EpochRow & { readonly passwordHash: string }): AccountSnapshot {
    return new AccountSnapshot(id, epoch);
  }

  /** When a passkey was read, before the assertion was verified. */
  static ofPasskey({ id, epoch }: EpochRow): AccountSnapshot {
    return new AccountSnapshot(id, epoch);
  }

  /** When a one-time secret was issued to the account or bound to it. */
  static ofSecret({ id, epoch }: EpochRow): AccountSnapshot {
    return new AccountSnapshot(id, epoch);
  }

  /** In the transaction that has just incremented the epoch and locks the account. */
  static ofNewEpoch({ id, epoch }: EpochRow): AccountSnapshot {
    return new AccountSnapshot(id, epoch);
  }

  /** In a transaction that created or locked the account and verifies everything that has to be verified. */
  static ofTransaction({ id, epoch }: Account): AccountSnapshot {
    return new AccountSnapshot(id, epoch);
  }

  isStillCurrent({ id, epoch }: Account): boolean {
    return id === this.accountId && epoch === this.epoch;
  }
}
