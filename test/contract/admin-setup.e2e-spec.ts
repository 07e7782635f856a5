import { SetupToken } from '../../src/admin/setup/setup.service.js';
import { auditOf, setAcls, withoutAudit } from '../support/admin.js';
import { expectApiError, expectInvalid, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

const TOKEN = 'a-setup-token-that-was-preset-for-this-test';

let service: Gatehouse;
let token: string;
beforeAll(async () => {
  service = await gatehouse();
  token = (await service.app.get(SetupToken).issueIfNeeded()) ?? '';
});
afterAll(() => service.close());

const setup = (persona: Persona, value: string) => service.as(persona).post('/v1/setup', { token: value });

describe('admin.md 3 setup', () => {
  test('the first registration grants nothing', async () => {
    const first = await person(service, 'first');
    const { body } = await service.as(first).get('/v1/users/@me');
    expect(body.acls).toEqual([]);
    expectApiError(await service.as(first).get('/v1/admin/acls'), 'MISSING_PERMISSIONS');
  });

  test('the token is 32 random bytes in base64url, shown once and stored only as a digest', async () => {
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await service.app.get(SetupToken).issueIfNeeded()).toBeNull();
    const rows = await service.sql('SELECT name, value::text FROM instance');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(service.log.join('')).not.toContain(token);
  });

  test('a wrong token and an inactive account are rejected, and the token stays valid', async () => {
    const person1 = await person(service, 'ghost');
    for (const wrong of [`${token}x`, token.slice(1), token.toUpperCase(), 'x', ' '.repeat(3)]) {
      expectApiError(await withoutAudit(service, () => setup(person1, wrong)), 'MISSING_PERMISSIONS');
    }
    const states = { flags: [34n, 35n, 36n, 38n].map((bit) => `flags = ${1n << bit}`), banned: ['banned = true'] };
    for (const state of [...states.flags, ...states.banned]) {
      await service.sql(`UPDATE account SET flags = 0, banned = false WHERE id = $1`, [person1.id]);
      await service.sql(`UPDATE account SET ${state} WHERE id = $1`, [person1.id]);
      expectApiError(await withoutAudit(service, () => setup(person1, token)), 'MISSING_PERMISSIONS');
    }
    expectInvalid(await setup(person1, ''), 'token: INVALID_FORMAT');
    expectInvalid(await setup(person1, 'x'.repeat(257)), 'token: CONTENT_EXCEEDS_MAX_LENGTH');
    expectApiError(await service.anonymous.post('/v1/setup', { token }), 'UNAUTHORIZED');
  });

  test('of 32 parallel callers with the valid token, exactly one becomes administrator', async () => {
    const people: Persona[] = [];
    for (let n = 0; n < 32; n++) people.push(await person(service, 'racer'));
    const responses = await Promise.all(people.map((racer) => setup(racer, token)));
    const winners = responses.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 200))
      expectApiError(response, 'MISSING_PERMISSIONS');
    expect(winners[0]?.body.user).toMatchObject({ acls: ['*'], username: 'racer' });
    const holders = await service.sql("SELECT id FROM account WHERE '*' = ANY(acls)");
    expect(holders).toEqual([{ id: winners[0]?.body.user.id }]);
    expect(await auditOf(service, 'setup')).toEqual([
      expect.objectContaining({ admin_user_id: holders[0]?.id, target_type: 'user', target_id: holders[0]?.id }),
    ]);
  });

  test('a used token stays invalid, also for the administrator and after the last administrator is gone', async () => {
    const [holder] = await service.sql("SELECT id FROM account WHERE '*' = ANY(acls)");
    const next = await person(service, 'next');
    expectApiError(await setup(next, token), 'MISSING_PERMISSIONS');
    await setAcls(service, { id: holder?.id }, []);
    expectApiError(await setup(next, token), 'MISSING_PERMISSIONS');
    expect(await service.app.get(SetupToken).issueIfNeeded()).toBeNull();
  });
});

describe('admin.md 3 a preset setup token', () => {
  let preset: Gatehouse;
  beforeAll(async () => {
    preset = await gatehouse({ env: { GATEHOUSE_SETUP_TOKEN: TOKEN } });
  });
  afterAll(() => preset.close());

  test('works once, accepts a suspicious account, and nothing is printed', async () => {
    expect(await preset.app.get(SetupToken).issueIfNeeded()).toBeNull();
    const alice = await person(preset, 'alice');
    await preset.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [alice.id]);
    const { status, body } = await preset.as(alice).post('/v1/setup', { token: TOKEN });
    expect([status, body.user.acls]).toEqual([200, ['*']]);
    expectApiError(await preset.as(alice).post('/v1/setup', { token: TOKEN }), 'MISSING_PERMISSIONS');
  });

  test('a restart with the same token does not make it valid again', async () => {
    await preset.sql("UPDATE account SET acls = '{}'");
    await preset.app.get(SetupToken).onModuleInit();
    const bob = await person(preset, 'bob');
    expectApiError(await preset.as(bob).post('/v1/setup', { token: TOKEN }), 'MISSING_PERMISSIONS');
  });
});

describe('admin.md 3 a setup token and an account that got the wildcard elsewhere', () => {
  let other: Gatehouse;
  beforeAll(async () => {
    other = await gatehouse({ env: { GATEHOUSE_SETUP_TOKEN: TOKEN } });
  });
  afterAll(() => other.close());

  test('the token is invalid as soon as any account has the wildcard', async () => {
    const [alice, bob] = [await person(other, 'alice'), await person(other, 'bob')];
    await setAcls(other, alice, ['*']);
    expectApiError(await other.as(bob).post('/v1/setup', { token: TOKEN }), 'MISSING_PERMISSIONS');
    expectApiError(await other.as(alice).post('/v1/setup', { token: TOKEN }), 'MISSING_PERMISSIONS');
  });
});
