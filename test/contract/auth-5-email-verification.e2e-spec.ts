import {
  Events,
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
  verifyEmail,
} from '../support/index.js';

const UNKNOWN = 'token: INVALID_OR_EXPIRED_VERIFICATION_TOKEN';
const DELETED = 1n << 34n;
const ANY_TOKEN = 'A'.repeat(64);

describe('auth 5 email verification', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  const verify = (token: unknown) => service.anonymous.post('/v1/auth/verify', { token });
  const resend = (persona: Persona) => service.as(persona).post('/v1/auth/verify/resend');
  const tokensOf = async ({ email }: Persona, count = 1): Promise<string[]> =>
    (await mailsTo(service, email, 'email_verification', count)).map(({ metadata }) => metadata.token ?? '');
  const stateOf = async ({ id }: Persona) =>
    (await service.sql('SELECT email_verified, email_bounced, suspicious_flags FROM account WHERE id = $1', [id]))[0];

  test('verifies the address, emits USER_UPDATE, returns no content', async () => {
    const alice = await person(service, 'alice');
    const [token] = await tokensOf(alice);
    const events = new Events(service);
    const { status, text } = await verify(token);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect((await service.as(alice).get('/v1/users/@me')).body.verified).toBe(true);
    expect(events.of(alice)).toEqual(['USER_UPDATE']);
  });

  test('clears the bounced marker and the stored flag bits 0, 1, 4-7, no others', async () => {
    const alice = await person(service, 'alice');
    await service.sql(
      'UPDATE account SET email_bounced = true, suspicious_flags = 511, has_verified_phone = false WHERE id = $1',
      [alice.id],
    );
    await verifyEmail(service, alice);
    expect(await stateOf(alice)).toEqual({ email_verified: true, email_bounced: false, suspicious_flags: 256 + 8 + 4 });
  });

  test('verifies the account of the token for any caller, and creates no session', async () => {
    const alice = await person(service, 'alice');
    const bob = await person(service, 'bob');
    const [token] = await tokensOf(alice);
    expect((await service.as(bob).post('/v1/auth/verify', { token })).status).toBe(204);
    expect(await stateOf(alice)).toMatchObject({ email_verified: true });
    expect(await stateOf(bob)).toMatchObject({ email_verified: false });
    expect(await service.sql('SELECT 1 FROM session WHERE account_id = $1', [alice.id])).toHaveLength(1);
  });

  test('a token works once, and success invalidates all others', async () => {
    const alice = await person(service, 'alice');
    await resend(alice);
    await resend(alice);
    const [newest, middle, oldest] = await tokensOf(alice, 3);
    expect((await verify(middle)).status).toBe(204);
    for (const token of [newest, middle, oldest]) expectInvalid(await verify(token), UNKNOWN);
  });

  test('a token stays valid after a resend', async () => {
    const alice = await person(service, 'alice');
    const [first] = await tokensOf(alice);
    await resend(alice);
    await tokensOf(alice, 2);
    expect((await verify(first)).status).toBe(204);
  });

  test('an expired token, one of a deleted account and one of a previous address are unknown', async () => {
    const [alice, bob, carol] = [await person(service), await person(service), await person(service)];
    const tokens = [...(await tokensOf(alice)), ...(await tokensOf(bob)), ...(await tokensOf(carol))];
    await service.sql('UPDATE one_time_secret SET expires_at = now() WHERE subject = $1', [alice.id]);
    await service.sql('UPDATE account SET flags = $2::bigint WHERE id = $1', [bob.id, String(DELETED)]);
    await service.sql('UPDATE account SET email = $2 WHERE id = $1', [carol.id, `moved.${carol.email}`]);
    for (const token of tokens) expectInvalid(await verify(token), UNKNOWN);
    for (const persona of [alice, bob, carol]) expect(await stateOf(persona)).toMatchObject({ email_verified: false });
  });

  test('a token is valid for 24 hours, is stored only as a digest and is removed from the outbox', async () => {
    const alice = await person(service, 'alice');
    const [token = ''] = await tokensOf(alice);
    const [row] = await service.sql(
      `SELECT extract(epoch FROM expires_at - created_at)::int AS life, row_to_json(s)::text AS row
       FROM one_time_secret s WHERE subject = $1 AND purpose = 'email-verification'`,
      [alice.id],
    );
    expect(row?.life).toBe(24 * 3600);
    expect(row?.row).not.toContain(token);
    await inboxAfterDelivery(service, alice.email);
    expect(await service.sql('SELECT payload FROM outbox WHERE account_id = $1', [alice.id])).toEqual([
      { payload: null },
    ]);
  });

  test.each<[what: string, token: unknown, fault: string]>([
    ['a missing token', undefined, 'token: INVALID_FORMAT'],
    ['an object', { $ne: null }, 'token: INVALID_FORMAT'],
    ['a list', [ANY_TOKEN], 'token: INVALID_FORMAT'],
    ['63 characters', ANY_TOKEN.slice(1), 'token: STRING_LENGTH_EXACT'],
    ['65 characters', `${ANY_TOKEN}A`, 'token: STRING_LENGTH_EXACT'],
    ['other characters', `%${ANY_TOKEN.slice(1)}`, 'token: INVALID_FORMAT'],
    ['an unknown token', ANY_TOKEN, UNKNOWN],
  ])('%s is rejected', async (_what, token, fault) => {
    expectInvalid(await verify(token), fault);
  });

  test('a token of another purpose is unknown', async () => {
    const alice = await person(service, 'alice');
    await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
    const { metadata } = await mailTo(service, alice.email, 'password_reset');
    expectInvalid(await verify(metadata.token), UNKNOWN);
  });

  test('of 32 parallel verifications with one token, one succeeds', async () => {
    const alice = await person(service, 'alice');
    const [token] = await tokensOf(alice);
    const { responses } = await race(32, () => verify(token));
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 204)) expectInvalid(response, UNKNOWN);
  });

  test('of parallel verifications with several tokens of one account, one succeeds', async () => {
    const alice = await person(service, 'alice');
    await resend(alice);
    await resend(alice);
    const tokens = await tokensOf(alice, 3);
    const responses = await Promise.all(Array.from({ length: 33 }, (_, n) => verify(tokens[n % 3])));
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 204)) expectInvalid(response, UNKNOWN);
  });

  test('resend emails a new token', async () => {
    const alice = await person(service, 'alice');
    const { status, text } = await resend(alice);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    const [second, first] = await tokensOf(alice, 2);
    expect(second).not.toBe(first);
    expect((await verify(second)).status).toBe(204);
  });

  test('resend returns 204 and sends nothing without an address, or if it is verified', async () => {
    const { body } = await service.anonymous.post('/v1/auth/register', {});
    expect((await service.as(body.token).post('/v1/auth/verify/resend')).status).toBe(204);
    const alice = await person(service, 'alice');
    await verifyEmail(service, alice);
    expect((await resend(alice)).status).toBe(204);
    expect(await inboxAfterDelivery(service, alice.email, 'email_verification')).toHaveLength(1);
  });

  test('resend emails a verified account that must verify again', async () => {
    const alice = await person(service, 'alice');
    await verifyEmail(service, alice);
    await service.sql('UPDATE account SET suspicious_flags = 2 WHERE id = $1', [alice.id]);
    expect((await resend(alice)).status).toBe(204);
    const [token] = await tokensOf(alice, 2);
    expect((await verify(token)).status).toBe(204);
    expect(await stateOf(alice)).toMatchObject({ suspicious_flags: 0 });
  });

  test('resend is allowed for accounts with an outstanding requirement, not for bearers or anonymous callers', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [alice.id]);
    expect((await resend(alice)).status).toBe(204);
    expectApiError(await service.anonymous.post('/v1/auth/verify/resend'), 'UNAUTHORIZED');
  });

  test('an address gets three resends in 15 minutes; the registration email does not count', async () => {
    const alice = await person(service, 'alice');
    for (let n = 0; n < 3; n++) expect((await resend(alice)).status).toBe(204);
    const spent = await resend(alice);
    expectApiError(spent, 'RATE_LIMITED', { global: false });
    expect(spent.headers.has('x-ratelimit-bucket')).toBe(false);
    expect(await inboxAfterDelivery(service, alice.email, 'email_verification')).toHaveLength(4);
  });
});
