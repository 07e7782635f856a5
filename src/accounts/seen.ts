import type { Account } from '../policy/account.js';
import type { Identity } from '../policy/identity.js';

/** An account as it is when something begins that waits for its end: what is stored with the secret of it. */
export type Begun = Pick<Account, 'id' | 'epoch' | 'addressEpoch'>;

interface Row {
  readonly id: string;
  readonly epoch: number;
}

/**
 * An account as it was when what is now concluded was begun or proved. Whatever ends in a session, a factor or a changed
 * contact compares it with the locked row (credentials.md section 7). It comes from the beginning, never from that row,
 * which is why nothing here takes an account, but for what begins and ends in one transaction.
 */
export class Seen {
  private constructor(
    readonly accountId: string,
    private readonly epoch: number,
  ) {}

  /** With the credential of a request, when that was resolved. */
  static ofRequest({ account }: Identity): Seen {
    return new Seen(account.id, account.epoch);
  }

  /** Together with a password hash, before a password was compared with it. */
  static ofPassword({ id, epoch }: Row & { readonly passwordHash: string }): Seen {
    return new Seen(id, epoch);
  }

  /** Together with a passkey, before an assertion was examined. */
  static ofPasskey({ id, epoch }: Row): Seen {
    return new Seen(id, epoch);
  }

  /** When a one-time secret was issued to the account or bound to it. */
  static ofSecret({ id, epoch }: Row): Seen {
    return new Seen(id, epoch);
  }

  /** By the transaction that has just raised the epoch and holds the account. */
  static ofRaise({ id, epoch }: Row): Seen {
    return new Seen(id, epoch);
  }

  /** By the transaction that made the account or holds it, and in which everything is proved that has to be. */
  static provedWithin({ id, epoch }: Account): Seen {
    return new Seen(id, epoch);
  }

  isTrueOf({ id, epoch }: Account): boolean {
    return id === this.accountId && epoch === this.epoch;
  }
}
