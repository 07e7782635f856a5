import { SqlMigration } from './sql-migration.js';

/** Columns of the profile and the state of an account, which `account.updated` reports. */
const ACCOUNT_COLUMNS = [
  ...['username', 'discriminator', 'global_name', 'avatar', 'banner', 'bio', 'pronouns', 'accent_color'],
  ...['locale', 'email', 'email_verified', 'flags', 'deletion_at'],
];

const STATE_COLUMNS = [...ACCOUNT_COLUMNS, 'banned', 'banned_until', 'deleted_at'];

const changed = (columns: readonly string[]): string =>
  columns.map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(' OR ');

/**
 * Endpoints of other services, and the outbox of events. Triggers announce the events of accounts and sessions, so that
 * no way of changing them can bypass it. Deliveries have no foreign keys, because their locks could deadlock with changes
 * of endpoints.
 */
export class OutgoingEvents1797800300000 extends SqlMigration {
  readonly sql = `
      SET LOCAL lock_timeout = 0;

      CREATE TABLE outgoing_endpoint (
        id bigint PRIMARY KEY,
        url text NOT NULL,
        description text NOT NULL,
        types text[] NOT NULL,
        secret bytea NOT NULL,
        previous_secret bytea,
        previous_secret_expires_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        disabled_at timestamptz,
        disabled_by text
      );

      CREATE TABLE outgoing_delivery (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        endpoint_id bigint NOT NULL,
        message_id uuid NOT NULL,
        type text NOT NULL,
        data jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        retry_until timestamptz NOT NULL DEFAULT now() + interval '3 days',
        attempts integer NOT NULL DEFAULT 0,
        attempted_at timestamptz,
        response_status integer,
        error text,
        ended_at timestamptz,
        is_delivered boolean
      );
      CREATE INDEX outgoing_delivery_waiting ON outgoing_delivery (endpoint_id, next_attempt_at) WHERE ended_at IS NULL;
      CREATE INDEX outgoing_delivery_failed ON outgoing_delivery (endpoint_id, created_at, id)
        WHERE is_delivered = false;
      CREATE INDEX outgoing_delivery_endpoint ON outgoing_delivery (endpoint_id, id);
      CREATE INDEX outgoing_delivery_created ON outgoing_delivery (created_at);

      CREATE TABLE outgoing_lane (
        endpoint_id bigint PRIMARY KEY,
        lease bigint NOT NULL,
        next_attempt_at timestamptz NOT NULL,
        failures integer NOT NULL DEFAULT 0,
        recent timestamptz[] NOT NULL DEFAULT '{}'
      );
      CREATE INDEX outgoing_lane_next_attempt ON outgoing_lane (next_attempt_at);

      CREATE FUNCTION announce_event(kind text, payload jsonb) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        message uuid := gen_random_uuid();
      BEGIN
        INSERT INTO outgoing_delivery (endpoint_id, message_id, type, data)
        SELECT id, message, kind, payload FROM outgoing_endpoint
        WHERE disabled_at IS NULL AND kind = ANY (types);
      END $$;

      CREATE FUNCTION announce_account() RETURNS trigger LANGUAGE plpgsql AS $$
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
          SELECT name FROM unnest(ARRAY['${ACCOUNT_COLUMNS.join("', '")}']) AS name
          WHERE to_jsonb(OLD) -> name IS DISTINCT FROM to_jsonb(NEW) -> name);
        IF columns <> '{}' THEN
          PERFORM announce_event('account.updated', about || jsonb_build_object('changed', columns));
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER account_created_event AFTER INSERT ON account FOR EACH ROW
        WHEN (NOT NEW.system) EXECUTE FUNCTION announce_account();
      CREATE TRIGGER account_changed_event AFTER UPDATE OF ${STATE_COLUMNS.join(', ')} ON account FOR EACH ROW
        WHEN (${changed(STATE_COLUMNS)}) EXECUTE FUNCTION announce_account();
      CREATE TRIGGER account_deleted_event AFTER DELETE ON account FOR EACH ROW
        WHEN (OLD.deleted_at IS NULL) EXECUTE FUNCTION announce_account();

      CREATE FUNCTION announce_session_end() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM announce_event('session.ended', jsonb_build_object('account_id', OLD.account_id::text,
          'session_id_hash', translate(encode(OLD.digest, 'base64'), '+/=', '-_')));
        RETURN NULL;
      END $$;
      CREATE TRIGGER session_ended_event AFTER UPDATE OF revoked_at ON session FOR EACH ROW
        WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION announce_session_end();
      CREATE TRIGGER session_deleted_event AFTER DELETE ON session FOR EACH ROW
        WHEN (OLD.revoked_at IS NULL) EXECUTE FUNCTION announce_session_end();
    `;
}
