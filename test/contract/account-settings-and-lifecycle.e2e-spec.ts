import sharp from 'sharp';
import { runCleanup } from '../support/cleanup.js';
import {
  createCredentialSet,
  Events,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  mailTo,
  type Persona,
  passkeySudo,
  person,
  signIn,
  verifiedPerson,
  withPasskey,
  withTotp,
} from '../support/index.js';

const SETTINGS = '/v1/users/@me/settings';

let service: Gatehouse;
let events: Events;
beforeAll(async () => {
  service = await gatehouse();
  events = new Events(service);
});
afterAll(() => service.close());

describe('account.md 2.3 settings', () => {
  const INITIAL = {
    locale: 'en-US',
    theme: 'system',
    email_notifications: true,
    session_ip_authorization: true,
    developer_mode: false,
    custom: {},
  };

  test('a new account has the initial values', async () => {
    const alice = await person(service, 'alice');
    const { status, body } = await service.as(alice).get(SETTINGS);
    expect([status, body]).toEqual([200, INITIAL]);
  });

  test('a member that is present is replaced completely; an absent one is unchanged', async () => {
    const alice = await person(service, 'alice');
    const first = { theme: 'dark', developer_mode: true, custom: { a: { b: [1, 2] }, c: 'x' } };
    const changed = await service.as(alice).patch(SETTINGS, first);
    expect([changed.status, changed.body]).toEqual([200, { ...INITIAL, ...first }]);
    const again = await service.as(alice).patch(SETTINGS, { custom: { d: null }, email_notifications: false });
    expect(again.body).toEqual({ ...INITIAL, ...first, custom: { d: null }, email_notifications: false });
    expect((await service.as(alice).get(SETTINGS)).body).toEqual(again.body);
  });

  test('USER_SETTINGS_UPDATE is always emitted, USER_UPDATE also if the locale changed', async () => {
    const alice = await person(service, 'alice');
    events.of(alice);
    await service.as(alice).patch(SETTINGS, {});
    expect(events.of(alice)).toEqual(['USER_SETTINGS_UPDATE']);
    await service.as(alice).patch(SETTINGS, { locale: 'en-US' });
    expect(events.of(alice)).toEqual(['USER_SETTINGS_UPDATE']);
    const { body } = await service.as(alice).patch(SETTINGS, { locale: 'de' });
    expect(body.locale).toBe('de');
    expect(events.of(alice).sort()).toEqual(['USER_SETTINGS_UPDATE', 'USER_UPDATE']);
    expect((await service.as(alice).get('/v1/users/@me')).body.locale).toBe('de');
  });

  test.each([
    [{ locale: 'de-de' }, 'locale: INVALID_FORMAT'],
    [{ locale: 'DE' }, 'locale: INVALID_FORMAT'],
    [{ locale: null }, 'locale: INVALID_FORMAT'],
    [{ theme: 'blue' }, 'theme: INVALID_FORMAT'],
    [{ email_notifications: 'yes' }, 'email_notifications: INVALID_FORMAT'],
    [{ session_ip_authorization: 1 }, 'session_ip_authorization: INVALID_FORMAT'],
    [{ developer_mode: null }, 'developer_mode: INVALID_FORMAT'],
    [{ custom: [] }, 'custom: INVALID_FORMAT'],
    [{ custom: 'x' }, 'custom: INVALID_FORMAT'],
    [{ custom: null }, 'custom: INVALID_FORMAT'],
    [{ custom: { a: '\u0000' } }, 'custom: INVALID_FORMAT'],
    [{ custom: { '\ud800': 1 } }, 'custom: INVALID_FORMAT'],
    [{ custom: { a: 'x'.repeat(16 * 1024) } }, 'custom: CONTENT_EXCEEDS_MAX_LENGTH'],
  ])('%j is rejected and changes nothing', async (body, fault) => {
    const alice = await person(service, 'alice');
    events.of(alice);
    expectInvalid(await service.as(alice).patch(SETTINGS, { theme: 'dark', ...body }), fault);
    expect((await service.as(alice).get(SETTINGS)).body).toEqual(INITIAL);
    expect(events.of(alice)).toEqual([]);
  });

  test('custom accepts exactly 16 KiB, counted in bytes, and any JSON text', async () => {
    const alice = await person(service, 'alice');
    const empty = Buffer.byteLength(JSON.stringify({ a: '' }));
    const full = { a: 'x'.repeat(16 * 1024 - empty) };
    expect((await service.as(alice).patch(SETTINGS, { custom: full })).body.custom).toEqual(full);
    const tooLong = { a: `${full.a.slice(1)}é` };
    expectInvalid(await service.as(alice).patch(SETTINGS, { custom: tooLong }), 'custom: CONTENT_EXCEEDS_MAX_LENGTH');
    const odd = { text: '\\u0000 \\ud800 🔑', nested: { deep: [null, true, 1.5e-7] } };
    expect((await service.as(alice).patch(SETTINGS, { custom: odd })).body.custom).toEqual(odd);
  });

  test('reading is allowed while suspicious, writing is not; unknown members are stripped', async () => {
    const alice = await person(service, 'alice');
    const { body } = await service.as(alice).patch(SETTINGS, { account_id: '1', unknown: true });
    expect(body).toEqual(INITIAL);
    await service.sql('UPDATE account SET suspicious_flags = 4 WHERE id = $1', [alice.id]);
    expect((await service.as(alice).get(SETTINGS)).status).toBe(200);
    expectApiError(await service.as(alice).patch(SETTINGS, {}), 'ACCOUNT_SUSPICIOUS_ACTIVITY', {
      data: { suspicious_activity_flags: 4 },
    });
  });
});

describe('account.md section 3 authorized IP addresses and terms', () => {
  test('deleting empties the set, including the IP address of the caller; sessions stay, and it is idempotent', async () => {
    const alice = await person(service, 'alice');
    const path = '/v1/users/@me/authorized-ips';
    expectApiError(await service.as(alice).delete(path), 'SUDO_MODE_REQUIRED');
    const count = async () =>
      (await service.sql('SELECT 1 FROM authorized_ip WHERE account_id = $1', [alice.id])).length;
    expect(await count()).toBe(1);
    for (let i = 0; i < 2; i++) {
      const response = await service.as(alice).delete(path, { password: alice.password });
      expect([response.status, response.text]).toEqual([204, '']);
      expect(await count()).toBe(0);
    }
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
  });

  test('accepting the terms sets the time, each time', async () => {
    const alice = await person(service, 'alice');
    expect((await service.as(alice).get('/v1/users/@me')).body.terms_agreed_at).toBeNull();
    events.of(alice);
    const first = await service.as(alice).post('/v1/users/@me/terms-acceptance');
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ id: alice.id, terms_agreed_at: expect.stringMatching(/Z$/) });
    expect(events.of(alice)).toEqual(['USER_UPDATE']);
    const second = await service.as(alice).post('/v1/users/@me/terms-acceptance');
    expect(second.body).toEqual({ ...first.body, terms_agreed_at: expect.any(String) });
    expect(Date.parse(second.body.terms_agreed_at)).toBeGreaterThanOrEqual(Date.parse(first.body.terms_agreed_at));
  });
});

describe('account.md section 3 deletion', () => {
  const schedule = (persona: Persona, proof: object = { password: persona.password }) =>
    service.as(persona).post('/v1/users/@me/delete', proof);

  const passDeadline = ({ id }: Persona) =>
    service.sql('UPDATE account SET deletion_at = now() WHERE id = $1 AND deletion_at IS NOT NULL', [id]);

  test('the deletion is scheduled after 336 hours, every session ends, and an email names the deadline', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const other = await signIn(service, alice);
    expectApiError(await service.as(alice).post('/v1/users/@me/delete'), 'SUDO_MODE_REQUIRED');
    const response = await schedule(alice);
    expect([response.status, response.text]).toEqual([204, '']);
    expectApiError(await service.as(alice).get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(await service.as(other).get('/v1/users/@me'), 'UNAUTHORIZED');
    const [row] = await service.sql(
      'SELECT extract(epoch FROM deletion_at - now()) AS left, deletion_at, flags FROM account WHERE id = $1',
      [alice.id],
    );
    expect(Math.round(Number(row?.left) / 3600)).toBe(336);
    expect(BigInt(row?.flags) & (1n << 36n)).not.toBe(0n);
    const { metadata } = await mailTo(service, alice.email, 'account_deletion_scheduled');
    expect(metadata.deadline).toBe(new Date(row?.deletion_at).toISOString());
  });

  test('it revokes sudo proofs and returns none', async () => {
    const alice = await person(service, 'alice');
    const key = await withPasskey(service, alice);
    const response = await schedule(alice, await passkeySudo(service, alice, key));
    expect(response.status).toBe(204);
    expect(response.headers.has('x-service-sudo-mode-jwt')).toBe(false);
    const [row] = await service.sql('SELECT epoch FROM account WHERE id = $1', [alice.id]);
    expect(row?.epoch).toBe(1);
  });

  test('a completed sign-in before the deletion has run cancels it, even after the deadline', async () => {
    const alice = await person(service, 'alice');
    await schedule(alice);
    await passDeadline(alice);
    const token = await signIn(service, alice);
    await runCleanup(service);
    const { body } = await service.as(token).get('/v1/users/@me');
    expect(body.username).toBe('alice');
    const [row] = await service.sql('SELECT deletion_at, flags FROM account WHERE id = $1', [alice.id]);
    expect(row).toEqual({ deletion_at: null, flags: '0' });
  });

  test('before the deadline nothing is deleted', async () => {
    const alice = await person(service, 'alice');
    await schedule(alice);
    await runCleanup(service);
    expect(await service.sql('SELECT 1 FROM account WHERE id = $1 AND deleted_at IS NULL', [alice.id])).toHaveLength(1);
  });

  test('at the deadline, personal data and all credentials are erased, and the address is available', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const key = await withPasskey(service, alice, undefined, { mfa_method: 'totp', mfa_code: authenticator.next() });
    await service.as(alice).patch('/v1/users/@me', { bio: 'about me', pronouns: 'she', global_name: 'Alice' });
    await service.as(alice).patch(SETTINGS, { custom: { secret: 'plan' } });
    expect((await schedule(alice, await passkeySudo(service, alice, key))).status).toBe(204);
    await passDeadline(alice);
    await runCleanup(service);
    const [row] = await service.sql('SELECT * FROM account WHERE id = $1', [alice.id]);
    expect(JSON.stringify(row)).not.toMatch(/alice|about me|she/i);
    expect(row).toMatchObject({
      email: null,
      password_hash: null,
      totp_secret: null,
      phone_digest: null,
      registration_ip: null,
      deleted_at: expect.any(Date),
    });
    for (const table of ['session', 'authorized_ip', 'passkey', 'backup_code', 'account_settings', 'oauth_family']) {
      const rows = await service.sql(`SELECT 1 FROM ${table} WHERE account_id = $1`, [alice.id]);
      expect([table, rows.length]).toEqual([table, 0]);
    }
    expect(await service.sql('SELECT 1 FROM one_time_secret WHERE subject = $1', [alice.id])).toEqual([]);
    const login = await service.anonymous.post('/v1/auth/login', { email: alice.email, password: alice.password });
    expectInvalid(login, 'email: INVALID_EMAIL_OR_PASSWORD', 'password: INVALID_EMAIL_OR_PASSWORD');
    const { body: options } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    const assertion = { response: key.get(options), challenge: options.challenge };
    expectApiError(
      await service.anonymous.post('/v1/auth/webauthn/authenticate', assertion),
      'PASSKEY_AUTHENTICATION_FAILED',
    );
    const heir = await service.anonymous.post('/v1/auth/register', {
      email: alice.email,
      password: 'a fresh password 7',
    });
    expect(heir.status).toBe(200);
    expect(heir.body.user_id).not.toBe(alice.id);
    const settings = await service.as(heir.body.token).get(SETTINGS);
    expect(settings.body.custom).toEqual({});
  });

  test('grants, Admin keys, webhooks, stored images and applications with their tokens are deleted with the account', async () => {
    const them = await createCredentialSet(service, { acls: ['admin:authenticate'], scopes: ['identify'] });
    const { accountId, applicationId } = them;
    await service.sql("UPDATE account SET traits = '{}' WHERE id = $1", [accountId]);
    const { body: webhook } = await service.as(them.session).post('/v1/users/@me/webhooks', { name: 'hook' });
    expect(webhook.id).toEqual(expect.any(String));
    const avatar = (
      await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
        .png()
        .toBuffer()
    ).toString('base64');
    const { body: me } = await service.as(them.session).patch('/v1/users/@me', { avatar });
    expect(me.avatar).toEqual(expect.any(String));
    expect((await service.as(them.bot).get('/v1/applications/@me')).status).toBe(200);
    await service.sql('UPDATE account SET deletion_at = now() WHERE id = $1', [accountId]);
    await runCleanup(service);
    expectApiError(await service.as(them.bot).get('/v1/applications/@me'), 'UNAUTHORIZED');
    expectApiError(await service.as(them.bearer).get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(await service.as(them.session).get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(await service.as(them.adminKey).get('/v1/admin/users/@me'), 'UNAUTHORIZED');
    expectApiError(
      await service.anonymous.post(`/v1/webhooks/${webhook.id}/${webhook.token}`, { content: 'x' }),
      'UNKNOWN_WEBHOOK',
    );
    const left = async (table: string, column: string, id: string) =>
      (await service.sql(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [id])).length;
    expect(await left('application', 'id', applicationId)).toBe(0);
    expect(await left('admin_key', 'owner_id', accountId)).toBe(0);
    expect(await left('oauth_family', 'account_id', accountId)).toBe(0);
    expect(await left('webhook', 'owner_id', accountId)).toBe(0);
    expect(await left('media_object', 'owner_id', accountId)).toBe(0);
  });

  test('a sign-in concurrent with the deletion leaves either the account or no session', async () => {
    for (let round = 0; round < 5; round++) {
      const alice = await person(service, 'alice');
      await schedule(alice);
      await passDeadline(alice);
      const [login] = await Promise.all([
        service.anonymous.post('/v1/auth/login', { email: alice.email, password: alice.password }),
        runCleanup(service),
      ]);
      const [row] = await service.sql('SELECT deleted_at FROM account WHERE id = $1', [alice.id]);
      const sessions = await service.sql('SELECT 1 FROM session WHERE account_id = $1 AND revoked_at IS NULL', [
        alice.id,
      ]);
      expect([200, 400]).toContain(login.status);
      expect(row?.deleted_at === null).toBe(login.status === 200);
      expect(sessions).toHaveLength(login.status === 200 ? 1 : 0);
    }
  });
});
