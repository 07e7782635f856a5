import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { Metrics } from '../../core/metrics.js';
import type { EventData } from '../../core/names.js';
import { eventOf, type GatewayEvent, personalEvent, type ReceivedEvent } from '../protocol/event.js';
import { CLOSING, type Closing } from '../protocol/protocol.js';
import type { Revocation } from '../store/session-store.js';
import { AccountSessions } from './account-sessions.js';
import type { GatewaySession } from './session.js';

/** Maximum wait for the final event of a connection, because the event may have to be stored first. */
const FINAL_EVENT_TIMEOUT_MS = 250;
const TRIM_INTERVAL_MS = 5000;

/** The gateway sessions of this process, with or without a connection. */
@Injectable()
export class LiveSessions {
  /** Called when a started session that is not in the store ends. */
  onEnd: (accountId: string) => void = () => {};

  private readonly byId = new Map<string, GatewaySession>();
  private readonly byAccount = new Map<string, AccountSessions>();
  private readonly byLogin = new Map<string, Set<GatewaySession>>();
  private readonly retained = new Set<GatewaySession>();
  private trimAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly config: Config,
    metrics: Metrics,
  ) {
    metrics.measure('gatehouse_gateway_sessions', async () => this.byId.size);
    metrics.measure('gatehouse_gateway_sessions_retained', async () => this.retained.size);
    metrics.measure('gatehouse_gateway_replay_bytes', async () => {
      let bytes = 0;
      for (const { payloads } of this.byAccount.values()) bytes += payloads.bytes;
      return bytes;
    });
  }

  get all(): Iterable<GatewaySession> {
    return this.byId.values();
  }

  find(id: string): GatewaySession | undefined {
    return this.byId.get(id);
  }

  countOf(accountId: string): number {
    return this.byAccount.get(accountId)?.sessions.size ?? 0;
  }

  getAccount(accountId: string): AccountSessions | undefined {
    return this.byAccount.get(accountId);
  }

  /** Returns the entry for an account. A new entry is stored only when a session is added. */
  getOrCreateAccount(accountId: string): AccountSessions {
    return this.byAccount.get(accountId) ?? new AccountSessions(accountId, this.config.gateway);
  }

  /** Registers the session for revocation and for the events of its account. */
  add(session: GatewaySession, account: AccountSessions): void {
    this.byId.set(session.id, session);
    this.byAccount.set(account.id, account);
    account.sessions.add(session);
    const login = this.byLogin.get(session.credentialId);
    if (login) login.add(session);
    else this.byLogin.set(session.credentialId, new Set([session]));
  }

  /** Removes the session from this process. Its stored state remains. */
  forget(session: GatewaySession): void {
    if (this.byId.get(session.id) !== session) return;
    this.byId.delete(session.id);
    this.retained.delete(session);
    const account = this.byAccount.get(session.accountId);
    account?.sessions.delete(session);
    if (account?.sessions.size === 0) this.byAccount.delete(session.accountId);
    const login = this.byLogin.get(session.credentialId);
    login?.delete(session);
    if (login?.size === 0) this.byLogin.delete(session.credentialId);
  }

  /** For stored sessions, `onEnd` is not called. The process that removes one from the store reports the end. */
  private remove(session: GatewaySession): void {
    const writer = this.byAccount.get(session.accountId)?.writer;
    this.forget(session);
    if (session.stored) writer?.end(session, 'remove');
    else if (session.isStarted) this.onEnd(session.accountId);
  }

  /** Retains a session that has lost its connection, until a Resume or a timeout. Removes it if it never started. */
  retain(session: GatewaySession): void {
    if (this.byId.get(session.id) !== session) return;
    session.retainedUntil = this.clock.monotonic() + this.config.gateway.retention_ms;
    if (session.isStarted) {
      this.retained.add(session);
      this.byAccount.get(session.accountId)?.writer?.end(session, 'retain');
    } else this.remove(session);
  }

  /** Marks the session as held by a connection again. */
  reclaim(session: GatewaySession): void {
    this.retained.delete(session);
    if (session.stored?.ending === 'retain') session.stored.ending = null;
  }

  /** Removes a session that never started, or whose retention time has passed. */
  discard(session: GatewaySession): void {
    this.remove(session);
  }

  /** Ends all sessions that the revoked credentials opened, with or without a connection. */
  revoke(revocation: Revocation): void {
    const { sessions = [], bot } = revocation;
    const dead = sessions.flatMap((id) => [...(this.byLogin.get(id) ?? [])]);
    if (bot) dead.push(...(this.byAccount.get(bot)?.sessions ?? []));
    this.destroy(dead, CLOSING.invalidToken);
  }

  destroy(sessions: readonly GatewaySession[], closing: Closing): void {
    for (const session of sessions) {
      session.isRevoked = true;
      this.remove(session);
      session.holder?.close(closing);
    }
  }

  /** Ends all sessions because their events no longer exist. Clients reconnect and identify again. */
  endAll(): void {
    for (const session of [...this.byId.values()]) {
      const { holder } = session;
      this.remove(session);
      holder?.drain();
    }
  }

  dispatch(accountId: string, received: ReceivedEvent): void {
    this.byAccount.get(accountId)?.dispatch(received);
  }

  /** Sends an event to one session as a response. It cannot be replayed. */
  sendEvent(session: GatewaySession, event: GatewayEvent): void {
    this.byAccount.get(session.accountId)?.deliver(session, personalEvent(event));
  }

  /**
   * Sends the rotation event to the connections of a login session and closes them.
   * The sessions remain and can be resumed with the new token.
   */
  async onTokenRotated(loginId: string, change: EventData<'AUTH_SESSION_CHANGE'>): Promise<void> {
    const event = { ...eventOf('AUTH_SESSION_CHANGE', change, true), closing: CLOSING.invalidToken };
    const holders = [...(this.byLogin.get(loginId) ?? [])].flatMap((session) => {
      const { holder } = session;
      session.tokenRotations++;
      if (holder) this.sendEvent(session, event);
      return holder ?? [];
    });
    const deadline = performance.now() + FINAL_EVENT_TIMEOUT_MS;
    while (holders.some(({ isClosed }) => !isClosed) && performance.now() < deadline) await delay(5);
    for (const holder of holders) holder.close(CLOSING.invalidToken);
  }

  /** Makes the next Resume of these sessions fail, because events may have been lost. */
  breakReplay(accountId?: string): void {
    const accounts = accountId === undefined ? this.byAccount.values() : [this.byAccount.get(accountId)];
    for (const account of accounts) {
      for (const session of account?.sessions ?? []) {
        session.log.breakReplay();
        account?.writer?.scheduleWrite(session);
      }
    }
  }

  tick(now: number): void {
    for (const session of this.retained) if (now >= session.retainedUntil) this.discard(session);
    if (now < this.trimAt) return;
    this.trimAt = now + TRIM_INTERVAL_MS;
    for (const account of this.byAccount.values()) account.trim();
  }
}
