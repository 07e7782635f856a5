import type { FileHandle } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { Database, type Tx } from '../platform/database/database.js';
import { streamRows } from '../platform/database/rows.js';
import { openSpool, writeText } from '../platform/storage/spool.js';
import { AccountDataRegistry, type DataExporter, type ExportReader } from './account-data-registry.service.js';

/**
 * Queries of the stored account data, by the name under which it is exported. Digests, keys and encrypted values are
 * secrets of the service; the export only shows that they exist.
 */
const EXPORT_QUERIES: Readonly<Record<string, string>> = {
  account: `SELECT id, username, lpad(discriminator::text, 4, '0') AS discriminator, global_name, email, email_verified,
      email_bounced, has_verified_phone, bio, pronouns, accent_color, avatar, avatar_color, banner, locale, flags, traits,
      acls, suspicious_flags, terms_agreed_at, banned, banned_until, ban_reason, deletion_at, deletion_reason_code,
      deletion_public_reason, registration_ip, last_active_at, last_active_ip, created_at, password_changed_at,
      password_hash IS NOT NULL AS has_password, totp_secret IS NOT NULL AS has_totp, passkey_second_factor
    FROM account WHERE id = $1`,
  settings: `SELECT theme, email_notifications, session_ip_authorization, developer_mode, custom
    FROM account_settings WHERE account_id = $1`,
  sessions: `SELECT ip, user_agent, os, created_at, last_used_at, revoked_at
    FROM session WHERE account_id = $1 ORDER BY id`,
  authorized_ips: 'SELECT ip_key, created_at FROM authorized_ip WHERE account_id = $1 ORDER BY created_at',
  passkeys: `SELECT id, name, transports, backup_eligible, created_at, last_used_at
    FROM passkey WHERE account_id = $1 ORDER BY created_at`,
  backup_codes: 'SELECT position, consumed_at FROM backup_code WHERE account_id = $1 ORDER BY position',
  security_events: `SELECT id, type, created_at, ip, user_agent, os, data
    FROM security_event WHERE account_id = $1 ORDER BY id`,
  pending_secrets: `SELECT purpose, created_at, expires_at FROM one_time_secret
    WHERE account_id = $1 ORDER BY created_at`,
  mail: `SELECT type, recipient, created_at, sent_at FROM outbox WHERE account_id = $1 ORDER BY id`,
  sign_on_identities: 'SELECT issuer, subject, created_at FROM sso_identity WHERE account_id = $1 ORDER BY created_at',
  applications: `SELECT id, name, client_type, redirect_uris, post_logout_redirect_uris, backchannel_logout_uri,
      bot_public, created_at
    FROM application WHERE owner_id = $1 ORDER BY id`,
  grants: `SELECT application_id, scopes, created_at FROM oauth_family WHERE account_id = $1 ORDER BY id`,
  bot_authorizations: `SELECT application_id, created_at FROM oauth_bot_grant WHERE account_id = $1 ORDER BY created_at`,
  admin_keys: `SELECT id, name, acls, created_at, last_used_at, expires_at
    FROM admin_key WHERE owner_id = $1 ORDER BY id`,
  webhooks: `SELECT id, application_id, name, avatar, created_at FROM webhook WHERE owner_id = $1 ORDER BY id`,
  webhook_messages: `SELECT m.id, m.webhook_id, m.username, m.avatar_url, m.content, m.embeds, m.attachments, m.created_at,
      m.edited_at
    FROM (SELECT id FROM webhook WHERE owner_id = $1 ORDER BY id) w
    CROSS JOIN LATERAL (SELECT * FROM webhook_message WHERE webhook_id = w.id ORDER BY id) m`,
  media: `SELECT key, filename, size, content_type, width, height, created_at
    FROM media_object WHERE account_id = $1 ORDER BY created_at, key`,
  uploads: `SELECT filename, size, created_at, finished_at FROM media_upload WHERE owner_id = $1 ORDER BY created_at`,
};

/** Audit log entries: what operators see, and what the account owner sees (web.md section 5). */
const AUDIT_QUERIES: Readonly<Record<string, Readonly<Partial<Record<ExportReader, string>>>>> = {
  audit_of_account: {
    operator: `SELECT action, reason, metadata, created_at
      FROM audit_log WHERE target_type = 'user' AND target_id = $1::text ORDER BY sequence`,
    // Audited reads are named `list_...`, `show_...` or `export_...`.
    owner: `SELECT action, metadata - 'reason' AS metadata, created_at
      FROM audit_log WHERE target_type = 'user' AND target_id = $1::text AND action !~ '^(list|show|export)_'
      ORDER BY sequence`,
  },
  audit_by_account: {
    operator: `SELECT action, target_type, target_id, created_at
      FROM audit_log WHERE admin_user_id = $1 ORDER BY sequence`,
  },
};

const SINGLE_ROW_PARTS: ReadonlySet<string> = new Set(['account', 'settings']);

const createExporter =
  (name: string, query: string): DataExporter =>
  async (tx: Tx, id) => {
    if (!SINGLE_ROW_PARTS.has(name)) return streamRows(tx, query, [id]);
    const [row] = await tx.query<Record<string, unknown>[]>(query, [id]);
    return row ?? null;
  };

const createAuditExporter =
  (queries: Partial<Record<ExportReader, string>>): DataExporter =>
  (tx, id, reader) => {
    const query = queries[reader];
    return query === undefined ? undefined : streamRows(tx, query, [id]);
  };

/** An export as JSON text. */
export interface ExportFile {
  readonly size: number;
  /** Unlinked temporary file. The caller closes it. */
  readonly file: FileHandle;
}

const RETRY_SECONDS = 30;

/** @returns the error for an export that must wait for another one */
export const exportBusyError = (): ApiError =>
  new ApiError('RATE_LIMITED', { global: false, retry_after: RETRY_SECONDS }).withHeaders({
    'Retry-After': String(RETRY_SECONDS),
  });

/** Exports everything that is stored about an account. */
@Injectable()
export class AccountExport {
  constructor(
    private readonly database: Database,
    private readonly accountDataRegistry: AccountDataRegistry,
    private readonly config: Config,
  ) {
    for (const [name, query] of Object.entries(EXPORT_QUERIES))
      accountDataRegistry.registerExporter(name, createExporter(name, query));
    for (const [name, queries] of Object.entries(AUDIT_QUERIES))
      accountDataRegistry.registerExporter(name, createAuditExporter(queries));
  }

  /**
   * Locks the export of an account until `tx` ends.
   * @throws ApiError RATE_LIMITED if any replica is exporting the account
   */
  async lockOrThrow(tx: Tx, id: string): Promise<void> {
    const [lock] = await tx.query<[{ won: boolean }]>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('export/' || $1, 0)) AS won`,
      [id],
    );
    if (!lock.won) throw exportBusyError();
  }

  /**
   * Writes a consistent snapshot to a file, so that no transaction stays open while a client downloads it.
   * @param goOn called before each piece; if it throws, the export stops
   * @throws ApiError RATE_LIMITED if another export of the account is running
   */
  async write(id: string, reader: ExportReader, goOn: () => void = () => {}): Promise<ExportFile> {
    const file = await openSpool(this.config.media.root);
    try {
      const size = await this.database.transaction(async (tx) => {
        await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
        await this.lockOrThrow(tx, id);
        // Plans for reading all rows. By default, a cursor gets a plan that returns the first rows quickly and may be
        // slow for the rest.
        await tx.query('SET LOCAL cursor_tuple_fraction = 1');
        return writeText(file, this.pieces(tx, id, reader, goOn));
      });
      return { size, file };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private async *pieces(tx: Tx, id: string, reader: ExportReader, goOn: () => void): AsyncGenerator<string> {
    for await (const piece of this.accountDataRegistry.exportAll(tx, id, reader)) {
      goOn();
      yield piece;
    }
  }
}
