import { Injectable } from '@nestjs/common';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import { eventOf, isSubscribed, presenceEventAfter, serializeOptions } from '../protocol/event.js';
import { SessionStore } from '../store/session-store.js';
import type { AccountSessions } from './account-sessions.js';
import { AccountWriter } from './account-writer.js';
import { sessionList } from './presence.service.js';
import { Renewal } from './renewal.service.js';
import { type GatewaySession, startStored } from './session.js';
import { type ResumeTarget, SessionPersistence, type StartedSession } from './session-persistence.js';
import { Takeover } from './takeover.service.js';

/** Sessions in the shared store. Any replica can resume them (contract/gateway.md section 13). */
@Injectable()
export class SharedPersistence extends SessionPersistence {
  constructor(
    private readonly store: SessionStore,
    private readonly renewal: Renewal,
    private readonly takeover: Takeover,
    private readonly replicaBus: ReplicaBus,
  ) {
    super();
  }

  attach(session: GatewaySession, account: AccountSessions): void {
    account.writer ??= new AccountWriter(account.id, account.payloads, this.renewal);
    session.stored = startStored({ fence: 1, since: 0, step: 0 });
  }

  /**
   * The session list after READY is stored together with the session, so that READY does not wait for a second write.
   */
  async begin(session: GatewaySession, account: AccountSessions, limit: number): Promise<StartedSession | null> {
    const { id, credentialId: login, binding, options, stored } = session;
    const cursor = await this.replicaBus.lastNumber(account.id);
    const isTold = isSubscribed(options, { type: 'SESSIONS_REPLACE', isPersonal: false });
    const record = { id, account: account.id, login, binding, wishes: serializeOptions(options), cursor, isTold };
    const created = await this.store.create(record, limit);
    if (!created) return null;
    session.log.startAt(cursor);
    if (stored) session.stored = Object.assign(stored, { since: created.since });
    if (isTold) {
      const received = presenceEventAfter(cursor, eventOf('SESSIONS_REPLACE', sessionList(created.listed)));
      account.storePayload(received);
      session.applyEvents([received]);
    }
    account.writer?.startWriting(session, []);
    return { listed: created.listed, isListDispatched: isTold };
  }

  find(id: string, identity: SessionIdentity | BotIdentity, seq: number): Promise<ResumeTarget> {
    return this.takeover.find(id, identity, seq);
  }

  tick(now: number): void {
    this.renewal.tick(now);
  }

  leave(): Promise<void> {
    return this.renewal.leave();
  }
}
