import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { needsSecondFactor } from '../../accounts/account.views.js';
import { AccountSnapshot } from '../../accounts/account-snapshot.js';
import type { Origin } from '../../accounts/events/origin.js';
import { globalNameFrom } from '../../accounts/names.js';
import { addressKey, subnetKey } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { ApiError, validationError } from '../../core/errors.js';
import { emailFault } from '../../http/input.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Instance } from '../../platform/instance/instance.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import { type MfaChallenge, MfaTickets } from '../factors/mfa-tickets.service.js';
import {
  CONNECTION_TRAIT,
  ConnectionIdentities,
  type ExternalIdentity,
} from '../identities/connection-identities.service.js';
import { Issuance, type TokenResponse } from '../sessions/issuance.service.js';
import { assertAllowedDomain, methodsOf } from '../sso/sso.service.js';
import {
  assertMaySignIn,
  ConcurrentChange,
  MAX_ATTEMPTS,
  rethrowForCallback,
  usernameOf,
} from '../sso/sso-accounts.service.js';
import type { ActiveConnection } from './connections.service.js';
import type { ProviderProfile } from './oauth2-exchange.service.js';

/** A sign-up is needed. It is charged outside the transaction, which then runs again. */
class SignUpNeeded extends Error {}

/** A user whom the provider of a connection identified. */
interface ConnectionUser {
  readonly connection: ActiveConnection;
  readonly identity: ExternalIdentity;
  readonly profile: ProviderProfile;
  /** The email address, if the provider states that it is verified. */
  readonly verifiedEmail: string | null;
}

type Outcome = TokenResponse | MfaChallenge;

const noEmail = (): ApiError => validationError('code', 'SSO_PROVIDER_DID_NOT_RETURN_EMAIL');

/**
 * Returns the identity of a user and the email address that the provider states to be verified.
 * @throws ApiError FV(code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL), FV(code: EMAIL_DOMAIN_NOT_ALLOWED_FOR_SSO) if only some
 * domains are allowed
 */
export function toConnectionUser(connection: ActiveConnection, profile: ProviderProfile): ConnectionUser {
  const { email, isEmailVerified } = profile;
  const isStated = typeof email === 'string' && email !== '' && emailFault(email) === undefined;
  const verifiedEmail = isStated && isEmailVerified ? email : null;
  const { allowed_domains: domains } = connection.settings;
  if (domains.length > 0) {
    if (verifiedEmail === null) throw noEmail();
    assertAllowedDomain(verifiedEmail, domains);
  }
  const identity = {
    connectionId: connection.id,
    issuer: connection.client.issuer ?? '',
    subject: profile.subject,
    email: isStated ? email : null,
  };
  return { connection, identity, profile, verifiedEmail };
}

/** Finds, links or creates the account of a user of a connection (connections.md section 2). */
@Injectable()
export class ConnectionAccounts {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly identities: ConnectionIdentities,
    private readonly tickets: MfaTickets,
    private readonly issuance: Issuance,
    private readonly limiter: Limiter,
    private readonly instance: Instance,
    private readonly config: Config,
  ) {}

  /** Issues a session or opens an MFA challenge. */
  async signIn(user: ConnectionUser, origin: Origin): Promise<Outcome> {
    let maySignUp = false;
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome = await this.database.transaction((tx) => this.resolve(tx, user, maySignUp, origin));
        if (outcome instanceof ApiError) throw outcome;
        return outcome;
      } catch (error) {
        if (error instanceof SignUpNeeded) {
          await this.chargeSignUp(origin.ip);
          maySignUp = true;
        } else if (!(error instanceof ConcurrentChange) || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Returns an error instead of throwing it if the changes must be committed. */
  private async resolve(tx: Tx, user: ConnectionUser, maySignUp: boolean, origin: Origin): Promise<Outcome | ApiError> {
    const linked = await this.identities.find(tx, user.identity);
    if (linked) {
      const account = await this.accounts.lock(tx, linked.accountId);
      if (!account) throw new ConcurrentChange();
      assertMaySignIn(this.issuance, account);
      await this.identities.recordUse(tx, linked.id, user.identity.email);
      return this.issue(tx, account, user, origin);
    }
    const { verifiedEmail } = user;
    if (verifiedEmail === null) throw noEmail();
    const found = await this.accounts.findByEmail(verifiedEmail, tx);
    if (found) return this.linkByEmail(tx, found.id, { ...user, verifiedEmail }, origin);
    return this.signUp(tx, { ...user, verifiedEmail }, maySignUp, origin);
  }

  /** Rows 3 and 4. With a required second factor, only its completion links the identity. */
  private async linkByEmail(
    tx: Tx,
    id: string,
    user: ConnectionUser & { readonly verifiedEmail: string },
    origin: Origin,
  ): Promise<Outcome> {
    const account = await this.accounts.lock(tx, id);
    if (account?.email?.toLowerCase() !== user.verifiedEmail.toLowerCase()) throw new ConcurrentChange();
    const isLinkable =
      user.connection.settings.link_by_email &&
      account.emailVerified &&
      account.acls.length === 0 &&
      !(await this.identities.hasOther(tx, id, user.identity));
    if (!isLinkable) {
      // A parallel sign-in with the same identity may have created the account after this one looked up the identity.
      if (await this.identities.find(tx, user.identity)) throw new ConcurrentChange();
      throw new ApiError('CONNECTION_ACCOUNT_EXISTS');
    }
    assertMaySignIn(this.issuance, account);
    if (this.needsChallenge(account, user)) return this.issue(tx, account, user, origin, user.identity);
    await this.identities.linkWithNotice(tx, user.identity, account, { origin, taken: () => new ConcurrentChange() });
    return this.issue(tx, await this.accounts.require(tx, id), user, origin);
  }

  /** Rows 5 and 6. */
  private async signUp(
    tx: Tx,
    user: ConnectionUser & { readonly verifiedEmail: string },
    maySignUp: boolean,
    origin: Origin,
  ): Promise<Outcome | ApiError> {
    const { registration } = this.instance.current;
    const { connection, identity, profile, verifiedEmail } = user;
    if (!connection.settings.allow_sign_up || registration.mode === 'closed') throw new ApiError('REGISTRATION_CLOSED');
    if (!maySignUp) throw new SignUpNeeded();
    const isPending = registration.mode === 'approval';
    const claims = { preferredUsername: profile.username, name: profile.name, email: verifiedEmail };
    const account = await this.accounts
      .create(tx, {
        username: usernameOf(claims),
        globalName: globalNameFrom(profile.name),
        email: verifiedEmail,
        emailVerified: true,
        suspiciousFlags: registration.initialSuspiciousFlags,
        traits: [CONNECTION_TRAIT, ...(isPending ? ['registration_pending_approval'] : [])],
        ip: origin.ip,
      })
      .catch(rethrowForCallback);
    if (!(await this.identities.link(tx, identity, account.id))) throw new ConcurrentChange();
    if (isPending) return new ApiError('REGISTRATION_PENDING_APPROVAL');
    return this.issue(tx, await this.accounts.require(tx, account.id), user, origin);
  }

  private needsChallenge(account: Account, { connection }: ConnectionUser): boolean {
    return connection.settings.require_second_factor && needsSecondFactor(account);
  }

  /** `link` is an identity that the completed challenge links. */
  private issue(
    tx: Tx,
    account: Account,
    user: ConnectionUser,
    origin: Origin,
    link?: ExternalIdentity,
  ): Promise<Outcome> {
    const authentication = { amr: methodsOf(user.profile.amr), level: 1 } as const;
    if (this.needsChallenge(account, user)) return this.tickets.open(tx, account, authentication, link);
    return this.issuance.issue(tx, AccountSnapshot.ofTransaction(account), 'connection', origin, {
      invalid: () => new ApiError('ACCESS_DENIED'),
      authentication,
    });
  }

  private async chargeSignUp(ip: string): Promise<void> {
    if (!this.config.registrationAllowances) return;
    await this.limiter.chargeOrThrow('register:ip', addressKey(ip), 3, 3600);
    await this.limiter.chargeOrThrow('register:subnet', subnetKey(ip), 15, 3600);
  }
}
