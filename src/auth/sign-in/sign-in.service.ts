import { Injectable } from '@nestjs/common';
import { type AccountPassword, AccountService, PENDING_VERIFICATION } from '../../accounts/account.service.js';
import { needsSecondFactor } from '../../accounts/account.views.js';
import { AccountSnapshot } from '../../accounts/account-snapshot.js';
import type { Origin } from '../../accounts/events/origin.js';
import { addressKey } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { ApiError, fieldError, validationError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import { DecoyAccounts } from '../factors/decoy-accounts.service.js';
import { Factors } from '../factors/factors.service.js';
import { type MfaChallenge, MfaTickets, ticketExpired } from '../factors/mfa-tickets.service.js';
import { Passwords } from '../factors/passwords.service.js';
import { BY_CODE, BY_PASSWORD } from '../records/authentication.js';
import { Issuance, type TokenResponse } from '../sessions/issuance.service.js';
import { SessionService } from '../sessions/sessions.service.js';
import { IpAuthorization } from './ip-authorization.service.js';
import type { LoginInput, LoginTotpInput } from './sign-in.dto.js';

/** Limits for attempts, including correct ones. */
const EMAIL_LIMIT = { limit: 5, seconds: 900 };
const IP_LIMIT = { limit: 10, seconds: 1800 };

/** Signing in with a password and a typed second factor (auth.md 4.2 and 4.3). */
@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly passwords: Passwords,
    private readonly decoyAccounts: DecoyAccounts,
    private readonly factors: Factors,
    private readonly issuance: Issuance,
    private readonly tickets: MfaTickets,
    private readonly holds: IpAuthorization,
    private readonly sessions: SessionService,
    private readonly limiter: Limiter,
    private readonly config: Config,
  ) {}

  async login({ email, password }: LoginInput, origin: Origin): Promise<TokenResponse | MfaChallenge> {
    this.passwords.assertCapacity();
    if (this.config.loginAllowances) await this.chargeRateLimits(email, origin.ip);
    const { account, seen } = await this.requireCorrectPassword(email, password);
    this.issuance.assertMaySignIn(account);
    const options = { invalid: wrongCredentials, authentication: BY_PASSWORD };
    if (needsSecondFactor(account)) {
      return this.database.transaction(async (tx) =>
        this.tickets.open(tx, await this.issuance.lockUnchanged(tx, seen, wrongCredentials), BY_PASSWORD),
      );
    }
    if (await this.holds.isNeeded(account, origin.ip)) throw await this.holds.open(seen, origin, options);
    return this.issuance.signIn(seen, 'password', origin, options);
  }

  /** Known networks have their own limit, so that strangers cannot block the owner (auth.md 1.5). */
  private async chargeRateLimits(email: string, ip: string): Promise<void> {
    const address = addressKey(ip);
    const isAtHome = await this.sessions.isIpAuthorizedFor(email, ip);
    const key = email.toLowerCase();
    if (isAtHome)
      await this.limiter.chargeOrThrow('login:home', `${key} ${address}`, EMAIL_LIMIT.limit, EMAIL_LIMIT.seconds);
    else await this.limiter.chargeOrThrow('login:email', key, EMAIL_LIMIT.limit, EMAIL_LIMIT.seconds);
    await this.limiter.chargeOrThrow('login:ip', address, IP_LIMIT.limit, IP_LIMIT.seconds);
  }

  /**
   * Does the same work and throws the same error for every wrong input. The account is read only after the password was
   * correct.
   */
  private async requireCorrectPassword(
    email: string,
    password: string,
  ): Promise<{ account: Account; seen: AccountSnapshot }> {
    const found = await this.accounts.findPassword(email, this.decoyAccounts.decoyFor(email));
    if (found.bot) throw new ApiError('BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
    const isRight = await this.passwords.verify(found.passwordHash, password, found.decoyHash);
    const account = isRight && found.id !== null ? await this.accounts.find(found.id) : null;
    if (!account || !found.passwordHash) throw wrongCredentials();
    const seen = AccountSnapshot.ofPassword(found as AccountPassword);
    if (!seen.isStillCurrent(account) || account.traits.includes(PENDING_VERIFICATION)) throw wrongCredentials();
    this.passwords.rehashIfWeak(account.id, found.passwordHash, password);
    return { account, seen };
  }

  async completeWithCode({ ticket, code }: LoginTotpInput, origin: Origin): Promise<TokenResponse> {
    const open = await this.tickets.require(ticket);
    const { account } = open;
    this.issuance.assertMaySignIn(account);
    if (!account.hasTotp && !(await this.factors.hasBackupCodes(account.id)))
      throw validationError('code', 'TOTP_NOT_ENABLED');
    const response = await this.tickets.complete(
      open,
      { member: 'code', method: 'code', origin },
      async (tx) => ((await this.factors.spendCode(account.id, code, tx)) ? BY_CODE : null),
      (tx, seen, authentication) =>
        this.issuance.issue(tx, seen, 'code', origin, { invalid: ticketExpired, authentication }),
    );
    if (!response) throw validationError('code', 'INVALID_CODE');
    return response;
  }
}

/** One error for an unknown email address, a wrong password, an account without a password and a deleted account. */
function wrongCredentials(): ApiError {
  const errors = ['email', 'password'].map((path) => fieldError(path, 'INVALID_EMAIL_OR_PASSWORD'));
  return new ApiError('INVALID_FORM_BODY', { errors });
}
