import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isInactive } from '../accounts/account-facts.js';
import { IdentityResolver } from '../accounts/identity-resolver.js';
import { AbuseLedger } from '../bans/abuse-ledger.service.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';
import { Replica } from '../platform/replicas/replica.js';
import { parseBareToken } from '../policy/credential.js';
import type { BotIdentity, SessionIdentity } from '../policy/identity.js';
import { CLOSING, ClosingError } from './protocol/protocol.js';
import { LiveSessions, type Revocation } from './sessions/live-sessions.service.js';
import { Presence } from './sessions/presence.service.js';
import type { GatewaySession } from './sessions/session.js';
import { SessionStore } from './store/session-store.js';

// What cannot be a token is looked up as one that was never issued: every refusal takes the same path.
const DECOY = `flx_${'0'.repeat(36)}`;
const RECHECK_BATCH = 500;

/** Who presents a credential. */
export interface Caller {
  readonly address: string;
  /** The socket was opened by a page that is not ours. */
  readonly isForeign: boolean;
}

/**
 * The credentials behind gateway sessions: checked when one starts, ended when one dies, and checked again and again
 * while nobody would tell (contract/gateway.md section 9).
 */
@Injectable()
export class Credentials implements OnModuleInit {
  /** How often notices were lost, and after which of those times all credentials were seen alive again. */
  private losses = 0;
  private madeUp = 0;
  private isChecking = false;
  private checkAt = Number.NEGATIVE_INFINITY;
  /** Up to then every death was heard of. */
  private trustedAt = 0;

  constructor(
    private readonly resolver: IdentityResolver,
    private readonly sessions: LiveSessions,
    private readonly replica: Replica,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly log: Log,
    private readonly abuse: AbuseLedger,
    private readonly store: SessionStore,
    private readonly presence: Presence,
  ) {}

  onModuleInit(): void {
    this.trustedAt = this.clock.monotonic();
    this.replica.on('revoked', (data) => this.revoked(data as Revocation));
    this.replica.on('resync', () => this.catchUp());
  }

  /** Sockets first; what is stored and served by nobody expires if it cannot be reached, and its token is dead. */
  private async revoked(revocation: Revocation): Promise<void> {
    this.sessions.revoke(revocation);
    const { sessions = [], account, except, bot } = revocation;
    const accounts = [account, bot].filter((id) => id !== undefined);
    try {
      const changed = await this.store.revoke(sessions, accounts, except);
      for (const accountId of changed) this.presence.changed(accountId);
    } catch (error) {
      this.log.warn('revoked gateway sessions could not be removed from the shared store', { error });
    }
  }

  /**
   * The identity behind the token of Identify or Resume.
   * @throws ClosingError invalidToken, for every cause alike
   */
  async resolve(token: string, from: Caller): Promise<SessionIdentity | BotIdentity> {
    const credential = parseBareToken(token);
    const isToken = credential.kind === 'session' || credential.kind === 'bot';
    const identity = await this.resolver.resolve(isToken ? credential : { kind: 'session', token: DECOY });
    const isHeld = identity?.via === 'session' || identity?.via === 'bot';
    if (!isToken || !isHeld || isInactive(identity.account)) throw this.refuse(token, from);
    return identity;
  }

  /** Refuses a credential, and remembers against the address that it did, unless a foreign page sent it. */
  refuse(token: string, { address, isForeign }: Caller): ClosingError {
    if (!isForeign) this.abuse.noteRejectedToken(address, token);
    return new ClosingError('invalidToken');
  }

  /** The identity that a session was opened with, if its credential still lives and is the one that was presented last. */
  async confirm(session: GatewaySession, { digest } = { digest: session.presented }) {
    const identity = await this.recheck(session);
    return identity?.digest.equals(digest) ? identity : null;
  }

  /** The identity that a session was opened with, if its credential still lives. */
  async recheck({ via, credentialId, botDigest }: GatewaySession): Promise<SessionIdentity | BotIdentity | null> {
    const identity =
      via === 'bot' && botDigest
        ? await this.resolver.heldBot(credentialId, botDigest)
        : await this.resolver.heldSession(credentialId);
    return identity && !isInactive(identity.account) ? identity : null;
  }

  /** Something may have happened that no notice told. */
  private catchUp(): Promise<void> {
    this.losses++;
    this.checkAt = Number.NEGATIVE_INFINITY;
    return this.recheckAll();
  }

  tick(now: number): void {
    if (this.replica.isConnected && this.madeUp === this.losses) {
      this.trustedAt = now;
      return;
    }
    if (now >= this.checkAt) this.recheckAll().catch((error) => this.failed(error));
    const limit = now - this.config.gateway.unchecked_ms;
    if (this.trustedAt >= limit) return;
    const unchecked = [...this.sessions.all].filter(({ checkedAt }) => checkedAt < limit);
    for (const session of unchecked) session.holder?.close(CLOSING.unavailable);
  }

  private failed(error: unknown): void {
    this.log.warn('the credentials of gateway sessions could not be checked', { error });
  }

  private async recheckAll(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    const now = this.clock.monotonic();
    this.checkAt = now + this.config.gateway.recheck_ms;
    const { losses } = this;
    const wasConnected = this.replica.isConnected;
    try {
      const sessions = [...this.sessions.all];
      for (let first = 0; first < sessions.length; first += RECHECK_BATCH) {
        await this.recheckSome(sessions.slice(first, first + RECHECK_BATCH), now);
      }
      if (wasConnected) this.madeUp = losses;
    } catch (error) {
      this.failed(error);
    } finally {
      this.isChecking = false;
    }
  }

  private async recheckSome(sessions: readonly GatewaySession[], now: number): Promise<void> {
    const identities = await Promise.all(sessions.map((session) => this.recheck(session)));
    const dead = sessions.filter((_, index) => identities[index] === null);
    this.sessions.destroy(dead, CLOSING.invalidToken);
    for (const [index, session] of sessions.entries()) {
      session.checkedAt = Math.max(session.checkedAt, now);
      const isRotated = identities[index]?.digest.equals(session.presented) === false;
      if (isRotated) session.holder?.close(CLOSING.invalidToken);
    }
  }
}
