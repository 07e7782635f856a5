import { Injectable } from '@nestjs/common';
import { AccountService, LOCKED_DOWN } from '../../accounts/account.service.js';
import { partialUserView } from '../../accounts/account.views.js';
import { ACCOUNT_FLAGS, isGone } from '../../accounts/account-facts.js';
import { AccountState, type Reactivated } from '../../accounts/account-state.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import type { Seen } from '../../accounts/seen.js';
import { Refusal } from '../../core/errors.js';
import { Metrics } from '../../core/metrics.js';
import { digest } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import { SecurityNotices } from '../notices/security-notices.service.js';
import { idHash, SessionService } from './sessions.service.js';

export interface TokenResponse {
  readonly token: string;
  readonly user_id: string;
  readonly user: ReturnType<typeof partialUserView>;
  /** What the sign-in has ended: the account was disabled by its user, or was to be deleted. */
  readonly reactivated?: Reactivated;
}

/** By what somebody signed in, the last factor that was asked for. */
export type SignInMethod =
  | ('registration' | 'password' | 'code' | 'passkey' | 'passkey_second_factor' | 'passkey_bridge')
  | ('handoff' | 'single_sign_on' | 'password_reset' | 'email_revert');

interface IssuanceOptions {
  /** The operation's own "invalid" answer, for an account that is gone or whose epoch was raised meanwhile. */
  readonly invalid?: () => Refusal;
  /** Whether the address of the sign-in counts as known from now on; default true. */
  readonly authorizesIp?: boolean;
}

export const tokenResponse = (token: string, account: Account, reactivated?: Reactivated | null): TokenResponse => ({
  token,
  user_id: account.id,
  user: partialUserView(account),
  ...(reactivated && { reactivated }),
});

const NOTICE_OF = {
  disabled: 'account_reactivated',
  deletion: 'deletion_canceled',
  suspension: 'account_reinstated',
} as const;

/** How every operation signs an account in (auth.md section 2). Nothing else issues a session. */
@Injectable()
export class Issuance {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionService,
    private readonly accounts: AccountService,
    private readonly state: AccountState,
    private readonly events: SecurityEvents,
    private readonly notices: SecurityNotices,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Steps 2 to 5: whether the account may get a session at all. Also runs before a ticket or a hold is opened.
   * @throws Refusal the issuance errors
   */
  demandAdmissible(account: Account): void {
    this.demandUnlocked(account);
    if (account.traits.includes(LOCKED_DOWN)) throw new Refusal('ACCESS_DENIED');
  }

  /**
   * The same, but that who takes the account back may find it locked down by its owner.
   * @throws Refusal the issuance errors
   */
  demandUnlocked(account: Account): void {
    this.demandUnsuspended(account);
    if (account.flags & ACCOUNT_FLAGS.DISABLED_SUSPICIOUS_ACTIVITY) throw new Refusal('ACCESS_DENIED');
  }

  /**
   * Steps 2 to 4: a password reset ends what step 5 would refuse.
   * @throws Refusal the issuance errors but ACCESS_DENIED
   */
  demandUnsuspended(account: Account): void {
    if (account.bot) throw new Refusal('BOT_USER_AUTH_SESSION_CREATION_DENIED');
    if (account.traits.includes('registration_pending_approval')) throw new Refusal('REGISTRATION_PENDING_APPROVAL');
    if (account.traits.includes('registration_rejected')) throw new Refusal('REGISTRATION_REJECTED');
    if (account.banned) {
      const { bannedUntil, banReason: reason } = account;
      const code = bannedUntil ? 'ACCOUNT_SUSPENDED_TEMPORARILY' : 'ACCOUNT_SUSPENDED_PERMANENTLY';
      throw new Refusal(code, { banned_until: bannedUntil?.toISOString() ?? null, reason });
    }
  }

  signIn(seen: Seen, method: SignInMethod, origin: Origin, options?: IssuanceOptions): Promise<TokenResponse> {
    return this.database.transaction((tx) => this.issue(tx, seen, method, origin, options));
  }

  /**
   * Steps 6 and 7, after every required factor: the account is re-enabled if its user had left, a session made. `seen`
   * is the account as it was when that was begun; no session comes out of what a raised epoch has made worthless.
   * @throws Refusal what `invalid` makes, the issuance errors
   */
  async issue(
    tx: Tx,
    seen: Seen,
    method: SignInMethod,
    origin: Origin,
    { invalid = () => new Refusal('UNAUTHORIZED'), authorizesIp = true }: IssuanceOptions = {},
  ): Promise<TokenResponse> {
    const account = await this.lockUnchanged(tx, seen, invalid);
    this.demandAdmissible(account);
    const ended = await this.state.welcomeBack(tx, account);
    if (ended !== null) await this.notices.send(tx, account, NOTICE_OF[ended], origin);
    if (authorizesIp) await this.sessions.authorizeIp(tx, account.id, origin.ip);
    const token = await this.sessions.issue(tx, account.id, origin);
    const session = idHash({ digest: digest(token) });
    await this.events.record(tx, { accountId: account.id, type: 'signed_in', session, origin, data: { method } });
    this.database.onCommit(tx, async () => this.metrics.signIns.inc({ method }));
    return tokenResponse(token, account, ended === 'suspension' ? null : ended);
  }

  /** Locks the account and makes sure that what was proved about it still holds. */
  async lockUnchanged(tx: Tx, seen: Seen, invalid: () => Refusal): Promise<Account> {
    const account = await this.accounts.lock(tx, seen.accountId);
    if (!account || isGone(account) || !seen.isTrueOf(account)) throw invalid();
    return account;
  }
}
