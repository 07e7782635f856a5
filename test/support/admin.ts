import type { Gatehouse } from './gatehouse.js';
import { expect } from './optional-packages.js';
import { type Persona, person } from './personas.js';

/** Sets the ACLs of a persona directly in the database, without any checks. */
export async function setAcls(service: Gatehouse, { id }: { id: string }, acls: readonly string[]): Promise<void> {
  await service.sql('UPDATE account SET acls = $2 WHERE id = $1', [id, acls]);
}

/** Registers an account that has every ACL. */
export async function superuser(service: Gatehouse): Promise<Persona> {
  const persona = await person(service, 'root');
  await setAcls(service, persona, ['*']);
  return persona;
}

/** Registers an account that has `admin:authenticate` and these ACLs. */
export async function administrator(service: Gatehouse, ...acls: string[]): Promise<Persona> {
  const persona = await person(service, 'admin');
  await setAcls(service, persona, ['admin:authenticate', ...acls]);
  return persona;
}

/** Creates an Admin API key for the persona, who must have the ACLs and `admin_api_key:manage`. */
export async function adminKey(service: Gatehouse, owner: Persona, ...acls: string[]) {
  const { status, body } = await service.as(owner).post('/v1/admin/api-keys', { name: 'a key', acls });
  expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ key: expect.any(String) }) });
  return { id: body.key_id as string, authorization: `Admin ${body.key}` };
}

/** Entries of the audit log, oldest first. */
export const auditOf = (service: Gatehouse, action?: string) =>
  service.sql(
    `SELECT admin_user_id, api_key_id, action, target_type, target_id, reason, metadata, request_id FROM audit_log
     WHERE $1::text IS NULL OR action = $1 ORDER BY sequence`,
    [action ?? null],
  );

/** Asserts that the rejected request `refused` adds no entry to the audit log. */
export async function withoutAudit<T>(service: Gatehouse, refused: () => Promise<T>): Promise<T> {
  const count = async () => (await service.sql('SELECT count(*)::int AS n FROM audit_log'))[0]?.n;
  const before = await count();
  const response = await refused();
  expect(await count()).toBe(before);
  return response;
}
