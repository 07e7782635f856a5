import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  logIn,
  mailTo,
  type Persona,
  PRODUCTION_HASHES,
  person,
  signIn,
  type TestResponse,
  withGatehouse,
  withPasskey,
} from '../support/index.js';

const ME = '/v1/users/@me';
const TOO_COMMON = 'password123';

describe('auth 1.4 passwords', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ env: PRODUCTION_HASHES });
  });
  afterAll(() => service.close());

  const register = async (password: string) => {
    const email = `p${Math.random().toString(36).slice(2)}@example.com`;
    const { status, body } = await service.anonymous.post('/v1/auth/register', { email, password });
    expect({ status, body }).toMatchObject({ status: 200 });
    return { email, password, authorization: body.token as string, id: body.user_id as string, username: '' };
  };

  test('one password typed on two keyboards is equal: NFKC, at login and in sudo mode', async () => {
    const [composed, decomposed, wide] = ['caf\u00e9 au lait', 'cafe\u0301 au lait', 'ｃａｆe\u0301 au lait'];
    const { email, authorization } = await register(composed);
    for (const spelling of [composed, decomposed, wide]) {
      expect((await logIn(service, { email, password: spelling })).status).toBe(200);
      const proven = { session_id_hashes: [], password: spelling };
      expect((await service.as(authorization).post('/v1/auth/sessions/logout', proven)).status).toBe(204);
    }
    expect((await logIn(service, { email, password: 'cafe au lait' })).status).toBe(400);
  });

  test.each([
    ['blanks around it', '  a password  '],
    ['letter case', 'A Password In Case'],
    ['more than 72 bytes', `${'0123456789'.repeat(8)}the end`],
    ['a line break', 'a password\nof two lines'],
  ])('%s counts', async (_, password) => {
    const { email } = await register(password);
    expect((await logIn(service, { email, password })).status).toBe(200);
    for (const other of [password.trim(), password.toLowerCase(), password.slice(0, 72), password.split('\n')[0]]) {
      if (other === undefined || other === password || other.length < 8) continue;
      expectInvalid(
        await logIn(service, { email, password: other }),
        'email: INVALID_EMAIL_OR_PASSWORD',
        'password: INVALID_EMAIL_OR_PASSWORD',
      );
    }
  });

  test('7 and 257 characters are rejected wherever a password is set; code points are counted', async () => {
    const alice = await person(service, 'alice');
    await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
    const { token } = (await mailTo(service, alice.email, 'password_reset')).metadata;
    const { ticket } = (await service.as(alice).post(`${ME}/password-change/start`)).body;
    const doors: Record<string, (password: string) => Promise<TestResponse>> = {
      password: (password) => service.anonymous.post('/v1/auth/register', { email: 'new@example.com', password }),
      'password ': (password) => service.anonymous.post('/v1/auth/reset', { token, password }),
      new_password: (password) => service.as(alice).patch(ME, { password: alice.password, new_password: password }),
      'new_password ': (new_password) =>
        service.as(alice).post(`${ME}/password-change/complete`, { ticket, verification_proof: 'x', new_password }),
    };
    for (const [door, set] of Object.entries(doors)) {
      const member = door.trim();
      expectInvalid(await set('x'.repeat(7)), `${member}: PASSWORD_LENGTH_INVALID`);
      expectInvalid(await set('🔑'.repeat(257)), `${member}: PASSWORD_LENGTH_INVALID`);
      expectInvalid(await set(TOO_COMMON), `${member}: PASSWORD_IS_TOO_COMMON`);
      expectInvalid(await set(TOO_COMMON.toUpperCase()), `${member}: PASSWORD_IS_TOO_COMMON`);
      // Full-width letters and digits. The service normalizes them before it hashes the password.
      expectInvalid(await set('ｐａｓｓｗｏｒｄ１２３'), `${member}: PASSWORD_IS_TOO_COMMON`);
      for (const odd of ['a password\u0000', 'half \ud83d of a pair']) {
        expectInvalid(await set(odd), `${member}: INVALID_FORMAT`);
      }
    }
    expect(await signIn(service, alice)).toMatch(/^flx_/);
    const { email } = await register('🔑'.repeat(256));
    expect((await logIn(service, { email, password: '🔑'.repeat(256) })).status).toBe(200);
  });

  test.each(['a password\u0000', '\u0000'.repeat(8), 'half \ud83d of a pair'])(
    'an impossible password %j is rejected in the same way wherever one is presented',
    async (odd) => {
      const alice = await person(service, 'alice');
      expectInvalid(await logIn(service, { email: alice.email, password: odd }), 'password: INVALID_FORMAT');
      const proven = { session_id_hashes: [], password: odd };
      expectInvalid(await service.as(alice).post('/v1/auth/sessions/logout', proven), 'password: INVALID_FORMAT');
      expect(await signIn(service, alice)).toMatch(/^flx_/);
    },
  );

  test('a password is stored as an argon2id hash with the configured parameters, and nowhere in plain text', async () => {
    const { id, password } = await register('a canary among passwords');
    const [row] = await service.sql('SELECT password_hash FROM account WHERE id = $1', [id]);
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    for (const table of ['account', 'one_time_secret', 'outbox', 'session']) {
      expect(await service.sql(`SELECT 1 FROM ${table} t WHERE t::text LIKE $1`, [`%${password}%`])).toEqual([]);
    }
  });
});

describe('BRF-08 an account that an attacker locks by guessing has other ways to sign in', () => {
  test('a passkey and a recovery still work while password logins are rejected', async () => {
    await withGatehouse({ env: { LOGIN_ALLOWANCES: 'on' } }, async (service) => {
      const alice: Persona = await person(service, 'alice');
      const key = await withPasskey(service, alice);
      const guess = (n: number) =>
        service.anonymous
          .from(`127.0.70.${n}`)
          .post('/v1/auth/login', { email: alice.email, password: 'not the password' });
      for (let n = 1; n <= 5; n++) expect((await guess(n)).status).toBe(400);
      expectApiError(await guess(6), 'RATE_LIMITED');
      expectApiError(
        await service.anonymous
          .from('127.0.70.7')
          .post('/v1/auth/login', { email: alice.email, password: alice.password }),
        'RATE_LIMITED',
      );
      expect((await logIn(service, alice)).status).toBe(200);
      const { body: options } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
      const assertion = { challenge: options.challenge, response: key.get(options) };
      expect((await service.anonymous.post('/v1/auth/webauthn/authenticate', assertion)).status).toBe(200);
      expect((await service.as(alice).get(ME)).status).toBe(200);
      await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
      const { token } = (await mailTo(service, alice.email, 'password_reset')).metadata;
      const reset = await service.anonymous.post('/v1/auth/reset', { token, password: 'a brand new password' });
      expect(reset.status).toBe(200);
    });
  });
});

describe('conventions 12 a flood of logins', () => {
  test('beyond the queue of hashes, logins get 503 and Retry-After, and other operations succeed', async () => {
    await withGatehouse(
      { env: { ...PRODUCTION_HASHES, ARGON2_CONCURRENCY: '1', ARGON2_QUEUE: '4' } },
      async (service) => {
        const alice = await person(service, 'alice');
        const flood = Promise.all(
          Array.from({ length: 40 }, () => logIn(service, { ...alice, password: 'not the password' })),
        );
        const others = await Promise.all(Array.from({ length: 5 }, () => service.as(alice).get(ME)));
        const responses = await flood;
        expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
        const shed = responses.filter(({ status }) => status === 503);
        expect(shed.length).toBeGreaterThan(0);
        for (const response of shed) {
          expectApiError(response, 'SERVICE_UNAVAILABLE');
          expect(response.headers.get('retry-after')).toBe('1');
        }
        const examined = responses.filter(({ status }) => status !== 503);
        expect(examined.length).toBeGreaterThan(0);
        for (const response of examined) {
          expectInvalid(response, 'email: INVALID_EMAIL_OR_PASSWORD', 'password: INVALID_EMAIL_OR_PASSWORD');
        }
        expect((await logIn(service, alice)).status).toBe(200);
      },
    );
  });
});
