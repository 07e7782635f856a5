import { PERSONAL_APPLICATION_ID, PERSONAL_APPLICATION_NAME } from '../../src/accounts/grants/personal-application.js';
import { digest, mintPersonalToken } from '../../src/core/secrets.js';
import { Snowflakes } from '../../src/core/snowflake.js';
import type { Gatehouse } from './gatehouse.js';

/** How a personal access token differs from a valid one. */
export interface PersonalTokenOptions {
  readonly scopes?: readonly string[];
  readonly networks?: readonly string[];
  readonly isExpired?: boolean;
  readonly isRevoked?: boolean;
}

const INSERT_PERSONAL = `
  WITH built_in AS (
    INSERT INTO application (id, name, client_type) VALUES (${PERSONAL_APPLICATION_ID}, $6, 'confidential')
    ON CONFLICT DO NOTHING
  ), family AS (
    INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
    VALUES ($1, ${PERSONAL_APPLICATION_ID}, $2, $3::text[], $4)
  ), token AS (
    INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, expires_at)
    VALUES ($1, $4, 'access', $1, ${PERSONAL_APPLICATION_ID}, $2, $3::text[], now() + $5::int * interval '1 hour')
  )
  INSERT INTO personal_token (id, name, preview, networks) VALUES ($1, 'Script', 'abcd', $7::text[])`;

/** Inserts a personal access token of an account, and returns it as an `Authorization` value. */
export async function createPersonalToken(
  service: Gatehouse,
  accountId: string,
  { scopes = [], networks = [], isExpired = false, isRevoked = false }: PersonalTokenOptions = {},
): Promise<string> {
  const token = mintPersonalToken();
  const id = service.app.get(Snowflakes).next();
  const hours = isExpired ? -1 : 1;
  await service.sql(INSERT_PERSONAL, [
    ...[id, accountId, [...scopes], digest(token), hours],
    ...[PERSONAL_APPLICATION_NAME, [...networks]],
  ]);
  if (isRevoked) await service.sql('DELETE FROM oauth_family WHERE id = $1', [id]);
  return `Bearer ${token}`;
}
