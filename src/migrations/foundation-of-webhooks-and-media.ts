/** The second part of the first migration. */
export const WEBHOOKS_AND_MEDIA = `
CREATE TABLE webhook (
  id bigint PRIMARY KEY,
  owner_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  application_id bigint REFERENCES application (id) ON DELETE CASCADE,
  name text NOT NULL,
  avatar text,
  digest bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_owner ON webhook (owner_id);
CREATE INDEX webhook_application ON webhook (application_id);

CREATE TABLE webhook_message (
  id bigint PRIMARY KEY,
  webhook_id bigint NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  application_id bigint,
  username text NOT NULL,
  avatar text,
  avatar_url text,
  content text NOT NULL DEFAULT '',
  embeds jsonb NOT NULL DEFAULT '[]',
  attachments jsonb NOT NULL DEFAULT '[]',
  flags integer NOT NULL DEFAULT 0,
  nonce jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  edited_at timestamptz,
  expires_at timestamptz NOT NULL
);
CREATE INDEX webhook_message_webhook ON webhook_message (webhook_id, id DESC);
CREATE INDEX webhook_message_expiry ON webhook_message (expires_at);

CREATE TABLE webhook_repeat (
  webhook_id bigint NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('nonce', 'delivery')),
  value text NOT NULL,
  message_id bigint,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (webhook_id, kind, value)
);
CREATE INDEX webhook_repeat_expiry ON webhook_repeat (expires_at);

CREATE TABLE webhook_event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id bigint NOT NULL,
  sink text NOT NULL,
  webhook_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('create', 'update', 'delete')),
  webhook jsonb NOT NULL,
  message jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  parked_at timestamptz
);
CREATE INDEX webhook_event_due ON webhook_event (sink, next_attempt_at) WHERE parked_at IS NULL;
CREATE INDEX webhook_event_order ON webhook_event (sink, webhook_id, id) WHERE parked_at IS NULL;

CREATE TABLE media_object (
  key text PRIMARY KEY,
  owner_id bigint NOT NULL,
  account_id bigint NOT NULL,
  filename text NOT NULL,
  size bigint NOT NULL,
  sha256 bytea NOT NULL,
  content_type text NOT NULL,
  width integer,
  height integer,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX media_object_owner ON media_object (owner_id);
CREATE INDEX media_object_account ON media_object (account_id);

CREATE TABLE media_upload (
  id uuid PRIMARY KEY,
  object_id uuid NOT NULL,
  owner_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  credential_kind text NOT NULL,
  filename text NOT NULL,
  size bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);
CREATE INDEX media_upload_owner ON media_upload (owner_id);
CREATE INDEX media_upload_age ON media_upload (created_at);

CREATE TABLE media_staged (
  key text PRIMARY KEY,
  size bigint NOT NULL,
  sha256 bytea NOT NULL,
  content_type text NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX media_staged_age ON media_staged (stored_at);

CREATE TABLE media_capability (
  digest bytea PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('busy', 'used')),
  holder uuid NOT NULL,
  busy_until timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX media_capability_expiry ON media_capability (expires_at);

CREATE TABLE media_garbage (
  bucket text NOT NULL,
  key text NOT NULL,
  since timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (bucket, key)
);
CREATE INDEX media_garbage_age ON media_garbage (since);

CREATE TABLE gateway_event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL,
  notice jsonb NOT NULL,
  xid bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  horizon bigint NOT NULL DEFAULT pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
  seen pg_snapshot NOT NULL DEFAULT pg_current_snapshot(),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX gateway_event_account ON gateway_event (account_id, xid);
CREATE INDEX gateway_event_age ON gateway_event (created_at);

CREATE TABLE ip_ban (
  value text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('permanent', 'temporary_24h')),
  reason text NOT NULL CHECK (reason IN ('platform_admin_enforcement', 'automatic')),
  expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by_user_id bigint
);

CREATE TABLE sso_identity (
  issuer text NOT NULL,
  subject text NOT NULL,
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX sso_identity_account ON sso_identity (account_id, issuer);

CREATE INDEX account_last_active_ip ON account (last_active_ip);
CREATE INDEX account_pending ON account (id) WHERE traits @> ARRAY['registration_pending_approval'];

CREATE TABLE sso_document (
  url text PRIMARY KEY,
  value jsonb NOT NULL,
  fetched_at timestamptz NOT NULL,
  refetched_at timestamptz
);
`;
