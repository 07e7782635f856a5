import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Config } from '../config.js';
import { Metrics } from '../metrics.js';
import { SessionStore } from '../platform/session-store.js';
import type { Position } from './event-journal.js';
import { CLOSING, type Closing } from './protocol.js';
import { eventOf, type GatewayEvent, type GatewaySession } from './session.js';

interface AccountSessions {
  readonly sessions: Set<GatewaySession>;
  /** When its sessions were last told of each other. */
  toldAt: number;
}

/** Which credentials died: login sessions, all of an account but one, or those of a bot. */
export interface Revocation {
  readonly sessions?: readonly string[];
  readonly account?: string;
  readonly except?: string;
  readonly bot?: string;
}

// Telling n sessions of n sessions costs n squared: this many milliseconds apart, that stays a steady small load.
const quietPeriod = (sessions: number): number => (sessions * sessions) / 100;

/** The gateway sessions of this process, with or without a connection. */
@Injectable()
export class LiveSessions {
  private readonly byId = new Map<string, GatewaySession>();
  private readonly byAccount = new Map<string, AccountSessions>();
  private readonly byLogin = new Map<string, Set<GatewaySession>>();
  private readonly retained = new Set<GatewaySession>();
  private readonly untold = new Map<AccountSessions, string>();

  constructor(
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly store: SessionStore,
    metrics: Metrics,
  ) {
    const help = 'Gateway sessions of this process';
    metrics.gauge('gatehouse_gateway_sessions', `${help}, retained ones included`, async () => this.byId.size);
    metrics.gauge(
      'gatehouse_gateway_sessions_retained',
      `${help} that wait for a Resume`,
      async () => this.retained.size,
    );
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

  /** From now on the session is found by what revokes it and gets the events of its account. */
  add(session: GatewaySession): void {
    this.byId.set(session.id, session);
    const account = this.byAccount.get(session.accountId);
    if (account) account.sessions.add(session);
    else {
      const toldAt = Number.NEGATIVE_INFINITY;
      this.byAccount.set(session.accountId, { sessions: new Set([session]), toldAt });
    }
    if (session.via !== 'session') return;
    const login = this.byLogin.get(session.credentialId);
    if (login) login.add(session);
    else this.byLogin.set(session.credentialId, new Set([session]));
  }

  /** The process serves the session no longer; what the store has of it stays. */
  forget(session: GatewaySession): void {
    if (this.byId.get(session.id) !== session) return;
    this.byId.delete(session.id);
    this.retained.delete(session);
    const account = this.byAccount.get(session.accountId);
    account?.sessions.delete(session);
    if (account?.sessions.size === 0) {
      this.byAccount.delete(session.accountId);
      this.untold.delete(account);
    }
    const login = this.byLogin.get(session.credentialId);
    login?.delete(session);
    if (login?.size === 0) this.byLogin.delete(session.credentialId);
  }

  /** What is stored is told of when it is out of the store, by the process that took it out. */
  private remove(session: GatewaySession): void {
    this.forget(session);
    session.writer?.remove();
  }

  /** The session has no connection any more: it waits for a Resume, or was never ready for one. */
  retain(session: GatewaySession): void {
    if (this.byId.get(session.id) !== session) return;
    session.retainedUntil = this.clock.monotonic() + this.config.gateway.retention_ms;
    if (session.isStarted) {
      this.retained.add(session);
      session.writer?.retain();
    } else this.remove(session);
  }

  /** A connection holds the session again. */
  reclaim(session: GatewaySession): void {
    this.retained.delete(session);
    session.writer?.reclaim();
  }

  /** Ends sessions that never began, or whose time without a connection is over. */
  discard(session: GatewaySession): void {
    const isStored = session.writer !== null;
    this.remove(session);
    if (session.isStarted && !isStored) this.changed(session.accountId);
  }

  /** Ends every session that the dead credentials opened, connections and retained ones alike. */
  revoke(revocation: Revocation): void {
    const { sessions = [], account, except, bot } = revocation;
    const dead = sessions.flatMap((id) => [...(this.byLogin.get(id) ?? [])]);
    for (const id of [account, bot]) {
      for (const session of (id && this.byAccount.get(id)?.sessions) || []) {
        if (session.credentialId !== except) dead.push(session);
      }
    }
    this.destroy(dead, CLOSING.invalidToken);
  }

  /** Forgets sessions and closes their connections. */
  destroy(sessions: readonly GatewaySession[], closing: Closing): void {
    const unstored = sessions.filter(({ writer }) => !writer);
    for (const session of sessions) {
      session.isRevoked = true;
      this.remove(session);
      session.holder?.close(closing);
    }
    for (const accountId of new Set(unstored.map((session) => session.accountId))) this.changed(accountId);
  }

  /** Sends an event to every session of an account. */
  dispatch(accountId: string, event: GatewayEvent, position?: Position): void {
    for (const session of this.byAccount.get(accountId)?.sessions ?? []) session.dispatch(event, position);
  }

  /** Sends an event to the connections of one login session. */
  dispatchToLogin(sessionId: string, event: GatewayEvent): void {
    for (const session of this.byLogin.get(sessionId) ?? []) if (session.holder) session.dispatch(event);
  }

  /** Events of these sessions may be lost: whoever resumes has to start anew. */
  breakReplay(accountId?: string): void {
    const affected = accountId === undefined ? this.all : this.byAccount.get(accountId)?.sessions;
    for (const session of affected ?? []) session.breakReplay();
  }

  /** The sessions of an account as its clients see them. */
  async listOf(accountId: string): Promise<object[]> {
    const shared = await this.store.list(accountId);
    if (!shared)
      return sessionList([...(this.byAccount.get(accountId)?.sessions ?? [])].filter(isStarted).map(entryOf));
    return sessionList(shared.map(({ id, wishes }) => ({ id, mobile: JSON.parse(wishes).mobile })));
  }

  /** Tells all replicas that the sessions of an account have changed, where they serve them together. */
  tellOthers: ((accountId: string) => void) | null = null;

  /** A session has started or ended: tells the account's sessions, at once while they are few. */
  changed(accountId: string): void {
    const account = this.byAccount.get(accountId);
    if (account) {
      this.untold.set(account, accountId);
      this.tell(account, accountId, this.clock.monotonic());
    } else this.tellOthers?.(accountId);
  }

  private tell(account: AccountSessions, accountId: string, now: number): void {
    if (now - account.toldAt < quietPeriod(account.sessions.size)) return;
    account.toldAt = now;
    this.untold.delete(account);
    if (this.tellOthers) this.tellOthers(accountId);
    else tellEachOther([...account.sessions].filter(isStarted));
  }

  tick(now: number): void {
    for (const session of this.retained) if (now >= session.retainedUntil) this.discard(session);
    for (const [account, accountId] of this.untold) this.tell(account, accountId, now);
  }
}

interface ListedSession {
  readonly id: string;
  readonly mobile: boolean;
}

const isStarted = (session: GatewaySession): boolean => session.isStarted;
const entryOf = ({ id, wishes }: GatewaySession): ListedSession => ({ id, mobile: wishes.mobile });

function tellEachOther(sessions: readonly GatewaySession[]): void {
  const event = eventOf('SESSIONS_REPLACE', sessionList(sessions.map(entryOf)));
  for (const session of sessions) session.dispatch(event);
}

/** `all` first, then each session (contract/gateway.md section 11). */
function sessionList(sessions: readonly ListedSession[]): object[] {
  const entry = (id: string, mobile: boolean) => ({ session_id: id, status: 'online', afk: false, mobile });
  const isMobile = sessions.every(({ mobile }) => mobile);
  return [entry('all', isMobile), ...sessions.map(({ id, mobile }) => entry(id, mobile))];
}
