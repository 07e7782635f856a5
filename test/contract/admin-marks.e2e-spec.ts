import { administrator, adminKey, auditOf, superuser, withoutAudit } from '../support/admin.js';
import { createCredentialSet } from '../support/all-credentials.js';
import { Events } from '../support/events.js';
import { expectApiError, expectInvalid, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

let service: Gatehouse;
let events: Events;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  events = new Events(service);
  root = await superuser(service);
});
afterAll(() => service.close());

const of = ({ id }: { id: string }, what: string) => `/v1/admin/users/${id}/${what}`;
const lastMetadata = async (action: string) => (await auditOf(service, action)).at(-1)?.metadata;

describe('admin.md 5.3 ACLs', () => {
  test('replace the set, de-duplicated, and apply from the next request', async () => {
    const target = await person(service, 'target');
    const acls = ['user:lookup', 'admin:authenticate', 'user:lookup', 'audit_log:view'];
    const { body } = await service.as(root).put(of(target, 'acls'), { acls });
    expect(body.user.acls).toEqual(['user:lookup', 'admin:authenticate', 'audit_log:view']);
    expect((await service.as(target).get('/v1/admin/users/1')).status).toBe(200);
    await service.as(root).put(of(target, 'acls'), { acls: ['admin:authenticate'] });
    expectApiError(await service.as(target).get('/v1/admin/users/1'), 'MISSING_ACL');
    expect(await lastMetadata('set_acls')).toEqual({
      old_acls: 'audit_log:view,admin:authenticate,user:lookup',
      new_acls: 'admin:authenticate',
    });
    expect(events.of(target)).toEqual(['USER_UPDATE', 'USER_UPDATE']);
  });

  test("narrow the account's keys immediately", async () => {
    const target = await administrator(service, 'admin_api_key:manage', 'user:lookup');
    const key = await adminKey(service, target, 'user:lookup');
    await service.as(root).put(of(target, 'acls'), { acls: ['admin:authenticate'] });
    expectApiError(await service.as(key).get('/v1/admin/users/1'), 'MISSING_ACL');
  });

  test('an operator grants only values that they have; the wildcard includes all', async () => {
    const clerk = await administrator(service, 'acl:set:user', 'user:lookup', 'admin_api_key:manage');
    const target = await person(service, 'target');
    for (const acls of [['*'], ['audit_log:view'], ['user:lookup', 'audit_log:view']]) {
      const refused = () => service.as(clerk).put(of(target, 'acls'), { acls });
      expectApiError(await withoutAudit(service, refused), 'MISSING_ACL');
    }
    expect((await service.as(clerk).put(of(target, 'acls'), { acls: ['user:lookup'] })).status).toBe(200);
    const key = await adminKey(service, clerk, 'acl:set:user', 'user:lookup');
    const other = await person(service, 'other');
    expect((await service.as(key).put(of(other, 'acls'), { acls: ['user:lookup'] })).status).toBe(200);
    const refused = () => service.as(key).put(of(other, 'acls'), { acls: ['admin_api_key:manage'] });
    expectApiError(await withoutAudit(service, refused), 'MISSING_ACL');
  });

  test('no operator sets their own ACLs, whether changed or not, and a bot has none', async () => {
    const clerk = await administrator(service, 'acl:set:user', 'admin_api_key:manage');
    const key = await adminKey(service, clerk, 'acl:set:user');
    for (const credential of [clerk, key]) {
      const refused = () => service.as(credential).put(of(clerk, 'acls'), { acls: [] });
      expectApiError(await withoutAudit(service, refused), 'ACCESS_DENIED');
    }
    const { applicationId } = await createCredentialSet(service);
    const bot = () => service.as(root).put(of({ id: applicationId }, 'acls'), { acls: [] });
    expectApiError(await withoutAudit(service, bot), 'ACCESS_DENIED');
  });

  test('values outside the registry are named one by one', async () => {
    const target = await person(service, 'target');
    const put = (acls: unknown) => service.as(root).put(of(target, 'acls'), { acls });
    expectInvalid(await put(['user:lookup', 'user:*', ' *', 5]), ...[1, 2, 3].map((n) => `acls.${n}: INVALID_FORMAT`));
    for (const value of [undefined, null, '*', {}]) expectInvalid(await put(value), 'acls: INVALID_FORMAT');
  });
});

describe('admin.md 5.3 account flags', () => {
  const flag = (bit: bigint) => String(1n << bit);

  test('are added first and then removed, in one step', async () => {
    const target = await person(service, 'target');
    await service.sql('UPDATE account SET flags = $2 WHERE id = $1', [target.id, flag(38n)]);
    const { body } = await service
      .as(root)
      .patch(of(target, 'flags'), { add_flags: [flag(0n), flag(47n), flag(62n)], remove_flags: [flag(47n)] });
    expect(body.user.flags).toBe(String((1n << 38n) | 1n | (1n << 62n)));
    expect(await lastMetadata('update_flags')).toEqual({
      add_flags: [flag(0n), flag(47n), flag(62n)].join(','),
      remove_flags: flag(47n),
      new_flags: body.user.flags,
    });
  });

  test('parallel changes are all kept', async () => {
    const target = await person(service, 'target');
    const bits = [0n, 33n, 47n, 62n];
    await Promise.all(bits.map((bit) => service.as(root).patch(of(target, 'flags'), { add_flags: [flag(bit)] })));
    const [row] = await service.sql('SELECT flags FROM account WHERE id = $1', [target.id]);
    expect(BigInt(row?.flags)).toBe(bits.reduce((sum, bit) => sum | (1n << bit), 0n));
  });

  test('lifecycle bits, unknown bits and other forms are rejected', async () => {
    const target = await person(service, 'target');
    for (const bit of [34n, 35n, 36n, 38n, 1n, 63n]) {
      const { body, ...response } = await service.as(root).patch(of(target, 'flags'), { add_flags: ['1', flag(bit)] });
      expectInvalid({ body, ...response }, 'add_flags.1: INVALID_FORMAT');
    }
    const remove = (value: unknown) => service.as(root).patch(of(target, 'flags'), { remove_flags: [value] });
    for (const value of [1, '01', '-1', '0x1', '1.0', '18446744073709551616', null]) {
      expectInvalid(await remove(value), 'remove_flags.0: INVALID_FORMAT');
    }
    const many = { add_flags: Array(65).fill('1') };
    expectInvalid(await service.as(root).patch(of(target, 'flags'), many), 'add_flags: INVALID_FORMAT');
  });
});

describe('admin.md 5.3 suspicious-activity flags', () => {
  test('are set as a whole and apply from the next request', async () => {
    const target = await person(service, 'target');
    const { body } = await service.as(root).put(of(target, 'suspicious-activity-flags'), { flags: 130 });
    expect(body.user.suspicious_activity_flags).toBe(130);
    expectApiError(
      await service.as(target).get('/v1/users/@me/mfa/webauthn/credentials'),
      'ACCOUNT_SUSPICIOUS_ACTIVITY',
      {
        data: { suspicious_activity_flags: 130 },
      },
    );
    await service.as(root).put(of(target, 'suspicious-activity-flags'), { flags: 0 });
    expect(await lastMetadata('update_suspicious_activity_flags')).toEqual({ old_flags: '130', flags: '0' });
  });

  test('contain bits 0 to 7', async () => {
    const target = await person(service, 'target');
    for (const flags of [-1, 256, 1.5, '1', null, undefined]) {
      const response = await service.as(root).put(of(target, 'suspicious-activity-flags'), { flags });
      expectInvalid(response, 'flags: INVALID_FORMAT');
    }
  });
});

describe('admin.md Precisions traits', () => {
  test('exactly the settable traits are replaced', async () => {
    const target = await person(service, 'target');
    await service.sql("UPDATE account SET traits = '{sso}' WHERE id = $1", [target.id]);
    const put = (traits: unknown) => service.as(root).put(of(target, 'traits'), { traits });
    expect((await put(['captcha_exempt', 'captcha_exempt'])).body.user.traits).toEqual(['sso', 'captcha_exempt']);
    expect(await lastMetadata('set_traits')).toEqual({ traits: 'captcha_exempt' });
    expect((await put([])).body.user.traits).toEqual(['sso']);
    expectInvalid(await put(['captcha_exempt', 'sso']), 'traits.1: INVALID_FORMAT');
    expectInvalid(await put('captcha_exempt'), 'traits: INVALID_FORMAT');
  });
});

describe('admin.md 5.3 verified phone', () => {
  test('true clears bits 2, 4 and 5; false deletes the number and clears no bit', async () => {
    const target = await person(service, 'target');
    await service.sql('UPDATE account SET suspicious_flags = 255 WHERE id = $1', [target.id]);
    const put = (value: unknown) =>
      service.as(root).put(of(target, 'phone-verification'), { has_verified_phone: value });
    const yes = await put(true);
    expect(yes.body.user).toMatchObject({ has_verified_phone: true, suspicious_activity_flags: 255 - 4 - 16 - 32 });
    expect(await lastMetadata('update_has_verified_phone')).toEqual({ before: 'false', after: 'true' });
    await service.sql("UPDATE account SET phone_digest = '\\x01', suspicious_flags = 255 WHERE id = $1", [target.id]);
    const no = await put(false);
    expect(no.body.user).toMatchObject({ has_verified_phone: false, suspicious_activity_flags: 255 });
    const [row] = await service.sql('SELECT phone_digest FROM account WHERE id = $1', [target.id]);
    expect(row?.phone_digest).toBeNull();
    expectInvalid(await put('true'), 'has_verified_phone: INVALID_FORMAT');
  });
});
