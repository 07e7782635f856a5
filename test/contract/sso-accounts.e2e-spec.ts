import { randomBytes } from 'node:crypto';
import { administrator, auditOf, setAcls } from '../support/admin.js';
import {
  createCredentialSet,
  Events,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  inboxAfterDelivery,
  mailTo,
  newApp,
  newTokens,
  type Persona,
  person,
  signIn,
  type TestResponse,
  verifyEmail,
  withPasskey,
  withTotp,
} from '../support/index.js';
import {
  type Claims,
  configureSso,
  gatehouseWithSso,
  ScriptedProvider,
  signInBySso,
  startSso,
} from '../support/sso.js';

let provider: ScriptedProvider;
let service: Gatehouse;
let admin: Persona;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  service = await gatehouseWithSso(provider);
  admin = await administrator(service, '*');
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

const subject = () => randomBytes(8).toString('hex');
const sso = (claims: Claims) => signInBySso(service, provider, claims);
const me = async (token: string) => (await service.as(token).get('/v1/users/@me')).body;
const identityOf = async ({ id }: { id: string }) =>
  service.sql('SELECT issuer, subject FROM sso_identity WHERE account_id = $1', [id]);
const rowOf = async ({ id }: { id: string }) => (await service.sql('SELECT * FROM account WHERE id = $1', [id]))[0];
const asAdmin = () => service.as(admin);

/** Runs a request that must be rejected. Asserts that the account, its links and its sessions did not change. */
async function untouched(account: { id: string }, refused: () => Promise<void>): Promise<void> {
  const state = async () => ({
    row: await rowOf(account),
    links: await identityOf(account),
    sessions: await service.sql('SELECT id FROM session WHERE account_id = $1 AND revoked_at IS NULL', [account.id]),
  });
  const before = await state();
  await refused();
  expect(await state()).toEqual(before);
}

async function verified(name: string): Promise<Persona> {
  const persona = await person(service, name);
  await verifyEmail(service, persona);
  return persona;
}

describe('sso.md section 3: a linked identity', () => {
  test('row 1: it decides, regardless of the email address on both sides; the local one is unchanged', async () => {
    const sub = subject();
    const victim = await verified('victim');
    const { body: first } = await sso({ sub, email: `${sub}@corp.example.com` });
    const { body: second } = await sso({ sub, email: victim.email });
    expect(second.user_id).toBe(first.user_id);
    expect((await me(second.token)).email).toBe(`${sub}@corp.example.com`);
    expect(await identityOf(victim)).toEqual([]);
  });

  test('the key is issuer and subject: the same subject of another issuer is another user', async () => {
    const sub = subject();
    const { body: first } = await sso({ sub });
    await service.sql('UPDATE sso_identity SET issuer = $1 WHERE subject = $2', ['https://former.example', sub]);
    const { body } = await sso({ sub, email: `${sub}.new@corp.example.com` });
    expect(body.user_id).not.toBe(first.user_id);
    // The link to the former issuer still exists.
    expect(await identityOf({ id: first.user_id })).toEqual([{ issuer: 'https://former.example', subject: sub }]);
  });

  test('row 1: ends a lockdown only while single sign-on is enforced', async () => {
    const [sub, owner] = [subject(), await verified('owner')];
    await sso({ sub, email: owner.email });
    const change = { password: owner.password, new_password: 'another password of it' };
    await service.as(owner).patch('/v1/users/@me', change).expect(200);
    const { metadata } = await mailTo(service, owner.email, 'security_notice');
    await service.anonymous.post('/v1/auth/lockdown', { token: metadata.token }).expect(200);
    await untouched(owner, async () => expectApiError(await sso({ sub }), 'ACCESS_DENIED'));
    await configureSso(service, { enforced: true });
    try {
      const stranger = await sso({ sub: subject() });
      expect(stranger.body.user_id).not.toBe(owner.id);
      expect((await rowOf(owner))?.traits).toContain('locked_down');
      const { body } = await sso({ sub });
      expect([body.user_id, (await rowOf(owner))?.traits]).toEqual([
        owner.id,
        expect.not.arrayContaining(['locked_down']),
      ]);
    } finally {
      await configureSso(service, { enforced: false });
    }
  });

  describe('row 1: an administrator must be linked again after the provider changes', () => {
    const described = () => ({
      authorization_url: `${provider.issuer}/authorize`,
      token_url: `${provider.issuer}/token`,
      jwks_url: `${provider.issuer}/keys`,
    });
    const restore = () =>
      configureSso(service, {
        ...{ issuer: provider.issuer, client_id: provider.clientId },
        ...{ authorization_url: null, token_url: null, userinfo_url: null, jwks_url: null },
      });
    const linked = async (name: string, acls: string[]) => {
      const persona = await verified(name);
      const sub = subject();
      expect((await sso({ sub, email: persona.email })).status).toBe(200);
      await setAcls(service, persona, acls);
      return { ...persona, sub };
    };
    const change = (members: Claims) => asAdmin().patch('/v1/admin/instance/config', { sso: members });
    afterEach(restore);

    test.each<[string, () => Claims]>([
      ['issuer', () => ({ issuer: 'https://other.example', ...described() })],
      ['authorization_url', () => ({ authorization_url: described().authorization_url })],
      ['token_url', () => ({ token_url: described().token_url })],
      ['userinfo_url', () => ({ userinfo_url: `${provider.issuer}/userinfo` })],
      ['jwks_url', () => ({ jwks_url: described().jwks_url })],
      ['client_id', () => ({ client_id: 'another' })],
    ])(
      'a change of %s removes the links of all accounts with an admin ACL, and returns their number',
      async (_, members) => {
        const bosses = [await linked('boss', ['*']), await linked('clerk', ['user:lookup'])];
        const alice = await linked('alice', []);
        const { status, body } = await change(members());
        expect([status, body.voided_admin_links]).toEqual([200, 2]);
        for (const boss of bosses) {
          expect(await identityOf(boss)).toEqual([]);
          expect((await rowOf(boss))?.traits).toEqual([]);
        }
        expect(await identityOf(alice)).toEqual([{ issuer: provider.issuer, subject: alice.sub }]);
        expect((await auditOf(service, 'update_instance_config')).at(-1)?.metadata.voided_admin_links).toBe('2');

        // Switching back to the former provider does not restore the removed links.
        await restore();
        for (const { sub, email } of bosses) expectInvalid(await sso({ sub, email }), 'code: SSO_IDENTITY_MISMATCH');
        expect((await sso({ sub: alice.sub })).body.user_id).toBe(alice.id);
        const [boss] = bosses as [(typeof bosses)[0]];
        await asAdmin().put(`/v1/admin/users/${boss.id}/sso-identity`, { subject: boss.sub });
        expect((await sso({ sub: boss.sub })).body.user_id).toBe(boss.id);
        await setAcls(service, boss, []);
      },
    );

    test('any other change, or one to the present value, removes none and returns no number', async () => {
      const boss = await linked('boss', ['*']);
      const others = { display_name: 'Company', allowed_domains: [], client_secret: provider.clientSecret };
      for (const members of [others, { client_id: provider.clientId, token_url: null }, { auto_provision: true }]) {
        const { status, body } = await change(members);
        expect([status, 'voided_admin_links' in body]).toEqual([200, false]);
      }
      expect((await sso({ sub: boss.sub })).body.user_id).toBe(boss.id);
      await setAcls(service, boss, []);
    });
  });

  test('the subject is compared exactly', async () => {
    const sub = `Case-${subject()}`;
    const { body: first } = await sso({ sub });
    const { body: second } = await sso({ sub: sub.toLowerCase() });
    expect(second.user_id).not.toBe(first.user_id);
  });
});

describe('sso.md section 3: an account with the email address', () => {
  test('row 2: an account with any admin ACL is never adopted; an administrator links it', async () => {
    const boss = await verified('boss');
    await setAcls(service, boss, ['user:lookup']);
    const sub = subject();
    await untouched(boss, async () => {
      expectInvalid(await sso({ sub, email: boss.email }), 'code: SSO_IDENTITY_MISMATCH');
    });
    const linked = await asAdmin().put(`/v1/admin/users/${boss.id}/sso-identity`, { subject: sub });
    expect([linked.status, linked.body.user.sso_linked, linked.body.user.traits]).toEqual([200, true, ['sso']]);
    expect((await sso({ sub, email: boss.email })).body.user_id).toBe(boss.id);
  });

  test('row 3: linked to another subject of this issuer', async () => {
    const alice = await verified('alice');
    expect((await sso({ sub: subject(), email: alice.email })).body.user_id).toBe(alice.id);
    await untouched(alice, async () => {
      expectInvalid(await sso({ sub: subject(), email: alice.email }), 'code: SSO_IDENTITY_MISMATCH');
    });
  });

  test('row 4: a verified address is adopted; password and authenticators stay, no challenge, no hold', async () => {
    const alice = await verified('alice');
    await withTotp(service, alice);
    const events = new Events(service);
    const sub = subject();
    const { status, body } = await sso({ sub, email: alice.email.toUpperCase().replace('EXAMPLE.COM', 'example.com') });
    expect({ status, id: body.user_id }).toEqual({ status: 200, id: alice.id });
    expect(events.of(alice)).toContain('USER_UPDATE');
    const account = await me(body.token);
    expect(account).toEqual(
      expect.objectContaining({ email: alice.email, traits: ['sso'], mfa_enabled: true, verified: true }),
    );
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
    const { body: login } = await service.anonymous.post('/v1/auth/login', alice);
    expect(login).toEqual(expect.objectContaining({ mfa: true, totp: true }));
    expect((await mailTo(service, alice.email, 'security_notice', 2)).metadata).toEqual({
      ...{ event: 'sso_linked', token: expect.any(String) },
    });
    const audited = await auditOf(service);
    expect(audited.filter(({ target_id }) => target_id === alice.id)).toEqual([]);
  });

  test('the notice is emailed once, not at every sign-in', async () => {
    const alice = await verified('alice');
    const sub = subject();
    await sso({ sub, email: alice.email });
    await sso({ sub, email: alice.email });
    expect(await inboxAfterDelivery(service, alice.email, 'security_notice')).toHaveLength(1);
  });

  test('row 5: an unverified address is adopted after all previous credentials are revoked', async () => {
    const mallory = await verified('mallory');
    const { authenticator } = await withTotp(service, mallory);
    const passkey = await withPasskey(service, mallory, undefined, {
      mfa_method: 'totp',
      mfa_code: authenticator.next(),
    });
    const app = await newApp(service, await person(service, 'dev'));
    const tokens = await newTokens(service, mallory, app);
    const code = authenticator.next();
    const { body: personal } = await service
      .as(mallory)
      .post('/v1/users/@me/access-tokens', { name: 'Script', scopes: ['identify'], mfa_method: 'totp', mfa_code: code })
      .expect(201);
    const own = await newApp(service, mallory);
    await service.sql(
      "INSERT INTO webhook (id, owner_id, name, digest) VALUES ((SELECT max(id) + 1 FROM account), $1, 'hook', $2)",
      [mallory.id, randomBytes(32)],
    );
    await service.anonymous.post('/v1/auth/forgot', { email: mallory.email });
    const { metadata: reset } = await mailTo(service, mallory.email, 'password_reset');
    const { body: challenge } = await service.anonymous.post('/v1/auth/login', mallory);
    await service.sql('UPDATE account SET email_verified = false WHERE id = $1', [mallory.id]);
    const { epoch } = (await rowOf(mallory)) as { epoch: number };

    const events = new Events(service);
    const { status, body } = await sso({ sub: subject(), email: mallory.email });
    expect({ status, id: body.user_id }).toEqual({ status: 200, id: mallory.id });
    expect(events.of(mallory)).toContain('USER_UPDATE');
    const account = await me(body.token);
    expect(account).toEqual(
      expect.objectContaining({
        ...{ verified: true, mfa_enabled: false, password_last_changed_at: null, traits: ['sso'] },
      }),
    );
    const [notice] = await inboxAfterDelivery(service, mallory.email, 'security_notice');
    expect(notice?.metadata).toEqual({ event: 'sso_taken_over', token: expect.any(String) });

    for (const authorization of [mallory.authorization, `Bearer ${personal.token}`]) {
      expectApiError(await service.as(authorization).get('/v1/users/@me'), 'UNAUTHORIZED');
    }
    expectInvalid(
      await service.anonymous.post('/v1/auth/login', mallory),
      ...['email', 'password'].map((member) => `${member}: INVALID_EMAIL_OR_PASSWORD`),
    );
    const ticket = { ticket: challenge.ticket, code: authenticator.next() };
    expectInvalid(await service.anonymous.post('/v1/auth/login/mfa/totp', ticket), 'ticket: SESSION_TIMEOUT');
    expectInvalid(
      await service.anonymous.post('/v1/auth/reset', { token: reset.token, password: 'a quite new password' }),
      'token: INVALID_OR_EXPIRED_RESET_TOKEN',
    );
    const { body: options } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    expectApiError(
      await service.anonymous.post('/v1/auth/webauthn/authenticate', {
        response: passkey.get(options),
        challenge: options.challenge,
      }),
      'PASSKEY_AUTHENTICATION_FAILED',
    );
    expectApiError(await service.as(`Bearer ${tokens.access_token}`).get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(await service.as(own.bot).get('/v1/users/@me'), 'UNAUTHORIZED');
    // An account without factors needs no sudo proof. The new epoch shows that the old proof is no longer valid.
    expect((await rowOf(mallory))?.epoch).toBe(epoch + 1);
    const left = await service.sql(
      `SELECT (SELECT count(*) FROM passkey WHERE account_id = $1) + (SELECT count(*) FROM backup_code WHERE account_id = $1)
         + (SELECT count(*) FROM oauth_family WHERE account_id = $1) + (SELECT count(*) FROM webhook WHERE owner_id = $1)
         + (SELECT count(*) FROM application WHERE owner_id = $1)
         + (SELECT count(*) FROM one_time_secret WHERE subject = $1::text) AS things,
         (SELECT count(*)::int FROM authorized_ip WHERE account_id = $1) AS ips`,
      [mallory.id],
    );
    // The remaining row is the token of the notice link, which can only lock the account down.
    expect(left).toEqual([{ things: '1', ips: 1 }]);
  });

  test('row 5: a login in progress with a password that the adoption removed gets no session', async () => {
    for (let round = 0; round < 4; round++) {
      const mallory = await person(service, 'mallory');
      const { authorization_url: url, state } = await startSso(service);
      const code = provider.visit(url, { sub: subject(), email: mallory.email });
      const logins = Array.from({ length: 4 }, () => service.anonymous.post('/v1/auth/login', mallory));
      const complete = service.anonymous.post('/v1/auth/sso/complete', { code, state });
      const [owner, ...others] = await Promise.all([complete, ...logins]);
      expect(owner?.status).toBe(200);
      for (const { status, body } of others as TestResponse[]) {
        if (status !== 200) continue;
        expectApiError(await service.as(body.token).get('/v1/users/@me'), 'UNAUTHORIZED');
      }
      expect((await service.as(owner?.body.token).get('/v1/users/@me')).status).toBe(200);
    }
  });
});

describe('sso.md section 3: no account', () => {
  afterEach(async () => {
    await configureSso(service, { auto_provision: true });
    await asAdmin().patch('/v1/admin/instance/config', { registration: { mode: 'open', initial_suspicious_flags: 0 } });
  });
  const accounts = async () => (await service.sql('SELECT count(*)::int AS n FROM account'))[0]?.n;

  test('row 6: without auto-provisioning, SSO_REQUIRED; row 7: registration closed', async () => {
    const before = await accounts();
    await configureSso(service, { auto_provision: false });
    expectApiError(await sso({}), 'SSO_REQUIRED');
    await asAdmin().patch('/v1/admin/instance/config', { registration: { mode: 'closed' } });
    expectApiError(await sso({}), 'SSO_REQUIRED');
    await configureSso(service, { auto_provision: true });
    expectApiError(await sso({}), 'REGISTRATION_CLOSED');
    expect(await accounts()).toBe(before);
  });

  test('row 8: provisioned: verified, no password, no authenticator, default settings, claimed', async () => {
    const sub = subject();
    const email = `${sub}@corp.example.com`;
    const { body } = await sso({ sub, email, preferred_username: 'grace', name: 'Grace Hopper' });
    expect(await me(body.token)).toEqual(
      expect.objectContaining({
        ...{ username: 'grace', global_name: 'Grace Hopper', email, verified: true, traits: ['sso'], acls: [] },
        ...{ mfa_enabled: false, password_last_changed_at: null, terms_agreed_at: null, locale: 'en-US' },
      }),
    );
    expect(await identityOf({ id: body.user_id })).toEqual([{ issuer: provider.issuer, subject: sub }]);
    expect((await service.as(body.token).get('/v1/users/@me/settings')).status).toBe(200);
    expect((await newApp(service, { ...admin, authorization: body.token })).id).toMatch(/^\d+$/);
    expect(await inboxAfterDelivery(service, email)).toEqual([]);
    expectInvalid(
      await service.anonymous.post('/v1/auth/login', { email, password: 'whatever it is' }),
      ...['email', 'password'].map((member) => `${member}: INVALID_EMAIL_OR_PASSWORD`),
    );
  });

  test.each([
    [{ preferred_username: 'ada.l@corp.example.com' }, 'adal', null],
    [{ preferred_username: 'Ünïcödé Näme' }, 'Unicode_Name', null],
    [{ preferred_username: '\u0000\u202eevil', name: 'A\u0000\u202eB' }, 'evil', 'AB'],
    [{ preferred_username: 'everyone', name: 'Ada Lovelace' }, 'Ada_Lovelace', 'Ada Lovelace'],
    [{ preferred_username: 'here', name: 'everyone' }, 'localpart', null],
    [{ preferred_username: 'system_message', name: 'System Message' }, 'localpart', null],
    [{ preferred_username: '日本', name: '日本語の名前' }, 'localpart', '日本語の名前'],
    [{ preferred_username: 5, name: { toString: 'x' } }, 'localpart', null],
    [{ preferred_username: ['a'], name: null }, 'localpart', null],
    [{ preferred_username: '', name: ' ' }, 'localpart', null],
    [{ name: 'x'.repeat(33) }, 'x'.repeat(32), null],
    [{ name: '\ud800' }, 'localpart', null],
    [{ preferred_username: '\ud800', name: '\udc00\u0000', nickname: '\ud800', picture: '\ud800' }, 'localpart', null],
    [{ preferred_username: `\udc00${'\u{1f600}'.repeat(600)}`, name: `Ada\ud83d` }, 'Ada', null],
  ])('username and global name from %j', async (claims, username, globalName) => {
    const email = `local.part@${subject()}.example.com`;
    const { status, body } = await sso({ sub: subject(), email, ...claims });
    expect({ status, username: body.user?.username, globalName: body.user?.global_name }).toEqual({
      ...{ status: 200, username, globalName },
    });
  });

  test('oversized claims and prototype keys are harmless', async () => {
    const huge = 'x'.repeat(300_000);
    const claims = JSON.parse('{"__proto__": {"email_verified": true}, "constructor": {"prototype": {"x": 1}}}');
    const { status, body } = await sso({ ...claims, name: huge, preferred_username: huge, sub: subject() });
    expect([status, body.user.username, body.user.global_name]).toEqual([200, 'x'.repeat(32), null]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test('unusable names: a name is generated', async () => {
    const email = `+@${subject()}.example.com`;
    const { status, body } = await sso({ sub: subject(), email, preferred_username: '!!!' });
    expect([status, body.user.username]).toEqual([200, expect.stringMatching(/^user_\d{8}$/)]);
  });

  test('no available discriminator', async () => {
    await service.sql(
      `INSERT INTO account (id, username, discriminator, created_at)
       SELECT 1000 + n, 'crowded', n, now() FROM generate_series(1, 9999) AS n`,
    );
    const before = await accounts();
    expectInvalid(await sso({ preferred_username: 'Crowded' }), 'code: SSO_UNABLE_TO_ALLOCATE_DISCRIMINATOR');
    expect(await accounts()).toBe(before);
    await service.sql("DELETE FROM account WHERE username = 'crowded'");
  });

  test('approval: the account is created and waits; it can sign in only if it is approved', async () => {
    await asAdmin().patch('/v1/admin/instance/config', { registration: { mode: 'approval' } });
    for (const [status, outcome] of [
      ['approved', null],
      ['rejected', 'REGISTRATION_REJECTED'],
    ] as const) {
      const sub = subject();
      const email = `${sub}@corp.example.com`;
      expectApiError(await sso({ sub, email }), 'REGISTRATION_PENDING_APPROVAL');
      expectApiError(await sso({ sub, email }), 'REGISTRATION_PENDING_APPROVAL');
      const [row] = await service.sql('SELECT id, traits FROM account WHERE email = $1', [email]);
      expect([...(row?.traits ?? [])].sort()).toEqual(['registration_pending_approval', 'sso']);
      expect(await service.sql('SELECT 1 FROM session WHERE account_id = $1', [row?.id])).toHaveLength(0);
      await asAdmin().patch(`/v1/admin/instance/pending-registrations/${row?.id}`, { status });
      const response = await sso({ sub, email });
      if (outcome) expectApiError(response, outcome);
      else expect(response.body.user_id).toBe(row?.id);
    }
  });

  test('risk rules may require more: the session is issued, and the gate applies afterwards', async () => {
    await asAdmin().patch('/v1/admin/instance/config', { registration: { initial_suspicious_flags: 4 } });
    const { status, body } = await sso({});
    expect(status).toBe(200);
    expectApiError(await service.as(body.token).post('/v1/users/@me/disable', {}), 'ACCOUNT_SUSPICIOUS_ACTIVITY', {
      data: { suspicious_activity_flags: 4 },
    });
  });
});

describe('sso.md section 3: the state of the account', () => {
  const states: [name: string, prepare: (account: Persona) => Promise<unknown>, code: string][] = [
    [
      'deleted by an administrator',
      ({ id }) => asAdmin().put(`/v1/admin/users/${id}/deletion`, { reason_code: 3 }),
      'ACCESS_DENIED',
    ],
    [
      'disabled for suspicious activity',
      ({ id }) => asAdmin().put(`/v1/admin/users/${id}/suspicious-activity-disablement`, { flags: 1 }),
      'ACCESS_DENIED',
    ],
    [
      'banned for a time',
      ({ id }) => asAdmin().put(`/v1/admin/users/${id}/ban`, { duration_hours: 5 }),
      'ACCOUNT_SUSPENDED_TEMPORARILY',
    ],
    [
      'banned',
      ({ id }) => asAdmin().put(`/v1/admin/users/${id}/ban`, { duration_hours: 0 }),
      'ACCOUNT_SUSPENDED_PERMANENTLY',
    ],
    [
      'awaiting approval',
      ({ id }) =>
        service.sql("UPDATE account SET traits = array_append(traits, 'registration_pending_approval') WHERE id = $1", [
          id,
        ]),
      'REGISTRATION_PENDING_APPROVAL',
    ],
    [
      'rejected',
      ({ id }) =>
        service.sql("UPDATE account SET traits = array_append(traits, 'registration_rejected') WHERE id = $1", [id]),
      'REGISTRATION_REJECTED',
    ],
  ];

  test.each(states)('%s: rejected, and neither adopted nor deleted', async (_name, prepare, code) => {
    for (const isVerified of [true, false]) {
      const account = isVerified ? await verified('state') : await person(service, 'state');
      expect(await prepare(account)).toBeDefined();
      await untouched(account, async () => {
        expectApiError(await sso({ sub: subject(), email: account.email }), code);
      });
    }
  });

  test.each(states)('%s: also rejected if it is linked', async (_name, prepare, code) => {
    const account = await verified('state');
    const sub = subject();
    expect((await sso({ sub, email: account.email })).status).toBe(200);
    await prepare(account);
    await untouched(account, async () => {
      expectApiError(await sso({ sub, email: account.email }), code);
    });
  });

  test('a bot', async () => {
    const { applicationId } = await createCredentialSet(service);
    const sub = subject();
    const link = await asAdmin().put(`/v1/admin/users/${applicationId}/sso-identity`, { subject: sub });
    expectApiError(link, 'ACCESS_DENIED');
    await service.sql('INSERT INTO sso_identity (issuer, subject, account_id) VALUES ($1, $2, $3)', [
      ...[provider.issuer, sub, applicationId],
    ]);
    await untouched({ id: applicationId }, async () => {
      expectApiError(await sso({ sub }), 'BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
    });
  });

  test('a deleted account whose data is erased', async () => {
    const sub = subject();
    const { body } = await sso({ sub });
    await service.sql('UPDATE account SET deleted_at = now(), email = NULL WHERE id = $1', [body.user_id]);
    expectApiError(await sso({ sub, email: `${sub}@corp.example.com` }), 'ACCESS_DENIED');
  });

  test('an expired ban is lifted', async () => {
    const account = await verified('banned');
    await asAdmin().put(`/v1/admin/users/${account.id}/ban`, { duration_hours: 5 });
    await service.sql("UPDATE account SET banned_until = now() - interval '1 minute' WHERE id = $1", [account.id]);
    expect((await sso({ sub: subject(), email: account.email })).body.user_id).toBe(account.id);
    expect(await rowOf(account)).toEqual(expect.objectContaining({ banned: false, banned_until: null, flags: '0' }));
  });

  test('a disablement by the user ends, and their own deletion is canceled', async () => {
    for (const operation of ['disable', 'delete']) {
      const account = await verified('gone');
      const response = await service.as(account).post(`/v1/users/@me/${operation}`, { password: account.password });
      expect(response.status).toBe(204);
      const { status, body } = await sso({ sub: subject(), email: account.email });
      expect([status, body.user_id]).toEqual([200, account.id]);
      expect(await rowOf(account)).toEqual(expect.objectContaining({ flags: '0', deletion_at: null }));
    }
  });

  test('outstanding requirements: the session is issued, the gate applies afterwards', async () => {
    const account = await verified('suspicious');
    await asAdmin().put(`/v1/admin/users/${account.id}/suspicious-activity-flags`, { flags: 8 });
    const { status, body } = await sso({ sub: subject(), email: account.email });
    expect(status).toBe(200);
    expectApiError(await service.as(body.token).post('/v1/users/@me/disable', {}), 'ACCOUNT_SUSPICIOUS_ACTIVITY');
  });

  test('the IP address of the caller is authorized: a password login from it is not held', async () => {
    const account = await verified('traveller');
    await service.sql('DELETE FROM authorized_ip WHERE account_id = $1', [account.id]);
    expectApiError(await service.anonymous.post('/v1/auth/login', account), 'IP_AUTHORIZATION_REQUIRED');
    await sso({ sub: subject(), email: account.email });
    expect(await signIn(service, account)).toMatch(/^flx_/);
  });
});

describe('sso.md 3.1: races', () => {
  /** Prepares all callbacks, then completes them in parallel. */
  async function allAtOnce(count: number, claims: (index: number) => Claims): Promise<TestResponse[]> {
    const bodies: { code: string; state: string }[] = [];
    for (let index = 0; index < count; index++) {
      const { authorization_url: url, state } = await startSso(service);
      bodies.push({ code: provider.visit(url, claims(index)), state });
    }
    return Promise.all(bodies.map((body) => service.anonymous.post('/v1/auth/sso/complete', body)));
  }

  test('32 parallel callbacks of one new identity create one account, and all sign in to it', async () => {
    const sub = subject();
    const responses = await allAtOnce(32, () => ({ sub, email: `${sub}@corp.example.com` }));
    expect(responses.map(({ status }) => status)).toEqual(Array(32).fill(200));
    expect(new Set(responses.map(({ body }) => body.user_id)).size).toBe(1);
    expect(await service.sql('SELECT 1 FROM account WHERE email = $1', [`${sub}@corp.example.com`])).toHaveLength(1);
  });

  test('parallel callbacks with one address and different subjects: one account, the others are a mismatch', async () => {
    const email = `${subject()}@corp.example.com`;
    const responses = await allAtOnce(16, () => ({ sub: subject(), email }));
    const winners = responses.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const response of responses) {
      if (response !== winners[0]) expectInvalid(response, 'code: SSO_IDENTITY_MISMATCH');
    }
    expect(await identityOf({ id: winners[0]?.body.user_id })).toHaveLength(1);
  });

  test('parallel callbacks of one identity with different addresses create one account', async () => {
    const sub = subject();
    const responses = await allAtOnce(16, (index) => ({ sub, email: `${sub}.${index}@corp.example.com` }));
    expect(responses.map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect(new Set(responses.map(({ body }) => body.user_id)).size).toBe(1);
    expect(await service.sql('SELECT 1 FROM account WHERE email LIKE $1', [`${sub}.%`])).toHaveLength(1);
  });

  test('parallel adoption of one account: one link, one notice', async () => {
    const account = await person(service, 'adopted');
    const sub = subject();
    const responses = await allAtOnce(16, () => ({ sub, email: account.email }));
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.user_id}`))).toEqual(
      new Set([`200 ${account.id}`]),
    );
    for (const { body } of responses) expect((await service.as(body.token).get('/v1/users/@me')).status).toBe(200);
    expect(await inboxAfterDelivery(service, account.email, 'security_notice')).toHaveLength(1);
  });

  test('a concurrent registration with the same address: one account', async () => {
    const email = `${subject()}@corp.example.com`;
    const { authorization_url: url, state } = await startSso(service);
    const code = provider.visit(url, { sub: subject(), email });
    const [completed, registered] = await Promise.all([
      service.anonymous.post('/v1/auth/sso/complete', { code, state }),
      service.anonymous.post('/v1/auth/register', { email, password: 'a long enough password' }),
    ]);
    expect(completed?.status).toBe(200);
    expect(await service.sql('SELECT 1 FROM account WHERE email = $1', [email])).toHaveLength(1);
    if (registered?.status === 200) expect(registered.body.user_id).toBe(completed?.body.user_id);
    else expectInvalid(registered as TestResponse, 'email: EMAIL_ALREADY_IN_USE');
  });
});

describe('admin.md 5.3: identities', () => {
  const path = (id: string) => `/v1/admin/users/${id}/sso-identity`;

  test('linking and unlinking are audited and repeatable; the trait follows, and sessions stay', async () => {
    const alice = await verified('alice');
    const sub = subject();
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, body } = await asAdmin().put(path(alice.id), { subject: sub });
      expect([status, body.user.sso_linked, body.user.traits]).toEqual([200, true, ['sso']]);
    }
    const { body: session } = await sso({ sub, email: 'somebody@else.example.com' });
    expect(session.user_id).toBe(alice.id);
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, body } = await asAdmin().delete(path(alice.id));
      expect([status, body.user.sso_linked, body.user.traits]).toEqual([200, false, []]);
    }
    expect((await service.as(session.token).get('/v1/users/@me')).status).toBe(200);
    const facts = { issuer: provider.issuer, subject: sub };
    const links = await auditOf(service, 'link_sso_identity');
    expect(links.at(-1)).toEqual(expect.objectContaining({ target_id: alice.id, metadata: facts }));
    const unlinks = await auditOf(service, 'unlink_sso_identity');
    expect(unlinks.map(({ metadata }) => metadata)).toEqual([facts, { ...facts, subject: '' }]);
  });

  test('a subject that is linked to another account, or an account that has another subject', async () => {
    const [alice, bob] = [await verified('alice'), await verified('bob')];
    const sub = subject();
    await asAdmin().put(path(alice.id), { subject: sub });
    await untouched(bob, async () => {
      expectInvalid(await asAdmin().put(path(bob.id), { subject: sub }), 'subject: SSO_IDENTITY_MISMATCH');
    });
    expectInvalid(await asAdmin().put(path(alice.id), { subject: subject() }), 'subject: SSO_IDENTITY_MISMATCH');
    expectInvalid(await asAdmin().put(path(bob.id), { subject: '' }), 'subject: INVALID_FORMAT');
    expectInvalid(
      await asAdmin().put(path(bob.id), { subject: 'x'.repeat(256) }),
      'subject: CONTENT_EXCEEDS_MAX_LENGTH',
    );
    expectApiError(await asAdmin().put(path('5'), { subject: sub }), 'UNKNOWN_USER');
  });

  test('only with user:update:sso', async () => {
    const other = await administrator(service, 'user:lookup', 'user:update:flags');
    const alice = await verified('alice');
    for (const response of [
      await service.as(other).put(path(alice.id), { subject: 'x' }),
      await service.as(other).delete(path(alice.id)),
    ]) {
      expectApiError(response, 'MISSING_ACL');
    }
  });
});
