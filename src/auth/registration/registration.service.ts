import { Injectable } from '@nestjs/common';
import { AccountService, type NewAccount, PENDING_VERIFICATION } from '../../accounts/account.service.js';
import { AccountSnapshot } from '../../accounts/account-snapshot.js';
import type { Origin } from '../../accounts/events/origin.js';
import { negotiateLocale } from '../../accounts/locales.js';
import { usernameFrom } from '../../accounts/names.js';
import { addressKey, subnetKey } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { ApiError, validationError } from '../../core/errors.js';
import { mintFrom } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Instance } from '../../platform/instance/instance.js';
import { MailDomains } from '../../platform/mail/mail-domains.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import { Passwords } from '../factors/passwords.service.js';
import { BY_PASSWORD, NO_METHOD } from '../records/authentication.js';
import { EmailVerification } from '../recovery/email-verification.service.js';
import { Issuance, type TokenResponse } from '../sessions/issuance.service.js';
import { SessionService } from '../sessions/sessions.service.js';
import type { RegisterInput } from './registration.dto.js';

type AccountWithEmail = NewAccount & { readonly email: string };

const PENDING = { registration_pending_verification: true } as const;

export interface AwaitsApproval {
  readonly registration_pending_approval: true;
  readonly user_id: string;
}

export type Registered = TokenResponse | AwaitsApproval | typeof PENDING;

/** Registration of new accounts (auth.md 4.1). */
@Injectable()
export class Registration {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly passwords: Passwords,
    private readonly sessions: SessionService,
    private readonly issuance: Issuance,
    private readonly verification: EmailVerification,
    private readonly domains: MailDomains,
    private readonly outbox: Outbox,
    private readonly limiter: Limiter,
    private readonly instance: Instance,
    private readonly config: Config,
  ) {}

  async register(input: RegisterInput, origin: Origin, acceptLanguage: string | undefined): Promise<Registered> {
    const { email, password } = input;
    if ((email === undefined) !== (password === undefined)) {
      throw validationError(email === undefined ? 'email' : 'password', 'INVALID_FORMAT');
    }
    this.assertOpen(input.consent === true);
    if (password !== undefined) this.passwords.assertCapacity();
    await this.chargeRateLimits(email, origin.ip);
    if (email !== undefined) await this.domains.assertAcceptsMail(email, 'email');
    const passwordHash = password === undefined ? null : await this.passwords.hashNew(password);
    const profile = this.profileOf(input, passwordHash, origin.ip, acceptLanguage);
    const { mode, hideExistingAccounts } = this.instance.current.registration;
    if (email !== undefined && hideExistingAccounts && this.outbox.canSend) {
      return this.registerHidden({ ...profile, email }, origin.ip);
    }
    return this.database.transaction(async (tx) => {
      const account = await this.create(tx, profile, origin.ip);
      if (mode === 'approval') return { registration_pending_approval: true, user_id: account.id };
      const authentication = passwordHash === null ? NO_METHOD : BY_PASSWORD;
      return this.issuance.issue(tx, AccountSnapshot.ofTransaction(account), 'registration', origin, {
        authentication,
      });
    });
  }

  private assertOpen(hasAgreed: boolean): void {
    const { registration, legal } = this.instance.current;
    if (registration.mode === 'closed') throw new ApiError('REGISTRATION_CLOSED');
    if ((legal.termsUrl || legal.privacyUrl) && !hasAgreed) {
      throw validationError('consent', 'MUST_AGREE_TO_TOS_AND_PRIVACY_POLICY');
    }
  }

  private async chargeRateLimits(email: string | undefined, ip: string): Promise<void> {
    if (!this.config.registrationAllowances) return;
    if (email !== undefined) await this.limiter.chargeOrThrow('register:email', email.toLowerCase(), 3, 900);
    await this.limiter.chargeOrThrow('register:ip', addressKey(ip), 3, 3600);
    await this.limiter.chargeOrThrow('register:subnet', subnetKey(ip), 15, 3600);
  }

  private profileOf(
    { email, username, global_name: globalName, consent, theme }: RegisterInput,
    passwordHash: string | null,
    ip: string,
    acceptLanguage: string | undefined,
  ): NewAccount {
    const { registration } = this.instance.current;
    return {
      username: username ?? usernameFrom(globalName ?? '') ?? `user_${mintFrom('0123456789', 8)}`,
      globalName: globalName ?? null,
      email: email ?? null,
      // Without email and single sign-on, a user could never verify an email address.
      emailVerified: email !== undefined && !this.outbox.canSend && !this.instance.isSsoEnabled,
      passwordHash,
      locale: negotiateLocale(acceptLanguage),
      termsAgreed: consent === true,
      suspiciousFlags: registration.initialSuspiciousFlags,
      traits: registration.mode === 'approval' ? ['registration_pending_approval'] : [],
      ip,
      ...(theme ? { theme } : {}),
    };
  }

  private async create(tx: Tx, profile: NewAccount, ip: string): Promise<Account> {
    const account = await this.accounts.create(tx, profile);
    await this.sessions.authorizeIp(tx, account.id, ip);
    if (account.email !== null && !account.emailVerified && this.outbox.canSend) {
      await this.verification.sendEmail(tx, account, account.email);
    }
    return account;
  }

  /**
   * Returns the same response for a free and a taken email address. For a taken one, it runs the same statements: it
   * creates the account without the email address and rolls it back. The owner of the email address gets an email
   * instead.
   */
  private async registerHidden(profile: AccountWithEmail, ip: string): Promise<typeof PENDING> {
    const traits = [...(profile.traits ?? []), PENDING_VERIFICATION];
    const owner = await this.accounts.findEmailHolder(profile.email);
    try {
      await this.database.transaction(async (tx) => {
        await tx.query('SAVEPOINT registration');
        const account = await this.create(tx, { ...profile, traits, ...(owner ? { email: null } : {}) }, ip);
        if (!owner) {
          await tx.query('RELEASE SAVEPOINT registration');
          return;
        }
        await this.verification.issue(tx, account, profile.email);
        await tx.query('ROLLBACK TO SAVEPOINT registration');
        await this.outbox.enqueue(tx, {
          type: 'registration_existing_account',
          to: owner.email,
          accountId: owner.id,
          metadata: {},
        });
      });
    } catch (error) {
      // A parallel request took the email address. Retry, and treat that account as the owner.
      if (!owner && (await this.accounts.findEmailHolder(profile.email))) return this.registerHidden(profile, ip);
      throw error;
    }
    return PENDING;
  }

  /** Returns at most one suggestion. It neither reserves nor looks up names (auth.md 4.7). */
  suggest(globalName: string): { suggestions: string[] } {
    const username = usernameFrom(globalName);
    return { suggestions: username === null ? [] : [username] };
  }
}
