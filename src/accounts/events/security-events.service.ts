import { Injectable } from '@nestjs/common';
import { maskAddress } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { Snowflakes } from '../../core/snowflake.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { LifecycleCause, LifecycleEvent, RequiredSubscriber } from '../../policy/lifecycle.js';
import { RECORDED_AS, type RecordedType, type SecurityEventType } from './event-types.js';
import { clientInfo, type Origin } from './origin.js';
import { RecordedEvent } from './security-event.entities.js';

/** An event to record. */
export interface NewEvent {
  /** The affected account. Events of a bot are recorded for its owner. */
  readonly accountId: string;
  readonly type: SecurityEventType;
  /** Origin of the request that caused the event. */
  readonly origin?: Origin | undefined;
  /** ID hash of the session that the event is about, if it is not the one that made the request. */
  readonly session?: string | undefined;
  /** Facts by name, never secrets. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** One page of the events of an account. */
export interface EventPage {
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

const DEFAULT_PAGE_SIZE = 50;
const RECORD_BATCH_SIZE = 5000;

/**
 * A bot has the ID of its application. Events of grants get the name of their application. Subqueries instead of joins,
 * because the planner assumes a hundred events for any input and would scan all applications.
 */
const INSERT_EVENTS = `
  INSERT INTO security_event (id, account_id, type, session_digest, ip, user_agent, os, data)
  SELECT e.id, coalesce((SELECT p.owner_id FROM application p WHERE p.id = e.account_id), e.account_id), e.type,
    decode(e.session, 'base64'), e.ip, e.user_agent, e.os,
    CASE WHEN e.type IN ('${RECORDED_AS.applicationAuthorized}', '${RECORDED_AS.applicationDeauthorized}') THEN coalesce(e.data
      || (SELECT jsonb_build_object('name', p.name) FROM application p WHERE p.id = (e.data->>'application_id')::bigint), e.data)
      ELSE e.data END
  FROM jsonb_to_recordset($1::jsonb)
    AS e (id bigint, account_id bigint, type text, session text, ip text, user_agent text, os text, data jsonb)`;

const base64Of = (hash: string | undefined): string | null =>
  hash === undefined ? null : Buffer.from(hash, 'base64url').toString('base64');

function eventView(event: RecordedEvent, { securityEvents }: FeatureRegistry) {
  const { id, type, createdAt, sessionDigest, ip, userAgent, os, data } = event;
  const { platform, os: system, browser } = clientInfo({ userAgent: userAgent ?? '', os });
  const words = securityEvents.get(type);
  return {
    id,
    type,
    at: createdAt.toISOString(),
    ...(sessionDigest && { session_id_hash: sessionDigest.toString('base64url') }),
    client: ip === null ? null : { os: system, browser, platform, location: null, masked_ip: maskAddress(ip) },
    data,
    ...(words && { words }),
  };
}

/** The security event that records a lifecycle event, with all of its facts. */
export function toSecurityEvent<T extends RecordedType>(
  { type, account_id: accountId, ...facts }: { readonly type: T; readonly account_id: string },
  { recordedAs, origin, data }: LifecycleCause,
): NewEvent & {
  readonly type: (typeof RECORDED_AS)[T] | NonNullable<LifecycleCause['recordedAs']>;
  readonly data: object;
} {
  const { session_id_hash: session, ...about }: { session_id_hash?: string } = facts;
  return { accountId, type: recordedAs ?? RECORDED_AS[type], origin, session, data: { ...about, ...data } };
}

/**
 * Records security events for account owners (web.md section 5). Each event is written once, in the transaction of the
 * change.
 */
@Injectable()
export class SecurityEvents implements RequiredSubscriber<RecordedType> {
  private readonly retentionCondition: string;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly features: FeatureRegistry,
    config: Config,
    cleanup: Cleanup,
  ) {
    const days = `interval '${config.securityEventDays} days'`;
    this.retentionCondition = `created_at > now() - ${days}`;
    cleanup.addExpiry('security_event', 'id', `created_at < now() - ${days}`);
  }

  handleAll(tx: Tx, events: readonly LifecycleEvent<RecordedType>[], cause: LifecycleCause): Promise<void> {
    return this.recordAll(
      tx,
      events.map((event) => toSecurityEvent(event, cause)),
    );
  }

  /** Records an event in `tx`. */
  record(tx: Tx, event: NewEvent): Promise<void> {
    return this.recordAll(tx, [event]);
  }

  /** Records any number of events, in batches. */
  async recordAll(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    for (let first = 0; first < events.length; first += RECORD_BATCH_SIZE) {
      await this.write(tx, events.slice(first, first + RECORD_BATCH_SIZE));
    }
  }

  private async write(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    const rows = events.map(({ accountId, type, origin, session = origin?.session, data = {} }) => {
      if (!this.features.securityEvents.has(type))
        throw new Error(`Unknown security event ${type}. Declare it in securityEvents of a feature`);
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
    await tx.query(INSERT_EVENTS, [JSON.stringify(rows)]);
  }

  /** Lists events, newest first. @internal */
  async list(accountId: string, { before, limit = DEFAULT_PAGE_SIZE }: EventPage) {
    const events = await this.database.read((reader) => {
      const query = reader
        .createQueryBuilder(RecordedEvent, 'e')
        .where(`e.account_id = :accountId AND e.${this.retentionCondition}`, { accountId })
        .orderBy('e.id', 'DESC')
        .limit(limit);
      if (before !== undefined) query.andWhere('e.id < :before', { before });
      return query.getMany();
    });
    return events.map((event) => eventView(event, this.features));
  }

  /** Deletes the events of an account that is being deleted. @internal */
  async deleteAllOf(tx: Tx, accountId: string): Promise<void> {
    await tx.delete(RecordedEvent, { accountId });
  }
}
