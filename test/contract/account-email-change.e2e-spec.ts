import {
  ageMail,
  Events,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  inboxOf,
  mailTo,
  type Persona,
  person,
  race,
  signIn,
  verifyEmail,
  withGatehouse,
  withTotp,
} from '../support/index.js';

const BASE = '/v1/users/@me/email-change';
const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let service: Gatehouse;
let events: Events;
beforeAll(async () => {
  service = await gatehouse();
  events = new Events(service);
});
afterAll(() => service.close());

async function verified(name: string): Promise<Persona> {
  const persona = await person(service, name);
  await verifyEmail(service, persona);
  return persona;
}

async function bounced(name: string): Promise<Persona> {
  const persona = await person(service, name);
  await service.sql('UPDATE account SET email_bounced = true, email_verified = false WHERE id = $1', [persona.id]);
  return persona;
}

let addresses = 0;
const freshAddress = () => `new${++addresses}.${Date.now()}@example.net`;

const post = (persona: Persona | string, step: string, body?: object) =>
  service.as(persona).post(`${BASE}/${step}`, body);

const codeTo = async (address: string, type: string, count = 1): Promise<string> =>
  (await mailTo(service, address, type, count)).metadata.code as string;

/** Runs the steps until the current email address is confirmed. */
async function agreed(persona: Persona, count = 1): Promise<{ ticket: string; proof: string }> {
  const { body } = await post(persona, 'start');
  const { ticket } = body;
  if (!body.require_original) return { ticket, proof: body.original_proof };
  const code = await codeTo(persona.email, 'email_change_original', count);
  const response = await post(persona, 'verify-original', { ticket, code });
  expect(response.status).toBe(200);
  return { ticket, proof: response.body.original_proof };
}

/** Runs all steps except the last one. The result contains the token for `apply`. */
async function confirmed(persona: Persona, newEmail = freshAddress(), count = 1) {
  const { ticket, proof } = await agreed(persona, count);
  const requested = await post(persona, 'request-new', { ticket, new_email: newEmail, original_proof: proof });
  expect({ status: requested.status, body: requested.body }).toMatchObject({ status: 200 });
  const code = await codeTo(newEmail, 'email_change_new');
  const response = await post(persona, 'verify-new', { ticket, code, original_proof: proof });
  expect(response.status).toBe(200);
  return { ticket, proof, newEmail, token: response.body.email_token as string };
}

const apply = (persona: Persona, token: string, proof: object = { password: persona.password }) =>
  post(persona, 'apply', { email_token: token, ...proof });

const emailOf = async (persona: Persona) =>
  (await service.sql('SELECT email, email_verified, email_bounced FROM account WHERE id = $1', [persona.id]))[0];

describe('account.md section 4 changing a verified address', () => {
  test('present address, new address, apply: the account has the new address', async () => {
    const alice = await verified('alice');
    await service.sql('UPDATE account SET suspicious_flags = 255 WHERE id = $1', [alice.id]);
    const started = await post(alice, 'start');
    expect([started.status, started.body]).toEqual([
      200,
      {
        ticket: expect.stringMatching(UUID4),
        require_original: true,
        original_email: alice.email,
        original_proof: null,
        original_code_expires_at: expect.stringMatching(/Z$/),
        resend_available_at: expect.stringMatching(/Z$/),
      },
    ]);
    const { ticket, original_code_expires_at, resend_available_at } = started.body;
    expect(Date.parse(original_code_expires_at) - Date.parse(resend_available_at)).toBe(570_000);
    const code = await codeTo(alice.email, 'email_change_original');
    expect(code).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
    const first = await post(alice, 'verify-original', { ticket, code });
    expect([first.status, first.body]).toEqual([200, { original_proof: expect.stringMatching(UUID4) }]);
    const repeated = await post(alice, 'verify-original', { ticket, code: code.toLowerCase().replace('-', '') });
    expect(repeated.body).toEqual(first.body);
    const { original_proof } = first.body;
    const newEmail = freshAddress();
    const requested = await post(alice, 'request-new', { ticket, new_email: ` ${newEmail} `, original_proof });
    expect([requested.status, requested.body]).toEqual([
      200,
      {
        ticket,
        new_email: newEmail,
        new_code_expires_at: expect.stringMatching(/Z$/),
        resend_available_at: expect.stringMatching(/Z$/),
      },
    ]);
    const newCode = await codeTo(newEmail, 'email_change_new');
    const confirmedNew = await post(alice, 'verify-new', { ticket, code: newCode, original_proof });
    expect([confirmedNew.status, confirmedNew.body]).toEqual([200, { email_token: expect.stringMatching(UUID4) }]);
    expect((await emailOf(alice))?.email).toBe(alice.email);
    const other = await signIn(service, alice);
    events.of(alice);
    const { email_token } = confirmedNew.body;
    expectApiError(await post(alice, 'apply', { email_token }), 'SUDO_MODE_REQUIRED');
    const applied = await apply(alice, email_token);
    expect(applied.status).toBe(200);
    expect(applied.body).toMatchObject({
      id: alice.id,
      email: newEmail,
      verified: true,
      required_actions: ['REQUIRE_VERIFIED_PHONE', 'REQUIRE_REVERIFIED_PHONE'],
    });
    expect(events.of(alice)).toEqual(['USER_UPDATE']);
    expect((await service.as(other).get('/v1/users/@me')).status).toBe(200);
    const revert = await mailTo(service, alice.email, 'email_change_revert');
    expect(revert.metadata).toEqual({ token: expect.stringMatching(/^[A-Za-z0-9]{64}$/), new_email: newEmail });
    expectInvalid(await apply(alice, email_token), 'email_token: INVALID_EMAIL_TOKEN');
    expectInvalid(
      await post(alice, 'verify-new', { ticket, code: newCode, original_proof }),
      'ticket: TICKET_ALREADY_COMPLETED',
    );
  });

  test('a completed ticket is rejected at every step', async () => {
    const alice = await verified('alice');
    const { ticket, proof, newEmail } = await confirmed(alice);
    const bodies: [string, object][] = [
      ['resend-original', { ticket }],
      ['verify-original', { ticket, code: 'x' }],
      ['request-new', { ticket, new_email: newEmail, original_proof: proof }],
      ['resend-new', { ticket }],
      ['verify-new', { ticket, code: 'x', original_proof: proof }],
    ];
    for (const [step, body] of bodies) {
      expectInvalid(await post(alice, step, body), 'ticket: TICKET_ALREADY_COMPLETED');
    }
  });

  test('a ticket is unknown, expired, of another account or of the other procedure at every step', async () => {
    const [alice, mallory, robert] = [await verified('alice'), await verified('mallory'), await bounced('robert')];
    const { ticket, proof } = await agreed(alice);
    const bodies = (id: string): [string, object][] => [
      ['resend-original', { ticket: id }],
      ['verify-original', { ticket: id, code: 'x' }],
      ['request-new', { ticket: id, new_email: 'x@example.net', original_proof: proof }],
      ['resend-new', { ticket: id }],
      ['verify-new', { ticket: id, code: 'x', original_proof: proof }],
    ];
    for (const [step, body] of bodies(ticket)) {
      expectInvalid(await post(mallory, step, body), 'ticket: INVALID_OR_EXPIRED_TICKET');
    }
    for (const [step, body] of bodies('4b1b32d4-4e0c-4d33-9d38-3ab62d2ae6b7')) {
      expectInvalid(await post(alice, step, body), 'ticket: INVALID_OR_EXPIRED_TICKET');
    }
    const replaced = await post(robert, 'bounced/request-new', { new_email: freshAddress() });
    expectInvalid(
      await post(robert, 'resend-new', { ticket: replaced.body.ticket }),
      'ticket: INVALID_OR_EXPIRED_TICKET',
    );
    await service.sql("UPDATE one_time_secret SET expires_at = now() WHERE purpose = 'email-change'");
    for (const [step, body] of bodies(ticket)) {
      expectInvalid(await post(alice, step, body), 'ticket: INVALID_OR_EXPIRED_TICKET');
    }
  });

  test('a ticket expires after 60 minutes, an email token after 30', async () => {
    const alice = await verified('alice');
    await confirmed(alice);
    const rows = await service.sql(
      `SELECT purpose, round(extract(epoch FROM expires_at - created_at))::int AS life FROM one_time_secret
       WHERE subject = $1 AND purpose IN ('email-change', 'email-token') ORDER BY purpose`,
      [alice.id],
    );
    expect(rows).toEqual([
      { purpose: 'email-change', life: 3600 },
      { purpose: 'email-token', life: 1800 },
    ]);
  });

  test('the steps must be in order', async () => {
    const alice = await verified('alice');
    const { ticket } = (await post(alice, 'start')).body;
    const early = { ticket, new_email: freshAddress(), original_proof: 'x' };
    expectInvalid(await post(alice, 'request-new', early), 'ticket: ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST');
    expectInvalid(await post(alice, 'resend-new', { ticket }), 'ticket: NO_NEW_EMAIL_REQUESTED');
    const wrong = { ticket, code: 'x', original_proof: 'x' };
    expectInvalid(await post(alice, 'verify-new', wrong), 'ticket: ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST');
    const code = await codeTo(alice.email, 'email_change_original');
    const { original_proof } = (await post(alice, 'verify-original', { ticket, code })).body;
    expectInvalid(await post(alice, 'request-new', early), 'original_proof: INVALID_PROOF_TOKEN');
    expectInvalid(await post(alice, 'verify-new', wrong), 'original_proof: INVALID_PROOF_TOKEN');
    expectInvalid(
      await post(alice, 'verify-new', { ticket, code: 'x', original_proof }),
      'code: VERIFICATION_CODE_NOT_ISSUED',
    );
    expectInvalid(await post(alice, 'resend-original', { ticket }), 'ticket: ORIGINAL_EMAIL_ALREADY_VERIFIED');
  });

  test('a proof is valid only with its ticket', async () => {
    const alice = await verified('alice');
    const [first, second] = [await agreed(alice), await agreed(alice, 2)];
    const body = { ticket: first.ticket, new_email: freshAddress(), original_proof: second.proof };
    expectInvalid(await post(alice, 'request-new', body), 'original_proof: INVALID_PROOF_TOKEN');
    const right = { ...body, original_proof: first.proof };
    expect((await post(alice, 'request-new', right)).status).toBe(200);
  });

  test('codes: wrong, expired, of the other stage; a new code replaces the previous one', async () => {
    const alice = await verified('alice');
    const { ticket } = (await post(alice, 'start')).body;
    const first = await codeTo(alice.email, 'email_change_original');
    const verify = (code: string) => post(alice, 'verify-original', { ticket, code });
    expectInvalid(await verify('AAAA-AAAA'), 'code: INVALID_VERIFICATION_CODE');
    expectInvalid(await verify(''), 'code: INVALID_FORMAT');
    expectInvalid(await verify('x'.repeat(257)), 'code: CONTENT_EXCEEDS_MAX_LENGTH');
    await ageMail(service, alice, 'original', 601);
    expectInvalid(await verify(first), 'code: VERIFICATION_CODE_EXPIRED');
    expect((await post(alice, 'resend-original', { ticket })).status).toBe(204);
    const second = await codeTo(alice.email, 'email_change_original', 2);
    expectInvalid(await verify(first), 'code: INVALID_VERIFICATION_CODE');
    const { original_proof } = (await verify(second)).body;
    const newEmail = freshAddress();
    await post(alice, 'request-new', { ticket, new_email: newEmail, original_proof });
    const newCode = await codeTo(newEmail, 'email_change_new');
    const confirm = (code: string) => post(alice, 'verify-new', { ticket, code, original_proof });
    expectInvalid(await confirm(second), 'code: INVALID_VERIFICATION_CODE');
    await ageMail(service, alice, 'fresh', 601);
    expectInvalid(await confirm(newCode), 'code: VERIFICATION_CODE_EXPIRED');
    await ageMail(service, alice, 'fresh', -601);
    expect((await confirm(newCode)).status).toBe(200);
  });

  test('one send in 30 seconds for each address of a ticket; start counts for the original address', async () => {
    const alice = await verified('alice');
    const { ticket } = (await post(alice, 'start')).body;
    const early = await post(alice, 'resend-original', { ticket });
    expectApiError(early, 'RATE_LIMITED', { global: false });
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(25);
    expect(early.headers.get('x-ratelimit-scope')).toBe('user');
    expect(early.headers.has('x-ratelimit-bucket')).toBe(false);
    await ageMail(service, alice, 'original', 31);
    expect((await post(alice, 'resend-original', { ticket })).status).toBe(204);
    const code = await codeTo(alice.email, 'email_change_original', 2);
    const { original_proof } = (await post(alice, 'verify-original', { ticket, code })).body;
    const [first, second] = [freshAddress(), freshAddress()];
    const request = (new_email: string) => post(alice, 'request-new', { ticket, new_email, original_proof });
    expect((await request(first)).status).toBe(200);
    expectApiError(await request(second), 'RATE_LIMITED');
    expectApiError(await post(alice, 'resend-new', { ticket }), 'RATE_LIMITED');
    await ageMail(service, alice, 'fresh', 31);
    expect((await post(alice, 'resend-new', { ticket })).status).toBe(204);
    await codeTo(first, 'email_change_new', 2);
    expect(await inboxAfterDelivery(service, second)).toEqual([]);
  });

  test('a code for one new address does not confirm the next one', async () => {
    const alice = await verified('alice');
    const { ticket, proof } = await agreed(alice);
    const [first, second] = [freshAddress(), freshAddress()];
    const request = (new_email: string) => post(alice, 'request-new', { ticket, new_email, original_proof: proof });
    await request(first);
    const code = await codeTo(first, 'email_change_new');
    await ageMail(service, alice, 'fresh', 31);
    expect((await request(second)).status).toBe(200);
    expectInvalid(
      await post(alice, 'verify-new', { ticket, code, original_proof: proof }),
      'code: INVALID_VERIFICATION_CODE',
    );
  });

  test('an account has three starts and resends in 15 minutes, and five sends to new addresses', async () => {
    const alice = await verified('alice');
    const { ticket, proof } = await agreed(alice);
    await post(alice, 'start');
    await post(alice, 'start');
    const spent = await post(alice, 'start');
    expectApiError(spent, 'RATE_LIMITED', { global: false });
    expect(Number(spent.headers.get('retry-after'))).toBeGreaterThan(200);
    for (let i = 0; i < 5; i++) {
      const response = await post(alice, 'request-new', { ticket, new_email: freshAddress(), original_proof: proof });
      expect(response.status).toBe(200);
      await ageMail(service, alice, 'fresh', 31);
    }
    const last = { ticket, new_email: freshAddress(), original_proof: proof };
    expectApiError(await post(alice, 'request-new', last), 'RATE_LIMITED');
    expectApiError(await post(alice, 'resend-new', { ticket }), 'RATE_LIMITED');
  });

  test('the new address must be different, well formed and available', async () => {
    const [alice, bob] = [await verified('alice'), await verified('bob')];
    const { ticket, proof } = await agreed(alice);
    const request = (new_email: string) => post(alice, 'request-new', { ticket, new_email, original_proof: proof });
    expectInvalid(await request(alice.email.toUpperCase()), 'new_email: NEW_EMAIL_MUST_BE_DIFFERENT');
    expectInvalid(await request(bob.email.toUpperCase()), 'new_email: EMAIL_ALREADY_IN_USE');
    expectInvalid(await request('nobody'), 'new_email: INVALID_EMAIL_FORMAT');
    expectInvalid(await request('a..b@example.net'), 'new_email: INVALID_EMAIL_LOCAL_PART');
    expectInvalid(await request(''), 'new_email: EMAIL_LENGTH_INVALID');
    expectInvalid(await request(`${'x'.repeat(250)}@example.net`), 'new_email: EMAIL_LENGTH_INVALID');
    expect(await inboxOf(service, bob.email, 'email_change_new')).toEqual([]);
  });

  test('one address has one form: width, letter case of the domain and white space do not create another', async () => {
    const [alice, bob] = [await verified('alice'), await verified('bob')];
    const { ticket, proof } = await agreed(alice);
    const request = (new_email: unknown) => post(alice, 'request-new', { ticket, new_email, original_proof: proof });
    const [local = '', domain = ''] = bob.email.split('@');
    for (const taken of [` ${bob.email} `, `${local}@${domain.toUpperCase()}`, bob.email.replace('@', '＠')]) {
      expectInvalid(await request(taken), 'new_email: EMAIL_ALREADY_IN_USE');
    }
    for (const odd of [
      `${local}@${domain}\u0000`,
      `"${local}"@${domain}`,
      `${local}@[127.0.0.1]`,
      `${local}\n@${domain}`,
    ]) {
      const response = await request(odd);
      expect([odd, response.status]).toEqual([odd, 400]);
      expectApiError(response, 'INVALID_FORM_BODY');
    }
    expect(await inboxOf(service, bob.email, 'email_change_new')).toEqual([]);
  });

  test('of 32 parallel confirmations of the new address, exactly one gets a token', async () => {
    const alice = await verified('alice');
    const { ticket, proof } = await agreed(alice);
    const newEmail = freshAddress();
    await post(alice, 'request-new', { ticket, new_email: newEmail, original_proof: proof });
    const code = await codeTo(newEmail, 'email_change_new');
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => post(alice, 'verify-new', { ticket, code, original_proof: proof })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const response of responses)
      if (response.status !== 200) expectInvalid(response, 'ticket: TICKET_ALREADY_COMPLETED');
  });

  test('every route is allowed while suspicious', async () => {
    const alice = await verified('alice');
    await service.sql('UPDATE account SET suspicious_flags = 4 WHERE id = $1', [alice.id]);
    const { token } = await confirmed(alice);
    expect((await apply(alice, token)).status).toBe(200);
  });
});

describe('account.md section 4 without a verified address', () => {
  test('the change starts with a proof in the response, and no email goes to the present address', async () => {
    const alice = await person(service, 'alice');
    const { body } = await post(alice, 'start');
    expect(body).toEqual({
      ticket: expect.stringMatching(UUID4),
      require_original: false,
      original_email: alice.email,
      original_proof: expect.stringMatching(UUID4),
      original_code_expires_at: null,
      resend_available_at: null,
    });
    const { ticket } = body;
    expectInvalid(await post(alice, 'resend-original', { ticket }), 'ticket: ORIGINAL_EMAIL_ALREADY_VERIFIED');
    expectInvalid(
      await post(alice, 'verify-original', { ticket, code: 'x' }),
      'ticket: ORIGINAL_VERIFICATION_NOT_REQUIRED',
    );
    expect(await inboxAfterDelivery(service, alice.email, 'email_change_original')).toEqual([]);
    const { token, newEmail } = await confirmed(alice);
    expect((await apply(alice, token)).body).toMatchObject({ email: newEmail, verified: true });
    await mailTo(service, alice.email, 'email_change_revert');
  });

  test('an account without an address gets its first one, and the change has no revert link', async () => {
    const { body } = await service.anonymous.post('/v1/auth/register', { username: 'nobody' });
    const persona = { id: body.user_id, authorization: body.token, email: '', password: '', username: 'nobody' };
    const started = await post(persona, 'start');
    expect(started.body).toMatchObject({ require_original: false, original_email: null });
    const { token, newEmail } = await confirmed(persona);
    const applied = await post(persona, 'apply', { email_token: token });
    expect(applied.body).toMatchObject({ email: newEmail, verified: true });
    const rows = await service.sql("SELECT 1 FROM one_time_secret WHERE purpose = 'email-revert' AND subject = $1", [
      persona.id,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('account.md section 4 apply', () => {
  test('an unknown, used or expired token, or one of another account, is rejected', async () => {
    const [alice, mallory] = [await verified('alice'), await verified('mallory')];
    const { token } = await confirmed(alice);
    expectInvalid(await apply(mallory, token), 'email_token: INVALID_EMAIL_TOKEN');
    expectInvalid(await apply(alice, 'unknown'), 'email_token: INVALID_EMAIL_TOKEN');
    await service.sql("UPDATE one_time_secret SET expires_at = now() WHERE purpose = 'email-token'");
    expectInvalid(await apply(alice, token), 'email_token: EMAIL_TOKEN_EXPIRED');
    expectInvalid(await apply(mallory, token), 'email_token: INVALID_EMAIL_TOKEN');
    expect((await emailOf(alice))?.email).toBe(alice.email);
  });

  test('after the change, the other tokens and tickets of the account and the links to the old address are invalid', async () => {
    const alice = await verified('alice');
    const [first, second] = [await confirmed(alice), await confirmed(alice, freshAddress(), 2)];
    const open = await agreed(alice, 3);
    await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
    const reset = await mailTo(service, alice.email, 'password_reset');
    expect((await apply(alice, first.token)).status).toBe(200);
    expectInvalid(await apply(alice, second.token), 'email_token: INVALID_EMAIL_TOKEN');
    const body = { ticket: open.ticket, new_email: freshAddress(), original_proof: open.proof };
    expectInvalid(await post(alice, 'request-new', body), 'ticket: INVALID_OR_EXPIRED_TICKET');
    const valid = await service.anonymous.get(`/v1/auth/reset/${reset.metadata.token}`);
    expect(valid.body).toEqual({ valid: false });
  });

  test('an address that was taken in the meantime is EMAIL_ALREADY_IN_USE, and the token is kept', async () => {
    const alice = await verified('alice');
    const { token, newEmail } = await confirmed(alice);
    const thief = await service.anonymous.post('/v1/auth/register', {
      email: newEmail,
      password: 'a fresh password 7',
    });
    expect(thief.status).toBe(200);
    expectInvalid(await apply(alice, token), 'email_token: EMAIL_ALREADY_IN_USE');
    await service.sql('UPDATE account SET email = NULL WHERE id = $1', [thief.body.user_id]);
    expect((await apply(alice, token)).status).toBe(200);
  });

  test('of two accounts that confirmed the same address, one gets it', async () => {
    const [alice, bob] = [await verified('alice'), await verified('bob')];
    const newEmail = freshAddress();
    const first = await confirmed(alice, newEmail);
    await service.sql('DELETE FROM inbox_message WHERE recipient = $1', [newEmail]);
    const second = await confirmed(bob, newEmail);
    const responses = await Promise.all([apply(alice, first.token), apply(bob, second.token)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    const loser = responses.find(({ status }) => status === 400);
    if (loser) expectInvalid(loser, 'email_token: EMAIL_ALREADY_IN_USE');
  });

  test('of 32 parallel applications, exactly one changes the address', async () => {
    const alice = await verified('alice');
    const { token } = await confirmed(alice);
    await service.sql('UPDATE account SET password_hash = NULL WHERE id = $1', [alice.id]);
    const { responses } = await race(32, () => apply(alice, token));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const response of responses)
      if (response.status !== 200) expectInvalid(response, 'email_token: INVALID_EMAIL_TOKEN');
    expect(await inboxAfterDelivery(service, alice.email, 'email_change_revert')).toHaveLength(1);
  });

  test('sudo by a second factor issues a proof', async () => {
    const alice = await verified('alice');
    const { authenticator } = await withTotp(service, alice);
    const { token } = await confirmed(alice);
    const response = await apply(alice, token, { mfa_method: 'totp', mfa_code: authenticator.next() });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-service-sudo-mode-jwt')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  test('PATCH of the account also applies a token, with the rest of the body or not at all', async () => {
    const alice = await verified('alice');
    const { token, newEmail } = await confirmed(alice);
    const patch = (body: object) => service.as(alice).patch('/v1/users/@me', body);
    expectApiError(await patch({ email_token: token, bio: 'x' }), 'SUDO_MODE_REQUIRED');
    const { password } = alice;
    expectInvalid(await patch({ email_token: 'unknown', bio: 'x', password }), 'email_token: INVALID_EMAIL_TOKEN');
    expect((await service.as(alice).get('/v1/users/@me')).body.bio).toBeNull();
    const response = await patch({ email_token: token, bio: 'x', password });
    expect(response.body).toMatchObject({ email: newEmail, bio: 'x', verified: true });
    expectInvalid(await patch({ email: newEmail, password }), 'email: EMAIL_MUST_BE_CHANGED_VIA_TOKEN');
  });
});

describe('account.md section 4 a bounced address', () => {
  test('the new address is confirmed and applied immediately, without a revert email', async () => {
    const alice = await bounced('alice');
    await service.sql('UPDATE account SET suspicious_flags = 18 WHERE id = $1', [alice.id]);
    expect((await service.as(alice).get('/v1/users/@me')).body).toMatchObject({ email_bounced: true, verified: false });
    const newEmail = freshAddress();
    const requested = await post(alice, 'bounced/request-new', { new_email: newEmail });
    expect([requested.status, requested.body]).toEqual([
      200,
      {
        ticket: expect.stringMatching(UUID4),
        new_email: newEmail,
        new_code_expires_at: expect.any(String),
        resend_available_at: expect.any(String),
      },
    ]);
    const { ticket } = requested.body;
    const first = await codeTo(newEmail, 'email_change_new');
    expectApiError(await post(alice, 'bounced/resend-new', { ticket }), 'RATE_LIMITED');
    await ageMail(service, alice, 'fresh', 31);
    expect((await post(alice, 'bounced/resend-new', { ticket })).status).toBe(204);
    const code = await codeTo(newEmail, 'email_change_new', 2);
    expectInvalid(await post(alice, 'bounced/verify-new', { ticket, code: first }), 'code: INVALID_VERIFICATION_CODE');
    events.of(alice);
    const verifiedNew = await post(alice, 'bounced/verify-new', { ticket, code });
    expect(verifiedNew.body).toMatchObject({ email: newEmail, verified: true, required_actions: [] });
    expect(verifiedNew.body).not.toHaveProperty('email_bounced');
    expect(events.of(alice)).toEqual(['USER_UPDATE']);
    expect(await inboxAfterDelivery(service, alice.email, 'email_change_revert')).toEqual([]);
    expectApiError(await post(alice, 'bounced/verify-new', { ticket, code }), 'ACCESS_DENIED');
  });

  test('an address that is not bounced, or none at all, is ACCESS_DENIED at every route', async () => {
    const alice = await verified('alice');
    const { body } = await service.anonymous.post('/v1/auth/register', { username: 'nobody' });
    for (const caller of [alice, body.token]) {
      expectApiError(await post(caller, 'bounced/request-new', { new_email: freshAddress() }), 'ACCESS_DENIED');
      expectApiError(await post(caller, 'bounced/resend-new', { ticket: 'x' }), 'ACCESS_DENIED');
      expectApiError(await post(caller, 'bounced/verify-new', { ticket: 'x', code: 'x' }), 'ACCESS_DENIED');
    }
  });

  test('a bounced address that is still verified must be changed with the ordinary procedure; no email is sent', async () => {
    const alice = await verified('alice');
    await service.sql('UPDATE account SET email_bounced = true WHERE id = $1', [alice.id]);
    const newEmail = freshAddress();
    expectInvalid(
      await post(alice, 'bounced/request-new', { new_email: newEmail }),
      'ticket: ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST',
    );
    expect(await inboxAfterDelivery(service, newEmail)).toEqual([]);
  });

  test('the new address must be different and available', async () => {
    const [alice, bob] = [await bounced('alice'), await verified('bob')];
    const request = (new_email: string) => post(alice, 'bounced/request-new', { new_email });
    expectInvalid(await request(alice.email), 'new_email: NEW_EMAIL_MUST_BE_DIFFERENT');
    expectInvalid(await request(bob.email), 'new_email: EMAIL_ALREADY_IN_USE');
  });

  test('of 32 parallel confirmations, exactly one changes the address', async () => {
    const alice = await bounced('alice');
    const newEmail = freshAddress();
    const { ticket } = (await post(alice, 'bounced/request-new', { new_email: newEmail })).body;
    const code = await codeTo(newEmail, 'email_change_new');
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => post(alice, 'bounced/verify-new', { ticket, code })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of responses) {
      if (status === 403) expect(body.code).toBe('ACCESS_DENIED');
      else expect([200, 400]).toContain(status);
    }
    expect((await emailOf(alice))?.email).toBe(newEmail);
  });
});

describe('account.md 4.1 password change by email', () => {
  const PASSWORD = '/v1/users/@me/password-change';
  const send = (persona: Persona | string, step: string, body?: object) =>
    service.as(persona).post(`${PASSWORD}/${step}`, body);

  test('start, verify, complete: the calling session is the only one left, with a new token', async () => {
    const alice = await verified('alice');
    const other = await signIn(service, alice);
    await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
    const reset = await mailTo(service, alice.email, 'password_reset');
    const started = await send(alice, 'start');
    expect([started.status, started.body]).toEqual([
      200,
      {
        ticket: expect.stringMatching(UUID4),
        code_expires_at: expect.any(String),
        resend_available_at: expect.any(String),
      },
    ]);
    const { ticket } = started.body;
    const code = await codeTo(alice.email, 'password_change');
    expectInvalid(await send(alice, 'verify', { ticket, code: 'x' }), 'code: INVALID_VERIFICATION_CODE');
    const verifiedCode = await send(alice, 'verify', { ticket, code });
    expect(verifiedCode.body).toEqual({ verification_proof: expect.stringMatching(UUID4) });
    expect((await send(alice, 'verify', { ticket, code })).body).toEqual(verifiedCode.body);
    const { verification_proof } = verifiedCode.body;
    const complete = (more: object) =>
      send(alice, 'complete', { ticket, verification_proof, new_password: 'an entirely new one 8', ...more });
    expectInvalid(await complete({ verification_proof: 'x' }), 'verification_proof: INVALID_PROOF_TOKEN');
    expectInvalid(await complete({ new_password: 'password' }), 'new_password: PASSWORD_IS_TOO_COMMON');
    expectInvalid(await complete({ new_password: 'short' }), 'new_password: PASSWORD_LENGTH_INVALID');
    events.of(alice);
    const done = await complete({});
    expect(done.status).toBe(200);
    expect(done.body).toEqual({
      token: expect.stringMatching(/^flx_[A-Za-z0-9]{36}$/),
      auth_session_id_hash: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(events.of(alice).sort()).toEqual(['AUTH_SESSION_CHANGE', 'USER_UPDATE']);
    for (const dead of [alice.authorization, other]) {
      expectApiError(await service.as(dead).get('/v1/users/@me'), 'UNAUTHORIZED');
    }
    const sessions = await service.as(done.body.token).get('/v1/auth/sessions');
    expect(sessions.body).toHaveLength(1);
    expect(sessions.body[0]).toMatchObject({ current: true, id_hash: done.body.auth_session_id_hash });
    expect((await service.anonymous.get(`/v1/auth/reset/${reset.metadata.token}`)).body).toEqual({ valid: false });
    const login = { email: alice.email, password: 'an entirely new one 8' };
    expect((await service.anonymous.post('/v1/auth/login', login)).status).toBe(200);
    const notice = await mailTo(service, alice.email, 'security_notice');
    expect(notice.metadata).toMatchObject({ event: 'password_changed' });
    const again = await service
      .as(done.body.token)
      .post(`${PASSWORD}/complete`, { ticket, verification_proof, new_password: 'yet another one 99' });
    expectInvalid(again, 'ticket: TICKET_ALREADY_COMPLETED');
  });

  test('an unverified ticket cannot complete; a ticket of another account or of another procedure is unknown', async () => {
    const [alice, mallory] = [await verified('alice'), await verified('mallory')];
    const { ticket } = (await send(alice, 'start')).body;
    const body = { ticket, verification_proof: 'x', new_password: 'an entirely new one 8' };
    expectInvalid(await send(alice, 'complete', body), 'ticket: INVALID_OR_EXPIRED_TICKET');
    const change = await post(alice, 'start');
    for (const [caller, id] of [
      [mallory, ticket],
      [alice, change.body.ticket],
    ] as const) {
      expectInvalid(await send(caller, 'resend', { ticket: id }), 'ticket: INVALID_OR_EXPIRED_TICKET');
      expectInvalid(await send(caller, 'verify', { ticket: id, code: 'x' }), 'ticket: INVALID_OR_EXPIRED_TICKET');
      expectInvalid(await send(caller, 'complete', { ...body, ticket: id }), 'ticket: INVALID_OR_EXPIRED_TICKET');
    }
  });

  test('an account without an address cannot start; resends wait 30 s and are limited to three in 15 minutes', async () => {
    const { body } = await service.anonymous.post('/v1/auth/register', { username: 'nobody' });
    expectInvalid(await send(body.token, 'start'), 'email: USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS');
    const alice = await verified('alice');
    const { ticket } = (await send(alice, 'start')).body;
    expectApiError(await send(alice, 'resend', { ticket }), 'RATE_LIMITED');
    const past = () =>
      service.sql(
        `UPDATE one_time_secret SET payload = jsonb_set(payload, '{sent,sentAt}', '"2020-01-01T00:00:00.000Z"')
         WHERE subject = $1 AND purpose = 'password-change'`,
        [alice.id],
      );
    for (let i = 0; i < 3; i++) {
      await past();
      expect((await send(alice, 'resend', { ticket })).status).toBe(204);
    }
    await past();
    expectApiError(await send(alice, 'resend', { ticket }), 'RATE_LIMITED');
    const code = await codeTo(alice.email, 'password_change', 4);
    expectInvalid(await send(alice, 'verify', { ticket, code }), 'code: VERIFICATION_CODE_EXPIRED');
  });

  test('a ticket is invalid after the address of the account changes', async () => {
    const alice = await verified('alice');
    const { ticket } = (await send(alice, 'start')).body;
    const code = await codeTo(alice.email, 'password_change');
    const { token } = await confirmed(alice);
    expect((await apply(alice, token)).status).toBe(200);
    expectInvalid(await send(alice, 'verify', { ticket, code }), 'ticket: INVALID_OR_EXPIRED_TICKET');
  });

  test('of 32 parallel completions, exactly one sets its password', async () => {
    const alice = await verified('alice');
    const { ticket } = (await send(alice, 'start')).body;
    const code = await codeTo(alice.email, 'password_change');
    const { verification_proof } = (await send(alice, 'verify', { ticket, code })).body;
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        send(alice, 'complete', { ticket, verification_proof, new_password: `password number ${index}` }),
      ),
    );
    const won = responses.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(won).toHaveLength(1);
    for (const { status } of responses) expect([200, 400, 401]).toContain(status);
    const login = { email: alice.email, password: `password number ${won[0]}` };
    expect((await service.anonymous.post('/v1/auth/login', login)).status).toBe(200);
  });

  test('it is not allowed while suspicious', async () => {
    const alice = await verified('alice');
    await service.sql('UPDATE account SET suspicious_flags = 4 WHERE id = $1', [alice.id]);
    for (const step of ['start', 'resend', 'verify', 'complete']) {
      expectApiError(await send(alice, step, {}), 'ACCOUNT_SUSPICIOUS_ACTIVITY', {
        data: { suspicious_activity_flags: 4 },
      });
    }
  });
});

describe('account.md section 4 hidden accounts, and no email transport', () => {
  test('hide_existing_accounts: a taken address is answered like a free one and gets a notice instead of a code', async () => {
    const [alice, bob] = [await verified('alice'), await verified('bob')];
    const settings = { mode: 'open', hideExistingAccounts: true, initialSuspiciousFlags: 0 };
    const { Instance } = await import('../../src/platform/instance/instance.js');
    const { Database } = await import('../../src/platform/database/database.js');
    const change = (hide: boolean) =>
      service.app
        .get(Database)
        .transaction((tx) =>
          service.app.get(Instance).change(tx, 'registration', { ...settings, hideExistingAccounts: hide } as never),
        );
    await change(true);
    try {
      const { ticket, proof } = await agreed(alice);
      const taken = await post(alice, 'request-new', { ticket, new_email: bob.email, original_proof: proof });
      expect(taken.status).toBe(200);
      expect(Object.keys(taken.body).sort()).toEqual([
        'new_code_expires_at',
        'new_email',
        'resend_available_at',
        'ticket',
      ]);
      await mailTo(service, bob.email, 'registration_existing_account');
      expect(await inboxAfterDelivery(service, bob.email, 'email_change_new')).toEqual([]);
      for (const code of ['', 'AAAA-AAAA', '-']) {
        const response = await post(alice, 'verify-new', { ticket, code: code || ' ', original_proof: proof });
        expectInvalid(response, 'code: INVALID_VERIFICATION_CODE');
      }
    } finally {
      await change(false);
    }
  });

  test('without an email transport, operations that email a code are FEATURE_TEMPORARILY_DISABLED', async () => {
    await withGatehouse({ env: { MAIL_TRANSPORT: 'none' } }, async (silent) => {
      const alice = await person(silent, 'alice');
      const me = silent.as(alice);
      expectApiError(await me.post(`${BASE}/start`), 'FEATURE_TEMPORARILY_DISABLED');
      expectApiError(await me.post('/v1/users/@me/password-change/start'), 'FEATURE_TEMPORARILY_DISABLED');
      await withTotp(silent, alice);
      expectApiError(await me.post('/v1/users/@me/mfa/backup-codes/challenge'), 'FEATURE_TEMPORARILY_DISABLED');
      await silent.sql('UPDATE account SET email_verified = false WHERE id = $1', [alice.id]);
      const { body } = await me.post(`${BASE}/start`);
      const request = { ticket: body.ticket, new_email: 'x@example.net', original_proof: body.original_proof };
      expectApiError(await me.post(`${BASE}/request-new`, request), 'FEATURE_TEMPORARILY_DISABLED');
      await silent.sql('UPDATE account SET email_bounced = true WHERE id = $1', [alice.id]);
      const bounce = { new_email: 'x@example.net' };
      expectApiError(await me.post(`${BASE}/bounced/request-new`, bounce), 'FEATURE_TEMPORARILY_DISABLED');
    });
  });
});
