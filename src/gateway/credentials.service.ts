import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isInactive } from '../accounts/account-facts.js';
import { IdentityResolver } from '../accounts/identity-resolver.js';
import { AbuseTracker } from '../bans/abuse-tracker.service.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';
import { ReplicaBus } from '../platform/replicas/replica-bus.js';
import { parseBareToken } from '../policy/credential.js';
import type { BotIdentity, SessionIdentity } from '../policy/identity.js';
import { CLOSING, ClosingError } from './protocol/protocol.js';
import { LiveSessions } from './sessions/live-sessions.service.js';
import { Presence } from './sessions/presence.service.js';
import type { GatewaySession } from './sessions/session.js';
import { type Revocation, SessionStore } from './store/session-store.js';

// Malformed tokens are looked up as one that was never issued, so that all rejections take the same time.
const DUMMY_TOKEN = `flx_${'0'.repeat(36)}`;
const RECHECK_BATCH = 500;

/** The sender of a credential. */
export interface Caller {
  readonly address: string;
  /** True if a third-party page opened the socket. */
  readonly isThirdParty: boolean;
}

/**
 * Validates the credentials of gateway sessions when a session starts, and closes sessions when a credential is
 * revoked.
 * It validates all credentials again periodically, and more often while revocation notices can be lost
 * (contract/gateway.md section 9).
 */
@Injectable()
export class Credentials implements OnModuleInit {
  /**
   * Number of times that notices may have been lost. `madeUp` is the value at the last complete check of all
   * credentials.
   */
  private possibleLosses = 0;
  private recheckedLosses = 0;
  private isChecking = false;
  private checkAt = Number.NEGATIVE_INFINITY;
  private routineAt: number;
  /** Every revocation before this time has been received. */
  private trustedAt = 0;

  constructor(
    private readonly resolver: IdentityResolver,
    private readonly sessions: LiveSessions,
    private readonly replicaBus: ReplicaBus,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly log: Log,
    private readonly abuse: AbuseTracker,
    private readonly store: SessionStore,
    private readonly presence: Presence,
  ) {
    this.routineAt = clock.monotonic() + config.gateway.routine_recheck_ms;
  }

  onModuleInit(): void {
    this.trustedAt = this.clock.monotonic();
    this.replicaBus.on('revoked', (data) => this.onRevoked(data as Revocation));
    this.replicaBus.on('resync', () => this.onResync());
  }

  /**
   * Closes sockets first. Stored sessions that no process serves expire if the store is unavailable, and their token is
   * already invalid.
   */
  private async onRevoked(revocation: Revocation): Promise<void> {
    this.sessions.revoke(revocation);
    try {
      const changed = await this.store.revoke(revocation);
      for (const accountId of changed) this.presence.onChanged(accountId);
    } catch (error) {
      this.log.warn('removing revoked gateway sessions from Redis failed', { error });
    }
  }

  /**
   * Resolves the token of Identify or Resume to an identity.
   * @throws ClosingError invalidToken, for every cause alike
   */
  async resolve(token: string, from: Caller): Promise<SessionIdentity | BotIdentity> {
    const credential = parseBareToken(token);
    const isToken = credential.kind === 'session' || credential.kind === 'bot';
    const identity = await this.resolver.resolve(
      isToken ? credential : { kind: 'session', token: DUMMY_TOKEN },
      from.address,
    );
    const isHeld = identity?.via === 'session' || identity?.via === 'bot';
    if (!isToken || !isHeld || isInactive(identity.account)) throw this.rejectToken(token, from);
    return identity;
  }

  /** Returns the error for a rejected token. Counts it against the IP address unless a third-party page sent it. */
  rejectToken(token: string, { address, isThirdParty }: Caller): ClosingError {
    if (!isThirdParty) this.abuse.recordRejectedToken(address, token);
    return new ClosingError('invalidToken');
  }

  /**
   * Returns the identity of a session if its credential is still valid and is the last one presented; otherwise null.
   */
  async confirm(session: GatewaySession, { digest } = { digest: session.presentedDigest }) {
    const identity = await this.recheck(session);
    return identity?.digest.equals(digest) ? identity : null;
  }

  /** Returns the identity of a session if its credential is still valid; otherwise null. */
  async recheck({
    via,
    accountId,
    credentialId,
    botDigest,
  }: GatewaySession): Promise<SessionIdentity | BotIdentity | null> {
    const identity =
      via === 'bot' && botDigest
        ? await this.resolver.resolveBotByDigest(accountId, botDigest)
        : await this.resolver.resolveSessionById(credentialId);
    return identity && !isInactive(identity.account) ? identity : null;
  }

  /** Checks all credentials after notices may have been lost. */
  private onResync(): Promise<void> {
    this.possibleLosses++;
    this.checkAt = Number.NEGATIVE_INFINITY;
    return this.recheckAll();
  }

  tick(now: number): void {
    if (this.replicaBus.isConnected && this.recheckedLosses === this.possibleLosses) {
      this.trustedAt = now;
      if (now >= this.routineAt) this.recheckAll().catch((error) => this.logFailure(error));
      return;
    }
    if (now >= this.checkAt) this.recheckAll().catch((error) => this.logFailure(error));
    const limit = now - this.config.gateway.unchecked_ms;
    if (this.trustedAt >= limit) return;
    const unchecked = [...this.sessions.all].filter(({ checkedAt }) => checkedAt < limit);
    for (const session of unchecked) session.holder?.close(CLOSING.unavailable);
  }

  private logFailure(error: unknown): void {
    this.log.warn('checking the credentials of gateway sessions failed', { error });
  }

  private async recheckAll(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    const now = this.clock.monotonic();
    this.checkAt = now + this.config.gateway.recheck_ms;
    this.routineAt = now + this.config.gateway.routine_recheck_ms;
    const { possibleLosses } = this;
    const wasConnected = this.replicaBus.isConnected;
    try {
      const sessions = [...this.sessions.all];
      for (let first = 0; first < sessions.length; first += RECHECK_BATCH) {
        await this.recheckSome(sessions.slice(first, first + RECHECK_BATCH), now);
      }
      if (wasConnected) this.recheckedLosses = possibleLosses;
    } catch (error) {
      this.logFailure(error);
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
      const isRotated = identities[index]?.digest.equals(session.presentedDigest) === false;
      if (isRotated) session.holder?.close(CLOSING.invalidToken);
    }
  }
}
