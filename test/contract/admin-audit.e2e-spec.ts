import { AuditLog } from '../../src/admin/audit/audit.service.js';
import { administrator, adminKey, superuser, withoutAudit } from '../support/admin.js';
import { expectInvalid, expectRefusal, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
});
afterAll(() => service.close());

const LOGS = '/v1/admin/audit-logs';
const makeKey = (headers: Record<string, string> = {}) =>
  service.as(root).with(headers).post('/v1/admin/api-keys', { name: 'x', acls: [] });
const newest = async () => (await service.as(root).get(LOGS, { query: { limit: '1' } })).body.logs[0];

describe('admin.md 7 audit log', () => {
  test('an entry says who did what to whom, why and in which request', async () => {
    const { body } = await makeKey({ 'x-request-id': 'request-7', 'x-audit-log-reason': ' because ' });
    const entry = await newest();
    expect(entry).toEqual({
      log_id: expect.stringMatching(/^\d+$/),
      admin_user_id: root.id,
      admin_user: { id: root.id, username: 'root', discriminator: expect.stringMatching(/^\d{4}$/), global_name: null },
      api_key_id: null,
      target_type: 'admin_api_key',
      target_id: body.key_id,
      target_user: null,
      action: 'create_api_key',
      audit_log_reason: 'because',
      metadata: { key_id: body.key_id, acls: '' },
      request_id: 'request-7',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect((await service.as(root).get(`${LOGS}/${entry.log_id}`)).body).toEqual(entry);
  });

  test('a reason loses control and direction characters; blank or over 512 characters counts as absent', async () => {
    const reasonFor = async (reason: string) => {
      await makeKey({ 'x-audit-log-reason': Buffer.from(reason, 'utf8').toString('latin1') });
      return (await newest()).audit_log_reason;
    };
    expect(await reasonFor('x'.repeat(512))).toBe('x'.repeat(512));
    expect(await reasonFor('x'.repeat(513))).toBeNull();
    expect(await reasonFor('   ')).toBeNull();
    expect(await reasonFor('a\tb\u202egnp\u2066.exe')).toBe('abgnp.exe');
    expect(await reasonFor('grüße')).toBe('grüße');
  });

  test('is filtered, paged and counted, newest first', async () => {
    const clerk = await administrator(service, 'admin_api_key:manage', 'audit_log:view');
    const keys = [];
    for (let n = 0; n < 3; n++) keys.push(await adminKey(service, clerk));
    await service.as(clerk).delete(`/v1/admin/api-keys/${keys[0]?.id}`);
    const list = (query: Record<string, string>) => service.as(clerk).get(LOGS, { query });
    const own = (await list({ admin_user_id: clerk.id })).body;
    expect(own.total).toBe(4);
    expect(own.logs.map(({ action }: { action: string }) => action)).toEqual([
      'revoke_api_key',
      ...Array(3).fill('create_api_key'),
    ]);
    const page = (await list({ admin_user_id: clerk.id, limit: '2', offset: '1' })).body;
    expect([page.total, page.logs]).toEqual([4, own.logs.slice(1, 3)]);
    expect((await list({ admin_user_id: clerk.id, action: 'revoke_api_key' })).body.total).toBe(1);
    expect((await list({ target_type: 'admin_api_key', target_id: keys[0]?.id ?? '' })).body.total).toBe(2);
    expect((await list({ action: 'nothing' })).body).toEqual({ logs: [], total: 0 });
  });

  test('queries and ids are validated; an unknown entry is 404', async () => {
    const get = (query: Record<string, string>) => service.as(root).get(LOGS, { query });
    expectInvalid(await get({ limit: '0' }), 'limit: INVALID_FORMAT');
    expectInvalid(await get({ limit: '201' }), 'limit: INVALID_FORMAT');
    expectInvalid(await get({ offset: '100001' }), 'offset: INVALID_FORMAT');
    expectInvalid(await get({ admin_user_id: 'x' }), 'admin_user_id: INVALID_SNOWFLAKE_FORMAT');
    expectInvalid(await get({ action: '' }), 'action: INVALID_FORMAT');
    expectInvalid(await get({ target_type: 'x'.repeat(65) }), 'target_type: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await service.as(root).get(`${LOGS}/x`), 'log_id: INVALID_SNOWFLAKE_FORMAT');
    expectRefusal(await service.as(root).get(`${LOGS}/1`), 'NOT_FOUND');
  });

  test('a request that is refused writes nothing', async () => {
    const clerk = await administrator(service);
    const body = { name: 'x', acls: [] };
    const refusals = [
      [service.anonymous, 'UNAUTHORIZED'],
      [service.as(await person(service)), 'MISSING_PERMISSIONS'],
      [service.as(clerk), 'MISSING_ACL'],
    ] as const;
    for (const [client, code] of refusals) {
      expectRefusal(await withoutAudit(service, () => client.post('/v1/admin/api-keys', body)), code);
    }
  });

  test('LOG-06 the database takes no change and no removal of an entry', async () => {
    await makeKey();
    for (const statement of [
      "UPDATE audit_log SET action = 'nothing'",
      'DELETE FROM audit_log',
      'DELETE FROM audit_log WHERE false',
      'TRUNCATE audit_log',
    ]) {
      await expect(service.sql(statement)).rejects.toThrow('append only');
    }
  });

  test('parallel operations chain without a gap, and a change past the protection is found', async () => {
    const audit = service.app.get(AuditLog);
    await Promise.all(Array.from({ length: 16 }, () => makeKey()));
    const verdict = await audit.verify();
    const [{ n }] = (await service.sql('SELECT count(*)::int AS n FROM audit_log')) as [{ n: number }];
    expect(verdict).toEqual({ intact: true, entries: n, head: expect.stringMatching(/^[0-9a-f]{64}$/) });

    const tamper = (statement: string) =>
      service.sql(`ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only; ${statement};
        ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only`);
    await tamper("UPDATE audit_log SET reason = 'forged' WHERE sequence = 3");
    expect(await audit.verify()).toMatchObject({ intact: false, sequence: '3' });
    await tamper('UPDATE audit_log SET reason = NULL WHERE sequence = 3; DELETE FROM audit_log WHERE sequence = 5');
    expect(await audit.verify()).toMatchObject({ intact: false, sequence: '5', fault: 'is missing' });
  });
});
