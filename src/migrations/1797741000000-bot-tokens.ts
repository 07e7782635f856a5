import { SqlMigration } from './sql-migration.js';

/**
 * Several tokens of a bot (contract/tokens.md section 2). `application.bot_digest` is the digest of its oldest token, so
 * replicas of the previous version accept that token only. If such a replica, or a reset, changes it to a digest that is
 * not a token, the trigger replaces all tokens by this one.
 */
export class BotTokens1797741000000 extends SqlMigration {
  readonly sql = `
      CREATE TABLE bot_token (
        id bigint PRIMARY KEY,
        application_id bigint NOT NULL REFERENCES application (id) ON DELETE CASCADE,
        name text NOT NULL,
        digest bytea NOT NULL,
        preview text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz
      );
      CREATE UNIQUE INDEX bot_token_digest ON bot_token (digest);
      CREATE INDEX bot_token_application ON bot_token (application_id);

      INSERT INTO bot_token (id, application_id, name, digest, preview, created_at)
        SELECT id, id, 'default', bot_digest, coalesce(bot_preview, ''), coalesce(bot_created_at, now())
        FROM application WHERE bot_digest IS NOT NULL;

      CREATE FUNCTION replace_bot_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
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
      END $$;
      CREATE TRIGGER application_bot_tokens AFTER INSERT OR UPDATE OF bot_digest ON application
        FOR EACH ROW EXECUTE FUNCTION replace_bot_tokens();
    `;
}
