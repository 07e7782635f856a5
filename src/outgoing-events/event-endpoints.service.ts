import { Injectable } from '@nestjs/common';
import { AuditActions } from '../admin/audit/audit-actions.service.js';
import type { Operator } from '../admin/audit/operator.js';
import { CallerGuard } from '../auth/sessions/caller-guard.service.js';
import { Config } from '../core/config/config.js';
import { ApiError, validationError } from '../core/errors.js';
import { Snowflakes } from '../core/snowflake.js';
import { Database, type Tx } from '../platform/database/database.js';
import { ColumnEncryption } from '../platform/keys/column-encryption.service.js';
import { Outbound } from '../platform/outbound/outbound.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import { DISABLE } from './event-deliveries.service.js';
import type { CreateEventEndpointInput, EditEventEndpointInput } from './event-endpoints.dto.js';
import { mintSigningSecret } from './signatures.js';

const MAX_ENDPOINTS = 20;

/** Serializes all changes of endpoints, so that parallel requests cannot exceed the limit. */
const CHANGE_LOCK = [0x6761, 0x6f65];

const COLUMNS = `id, url, description, types, created_at, disabled_at, disabled_by,
  CASE WHEN previous_secret_expires_at > now() THEN previous_secret_expires_at END AS previous_secret_expires_at`;

const ALL = `SELECT ${COLUMNS} FROM outgoing_endpoint ORDER BY id`;
const BY_ID = `SELECT ${COLUMNS} FROM outgoing_endpoint WHERE id = $1`;
const INSERT = `
  INSERT INTO outgoing_endpoint (id, url, description, types, secret) VALUES ($1, $2, $3, $4, $5) RETURNING ${COLUMNS}`;
const UPDATE = 'UPDATE outgoing_endpoint SET url = $2, description = $3, types = $4 WHERE id = $1';
const ENABLE = 'UPDATE outgoing_endpoint SET disabled_at = NULL, disabled_by = NULL WHERE id = $1';
const SECRET = 'SELECT secret FROM outgoing_endpoint WHERE id = $1';
const ROTATE = `
  UPDATE outgoing_endpoint
  SET secret = $2, previous_secret = $3, previous_secret_expires_at = now() + interval '24 hours' WHERE id = $1`;
const DELETE = 'DELETE FROM outgoing_endpoint WHERE id = $1';

interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly types: readonly string[];
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  readonly disabled_by: 'administrator' | 'receiver' | null;
  readonly previous_secret_expires_at: Date | null;
}

const endpointView = (row: EndpointRow) => ({
  id: row.id,
  url: row.url,
  description: row.description,
  event_types: row.types,
  is_disabled: row.disabled_at !== null,
  disabled_by: row.disabled_by,
  created_at: row.created_at.toISOString(),
  previous_secret_expires_at: row.previous_secret_expires_at?.toISOString() ?? null,
});

const withSecret = (row: EndpointRow, secret: string) => ({
  ...endpointView(row),
  /** Signing secret by the Standard Webhooks specification: `whsec_` and Base64. It is shown only now. */
  secret,
});

/** The endpoints to which events are sent. */
@Injectable()
export class EventEndpoints {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly features: FeatureRegistry,
    private readonly encryption: ColumnEncryption,
    private readonly outbound: Outbound,
    private readonly config: Config,
    private readonly callerGuard: CallerGuard,
    private readonly audit: AuditActions,
  ) {}

  types() {
    const types = [...this.features.outgoingEvents].map(([name, { words }]) => ({ name, words }));
    return { event_types: types };
  }

  async list() {
    const rows = await this.database.read((reader) => reader.query<EndpointRow[]>(ALL));
    return { event_endpoints: rows.map(endpointView) };
  }

  /** @throws ApiError UNKNOWN_EVENT_ENDPOINT */
  async show(id: string) {
    return endpointView(await this.require(id));
  }

  /** @throws ApiError MAX_EVENT_ENDPOINTS, FV(url: INVALID_URL_FORMAT, URL_NOT_PUBLICLY_ROUTABLE) */
  async create(by: Operator, { url, event_types, description = '' }: CreateEventEndpointInput) {
    await this.assertReachable(url);
    return this.change(by, async (tx) => {
      const [{ count }] = await tx.query<[{ count: number }]>('SELECT count(*)::int AS count FROM outgoing_endpoint');
      if (count >= MAX_ENDPOINTS) throw new ApiError('MAX_EVENT_ENDPOINTS');
      const [id, secret, types] = [this.snowflakes.next(), mintSigningSecret(), [...new Set(event_types)].sort()];
      const box = this.encryption.encrypt('secrets of event endpoints', secret, id);
      const [row] = await tx.query<[EndpointRow]>(INSERT, [id, url, description, types, box]);
      await this.audit.record(tx, by, 'create_event_endpoint', { id, metadata: { url, event_types: types } });
      return withSecret(row, secret);
    });
  }

  /** @throws ApiError UNKNOWN_EVENT_ENDPOINT, FV(url: INVALID_URL_FORMAT, URL_NOT_PUBLICLY_ROUTABLE) */
  async edit(by: Operator, id: string, input: EditEventEndpointInput) {
    if (input.url !== undefined) await this.assertReachable(input.url);
    return this.change(by, async (tx) => {
      const old = await this.require(id, tx);
      const { url = old.url, description = old.description, event_types = old.types } = input;
      const { is_disabled: isDisabled = old.disabled_at !== null } = input;
      const types = [...new Set(event_types)].sort();
      await tx.query(UPDATE, [id, url, description, types]);
      if (isDisabled) await tx.query(DISABLE, [id, 'administrator']);
      else await tx.query(ENABLE, [id]);
      const metadata = {
        ...{ old_url: old.url, new_url: url, old_event_types: old.types, new_event_types: types },
        is_disabled: isDisabled,
      };
      await this.audit.record(tx, by, 'update_event_endpoint', { id, metadata });
      return endpointView(await this.require(id, tx));
    });
  }

  /** @throws ApiError UNKNOWN_EVENT_ENDPOINT */
  remove(by: Operator, id: string): Promise<void> {
    return this.change(by, async (tx) => {
      const { url, types } = await this.require(id, tx);
      await tx.query(DELETE, [id]);
      await this.audit.record(tx, by, 'delete_event_endpoint', { id, metadata: { url, event_types: types } });
    });
  }

  /**
   * Replaces the signing secret. The previous one also signs for 24 hours, and the one before it no longer does.
   * @throws ApiError UNKNOWN_EVENT_ENDPOINT
   */
  rotateSecret(by: Operator, id: string) {
    return this.change(by, async (tx) => {
      const [current] = await tx.query<{ secret: Buffer }[]>(SECRET, [id]);
      if (!current) throw new ApiError('UNKNOWN_EVENT_ENDPOINT');
      const old = this.encryption.decrypt('secrets of event endpoints', current.secret, id);
      const secret = mintSigningSecret();
      await tx.query(ROTATE, [
        ...[id, this.encryption.encrypt('secrets of event endpoints', secret, id)],
        this.encryption.encrypt('previous secrets of event endpoints', old, id),
      ]);
      await this.audit.record(tx, by, 'rotate_event_secret', { id });
      return withSecret(await this.require(id, tx), secret);
    });
  }

  private change<T>(by: Operator, make: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      if (by.identity) await this.callerGuard.lockCaller(tx, by.identity);
      await tx.query('SELECT pg_advisory_xact_lock($1, $2)', CHANGE_LOCK);
      return make(tx);
    });
  }

  private async require(id: string, tx: Tx = this.database.manager): Promise<EndpointRow> {
    const [row] = await tx.query<EndpointRow[]>(BY_ID, [id]);
    if (!row) throw new ApiError('UNKNOWN_EVENT_ENDPOINT');
    return row;
  }

  /** Uses DNS, so call it outside a transaction. The connection checks again. */
  private async assertReachable(url: string): Promise<void> {
    if (this.config.outgoingEvents.allowPrivateAddresses) return;
    if (!url.toLowerCase().startsWith('https:')) throw validationError('url', 'INVALID_URL_FORMAT');
    if (!(await this.outbound.mayReach(url, 'public'))) throw validationError('url', 'URL_NOT_PUBLICLY_ROUTABLE');
  }
}
