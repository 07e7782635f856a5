import { SqlMigration } from './sql-migration.js';

/**
 * The outbox of logout tokens (contract/openid.md section 6). Triggers write it, so that no way of ending a session can
 * bypass it. It has no foreign keys, because their locks could deadlock with the deletion of applications.
 */
export class BackchannelLogouts1797650001000 extends SqlMigration {
  readonly sql = `
      SET LOCAL lock_timeout = 0;

      CREATE TABLE backchannel_logout (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        application_id bigint NOT NULL,
        account_id bigint,
        sid text,
        jti uuid NOT NULL DEFAULT gen_random_uuid(),
        url text NOT NULL,
        host text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        attempts integer NOT NULL DEFAULT 0,
        ended_at timestamptz,
        is_delivered boolean
      );
      CREATE INDEX backchannel_logout_waiting ON backchannel_logout (host, next_attempt_at) WHERE ended_at IS NULL;
      CREATE INDEX backchannel_logout_application ON backchannel_logout (application_id, id);
      CREATE INDEX backchannel_logout_created ON backchannel_logout (created_at);

      CREATE TABLE backchannel_host (
        host text PRIMARY KEY,
        lease bigint NOT NULL,
        next_attempt_at timestamptz NOT NULL,
        failures integer NOT NULL DEFAULT 0,
        recent timestamptz[] NOT NULL DEFAULT '{}'
      );
      CREATE INDEX backchannel_host_next_attempt ON backchannel_host (next_attempt_at);

      CREATE FUNCTION queue_backchannel_logouts() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO backchannel_logout (application_id, account_id, sid, url, host)
        SELECT a.id, OLD.account_id, o.sid, a.backchannel_logout_uri,
          lower(substring(a.backchannel_logout_uri FROM '^[A-Za-z]+://(\\[[^]]*\\]|[^/?:]+)'))
        FROM openid_session o JOIN application a ON a.id = o.application_id
        WHERE o.session_id = OLD.id AND a.backchannel_logout_uri IS NOT NULL;
        RETURN OLD;
      END $$;
      CREATE TRIGGER session_ended AFTER UPDATE OF revoked_at ON session FOR EACH ROW
        WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION queue_backchannel_logouts();
      CREATE TRIGGER session_deleted BEFORE DELETE ON session FOR EACH ROW
        WHEN (OLD.revoked_at IS NULL) EXECUTE FUNCTION queue_backchannel_logouts();
    `;
}
