import {
  eventually,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  mailsTo,
  mailTo,
  type Persona,
  person,
  race,
  sessionsOf,
  type TestResponse,
  withGatehouse,
  withTotp,
} from '../support/index.js';

const TOKEN = 'token: INVALID_OR_EXPIRED_AUTHORIZATION_TOKEN';
const TICKET = 'ticket: INVALID_OR_EXPIRED_AUTHORIZATION_TICKET';
const DELETED = 1n << 34n;
const ELSEWHERE = '127.0.20.1';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

describe('auth 8 IP authorization', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  const attempt = (alice: Persona, address = ELSEWHERE): Promise<TestResponse> =>
    service.anonymous
      .from(address)
      .with({ 'user-agent': FIREFOX })
      .post('/v1/auth/login', { email: alice.email, password: alice.password });
  const authorize = (token: unknown) => service.anonymous.post('/v1/auth/authorize-ip', { token });
  const resend = (ticket: unknown) => service.anonymous.post('/v1/auth/ip-authorization/resend', { ticket });
  const poll = (ticket: string) => service.anonymous.get('/v1/auth/ip-authorization/poll', { query: { ticket } });
  const later = (seconds: number) =>
    service.sql("UPDATE one_time_secret SET created_at = created_at - $1 * interval '1 second'", [seconds]);

  async function held(alice?: Persona) {
    const persona = alice ?? (await person(service, 'alice'));
    const { body } = await attempt(persona);
    const { metadata } = await mailTo(service, persona.email, 'ip_authorization');
    return { alice: persona, ticket: body.ticket as string, token: metadata.token ?? '' };
  }

  test('a password login from an unknown IP address is held: ticket, email, no session', async () => {
    const alice = await person(service, 'alice');
    const response = await attempt(alice);
    expectApiError(response, 'IP_AUTHORIZATION_REQUIRED', {
      ip_authorization_required: true,
      ticket: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      email: alice.email,
      resend_available_in: 30,
    });
    expect(await sessionsOf(service, alice)).toBe(1);
    const mail = await mailTo(service, alice.email, 'ip_authorization');
    expect(mail.metadata).toEqual({
      token: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
      ip: ELSEWHERE,
      location: expect.any(String),
    });
    expect(mail.text).toContain(`/auth/authorize-ip#token=${mail.metadata.token}`);
    expect(mail.text).toContain(ELSEWHERE);
    expect(mail.text).toContain('Firefox on Linux');
    expect(mail.text).toMatch(/^When: .+20\d\d.+$/m);
    const [link = ''] = mail.text.match(/http\S+authorize-ip#\S+/) ?? [];
    expect(Object.fromEntries(new URLSearchParams(new URL(link).hash.slice(1)))).toEqual({
      ...{ token: mail.metadata.token, ip: ELSEWHERE, browser: 'Firefox', system: 'Linux' },
      at: expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  test('a wrong password from an unknown IP address is not held', async () => {
    const alice = await person(service, 'alice');
    const response = await attempt({ ...alice, password: 'not the password' });
    expect(response.status).toBe(400);
    expect(await inboxAfterDelivery(service, alice.email, 'ip_authorization')).toEqual([]);
  });

  test('a login is not held from a known IP address, with the account setting off, or if a second factor is required', async () => {
    const alice = await person(service, 'alice');
    expect((await attempt(alice, '127.0.0.1')).status).toBe(200);
    await service.sql('UPDATE account_settings SET session_ip_authorization = false WHERE account_id = $1', [alice.id]);
    expect((await attempt(alice)).status).toBe(200);
    const rows = await service.sql('SELECT ip_key FROM authorized_ip WHERE account_id = $1 ORDER BY 1', [alice.id]);
    expect(rows).toEqual([{ ip_key: '127.0.0.1' }, { ip_key: ELSEWHERE }]);
    const bob = await person(service, 'bob');
    await withTotp(service, bob);
    expect((await attempt(bob)).body).toMatchObject({ mfa: true });
  });

  test('an account whose address bounced is not held', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET email_bounced = true WHERE id = $1', [alice.id]);
    expect((await attempt(alice)).status).toBe(200);
  });

  test('poll returns completed false until the email is confirmed, then the session of the waiting device', async () => {
    const { alice, ticket, token } = await held();
    expect((await poll(ticket)).body).toEqual({ completed: false });
    const confirmed = await authorize(token);
    expect({ status: confirmed.status, text: confirmed.text }).toEqual({ status: 204, text: '' });
    expect(await sessionsOf(service, alice)).toBe(1);
    const { status, body } = await poll(ticket);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        completed: true,
        token: expect.stringMatching(/^flx_/),
        user_id: alice.id,
        user: expect.objectContaining({ username: 'alice' }),
      },
    });
    const [session] = (await service.as(body.token).get('/v1/auth/sessions')).body.filter(
      ({ current }: { current: boolean }) => current,
    );
    expect(session).toMatchObject({
      masked_ip: '127.0.x.x',
      client_info: { browser: 'Firefox', os: 'Linux', device: 'desktop' },
    });
    const rows = await service.sql('SELECT ip FROM session WHERE account_id = $1 AND ip = $2', [alice.id, ELSEWHERE]);
    expect(rows).toHaveLength(1);
    expect((await attempt(alice)).status).toBe(200);
  });

  test('repeated reads within 60 seconds return the same token and create one session', async () => {
    const { alice, ticket, token } = await held();
    await authorize(token);
    const { responses } = await race(32, () => poll(ticket));
    expect(responses.every(({ status, body }) => status === 200 && body.completed)).toBe(true);
    expect(new Set(responses.map(({ body }) => body.token)).size).toBe(1);
    expect((await poll(ticket)).body.token).toBe(responses[0]?.body.token);
    expect(await sessionsOf(service, alice)).toBe(2);
  });

  test('a completed result is readable for 60 seconds, and stored data cannot be decrypted without the ticket', async () => {
    const { alice, ticket, token } = await held();
    await authorize(token);
    const { body } = await poll(ticket);
    const [row] = await service.sql(
      "SELECT extract(epoch FROM expires_at - now())::float8 AS left, row_to_json(s)::text AS row FROM one_time_secret s WHERE purpose = 'ip-ticket' AND subject = $1",
      [alice.id],
    );
    expect(row?.left).toBeGreaterThan(50);
    expect(row?.left).toBeLessThanOrEqual(60);
    expect(row?.row).not.toContain(ticket);
    expect(row?.row).not.toContain(body.token);
    await service.sql("UPDATE one_time_secret SET expires_at = expires_at - interval '60 seconds'");
    expectInvalid(await poll(ticket), TICKET);
  });

  test('ticket and token are valid for 15 minutes', async () => {
    const { alice, ticket, token } = await held();
    const rows = await service.sql(
      'SELECT purpose, extract(epoch FROM expires_at - created_at)::int AS life FROM one_time_secret WHERE subject = $1 AND purpose LIKE $2 ORDER BY 1',
      [alice.id, 'ip-%'],
    );
    expect(rows).toEqual([
      { purpose: 'ip-ticket', life: 900 },
      { purpose: 'ip-token', life: 900 },
    ]);
    await service.sql('UPDATE one_time_secret SET expires_at = now() WHERE subject = $1', [alice.id]);
    expectInvalid(await authorize(token), TOKEN);
    expectInvalid(await poll(ticket), TICKET);
    expectInvalid(await resend(ticket), TICKET);
  });

  test('a token works once; of 32 parallel confirmations, one succeeds', async () => {
    const { ticket, token } = await held();
    const { responses } = await race(32, () => authorize(token));
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 204)) expectInvalid(response, TOKEN);
    expect((await poll(ticket)).body.completed).toBe(true);
    expectInvalid(await authorize(token), TOKEN);
  });

  test('a token confirms only the hold that it was emailed for', async () => {
    const alice = await person(service, 'alice');
    const first = (await attempt(alice)).body.ticket;
    await mailTo(service, alice.email, 'ip_authorization');
    const second = (await attempt(alice, '127.0.20.2')).body.ticket;
    const { metadata } = await mailTo(service, alice.email, 'ip_authorization', 2);
    expect(metadata.ip).toBe('127.0.20.2');
    await authorize(metadata.token);
    expect((await poll(second)).body.completed).toBe(true);
    expect((await poll(first)).body).toEqual({ completed: false });
  });

  test('resend within 30 seconds is rejected with the remaining time', async () => {
    const { ticket } = await held();
    const response = await resend(ticket);
    expectApiError(response, 'IP_AUTHORIZATION_RESEND_COOLDOWN', {
      resend_available_in: expect.any(Number),
      retry_after: expect.any(Number),
    });
    expect(response.body.resend_available_in).toBeGreaterThan(20);
    expect(response.body.resend_available_in).toBeLessThanOrEqual(30);
    expect(response.headers.get('retry-after')).toBe(String(response.body.resend_available_in));
    expect([...response.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  test('one resend emails a new token, invalidates the previous one and keeps the expiry of the ticket', async () => {
    const { alice, ticket, token } = await held();
    await later(31);
    const expiry = () =>
      service.sql("SELECT expires_at FROM one_time_secret WHERE purpose = 'ip-ticket' AND subject = $1", [alice.id]);
    const before = await expiry();
    const { status, text } = await resend(ticket);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(await expiry()).toEqual(before);
    const [second] = await mailsTo(service, alice.email, 'ip_authorization', 2);
    // It names the time of the sign-in, not its own.
    const at = /&at=([^&\s]+)/.exec(second?.text ?? '')?.[1];
    const age = (Date.now() - Date.parse(decodeURIComponent(at ?? ''))) / 1000;
    expect(age).toBeGreaterThan(29);
    expect(age).toBeLessThan(90);
    expectInvalid(await authorize(token), TOKEN);
    expectApiError(await resend(ticket), 'IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED');
    expect((await authorize(second?.metadata.token)).status).toBe(204);
    expectInvalid(await resend(ticket), TICKET);
  });

  test('of 32 parallel resends, one emails a token', async () => {
    const { alice, ticket } = await held();
    await later(31);
    const { responses } = await race(32, () => resend(ticket));
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 204)) {
      expectApiError(response, 'IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED');
    }
    expect(await inboxAfterDelivery(service, alice.email, 'ip_authorization')).toHaveLength(2);
  });

  test('the tokens and tickets of a deleted account are unknown', async () => {
    const { alice, ticket, token } = await held();
    await service.sql('UPDATE account SET flags = $2::bigint WHERE id = $1', [alice.id, String(DELETED)]);
    expectInvalid(await authorize(token), TOKEN);
    expectInvalid(await resend(ticket), TICKET);
    expectInvalid(await poll(ticket), TICKET);
  });

  test('a suspension in the meantime is returned at confirmation and at poll, and no session is created', async () => {
    const { alice, ticket, token } = await held();
    const suspend = (banned: boolean) =>
      service.sql('UPDATE account SET banned = $2 WHERE id = $1', [alice.id, banned]);
    await suspend(true);
    expectApiError(await authorize(token), 'ACCOUNT_SUSPENDED_PERMANENTLY');
    await suspend(false);
    await authorize(token);
    await suspend(true);
    expectApiError(await poll(ticket), 'ACCOUNT_SUSPENDED_PERMANENTLY');
    expect(await sessionsOf(service, alice)).toBe(1);
    await suspend(false);
    expect((await poll(ticket)).body.completed).toBe(true);
  });

  test('a password reset revokes tickets and tokens', async () => {
    const { alice, ticket, token } = await held();
    await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
    const { metadata } = await mailTo(service, alice.email, 'password_reset');
    await service.anonymous.post('/v1/auth/reset', { token: metadata.token, password: 'a brand new password' });
    expectInvalid(await authorize(token), TOKEN);
    expectInvalid(await poll(ticket), TICKET);
  });

  test('a ticket is not accepted as a token, and neither is accepted as a credential', async () => {
    const { ticket, token } = await held();
    expectInvalid(await poll(token), TICKET);
    expectInvalid(await authorize(ticket), 'token: STRING_LENGTH_EXACT');
    for (const secret of [ticket, token]) {
      expectApiError(await service.as(secret).get('/v1/users/@me'), 'UNAUTHORIZED');
    }
  });

  test('missing and malformed tickets are rejected', async () => {
    expectInvalid(await service.anonymous.get('/v1/auth/ip-authorization/poll'), 'ticket: INVALID_FORMAT');
    expectInvalid(
      await service.anonymous.get('/v1/auth/ip-authorization/poll?ticket=a&ticket=b'),
      'ticket: INVALID_FORMAT',
    );
    expectInvalid(await poll('x'.repeat(257)), 'ticket: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await poll('unknown'), TICKET);
    expectInvalid(await resend(''), 'ticket: INVALID_FORMAT');
    expectInvalid(await resend(7), 'ticket: INVALID_FORMAT');
  });
});

describe('auth 4.2 IPv6 addresses', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
  });
  afterAll(() => service.close());

  test('are known by their /64', async () => {
    const at = (address: string) => service.anonymous.with({ 'x-forwarded-for': address });
    const credentials = { email: 'six@example.com', password: 'a password for six' };
    const registered = await at('2001:db8:0:1::1').post('/v1/auth/register', credentials);
    expect(registered.status).toBe(200);
    const login = (address: string) => at(address).post('/v1/auth/login', credentials);
    expect((await login('2001:db8:0:1:ffff:ffff:ffff:ffff')).status).toBe(200);
    expectApiError(await login('2001:db8:0:2::1'), 'IP_AUTHORIZATION_REQUIRED');
    expectApiError(await login('203.0.113.1'), 'IP_AUTHORIZATION_REQUIRED');
    expectApiError(await login('::ffff:203.0.113.1'), 'IP_AUTHORIZATION_REQUIRED');
    const hold = await eventually('the mail of the last hold', async () => {
      const rows = await service.sql(
        "SELECT metadata FROM inbox_message WHERE recipient = $1 AND type = 'ip_authorization' ORDER BY id",
        [credentials.email],
      );
      return rows.length === 3 ? rows[2]?.metadata : undefined;
    });
    expect(hold.ip).toBe('203.0.113.1');
    expect((await at('203.0.113.9').post('/v1/auth/authorize-ip', { token: hold.token })).status).toBe(204);
    expect((await login('::ffff:203.0.113.1')).status).toBe(200);
    expectApiError(await login('203.0.113.9'), 'IP_AUTHORIZATION_REQUIRED');
  });
});

describe('auth 13 IP holds switched off', () => {
  test.each<Record<string, string>>([{ IP_AUTHORIZATION: 'off' }, { MAIL_TRANSPORT: 'none' }])(
    '%j authorizes without a hold',
    async (env) => {
      await withGatehouse({ env }, async (service) => {
        const alice = await person(service, 'alice');
        const { status } = await service.anonymous
          .from(ELSEWHERE)
          .post('/v1/auth/login', { email: alice.email, password: alice.password });
        expect(status).toBe(200);
        const rows = await service.sql('SELECT ip_key FROM authorized_ip WHERE account_id = $1 ORDER BY 1', [alice.id]);
        expect(rows).toEqual([{ ip_key: '127.0.0.1' }, { ip_key: ELSEWHERE }]);
      });
    },
  );
});
