import { randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import {
  eventually,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  PRODUCTION_HASHES,
  person,
  sessionsOf,
  signIn,
  type TestResponse,
  verifyEmail,
  withTotp,
} from '../support/index.js';

const WRONG = ['email: INVALID_EMAIL_OR_PASSWORD', 'password: INVALID_EMAIL_OR_PASSWORD'] as const;
const DELETED = 1n << 34n;
const DISABLED_SUSPICIOUS = 1n << 35n;
const SELF_DELETED = 1n << 36n;
const DISABLED = 1n << 38n;

const login = (service: Gatehouse, body: object): Promise<TestResponse> =>
  service.anonymous.post('/v1/auth/login', body);
const setFlags = (service: Gatehouse, { id }: { id: string }, flags: bigint) =>
  service.sql('UPDATE account SET flags = $2::bigint WHERE id = $1', [id, String(flags)]);

describe('auth 4.2 login', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ env: PRODUCTION_HASHES });
  });
  afterAll(() => service.close());

  test('a correct password returns a token response, regardless of the letter case of the address', async () => {
    const alice = await person(service, 'alice');
    const { status, body } = await login(service, { email: alice.email.toUpperCase(), password: alice.password });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        token: expect.stringMatching(/^flx_[A-Za-z0-9]{36}$/),
        user_id: alice.id,
        user: expect.objectContaining({ id: alice.id, username: 'alice' }),
      },
    });
    expect((await service.as(body.token).get('/v1/users/@me')).status).toBe(200);
    expect(await sessionsOf(service, alice)).toBe(2);
  });

  test('every cause of wrong credentials gets the same bytes and creates no session', async () => {
    const alice = await person(service, 'alice');
    const deleted = await person(service, 'deleted');
    const going = await person(service, 'going');
    const passwordless = await person(service, 'passwordless');
    await service.sql('UPDATE account SET deleted_at = now() WHERE id = $1', [deleted.id]);
    await setFlags(service, going, DELETED);
    await service.sql('UPDATE account SET password_hash = NULL WHERE id = $1', [passwordless.id]);
    const responses = [
      await login(service, { email: 'nobody@example.com', password: alice.password }),
      await login(service, { email: alice.email, password: 'not her password' }),
      await login(service, { email: alice.email, password: `${alice.password} ` }),
      await login(service, { email: deleted.email, password: deleted.password }),
      await login(service, { email: going.email, password: going.password }),
      await login(service, { email: passwordless.email, password: passwordless.password }),
    ];
    for (const response of responses) expectInvalid(response, ...WRONG);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(new Set(responses.map(({ headers }) => [...headers.keys()].join())).size).toBe(1);
    expect(await sessionsOf(service, alice)).toBe(1);
  });

  test('an unknown address costs as much hashing as a wrong password', async () => {
    const alice = await person(service, 'alice');
    const spent = { known: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < 12; round++) {
      for (const [kind, email] of [
        ['known', alice.email],
        ['unknown', 'nobody@example.com'],
      ] as const) {
        const start = process.cpuUsage();
        await login(service, { email, password: 'not the password' });
        const { user, system } = process.cpuUsage(start);
        spent[kind].push(user + system);
      }
    }
    const median = (values: number[]) => [...values].sort((a, b) => a - b)[6] as number;
    const ratio = median(spent.unknown) / median(spent.known);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });

  test.each([
    [{}, ['email: INVALID_FORMAT', 'password: INVALID_FORMAT']],
    [{ email: 'a@example.com', password: '' }, ['password: PASSWORD_LENGTH_INVALID']],
    [{ email: 'a@example.com', password: ['12345678'] }, ['password: INVALID_FORMAT']],
    [{ email: ['a@example.com'], password: '12345678' }, ['email: INVALID_FORMAT']],
    [{ email: '%', password: '12345678' }, ['email: INVALID_EMAIL_FORMAT']],
  ])('%j is rejected before any lookup', async (body, faults) => {
    expectInvalid(await login(service, body), ...faults);
  });

  test('suspension, review and rejection are returned only after a correct password', async () => {
    const cases: [set: string, code: string][] = [
      ['banned = true', 'ACCOUNT_SUSPENDED_PERMANENTLY'],
      ["banned = true, banned_until = now() + interval '1 hour'", 'ACCOUNT_SUSPENDED_TEMPORARILY'],
      ["traits = '{registration_pending_approval}'", 'REGISTRATION_PENDING_APPROVAL'],
      ["traits = '{registration_rejected}'", 'REGISTRATION_REJECTED'],
      [`flags = ${DISABLED_SUSPICIOUS}`, 'ACCESS_DENIED'],
    ];
    for (const [set, code] of cases) {
      const mallory = await person(service, 'mallory');
      await service.sql(`UPDATE account SET ${set} WHERE id = $1`, [mallory.id]);
      expectInvalid(await login(service, { email: mallory.email, password: 'not the password' }), ...WRONG);
      expectApiError(await login(service, { email: mallory.email, password: mallory.password }), code);
      expect(await sessionsOf(service, mallory)).toBe(1);
    }
  });

  test('an expired suspension is cleared by the next sign-in', async () => {
    const mallory = await person(service, 'mallory');
    await service.sql(
      "UPDATE account SET banned = true, banned_until = now() - interval '1 second', flags = $2::bigint WHERE id = $1",
      [mallory.id, String(DISABLED)],
    );
    expect((await login(service, { email: mallory.email, password: mallory.password })).status).toBe(200);
    const rows = await service.sql('SELECT banned, banned_until, flags FROM account WHERE id = $1', [mallory.id]);
    expect(rows).toEqual([{ banned: false, banned_until: null, flags: '0' }]);
  });

  test('a completed sign-in re-enables an account that its user disabled or sent to deletion', async () => {
    for (const flag of [DISABLED, SELF_DELETED]) {
      const alice = await person(service, 'alice');
      await service.sql("UPDATE account SET flags = $2::bigint, deletion_at = now() + interval '1 day' WHERE id = $1", [
        alice.id,
        String(flag),
      ]);
      expect((await login(service, { email: alice.email, password: alice.password })).status).toBe(200);
      const [row] = await service.sql('SELECT flags, deletion_at FROM account WHERE id = $1', [alice.id]);
      expect(row?.flags).toBe('0');
      if (flag === SELF_DELETED) expect(row?.deletion_at).toBeNull();
    }
  });

  test('a password alone changes no account state if a second factor is required', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    await setFlags(service, alice, DISABLED);
    const { body } = await login(service, { email: alice.email, password: alice.password });
    expect(await service.sql('SELECT flags FROM account WHERE id = $1', [alice.id])).toEqual([
      { flags: String(DISABLED) },
    ]);
    const completed = await service.anonymous.post('/v1/auth/login/mfa/totp', {
      ticket: body.ticket,
      code: authenticator.next(),
    });
    expect(completed.status).toBe(200);
    expect(await service.sql('SELECT flags FROM account WHERE id = $1', [alice.id])).toEqual([{ flags: '0' }]);
  });

  test('a hash with weaker parameters is replaced after the login, for the same password', async () => {
    const alice = await person(service, 'alice');
    const weak = await hash(alice.password, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    await service.sql('UPDATE account SET password_hash = $2 WHERE id = $1', [alice.id, weak]);
    const stored = async () =>
      (await service.sql('SELECT password_hash FROM account WHERE id = $1', [alice.id]))[0]?.password_hash;
    expectInvalid(await login(service, { email: alice.email, password: 'not the password' }), ...WRONG);
    await service.idle();
    expect(await stored()).toBe(weak);
    await signIn(service, alice);
    await eventually('a stronger hash', async () => ((await stored()) === weak ? undefined : true));
    expect(await stored()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await signIn(service, alice);
  });

  test('the IP address of a sign-in is known from then on', async () => {
    const alice = await person(service, 'alice');
    await verifyEmail(service, alice);
    const { authenticator } = await withTotp(service, alice);
    const away = service.anonymous.from('127.0.7.7');
    const { body } = await away.post('/v1/auth/login', { email: alice.email, password: alice.password });
    expect(body.mfa).toBe(true);
    await away.post('/v1/auth/login/mfa/totp', { ticket: body.ticket, code: authenticator.next() });
    const rows = await service.sql('SELECT ip_key FROM authorized_ip WHERE account_id = $1 ORDER BY ip_key', [
      alice.id,
    ]);
    expect(rows).toEqual([{ ip_key: '127.0.0.1' }, { ip_key: '127.0.7.7' }]);
  });

  test('a bot has no email address to try', async () => {
    const bot = await person(service, 'robot');
    await expect(service.sql('UPDATE account SET bot = true WHERE id = $1', [bot.id])).rejects.toThrow(/check/i);
  });
});

describe('auth 1.5 login allowances', () => {
  let service: Gatehouse;
  let alice: Persona;
  beforeAll(async () => {
    service = await gatehouse({ env: { LOGIN_ALLOWANCES: 'on' } });
    alice = await person(service, 'alice');
  });
  afterAll(() => service.close());

  const attempt = (address: string, email: string, password = 'not the password') =>
    service.anonymous.from(address).post('/v1/auth/login', { email, password });

  function expectSpent(response: TestResponse): void {
    expectApiError(response, 'RATE_LIMITED', { global: false });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.has('x-ratelimit-bucket')).toBe(false);
  }

  test('one submitted email gets five attempts; after that the correct password is rejected like a wrong one', async () => {
    for (let n = 1; n <= 5; n++) expectInvalid(await attempt(`127.0.3.${n}`, alice.email), ...WRONG);
    const right = await attempt('127.0.3.6', alice.email.toUpperCase(), alice.password);
    const wrong = await attempt('127.0.3.7', alice.email);
    expectSpent(right);
    expectSpent(wrong);
    expect(await sessionsOf(service, alice)).toBe(1);
  });

  test('an attacker cannot lock an owner out of a network that the account knows', async () => {
    const dora = await person({ ...service, anonymous: service.anonymous.from('127.0.8.1') }, 'dora');
    const others = Array.from({ length: 40 }, (_, n) => attempt(`127.0.9.${n + 1}`, dora.email));
    expect((await Promise.all(others)).filter(({ status }) => status === 400)).toHaveLength(5);
    expectSpent(await attempt('127.0.9.99', dora.email, dora.password));
    for (let n = 0; n < 5; n++) {
      expect((await attempt('127.0.8.1', n % 2 ? dora.email : dora.email.toUpperCase(), dora.password)).status).toBe(
        200,
      );
    }
    // A known network has its own allowance, which is also limited.
    expectSpent(await attempt('127.0.8.1', dora.email, dora.password));
    expect(await sessionsOf(service, dora)).toBe(6);
  });

  test('an owner whose network is busy can use another known one, and forgotten networks are unknown', async () => {
    const fred = await person({ ...service, anonymous: service.anonymous.from('127.0.10.1') }, 'fred');
    for (let n = 0; n < 5; n++) expectInvalid(await attempt('127.0.10.1', fred.email), ...WRONG);
    expectSpent(await attempt('127.0.10.1', fred.email, fred.password));
    expect((await attempt('127.0.10.2', fred.email, fred.password)).status).toBe(403);
    await service.sql('DELETE FROM authorized_ip WHERE account_id = $1', [fred.id]);
    for (let n = 0; n < 4; n++) expectInvalid(await attempt('127.0.10.1', fred.email), ...WRONG);
    expectSpent(await attempt('127.0.10.1', fred.email, fred.password));
  });

  test('an unknown address is locked in the same way', async () => {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    for (let n = 1; n <= 5; n++) expectInvalid(await attempt(`127.0.4.${n}`, email), ...WRONG);
    expectSpent(await attempt('127.0.4.6', email));
  });

  test('one IP address gets ten attempts in 30 minutes, including successful ones', async () => {
    const bob = await person(service, 'bob');
    expect((await attempt('127.0.5.1', bob.email, bob.password)).status).toBe(403);
    for (let n = 1; n < 10; n++) expectInvalid(await attempt('127.0.5.1', `n${n}@example.com`), ...WRONG);
    expectSpent(await attempt('127.0.5.1', 'another@example.com'));
  });

  test('of 60 parallel guesses at one account, five are checked', async () => {
    const carol = await person(service, 'carol');
    const responses = await Promise.all(Array.from({ length: 60 }, (_, n) => attempt(`127.0.6.${n + 1}`, carol.email)));
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(5);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(55);
  });
});
