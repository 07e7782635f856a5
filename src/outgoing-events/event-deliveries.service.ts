import { randomInt } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';
import { Metrics } from '../core/metrics.js';
import { Database } from '../platform/database/database.js';
import { Cleanup } from '../platform/jobs/cleanup.js';
import { ColumnEncryption } from '../platform/keys/column-encryption.service.js';
import { DeliveryQueue } from '../platform/outbound/delivery-queue.js';
import { OutboundFault, type OutboundReason } from '../platform/outbound/network.js';
import { Outbound } from '../platform/outbound/outbound.js';
import { signedHeaders } from './signatures.js';

const TIMEOUT_MS = 10_000;
const CONCURRENT_PER_ENDPOINT = 5;
const REQUESTS_PER_SECOND = 20;
const GONE = 410;

/** Pauses after failed attempts, in seconds. The last one repeats until the delivery has failed for three days. */
const PAUSES = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200] as const;

/** The pause after a number of attempts, with 20% jitter. */
const pauseAfter = (attempts: number): number =>
  ((PAUSES[attempts - 1] ?? PAUSES[PAUSES.length - 1] ?? 0) * randomInt(800, 1200)) / 1000;

/** Why a delivery failed, or its last attempt did. */
export type DeliveryError =
  | 'url_not_allowed'
  | 'timeout'
  | 'certificate'
  | 'unreachable'
  | 'status'
  | 'gone'
  | 'disabled';

const ERRORS: { readonly [R in OutboundReason]?: DeliveryError } = {
  target: 'url_not_allowed',
  slow: 'timeout',
  certificate: 'certificate',
};

const DUE_COLUMNS = `d.id, d.endpoint_id, d.message_id, d.type, d.data, d.created_at, d.attempts,
    d.retry_until <= now() AS is_last, e.url, e.disabled_at IS NOT NULL AS is_disabled, e.secret,
    CASE WHEN e.previous_secret_expires_at > now() THEN e.previous_secret END AS previous_secret`;

const END = `
  UPDATE outgoing_delivery SET attempts = attempts + $5, attempted_at = now(), ended_at = now(), is_delivered = $2,
    response_status = $3, error = $4
  WHERE id = $1 AND ended_at IS NULL`;

const POSTPONE = `
  UPDATE outgoing_delivery SET attempts = attempts + 1, attempted_at = now(), response_status = $3, error = $4,
    next_attempt_at = least(now() + make_interval(secs => $2), retry_until)
  WHERE id = $1 AND ended_at IS NULL`;

/** Also ends the deliveries that wait for another attempt. */
export const DISABLE = `
  WITH disabled AS (
    UPDATE outgoing_endpoint SET disabled_at = now(), disabled_by = $2 WHERE id = $1 AND disabled_at IS NULL RETURNING id)
  UPDATE outgoing_delivery SET ended_at = now(), is_delivered = false, error = 'disabled'
  WHERE endpoint_id IN (SELECT id FROM disabled) AND ended_at IS NULL`;

interface DueDelivery {
  readonly id: string;
  readonly endpoint_id: string;
  readonly message_id: string;
  readonly type: string;
  readonly data: object;
  readonly created_at: Date;
  readonly attempts: number;
  readonly is_last: boolean;
  /** `null` if the endpoint was deleted. */
  readonly url: string | null;
  readonly is_disabled: boolean;
  readonly secret: Buffer;
  readonly previous_secret: Buffer | null;
}

interface Outcome {
  readonly status: number | null;
  readonly error: DeliveryError | null;
}

/**
 * Sends events to endpoints by the Standard Webhooks specification. A transactional outbox: `announce_event` writes a
 * row for each endpoint, in the transaction of the event.
 */
@Injectable()
export class EventDeliveries implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly queue: DeliveryQueue<DueDelivery>;

  constructor(
    private readonly database: Database,
    private readonly outbound: Outbound,
    private readonly encryption: ColumnEncryption,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    log: Log,
    cleanup: Cleanup,
  ) {
    this.queue = new DeliveryQueue<DueDelivery>(database, log, {
      ...{ name: 'outgoing', table: 'outgoing_delivery', laneTable: 'outgoing_lane' },
      lane: { column: 'endpoint_id', type: 'bigint' },
      select: DUE_COLUMNS,
      join: 'LEFT JOIN outgoing_endpoint e ON e.id = d.endpoint_id',
      concurrentPerLane: CONCURRENT_PER_ENDPOINT,
      requestsPerSecond: REQUESTS_PER_SECOND,
      attempt: (delivery) => this.attempt(delivery),
    });
    cleanup.addExpiry('outgoing_delivery', 'id', "created_at < now() - interval '30 days'");
    cleanup.addExpiry('outgoing_lane', 'endpoint_id', "next_attempt_at < now() - interval '1 day'");
  }

  onApplicationBootstrap(): void {
    this.queue.start();
  }

  wake(): void {
    this.queue.wake();
  }

  /** Sends a delivery once and stores the outcome. Returns whether the endpoint gave a final response. */
  private async attempt(delivery: DueDelivery): Promise<boolean> {
    const { id, endpoint_id: endpoint, is_last: isLast, attempts, url } = delivery;
    if (url === null || delivery.is_disabled) {
      await this.end(id, { status: null, error: 'disabled' }, 0);
      return true;
    }
    const outcome = await this.send(delivery, url);
    const isFinal = outcome.error === null || outcome.error === 'gone';
    if (isFinal || isLast) await this.end(id, outcome, 1);
    else {
      this.metrics.add('gatehouse_outgoing_events_total', { outcome: 'retried' });
      const values = [id, pauseAfter(attempts + 1), outcome.status, outcome.error];
      await this.database.statement('outgoing-postpone', POSTPONE, values);
    }
    if (outcome.error === 'gone') await this.database.statement('outgoing-disable', DISABLE, [endpoint, 'receiver']);
    return isFinal;
  }

  private async end(id: string, { status, error }: Outcome, attempts: 0 | 1): Promise<void> {
    this.metrics.add('gatehouse_outgoing_events_total', { outcome: error === null ? 'delivered' : 'failed' });
    await this.database.statement('outgoing-end', END, [id, error === null, status, error, attempts]);
  }

  private async send(delivery: DueDelivery, url: string): Promise<Outcome> {
    const { allowPrivateAddresses: isAnywhere } = this.config.outgoingEvents;
    if (!isAnywhere && !url.startsWith('https:')) return { status: null, error: 'url_not_allowed' };
    const { type, data, created_at } = delivery;
    const body = JSON.stringify({ type, timestamp: created_at.toISOString(), data });
    const message = { id: `msg_${delivery.message_id}`, timestamp: this.clock.seconds(), body };
    try {
      const { status } = await this.outbound.request({
        ...{ url, method: 'POST', timeoutMs: TIMEOUT_MS, isBodyIgnored: true, body },
        headers: { 'content-type': 'application/json', ...signedHeaders(message, this.secretsOf(delivery)) },
        // An administrator chose the URL.
        addressPolicy: isAnywhere ? 'anywhere' : 'public',
      });
      if (status >= 200 && status < 300) return { status, error: null };
      return { status, error: status === GONE ? 'gone' : 'status' };
    } catch (error) {
      if (!(error instanceof OutboundFault)) throw error;
      return { status: null, error: ERRORS[error.reason] ?? 'unreachable' };
    }
  }

  /** The current secret, and the previous one during a rotation. */
  private secretsOf({ endpoint_id: id, secret, previous_secret: previous }: DueDelivery): string[] {
    const current = this.encryption.decrypt('secrets of event endpoints', secret, id);
    if (previous === null) return [current];
    return [current, this.encryption.decrypt('previous secrets of event endpoints', previous, id)];
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.queue.stop();
  }
}
