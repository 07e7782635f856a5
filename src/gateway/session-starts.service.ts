import { Injectable } from '@nestjs/common';
import { privateUserView } from '../accounts/account.views.js';
import { idHash } from '../auth/sessions/sessions.service.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';
import type { BotIdentity, SessionIdentity } from '../policy/identity.js';
import { OwnViews } from '../users/profile/own-views.service.js';
import type { Connection } from './connection.js';
import { Credentials } from './credentials.service.js';
import { StartSlots } from './limits/start-slots.js';
import { eventOf } from './protocol/event.js';
import type { ListedSessionView, ReadyView } from './protocol/event-types.js';
import { ClosingError, FRAME, type IdentifyInput, parseIdentify, parseResume } from './protocol/protocol.js';
import { LiveSessions } from './sessions/live-sessions.service.js';
import { Presence, sessionList } from './sessions/presence.service.js';
import { GatewaySession } from './sessions/session.js';
import { type ResumeTarget, SessionPersistence } from './sessions/session-persistence.js';
import { SessionStore } from './store/session-store.js';

/** Identify and Resume (contract/gateway.md sections 7 and 8). */
@Injectable()
export class SessionStarts {
  private readonly slots: StartSlots;

  constructor(
    private readonly sessions: LiveSessions,
    private readonly sessionPersistence: SessionPersistence,
    private readonly store: SessionStore,
    private readonly presence: Presence,
    private readonly credentials: Credentials,
    private readonly views: OwnViews,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly log: Log,
  ) {
    this.slots = new StartSlots(config.gateway.starts_at_once, config.gateway.start_wait_ms);
  }

  tick(now: number): void {
    this.slots.tick(now);
  }

  /** Starts a session on the connection. Errors without their own close code are reported as `startFailed`. */
  async identify(connection: Connection, d: unknown): Promise<void> {
    const input = parseIdentify(d);
    const entered = this.slots.acquire(this.clock.monotonic());
    if (entered !== true && !(await entered)) throw new ClosingError('startFailed');
    try {
      if (!connection.isClosed) await this.start(connection, input);
    } catch (error) {
      throw this.toClosingError(error, 'startFailed', connection);
    } finally {
      this.slots.release();
    }
  }

  private async start(connection: Connection, input: IdentifyInput): Promise<void> {
    const identity = await this.credentials.resolve(input.token, connection);
    if (connection.isClosed) return;
    const { account: owner } = identity;
    const { sessions_per_bot, sessions_per_user } = this.config.gateway;
    const limit = identity.via === 'bot' ? sessions_per_bot : sessions_per_user;
    if (this.sessions.countOf(owner.id) >= limit) throw new ClosingError('tooManySessions');
    const { token: _, ...wishes } = input;
    const account = this.sessions.getOrCreateAccount(owner.id);
    const now = this.clock.monotonic();
    const session = new GatewaySession(
      ...([identity, wishes, connection, now, account.payloads, this.config.gateway] as const),
      this.store.newId(owner.id),
    );
    this.sessionPersistence.attach(session, account);
    this.sessions.add(session, account);
    connection.attachSession(session);
    try {
      const { changes } = account;
      const begun = await this.sessionPersistence.begin(session, account, limit);
      if (!begun) throw new ClosingError('tooManySessions');
      const { listed, isListDispatched } = begun;
      if (!(await this.sendReady(connection, session, sessionList(listed)))) return;
      const isElsewhere = listed.some(({ isHere }) => !isHere);
      this.presence.onChanged(
        account.id,
        account.changes === changes ? { listed, isElsewhere } : undefined,
        isListDispatched ? session : null,
      );
    } catch (error) {
      this.sessions.discard(session);
      throw error;
    }
  }

  /**
   * Sends READY. Validates the credential again after the session is registered, because it may have been revoked
   * before.
   */
  private async sendReady(
    connection: Connection,
    session: GatewaySession,
    sessions: ListedSessionView[],
  ): Promise<boolean> {
    const isUser = session.via === 'session';
    const [identity, settings, passkeys] = await Promise.all([
      this.credentials.confirm(session),
      isUser ? this.views.settings(session.accountId) : undefined,
      isUser ? this.views.passkeys(session.accountId) : undefined,
    ]);
    if (connection.isClosed) return false;
    if (!identity) throw new ClosingError('invalidToken');
    session.isStarted = true;
    const { shard } = session.options;
    connection.sendReady(
      eventOf('READY', {
        version: 1,
        session_id: session.id,
        resume_gateway_url: this.config.gatewayUrl,
        user: privateUserView(identity.account),
        sessions,
        guilds: [],
        private_channels: [],
        ...(shard ? { shard } : {}),
        ...this.credentialMembers(identity),
        ...(isUser ? { user_settings: settings, webauthn_credentials: passkeys } : {}),
      }),
    );
    return true;
  }

  private credentialMembers(
    identity: SessionIdentity | BotIdentity,
  ): Pick<ReadyView, 'application' | 'auth_session_id_hash'> {
    return identity.via === 'bot'
      ? { application: { id: identity.applicationId } }
      : { auth_session_id_hash: idHash(identity) };
  }

  /** Resumes a session on the connection. A failed Resume does not change the session. */
  async resume(connection: Connection, d: unknown): Promise<void> {
    const { token, sessionId, seq } = parseResume(d);
    if (seq < 0) throw new ClosingError('unavailable');
    const target = this.sessions.find(sessionId);
    const identity = await this.credentials.resolve(token, connection).catch((error) => {
      throw this.toClosingError(error, 'unavailable', connection);
    });
    if (connection.isClosed) return;
    const session = await this.find(connection, sessionId, identity, seq);
    if (connection.isClosed) return;
    if (target?.isRevoked) throw new ClosingError('invalidToken');
    if (session === 'unknown' || session === 'evicted') return connection.send(FRAME.invalidSession);
    if (session === 'foreign') throw this.credentials.rejectToken(token, connection);
    if (session === 'impossible') throw new ClosingError('invalidSequence');
    if (session === 'moved') return connection.drain();
    if (session.lacksCurrentList && Array.isArray(session.log.since(seq)))
      await this.presence.sendDeferredList(session);
    const { tokenRotations } = session;
    const isCurrent = await this.credentials.confirm(session, identity).catch((error) => {
      throw this.toClosingError(error, 'unavailable', connection);
    });
    if (connection.isClosed) return;
    if (!isCurrent) throw new ClosingError('invalidToken');
    // The credential may have changed after the database was read.
    if (session.isRevoked || session.tokenRotations !== tokenRotations) throw new ClosingError('invalidToken');
    // Another replica may have claimed the session in the meantime.
    if (this.sessions.find(sessionId) !== session) return connection.drain();
    const missed = session.log.since(seq);
    if (missed === 'impossible') throw new ClosingError('invalidSequence');
    if (missed === 'gone') return connection.send(FRAME.invalidSession);
    session.checkedAt = this.clock.monotonic();
    session.presentedDigest = identity.digest;
    this.moveToConnection(session, connection);
    await connection.resumeSession(session, missed);
    await this.presence.sendDeferredList(session);
  }

  private async find(
    connection: Connection,
    id: string,
    identity: SessionIdentity | BotIdentity,
    seq: number,
  ): Promise<ResumeTarget> {
    try {
      return await this.sessionPersistence.find(id, identity, seq);
    } catch (error) {
      throw this.toClosingError(error, 'unavailable', connection);
    }
  }

  /**
   * Moves the session to the new connection. Its old connection is drained, and the previous session of the new one is
   * retained.
   */
  private moveToConnection(session: GatewaySession, connection: Connection): void {
    const { holder } = session;
    const left = connection.session;
    session.holder = connection;
    this.sessions.reclaim(session);
    if (holder !== connection) holder?.drain();
    if (!left || left === session) return;
    left.holder = null;
    this.sessions.retain(left);
  }

  private toClosingError(
    error: unknown,
    fallback: 'startFailed' | 'unavailable',
    { traceId }: Connection,
  ): ClosingError {
    if (error instanceof ClosingError) return error;
    this.log.error('starting a gateway session failed', { trace_id: traceId, error });
    return new ClosingError(fallback);
  }
}
