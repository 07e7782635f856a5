import { Injectable } from '@nestjs/common';
import { Factors } from '../auth/factors/factors.service.js';
import { Passkeys } from '../auth/passkeys/passkeys.service.js';
import { OneTimeSecrets } from '../auth/secrets/one-time-secrets.service.js';
import { SessionService } from '../auth/sessions/sessions.service.js';
import { SsoIdentities } from '../auth/sso/sso-identities.service.js';
import { Log } from '../core/log.js';
import { Applications } from '../oauth/applications/applications.service.js';
import type { Tx } from '../platform/database/database.js';
import { Outbox } from '../platform/mail/outbox.js';
import { Janitor } from '../platform/process/janitor.js';
import { AccountService } from './account.service.js';
import { AccountState } from './account-state.service.js';
import { Grants } from './grants/grants.service.js';

const BATCH = 50;

/** Removes what one module keeps of an account. */
export type Removal = (tx: Tx, accountId: string) => Promise<void>;

/** Who takes an account over from whoever had it before. */
export interface Successor {
  readonly username: string;
  readonly globalName: string | null;
  readonly ip: string;
}

/**
 * Takes from an account what is kept of it: at its end, which it brings about when the deadline has passed (account.md
 * section 3), and when it goes to somebody else. Modules add what they own.
 */
@Injectable()
export class AccountRemoval {
  private readonly parts: Removal[] = [];

  constructor(
    private readonly accounts: AccountService,
    private readonly state: AccountState,
    private readonly sessions: SessionService,
    private readonly factors: Factors,
    private readonly passkeys: Passkeys,
    private readonly secrets: OneTimeSecrets,
    private readonly grants: Grants,
    private readonly applications: Applications,
    private readonly identities: SsoIdentities,
    private readonly outbox: Outbox,
    private readonly log: Log,
    janitor: Janitor,
  ) {
    janitor.add('account', (tx, limit) => this.removeDue(tx, Math.min(limit, BATCH)));
  }

  /** Adds what is to be removed together with an account, before the account itself is erased or handed over. */
  alsoRemove(part: Removal): void {
    this.parts.push(part);
  }

  private async removeDue(tx: Tx, limit: number): Promise<number> {
    const due = await this.state.findDueForDeletion(tx, limit);
    for (const id of due) await this.removeAlone(tx, id);
    return due.length;
  }

  /** One account that cannot be removed keeps no other from its end. */
  private async removeAlone(tx: Tx, id: string): Promise<void> {
    await tx.query('SAVEPOINT removal');
    try {
      await this.remove(tx, id);
      await tx.query('RELEASE SAVEPOINT removal');
    } catch (error) {
      await tx.query('ROLLBACK TO SAVEPOINT removal');
      this.log.error('an account could not be removed', { account: id, error });
    }
  }

  /** Erases an account that `tx` holds: nothing stays but the row that others refer to, and the audit log. */
  async remove(tx: Tx, id: string): Promise<void> {
    await this.empty(tx, id);
    await this.state.erase(tx, id);
  }

  /**
   * Gives an account that `tx` holds to the proven owner of its address, which nobody had verified: whoever had it keeps
   * no way in and leaves nothing behind.
   * @throws Refusal FV(TOO_MANY_USERS_WITH_THIS_USERNAME@username)
   */
  async handOver(tx: Tx, id: string, successor: Successor): Promise<void> {
    await this.empty(tx, id);
    await this.state.handOver(tx, id, successor);
  }

  /** Everything that an account owns, is signed in with or waits for. */
  private async empty(tx: Tx, id: string): Promise<void> {
    const email = (await this.accounts.find(id, tx))?.email ?? null;
    const bots = await this.applications.ofOwner(id, tx);
    for (const part of this.parts) await part(tx, id);
    await this.applications.deleteAllOf(tx, id);
    for (const bot of bots) await this.state.erase(tx, bot.id);
    await this.sessions.forget(tx, id);
    await this.passkeys.removeAll(tx, id);
    await this.factors.removeBackupCodes(tx, id);
    await this.identities.removeAll(tx, id);
    await this.grants.revokeAll(tx, id);
    await this.secrets.forget(tx, id);
    await this.outbox.forget(tx, id, email);
  }
}
