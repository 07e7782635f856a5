import { Injectable } from '@nestjs/common';
import { AccountService, LOCKED_DOWN } from '../../accounts/account.service.js';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import { AccountRemoval } from '../../accounts/account-removal.service.js';
import { AccountSnapshot } from '../../accounts/account-snapshot.js';
import type { Origin } from '../../accounts/events/origin.js';
import { globalNameFrom, usernameFrom } from '../../accounts/names.js';
import { ApiError, fieldErrorsOf, validationError } from '../../core/errors.js';
import { mintFrom } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Instance } from '../../platform/instance/instance.js';
import type { Account } from '../../policy/account.js';
import { SecurityNotices } from '../notices/security-notices.service.js';
import { Issuance, type TokenResponse } from '../sessions/issuance.service.js';
import { SSO_TRAIT, SsoIdentities } from './sso-identities.service.js';

/** A user whose identity and email address the identity provider confirms. */
export interface ProviderUser {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly name: unknown;
  readonly preferredUsername: unknown;
  /** The methods that the provider reported (RFC 8176). */
  readonly amr: readonly string[];
}

/** A parallel callback for the same user or email address was faster. A retry finds its account. */
export class ConcurrentChange extends Error {}

export const MAX_ATTEMPTS = 5;
const MAX_CLAIM_LENGTH = 256;

const mismatch = (): ApiError => validationError('code', 'SSO_IDENTITY_MISMATCH');
const fieldCodeOf = (error: unknown): string | undefined => fieldErrorsOf(error)[0]?.code;

/** Translates errors of account operations to errors of the callback. */
export function rethrowForCallback(error: unknown): never {
  const code = fieldCodeOf(error);
  if (code === 'EMAIL_ALREADY_IN_USE') throw new ConcurrentChange();
  if (code === 'TOO_MANY_USERS_WITH_THIS_USERNAME')
    throw validationError('code', 'SSO_UNABLE_TO_ALLOCATE_DISCRIMINATOR');
  throw error;
}

/** Rejects the account states of section 3. */
export function assertMaySignIn(issuance: Issuance, account: Account): void {
  if (account.bot) throw new ApiError('BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
  if (isDeletedOrScheduled(account)) throw new ApiError('ACCESS_DENIED');
  issuance.assertMaySignIn(account);
}

/** Signs in a user of the identity provider (sso.md section 3). */
@Injectable()
export class SsoAccounts {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly removal: AccountRemoval,
    private readonly identities: SsoIdentities,
    private readonly issuance: Issuance,
    private readonly notices: SecurityNotices,
    private readonly instance: Instance,
  ) {}

  /** Finds, links or creates the account and issues a session, in one transaction. */
  async signIn(person: ProviderUser, origin: Origin): Promise<TokenResponse> {
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome = await this.database.transaction((tx) => this.signInOrCreate(tx, person, origin));
        if (outcome instanceof ApiError) throw outcome;
        return outcome;
      } catch (error) {
        if (!(error instanceof ConcurrentChange) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Returns an error instead of throwing it if the changes must be committed. */
  private async signInOrCreate(tx: Tx, person: ProviderUser, origin: Origin): Promise<TokenResponse | ApiError> {
    const account = (await this.findLinked(tx, person)) ?? (await this.linkByEmail(tx, person, origin));
    if (account) return this.issue(tx, account, person, origin);
    const made = await this.provision(tx, person, origin);
    if (this.instance.current.registration.mode === 'approval') return new ApiError('REGISTRATION_PENDING_APPROVAL');
    return this.issue(tx, made, person, origin);
  }

  private issue(tx: Tx, account: Account, { amr }: ProviderUser, origin: Origin): Promise<TokenResponse> {
    return this.issuance.issue(tx, AccountSnapshot.ofTransaction(account), 'single_sign_on', origin, {
      invalid: () => new ApiError('ACCESS_DENIED'),
      authentication: { amr, level: 1 },
    });
  }

  /** Row 1: the linked identity decides, even if the email address of the account has changed. */
  private async findLinked(tx: Tx, { issuer, subject }: ProviderUser): Promise<Account | null> {
    const id = await this.identities.findAccountId(tx, issuer, subject);
    const found = id === null ? null : await this.accounts.lock(tx, id);
    const account = found && (await this.endLockdown(tx, found));
    if (account) assertMaySignIn(this.issuance, account);
    return account;
  }

  /** While single sign-on is enforced, users cannot reset passwords. Therefore a linked identity ends a lockdown. */
  private async endLockdown(tx: Tx, account: Account): Promise<Account> {
    if (!this.instance.isSsoEnforced || !account.traits.includes(LOCKED_DOWN)) return account;
    await this.accounts.removeTrait(tx, account.id, LOCKED_DOWN);
    return this.accounts.require(tx, account.id);
  }

  /** Rows 2 to 5: the account with this email address. */
  private async linkByEmail(tx: Tx, person: ProviderUser, origin: Origin): Promise<Account | null> {
    const found = await this.accounts.findByEmail(person.email, tx);
    const account = found && (await this.accounts.lock(tx, found.id));
    if (!account) return null;
    if (account.email?.toLowerCase() !== person.email.toLowerCase()) throw new ConcurrentChange();
    if (account.acls.length > 0) throw mismatch();
    const subject = await this.identities.findSubject(tx, person.issuer, account.id);
    if (subject !== null) throw subject === person.subject ? new ConcurrentChange() : mismatch();
    assertMaySignIn(this.issuance, account);
    if (!account.emailVerified) await this.takeOver(tx, account.id, person, origin);
    if (!(await this.identities.link(tx, { ...identityOf(person), accountId: account.id })))
      throw new ConcurrentChange();
    // The identity provider confirms the email address, so it is verified now.
    const linked = await this.accounts.require(tx, account.id);
    await this.notices.send(tx, linked, account.emailVerified ? 'sso_linked' : 'sso_taken_over', origin);
    return linked;
  }

  /** Row 5: if the email address was never verified, its previous user loses all access and data. */
  private async takeOver(tx: Tx, id: string, person: ProviderUser, { ip }: Origin): Promise<void> {
    const successor = { username: usernameOf(person), globalName: globalNameFrom(person.name), ip };
    await this.removal.handOver(tx, id, successor).catch(rethrowForCallback);
  }

  /** Rows 6 to 8: creates an account. */
  private async provision(tx: Tx, person: ProviderUser, origin: Origin): Promise<Account> {
    const { sso, registration } = this.instance.current;
    if (!sso.autoProvision) throw new ApiError('SSO_REQUIRED');
    if (registration.mode === 'closed') throw new ApiError('REGISTRATION_CLOSED');
    const pending = registration.mode === 'approval' ? ['registration_pending_approval'] : [];
    const account = await this.accounts
      .create(tx, {
        username: usernameOf(person),
        globalName: globalNameFrom(person.name),
        email: person.email,
        emailVerified: true,
        suspiciousFlags: registration.initialSuspiciousFlags,
        traits: [SSO_TRAIT, ...pending],
        ip: origin.ip,
      })
      .catch(rethrowForCallback);
    if (!(await this.identities.link(tx, { ...identityOf(person), accountId: account.id })))
      throw new ConcurrentChange();
    return account;
  }
}

const identityOf = ({ issuer, subject }: ProviderUser) => ({ issuer, subject });

/**
 * Derives a username from `preferred_username`, `name` or the local part of the email address. If none is usable,
 * generates one.
 */
export function usernameOf({
  preferredUsername,
  name,
  email,
}: Pick<ProviderUser, 'preferredUsername' | 'name' | 'email'>): string {
  for (const claim of [localPart(preferredUsername), name, localPart(email)]) {
    const username = typeof claim === 'string' ? usernameFrom(claim.slice(0, MAX_CLAIM_LENGTH)) : null;
    if (username !== null) return username;
  }
  return `user_${mintFrom('0123456789', 8)}`;
}

const localPart = (claim: unknown): unknown => (typeof claim === 'string' ? claim.split('@', 1)[0] : claim);
