import { Injectable } from '@nestjs/common';
import { AuditActions } from '../admin/audit/audit-actions.service.js';
import type { Operator } from '../admin/audit/operator.js';
import { CallerGuard } from '../auth/sessions/caller-guard.service.js';
import { ApiError } from '../core/errors.js';
import { type ChangeResult, Database, type Tx } from '../platform/database/database.js';
import { type DeliveryError, EventDeliveries } from './event-deliveries.service.js';
import type { EventDeliveriesQuery } from './event-endpoints.dto.js';

const DEFAULT_PAGE_SIZE = 50;
const MAX_REPLAYS = 1000;

const COLUMNS = `id, message_id, type, created_at, attempts, attempted_at, response_status, error, is_delivered, ended_at,
  CASE WHEN ended_at IS NULL THEN next_attempt_at END AS next_attempt_at`;

const LIST = `
  SELECT ${COLUMNS} FROM outgoing_delivery
  WHERE endpoint_id = $1 AND id < coalesce($2::bigint, 9223372036854775807) ORDER BY id DESC LIMIT $3`;

const RESTARTED = `ended_at = NULL, is_delivered = NULL, next_attempt_at = now(), retry_until = now() + interval '3 days'`;

const REPLAY = `
  UPDATE outgoing_delivery SET ${RESTARTED} WHERE id = $2 AND endpoint_id = $1 AND ended_at IS NOT NULL RETURNING id`;

const IS_KNOWN = 'SELECT 1 FROM outgoing_delivery WHERE id = $2 AND endpoint_id = $1';

const REPLAY_FAILED = `
  UPDATE outgoing_delivery SET ${RESTARTED} WHERE id IN (
    SELECT id FROM outgoing_delivery WHERE endpoint_id = $1 AND is_delivered = false AND created_at >= $2
    ORDER BY created_at, id LIMIT ${MAX_REPLAYS} FOR UPDATE)
  RETURNING id`;

const INSERT_TEST = `
  INSERT INTO outgoing_delivery (endpoint_id, message_id, type, data)
  VALUES ($1::bigint, gen_random_uuid(), 'outgoing_events.test', jsonb_build_object('endpoint_id', $1::bigint::text))
  RETURNING ${COLUMNS}`;

/** Keeps the endpoint from being disabled or deleted until the transaction ends. */
const ENDPOINT = 'SELECT disabled_at IS NOT NULL AS is_disabled FROM outgoing_endpoint WHERE id = $1 FOR SHARE';

interface DeliveryRow {
  readonly id: string;
  readonly message_id: string;
  readonly type: string;
  readonly created_at: Date;
  readonly attempts: number;
  readonly attempted_at: Date | null;
  readonly response_status: number | null;
  readonly error: DeliveryError | null;
  readonly is_delivered: boolean | null;
  readonly next_attempt_at: Date | null;
}

const statusOf = ({ is_delivered: isDelivered }: DeliveryRow): 'pending' | 'delivered' | 'failed' =>
  isDelivered === null ? 'pending' : isDelivered ? 'delivered' : 'failed';

const deliveryView = (row: DeliveryRow) => ({
  id: row.id,
  message_id: `msg_${row.message_id}`,
  event_type: row.type,
  status: statusOf(row),
  attempts: row.attempts,
  response_status: row.response_status,
  /** Why the last attempt failed. */
  error: row.error,
  created_at: row.created_at.toISOString(),
  last_attempt_at: row.attempted_at?.toISOString() ?? null,
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
});

/** What became of events at an endpoint. Administrators list deliveries and send them again. */
@Injectable()
export class DeliveryHistory {
  constructor(
    private readonly database: Database,
    private readonly deliveries: EventDeliveries,
    private readonly callerGuard: CallerGuard,
    private readonly audit: AuditActions,
  ) {}

  /** @throws ApiError UNKNOWN_EVENT_ENDPOINT */
  async list(id: string, { before, limit = DEFAULT_PAGE_SIZE }: EventDeliveriesQuery) {
    return this.database.read(async (reader) => {
      const known = await reader.query<unknown[]>('SELECT 1 FROM outgoing_endpoint WHERE id = $1', [id]);
      if (known.length === 0) throw new ApiError('UNKNOWN_EVENT_ENDPOINT');
      const rows = await reader.query<DeliveryRow[]>(LIST, [id, before ?? null, limit + 1]);
      return { deliveries: rows.slice(0, limit).map(deliveryView), has_more: rows.length > limit };
    });
  }

  /**
   * @throws ApiError UNKNOWN_EVENT_ENDPOINT, OUTGOING_ENDPOINT_DISABLED, UNKNOWN_EVENT_DELIVERY,
   *   OUTGOING_DELIVERY_PENDING if it has not ended
   */
  replay(by: Operator, endpointId: string, id: string): Promise<void> {
    return this.send(by, endpointId, async (tx) => {
      const [again] = await tx.query<ChangeResult>(REPLAY, [endpointId, id]);
      if (again.length === 0) {
        const known = await tx.query<unknown[]>(IS_KNOWN, [endpointId, id]);
        throw new ApiError(known.length === 0 ? 'UNKNOWN_EVENT_DELIVERY' : 'OUTGOING_DELIVERY_PENDING');
      }
      await this.audit.record(tx, by, 'replay_event', { id: endpointId, metadata: { delivery_id: id } });
    });
  }

  /** @throws ApiError UNKNOWN_EVENT_ENDPOINT, OUTGOING_ENDPOINT_DISABLED */
  replayFailed(by: Operator, endpointId: string, since: string) {
    return this.send(by, endpointId, async (tx) => {
      const [, count] = await tx.query<ChangeResult>(REPLAY_FAILED, [endpointId, since]);
      await this.audit.record(tx, by, 'replay_failed_events', { id: endpointId, metadata: { since, count } });
      return { replayed: count, has_more: count === MAX_REPLAYS };
    });
  }

  /** @throws ApiError UNKNOWN_EVENT_ENDPOINT, OUTGOING_ENDPOINT_DISABLED */
  sendTest(by: Operator, endpointId: string) {
    return this.send(by, endpointId, async (tx) => {
      const [row] = await tx.query<[DeliveryRow]>(INSERT_TEST, [endpointId]);
      await this.audit.record(tx, by, 'test_event_endpoint', { id: endpointId });
      return deliveryView(row);
    });
  }

  private send<T>(by: Operator, endpointId: string, make: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      if (by.identity) await this.callerGuard.lockCaller(tx, by.identity);
      const [endpoint] = await tx.query<{ is_disabled: boolean }[]>(ENDPOINT, [endpointId]);
      if (!endpoint) throw new ApiError('UNKNOWN_EVENT_ENDPOINT');
      if (endpoint.is_disabled) throw new ApiError('OUTGOING_ENDPOINT_DISABLED');
      const result = await make(tx);
      this.database.onCommit(tx, async () => this.deliveries.wake());
      return result;
    });
  }
}
