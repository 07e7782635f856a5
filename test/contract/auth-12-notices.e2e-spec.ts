import { runCleanup } from '../support/cleanup.js';
import {
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  type Message,
  mailsTo,
  mailTo,
  type Persona,
  passkeySudo,
  person,
  race,
  signIn,
  sudoProof,
  type TestResponse,
  verifiedPerson,
  withPasskey,
  withTotp,
} from '../support/index.js';

const CREDENTIALS = '/v1/users/@me/mfa/webauthn/credentials';
const SWITCH = '/v1/users/@me/mfa/webauthn/two-factor';
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const ok = ({ status, body }: TestResponse) => {
  if (status !== 200 && status !== 204) throw new Error(`${status} ${JSON.stringify(body)}`);
};
const eventsOf = (messages: readonly Message[]) => messages.map(({ metadata }) => metadata.event).reverse();
const as = (persona: Persona) => service.as(persona).with({ 'user-agent': AGENT });

describe('auth 12 security notices of second factors', () => {
  test('adding, new backup codes and removal of an authenticator each send one notice, whose only secret is the lockdown link', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const proof = await sudoProof(service, alice, authenticator);
    ok(await as(alice).sudo(proof).post('/v1/users/@me/mfa/backup-codes', { regenerate: true }));
    ok(await as(alice).sudo(proof).post('/v1/users/@me/mfa/totp/disable', { code: authenticator.next() }));
    const notices = await mailsTo(service, alice.email, 'security_notice', 3);
    expect(eventsOf(notices)).toEqual(['totp_enabled', 'backup_codes_regenerated', 'totp_disabled']);
    for (const { metadata, text, html } of notices) {
      expect(Object.keys(metadata)).toEqual(['event', 'token']);
      const links = new Set(`${text}${html}`.match(/https?:\/\/(?!www\.w3\.org)[^\s"<]+/g));
      expect([...links]).toEqual([`http://localhost:8080/auth/lockdown#token=${metadata.token}`]);
      expect(text).toContain('When: ');
    }
    expect(notices[0]?.text).toContain('Firefox');
    expect(notices.map(({ text }) => text).join()).not.toContain(authenticator.secret.base32);
  });

  test('a passkey, the switch in both directions and the removal of the passkey send notices', async () => {
    const alice = await person(service, 'alice');
    const key = await withPasskey(service, alice);
    const turn = async (enabled: boolean) =>
      ok(await as(alice).put(SWITCH, { enabled, ...(await passkeySudo(service, alice, key)) }));
    await turn(true);
    await turn(true);
    await turn(false);
    const [passkey] = (await service.as(alice).get(CREDENTIALS)).body;
    ok(await as(alice).delete(`${CREDENTIALS}/${passkey.id}`, await passkeySudo(service, alice, key)));
    const notices = await mailsTo(service, alice.email, 'security_notice', 4);
    expect(eventsOf(notices)).toEqual([
      'passkey_added',
      'second_factor_enabled',
      'second_factor_disabled',
      'passkey_removed',
    ]);
  });

  test('they are sent regardless of the setting for optional email; a rejected change sends none', async () => {
    const alice = await verifiedPerson(service, 'alice');
    ok(await service.as(alice).patch('/v1/users/@me/settings', { email_notifications: false }));
    const wrong = { password: 'not the password', new_password: 'some other password' };
    expect((await service.as(alice).patch('/v1/users/@me', wrong)).status).toBe(400);
    expect(await inboxAfterDelivery(service, alice.email, 'security_notice')).toEqual([]);
    const right = { password: alice.password, new_password: 'some other password' };
    ok(await service.as(alice).patch('/v1/users/@me', right));
    expect(eventsOf(await mailsTo(service, alice.email, 'security_notice', 1))).toEqual(['password_changed']);
  });
});

describe('auth 12 who gets security notices, and how many', () => {
  const CHANGE = { new_password: 'some other password' };

  test('an email address that was never verified gets none, whatever happens to the account; the events report all', async () => {
    const alice = await person(service, 'alice');
    ok(await as(alice).patch('/v1/users/@me', { password: alice.password, ...CHANGE }));
    const again = { ...alice, authorization: await signIn(service, { ...alice, password: CHANGE.new_password }) };
    ok(await as(again).post('/v1/users/@me/delete', { password: CHANGE.new_password }));
    const reported = (await inboxAfterDelivery(service, alice.email)).map(({ type }) => type);
    expect(new Set(reported)).toEqual(new Set(['email_verification']));
    const events = await service.sql('SELECT type FROM security_event WHERE account_id = $1', [alice.id]);
    const types = ['password_changed', 'account_deletion_scheduled'];
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(types));
  });

  test('at most ten per hour, of all kinds together; the others wait for one digest with a link that locks the account', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const proof = await sudoProof(service, alice, authenticator);
    const own = service.as(alice);
    const regenerated = await race(32, () =>
      own.sudo(proof).post('/v1/users/@me/mfa/backup-codes', { regenerate: true }),
    );
    expect(regenerated.statuses).toEqual({ 200: 32 });
    ok(await own.sudo(proof).post('/v1/users/@me/delete', {}));
    const notices = await inboxAfterDelivery(service, alice.email);
    expect(notices.filter(({ type }) => type !== 'email_verification')).toHaveLength(10);
    expect(await inboxAfterDelivery(service, alice.email, 'account_deletion_scheduled')).toEqual([]);
    const waiting = await service.sql(
      "SELECT next_attempt_at > now() + interval '59 minutes' AS late FROM outbox WHERE type = 'security_digest'",
    );
    expect(waiting).toEqual([{ late: true }]);
    await service.sql(
      `UPDATE outbox SET created_at = created_at - interval '1 hour', next_attempt_at = next_attempt_at - interval '1 hour'
         WHERE lower(recipient) = lower($1)`,
      [alice.email],
    );
    const digest = await mailTo(service, alice.email, 'security_digest');
    expect(digest.metadata.events).toEqual(['backup_codes_regenerated', 'account_deletion_scheduled']);
    expect(digest.text).toContain('Your account was scheduled for deletion.');
    ok(await service.anonymous.post('/v1/auth/lockdown', { token: digest.metadata.token }));
    expect(await inboxAfterDelivery(service, alice.email, 'security_digest')).toHaveLength(1);
    expect(eventsOf(await mailsTo(service, alice.email, 'security_notice', 11)).at(-1)).toBe('locked_down');
  });
});

describe('RST-01 the host of a link', () => {
  test('is the configured one in every email, regardless of the request', async () => {
    const lying = service.anonymous.with({
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
      'x-forwarded-proto': 'https',
      'x-original-url': 'https://evil.example/',
      origin: 'https://evil.example',
      referer: 'https://evil.example/',
    });
    const email = 'linked@example.com';
    const password = 'a password for links';
    ok(await lying.post('/v1/auth/register', { email, password }));
    ok(await lying.post('/v1/auth/forgot', { email }));
    const held = await lying.from('127.0.60.1').post('/v1/auth/login', { email, password });
    expect(held.body.code).toBe('IP_AUTHORIZATION_REQUIRED');
    for (const type of ['email_verification', 'password_reset', 'ip_authorization']) {
      const [mail] = await mailsTo(service, email, type, 1);
      expect([type, `${mail?.text}${mail?.html}`.includes('evil.example')]).toEqual([type, false]);
      expect(mail?.text).toContain(`http://localhost:8080/`);
      expect(mail?.text).toContain(`#token=${mail?.metadata.token}`);
    }
  });
});

describe('design 4 the outbox is cleaned up', () => {
  test('email is deleted a week after it was sent, parked or, without a transport, written', async () => {
    await service.sql(
      `INSERT INTO outbox (id, type, recipient, created_at, next_attempt_at, sent_at, parked_at)
       SELECT id, 'security_notice', 'x@example.com', now() - age, now() + interval '1 day', sent, parked
       FROM (VALUES
         (1, interval '9 days', now() - interval '8 days', NULL),
         (2, interval '9 days', NULL::timestamptz, now() - interval '8 days'),
         (3, interval '8 days', NULL, NULL),
         (4, interval '9 days', now() - interval '6 days', NULL),
         (5, interval '6 days', NULL, NULL)) AS row (id, age, sent, parked)`,
    );
    await runCleanup(service);
    const rows = await service.sql('SELECT id FROM outbox WHERE id < 10 ORDER BY id');
    expect(rows.map(({ id }) => id)).toEqual(['4', '5']);
  });
});
