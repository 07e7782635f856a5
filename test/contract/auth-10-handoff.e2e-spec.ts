import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  type Persona,
  person,
  race,
  signIn,
  type TestResponse,
  verifiedPerson,
} from '../support/index.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const EXPIRED = { status: 'expired' };
const PENDING = { status: 'pending' };
const DELETED = 1n << 34n;

describe('auth 10 session exchange', () => {
  let service: Gatehouse;
  let alice: Persona;
  let host = 0;
  beforeAll(async () => {
    service = await gatehouse();
    alice = await person(service, 'alice');
  });
  afterAll(() => service.close());

  // Failures are counted per IP address, so each test uses its own.
  let caller: ReturnType<Gatehouse['as']>;
  beforeEach(() => {
    caller = service.anonymous.from(`127.0.30.${++host}`).with({ 'user-agent': FIREFOX });
  });

  const initiate = () => caller.post('/v1/auth/handoff/initiate');
  const inspect = (code: string) => caller.get(`/v1/auth/handoff/${encodeURIComponent(code)}/info`);
  const status = (code: string) => caller.get(`/v1/auth/handoff/${encodeURIComponent(code)}/status`);
  const collect = (code: string, poll_secret: unknown) =>
    caller.post(`/v1/auth/handoff/${code}/status`, { poll_secret });
  const cancel = (code: string, body?: object) => caller.delete(`/v1/auth/handoff/${code}`, body);
  const approve = (
    code: unknown,
    user_id: unknown = alice.id,
    as: string | Persona = alice,
    confirmation?: unknown,
  ): Promise<TestResponse> =>
    service.as(as).from(`127.0.31.${host}`).post('/v1/auth/handoff/complete', { code, user_id, confirmation });
  const age = (seconds: number) =>
    service.sql(
      "UPDATE one_time_secret SET created_at = created_at - $1 * interval '1 second' WHERE purpose = 'handoff'",
      [seconds],
    );

  async function inspected(): Promise<{ code: string; secret: string; confirmation: string }> {
    const { body } = await initiate();
    await inspect(body.code);
    return { code: body.code, secret: body.poll_secret, confirmation: body.confirmation };
  }
  const confirm = (code: string, confirmation: unknown) => approve(code, alice.id, alice, confirmation);

  async function approved(as: string | Persona = alice) {
    const handoff = await inspected();
    expect((await approve(handoff.code, alice.id, as)).status).toBe(204);
    return handoff;
  }

  test('initiate returns a code of 12, shown 6-6, its expiry in 5 minutes and a poll secret', async () => {
    const before = Date.now();
    const response = await initiate();
    expect({ status: response.status, body: response.body }).toEqual({
      status: 200,
      body: {
        code: expect.stringMatching(/^[ABCDEFGHJKMNPQRSTUVWXYZ2-9]{6}-[ABCDEFGHJKMNPQRSTUVWXYZ2-9]{6}$/),
        expires_at: expect.stringMatching(/Z$/),
        poll_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        confirmation: expect.stringMatching(/^[0-9]{2}$/),
      },
    });
    const left = Date.parse(response.body.expires_at) - before;
    expect(left).toBeGreaterThan(290_000);
    expect(left).toBeLessThan(310_000);
    const [row] = await service.sql(
      "SELECT row_to_json(s)::text AS row FROM one_time_secret s WHERE purpose = 'handoff'",
    );
    expect(row?.row).not.toContain(response.body.code.replace('-', ''));
    expect(row?.row).not.toContain(response.body.poll_secret);
  });

  test('info shows the client that requests the sign-in', async () => {
    const { body } = await initiate();
    const { status: code, body: shown } = await inspect(body.code);
    expect({ code, shown }).toEqual({
      code: 200,
      shown: {
        status: 'pending',
        client_info: { platform: 'desktop', os: 'Linux', browser: 'Firefox', device: 'desktop' },
        masked_ip: '127.0.x.x',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    });
  });

  test.each([
    ['a browser of a known name', { 'user-agent': FIREFOX }, { os: 'Linux', browser: 'Firefox' }],
    ['text in place of a user agent', { 'user-agent': 'CALL-15550100/1.0' }, { os: null, browser: null }],
    ['text behind the name of a browser', { 'user-agent': `${FIREFOX} CALL-15550100/1.0` }, { browser: 'Firefox' }],
    ['text as a system', { os: 'Call +1 555 0100 to approve' }, { os: null, browser: null }],
    ['text behind the name of a system', { os: 'Windows 11. Call +1 555 0100' }, { os: 'Windows', browser: null }],
  ])('info describes the client from the list of known systems and browsers: %s', async (_, reported, shown) => {
    const { os, ...headers } = { 'user-agent': 'x', ...reported } as Record<string, string>;
    const properties = Buffer.from(JSON.stringify({ os })).toString('base64');
    const device = caller.with({ ...headers, ...(os && { 'x-service-client-properties': properties }) });
    const { code } = (await device.post('/v1/auth/handoff/initiate')).body;
    const response = await inspect(code);
    expect(response.body.client_info).toMatchObject(shown);
    expect(JSON.stringify(response.body.client_info)).not.toMatch(/call|555/i);
  });

  test('info of an unknown or expired code is expired without a client', async () => {
    const { body } = await initiate();
    await age(301);
    const expected = { status: 'expired', client_info: null, masked_ip: null, created_at: null };
    expect((await inspect(body.code)).body).toEqual(expected);
    expect((await inspect('ABCDEF-ABCDEF')).body).toEqual(expected);
  });

  test('hyphens and white space are removed from codes, letters upper-cased; a malformed one is INVALID_HANDOFF_CODE', async () => {
    const { body } = await initiate();
    const plain = body.code.replace('-', '').toLowerCase();
    expect((await inspect(` ${plain.slice(0, 4)}-${plain.slice(4, 9)} ${plain.slice(9)}`)).body.status).toBe('pending');
    for (const code of ['ABCDEF', 'ABCDEFABCDEI', 'ABCDEFABCDE0', `${plain}A`, 'x'.repeat(500)]) {
      expectApiError(await inspect(code), 'INVALID_HANDOFF_CODE');
      expectApiError(await status(code), 'INVALID_HANDOFF_CODE');
      expectApiError(await collect(code, 'x'), 'INVALID_HANDOFF_CODE');
      expectApiError(await cancel(code), 'INVALID_HANDOFF_CODE');
      expectApiError(await approve(code), 'INVALID_HANDOFF_CODE');
    }
  });

  test('an approved code is collected with the poll secret: the initiating device gets a session, the approver keeps theirs', async () => {
    const { code, secret } = await inspected();
    expect((await collect(code, secret)).body).toEqual(PENDING);
    const before = await service.sql('SELECT id FROM session WHERE account_id = $1', [alice.id]);
    const approval = await approve(code);
    expect({ status: approval.status, text: approval.text }).toEqual({ status: 204, text: '' });
    expect(await service.sql('SELECT id FROM session WHERE account_id = $1', [alice.id])).toEqual(before);
    expect((await status(code)).body).toEqual(PENDING);
    const { body } = await collect(code, secret);
    expect(body).toEqual({
      status: 'completed',
      token: expect.stringMatching(/^flx_/),
      user_id: alice.id,
      user: expect.objectContaining({ username: 'alice' }),
    });
    const [session] = (await service.as(body.token).get('/v1/auth/sessions')).body.filter(
      ({ current }: { current: boolean }) => current,
    );
    expect(session.client_info.browser).toBe('Firefox');
    const rows = await service.sql('SELECT ip FROM session WHERE account_id = $1 AND ip = $2', [
      alice.id,
      `127.0.30.${host}`,
    ]);
    expect(rows).toHaveLength(1);
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
    expect((await collect(code, secret)).body).toEqual(EXPIRED);
    expect((await status(code)).body).toEqual(EXPIRED);
  });

  test('auth 1.7 the owner gets a notice of the new device only when it is signed in', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const notices = async () => inboxAfterDelivery(service, owner.email, 'security_notice');
    const { code, secret } = await inspected();
    expect((await approve(code, owner.id, owner)).status).toBe(204);
    expect(await notices()).toEqual([]);
    expect((await collect(code, secret)).body.status).toBe('completed');
    const [notice, ...more] = await notices();
    expect(more).toEqual([]);
    expect(notice?.metadata).toMatchObject({ event: 'session_handed_over' });
    expect(notice?.text).toContain('Firefox on Linux');
    expect((await collect(code, secret)).body).toEqual(EXPIRED);
    expect(await notices()).toHaveLength(1);
  });

  test('the plain status never contains a token', async () => {
    const { code } = await approved();
    expect((await status(code)).body).toEqual(PENDING);
    expect((await status('ABCDEF-ABCDEF')).body).toEqual(EXPIRED);
  });

  test('complete rejects another account, and unknown, uninspected, completed and expired codes', async () => {
    const bob = await person(service, 'bob');
    const { code } = await inspected();
    expectApiError(await approve(code, bob.id), 'SESSION_TOKEN_MISMATCH');
    expectApiError(await approve('ABCDEF-ABCDEF'), 'INVALID_HANDOFF_CODE');
    expectApiError(await approve((await initiate()).body.code), 'INVALID_HANDOFF_CODE');
    expect((await approve(code)).status).toBe(204);
    expectApiError(await approve(code), 'INVALID_HANDOFF_CODE');
    expectApiError(await approve(code, bob.id, bob), 'INVALID_HANDOFF_CODE');
    const late = await inspected();
    await age(301);
    expectApiError(await approve(late.code), 'HANDOFF_CODE_EXPIRED');
  });

  test('complete requires a session of an account without outstanding requirement', async () => {
    const { code } = await inspected();
    expectApiError(
      await service.anonymous.post('/v1/auth/handoff/complete', { code, user_id: alice.id }),
      'UNAUTHORIZED',
    );
    const carol = await person(service, 'carol');
    await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [carol.id]);
    expectApiError(await approve(code, carol.id, carol), 'ACCOUNT_SUSPICIOUS_ACTIVITY');
    await service.sql('UPDATE account SET suspicious_flags = 0, banned = true WHERE id = $1', [carol.id]);
    expectApiError(await approve(code, carol.id, carol), 'ACCOUNT_SUSPENDED_PERMANENTLY');
    await service.sql('UPDATE account SET banned = false, flags = $2::bigint WHERE id = $1', [
      carol.id,
      String(DELETED),
    ]);
    expectApiError(await approve(code, carol.id, carol), 'INVALID_HANDOFF_CODE');
    expect((await approve(code)).status).toBe(204);
  });

  test('bodies of complete and collect are validated', async () => {
    expectInvalid(await approve(undefined), 'code: INVALID_FORMAT');
    expectInvalid(await approve('ABCDEF-ABCDEF', 'me'), 'user_id: INVALID_SNOWFLAKE_FORMAT');
    expectInvalid(await collect('ABCDEF-ABCDEF', ''), 'poll_secret: INVALID_FORMAT');
    expectInvalid(await collect('ABCDEF-ABCDEF', 'x'.repeat(257)), 'poll_secret: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await collect('ABCDEF-ABCDEF', undefined), 'poll_secret: INVALID_FORMAT');
  });

  test('a wrong poll secret gets pending, also for an approved code', async () => {
    const { code, secret } = await approved();
    expect((await collect(code, 'wrong')).body).toEqual(PENDING);
    expect((await collect(code, `${secret}x`)).body).toEqual(PENDING);
    expect((await collect(code, secret)).body.status).toBe('completed');
  });

  test('an approval that is not collected within 5 minutes is invalid', async () => {
    const { code, secret } = await approved();
    await age(301);
    expect((await collect(code, secret)).body).toEqual(EXPIRED);
    expect((await status(code)).body).toEqual(EXPIRED);
  });

  test('an approval is invalid after its session ends', async () => {
    const approver = await signIn(service, alice);
    const { code, secret } = await approved(approver);
    await service.as(approver).post('/v1/auth/logout');
    expect((await collect(code, secret)).body).toEqual(EXPIRED);
    expect((await status(code)).body).toEqual(EXPIRED);
  });

  test('a suspension in the meantime is returned at collection', async () => {
    const dave = await person(service, 'dave');
    const { code, secret } = await inspected();
    await approve(code, dave.id, dave);
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [dave.id]);
    expectApiError(await collect(code, secret), 'ACCOUNT_SUSPENDED_PERMANENTLY');
  });

  test('cancel ends a code and is repeatable with 204; a session that was created stays', async () => {
    const { code, secret } = await approved();
    for (let n = 0; n < 2; n++) {
      const { status: answered, text } = await cancel(code, { poll_secret: secret });
      expect({ answered, text }).toEqual({ answered: 204, text: '' });
    }
    expect((await collect(code, secret)).body).toEqual(EXPIRED);
    expectApiError(await approve(code), 'INVALID_HANDOFF_CODE');
    const other = await approved();
    const { body } = await collect(other.code, other.secret);
    await cancel(other.code, { poll_secret: other.secret });
    expect((await service.as(body.token).get('/v1/users/@me')).status).toBe(200);
  });

  test('without its secret only a code that no user has inspected can be canceled', async () => {
    const fresh = (await initiate()).body;
    expect((await cancel(fresh.code)).status).toBe(204);
    expect((await collect(fresh.code, fresh.poll_secret)).body).toEqual(EXPIRED);
    for (const handoff of [await inspected(), await approved()]) {
      for (const body of [undefined, {}, { poll_secret: 'wrong' }, { poll_secret: `${handoff.secret}x` }]) {
        expect((await cancel(handoff.code, body)).status).toBe(204);
        expect((await status(handoff.code)).body).toEqual(PENDING);
      }
      expect((await cancel(handoff.code, { poll_secret: handoff.secret })).status).toBe(204);
      expect((await collect(handoff.code, handoff.secret)).body).toEqual(EXPIRED);
    }
    const { code } = (await initiate()).body;
    await cancel(code, { poll_secret: 'wrong' });
    expect((await inspect(code)).body.status).toBe('pending');
    expectInvalid(await cancel(code, { poll_secret: '' }), 'poll_secret: INVALID_FORMAT');
    expectInvalid(await cancel(code, { poll_secret: 'x'.repeat(257) }), 'poll_secret: CONTENT_EXCEEDS_MAX_LENGTH');
    expect((await status(code)).body).toEqual(PENDING);
  });

  test('the confirmation shown by the initiator approves; nothing that others can read contains it', async () => {
    const { code, secret, confirmation } = await inspected();
    for (const { body } of [await inspect(code), await status(code), await collect(code, secret)]) {
      expect(body).not.toHaveProperty('confirmation');
    }
    expect((await confirm(code, confirmation)).status).toBe(204);
    expect((await collect(code, secret)).body.status).toBe('completed');
  });

  test('a wrong confirmation of any form is INVALID_HANDOFF_CODE and invalidates the code', async () => {
    const wrongFor = (right: string) => [
      right === '42' ? '43' : '42',
      '',
      `${right}0`,
      ` ${right}`,
      'no',
      '4'.repeat(500),
    ];
    for (const index of wrongFor('42').keys()) {
      const { code, secret, confirmation } = await inspected();
      expectApiError(await confirm(code, wrongFor(confirmation)[index]), 'INVALID_HANDOFF_CODE');
      expectApiError(await confirm(code, confirmation), 'INVALID_HANDOFF_CODE');
      expect((await collect(code, secret)).body).toEqual(EXPIRED);
    }
    const other = await inspected();
    for (const given of [42, null, ['42']])
      expectInvalid(await confirm(other.code, given), 'confirmation: INVALID_FORMAT');
    expect((await confirm(other.code, other.confirmation)).status).toBe(204);
  });

  test('a wrong confirmation does not invalidate an earlier approval', async () => {
    const { code, secret } = await approved();
    expectApiError(await confirm(code, 'refused'), 'INVALID_HANDOFF_CODE');
    expect((await collect(code, secret)).body.status).toBe('completed');
  });

  test('of 32 parallel guesses at the digits, at most one counts', async () => {
    const { code, secret, confirmation } = await inspected();
    const guess = (n: number) => String((Number(confirmation) + n) % 100).padStart(2, '0');
    const { responses } = await race(32, (n) => confirm(code, guess(n)));
    const right = responses.filter(({ status: answered }) => answered === 204).length;
    for (const response of responses.filter(({ status: answered }) => answered !== 204)) {
      expectApiError(response, 'INVALID_HANDOFF_CODE');
    }
    const collected = (await collect(code, secret)).body.status;
    expect([right, collected]).toEqual(right === 1 ? [1, 'completed'] : [0, 'expired']);
  });

  test('a code can be looked up three times', async () => {
    const { body } = await initiate();
    for (let n = 0; n < 3; n++) expect((await inspect(body.code)).body.status).toBe('pending');
    expectApiError(await inspect(body.code), 'INVALID_HANDOFF_CODE');
    expect((await approve(body.code)).status).toBe(204);
  });

  test('five failures block the IP address: info, complete and collection are INVALID_HANDOFF_CODE', async () => {
    const { code, secret } = await approved();
    for (let n = 0; n < 3; n++) await inspect('ABCDEF-ABCDEF');
    for (let n = 0; n < 2; n++) await collect(code, 'wrong');
    expectApiError(await collect(code, secret), 'INVALID_HANDOFF_CODE');
    expectApiError(await inspect(code), 'INVALID_HANDOFF_CODE');
    const blocked = await service
      .as(alice)
      .from(`127.0.30.${host}`)
      .post('/v1/auth/handoff/complete', { code, user_id: alice.id });
    expectApiError(blocked, 'INVALID_HANDOFF_CODE');
    expect((await status(code)).body).toEqual(PENDING);
    const elsewhere = service.anonymous.from(`127.0.32.${host}`);
    const { body } = await elsewhere.post(`/v1/auth/handoff/${code}/status`, { poll_secret: secret });
    expect(body.status).toBe('completed');
  });

  test('collecting an unknown, canceled or delivered code counts no failure', async () => {
    for (let n = 0; n < 6; n++) expect((await collect('ABCDEF-ABCDEF', 'x')).body).toEqual(EXPIRED);
    const { code, secret } = await approved();
    expect((await collect(code, secret)).body.status).toBe('completed');
  });

  test('of 32 parallel completions, one is recorded', async () => {
    const { code, secret } = await inspected();
    const { responses } = await race(32, () => approve(code));
    expect(responses.filter(({ status: answered }) => answered === 204)).toHaveLength(1);
    for (const response of responses.filter(({ status: answered }) => answered !== 204)) {
      expectApiError(response, 'INVALID_HANDOFF_CODE');
    }
    expect((await collect(code, secret)).body.status).toBe('completed');
  });

  test('of 32 parallel collections, one gets the token, the others expired', async () => {
    const before = (await service.sql('SELECT id FROM session WHERE account_id = $1', [alice.id])).length;
    const { code, secret } = await approved();
    const { responses } = await race(32, () => collect(code, secret));
    expect(responses.filter(({ body }) => body.status === 'completed')).toHaveLength(1);
    expect(responses.filter(({ body }) => body.status === 'expired')).toHaveLength(31);
    expect(await service.sql('SELECT id FROM session WHERE account_id = $1', [alice.id])).toHaveLength(before + 1);
  });

  test('parallel approval and logout of the approver leave no token without an active approver', async () => {
    for (let round = 0; round < 4; round++) {
      const approver = await signIn(service, alice);
      const { code, secret } = await approved(approver);
      const [collected] = await Promise.all([collect(code, secret), service.as(approver).post('/v1/auth/logout')]);
      expect(['completed', 'expired']).toContain(collected.body.status);
    }
  });
});
