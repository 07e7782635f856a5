import { WEBHOOKS_AND_MEDIA } from './foundation-of-webhooks-and-media.js';
import { SqlMigration } from './sql-migration.js';

export class Foundation1795000000000 extends SqlMigration {
  readonly sql = `
      SET LOCAL statement_timeout = 0;

      CREATE TABLE account (
        id bigint PRIMARY KEY,
        bot boolean NOT NULL DEFAULT false,
        system boolean NOT NULL DEFAULT false,
        username text NOT NULL,
        discriminator smallint NOT NULL CHECK (discriminator BETWEEN 0 AND 9999),
        global_name text,
        email text,
        email_verified boolean NOT NULL DEFAULT false,
        email_bounced boolean NOT NULL DEFAULT false,
        phone_digest bytea,
        has_verified_phone boolean NOT NULL DEFAULT false,
        password_hash text,
        password_changed_at timestamptz,
        totp_secret bytea,
        totp_last_step bigint NOT NULL DEFAULT 0,
        passkey_second_factor boolean NOT NULL DEFAULT false,
        bio text,
        pronouns text,
        accent_color integer,
        avatar text,
        avatar_color integer,
        banner text,
        locale text NOT NULL DEFAULT 'en-US',
        flags bigint NOT NULL DEFAULT 0,
        traits text[] NOT NULL DEFAULT '{}',
        acls text[] NOT NULL DEFAULT '{}',
        suspicious_flags integer NOT NULL DEFAULT 0,
        epoch integer NOT NULL DEFAULT 0,
        terms_agreed_at timestamptz,
        banned boolean NOT NULL DEFAULT false,
        banned_until timestamptz,
        deletion_at timestamptz,
        deletion_reason_code smallint,
        deletion_public_reason text,
        deleted_at timestamptz,
        registration_ip text,
        last_active_at timestamptz,
        last_active_ip text,
        created_at timestamptz NOT NULL,
        CHECK (NOT bot OR (email IS NULL AND password_hash IS NULL AND totp_secret IS NULL))
      );
      CREATE UNIQUE INDEX account_email ON account (lower(email)) WHERE email IS NOT NULL;
      CREATE UNIQUE INDEX account_tag ON account (lower(username), discriminator) WHERE deleted_at IS NULL;
      CREATE INDEX account_phone ON account (phone_digest) WHERE phone_digest IS NOT NULL;
      CREATE INDEX account_deletion ON account (deletion_at) WHERE deletion_at IS NOT NULL AND deleted_at IS NULL;
      CREATE INDEX account_wildcard ON account (id) WHERE acls @> ARRAY['*'];

      CREATE TABLE account_settings (
        account_id bigint PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
        theme text NOT NULL DEFAULT 'system',
        email_notifications boolean NOT NULL DEFAULT true,
        session_ip_authorization boolean NOT NULL DEFAULT true,
        developer_mode boolean NOT NULL DEFAULT false,
        custom jsonb NOT NULL DEFAULT '{}'
      );

      CREATE TABLE session (
        id bigint PRIMARY KEY,
        digest bytea NOT NULL,
        account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        ip text NOT NULL,
        user_agent text NOT NULL DEFAULT '',
        os text,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz NOT NULL DEFAULT now(),
        revoked_at timestamptz
      );
      CREATE UNIQUE INDEX session_digest ON session (digest);
      CREATE INDEX session_account ON session (account_id) WHERE revoked_at IS NULL;

      CREATE TABLE authorized_ip (
        account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        ip_key text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, ip_key)
      );

      CREATE TABLE backup_code (
        account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        digest bytea NOT NULL,
        position smallint NOT NULL,
        consumed_at timestamptz,
        PRIMARY KEY (account_id, digest)
      );

      CREATE TABLE passkey (
        id text PRIMARY KEY,
        account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        name text NOT NULL,
        public_key bytea NOT NULL,
        counter bigint NOT NULL DEFAULT 0,
        transports text[] NOT NULL DEFAULT '{}',
        backup_eligible boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz
      );
      CREATE INDEX passkey_account ON passkey (account_id);

      CREATE TABLE one_time_secret (
        digest bytea PRIMARY KEY,
        purpose text NOT NULL,
        subject text NOT NULL,
        payload jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX one_time_secret_subject ON one_time_secret (purpose, subject);
      CREATE INDEX one_time_secret_expiry ON one_time_secret (expires_at);

      CREATE TABLE outbox (
        id bigint PRIMARY KEY,
        type text NOT NULL,
        recipient text NOT NULL,
        payload bytea,
        account_id bigint,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        attempts integer NOT NULL DEFAULT 0,
        sent_at timestamptz,
        parked_at timestamptz
      );
      CREATE INDEX outbox_due ON outbox (next_attempt_at) WHERE sent_at IS NULL AND parked_at IS NULL;

      CREATE TABLE inbox_message (
        id bigint PRIMARY KEY,
        channel text NOT NULL,
        recipient text NOT NULL,
        type text NOT NULL,
        subject text,
        text text NOT NULL,
        html text,
        metadata jsonb NOT NULL DEFAULT '{}',
        account_id bigint,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX inbox_message_recipient ON inbox_message (lower(recipient), id DESC);

      CREATE TABLE application (
        id bigint PRIMARY KEY,
        owner_id bigint REFERENCES account (id),
        name text NOT NULL,
        client_type text NOT NULL CHECK (client_type IN ('confidential', 'public')),
        redirect_uris text[] NOT NULL DEFAULT '{}',
        bot_public boolean NOT NULL DEFAULT true,
        bot_require_code_grant boolean NOT NULL DEFAULT false,
        secret_digest bytea,
        secret_created_at timestamptz,
        bot_digest bytea,
        bot_preview text,
        bot_created_at timestamptz,
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX application_bot_digest ON application (bot_digest);
      CREATE INDEX application_owner ON application (owner_id);

      CREATE TABLE oauth_family (
        id bigint PRIMARY KEY,
        application_id bigint NOT NULL REFERENCES application (id) ON DELETE CASCADE,
        account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        scopes text[] NOT NULL,
        code_digest bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        settled_at timestamptz
      );
      CREATE UNIQUE INDEX oauth_family_code ON oauth_family (code_digest);
      CREATE INDEX oauth_family_grant ON oauth_family (account_id, application_id);
      CREATE INDEX oauth_family_application ON oauth_family (application_id);

      CREATE TABLE oauth_code (
        digest bytea PRIMARY KEY,
        application_id bigint NOT NULL REFERENCES application (id) ON DELETE CASCADE,
        account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        redirect_uri text NOT NULL,
        scopes text[] NOT NULL,
        challenge text,
        consented boolean NOT NULL,
        announced boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX oauth_code_grant ON oauth_code (account_id, application_id);
      CREATE INDEX oauth_code_application ON oauth_code (application_id);
      CREATE INDEX oauth_code_expiry ON oauth_code (expires_at);

      CREATE TABLE oauth_token (
        id bigint PRIMARY KEY,
        digest bytea NOT NULL,
        kind text NOT NULL CHECK (kind IN ('access', 'refresh')),
        family_id bigint NOT NULL REFERENCES oauth_family (id) ON DELETE CASCADE,
        application_id bigint NOT NULL,
        account_id bigint NOT NULL,
        scopes text[] NOT NULL,
        parent_id bigint,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        consumed_at timestamptz,
        settled_at timestamptz
      );
      CREATE UNIQUE INDEX oauth_token_digest ON oauth_token (digest);
      CREATE UNIQUE INDEX oauth_token_live ON oauth_token (family_id) WHERE kind = 'refresh' AND consumed_at IS NULL;
      CREATE INDEX oauth_token_family ON oauth_token (family_id);
      CREATE INDEX oauth_token_expiry ON oauth_token (expires_at);

      CREATE TABLE oauth_bot_grant (
        account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        application_id bigint NOT NULL REFERENCES application (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, application_id)
      );
      CREATE INDEX oauth_bot_grant_application ON oauth_bot_grant (application_id);

      CREATE TABLE admin_key (
        id bigint PRIMARY KEY,
        digest bytea NOT NULL,
        name text NOT NULL,
        acls text[] NOT NULL DEFAULT '{}',
        owner_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        expires_at timestamptz
      );
      CREATE INDEX admin_key_owner ON admin_key (owner_id);

      CREATE TABLE audit_log (
        id bigint PRIMARY KEY,
        admin_user_id bigint NOT NULL,
        api_key_id bigint,
        action text NOT NULL,
        target_type text NOT NULL,
        target_id text NOT NULL DEFAULT '0',
        reason text,
        metadata jsonb NOT NULL DEFAULT '{}',
        request_id text NOT NULL,
        created_at timestamptz NOT NULL,
        sequence bigint NOT NULL,
        hash bytea NOT NULL
      );
      CREATE UNIQUE INDEX audit_log_sequence ON audit_log (sequence);
      CREATE INDEX audit_log_admin ON audit_log (admin_user_id, sequence DESC);
      CREATE INDEX audit_log_target ON audit_log (target_id, sequence DESC);

      CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'audit_log is append only' USING ERRCODE = 'insufficient_privilege';
      END $$;
      CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

      CREATE TABLE instance (
        name text PRIMARY KEY,
        value jsonb NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT now()
      );
      ${WEBHOOKS_AND_MEDIA}
    `;
}
