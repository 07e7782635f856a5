import { Injectable } from '@nestjs/common';
import { maskAddress } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { Snowflakes } from '../../core/snowflake.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Janitor } from '../../platform/process/janitor.js';
import { isSecurityEvent, type SecurityEventType, wordsOfEvent } from './event-types.js';
import { clientInfo, type Origin } from './origin.js';
import { RecordedEvent } from './security-event.entities.js';

/** Something to be recorded. */
export interface NewEvent {
  /** Whom it befell; of a bot, its owner is told. */
  readonly accountId: string;
  readonly type: SecurityEventType;
  /** Where the request came from that brought it about. */
  readonly origin?: Origin | undefined;
  /** The id hash of the session that it is about, where that is not the one that asked. */
  readonly session?: string;
  /** Facts by name, never secrets. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** One page of the events of an account. */
export interface EventPage {
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

const PAGE = 50;
const RECORDED_AT_ONCE = 5000;

/**
 * The bot of an application has its id. Not joined: the planner takes every set of events for a hundred, and would read all
 * applications for them.
 */
const RECORD = `
  INSERT INTO security_event (id, account_id, type, session_digest, ip, user_agent, os, data)
  SELECT e.id, coalesce((SELECT p.owner_id FROM application p WHERE p.id = e.account_id), e.account_id), e.type,
    decode(e.session, 'base64'), e.ip, e.user_agent, e.os, e.data
  FROM jsonb_to_recordset($1::jsonb)
    AS e (id bigint, account_id bigint, type text, session text, ip text, user_agent text, os text, data jsonb)`;

const base64Of = (hash: string | undefined): string | null =>
  hash === undefined ? null : Buffer.from(hash, 'base64url').toString('base64');

function eventView(event: RecordedEvent) {
  const { id, type, createdAt, sessionDigest, ip, userAgent, os, data } = event;
  const { platform, os: system } = clientInfo({ userAgent: userAgent ?? '', os });
  const words = wordsOfEvent(type);
  return {
    id,
    type,
    at: createdAt.toISOString(),
    ...(sessionDigest && { session_id_hash: sessionDigest.toString('base64url') }),
    client: ip === null ? null : { os: system, platform, location: null, masked_ip: maskAddress(ip) },
    data,
    ...(words && { words }),
  };
}

/**
 * What befalls the security of accounts, for those whom it befalls (web.md section 5). Each event is written once, in the
 * transaction of what it tells.
 */
@Injectable()
export class SecurityEvents {
  private readonly kept: string;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    config: Config,
    janitor: Janitor,
  ) {
    const days = `interval '${config.securityEventDays} days'`;
    this.kept = `created_at > now() - ${days}`;
    janitor.addExpiry('security_event', 'id', `created_at < now() - ${days}`);
  }

  /** Records what `tx` does. */
  record(tx: Tx, event: NewEvent): Promise<void> {
    return this.recordAll(tx, [event]);
  }

  /** The same of any number, some of them in each statement. */
  async recordAll(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    for (let first = 0; first < events.length; first += RECORDED_AT_ONCE) {
      await this.write(tx, events.slice(first, first + RECORDED_AT_ONCE));
    }
  }

  private async write(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    const rows = events.map(({ accountId, type, origin, session = origin?.session, data = {} }) => {
      if (!isSecurityEvent(type)) throw new Error(`there is no security event ${type}`);
      return {
        id: this.snowflakes.next(),
        account_id: accountId,
        type,
        session: base64Of(session),
        ip: origin?.ip ?? null,
        user_agent: origin?.userAgent ?? null,
        os: origin?.os ?? null,
        data,
      };
    });
    await tx.query(RECORD, [JSON.stringify(rows)]);
  }

  /** Newest first. */
  async list(accountId: string, { before, limit = PAGE }: EventPage) {
    const query = this.database.manager
      .createQueryBuilder(RecordedEvent, 'e')
      .where(`e.account_id = :accountId AND e.${this.kept}`, { accountId })
      .orderBy('e.id', 'DESC')
      .limit(limit);
    if (before !== undefined) query.andWhere('e.id < :before', { before });
    return (await query.getMany()).map(eventView);
  }

  /** Keeps nothing of an account that goes. */
  async forget(tx: Tx, accountId: string): Promise<void> {
    await tx.delete(RecordedEvent, { accountId });
  }
}
