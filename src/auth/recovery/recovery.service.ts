import { Injectable } from '@nestjs/common';
import { AccountService, PENDING_VERIFICATION } from '../../accounts/account.service.js';
import { needsSecondFactor } from '../../accounts/account.views.js';
import { AccountContact } from '../../accounts/account-contact.service.js';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import { AccountState } from '../../accounts/account-state.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { addressKey } from '../../core/address.js';
import { validationError } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { Background } from '../../platform/process/background.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import { type MfaChallenge, MfaTickets } from '../factors/mfa-tickets.service.js';
import { Passwords } from '../factors/passwords.service.js';
import { SecurityNotices } from '../notices/security-notices.service.js';
import { NO_METHOD } from '../records/authentication.js';
import { assertNotBot, type MailedToken, MailedTokens } from '../secrets/mailed-tokens.service.js';
import { Issuance, type TokenResponse } from '../sessions/issuance.service.js';
import { SessionService } from '../sessions/sessions.service.js';
import type { ResetInput } from './recovery.dto.js';

const TOKEN_SECONDS = 3600;
const REQUEST_LIMITS = { ofAddress: { limit: 20, seconds: 1800 }, ofEmail: { limit: 5, seconds: 1800 } };

const invalidToken = () => validationError('token', 'INVALID_OR_EXPIRED_RESET_TOKEN');

/** Password recovery by email (auth.md section 6). */
@Injectable()
export class Recovery {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly state: AccountState,
    private readonly tokens: MailedTokens,
    private readonly tickets: MfaTickets,
    private readonly contact: AccountContact,
    private readonly sessions: SessionService,
    private readonly issuance: Issuance,
    private readonly passwords: Passwords,
    private readonly notices: SecurityNotices,
    private readonly outbox: Outbox,
    private readonly background: Background,
    private readonly limiter: Limiter,
  ) {}

  /** The response is the same for every email address. Work for an existing account runs after the response. */
  async request(email: string, { ip }: Origin): Promise<void> {
    const { ofAddress, ofEmail } = REQUEST_LIMITS;
    await this.limiter.chargeOrThrow('forgot:ip', addressKey(ip), ofAddress.limit, ofAddress.seconds);
    await this.limiter.chargeOrThrow('forgot:email', email.toLowerCase(), ofEmail.limit, ofEmail.seconds);
    const holder = await this.accounts.findEmailHolder(email);
    if (holder) assertNotBot(holder);
    this.background.runLater('mailing a password reset', async () => {
      const account = holder && (await this.accounts.find(holder.id));
      if (!account || isDeletedOrScheduled(account)) return;
      await this.database.transaction((tx) => this.sendEmail(tx, account));
    });
  }

  /** Emails a token that resets the password of this account, if the account has an email address. */
  async sendEmail(tx: Tx, account: Account): Promise<void> {
    const { id, email } = account;
    if (email === null || !this.outbox.canSend) return;
    const token = await this.tokens.issue(tx, 'password-reset', account, { email }, TOKEN_SECONDS);
    await this.outbox.enqueue(tx, {
      type: 'password_reset',
      to: email,
      accountId: id,
      metadata: { token },
      expiresInSeconds: TOKEN_SECONDS,
    });
  }

  /** Whether `reset` would accept the token. Does not spend it. */
  async isValid(token: string): Promise<boolean> {
    const held = await this.tokens.find('password-reset', token);
    if (!held) return false;
    assertNotBot(held.account);
    return isApplicable(held);
  }

  /** Sets the password and revokes all sessions. The second factor stays. */
  async reset({ token, password }: ResetInput, origin: Origin): Promise<TokenResponse | MfaChallenge> {
    this.passwords.assertCapacity();
    const found = await this.tokens.require('password-reset', token, invalidToken);
    this.assertResettable(found);
    const passwordHash = await this.passwords.hashNew(password);
    return this.tokens.redeem('password-reset', token, found, invalidToken, async (tx, held) => {
      this.assertResettable(held);
      const { id, traits } = held.account;
      await this.state.recover(tx, id, passwordHash);
      // The token proves control of the email address, so it also completes the verification of a hidden registration.
      if (traits.includes(PENDING_VERIFICATION)) {
        await this.contact.confirmEmail(tx, id, String(held.issued.payload.email));
      }
      const { seen } = await this.sessions.revokeAll(tx, id, { by: 'owner', reason: 'password_reset', origin });
      await this.sessions.authorizeIp(tx, id, origin.ip);
      await this.notices.send(tx, held.account, 'password_reset', origin);
      const account = await this.accounts.require(tx, id);
      return needsSecondFactor(account)
        ? this.tickets.open(tx, account, NO_METHOD)
        : this.issuance.issue(tx, seen, 'password_reset', origin);
    });
  }

  private assertResettable(held: MailedToken): void {
    if (!isApplicable(held)) throw invalidToken();
    this.issuance.assertMayReset(held.account);
  }
}

/** Whether the account is not permanently suspended and still has the email address that the token was sent to. */
const isApplicable = ({ account, issued }: MailedToken): boolean =>
  account.email === issued.payload.email && !(account.banned && account.bannedUntil === null);
