import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Routes } from '../../src/policy/routes.js';
import {
  Events,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  mailTo,
  type Persona,
  person,
  race,
  verifyEmail,
  withGatehouse,
} from '../support/index.js';

const SEND = '/v1/users/@me/phone/send-verification';
const VERIFY = '/v1/users/@me/phone/verify';

let service: Gatehouse;
let events: Events;
beforeAll(async () => {
  service = await gatehouse({ env: { SMS_TRANSPORT: 'inbox', PHONE_BLOCKED_PREFIXES: '+1900,+882' } });
  events = new Events(service);
});
afterAll(() => service.close());

let numbers = 0;
const freshNumber = () => `+4930${String(++numbers).padStart(7, '0')}`;

const send = (persona: Persona, phone: unknown) => service.as(persona).post(SEND, { phone });
const verify = (persona: Persona, phone: unknown, code: unknown) => service.as(persona).post(VERIFY, { phone, code });

/** Sends a code and reads it from the inbox. */
async function codeFor(persona: Persona, phone: string, count = 1): Promise<string> {
  const response = await send(persona, phone);
  expect([response.status, response.body]).toEqual([200, { channel: 'sms' }]);
  return (await mailTo(service, phone, 'phone_verification', count)).metadata.code as string;
}

/** Returns a code that differs from this one. */
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('account.md section 5 phone verification', () => {
  test('the code of a text message verifies the number, which no response contains', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET suspicious_flags = 255 WHERE id = $1', [alice.id]);
    const phone = freshNumber();
    const code = await codeFor(alice, phone);
    expect(code).toMatch(/^[0-9]{6}$/);
    const message = await mailTo(service, phone, 'phone_verification');
    expect(message).toMatchObject({ channel: 'sms', to: phone });
    expect(message.text).toContain(code);
    events.of(alice);
    const response = await verify(alice, phone, code);
    expect([response.status, response.body]).toEqual([200, { verified: true }]);
    expect(events.of(alice)).toEqual(['USER_UPDATE']);
    const { body } = await service.as(alice).get('/v1/users/@me');
    expect(body).toMatchObject({
      phone: null,
      has_verified_phone: true,
      required_actions: ['REQUIRE_VERIFIED_EMAIL', 'REQUIRE_REVERIFIED_EMAIL'],
    });
    const [row] = await service.sql('SELECT * FROM account WHERE id = $1', [alice.id]);
    expect(JSON.stringify(row)).not.toContain(phone.slice(1));
    expect(row?.suspicious_flags).toBe(3);
  });

  test.each(['4930123', '+0123456', '+', '+1234567890123456', '+49 30 123', '+49-30', 'x', '', '+４９３０'])(
    '%j is not a valid number',
    async (phone) => {
      const alice = await person(service, 'alice');
      expectInvalid(await send(alice, phone), 'phone: PHONE_NUMBER_INVALID_FORMAT');
      expectInvalid(await verify(alice, phone, '1'), 'phone: PHONE_NUMBER_INVALID_FORMAT');
    },
  );

  test('white space around a number and control characters in it are removed; other types are INVALID_FORMAT', async () => {
    const alice = await person(service, 'alice');
    const phone = freshNumber();
    expect((await send(alice, ` ${phone.slice(0, 5)}\u0007\u200e${phone.slice(5)}\n`)).status).toBe(200);
    const { metadata } = await mailTo(service, phone, 'phone_verification');
    expectInvalid(await send(alice, 49301234567), 'phone: INVALID_FORMAT');
    expectInvalid(await send(alice, undefined), 'phone: INVALID_FORMAT');
    expectInvalid(await verify(alice, phone, ''), 'code: INVALID_FORMAT');
    expectInvalid(await verify(alice, phone, 'x'.repeat(33)), 'code: CONTENT_EXCEEDS_MAX_LENGTH');
    expect((await verify(alice, phone, metadata.code)).status).toBe(200);
  });

  test('a number with a blocked prefix is rejected at both operations', async () => {
    const alice = await person(service, 'alice');
    expectApiError(await send(alice, '+19005550100'), 'INVALID_PHONE_NUMBER');
    expectApiError(await verify(alice, '+88216123', '123456'), 'INVALID_PHONE_NUMBER');
  });

  test('a code that is wrong, expired, used, of another number or of another account gets the same response', async () => {
    const [alice, mallory] = [await person(service, 'alice'), await person(service, 'mallory')];
    const phone = freshNumber();
    expectApiError(await verify(alice, phone, '123456'), 'INVALID_PHONE_VERIFICATION_CODE');
    const code = await codeFor(alice, phone);
    expectApiError(await verify(alice, phone, otherThan(code)), 'INVALID_PHONE_VERIFICATION_CODE');
    expectApiError(await verify(alice, freshNumber(), code), 'INVALID_PHONE_VERIFICATION_CODE');
    expectApiError(await verify(mallory, phone, code), 'INVALID_PHONE_VERIFICATION_CODE');
    const expire = (by: string) =>
      service.sql(`UPDATE one_time_secret SET expires_at = expires_at ${by} WHERE purpose = 'phone-code'`);
    await expire("- interval '601 seconds'");
    expectApiError(await verify(alice, phone, code), 'INVALID_PHONE_VERIFICATION_CODE');
    await expire("+ interval '601 seconds'");
    expect((await verify(alice, phone, code)).status).toBe(200);
    expectApiError(await verify(alice, phone, code), 'INVALID_PHONE_VERIFICATION_CODE');
    expect((await service.as(mallory).get('/v1/users/@me')).body.has_verified_phone).toBe(false);
  });

  test('a new code replaces the old one; five wrong tries invalidate it', async () => {
    const alice = await person(service, 'alice');
    const phone = freshNumber();
    const first = await codeFor(alice, phone);
    const second = await codeFor(alice, phone, 2);
    if (first !== second) expectApiError(await verify(alice, phone, first), 'INVALID_PHONE_VERIFICATION_CODE');
    for (let i = 0; i < 4; i++) {
      expectApiError(await verify(alice, phone, otherThan(second)), 'INVALID_PHONE_VERIFICATION_CODE');
    }
    expectApiError(await verify(alice, phone, second), 'INVALID_PHONE_VERIFICATION_CODE');
    const third = await codeFor(alice, phone, 3);
    for (let i = 0; i < 4; i++) {
      expectApiError(await verify(alice, phone, otherThan(third)), 'INVALID_PHONE_VERIFICATION_CODE');
    }
    expect((await verify(alice, phone, third)).status).toBe(200);
  });

  test('of 32 parallel verifications, exactly one is accepted, and at most five codes are checked', async () => {
    const alice = await person(service, 'alice');
    const phone = freshNumber();
    const code = await codeFor(alice, phone);
    const { responses } = await race(32, () => verify(alice, phone, code));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const response of responses) {
      if (response.status !== 200) expectApiError(response, 'INVALID_PHONE_VERIFICATION_CODE');
    }
  });

  test('two accounts may verify one number; a third gets an error only after a correct code', async () => {
    const phone = freshNumber();
    const [first, second, third] = [
      ...[await person(service, 'first'), await person(service, 'second'), await person(service, 'third')],
    ] as [Persona, Persona, Persona];
    expect((await verify(first, phone, await codeFor(first, phone))).status).toBe(200);
    expect((await verify(second, phone, await codeFor(second, phone, 2))).status).toBe(200);
    const code = await codeFor(third, phone, 3);
    expectApiError(await verify(third, phone, otherThan(code)), 'INVALID_PHONE_VERIFICATION_CODE');
    expectApiError(await verify(third, phone, code), 'PHONE_ALREADY_USED');
    expectApiError(await verify(third, phone, code), 'INVALID_PHONE_VERIFICATION_CODE');
    expect((await service.as(third).get('/v1/users/@me')).body.has_verified_phone).toBe(false);
  });

  test('three sends in six hours for an account, three in five days for a number over all accounts', async () => {
    const alice = await person(service, 'alice');
    for (let i = 0; i < 3; i++) await codeFor(alice, freshNumber());
    const spent = await send(alice, freshNumber());
    expectApiError(spent, 'PHONE_RATE_LIMIT_EXCEEDED', { retry_after: expect.any(Number) });
    expect(spent.headers.get('x-ratelimit-scope')).toBe('user');
    expect(Number(spent.headers.get('retry-after'))).toBeGreaterThan(7000);
    const phone = freshNumber();
    const callers = [
      await person(service, 'a'),
      await person(service, 'b'),
      await person(service, 'c'),
      await person(service, 'd'),
    ];
    for (const [index, caller] of callers.slice(0, 3).entries()) await codeFor(caller, phone, index + 1);
    const shared = await send(callers[3] as Persona, phone);
    expectApiError(shared, 'PHONE_RATE_LIMIT_EXCEEDED', { retry_after: expect.any(Number) });
    expect(shared.headers.get('x-ratelimit-scope')).toBe('shared');
    expect(shared.body.retry_after).toBeGreaterThan(86_400);
  });

  test('without a transport both operations are SMS_VERIFICATION_UNAVAILABLE', async () => {
    await withGatehouse({}, async (silent) => {
      const alice = await person(silent, 'alice');
      const phone = freshNumber();
      expectApiError(await silent.as(alice).post(SEND, { phone }), 'SMS_VERIFICATION_UNAVAILABLE');
      expectApiError(await silent.as(alice).post(VERIFY, { phone, code: '1' }), 'SMS_VERIFICATION_UNAVAILABLE');
      expect((await silent.anonymous.get('/.well-known/service')).body.features.sms).toBe(false);
    });
  });
});

describe('account.md section 5 a provider over HTTP', () => {
  const received: Record<string, unknown>[] = [];
  let status = 200;
  let provider: Server;
  let http: Gatehouse;
  beforeAll(async () => {
    provider = createServer((req, res) => {
      let text = '';
      req.on('data', (chunk) => {
        text += chunk;
      });
      req.on('end', () => {
        received.push({ ...JSON.parse(text), contentType: req.headers['content-type'] });
        res.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    const { port } = provider.address() as AddressInfo;
    http = await gatehouse({ env: { SMS_TRANSPORT: 'http', SMS_HTTP_URL: `http://127.0.0.1:${port}/messages` } });
  });
  afterAll(async () => {
    await http.close();
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
  });

  test('the message is posted with number, text and code; a failed delivery is SMS_VERIFICATION_UNAVAILABLE', async () => {
    const alice = await person(http, 'alice');
    const phone = freshNumber();
    expect((await http.as(alice).post(SEND, { phone })).status).toBe(200);
    const [message] = received;
    expect(message).toEqual({
      to: phone,
      type: 'phone_verification',
      text: expect.stringContaining('Your Gatehouse code is'),
      metadata: { code: expect.stringMatching(/^[0-9]{6}$/) },
      contentType: 'application/json',
    });
    status = 500;
    expectApiError(await http.as(alice).post(SEND, { phone }), 'SMS_VERIFICATION_UNAVAILABLE');
    expect((await http.anonymous.get('/.well-known/service')).body.features.sms).toBe(true);
  });
});

describe('account.md section 7 suspicious-activity flags', () => {
  const PATH = '/v1/users/@me/mfa/webauthn/credentials';

  /** Stores the flags and the verification states. Returns the flags in the error response, or 0 without an error. */
  async function refusedAs(persona: Persona, stored: number, email: boolean, phone: boolean): Promise<number> {
    await service.sql(
      'UPDATE account SET suspicious_flags = $2, email_verified = $3, has_verified_phone = $4 WHERE id = $1',
      [...[persona.id, stored, email, phone]],
    );
    const response = await service.as(persona).get(PATH);
    if (response.status === 200) return 0;
    const flags = response.body.data?.suspicious_activity_flags;
    expectApiError(response, 'ACCOUNT_SUSPICIOUS_ACTIVITY', { data: { suspicious_activity_flags: flags } });
    return flags;
  }

  test('each bit is met only by its own requirement, and a stricter bit does not hide it', async () => {
    const alice = await person(service, 'alice');
    const met = { none: 0, email: 1 | 16 | 64, phone: 4 | 16 | 32, both: 1 | 4 | 16 | 32 | 64 };
    for (const stored of [1, 2, 4, 8, 16, 32, 64, 128, 255, 17, 34]) {
      expect(await refusedAs(alice, stored, false, false)).toBe(stored);
      expect(await refusedAs(alice, stored, true, false)).toBe(stored & ~met.email);
      expect(await refusedAs(alice, stored, false, true)).toBe(stored & ~met.phone);
      expect(await refusedAs(alice, stored, true, true)).toBe(stored & ~met.both);
    }
  });

  test('bits above 7 never take effect; a bounced or missing address is not verified', async () => {
    const alice = await person(service, 'alice');
    expect(await refusedAs(alice, 256 | 512 | 65536, false, false)).toBe(0);
    await service.sql('UPDATE account SET email_bounced = true WHERE id = $1', [alice.id]);
    expect(await refusedAs(alice, 1, true, false)).toBe(1);
    await service.sql('UPDATE account SET email = NULL, email_bounced = false WHERE id = $1', [alice.id]);
    expect(await refusedAs(alice, 1, true, false)).toBe(1);
  });

  test('required_actions names the effective flags in the order of their bits', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET suspicious_flags = 255 WHERE id = $1', [alice.id]);
    const { body } = await service.as(alice).get('/v1/users/@me');
    expect(body.required_actions).toEqual([
      'REQUIRE_VERIFIED_EMAIL',
      'REQUIRE_REVERIFIED_EMAIL',
      'REQUIRE_VERIFIED_PHONE',
      'REQUIRE_REVERIFIED_PHONE',
      'REQUIRE_VERIFIED_EMAIL_OR_VERIFIED_PHONE',
      'REQUIRE_REVERIFIED_EMAIL_OR_VERIFIED_PHONE',
      'REQUIRE_VERIFIED_EMAIL_OR_REVERIFIED_PHONE',
      'REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE',
    ]);
  });

  test('the verification of an address clears bits 0, 1 and 4 to 7 in the database', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET suspicious_flags = 255 WHERE id = $1', [alice.id]);
    await verifyEmail(service, alice);
    const [row] = await service.sql('SELECT suspicious_flags FROM account WHERE id = $1', [alice.id]);
    expect(row?.suspicious_flags).toBe(12);
  });

  test('no member of PATCH clears a flag or raises a privilege', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET suspicious_flags = 5 WHERE id = $1', [alice.id]);
    const body = {
      ...{ bio: 'x', suspicious_flags: 0, suspicious_activity_flags: 0, email_verified: true, verified: true },
      ...{ has_verified_phone: true, flags: 1, acls: ['*'], traits: ['captcha_exempt'], bot: true, id: '1' },
    };
    const response = await service.as(alice).patch('/v1/users/@me', body);
    expect(response.body).toMatchObject({
      ...{ id: alice.id, bio: 'x', verified: false, has_verified_phone: false, flags: 0, acls: [], traits: [] },
      required_actions: ['REQUIRE_VERIFIED_EMAIL', 'REQUIRE_VERIFIED_PHONE'],
    });
  });
});

// Copies of the three lists of account.md section 9.
const BLOCKED_BY_SSO = [
  'POST /v1/auth/register',
  'POST /v1/auth/login',
  'POST /v1/auth/webauthn/authentication-options',
  'POST /v1/auth/webauthn/authenticate',
  'POST /v1/auth/login/mfa/totp',
  'POST /v1/auth/login/mfa/webauthn/authentication-options',
  'POST /v1/auth/login/mfa/webauthn',
  'POST /v1/auth/passkey-bridge',
  'POST /v1/auth/passkey-bridge/:ceremony_id/redeem',
  'POST /v1/auth/verify',
  'POST /v1/auth/verify/resend',
  'POST /v1/auth/forgot',
  'GET /v1/auth/reset/:token',
  'POST /v1/auth/reset',
  'POST /v1/auth/email-revert',
  'POST /v1/auth/authorize-ip',
  'POST /v1/auth/ip-authorization/resend',
  'GET /v1/auth/ip-authorization/poll',
  'POST /v1/auth/username-suggestions',
];
const ADMITTED_WHILE_SUSPICIOUS = [
  ...['GET /v1/users/@me', 'PATCH /v1/users/@me', 'GET /v1/users/@me/settings'],
  ...['start', 'resend-original', 'verify-original', 'request-new', 'resend-new', 'verify-new', 'apply'].map(
    (step) => `POST /v1/users/@me/email-change/${step}`,
  ),
  ...['request-new', 'resend-new', 'verify-new'].map((step) => `POST /v1/users/@me/email-change/bounced/${step}`),
  ...['POST /v1/auth/verify/resend', 'POST /v1/users/@me/phone/send-verification', 'POST /v1/users/@me/phone/verify'],
  ...['GET /v1/auth/sessions', 'POST /v1/auth/sessions/logout', 'POST /v1/auth/logout'],
  // web.md section 5
  ...['GET /v1/users/@me/security-events', 'POST /v1/users/@me/lockdown'],
  // tokens.md section 1, connections.md section 3
  ...['GET /v1/users/@me/access-tokens', 'DELETE /v1/users/@me/access-tokens/:id', 'GET /v1/users/@me/identities'],
];
const NEVER_ISSUES = ['POST /v1/users/@me/disable', 'POST /v1/users/@me/mfa/webauthn/credentials/registration-options'];
const SUDO = [
  ...NEVER_ISSUES,
  'POST /v1/auth/sessions/logout',
  'PATCH /v1/users/@me',
  'DELETE /v1/users/@me/authorized-ips',
  'POST /v1/users/@me/delete',
  'POST /v1/users/@me/email-change/apply',
  'POST /v1/users/@me/mfa/totp/enable',
  'POST /v1/users/@me/mfa/totp/disable',
  'POST /v1/users/@me/mfa/backup-codes',
  'PATCH /v1/users/@me/mfa/webauthn/credentials/:credential_id',
  'DELETE /v1/users/@me/mfa/webauthn/credentials/:credential_id',
  'PUT /v1/users/@me/mfa/webauthn/two-factor',
  // web.md section 5
  'POST /v1/users/@me/export',
  'POST /v1/users/@me/lockdown',
  // tokens.md section 1, connections.md section 3
  'POST /v1/users/@me/access-tokens',
  'POST /v1/users/@me/identities/start',
  'DELETE /v1/users/@me/identities/:identity_id',
];

describe('account.md section 9 lists of /v1/auth and /v1/users', () => {
  // Routes of applications, authorizations and webhooks are tested in their own suites.
  const isOurs = (route: string) =>
    /^\S+ \/v1\/(?:auth|users\/@me)(?:\/|$)/.test(route) && !/\/users\/@me\/(?:applications|webhooks)/.test(route);
  const routesWhere = (pick: (policy: Routes['all'][number]['policy']) => boolean) =>
    service.app
      .get(Routes)
      .all.filter(({ policy }) => pick(policy))
      .map(({ method, path }) => `${method} ${path}`)
      .filter(isOurs)
      .sort();

  test('9.1 exactly these nineteen operations are blocked while single sign-on is enforced', () => {
    expect(BLOCKED_BY_SSO).toHaveLength(19);
    expect(routesWhere(({ blockedBySso }) => blockedBySso)).toEqual([...BLOCKED_BY_SSO].sort());
  });

  test('9.2 exactly these operations are allowed while suspicious', () => {
    expect(routesWhere(({ allowSuspicious }) => allowSuspicious)).toEqual([...ADMITTED_WHILE_SUSPICIOUS].sort());
  });

  test('9.3 exactly these operations need sudo, and exactly two of them never issue a proof', () => {
    expect(routesWhere(({ sudo }) => sudo !== undefined)).toEqual([...SUDO].sort());
    expect(routesWhere(({ sudo }) => sudo?.issuesProof === false)).toEqual([...NEVER_ISSUES].sort());
  });
});
