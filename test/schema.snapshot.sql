CREATE TABLE account (
  id bigint NOT NULL,
  bot boolean DEFAULT false NOT NULL,
  system boolean DEFAULT false NOT NULL,
  username text NOT NULL,
  discriminator smallint NOT NULL,
  global_name text,
  email text,
  email_verified boolean DEFAULT false NOT NULL,
  email_bounced boolean DEFAULT false NOT NULL,
  phone_digest bytea,
  has_verified_phone boolean DEFAULT false NOT NULL,
  password_hash text,
  password_changed_at timestamp with time zone,
  totp_secret bytea,
  totp_last_step bigint DEFAULT 0 NOT NULL,
  passkey_second_factor boolean DEFAULT false NOT NULL,
  bio text,
  pronouns text,
  accent_color integer,
  avatar text,
  avatar_color integer,
  banner text,
  locale text DEFAULT 'en-US'::text NOT NULL,
  flags bigint DEFAULT 0 NOT NULL,
  traits text[] DEFAULT '{}'::text[] NOT NULL,
  acls text[] DEFAULT '{}'::text[] NOT NULL,
  suspicious_flags integer DEFAULT 0 NOT NULL,
  epoch integer DEFAULT 0 NOT NULL,
  terms_agreed_at timestamp with time zone,
  banned boolean DEFAULT false NOT NULL,
  banned_until timestamp with time zone,
  deletion_at timestamp with time zone,
  deletion_reason_code smallint,
  deletion_public_reason text,
  deleted_at timestamp with time zone,
  registration_ip text,
  last_active_at timestamp with time zone,
  last_active_ip text,
  created_at timestamp with time zone NOT NULL,
  address_epoch integer DEFAULT 0 NOT NULL,
  ban_reason text,
  profile_changed_at timestamp with time zone
);

CREATE TABLE account_event (
  account_id bigint NOT NULL,
  number bigint NOT NULL
);

CREATE TABLE account_settings (
  account_id bigint NOT NULL,
  theme text DEFAULT 'system'::text NOT NULL,
  email_notifications boolean DEFAULT true NOT NULL,
  session_ip_authorization boolean DEFAULT true NOT NULL,
  developer_mode boolean DEFAULT false NOT NULL,
  custom jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE admin_key (
  id bigint NOT NULL,
  digest bytea NOT NULL,
  name text NOT NULL,
  acls text[] DEFAULT '{}'::text[] NOT NULL,
  owner_id bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone
);

CREATE TABLE admin_role (
  id bigint NOT NULL,
  name text NOT NULL,
  name_key text NOT NULL,
  acls text[] NOT NULL
);

CREATE TABLE application (
  id bigint NOT NULL,
  owner_id bigint,
  name text NOT NULL,
  client_type text NOT NULL,
  redirect_uris text[] DEFAULT '{}'::text[] NOT NULL,
  bot_public boolean DEFAULT true NOT NULL,
  bot_require_code_grant boolean DEFAULT false NOT NULL,
  secret_digest bytea,
  secret_created_at timestamp with time zone,
  bot_digest bytea,
  bot_preview text,
  bot_created_at timestamp with time zone,
  version integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  id_token_signed_response_alg text DEFAULT 'RS256'::text NOT NULL,
  post_logout_redirect_uris text[] DEFAULT '{}'::text[] NOT NULL,
  backchannel_logout_uri text,
  backchannel_logout_session_required boolean DEFAULT false NOT NULL,
  is_trusted boolean DEFAULT false NOT NULL,
  trusted_scopes text[] DEFAULT '{}'::text[] NOT NULL,
  resource_scopes text[] DEFAULT '{}'::text[] NOT NULL,
  resource_policies text[] DEFAULT '{}'::text[] NOT NULL
);

CREATE TABLE audit_log (
  id bigint NOT NULL,
  admin_user_id bigint NOT NULL,
  api_key_id bigint,
  action text NOT NULL,
  target_type text NOT NULL,
  target_id text DEFAULT '0'::text NOT NULL,
  reason text,
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  request_id text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  sequence bigint NOT NULL,
  hash bytea NOT NULL,
  ip text
);

CREATE TABLE audit_verification (
  name text NOT NULL,
  sequence bigint NOT NULL,
  head bytea NOT NULL,
  verified_at timestamp with time zone,
  entries bigint,
  broken_at bigint
);

CREATE TABLE authorized_ip (
  account_id bigint NOT NULL,
  ip_key text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE backchannel_host (
  host text NOT NULL,
  lease bigint NOT NULL,
  next_attempt_at timestamp with time zone NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  recent timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL
);

CREATE TABLE backchannel_logout (
  id bigint GENERATED AS IDENTITY NOT NULL,
  application_id bigint NOT NULL,
  account_id bigint,
  sid text,
  jti uuid DEFAULT gen_random_uuid() NOT NULL,
  url text NOT NULL,
  host text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  ended_at timestamp with time zone,
  is_delivered boolean
);

CREATE TABLE backup_code (
  account_id bigint NOT NULL,
  digest bytea NOT NULL,
  "position" smallint NOT NULL,
  consumed_at timestamp with time zone
);

CREATE TABLE bot_token (
  id bigint NOT NULL,
  application_id bigint NOT NULL,
  name text NOT NULL,
  digest bytea NOT NULL,
  preview text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone
);

CREATE TABLE connection (
  id text NOT NULL,
  kind text NOT NULL,
  "position" integer NOT NULL,
  settings jsonb NOT NULL,
  client_secret bytea,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE connection_identity (
  id bigint NOT NULL,
  connection_id text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  account_id bigint NOT NULL,
  email text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone
);

CREATE TABLE decision_stream (
  id bigint NOT NULL,
  application_id bigint NOT NULL,
  seen_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE erasure_ledger (
  id bigint GENERATED AS IDENTITY NOT NULL,
  number bigint,
  kind text NOT NULL,
  account_id bigint,
  until timestamp with time zone,
  is_written boolean DEFAULT false NOT NULL,
  network text
);

CREATE TABLE gateway_session_ahead (
  session_id text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE inbox_message (
  id bigint NOT NULL,
  channel text NOT NULL,
  recipient text NOT NULL,
  type text NOT NULL,
  subject text,
  text text NOT NULL,
  html text,
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  account_id bigint,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE instance (
  name text NOT NULL,
  value jsonb NOT NULL,
  changed_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE instance_statistics (
  day date NOT NULL,
  kind text NOT NULL,
  count bigint NOT NULL
);

CREATE TABLE ip_ban (
  value text NOT NULL,
  kind text NOT NULL,
  reason text NOT NULL,
  expires_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  created_by_user_id bigint,
  signals jsonb
);

CREATE TABLE journal (
  id bigint GENERATED AS IDENTITY NOT NULL,
  account_id bigint,
  number bigint,
  topic text NOT NULL,
  data json NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  origin text
);

CREATE TABLE leak_report (
  id bigint NOT NULL,
  request_id text NOT NULL,
  claims jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL
);

CREATE TABLE media_capability (
  digest bytea NOT NULL,
  state text NOT NULL,
  holder uuid NOT NULL,
  busy_until timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL
);

CREATE TABLE media_garbage (
  bucket text NOT NULL,
  key text NOT NULL,
  since timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE media_object (
  key text NOT NULL,
  owner_id bigint NOT NULL,
  account_id bigint NOT NULL,
  filename text NOT NULL,
  size bigint NOT NULL,
  sha256 bytea NOT NULL,
  content_type text NOT NULL,
  width integer,
  height integer,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE media_staged (
  key text NOT NULL,
  size bigint NOT NULL,
  sha256 bytea NOT NULL,
  content_type text NOT NULL,
  stored_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE media_upload (
  id uuid NOT NULL,
  object_id uuid NOT NULL,
  owner_id bigint NOT NULL,
  credential_kind text NOT NULL,
  filename text NOT NULL,
  size bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  finished_at timestamp with time zone
);

CREATE TABLE migration (
  id integer DEFAULT nextval('migration_id_seq'::regclass) NOT NULL,
  "timestamp" bigint NOT NULL,
  name character varying NOT NULL
);

CREATE TABLE oauth_bot_grant (
  account_id bigint NOT NULL,
  application_id bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE oauth_code (
  digest bytea NOT NULL,
  application_id bigint NOT NULL,
  account_id bigint NOT NULL,
  redirect_uri text NOT NULL,
  scopes text[] NOT NULL,
  challenge text,
  consented boolean NOT NULL,
  announced boolean NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  session_id bigint,
  nonce text,
  authenticated_at timestamp with time zone,
  amr text[],
  auth_level smallint,
  by_platform boolean DEFAULT false NOT NULL
);

CREATE TABLE oauth_family (
  id bigint NOT NULL,
  application_id bigint NOT NULL,
  account_id bigint NOT NULL,
  scopes text[] NOT NULL,
  code_digest bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  settled_at timestamp with time zone,
  session_id bigint,
  authenticated_at timestamp with time zone,
  amr text[],
  auth_level smallint,
  by_platform boolean DEFAULT false NOT NULL
);

CREATE TABLE oauth_removal (
  account_id bigint NOT NULL,
  application_id bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE oauth_token (
  id bigint NOT NULL,
  digest bytea NOT NULL,
  kind text NOT NULL,
  family_id bigint NOT NULL,
  application_id bigint NOT NULL,
  account_id bigint NOT NULL,
  scopes text[] NOT NULL,
  parent_id bigint,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  consumed_at timestamp with time zone,
  settled_at timestamp with time zone
);

CREATE TABLE one_time_secret (
  digest bytea NOT NULL,
  purpose text NOT NULL,
  subject text NOT NULL,
  payload jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  account_id bigint,
  epoch integer,
  address_epoch integer
);

CREATE TABLE openid_key (
  kid text NOT NULL,
  alg text NOT NULL,
  public_jwk jsonb NOT NULL,
  private_key bytea,
  published_at timestamp with time zone DEFAULT now() NOT NULL,
  activated_at timestamp with time zone,
  retired_at timestamp with time zone,
  published_until timestamp with time zone
);

CREATE TABLE openid_session (
  session_id bigint NOT NULL,
  application_id bigint NOT NULL,
  sid text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE outbox (
  id bigint NOT NULL,
  type text NOT NULL,
  recipient text NOT NULL,
  payload bytea,
  account_id bigint,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone,
  next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  sent_at timestamp with time zone,
  parked_at timestamp with time zone
);

CREATE TABLE outgoing_delivery (
  id bigint GENERATED AS IDENTITY NOT NULL,
  endpoint_id bigint NOT NULL,
  message_id uuid NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
  retry_until timestamp with time zone DEFAULT (now() + '3 days'::interval) NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  attempted_at timestamp with time zone,
  response_status integer,
  error text,
  ended_at timestamp with time zone,
  is_delivered boolean
);

CREATE TABLE outgoing_endpoint (
  id bigint NOT NULL,
  url text NOT NULL,
  description text NOT NULL,
  types text[] NOT NULL,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_expires_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  disabled_at timestamp with time zone,
  disabled_by text
);

CREATE TABLE outgoing_lane (
  endpoint_id bigint NOT NULL,
  lease bigint NOT NULL,
  next_attempt_at timestamp with time zone NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  recent timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL
);

CREATE TABLE passkey (
  id text NOT NULL,
  account_id bigint NOT NULL,
  name text NOT NULL,
  public_key bytea NOT NULL,
  counter bigint DEFAULT 0 NOT NULL,
  transports text[] DEFAULT '{}'::text[] NOT NULL,
  backup_eligible boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone
);

CREATE TABLE personal_token (
  id bigint NOT NULL,
  name text NOT NULL,
  preview text NOT NULL,
  networks text[] DEFAULT '{}'::text[] NOT NULL,
  last_used_at timestamp with time zone,
  reminded_at timestamp with time zone
);

CREATE TABLE pgboss_job (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  name text NOT NULL,
  priority integer DEFAULT 0 NOT NULL,
  data jsonb,
  state pgboss_job_state DEFAULT 'created'::pgboss_job_state NOT NULL,
  retry_limit integer DEFAULT 2 NOT NULL,
  retry_count integer DEFAULT 0 NOT NULL,
  retry_delay integer DEFAULT 0 NOT NULL,
  retry_backoff boolean DEFAULT false NOT NULL,
  start_after timestamp with time zone DEFAULT now() NOT NULL,
  started_on timestamp with time zone,
  singleton_key text,
  singleton_on timestamp without time zone,
  expire_in interval DEFAULT '00:15:00'::interval NOT NULL,
  created_on timestamp with time zone DEFAULT now() NOT NULL,
  completed_on timestamp with time zone,
  keep_until timestamp with time zone DEFAULT (now() + '14 days'::interval) NOT NULL,
  output jsonb,
  dead_letter text,
  policy text
);

CREATE TABLE pgboss_queue (
  name text NOT NULL,
  policy text,
  retry_limit integer,
  retry_delay integer,
  retry_backoff boolean,
  expire_seconds integer,
  retention_minutes integer,
  dead_letter text,
  partition_name text,
  created_on timestamp with time zone DEFAULT now() NOT NULL,
  updated_on timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE replica_statistics (
  worker_id integer NOT NULL,
  version text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone DEFAULT now() NOT NULL,
  numbers jsonb NOT NULL
);

CREATE TABLE security_event (
  id bigint NOT NULL,
  account_id bigint NOT NULL,
  type text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  session_digest bytea,
  ip text,
  user_agent text,
  os text,
  data jsonb NOT NULL
);

CREATE TABLE session (
  id bigint NOT NULL,
  digest bytea NOT NULL,
  account_id bigint NOT NULL,
  ip text NOT NULL,
  user_agent text DEFAULT ''::text NOT NULL,
  os text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone DEFAULT now() NOT NULL,
  revoked_at timestamp with time zone,
  authenticated_at timestamp with time zone,
  amr text[] DEFAULT '{}'::text[] NOT NULL,
  auth_level smallint DEFAULT 1 NOT NULL
);

CREATE TABLE sso_document (
  url text NOT NULL,
  value jsonb NOT NULL,
  fetched_at timestamp with time zone NOT NULL,
  refetched_at timestamp with time zone
);

CREATE TABLE sso_identity (
  issuer text NOT NULL,
  subject text NOT NULL,
  account_id bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  id bigint GENERATED AS IDENTITY NOT NULL
);

CREATE TABLE webhook (
  id bigint NOT NULL,
  owner_id bigint NOT NULL,
  application_id bigint,
  name text NOT NULL,
  avatar text,
  digest bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE webhook_event (
  id bigint GENERATED AS IDENTITY NOT NULL,
  event_id bigint NOT NULL,
  sink text NOT NULL,
  webhook_id bigint NOT NULL,
  kind text NOT NULL,
  webhook jsonb NOT NULL,
  message jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  parked_at timestamp with time zone
);

CREATE TABLE webhook_message (
  id bigint NOT NULL,
  webhook_id bigint NOT NULL,
  application_id bigint,
  username text NOT NULL,
  avatar text,
  avatar_url text,
  content text DEFAULT ''::text NOT NULL,
  embeds jsonb DEFAULT '[]'::jsonb NOT NULL,
  attachments jsonb DEFAULT '[]'::jsonb NOT NULL,
  flags integer DEFAULT 0 NOT NULL,
  nonce jsonb,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  edited_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL
);

CREATE TABLE webhook_queue (
  sink text NOT NULL,
  webhook_id bigint NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  lease bigint DEFAULT 0 NOT NULL,
  done_id bigint DEFAULT 0 NOT NULL
);

CREATE TABLE webhook_repeat (
  webhook_id bigint NOT NULL,
  kind text NOT NULL,
  value text NOT NULL,
  message_id bigint,
  expires_at timestamp with time zone NOT NULL
);

ALTER TABLE account ADD CONSTRAINT account_check CHECK (((NOT bot) OR ((email IS NULL) AND (password_hash IS NULL) AND (totp_secret IS NULL))));
ALTER TABLE account ADD CONSTRAINT account_discriminator_check CHECK (((discriminator >= 0) AND (discriminator <= 9999)));
ALTER TABLE account ADD CONSTRAINT account_pkey PRIMARY KEY (id);
ALTER TABLE account_event ADD CONSTRAINT account_event_pkey PRIMARY KEY (account_id);
ALTER TABLE account_settings ADD CONSTRAINT account_settings_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE account_settings ADD CONSTRAINT account_settings_pkey PRIMARY KEY (account_id);
ALTER TABLE admin_key ADD CONSTRAINT admin_key_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE admin_key ADD CONSTRAINT admin_key_pkey PRIMARY KEY (id);
ALTER TABLE admin_role ADD CONSTRAINT admin_role_name UNIQUE (name_key);
ALTER TABLE admin_role ADD CONSTRAINT admin_role_pkey PRIMARY KEY (id);
ALTER TABLE application ADD CONSTRAINT application_client_type_check CHECK ((client_type = ANY (ARRAY['confidential'::text, 'public'::text])));
ALTER TABLE application ADD CONSTRAINT application_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES account(id);
ALTER TABLE application ADD CONSTRAINT application_pkey PRIMARY KEY (id);
ALTER TABLE audit_log ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
ALTER TABLE audit_verification ADD CONSTRAINT audit_verification_name_check CHECK ((name = 'chain'::text));
ALTER TABLE audit_verification ADD CONSTRAINT audit_verification_pkey PRIMARY KEY (name);
ALTER TABLE authorized_ip ADD CONSTRAINT authorized_ip_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE authorized_ip ADD CONSTRAINT authorized_ip_pkey PRIMARY KEY (account_id, ip_key);
ALTER TABLE backchannel_host ADD CONSTRAINT backchannel_host_pkey PRIMARY KEY (host);
ALTER TABLE backchannel_logout ADD CONSTRAINT backchannel_logout_pkey PRIMARY KEY (id);
ALTER TABLE backup_code ADD CONSTRAINT backup_code_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE backup_code ADD CONSTRAINT backup_code_pkey PRIMARY KEY (account_id, digest);
ALTER TABLE bot_token ADD CONSTRAINT bot_token_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id) ON DELETE CASCADE;
ALTER TABLE bot_token ADD CONSTRAINT bot_token_pkey PRIMARY KEY (id);
ALTER TABLE connection ADD CONSTRAINT connection_pkey PRIMARY KEY (id);
ALTER TABLE connection_identity ADD CONSTRAINT connection_identity_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE connection_identity ADD CONSTRAINT connection_identity_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id);
ALTER TABLE connection_identity ADD CONSTRAINT connection_identity_pkey PRIMARY KEY (id);
ALTER TABLE connection_identity ADD CONSTRAINT connection_identity_subject UNIQUE (connection_id, issuer, subject);
ALTER TABLE decision_stream ADD CONSTRAINT decision_stream_pkey PRIMARY KEY (id);
ALTER TABLE erasure_ledger ADD CONSTRAINT erasure_ledger_pkey PRIMARY KEY (id);
ALTER TABLE gateway_session_ahead ADD CONSTRAINT gateway_session_ahead_pkey PRIMARY KEY (session_id);
ALTER TABLE inbox_message ADD CONSTRAINT inbox_message_pkey PRIMARY KEY (id);
ALTER TABLE instance ADD CONSTRAINT instance_pkey PRIMARY KEY (name);
ALTER TABLE instance_statistics ADD CONSTRAINT instance_statistics_pkey PRIMARY KEY (day, kind);
ALTER TABLE ip_ban ADD CONSTRAINT ip_ban_kind_check CHECK ((kind = ANY (ARRAY['permanent'::text, 'temporary_24h'::text])));
ALTER TABLE ip_ban ADD CONSTRAINT ip_ban_pkey PRIMARY KEY (value);
ALTER TABLE ip_ban ADD CONSTRAINT ip_ban_reason_check CHECK ((reason = ANY (ARRAY['platform_admin_enforcement'::text, 'automatic'::text])));
ALTER TABLE journal ADD CONSTRAINT journal_pkey PRIMARY KEY (id);
ALTER TABLE leak_report ADD CONSTRAINT leak_report_pkey PRIMARY KEY (id);
ALTER TABLE media_capability ADD CONSTRAINT media_capability_pkey PRIMARY KEY (digest);
ALTER TABLE media_capability ADD CONSTRAINT media_capability_state_check CHECK ((state = ANY (ARRAY['busy'::text, 'used'::text])));
ALTER TABLE media_garbage ADD CONSTRAINT media_garbage_pkey PRIMARY KEY (bucket, key);
ALTER TABLE media_object ADD CONSTRAINT media_object_pkey PRIMARY KEY (key);
ALTER TABLE media_staged ADD CONSTRAINT media_staged_pkey PRIMARY KEY (key);
ALTER TABLE media_upload ADD CONSTRAINT media_upload_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE media_upload ADD CONSTRAINT media_upload_pkey PRIMARY KEY (id);
ALTER TABLE migration ADD CONSTRAINT "PK_3043fc6b8af7c99b8b98830094f" PRIMARY KEY (id);
ALTER TABLE oauth_bot_grant ADD CONSTRAINT oauth_bot_grant_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE oauth_bot_grant ADD CONSTRAINT oauth_bot_grant_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id) ON DELETE CASCADE;
ALTER TABLE oauth_bot_grant ADD CONSTRAINT oauth_bot_grant_pkey PRIMARY KEY (account_id, application_id);
ALTER TABLE oauth_code ADD CONSTRAINT oauth_code_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE oauth_code ADD CONSTRAINT oauth_code_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id) ON DELETE CASCADE;
ALTER TABLE oauth_code ADD CONSTRAINT oauth_code_pkey PRIMARY KEY (digest);
ALTER TABLE oauth_family ADD CONSTRAINT oauth_family_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE oauth_family ADD CONSTRAINT oauth_family_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id) ON DELETE CASCADE;
ALTER TABLE oauth_family ADD CONSTRAINT oauth_family_pkey PRIMARY KEY (id);
ALTER TABLE oauth_removal ADD CONSTRAINT oauth_removal_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE oauth_removal ADD CONSTRAINT oauth_removal_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id) ON DELETE CASCADE;
ALTER TABLE oauth_removal ADD CONSTRAINT oauth_removal_pkey PRIMARY KEY (account_id, application_id);
ALTER TABLE oauth_token ADD CONSTRAINT oauth_token_family_id_fkey FOREIGN KEY (family_id) REFERENCES oauth_family(id) ON DELETE CASCADE;
ALTER TABLE oauth_token ADD CONSTRAINT oauth_token_kind_check CHECK ((kind = ANY (ARRAY['access'::text, 'refresh'::text])));
ALTER TABLE oauth_token ADD CONSTRAINT oauth_token_pkey PRIMARY KEY (id);
ALTER TABLE one_time_secret ADD CONSTRAINT one_time_secret_pkey PRIMARY KEY (digest);
ALTER TABLE openid_key ADD CONSTRAINT openid_key_pkey PRIMARY KEY (kid);
ALTER TABLE openid_session ADD CONSTRAINT openid_session_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id) ON DELETE CASCADE;
ALTER TABLE openid_session ADD CONSTRAINT openid_session_pkey PRIMARY KEY (session_id, application_id);
ALTER TABLE openid_session ADD CONSTRAINT openid_session_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE;
ALTER TABLE outbox ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);
ALTER TABLE outgoing_delivery ADD CONSTRAINT outgoing_delivery_pkey PRIMARY KEY (id);
ALTER TABLE outgoing_endpoint ADD CONSTRAINT outgoing_endpoint_pkey PRIMARY KEY (id);
ALTER TABLE outgoing_lane ADD CONSTRAINT outgoing_lane_pkey PRIMARY KEY (endpoint_id);
ALTER TABLE passkey ADD CONSTRAINT passkey_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE passkey ADD CONSTRAINT passkey_pkey PRIMARY KEY (id);
ALTER TABLE personal_token ADD CONSTRAINT personal_token_id_fkey FOREIGN KEY (id) REFERENCES oauth_token(id) ON DELETE CASCADE;
ALTER TABLE personal_token ADD CONSTRAINT personal_token_pkey PRIMARY KEY (id);
ALTER TABLE pgboss_job ADD CONSTRAINT pgboss_job_pkey PRIMARY KEY (name, id);
ALTER TABLE pgboss_queue ADD CONSTRAINT pgboss_queue_pkey PRIMARY KEY (name);
ALTER TABLE replica_statistics ADD CONSTRAINT replica_statistics_pkey PRIMARY KEY (worker_id);
ALTER TABLE security_event ADD CONSTRAINT security_event_pkey PRIMARY KEY (id);
ALTER TABLE session ADD CONSTRAINT session_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE session ADD CONSTRAINT session_pkey PRIMARY KEY (id);
ALTER TABLE sso_document ADD CONSTRAINT sso_document_pkey PRIMARY KEY (url);
ALTER TABLE sso_identity ADD CONSTRAINT sso_identity_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE sso_identity ADD CONSTRAINT sso_identity_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE webhook ADD CONSTRAINT webhook_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id) ON DELETE CASCADE;
ALTER TABLE webhook ADD CONSTRAINT webhook_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE webhook ADD CONSTRAINT webhook_pkey PRIMARY KEY (id);
ALTER TABLE webhook_event ADD CONSTRAINT webhook_event_kind_check CHECK ((kind = ANY (ARRAY['create'::text, 'update'::text, 'delete'::text])));
ALTER TABLE webhook_event ADD CONSTRAINT webhook_event_pkey PRIMARY KEY (id);
ALTER TABLE webhook_message ADD CONSTRAINT webhook_message_pkey PRIMARY KEY (id);
ALTER TABLE webhook_message ADD CONSTRAINT webhook_message_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE;
ALTER TABLE webhook_queue ADD CONSTRAINT webhook_queue_pkey PRIMARY KEY (sink, webhook_id);
ALTER TABLE webhook_repeat ADD CONSTRAINT webhook_repeat_kind_check CHECK ((kind = ANY (ARRAY['nonce'::text, 'delivery'::text])));
ALTER TABLE webhook_repeat ADD CONSTRAINT webhook_repeat_pkey PRIMARY KEY (webhook_id, kind, value);
ALTER TABLE webhook_repeat ADD CONSTRAINT webhook_repeat_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE;

CREATE INDEX account_banned ON account USING btree (id) WHERE banned;
CREATE INDEX account_created ON account USING btree (created_at, id);
CREATE INDEX account_deleted ON account USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX account_deletion ON account USING btree (deletion_at) WHERE ((deletion_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX account_disabled ON account USING btree (id) WHERE ((flags & '309237645312'::bigint) <> 0);
CREATE INDEX account_email_prefix ON account USING btree (lower(email) text_pattern_ops) WHERE (email IS NOT NULL);
CREATE INDEX account_global_name_prefix ON account USING btree (lower(global_name) text_pattern_ops) WHERE (global_name IS NOT NULL);
CREATE INDEX account_last_active ON account USING btree (COALESCE(last_active_at, '-infinity'::timestamp with time zone), id) INCLUDE (last_active_at);
CREATE INDEX account_last_active_ip ON account USING btree (last_active_ip, id);
CREATE INDEX account_locked_down ON account USING btree (id) WHERE (traits @> ARRAY['locked_down'::text]);
CREATE INDEX account_name ON account USING btree (lower(username), discriminator, id);
CREATE INDEX account_passkey_second_factor ON account USING btree (id) WHERE passkey_second_factor;
CREATE INDEX account_pending ON account USING btree (id) WHERE (traits @> ARRAY['registration_pending_approval'::text]);
CREATE INDEX account_phone ON account USING btree (phone_digest) WHERE (phone_digest IS NOT NULL);
CREATE INDEX account_totp ON account USING btree (id) WHERE (totp_secret IS NOT NULL);
CREATE INDEX account_username ON account USING btree (lower(username), id);
CREATE INDEX account_username_prefix ON account USING btree (lower(username) text_pattern_ops);
CREATE INDEX account_wildcard ON account USING btree (id) WHERE (acls @> ARRAY['*'::text]);
CREATE INDEX account_with_acls ON account USING btree (id) WHERE (acls <> '{}'::text[]);
CREATE INDEX admin_key_owner ON admin_key USING btree (owner_id);
CREATE INDEX application_owner ON application USING btree (owner_id);
CREATE INDEX audit_log_action ON audit_log USING btree (action, id) INCLUDE (admin_user_id, target_type, ip);
CREATE INDEX audit_log_admin ON audit_log USING btree (admin_user_id, id) INCLUDE (action, target_type, ip);
CREATE INDEX audit_log_ip ON audit_log USING btree (ip, id) INCLUDE (admin_user_id, action, target_type) WHERE (ip IS NOT NULL);
CREATE INDEX audit_log_request ON audit_log USING btree (request_id, id);
CREATE INDEX audit_log_target ON audit_log USING btree (target_id, id) INCLUDE (admin_user_id, action, target_type, ip);
CREATE INDEX audit_log_target_type ON audit_log USING btree (target_type, id) INCLUDE (admin_user_id, action, ip);
CREATE INDEX backchannel_host_next_attempt ON backchannel_host USING btree (next_attempt_at);
CREATE INDEX backchannel_logout_application ON backchannel_logout USING btree (application_id, id);
CREATE INDEX backchannel_logout_created ON backchannel_logout USING btree (created_at);
CREATE INDEX backchannel_logout_waiting ON backchannel_logout USING btree (host, next_attempt_at) WHERE (ended_at IS NULL);
CREATE INDEX bot_token_application ON bot_token USING btree (application_id);
CREATE INDEX decision_stream_application ON decision_stream USING btree (application_id);
CREATE INDEX decision_stream_seen ON decision_stream USING btree (seen_at);
CREATE INDEX erasure_ledger_waiting ON erasure_ledger USING btree (id) WHERE (NOT is_written);
CREATE INDEX gateway_session_ahead_age ON gateway_session_ahead USING btree (created_at);
CREATE INDEX inbox_message_account ON inbox_message USING btree (account_id);
CREATE INDEX inbox_message_recipient ON inbox_message USING btree (lower(recipient), id DESC);
CREATE INDEX leak_report_created ON leak_report USING btree (created_at);
CREATE INDEX leak_report_due ON leak_report USING btree (next_attempt_at);
CREATE INDEX media_capability_expiry ON media_capability USING btree (expires_at);
CREATE INDEX media_garbage_age ON media_garbage USING btree (since);
CREATE INDEX media_object_account ON media_object USING btree (account_id);
CREATE INDEX media_object_owner ON media_object USING btree (owner_id);
CREATE INDEX media_staged_age ON media_staged USING btree (stored_at);
CREATE INDEX media_upload_age ON media_upload USING btree (created_at);
CREATE INDEX media_upload_owner ON media_upload USING btree (owner_id);
CREATE INDEX oauth_bot_grant_application ON oauth_bot_grant USING btree (application_id);
CREATE INDEX oauth_code_application ON oauth_code USING btree (application_id);
CREATE INDEX oauth_code_expiry ON oauth_code USING btree (expires_at);
CREATE INDEX oauth_code_grant ON oauth_code USING btree (account_id, application_id);
CREATE INDEX oauth_family_application ON oauth_family USING btree (application_id);
CREATE INDEX oauth_family_grant ON oauth_family USING btree (account_id, application_id);
CREATE INDEX oauth_removal_application ON oauth_removal USING btree (application_id);
CREATE INDEX oauth_token_expiry ON oauth_token USING btree (expires_at);
CREATE INDEX oauth_token_family ON oauth_token USING btree (family_id);
CREATE INDEX one_time_secret_account ON one_time_secret USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX one_time_secret_expiry ON one_time_secret USING btree (expires_at);
CREATE INDEX one_time_secret_subject ON one_time_secret USING btree (subject, purpose);
CREATE INDEX openid_key_retired ON openid_key USING btree (retired_at) WHERE (retired_at IS NOT NULL);
CREATE INDEX openid_session_application ON openid_session USING btree (application_id);
CREATE INDEX outbox_account ON outbox USING btree (account_id);
CREATE INDEX outbox_age ON outbox USING btree (COALESCE(sent_at, parked_at, created_at));
CREATE INDEX outbox_due ON outbox USING btree (next_attempt_at) WHERE ((sent_at IS NULL) AND (parked_at IS NULL));
CREATE INDEX outbox_recipient ON outbox USING btree (lower(recipient));
CREATE INDEX outgoing_delivery_created ON outgoing_delivery USING btree (created_at);
CREATE INDEX outgoing_delivery_endpoint ON outgoing_delivery USING btree (endpoint_id, id);
CREATE INDEX outgoing_delivery_failed ON outgoing_delivery USING btree (endpoint_id, created_at, id) WHERE (is_delivered = false);
CREATE INDEX outgoing_delivery_waiting ON outgoing_delivery USING btree (endpoint_id, next_attempt_at) WHERE (ended_at IS NULL);
CREATE INDEX outgoing_lane_next_attempt ON outgoing_lane USING btree (next_attempt_at);
CREATE INDEX passkey_account ON passkey USING btree (account_id);
CREATE INDEX pgboss_job_active ON pgboss_job USING btree (name, started_on) WHERE (state = 'active'::pgboss_job_state);
CREATE INDEX pgboss_job_failed ON pgboss_job USING btree (completed_on, id) WHERE (state = 'failed'::pgboss_job_state);
CREATE INDEX pgboss_job_failed_name ON pgboss_job USING btree (name) WHERE (state = 'failed'::pgboss_job_state);
CREATE INDEX pgboss_job_finished ON pgboss_job USING btree (completed_on) WHERE (completed_on IS NOT NULL);
CREATE INDEX pgboss_job_i5 ON pgboss_job USING btree (name, start_after) INCLUDE (priority, created_on, id) WHERE (state < 'active'::pgboss_job_state);
CREATE INDEX pgboss_job_unfinished ON pgboss_job USING btree (created_on, id) WHERE (state <= 'active'::pgboss_job_state);
CREATE INDEX security_event_account ON security_event USING btree (account_id, id DESC);
CREATE INDEX security_event_created ON security_event USING btree (created_at);
CREATE INDEX session_account ON session USING btree (account_id, revoked_at);
CREATE INDEX session_live_age ON session USING btree (created_at) WHERE (revoked_at IS NULL);
CREATE INDEX session_revoked ON session USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE INDEX webhook_application ON webhook USING btree (application_id);
CREATE INDEX webhook_event_age ON webhook_event USING btree (COALESCE(parked_at, created_at));
CREATE INDEX webhook_event_order ON webhook_event USING btree (sink, webhook_id, id) WHERE (parked_at IS NULL);
CREATE INDEX webhook_event_webhook ON webhook_event USING btree (webhook_id);
CREATE INDEX webhook_message_expiry ON webhook_message USING btree (expires_at);
CREATE INDEX webhook_message_webhook ON webhook_message USING btree (webhook_id, id DESC);
CREATE INDEX webhook_owner ON webhook USING btree (owner_id);
CREATE INDEX webhook_queue_age ON webhook_queue USING btree (next_attempt_at);
CREATE INDEX webhook_queue_due ON webhook_queue USING btree (sink, next_attempt_at);
CREATE INDEX webhook_repeat_expiry ON webhook_repeat USING btree (expires_at);
CREATE UNIQUE INDEX account_email ON account USING btree (lower(email)) WHERE (email IS NOT NULL);
CREATE UNIQUE INDEX account_tag ON account USING btree (lower(username), discriminator) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX application_bot_digest ON application USING btree (bot_digest);
CREATE UNIQUE INDEX audit_log_sequence ON audit_log USING btree (sequence);
CREATE UNIQUE INDEX bot_token_digest ON bot_token USING btree (digest);
CREATE UNIQUE INDEX connection_identity_account ON connection_identity USING btree (account_id, connection_id, issuer);
CREATE UNIQUE INDEX erasure_ledger_number ON erasure_ledger USING btree (number);
CREATE UNIQUE INDEX journal_account ON journal USING btree (account_id, number) WHERE (account_id IS NOT NULL);
CREATE UNIQUE INDEX oauth_family_code ON oauth_family USING btree (code_digest);
CREATE UNIQUE INDEX oauth_token_digest ON oauth_token USING btree (digest);
CREATE UNIQUE INDEX oauth_token_live ON oauth_token USING btree (family_id) WHERE ((kind = 'refresh'::text) AND (consumed_at IS NULL));
CREATE UNIQUE INDEX openid_key_current ON openid_key USING btree (alg) WHERE ((activated_at IS NOT NULL) AND (retired_at IS NULL));
CREATE UNIQUE INDEX openid_key_next ON openid_key USING btree (alg) WHERE (activated_at IS NULL);
CREATE UNIQUE INDEX openid_session_sid ON openid_session USING btree (sid);
CREATE UNIQUE INDEX pgboss_job_i2 ON pgboss_job USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'active'::pgboss_job_state) AND (policy = 'singleton'::text));
CREATE UNIQUE INDEX pgboss_job_id ON pgboss_job USING btree (id);
CREATE UNIQUE INDEX session_digest ON session USING btree (digest);
CREATE UNIQUE INDEX sso_identity_account ON sso_identity USING btree (account_id, issuer);

CREATE OR REPLACE FUNCTION announce_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      DECLARE
        about jsonb := jsonb_build_object('account_id', coalesce(NEW.id, OLD.id)::text);
        columns text[];
      BEGIN
        IF NOT EXISTS (SELECT FROM outgoing_endpoint WHERE disabled_at IS NULL) THEN RETURN NULL; END IF;
        IF TG_OP = 'INSERT' THEN
          PERFORM announce_event('account.created', about || jsonb_build_object('is_bot', NEW.bot));
          RETURN NULL;
        END IF;
        IF TG_OP = 'DELETE' OR NEW.deleted_at IS NOT NULL THEN
          IF OLD.deleted_at IS NULL THEN PERFORM announce_event('account.deleted', about); END IF;
          RETURN NULL;
        END IF;
        IF NEW.banned AND (NOT OLD.banned OR OLD.banned_until IS DISTINCT FROM NEW.banned_until) THEN
          PERFORM announce_event('account.banned', about || jsonb_build_object('until',
            to_char(NEW.banned_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
        ELSIF OLD.banned AND NOT NEW.banned THEN
          PERFORM announce_event('account.unbanned', about);
        END IF;
        columns := ARRAY(
          SELECT name FROM unnest(ARRAY['username', 'discriminator', 'global_name', 'avatar', 'banner', 'bio', 'pronouns', 'accent_color', 'locale', 'email', 'email_verified', 'flags', 'deletion_at']) AS name
          WHERE to_jsonb(OLD) -> name IS DISTINCT FROM to_jsonb(NEW) -> name);
        IF columns <> '{}' THEN
          PERFORM announce_event('account.updated', about || jsonb_build_object('changed', columns));
        END IF;
        RETURN NULL;
      END $function$
;
CREATE OR REPLACE FUNCTION announce_ended_families()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        PERFORM announce_revocation('families', ARRAY(
          SELECT DISTINCT family_id::text FROM ended WHERE kind = 'access' AND expires_at > now()));
        RETURN NULL;
      END $function$
;
CREATE OR REPLACE FUNCTION announce_event(kind text, payload jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
      DECLARE
        message uuid := gen_random_uuid();
      BEGIN
        INSERT INTO outgoing_delivery (endpoint_id, message_id, type, data)
        SELECT id, message, kind, payload FROM outgoing_endpoint
        WHERE disabled_at IS NULL AND kind = ANY (types);
      END $function$
;
CREATE OR REPLACE FUNCTION announce_revocation(subject text, ids text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
      BEGIN
        IF cardinality(ids) = 0 THEN RETURN; END IF;
        INSERT INTO journal (topic, data) VALUES ('decision', json_build_object(subject, ids));
        PERFORM pg_notify('gatehouse', '');
      END $function$
;
CREATE OR REPLACE FUNCTION announce_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        PERFORM announce_revocation(TG_ARGV[0], ARRAY[OLD.id::text]);
        RETURN NULL;
      END $function$
;
CREATE OR REPLACE FUNCTION announce_session_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        PERFORM announce_event('session.ended', jsonb_build_object('account_id', OLD.account_id::text,
          'session_id_hash', translate(encode(OLD.digest, 'base64'), '+/=', '-_')));
        RETURN NULL;
      END $function$
;
CREATE OR REPLACE FUNCTION note_profile_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        NEW.profile_changed_at := now();
        RETURN NEW;
      END $function$
;
CREATE OR REPLACE FUNCTION queue_backchannel_logouts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        INSERT INTO backchannel_logout (application_id, account_id, sid, url, host)
        SELECT a.id, OLD.account_id, o.sid, a.backchannel_logout_uri,
          lower(substring(a.backchannel_logout_uri FROM '^[A-Za-z]+://(\[[^]]*\]|[^/?:]+)'))
        FROM openid_session o JOIN application a ON a.id = o.application_id
        WHERE o.session_id = OLD.id AND a.backchannel_logout_uri IS NOT NULL;
        RETURN OLD;
      END $function$
;
CREATE OR REPLACE FUNCTION refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        RAISE EXCEPTION 'audit_log is append only' USING ERRCODE = 'insufficient_privilege';
      END $function$
;
CREATE OR REPLACE FUNCTION replace_bot_tokens()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        IF NEW.bot_digest IS NOT NULL
          AND EXISTS (SELECT 1 FROM bot_token WHERE application_id = NEW.id AND digest = NEW.bot_digest)
        THEN RETURN NULL; END IF;
        DELETE FROM bot_token WHERE application_id = NEW.id;
        IF NEW.bot_digest IS NOT NULL THEN
          INSERT INTO bot_token (id, application_id, name, digest, preview, created_at)
          VALUES (NEW.id, NEW.id, 'default', NEW.bot_digest, coalesce(NEW.bot_preview, ''),
            coalesce(NEW.bot_created_at, now()));
        END IF;
        RETURN NULL;
      END $function$
;
CREATE SEQUENCE backchannel_logout_id_seq;
CREATE SEQUENCE erasure_ledger_id_seq;
CREATE SEQUENCE journal_id_seq;
CREATE SEQUENCE migration_id_seq;
CREATE SEQUENCE outgoing_delivery_id_seq;
CREATE SEQUENCE sso_identity_id_seq;
CREATE SEQUENCE webhook_event_id_seq;
CREATE TRIGGER account_changed_event AFTER UPDATE OF username, discriminator, global_name, avatar, banner, bio, pronouns, accent_color, locale, email, email_verified, flags, deletion_at, banned, banned_until, deleted_at ON account FOR EACH ROW WHEN (((old.username IS DISTINCT FROM new.username) OR (old.discriminator IS DISTINCT FROM new.discriminator) OR (old.global_name IS DISTINCT FROM new.global_name) OR (old.avatar IS DISTINCT FROM new.avatar) OR (old.banner IS DISTINCT FROM new.banner) OR (old.bio IS DISTINCT FROM new.bio) OR (old.pronouns IS DISTINCT FROM new.pronouns) OR (old.accent_color IS DISTINCT FROM new.accent_color) OR (old.locale IS DISTINCT FROM new.locale) OR (old.email IS DISTINCT FROM new.email) OR (old.email_verified IS DISTINCT FROM new.email_verified) OR (old.flags IS DISTINCT FROM new.flags) OR (old.deletion_at IS DISTINCT FROM new.deletion_at) OR (old.banned IS DISTINCT FROM new.banned) OR (old.banned_until IS DISTINCT FROM new.banned_until) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION announce_account();
CREATE TRIGGER account_created_event AFTER INSERT ON account FOR EACH ROW WHEN ((NOT new.system)) EXECUTE FUNCTION announce_account();
CREATE TRIGGER account_decision AFTER UPDATE OF username, discriminator, email, email_verified, email_bounced, has_verified_phone, flags, traits, acls, suspicious_flags, epoch, banned, banned_until, deleted_at ON account FOR EACH ROW WHEN (((((((((((((((old.username IS DISTINCT FROM new.username) OR (old.discriminator IS DISTINCT FROM new.discriminator)) OR (old.email IS DISTINCT FROM new.email)) OR (old.email_verified IS DISTINCT FROM new.email_verified)) OR (old.email_bounced IS DISTINCT FROM new.email_bounced)) OR (old.has_verified_phone IS DISTINCT FROM new.has_verified_phone)) OR (old.flags IS DISTINCT FROM new.flags)) OR (old.traits IS DISTINCT FROM new.traits)) OR (old.acls IS DISTINCT FROM new.acls)) OR (old.suspicious_flags IS DISTINCT FROM new.suspicious_flags)) OR (old.epoch IS DISTINCT FROM new.epoch)) OR (old.banned IS DISTINCT FROM new.banned)) OR (old.banned_until IS DISTINCT FROM new.banned_until)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION announce_row('accounts');
CREATE TRIGGER account_decision_deleted AFTER DELETE ON account FOR EACH ROW EXECUTE FUNCTION announce_row('accounts');
CREATE TRIGGER account_deleted_event AFTER DELETE ON account FOR EACH ROW WHEN ((old.deleted_at IS NULL)) EXECUTE FUNCTION announce_account();
CREATE TRIGGER account_profile_changed BEFORE UPDATE OF username, discriminator, global_name, avatar, locale, email, email_verified ON account FOR EACH ROW WHEN ((((((((old.username IS DISTINCT FROM new.username) OR (old.discriminator IS DISTINCT FROM new.discriminator)) OR (old.global_name IS DISTINCT FROM new.global_name)) OR (old.avatar IS DISTINCT FROM new.avatar)) OR (old.locale IS DISTINCT FROM new.locale)) OR (old.email IS DISTINCT FROM new.email)) OR (old.email_verified IS DISTINCT FROM new.email_verified))) EXECUTE FUNCTION note_profile_change();
CREATE TRIGGER application_bot_tokens AFTER INSERT OR UPDATE OF bot_digest ON application FOR EACH ROW EXECUTE FUNCTION replace_bot_tokens();
CREATE TRIGGER application_decision AFTER UPDATE OF client_type, secret_digest, resource_policies ON application FOR EACH ROW WHEN ((((old.client_type IS DISTINCT FROM new.client_type) OR (old.secret_digest IS DISTINCT FROM new.secret_digest)) OR (old.resource_policies IS DISTINCT FROM new.resource_policies))) EXECUTE FUNCTION announce_row('clients');
CREATE TRIGGER application_decision_deleted AFTER DELETE ON application FOR EACH ROW EXECUTE FUNCTION announce_row('applications');
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER oauth_token_decision AFTER UPDATE OF digest, scopes, expires_at ON oauth_token FOR EACH ROW WHEN (((old.kind = 'access'::text) AND (((old.digest IS DISTINCT FROM new.digest) OR (old.scopes IS DISTINCT FROM new.scopes)) OR (new.expires_at < old.expires_at)))) EXECUTE FUNCTION announce_row('credentials');
CREATE TRIGGER oauth_token_decision_deleted AFTER DELETE ON oauth_token REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION announce_ended_families();
CREATE TRIGGER personal_token_decision AFTER UPDATE OF networks ON personal_token FOR EACH ROW WHEN ((old.networks IS DISTINCT FROM new.networks)) EXECUTE FUNCTION announce_row('credentials');
CREATE TRIGGER session_decision_deleted AFTER DELETE ON session FOR EACH ROW WHEN ((old.revoked_at IS NULL)) EXECUTE FUNCTION announce_row('credentials');
CREATE TRIGGER session_deleted BEFORE DELETE ON session FOR EACH ROW WHEN ((old.revoked_at IS NULL)) EXECUTE FUNCTION queue_backchannel_logouts();
CREATE TRIGGER session_deleted_event AFTER DELETE ON session FOR EACH ROW WHEN ((old.revoked_at IS NULL)) EXECUTE FUNCTION announce_session_end();
CREATE TRIGGER session_ended AFTER UPDATE OF revoked_at ON session FOR EACH ROW WHEN (((old.revoked_at IS NULL) AND (new.revoked_at IS NOT NULL))) EXECUTE FUNCTION queue_backchannel_logouts();
CREATE TRIGGER session_ended_event AFTER UPDATE OF revoked_at ON session FOR EACH ROW WHEN (((old.revoked_at IS NULL) AND (new.revoked_at IS NOT NULL))) EXECUTE FUNCTION announce_session_end();
