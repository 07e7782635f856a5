import { SqlMigration } from './sql-migration.js';

/** The columns of an account on which decisions depend. `src/decisions/facts.ts` lists all columns. */
const ACCOUNT_COLUMNS = [
  ...['username', 'discriminator', 'email', 'email_verified', 'email_bounced', 'has_verified_phone', 'flags'],
  ...['traits', 'acls', 'suspicious_flags', 'epoch', 'banned', 'banned_until', 'deleted_at'],
];

const rowOf = (name: string, columns: readonly string[]): string =>
  `(${columns.map((column) => `${name}.${column}`).join(', ')})`;

const changed = (columns: readonly string[]): string =>
  `${rowOf('OLD', columns)} IS DISTINCT FROM ${rowOf('NEW', columns)}`;

/**
 * Revocations in the journal, for services that keep decisions (contract/forward-auth.md section 3). Triggers write what
 * no notice of the service says, so that no way to change an account or a token can bypass them. They also wake the
 * replicas, because the process that commits does not know that a trigger has written an entry.
 */
export class Decisions1797800100000 extends SqlMigration {
  readonly sql = `
      SET LOCAL lock_timeout = 0;

      ALTER TABLE application ADD COLUMN resource_policies text[] NOT NULL DEFAULT '{}';

      CREATE TABLE decision_stream (
        id bigint PRIMARY KEY,
        application_id bigint NOT NULL,
        seen_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX decision_stream_application ON decision_stream (application_id);
      CREATE INDEX decision_stream_seen ON decision_stream (seen_at);

      CREATE FUNCTION announce_revocation(subject text, ids text[]) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        IF cardinality(ids) = 0 THEN RETURN; END IF;
        INSERT INTO journal (topic, data) VALUES ('decision', json_build_object(subject, ids));
        PERFORM pg_notify('gatehouse', '');
      END $$;

      CREATE FUNCTION announce_row() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM announce_revocation(TG_ARGV[0], ARRAY[OLD.id::text]);
        RETURN NULL;
      END $$;

      CREATE FUNCTION announce_ended_families() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM announce_revocation('families', ARRAY(
          SELECT DISTINCT family_id::text FROM ended WHERE kind = 'access' AND expires_at > now()));
        RETURN NULL;
      END $$;

      CREATE TRIGGER account_decision AFTER UPDATE OF ${ACCOUNT_COLUMNS.join(', ')} ON account FOR EACH ROW
        WHEN (${changed(ACCOUNT_COLUMNS)}) EXECUTE FUNCTION announce_row('accounts');
      CREATE TRIGGER account_decision_deleted AFTER DELETE ON account FOR EACH ROW
        EXECUTE FUNCTION announce_row('accounts');

      CREATE TRIGGER session_decision_deleted AFTER DELETE ON session FOR EACH ROW
        WHEN (OLD.revoked_at IS NULL) EXECUTE FUNCTION announce_row('credentials');

      CREATE TRIGGER oauth_token_decision AFTER UPDATE OF digest, scopes, expires_at ON oauth_token
        FOR EACH ROW WHEN (OLD.kind = 'access'
          AND (${changed(['digest', 'scopes'])} OR NEW.expires_at < OLD.expires_at))
        EXECUTE FUNCTION announce_row('credentials');
      CREATE TRIGGER oauth_token_decision_deleted AFTER DELETE ON oauth_token
        REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION announce_ended_families();
      CREATE TRIGGER personal_token_decision AFTER UPDATE OF networks ON personal_token FOR EACH ROW
        WHEN (${changed(['networks'])}) EXECUTE FUNCTION announce_row('credentials');

      CREATE TRIGGER application_decision
        AFTER UPDATE OF client_type, secret_digest, resource_policies ON application FOR EACH ROW
        WHEN (${changed(['client_type', 'secret_digest', 'resource_policies'])})
        EXECUTE FUNCTION announce_row('clients');
      CREATE TRIGGER application_decision_deleted AFTER DELETE ON application FOR EACH ROW
        EXECUTE FUNCTION announce_row('applications');
    `;
}
