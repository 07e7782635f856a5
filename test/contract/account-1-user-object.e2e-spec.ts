import { setAcls, superuser } from '../support/admin.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  newTokens,
  type Persona,
  passkeyAsSecondFactor,
  person,
  verifyEmail,
  withPasskey,
  withTotp,
} from '../support/index.js';

const ME = '/v1/users/@me';

/** Members that are always present (account.md 1.1). */
const MEMBERS = [
  ...['id', 'username', 'discriminator', 'global_name', 'avatar', 'avatar_color', 'flags', 'acls', 'traits', 'email'],
  ...['phone', 'has_verified_phone', 'bio', 'pronouns', 'banner', 'accent_color', 'locale', 'mfa_enabled', 'verified'],
  ...['password_last_changed_at', 'required_actions', 'terms_agreed_at', 'created_at'],
].sort();

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const bearerOf = async (persona: Persona, scope: string): Promise<string> => {
  const owner = await person(service, 'owner');
  const { access_token } = await newTokens(service, persona, await newApp(service, owner), scope);
  return `Bearer ${access_token}`;
};

describe('account.md 1.1 the user object', () => {
  const byTotp = async (owner: Persona) => void (await withTotp(service, owner));
  const byPasskey = async (owner: Persona) =>
    void (await passkeyAsSecondFactor(service, owner, await withPasskey(service, owner)));

  test.each([
    ['a TOTP secret', byTotp, [0]],
    ['a passkey as second factor', byPasskey, [2]],
  ])('a bot shows the authenticators of its owner, in every view: %s', async (_, enrol, types) => {
    const owner = await person(service, 'owner');
    const { id, bot } = await newApp(service, owner);
    const admin = await superuser(service);
    const { client, ready } = await GatewayClient.identify(service, bot.slice('Bot '.length));
    expect(ready.user.mfa_enabled).toBe(false);
    const views = async () => {
      await service.as(admin).patch(`/v1/admin/users/${id}/flags`, { add_flags: ['1'] });
      const update = (await client.event('USER_UPDATE')).d;
      const again = (await GatewayClient.identify(service, bot.slice('Bot '.length))).ready.user;
      const own = (await service.as(bot).get(ME)).body;
      const ofOwner = (await service.as(owner).get(`/v1/oauth2/applications/${id}`)).body.bot;
      const ofAdmin = (await service.as(admin).get(`/v1/admin/users/${id}`)).body.users[0];
      return { update, again, own, ofOwner, ofAdmin };
    };
    const expectAll = async (expected: number[]) => {
      const { update, again, own, ofOwner, ofAdmin } = await views();
      for (const view of [update, again, own, ofOwner]) {
        expect({ mfa: view.mfa_enabled, types: view.authenticator_types ?? [] }).toEqual({
          mfa: expected.length > 0,
          types: expected,
        });
      }
      for (const view of [update, again, own]) expect('authenticator_types' in view).toBe(expected.length > 0);
      expect(ofAdmin).toMatchObject({ authenticator_types: expected, has_totp: expected.includes(0) });
    };
    await expectAll([]);
    await enrol(owner);
    await expectAll(types);
    // After a transfer, the bot shows the authenticators of the new owner.
    const next = await person(service, 'next');
    const moved = await service.as(admin).patch(`/v1/admin/applications/${id}`, { new_owner_id: next.id });
    expect(moved.status).toBe(200);
    expect((await service.as(bot).get(ME)).body.mfa_enabled).toBe(false);
    client.socket.terminate();
  });

  test('a session sees all of its own account, and no other stored value', async () => {
    const alice = await person(service, 'alice');
    const { status, body } = await service.as(alice).get(ME);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(MEMBERS);
    expect(body).toMatchObject({
      ...{ id: alice.id, username: 'alice', discriminator: expect.stringMatching(/^\d{4}$/), global_name: null },
      ...{ acls: [], traits: [], email: alice.email, verified: false, phone: null, has_verified_phone: false },
      ...{ mfa_enabled: false, required_actions: [], terms_agreed_at: null, locale: 'en-US', flags: 0 },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      password_last_changed_at: expect.stringMatching(/Z$/),
    });
  });

  test('optional members appear only if they have a value', async () => {
    const alice = await person(service, 'alice');
    const key = await withPasskey(service, alice);
    await passkeyAsSecondFactor(service, alice, key);
    await service.sql('UPDATE account SET email_bounced = true, email_verified = false WHERE id = $1', [alice.id]);
    const { body } = await service.as(alice).get(ME);
    expect(body).toMatchObject({ email_bounced: true, verified: false, mfa_enabled: true, authenticator_types: [2] });
    const bob = await person(service, 'bob');
    await withTotp(service, bob);
    expect((await service.as(bob).get(ME)).body).toMatchObject({ mfa_enabled: true, authenticator_types: [0] });
  });

  test('acls and traits are sorted', async () => {
    const alice = await person(service, 'alice');
    await setAcls(service, alice, ['user:lookup', 'audit_log:view']);
    await service.sql("UPDATE account SET traits = '{b_trait,a_trait}' WHERE id = $1", [alice.id]);
    expect((await service.as(alice).get(ME)).body).toMatchObject({
      acls: ['audit_log:view', 'user:lookup'],
      traits: ['a_trait', 'b_trait'],
    });
  });

  test('a bearer with identify sees the profile; all security members are hidden, regardless of their values', async () => {
    const alice = await person(service, 'alice');
    await withTotp(service, alice);
    await service.as(alice).patch(ME, { bio: 'about', pronouns: 'she', accent_color: 5, global_name: 'Alice' });
    await service.sql('UPDATE account SET has_verified_phone = true, email_bounced = true WHERE id = $1', [alice.id]);
    const bearer = await bearerOf(alice, 'identify');
    await setAcls(service, alice, ['user:lookup']);
    await service.sql("UPDATE account SET traits = '{some_trait}' WHERE id = $1", [alice.id]);
    const { body } = await service.as(bearer).get(ME);
    expect(Object.keys(body).sort()).toEqual(MEMBERS);
    expect(body).toMatchObject({
      ...{ id: alice.id, username: 'alice', global_name: 'Alice', bio: 'about', pronouns: 'she', accent_color: 5 },
      ...{ email: null, verified: false, phone: null, has_verified_phone: true, acls: [], traits: [] },
      ...{ mfa_enabled: false, password_last_changed_at: null, required_actions: [] },
    });
  });

  test('with the scope email, it also sees the email address and whether it is verified', async () => {
    const alice = await person(service, 'alice');
    await verifyEmail(service, alice);
    const { body } = await service.as(await bearerOf(alice, 'identify email')).get(ME);
    expect(body).toMatchObject({ email: alice.email, verified: true, password_last_changed_at: null });
    expect(Object.keys(body).sort()).toEqual(MEMBERS);
  });

  test('a bearer cannot change the members that it can see', async () => {
    const alice = await person(service, 'alice');
    const bearer = await bearerOf(alice, 'identify email');
    expectApiError(await service.as(bearer).patch(ME, { bio: 'x' }), 'ACCESS_DENIED');
    expect((await service.as(alice).get(ME)).body.bio).toBeNull();
  });

  test('a bot sees itself', async () => {
    const app = await newApp(service, await person(service, 'owner'));
    const { status, body } = await service.as(app.bot).get(ME);
    expect({ status, body }).toMatchObject({ status: 200, body: { id: app.id, bot: true, email: null } });
  });
});

describe('MAS-01, MAS-02 members that the caller may not set', () => {
  test('registration ignores all of them', async () => {
    const { status, body } = await service.anonymous.post('/v1/auth/register', {
      ...{ email: 'mass@example.com', password: 'a password for mass', username: 'mass' },
      ...{
        id: '1',
        user_id: '1',
        bot: true,
        is_bot: true,
        system: true,
        acls: ['*'],
        flags: 1,
        traits: ['captcha_exempt'],
      },
      ...{ verified: true, email_verified: true, has_verified_phone: true, suspicious_flags: 0, mfa_enabled: true },
      ...{ password_hash: 'x', totp_secret: 'x', discriminator: '0001', created_at: '2001-01-01T00:00:00.000Z' },
    });
    expect(status).toBe(200);
    const [row] = await service.sql(
      `SELECT id, bot, system, acls, flags, traits, email_verified, has_verified_phone, totp_secret, created_at
       FROM account WHERE lower(email) = 'mass@example.com'`,
    );
    expect(row).toMatchObject({
      ...{ id: body.user_id, bot: false, system: false, acls: [], flags: '0', traits: [], email_verified: false },
      ...{ has_verified_phone: false, totp_secret: null },
    });
    expect(body.user_id).not.toBe('1');
    expect(new Date(row?.created_at).getFullYear()).toBeGreaterThan(2020);
  });

  test('no operation on the account changes another account that its body names', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    const named = { id: bob.id, user_id: bob.id, account_id: bob.id };
    await service.as(alice).patch(ME, { ...named, bio: 'mine' });
    await service.as(alice).patch(`${ME}/settings`, { ...named, developer_mode: true });
    const { password } = alice;
    expect((await service.as(alice).delete(`${ME}/authorized-ips`, { ...named, password })).status).toBe(204);
    expect((await service.as(alice).post(`${ME}/disable`, { ...named, password })).status).toBe(204);
    expect((await service.as(bob).get(ME)).body.bio).toBeNull();
    expect((await service.as(bob).get(`${ME}/settings`)).body.developer_mode).toBe(false);
    expect(await service.sql('SELECT 1 FROM authorized_ip WHERE account_id = $1', [bob.id])).toHaveLength(1);
  });
});

describe('MAS-07 parallel changes', () => {
  test('parallel changes of different members of an account are all kept', async () => {
    const alice = await person(service, 'alice');
    const changes = [{ bio: 'about' }, { pronouns: 'she' }, { accent_color: 7 }, { global_name: 'Alice' }];
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => changes)
        .flat()
        .map((change) => service.as(alice).patch(ME, change)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await service.as(alice).get(ME)).body).toMatchObject(Object.assign({}, ...changes));
  });

  test('parallel changes of different settings are all kept', async () => {
    const alice = await person(service, 'alice');
    const changes = [{ theme: 'dark' }, { developer_mode: true }, { email_notifications: false }, { custom: { a: 1 } }];
    const responses = await Promise.all(changes.map((change) => service.as(alice).patch(`${ME}/settings`, change)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await service.as(alice).get(`${ME}/settings`)).body).toMatchObject(Object.assign({}, ...changes));
  });

  test('after parallel regenerations of backup codes, one complete set remains', async () => {
    const alice = await person(service, 'alice');
    const { backupCodes } = await withTotp(service, alice);
    const responses = await Promise.all(
      backupCodes
        .slice(0, 8)
        .map((mfa_code) =>
          service.as(alice).post(`${ME}/mfa/backup-codes`, { regenerate: true, mfa_method: 'totp', mfa_code }),
        ),
    );
    const sets = responses
      .filter(({ status }) => status === 200)
      .map(({ body }) => (body.backup_codes as { code: string }[]).map(({ code }) => code));
    expect(sets.length).toBeGreaterThan(0);
    for (const response of responses)
      if (response.status !== 200) expectInvalid(response, 'mfa_code: INVALID_MFA_CODE');
    expect(await service.sql('SELECT 1 FROM backup_code WHERE account_id = $1', [alice.id])).toHaveLength(10);
    const works = async (mfa_code: string) => {
      const body = { session_id_hashes: [], mfa_method: 'totp', mfa_code };
      return (await service.as(alice).post('/v1/auth/sessions/logout', body)).status === 204;
    };
    const alive = await Promise.all(sets.map(([code = '']) => works(code)));
    expect(alive.filter(Boolean)).toHaveLength(1);
  });
});

describe('SUS-03 the suspicious-activity gate in other spellings', () => {
  test('HEAD is gated like GET; other spellings of the path reach no route', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [alice.id]);
    const path = `${ME}/mfa/webauthn/credentials`;
    expectApiError(await service.as(alice).get(path), 'ACCOUNT_SUSPICIOUS_ACTIVITY');
    expect((await service.as(alice).send('HEAD', path)).status).toBe(403);
    for (const other of [`${path}/`, path.toUpperCase(), `/${path}`, `${path}/.`, path.replace('@me', '%40me/')]) {
      expect([403, 404]).toContain((await service.as(alice).get(other)).status);
    }
    const overridden = service.as(alice).with({ 'x-http-method-override': 'GET' });
    expectApiError(await overridden.post(`${ME}/terms-acceptance`), 'ACCOUNT_SUSPICIOUS_ACTIVITY');
  });
});
