import type { Account } from '../policy/account.js';
import type { Identity } from '../policy/identity.js';

/** The account data that is stored with a secret when an operation of several steps starts. */
export type Begun = Pick<Account, 'id' | 'epoch' | 'addressEpoch'>;

interface Row {
  readonly id: string;
  readonly epoch: number;
}

/**
 * Snapshot of an account's epoch when an operation started or a credential was verified. An operation that creates a
 * session, adds a factor or changes contact data compares the snapshot with the locked row (credentials.md section 7).
 * The snapshot must come from the start of the operation, never from the locked row. Therefore the factories take the
 * data of that start. The only exception is for operations that start and end in one transaction.
 */
export class Seen {
  private constructor(
    readonly accountId: string,
    private readonly epoch: number,
  ) {}

  /** When the credential of a request was resolved. */
  static ofRequest({ account }: Identity): Seen {
    return new Seen(account.id, account.epoch);
  }

  /** When a password hash was read, before the password was compared with it. */
  static ofPassword({ id, epoch }: Row & { readonly passwordHash: string }): Seen {
    return new Seen(id, epoch);
  }

  /** When a passkey was read, before the assertion was verified. */
  static ofPasskey({ id, epoch }: Row): Seen {
    return new Seen(id, epoch);
  }

  /** When a one-time secret was issued to the account or bound to it. */
  static ofSecret({ id, epoch }: Row): Seen {
    return new Seen(id, epoch);
  }

  /** In the transaction that has just incremented the epoch and locks the account. */
  static ofRaise({ id, epoch }: Row): Seen {
    return new Seen(id, epoch);
  }

  /** In a transaction that created or locked the account and verifies everything that has to be verified. */
  static provedWithin({ id, epoch }: Account): Seen {
    return new Seen(id, epoch);
  }

  isTrueOf({ id, epoch }: Account): boolean {
    return id === this.accountId && epoch === this.epoch;
  }
}
