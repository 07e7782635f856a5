import { createHash } from 'node:crypto';
import { AuditLog } from '../../src/admin/audit/audit.service.js';
import { consoleOperator, type Operator } from '../../src/admin/audit/operator.js';
import { Database } from '../../src/platform/database/database.js';
import { administrator, adminKey, superuser, withoutAudit } from '../support/admin.js';
import { runCleanup } from '../support/cleanup.js';
import { expectApiError, expectInvalid, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

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
  test('an entry records who did what to whom, why and in which request', async () => {
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
      client_ip: '127.0.0.1',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect((await service.as(root).get(`${LOGS}/${entry.log_id}`)).body).toEqual(entry);
  });

  test('control and direction characters are removed from a reason; a blank or longer than 512 characters counts as absent', async () => {
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
    expect((await list({ action: 'nothing' })).body).toMatchObject({ logs: [], total: 0 });
  });

  test('a cursor continues after the last entry seen, regardless of new entries, and does not change the total', async () => {
    const clerk = await administrator(service, 'admin_api_key:manage', 'audit_log:view');
    for (let n = 0; n < 4; n++) await adminKey(service, clerk);
    const list = async (query: Record<string, string>) =>
      (await service.as(clerk).get(LOGS, { query: { admin_user_id: clerk.id, ...query } })).body;
    const all = (await list({})).logs;
    const first = await list({ limit: '2' });
    await adminKey(service, clerk);
    const second = await list({ limit: '2', before: first.logs[1].log_id });
    expect([...first.logs, ...second.logs]).toEqual(all);
    expect(second.total).toBe(5);
    expect((await list({ before: all[3].log_id })).logs).toEqual([]);
    expect((await list({ before: all[0].log_id, offset: '1', limit: '1' })).logs).toEqual([all[2]]);
  });

  test('the time bounds are inclusive and precise to the millisecond', async () => {
    const clerk = await administrator(service, 'admin_api_key:manage', 'audit_log:view');
    for (let n = 0; n < 3; n++) {
      await adminKey(service, clerk);
      service.clock.advance({ seconds: 60 });
    }
    const found = async (query: Record<string, string>) =>
      (await service.as(clerk).get(LOGS, { query: { admin_user_id: clerk.id, ...query } })).body.logs;
    const [newest, middle, oldest] = await found({});
    expect(await found({ from: middle.created_at })).toEqual([newest, middle]);
    expect(await found({ to: middle.created_at })).toEqual([middle, oldest]);
    expect(await found({ from: middle.created_at, to: middle.created_at })).toEqual([middle]);
    const next = new Date(Date.parse(middle.created_at) + 1).toISOString();
    expect(await found({ from: next })).toEqual([newest]);
    expect(await found({ from: '1970-01-01T00:00:00Z', to: '9999-12-31T23:59:59.999Z' })).toHaveLength(3);
    expect(await found({ from: '9999-12-31T00:00:00Z' })).toEqual([]);
  });

  test('a request ID finds the entries of the request', async () => {
    await makeKey({ 'x-request-id': 'from-a-log-line' });
    const { body } = await service.as(root).get(LOGS, { query: { request_id: 'from-a-log-line' } });
    expect(body).toMatchObject({ logs: [{ request_id: 'from-a-log-line', action: 'create_api_key' }], total: 1 });
  });

  test('an IP address finds its entries and its bans; the entries only if the caller may see IP addresses', async () => {
    const [banned, wide] = ['2001:1db8:7:7::5', '101.66.0.0/16'];
    const ban = (ip: string) => service.as(root).from('127.0.77.1').post('/v1/admin/blocklists/ip/entries', { ip });
    await ban(banned);
    await ban(`${banned.slice(0, -1)}/64`);
    await ban(wide);
    await makeKey();
    const by = async (reader: Persona, ip: string) => {
      const { logs, total } = (await service.as(reader).get(LOGS, { query: { ip } })).body;
      expect(total).toBe(logs.length);
      return logs.map((entry: { target_id: string; client_ip: string }) => [entry.target_id, entry.client_ip]);
    };
    const clerk = await administrator(service, 'audit_log:view');
    const bans = (from: string) => ({
      ofAddress: [
        ['2001:1db8:7:7::/64', from],
        [banned, from],
      ],
      ofNetwork: [['2001:1db8:7:7::/64', from]],
      ofRange: [[wide, from]],
    });
    for (const [reader, from] of [
      [root, '127.0.77.1'],
      [clerk, '[redacted]'],
    ] as const) {
      expect(await by(reader, '2001:1DB8:7:7:0::5')).toEqual(bans(from).ofAddress);
      expect(await by(reader, '2001:1db8:7:7::/64')).toEqual(bans(from).ofNetwork);
      expect(await by(reader, wide)).toEqual(bans(from).ofRange);
    }
    expect(await by(root, '127.0.77.1')).toHaveLength(3);
    expect(await by(clerk, '127.0.77.1')).toEqual([]);
    const { body } = await service.as(root).get(LOGS, { query: { ip: '127.0.77.1', action: 'ban_ip', limit: '2' } });
    expect([body.total, body.logs.length]).toEqual([3, 2]);
  });

  test('queries and IDs are validated; an unknown entry is 404', async () => {
    const get = (query: Record<string, string>) => service.as(root).get(LOGS, { query });
    expectInvalid(await get({ limit: '0' }), 'limit: INVALID_FORMAT');
    expectInvalid(await get({ limit: '201' }), 'limit: INVALID_FORMAT');
    expectInvalid(await get({ offset: '100001' }), 'offset: INVALID_FORMAT');
    expectInvalid(await get({ admin_user_id: 'x' }), 'admin_user_id: INVALID_SNOWFLAKE_FORMAT');
    expectInvalid(await get({ action: '' }), 'action: INVALID_FORMAT');
    expectInvalid(await get({ target_type: 'x'.repeat(65) }), 'target_type: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await get({ before: 'x' }), 'before: INVALID_SNOWFLAKE_FORMAT');
    for (const time of ['yesterday', '2026-02-31T00:00:00Z', '2026-02-01', '2026-02-01T00:00:00+01:00']) {
      expectInvalid(await get({ from: time, to: time }), 'from: INVALID_FORMAT', 'to: INVALID_FORMAT');
    }
    for (const ip of ['127.0.0.256', '10.0.0.1/8', 'example.com']) {
      expectInvalid(await get({ ip }), 'ip: INVALID_FORMAT');
    }
    expectInvalid(await get({ request_id: 'x'.repeat(65) }), 'request_id: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await service.as(root).get(`${LOGS}/x`), 'log_id: INVALID_SNOWFLAKE_FORMAT');
    expectApiError(await service.as(root).get(`${LOGS}/1`), 'NOT_FOUND');
  });

  test('a rejected request writes no entry', async () => {
    const clerk = await administrator(service);
    const body = { name: 'x', acls: [] };
    const refusals = [
      [service.anonymous, 'UNAUTHORIZED'],
      [service.as(await person(service)), 'MISSING_PERMISSIONS'],
      [service.as(clerk), 'MISSING_ACL'],
    ] as const;
    for (const [client, code] of refusals) {
      expectApiError(await withoutAudit(service, () => client.post('/v1/admin/api-keys', body)), code);
    }
  });

  test('LOG-06 the database rejects changes and removals of entries', async () => {
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

  test('entries from before IP addresses were recorded keep their hashes', async () => {
    const { origin: _, ...console } = consoleOperator();
    const record = (by: Operator) =>
      service.app
        .get(Database)
        .transaction((tx) =>
          service.app.get(AuditLog).record(tx, by, { action: 'rotate_keys', target: { type: 'instance' } }),
        );
    await record({ ...console, origin: null });
    await record({ ...console, origin: { ip: '127.0.0.5', userAgent: '', os: null } });
    const [recent, old, before] = await service.sql('SELECT * FROM audit_log ORDER BY sequence DESC LIMIT 3');
    const linkBefore = (previous: Buffer, row: Record<string, unknown>) => {
      const facts = [row.sequence, row.id, row.admin_user_id, row.api_key_id, row.action, row.target_type];
      const rest = [row.target_id, row.reason, [], row.request_id, (row.created_at as Date).toISOString()];
      return createHash('sha256')
        .update(previous)
        .update(JSON.stringify([...facts, ...rest]))
        .digest();
    };
    expect(linkBefore(before?.hash as Buffer, old as never)).toEqual(old?.hash);
    expect(linkBefore(old?.hash as Buffer, recent as never)).not.toEqual(recent?.hash);
  });

  test('parallel operations form a chain without a gap, and a change that bypasses the protection is detected', async () => {
    const audit = service.app.get(AuditLog);
    await Promise.all(Array.from({ length: 16 }, () => makeKey()));
    const verdict = await audit.verify();
    const [{ n }] = (await service.sql('SELECT count(*)::int AS n FROM audit_log')) as [{ n: number }];
    expect(verdict).toEqual({ intact: true, entries: n, head: expect.stringMatching(/^[0-9a-f]{64}$/) });

    const tamper = (statement: string) =>
      service.sql(`ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only; ${statement};
        ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only`);
    const chain = async () => (await service.as(root).get(LOGS, { query: { limit: '1' } })).body.chain;
    const unverified = { state: 'unverified', verified_at: null, entries: null, broken_at: null };
    expect(await chain()).toEqual(unverified);
    await runCleanup(service);
    const verifiedAt = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await chain()).toEqual({ state: 'intact', verified_at: verifiedAt, entries: n, broken_at: null });

    await tamper("UPDATE audit_log SET ip = '127.0.0.9' WHERE sequence = 4");
    expect(await audit.verify()).toMatchObject({ intact: false, sequence: '4' });
    await tamper("UPDATE audit_log SET ip = '127.0.0.1' WHERE sequence = 4");
    await tamper("UPDATE audit_log SET reason = 'forged' WHERE sequence = 3");
    expect(await audit.verify()).toMatchObject({ intact: false, sequence: '3' });
    await runCleanup(service);
    expect(await chain()).toEqual({ state: 'broken', verified_at: verifiedAt, entries: n, broken_at: 3 });
    await tamper('UPDATE audit_log SET reason = NULL WHERE sequence = 3');
    await runCleanup(service);
    expect(await chain()).toMatchObject({ state: 'intact', broken_at: null });
    await tamper('DELETE FROM audit_log WHERE sequence = 5');
    expect(await audit.verify()).toMatchObject({ intact: false, sequence: '5', fault: 'is missing' });
  });
});
