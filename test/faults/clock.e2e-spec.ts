import {
  expectInvalid,
  type Gatehouse,
  gatehouse,
  mailTo,
  newApp,
  newTokens,
  type Persona,
  person,
  withTotp,
} from '../support/index.js';

const HOUR = 3600;

describe('FLT-25 a clock that jumps', () => {
  let service: Gatehouse;
  let alice: Persona;
  beforeAll(async () => {
    service = await gatehouse();
    alice = await person(service, 'alice');
  });
  afterAll(() => service.close());

  /** Runs `work` while the clock is off by some seconds, then corrects the clock. */
  async function off<T>(seconds: number, work: () => Promise<T>): Promise<T> {
    service.clock.advance({ seconds });
    try {
      return await work();
    } finally {
      service.clock.advance({ seconds: -seconds });
    }
  }

  test.each([-24 * HOUR, -5, 5, 24 * HOUR])(
    'by %i s: sessions, access tokens and emailed tokens follow the clock of the database',
    async (by) => {
      const app = await newApp(service, alice);
      const { access_token: access } = await newTokens(service, alice, app);
      const other = await person(service, 'other');
      const { metadata } = await mailTo(service, other.email, 'email_verification');
      await off(by, async () => {
        expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
        expect((await service.as(`Bearer ${access}`).get('/v1/oauth2/@me')).status).toBe(200);
        expect((await service.anonymous.post('/v1/auth/verify', { token: metadata.token })).status).toBe(204);
      });
    },
  );

  test('IDs increase even if it goes back', async () => {
    const before = await person(service, 'before');
    const after = await off(-HOUR, () => person(service, 'after'));
    expect(BigInt(after.id)).toBeGreaterThan(BigInt(before.id));
  });

  test('a code of an authenticator works once, even if its step repeats', async () => {
    const bob = await person(service, 'bob');
    const { authenticator } = await withTotp(service, bob);
    const signIn = async (code: string) => {
      const { body } = await service.anonymous.post('/v1/auth/login', { email: bob.email, password: bob.password });
      return service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: body.ticket, code });
    };
    const code = authenticator.next();
    expect((await signIn(code)).status).toBe(200);
    await off(-90, async () => {
      expectInvalid(await signIn(code), 'code: INVALID_CODE');
      expectInvalid(await signIn(authenticator.code()), 'code: INVALID_CODE');
    });
    expect((await signIn(authenticator.next())).status).toBe(200);
  });
});
