import { SqlMigration } from './sql-migration.js';

/** OpenID Connect: how sessions were authenticated, signing keys, and the sessions that applications know. */
export class OpenId1797620000000 extends SqlMigration {
  readonly sql = `
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      ALTER TABLE session
        ADD COLUMN authenticated_at timestamptz,
        ADD COLUMN amr text[] NOT NULL DEFAULT '{}',
        ADD COLUMN auth_level smallint NOT NULL DEFAULT 1;

      ALTER TABLE oauth_code
        ADD COLUMN session_id bigint,
        ADD COLUMN nonce text,
        ADD COLUMN authenticated_at timestamptz,
        ADD COLUMN amr text[],
        ADD COLUMN auth_level smallint;

      ALTER TABLE oauth_family
        ADD COLUMN session_id bigint,
        ADD COLUMN authenticated_at timestamptz,
        ADD COLUMN amr text[],
        ADD COLUMN auth_level smallint;

      ALTER TABLE application ADD COLUMN id_token_signed_response_alg text NOT NULL DEFAULT 'RS256';

      CREATE TABLE openid_key (
        kid text PRIMARY KEY,
        alg text NOT NULL,
        public_jwk jsonb NOT NULL,
        private_key bytea,
        published_at timestamptz NOT NULL DEFAULT now(),
        activated_at timestamptz,
        retired_at timestamptz,
        published_until timestamptz
      );
      CREATE UNIQUE INDEX openid_key_current ON openid_key (alg) WHERE activated_at IS NOT NULL AND retired_at IS NULL;
      CREATE UNIQUE INDEX openid_key_next ON openid_key (alg) WHERE activated_at IS NULL;
      CREATE INDEX openid_key_retired ON openid_key (retired_at) WHERE retired_at IS NOT NULL;

      CREATE TABLE openid_session (
        session_id bigint NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        application_id bigint NOT NULL REFERENCES application (id) ON DELETE CASCADE,
        sid text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (session_id, application_id)
      );
      CREATE UNIQUE INDEX openid_session_sid ON openid_session (sid);
      CREATE INDEX openid_session_application ON openid_session (application_id);

      ALTER TABLE account ADD COLUMN profile_changed_at timestamptz;
      CREATE FUNCTION note_profile_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.profile_changed_at := now();
        RETURN NEW;
      END $$;
      CREATE TRIGGER account_profile_changed
        BEFORE UPDATE OF username, discriminator, global_name, avatar, locale, email, email_verified ON account
        FOR EACH ROW
        WHEN ((OLD.username, OLD.discriminator, OLD.global_name, OLD.avatar, OLD.locale, OLD.email, OLD.email_verified)
          IS DISTINCT FROM
          (NEW.username, NEW.discriminator, NEW.global_name, NEW.avatar, NEW.locale, NEW.email, NEW.email_verified))
        EXECUTE FUNCTION note_profile_change();
    `;
}
