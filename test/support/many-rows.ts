import { randomBytes } from 'node:crypto';
import { Database } from '../../src/platform/database/database.js';
import type { Gatehouse, Persona } from './index.js';

/**
 * Inserts rows directly, numbered by `n`. The batches are small enough for a slow disk. Foreign keys are not checked,
 * because the owners are known to exist.
 */
export async function addRows(service: Gatehouse, count: number, text: string, values: unknown[]): Promise<void> {
  for (let first = 1; first <= count; first += 5000) {
    const [from, to] = [values.length + 1, values.length + 2];
    const rows = `FROM generate_series($${from}::int, $${to}::int) AS n`;
    await service.app.get(Database).transaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(`${text} ${rows}`, [...values, first, Math.min(first + 4999, count)]);
    });
  }
}

/** Inserts sessions as if they had started before there was a limit. */
export const addSessions = (service: Gatehouse, { id }: Persona, count: number) =>
  addRows(
    service,
    count,
    `INSERT INTO session (id, digest, account_id, ip, last_used_at)
     SELECT $2::bigint + n, sha256(($3 || n)::bytea), $1, '127.0.0.1', now() - interval '1 day' - n * interval '1 second'`,
    [id, `${Number(id.slice(-9))}000000`, randomBytes(8).toString('hex')],
  );

/** Adds files of the account and its webhook, and uploads of the account. */
export async function addFiles(
  service: Gatehouse,
  alice: Persona,
  hook: { readonly id: string },
  count: number,
): Promise<void> {
  for (const owner of [alice.id, hook.id]) {
    await addRows(
      service,
      count,
      `INSERT INTO media_object (key, owner_id, account_id, filename, size, sha256, content_type)
       SELECT $1 || '/' || n, $1::bigint, $2, 'x', 1, ''::bytea, 'text/plain'`,
      [owner, alice.id],
    );
  }
  await addRows(
    service,
    count,
    `INSERT INTO media_upload (id, object_id, owner_id, credential_kind, filename, size)
     SELECT gen_random_uuid(), gen_random_uuid(), $1, 'session', 'x', 1`,
    [alice.id],
  );
}

/** Adds applications of the owner that the account has authorized, each with a bot. */
export async function addGrants(service: Gatehouse, alice: Persona, owner: Persona, count: number): Promise<void> {
  const first = `${Number(owner.id.slice(-9))}000000`;
  await addRows(
    service,
    count,
    `INSERT INTO application (id, owner_id, name, client_type) SELECT $2::bigint + n, $1, 'client', 'confidential'`,
    [owner.id, first],
  );
  await addRows(
    service,
    count,
    `INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
     SELECT $2::bigint + n, $2::bigint + n, $1, '{identify}', sha256(($2 || '/' || n)::bytea)`,
    [alice.id, first],
  );
  await addRows(service, count, 'INSERT INTO oauth_bot_grant (account_id, application_id) SELECT $1, $2::bigint + n', [
    alice.id,
    first,
  ]);
}

/** Counts the remaining files and uploads. */
export async function filesOf(service: Gatehouse, { id }: Persona) {
  const [row] = await service.sql(
    `SELECT (SELECT deleted_at IS NOT NULL FROM account WHERE id = $1) AS is_erased,
       (SELECT count(*)::int FROM media_object WHERE account_id = $1) AS objects,
       (SELECT count(*)::int FROM media_upload WHERE owner_id = $1) AS uploads`,
    [id],
  );
  return row;
}

/** Counts the remaining grants, and the security events about removed ones. */
export const removalsOf = async (service: Gatehouse, { id }: Persona) =>
  (
    await service.sql(
      `SELECT (SELECT count(*)::int FROM oauth_family WHERE account_id = $1) AS families,
         (SELECT count(*)::int FROM oauth_bot_grant WHERE account_id = $1) AS bots,
         (SELECT count(DISTINCT data->>'application_id')::int FROM security_event
          WHERE account_id = $1 AND type = 'application_removed') AS told,
         (SELECT count(*)::int FROM security_event WHERE account_id = $1 AND type = 'application_removed') AS events`,
      [id],
    )
  )[0];
