import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import { AccountSnapshot } from '../../accounts/account-snapshot.js';
import type { Origin } from '../../accounts/events/origin.js';
import { ApiError } from '../../core/errors.js';
import { MfaTickets, ticketExpired } from '../factors/mfa-tickets.service.js';
import { byPasskey } from '../records/authentication.js';
import { Issuance, type TokenResponse } from '../sessions/issuance.service.js';
import { type Assertion, WebAuthn } from '../webauthn/webauthn.service.js';
import type { LoginWebAuthnInput } from './webauthn-sign-in.dto.js';

const NO_SUBJECT = '';

const failed = (): ApiError => new ApiError('PASSKEY_AUTHENTICATION_FAILED');

/** Signing in with a passkey, as the second factor (auth.md 4.3) or alone (auth.md 4.4). */
@Injectable()
export class WebAuthnSignIn {
  constructor(
    private readonly webauthn: WebAuthn,
    private readonly tickets: MfaTickets,
    private readonly accounts: AccountService,
    private readonly issuance: Issuance,
  ) {}

  async mfaOptions(ticket: string) {
    const { account, key } = await this.tickets.require(ticket);
    if (account.passkeys === 0) throw new ApiError('NO_PASSKEYS_REGISTERED');
    return this.webauthn.accountOptions('webauthn-mfa', account, key, await this.webauthn.passkeysOf(account.id));
  }

  async completeMfa({ ticket, ...assertion }: LoginWebAuthnInput, origin: Origin): Promise<TokenResponse> {
    const open = await this.tickets.require(ticket);
    const { account, key } = open;
    this.issuance.assertMaySignIn(account);
    const response = await this.tickets.complete(
      open,
      { member: 'ticket', method: 'passkey', origin },
      async (tx) => {
        const holder = await this.webauthn.prove(account.id, 'webauthn-mfa', key, assertion, tx);
        return holder && byPasskey(holder);
      },
      (tx, seen, authentication) =>
        this.issuance.issue(tx, seen, 'passkey_second_factor', origin, { invalid: ticketExpired, authentication }),
    );
    if (!response) throw failed();
    return response;
  }

  options() {
    return this.webauthn.discoverableOptions('webauthn-login', NO_SUBJECT);
  }

  /** The authenticator has verified the user, so neither a second factor nor a confirmation is required. */
  async authenticate(assertion: Assertion, origin: Origin): Promise<TokenResponse> {
    const holder = await this.webauthn.discover(NO_SUBJECT, assertion);
    const account = holder && (await this.accounts.find(holder.id));
    if (!account || isDeletedOrScheduled(account)) throw failed();
    const options = { invalid: failed, authentication: byPasskey(holder) };
    return this.issuance.signIn(AccountSnapshot.ofPasskey(holder), 'passkey', origin, options);
  }
}
