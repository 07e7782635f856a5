import { Injectable } from '@nestjs/common';
import { maskAddress } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { Snowflakes } from '../../core/snowflake.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { CleanupJobs } from '../../platform/process/cleanup-jobs.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { SecurityEventType } from './event-types.js';
import { LifecycleEvents } from './lifecycle-events.service.js';
import { lifecycleOf } from './lifecycle-of.js';
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
  readonly session?: string;
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
 * A bot has the ID of its application. A subquery instead of a join, because the planner assumes a hundred events for
 * any input and would scan all applications.
 */
const INSERT_EVENTS = `
  INSERT INTO security_event (id, account_id, type, session_digest, ip, user_agent, os, data)
  SELECT e.id, coalesce((SELECT p.owner_id FROM application p WHERE p.id = e.account_id), e.account_id), e.type,
    decode(e.session, 'base64'), e.ip, e.user_agent, e.os, e.data
  FROM jsonb_to_recordset($1::jsonb)
    AS e (id bigint, account_id bigint, type text, session text, ip text, user_agent text, os text, data jsonb)`;

const base64Of = (hash: string | undefined): string | null =>
  hash === undefined ? null : Buffer.from(hash, 'base64url').toString('base64');

function eventView(event: RecordedEvent, { securityEvents }: FeatureRegistry) {
  const { id, type, createdAt, sessionDigest, ip, userAgent, os, data } = event;
  const { platform, os: system } = clientInfo({ userAgent: userAgent ?? '', os });
  const words = securityEvents.get(type);
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
 * Records security events for account owners (web.md section 5). Each event is written once, in the transaction of the
 * change.
 */
@Injectable()
export class SecurityEvents {
  private readonly retentionCondition: string;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly features: FeatureRegistry,
    private readonly lifecycle: LifecycleEvents,
    config: Config,
    cleanupJobs: CleanupJobs,
  ) {
    const days = `interval '${config.securityEventDays} days'`;
    this.retentionCondition = `created_at > now() - ${days}`;
    cleanupJobs.addExpiry('security_event', 'id', `created_at < now() - ${days}`);
  }

  /**
   * Records an event in `tx`, and delivers the lifecycle event that it stands for.
   * @throws ApiError if a subscriber rejects the operation
   */
  record(tx: Tx, event: NewEvent): Promise<void> {
    return this.recordAll(tx, [event]);
  }

  /** Records any number of events, in batches. */
  async recordAll(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    for (let first = 0; first < events.length; first += RECORD_BATCH_SIZE) {
      await this.write(tx, events.slice(first, first + RECORD_BATCH_SIZE));
    }
    for (const event of events.flatMap((each) => lifecycleOf(each, this.lifecycle.isHandled)))
      await this.lifecycle.emit(tx, event);
  }

  private async write(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    const rows = events.map(({ accountId, type, origin, session = origin?.session, data = {} }) => {
      if (!this.features.securityEvents.has(type)) throw new Error(`there is no security event ${type}`);
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

  /** Lists events, newest first. */
  async list(accountId: string, { before, limit = DEFAULT_PAGE_SIZE }: EventPage) {
    const query = this.database.manager
      .createQueryBuilder(RecordedEvent, 'e')
      .where(`e.account_id = :accountId AND e.${this.retentionCondition}`, { accountId })
      .orderBy('e.id', 'DESC')
      .limit(limit);
    if (before !== undefined) query.andWhere('e.id < :before', { before });
    return (await query.getMany()).map((event) => eventView(event, this.features));
  }

  /** Deletes the events of an account that is being deleted. */
  async deleteAllOf(tx: Tx, accountId: string): Promise<void> {
    await tx.delete(RecordedEvent, { accountId });
  }
}
