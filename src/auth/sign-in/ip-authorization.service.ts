import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import type { AccountSnapshot, StoredEpochs } from '../../accounts/account-snapshot.js';
import { describeClient, type Origin } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { maskAddress } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { ApiError, validationError } from '../../core/errors.js';
import { digest, mintToken, randomLetters, sealWithSecret, unsealWithSecret } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { UNKNOWN_LOCATION } from '../../platform/mail/templates/words/kinds.js';
import type { Account } from '../../policy/account.js';
import { BY_PASSWORD, HOLD_SECONDS } from '../records/authentication.js';
import { assertNotBot } from '../secrets/mailed-tokens.service.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import { Issuance, type TokenResponse, tokenResponse } from '../sessions/issuance.service.js';
import { SessionService } from '../sessions/sessions.service.js';

const RESULT_SECONDS = 60;
const RESEND_SECONDS = 30;

/** The data that is stored with the ticket of an unconfirmed sign-in. */
interface Hold {
  readonly state: 'held' | 'completed';
  readonly resent: boolean;
  /** The key of the current token. */
  readonly tokenKey: string;
  readonly origin: Origin;
  /** The session token of a completed sign-in, encrypted with the ticket. */
  readonly session?: string;
}

declare module '../../core/merged.js' {
  interface SecretPayloads {
    'ip-ticket': Hold;
    'ip-token': { readonly ticketKey: string };
  }
}

/** Returns the key under which a secret is stored. Only the client or the email contains the secret. */
const storageKey = (secret: string): string => digest(secret).toString('base64url');

const unknownToken = () => validationError('token', 'INVALID_OR_EXPIRED_AUTHORIZATION_TOKEN');
const unknownTicket = () => validationError('ticket', 'INVALID_OR_EXPIRED_AUTHORIZATION_TICKET');

/**
 * Password sign-ins from a new IP address wait for confirmation by email (auth.md section 8). The waiting client has a
 * ticket, and the email contains a token. A sign-in needs both.
 */
@Injectable()
export class IpAuthorization {
  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    private readonly accounts: AccountService,
    private readonly sessions: SessionService,
    private readonly issuance: Issuance,
    private readonly events: SecurityEvents,
    private readonly outbox: Outbox,
    private readonly config: Config,
  ) {}

  /**
   * Whether the IP address is new, the instance and the account require confirmation, and email can reach the owner.
   */
  async isNeeded({ id, emailBounced }: Account, ip: string): Promise<boolean> {
    if (!this.config.ipAuthorization || !this.outbox.canSend || emailBounced) return false;
    return this.sessions.needsConfirmationFrom(id, ip);
  }

  /** Opens a hold and emails its token. Returns the error that asks the caller to wait. */
  async open(
    seen: AccountSnapshot,
    origin: Origin,
    { invalid: stale }: { invalid: () => ApiError },
  ): Promise<ApiError> {
    const ticket = mintToken();
    const token = randomLetters(64);
    const hold: Hold = { state: 'held', resent: false, tokenKey: storageKey(token), origin };
    const email = await this.database.transaction(async (tx) => {
      const account = await this.issuance.lockUnchanged(tx, seen, stale);
      await this.secrets.issue('ip-ticket', account, hold, HOLD_SECONDS, { tx, secret: storageKey(ticket) });
      await this.sendEmail(tx, account, { ticketKey: storageKey(ticket), token, seconds: HOLD_SECONDS, origin });
      return account.email ?? '';
    });
    return new ApiError('IP_AUTHORIZATION_REQUIRED', {
      ip_authorization_required: true,
      ticket,
      email,
      resend_available_in: RESEND_SECONDS,
    });
  }

  private async sendEmail(
    tx: Tx,
    { email, ...owner }: StoredEpochs & Pick<Account, 'email'>,
    { ticketKey, token, seconds, origin }: { ticketKey: string; token: string; seconds: number; origin: Origin },
  ): Promise<void> {
    await this.secrets.issue('ip-token', owner, { ticketKey }, seconds, { tx, secret: storageKey(token) });
    await this.outbox.enqueue(tx, {
      type: 'ip_authorization',
      to: email ?? '',
      accountId: owner.id,
      metadata: { token, ip: origin.ip, location: UNKNOWN_LOCATION },
      client: describeClient(origin),
      expiresInSeconds: seconds,
    });
  }

  /**
   * Confirms the sign-in with the token from the email. Of parallel confirmations, one succeeds. Only the waiting
   * client gets the session.
   */
  async authorize(token: string, origin: Origin): Promise<void> {
    const tokenKey = storageKey(token);
    const issued = await this.secrets.peek('ip-token', tokenKey);
    if (!issued) throw unknownToken();
    const ticketKey = issued.payload.ticketKey;
    await this.database.transaction(async (tx) => {
      const account = await this.lock(tx, issued.subject, unknownToken);
      this.issuance.assertMaySignIn(account);
      const step = [{ state: 'held', tokenKey }, { state: 'completed' }] as const;
      const held = await this.secrets.peek('ip-ticket', ticketKey, tx);
      const won = await this.secrets.change('ip-ticket', ticketKey, step, { tx, ttlSeconds: RESULT_SECONDS });
      if (!held || !won) throw unknownToken();
      await this.secrets.consume('ip-token', tokenKey, tx);
      const { ip } = held.payload.origin;
      await this.sessions.authorizeIp(tx, account.id, ip);
      const data = { masked_ip: maskAddress(ip) };
      await this.events.record(tx, { accountId: account.id, type: 'ip_authorized', origin, data });
    });
  }

  /** Replaces the token once. The ticket keeps its expiration. */
  async resend(ticket: string): Promise<void> {
    const ticketKey = storageKey(ticket);
    const found = await this.require(ticketKey);
    assertNotBot(found.account);
    const age = await this.secrets.ageOf('ip-ticket', ticketKey);
    if (found.hold.state !== 'held' || age === null) throw unknownTicket();
    if (found.hold.resent) throw new ApiError('IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED');
    if (age < RESEND_SECONDS) throw resendCooldown(RESEND_SECONDS - age);
    const token = randomLetters(64);
    await this.database.transaction(async (tx) => {
      const account = await this.lock(tx, found.account.id, unknownTicket);
      const step = [
        { state: 'held', resent: false },
        { resent: true, tokenKey: storageKey(token) },
      ] as const;
      if (!(await this.secrets.change('ip-ticket', ticketKey, step, { tx }))) {
        throw new ApiError('IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED');
      }
      await this.secrets.consume('ip-token', found.hold.tokenKey, tx);
      const { origin } = found.hold;
      await this.sendEmail(tx, account, { ticketKey, token, seconds: Math.ceil(HOLD_SECONDS - age), origin });
    });
  }

  /** The first call after the confirmation issues the session. Further calls return the same token. */
  async poll(ticket: string): Promise<{ completed: false } | ({ completed: true } & TokenResponse)> {
    const ticketKey = storageKey(ticket);
    const { account: waiting, hold } = await this.require(ticketKey);
    assertNotBot(waiting);
    if (hold.state === 'held') return { completed: false };
    const response = await this.database.transaction(async (tx) => {
      const account = await this.lock(tx, waiting.id, unknownTicket);
      this.issuance.assertMaySignIn(account);
      const issued = await this.secrets.peek('ip-ticket', ticketKey, tx);
      if (!issued?.seen) throw unknownTicket();
      const { session, origin } = issued.payload;
      if (session !== undefined) return tokenResponse(unsealWithSecret(ticket, 'ip-session', session), account);
      const fresh = await this.issuance.issue(tx, issued.seen, 'password', origin, {
        invalid: unknownTicket,
        authentication: BY_PASSWORD,
      });
      const sealed = { session: sealWithSecret(ticket, 'ip-session', fresh.token) };
      await this.secrets.change('ip-ticket', ticketKey, [{ state: 'completed' }, sealed], { tx });
      return fresh;
    });
    return { completed: true, ...response };
  }

  private async require(ticketKey: string): Promise<{ account: Account; hold: Hold }> {
    const issued = await this.secrets.peek('ip-ticket', ticketKey);
    const account = issued && (await this.accounts.find(issued.subject));
    if (!account || isDeletedOrScheduled(account)) throw unknownTicket();
    return { account, hold: issued.payload };
  }

  private async lock(tx: Tx, accountId: string, unknown: () => ApiError): Promise<Account> {
    const account = await this.accounts.lock(tx, accountId);
    if (!account || isDeletedOrScheduled(account)) throw unknown();
    assertNotBot(account);
    return account;
  }
}

function resendCooldown(seconds: number): ApiError {
  const whole = Math.max(1, Math.ceil(seconds));
  return new ApiError('IP_AUTHORIZATION_RESEND_COOLDOWN', {
    resend_available_in: whole,
    retry_after: Math.ceil(seconds * 1000) / 1000,
  }).withHeaders({ 'Retry-After': String(whole) });
}
