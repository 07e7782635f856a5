import { Injectable } from '@nestjs/common';
import { AccountService, LOCKED_DOWN } from '../../accounts/account.service.js';
import { partialUserView } from '../../accounts/account.views.js';
import { ACCOUNT_FLAGS, isDeletedOrScheduled } from '../../accounts/account-facts.js';
import type { AccountSnapshot } from '../../accounts/account-snapshot.js';
import { AccountState, type RevertedState } from '../../accounts/account-state.service.js';
import { LifecycleEvents } from '../../accounts/events/lifecycle-events.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { ApiError } from '../../core/errors.js';
import { digest } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import { type Authentication, NO_METHOD } from '../records/authentication.js';
import { idHash, SessionService } from './sessions.service.js';

export interface TokenResponse {
  readonly token: string;
  readonly user_id: string;
  readonly user: ReturnType<typeof partialUserView>;
  /** What the sign-in ended: a disablement by the user or a scheduled deletion. */
  readonly reactivated?: RevertedState;
}

/** How the user signed in. With two-step verification, this is the last factor. */
export const SIGN_IN_METHODS = [
  ...(['registration', 'password', 'code', 'passkey', 'passkey_second_factor', 'passkey_bridge'] as const),
  ...(['handoff', 'single_sign_on', 'connection', 'password_reset', 'email_revert'] as const),
] as const;

export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

interface IssuanceOptions {
  /** The error for an account that is deleted or whose epoch was raised in the meantime. Each operation has its own. */
  readonly invalid?: () => ApiError;
  /** Whether to trust the IP address of this sign-in from now on. Default: true. */
  readonly authorizesIp?: boolean;
  /** How the user authenticated. Default: by no method that counts. */
  readonly authentication?: Authentication;
}

export const tokenResponse = (token: string, account: Account, reactivated?: RevertedState | null): TokenResponse => ({
  token,
  user_id: account.id,
  user: partialUserView(account),
  ...(reactivated && { reactivated }),
});

/** Signs accounts in for all operations (auth.md section 2). No other code issues sessions. */
@Injectable()
export class Issuance {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionService,
    private readonly accounts: AccountService,
    private readonly state: AccountState,
    private readonly lifecycle: LifecycleEvents,
  ) {}

  /**
   * Steps 2 to 5: checks that the account may get a session. Also call it before opening a ticket or a hold.
   * @throws ApiError the issuance errors
   */
  assertMaySignIn(account: Account): void {
    this.assertMayRecover(account);
    if (account.traits.includes(LOCKED_DOWN)) throw new ApiError('ACCESS_DENIED');
  }

  /**
   * Like steps 2 to 5, but accepts an account that its owner has locked down, so that it can be recovered.
   * @throws ApiError the issuance errors
   */
  assertMayRecover(account: Account): void {
    this.assertMayReset(account);
    if (account.flags & ACCOUNT_FLAGS.DISABLED_SUSPICIOUS_ACTIVITY) throw new ApiError('ACCESS_DENIED');
  }

  /**
   * Steps 2 to 4, without step 5, because a password reset lifts the states that step 5 rejects.
   * @throws ApiError the issuance errors except ACCESS_DENIED
   */
  assertMayReset(account: Account): void {
    if (account.bot) throw new ApiError('BOT_USER_AUTH_SESSION_CREATION_DENIED');
    if (account.traits.includes('registration_pending_approval')) throw new ApiError('REGISTRATION_PENDING_APPROVAL');
    if (account.traits.includes('registration_rejected')) throw new ApiError('REGISTRATION_REJECTED');
    if (account.banned) {
      const { bannedUntil, banReason: reason } = account;
      const code = bannedUntil ? 'ACCOUNT_SUSPENDED_TEMPORARILY' : 'ACCOUNT_SUSPENDED_PERMANENTLY';
      throw new ApiError(code, { banned_until: bannedUntil?.toISOString() ?? null, reason });
    }
  }

  signIn(
    seen: AccountSnapshot,
    method: SignInMethod,
    origin: Origin,
    options?: IssuanceOptions,
  ): Promise<TokenResponse> {
    return this.database.transaction((tx) => this.issue(tx, seen, method, origin, options));
  }

  /**
   * Steps 6 and 7, after all required factors: re-enables a disabled account and issues a session. `seen` is the
   * account from when the sign-in began. If its epoch was raised since then, no session is issued.
   * @throws ApiError the error of `invalid`, the issuance errors
   */
  async issue(
    tx: Tx,
    seen: AccountSnapshot,
    method: SignInMethod,
    origin: Origin,
    {
      invalid = () => new ApiError('UNAUTHORIZED'),
      authorizesIp = true,
      authentication = NO_METHOD,
    }: IssuanceOptions = {},
  ): Promise<TokenResponse> {
    const account = await this.lockUnchanged(tx, seen, invalid);
    this.assertMaySignIn(account);
    const ended = await this.state.reactivate(tx, account, origin);
    if (authorizesIp) await this.sessions.authorizeIp(tx, account.id, origin.ip);
    const token = await this.sessions.issue(tx, account.id, origin, authentication);
    const about = { account_id: account.id, session_id_hash: idHash({ digest: digest(token) }) };
    await this.lifecycle.emit(tx, 'signedIn', [{ ...about, method }], { origin });
    return tokenResponse(token, account, ended);
  }

  /** Locks the account and verifies that it has not changed since `seen`. */
  async lockUnchanged(tx: Tx, seen: AccountSnapshot, invalid: () => ApiError): Promise<Account> {
    const account = await this.accounts.lock(tx, seen.accountId);
    if (!account || isDeletedOrScheduled(account) || !seen.isStillCurrent(account)) throw invalid();
    return account;
  }
}
