import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CredentialLookups } from '../accounts/credential-lookups.js';
import { StartError } from '../core/config/start-error.js';
import { Database } from '../platform/database/database.js';

/**
 * What announces a change of a column to services that keep decisions: a trigger that writes to the journal, a notice,
 * or nothing. Changes that nothing announces have no effect on a decision that may be kept. The column never changes, or
 * `expires_in` covers it.
 */
export type Announcement = 'trigger' | 'notice' | 'none';

/**
 * Every column of the tables that credential lookups read (contract/forward-auth.md section 3). A column that is not
 * listed stops the start, so that no new way to end a credential is forgotten.
 */
export const FACTS: Readonly<Record<string, Readonly<Record<string, Announcement>>>> = {
  account: {
    ...{ id: 'none', bot: 'none', system: 'none', username: 'trigger', discriminator: 'trigger' },
    ...{ global_name: 'none', email: 'trigger', email_verified: 'trigger', email_bounced: 'trigger' },
    ...{ phone_digest: 'none', has_verified_phone: 'trigger', password_hash: 'none', password_changed_at: 'none' },
    ...{ totp_secret: 'none', totp_last_step: 'none', passkey_second_factor: 'none', bio: 'none', pronouns: 'none' },
    ...{ accent_color: 'none', avatar: 'none', avatar_color: 'none', banner: 'none', locale: 'none' },
    ...{ flags: 'trigger', traits: 'trigger', acls: 'trigger', suspicious_flags: 'trigger', epoch: 'trigger' },
    ...{ address_epoch: 'none', terms_agreed_at: 'none', banned: 'trigger', banned_until: 'trigger' },
    ...{ ban_reason: 'none', deletion_at: 'none', deletion_reason_code: 'none', deletion_public_reason: 'none' },
    ...{ deleted_at: 'trigger', registration_ip: 'none', last_active_at: 'none', last_active_ip: 'none' },
    ...{ created_at: 'none' },
  },
  session: {
    ...{ id: 'none', digest: 'notice', account_id: 'none', ip: 'none', user_agent: 'none', os: 'none' },
    ...{ created_at: 'none', last_used_at: 'none', revoked_at: 'notice', authenticated_at: 'none', amr: 'none' },
    ...{ auth_level: 'none' },
  },
  bot_token: {
    ...{ id: 'notice', application_id: 'none', name: 'none', digest: 'none', preview: 'none', created_at: 'none' },
    ...{ last_used_at: 'none' },
  },
  oauth_token: {
    ...{ id: 'none', digest: 'trigger', kind: 'none', family_id: 'none', application_id: 'none' },
    ...{ account_id: 'none', scopes: 'trigger', parent_id: 'none', created_at: 'none', expires_at: 'trigger' },
    ...{ consumed_at: 'none', settled_at: 'none' },
  },
  personal_token: {
    ...{ id: 'none', name: 'none', preview: 'none', networks: 'trigger', last_used_at: 'none', reminded_at: 'none' },
  },
  // Whom the lookups show as the authenticators of a bot. No decision depends on it.
  application: {
    ...{ id: 'none', owner_id: 'none', name: 'none', client_type: 'trigger', redirect_uris: 'none' },
    ...{ bot_public: 'none', bot_require_code_grant: 'none', secret_digest: 'trigger', secret_created_at: 'none' },
    ...{ bot_digest: 'none', bot_preview: 'none', bot_created_at: 'none', id_token_signed_response_alg: 'none' },
    ...{ post_logout_redirect_uris: 'none', backchannel_logout_uri: 'none' },
    ...{ backchannel_logout_session_required: 'none', is_trusted: 'none', trusted_scopes: 'none' },
    ...{ resource_scopes: 'none', resource_policies: 'trigger', version: 'none', created_at: 'none' },
  },
  passkey: {
    ...{ id: 'none', account_id: 'none', name: 'none', public_key: 'none', counter: 'none', transports: 'none' },
    ...{ backup_eligible: 'none', created_at: 'none', last_used_at: 'none' },
  },
};

/** Tables whose deleted rows end a credential that is still valid, and that a trigger watches. */
const WATCHED_DELETIONS = ['account', 'session', 'oauth_token', 'application'] as const;

/** The enabled triggers that write revocations: table, event and columns. */
const TRIGGERS = `
  SELECT c.relname AS "table", t.tgtype & 8 = 8 AS "onDelete",
    ARRAY(SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (t.tgattr)) AS columns
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE t.tgenabled IN ('O', 'A') AND p.proname IN ('announce_row', 'announce_ended_families')
    AND c.oid = to_regclass(c.relname)`;

interface Trigger {
  readonly table: string;
  readonly onDelete: boolean;
  readonly columns: readonly string[];
}

/** Checks during startup that every way to end or narrow a credential is announced to services that keep decisions. */
@Injectable()
export class RevocationAudit implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly lookups: CredentialLookups,
  ) {}

  /** @throws StartError if the change of a column is not announced */
  async onModuleInit(): Promise<void> {
    const faults = this.findUndeclared();
    if (!(await this.database.hasPendingMigrations())) faults.push(...(await this.findUnwatched()));
    if (faults.length > 0) throw new StartError(`Revocations would not be announced:\n  ${faults.join('\n  ')}`);
  }

  private findUndeclared(): string[] {
    return this.lookups.tables.flatMap((table) => {
      const declared = FACTS[table];
      if (!declared) return [`the table ${table} is not in FACTS. Add it to src/decisions/facts.ts`];
      const { columns = [] } = this.database.source.entityMetadatas.find(({ tableName }) => tableName === table) ?? {};
      return columns
        .map(({ databaseName }) => databaseName)
        .filter((column) => !Object.hasOwn(declared, column))
        .map((column) => `the column ${table}.${column} is not in FACTS. Add it to src/decisions/facts.ts`);
    });
  }

  private async findUnwatched(): Promise<string[]> {
    const triggers = await this.database.manager.query<Trigger[]>(TRIGGERS);
    const isWatched = (table: string, column: string) =>
      triggers.some((trigger) => trigger.table === table && trigger.columns.includes(column));
    const columns = Object.entries(FACTS).flatMap(([table, declared]) =>
      Object.entries(declared).flatMap(([column, by]) =>
        by === 'trigger' && !isWatched(table, column) ? [`changes of ${table}.${column}`] : [],
      ),
    );
    const deletions = WATCHED_DELETIONS.filter(
      (table) => !triggers.some((trigger) => trigger.table === table && trigger.onDelete),
    ).map((table) => `deletions from ${table}`);
    return [...columns, ...deletions].map((what) => `no enabled trigger announces ${what}. Restore the schema`);
  }
}
