import { randomBytes } from 'node:crypto';
import { Database } from '../../src/platform/database/database.js';
import { Instance } from '../../src/platform/instance/instance.js';
import { MailDomains } from '../../src/platform/mail/mail-domains.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  inboxOf,
  mailTo,
  person,
  race,
  type TestResponse,
} from '../support/index.js';

const fresh = (name = 'new'): string => `${name}.${randomBytes(6).toString('hex')}@example.com`;
const password = 'a long enough password';
const register = (service: Gatehouse, body: object): Promise<TestResponse> =>
  service.anonymous.post('/v1/auth/register', body);
const accounts = async (service: Gatehouse): Promise<number> =>
  (await service.sql('SELECT count(*)::int AS n FROM account'))[0]?.n;

async function configure(service: Gatehouse, registration: object): Promise<void> {
  const instance = service.app.get(Instance);
  await service.app.get(Database).transaction((tx) => instance.change(tx, 'registration', registration));
}

describe('auth 4.1 register', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  test('returns a token and the partial user, and the token works', async () => {
    const email = fresh();
    const { status, body } = await register(service, { email, password, username: 'Ada', global_name: ' Ada L. ' });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        token: expect.stringMatching(/^flx_[A-Za-z0-9]{36}$/),
        user_id: expect.stringMatching(/^\d+$/),
        user: {
          id: body.user_id,
          username: 'Ada',
          discriminator: expect.stringMatching(/^\d{4}$/),
          global_name: 'Ada L.',
          avatar: null,
          avatar_color: expect.any(Number),
          flags: 0,
        },
      },
    });
    const me = await service.as(body.token).get('/v1/users/@me');
    expect(me.body).toMatchObject({ email, verified: false, terms_agreed_at: null, required_actions: [] });
    expect((await service.as(body.token).get('/v1/auth/sessions')).body).toHaveLength(1);
  });

  test('emails a verification token to the address, and authorizes the registering IP address', async () => {
    const email = fresh();
    const { body } = await register(service, { email, password });
    const mail = await mailTo(service, email, 'email_verification');
    expect(mail.metadata).toEqual({ token: expect.stringMatching(/^[A-Za-z0-9]{64}$/) });
    expect(mail.text).toContain(`#token=${mail.metadata.token}`);
    const rows = await service.sql('SELECT ip_key FROM authorized_ip WHERE account_id = $1', [body.user_id]);
    expect(rows).toEqual([{ ip_key: '127.0.0.1' }]);
  });

  test('an account without email address and password is unclaimed, gets a session and no email', async () => {
    const { status, body } = await register(service, {});
    expect(status).toBe(200);
    const me = await service.as(body.token).get('/v1/users/@me');
    expect(me.body).toMatchObject({ email: null, verified: false });
    expect(body.user.username).toMatch(/^user_\d{8}$/);
  });

  test('an absent username is derived from the global name', async () => {
    const { body } = await register(service, { global_name: 'Zoë Müller-Lüdenscheidt' });
    expect(body.user).toMatchObject({ username: 'Zoe_Muller_Ludenscheidt', global_name: 'Zoë Müller-Lüdenscheidt' });
  });

  test('theme and locale are initial settings; the locale is taken from Accept-Language if it is supported', async () => {
    const german = await service.anonymous
      .with({ 'accept-language': 'xx, de-AT;q=0.9' })
      .post('/v1/auth/register', { theme: 'dark' });
    expect((await service.as(german.body.token).get('/v1/users/@me')).body.locale).toBe('de');
    const rows = await service.sql('SELECT theme FROM account_settings WHERE account_id = $1', [german.body.user_id]);
    expect(rows).toEqual([{ theme: 'dark' }]);
    const other = await service.anonymous.with({ 'accept-language': 'tlh' }).post('/v1/auth/register', {});
    expect((await service.as(other.body.token).get('/v1/users/@me')).body.locale).toBe('en-US');
  });

  test('email and password must be sent together', async () => {
    const before = await accounts(service);
    expectInvalid(await register(service, { email: fresh() }), 'password: INVALID_FORMAT');
    expectInvalid(await register(service, { password }), 'email: INVALID_FORMAT');
    expect(await accounts(service)).toBe(before);
  });

  test.each<[what: string, body: object, fault: string]>([
    ['no at sign', { email: 'x', password }, 'email: INVALID_EMAIL_FORMAT'],
    ['an empty address', { email: '', password }, 'email: EMAIL_LENGTH_INVALID'],
    ['an over-long address', { email: `${'a'.repeat(250)}@example.com`, password }, 'email: EMAIL_LENGTH_INVALID'],
    ['two dots in the local part', { email: 'a..b@example.com', password }, 'email: INVALID_EMAIL_LOCAL_PART'],
    ['a space in an address', { email: 'a b@example.com', password }, 'email: INVALID_EMAIL_LOCAL_PART'],
    ['NUL in an address', { email: 'a@example.com\u0000', password }, 'email: INVALID_EMAIL_FORMAT'],
    ['a line break in an address', { email: 'a\r\nBcc: b@example.com', password }, 'email: INVALID_EMAIL_LOCAL_PART'],
    ['an object for an address', { email: { $ne: null }, password }, 'email: INVALID_FORMAT'],
    ['a number for an address', { email: 7, password }, 'email: INVALID_FORMAT'],
    ['half a pair in an address', { email: 'a\ud83d@example.com', password }, 'email: INVALID_EMAIL_FORMAT'],
    ['a password of 7', { email: 'a@example.com', password: 'short12' }, 'password: PASSWORD_LENGTH_INVALID'],
    ['a password of 257', { email: 'a@example.com', password: 'x'.repeat(257) }, 'password: PASSWORD_LENGTH_INVALID'],
    ['a common password', { email: 'a@example.com', password: 'Password1' }, 'password: PASSWORD_IS_TOO_COMMON'],
    ['a number for a password', { email: 'a@example.com', password: 12345678 }, 'password: INVALID_FORMAT'],
    ['an empty username', { username: '' }, 'username: USERNAME_LENGTH_INVALID'],
    ['a username of 33', { username: 'a'.repeat(33) }, 'username: USERNAME_LENGTH_INVALID'],
    ['a space in a username', { username: 'no spaces' }, 'username: USERNAME_INVALID_CHARACTERS'],
    ['a reserved username', { username: 'Everyone' }, 'username: USERNAME_RESERVED_VALUE'],
    [
      'a username that poses as the service',
      { username: 'system_message' },
      'username: USERNAME_CANNOT_CONTAIN_RESERVED_TERMS',
    ],
    [
      'the name of the product in a username',
      { username: 'My_GateHouse' },
      'username: USERNAME_CANNOT_CONTAIN_RESERVED_TERMS',
    ],
    [
      'the name of the product in a global name',
      { global_name: 'Gatehouse Team' },
      'global_name: GLOBAL_NAME_CANNOT_CONTAIN_RESERVED_TERMS',
    ],
    [
      'a global name that shows nothing',
      { global_name: '\u200b\u3164\u2800' },
      'global_name: GLOBAL_NAME_LENGTH_INVALID',
    ],
    ['a global name of NUL alone', { global_name: '\u0000' }, 'global_name: GLOBAL_NAME_LENGTH_INVALID'],
    ['a blank global name', { global_name: ' ' }, 'global_name: GLOBAL_NAME_LENGTH_INVALID'],
    ['a reserved global name', { global_name: 'here' }, 'global_name: GLOBAL_NAME_RESERVED_VALUE'],
    [
      'a global name that poses as the service',
      { global_name: 'A System Message' },
      'global_name: GLOBAL_NAME_CANNOT_CONTAIN_RESERVED_TERMS',
    ],
    ...[
      ...[
        'Ｇａｔｅｈｏｕｓｅ',
        'G\u200ba\u200bt\u200be\u200bhouse',
        'G a t e h o u s e',
        'Gate\u00adhouse',
        'Gate\u2028house',
      ],
      ...['\u202eG\u202cate\u2066house', 'Gаtеhоusе', 'Ｇаtе-ｈоuѕе', 'G\u0301ate.house', '🅶🅰🆃🅴🅷🅾🆄🆂🅴', '𝕲𝖆𝖙𝖊𝖍𝖔𝖚𝖘𝖊'],
      ...[
        'Sуstеm Mеssаgе',
        'System\u00a0\u00a0Message',
        'SYSTEM_MESSAGE',
        'systern message',
        'System\u2800Message',
        'ѕуѕтеm mеѕѕаgе',
      ],
      ...['GATEH0USE', '🇬🇦🇹🇪🇭🇴🇺🇸🇪', 'ɢᴀᴛᴇʜᴏᴜꜱᴇ'],
    ].map((name): [string, object, string] => [
      `${name}, read as a reserved term,`,
      { global_name: name },
      'global_name: GLOBAL_NAME_CANNOT_CONTAIN_RESERVED_TERMS',
    ]),
    ['a name read as a reserved value', { global_name: 'еvеryоnе' }, 'global_name: GLOBAL_NAME_RESERVED_VALUE'],
    ['zeros for letters', { username: 'gateh0use' }, 'username: USERNAME_CANNOT_CONTAIN_RESERVED_TERMS'],
    ['an unknown theme', { theme: 'purple' }, 'theme: INVALID_FORMAT'],
    ['text for consent', { consent: 'yes' }, 'consent: INVALID_FORMAT'],
  ])('%s is rejected', async (_what, body, fault) => {
    const before = await accounts(service);
    expectInvalid(await register(service, body), fault);
    expect(await accounts(service)).toBe(before);
  });

  test('a password of 256 characters is hashed completely, including the last one', async () => {
    const email = fresh();
    const long = 'é'.repeat(255);
    await register(service, { email, password: `${long}a` });
    const login = (candidate: string) => service.anonymous.post('/v1/auth/login', { email, password: candidate });
    expect((await login(`${long}a`)).status).toBe(200);
    expect((await login(`${long}b`)).status).toBe(400);
  });

  test('a taken address is EMAIL_ALREADY_IN_USE regardless of letter case and width', async () => {
    const alice = await person(service, 'alice');
    const before = await accounts(service);
    const wide = alice.email.replace('a', 'ａ');
    for (const email of [alice.email, alice.email.toUpperCase(), ` ${alice.email} `, wide]) {
      expectInvalid(await register(service, { email, password }), 'email: EMAIL_ALREADY_IN_USE');
    }
    expect(await accounts(service)).toBe(before);
  });

  test('of 32 parallel registrations of one address, one creates an account', async () => {
    const email = fresh();
    const { responses } = await race(32, () => register(service, { email, password }));
    const won = responses.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectInvalid(response, 'email: EMAIL_ALREADY_IN_USE');
    }
  });

  test('a username without an available discriminator is rejected', async () => {
    await service.sql(`INSERT INTO account (id, username, discriminator, created_at)
      SELECT n, 'Crowded', n, now() FROM generate_series(1, 9999) n`);
    const response = await register(service, { username: 'crowded' });
    expectInvalid(response, 'username: TOO_MANY_USERS_WITH_THIS_USERNAME');
  });

  test('initial suspicious flags apply immediately', async () => {
    await configure(service, { initialSuspiciousFlags: 1 });
    const { body } = await register(service, { email: fresh(), password });
    await configure(service, { initialSuspiciousFlags: 0 });
    expectApiError(await service.as(body.token).post('/v1/users/@me/disable'), 'ACCOUNT_SUSPICIOUS_ACTIVITY', {
      data: { suspicious_activity_flags: 1 },
    });
  });

  test('mode closed rejects; mode approval returns pending approval and creates no session', async () => {
    await configure(service, { mode: 'closed' });
    const before = await accounts(service);
    expectApiError(await register(service, { email: fresh(), password }), 'REGISTRATION_CLOSED');
    expect(await accounts(service)).toBe(before);

    await configure(service, { mode: 'approval' });
    const email = fresh();
    const { status, body } = await register(service, { email, password });
    await configure(service, { mode: 'open' });
    expect({ status, body }).toEqual({
      status: 200,
      body: { registration_pending_approval: true, user_id: expect.stringMatching(/^\d+$/) },
    });
    expect(await service.sql('SELECT 1 FROM session WHERE account_id = $1', [body.user_id])).toEqual([]);
    await mailTo(service, email, 'email_verification');
    const login = { email, password };
    expectApiError(await service.anonymous.post('/v1/auth/login', login), 'REGISTRATION_PENDING_APPROVAL');
    await service.sql("UPDATE account SET traits = '{registration_rejected}' WHERE id = $1", [body.user_id]);
    expectApiError(await service.anonymous.post('/v1/auth/login', login), 'REGISTRATION_REJECTED');
  });
});

describe('auth 4.1 hide_existing_accounts', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
    await configure(service, { hideExistingAccounts: true });
  });
  afterAll(() => service.close());

  test('a new and a taken address get responses that are equal byte for byte, and no session is created', async () => {
    const email = fresh();
    const first = await register(service, { email, password });
    expect({ status: first.status, body: first.body }).toEqual({
      status: 200,
      body: { registration_pending_verification: true },
    });
    const again = await register(service, { email, password: 'another long password' });
    expect({ status: again.status, text: again.text }).toEqual({ status: first.status, text: first.text });
    expect([...again.headers.keys()]).toEqual([...first.headers.keys()]);
    expect(await service.sql('SELECT 1 FROM session')).toEqual([]);
  });

  test('a taken address gets a notice and no account', async () => {
    const email = fresh();
    await register(service, { email, password });
    await mailTo(service, email, 'email_verification');
    const before = await accounts(service);
    await register(service, { email: email.toUpperCase(), password, username: 'Impostor' });
    const notice = await mailTo(service, email, 'registration_existing_account');
    expect(notice).toMatchObject({ to: email, metadata: {} });
    expect(notice.text).not.toContain('token');
    expect(await accounts(service)).toBe(before);
    expect(await inboxAfterDelivery(service, email, 'email_verification')).toHaveLength(1);
  });

  test('a new account cannot log in until it is verified; the error is that of wrong credentials', async () => {
    const email = fresh();
    await register(service, { email, password });
    const login = () => service.anonymous.post('/v1/auth/login', { email, password });
    const refused = await login();
    expectInvalid(refused, 'email: INVALID_EMAIL_OR_PASSWORD', 'password: INVALID_EMAIL_OR_PASSWORD');
    const wrong = await service.anonymous.post('/v1/auth/login', { email: fresh(), password });
    expect(refused.text).toBe(wrong.text);
    const { metadata } = await mailTo(service, email, 'email_verification');
    expect((await service.anonymous.post('/v1/auth/verify', { token: metadata.token })).status).toBe(204);
    expect((await login()).status).toBe(200);
  });

  test('of 32 parallel registrations of one address, one creates an account, and all responses are equal', async () => {
    const email = fresh();
    const { responses } = await race(32, () => register(service, { email, password }));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 {"registration_pending_verification":true}']),
    );
    expect(await service.sql('SELECT 1 FROM account WHERE lower(email) = lower($1)', [email])).toHaveLength(1);
    expect(await inboxAfterDelivery(service, email, 'email_verification')).toHaveLength(1);
    expect(await inboxOf(service, email, 'registration_existing_account')).toHaveLength(31);
  });

  test('an unclaimed registration gets a session', async () => {
    expect((await register(service, {})).body).toMatchObject({ token: expect.any(String) });
  });

  test('auth 6 a password reset of a new account verifies its address and allows sign-in', async () => {
    const email = fresh();
    await register(service, { email, password });
    expect((await service.anonymous.post('/v1/auth/login', { email, password })).status).toBe(400);
    await service.anonymous.post('/v1/auth/forgot', { email });
    const { token } = (await mailTo(service, email, 'password_reset')).metadata;
    const chosen = 'a brand new password';
    const { body } = await service.anonymous.post('/v1/auth/reset', { token, password: chosen });
    expect((await service.as(body.token).get('/v1/users/@me')).body).toMatchObject({
      email,
      verified: true,
      traits: [],
    });
    expect((await service.anonymous.post('/v1/auth/login', { email, password: chosen })).status).toBe(200);
  });
});

describe('auth 4.1 with legal documents, without an email transport', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ env: { MAIL_TRANSPORT: 'none', BRAND_TERMS_URL: 'https://example.com/terms' } });
  });
  afterAll(() => service.close());

  test('consent must be given, and is stored with its time', async () => {
    const before = await accounts(service);
    const code = 'consent: MUST_AGREE_TO_TOS_AND_PRIVACY_POLICY';
    expectInvalid(await register(service, {}), code);
    expectInvalid(await register(service, { consent: false }), code);
    expect(await accounts(service)).toBe(before);
    const { body } = await register(service, { consent: true });
    const me = await service.as(body.token).get('/v1/users/@me');
    expect(me.body.terms_agreed_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  test('without an email transport the address is verified immediately', async () => {
    const { body } = await register(service, { email: fresh(), password, consent: true });
    expect((await service.as(body.token).get('/v1/users/@me')).body.verified).toBe(true);
    expect(await service.sql('SELECT 1 FROM outbox')).toEqual([]);
  });

  test('hide_existing_accounts needs an email transport', async () => {
    await configure(service, { hideExistingAccounts: true });
    const email = fresh();
    expect((await register(service, { email, password, consent: true })).body).toHaveProperty('token');
    expectInvalid(await register(service, { email, password, consent: true }), 'email: EMAIL_ALREADY_IN_USE');
  });
});

describe('auth 4.1 with the DNS check on', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ env: { EMAIL_DNS_CHECK: 'on' } });
    const none = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
    const exchangers: Record<string, string[]> = { 'mx.example': ['mail.mx.example'], 'null-mx.example': ['.'] };
    service.app.get(MailDomains).lookup = {
      resolveMx: async (domain) => {
        if (domain === 'broken.example') return none('ESERVFAIL');
        return (exchangers[domain] ?? (await none('ENODATA'))).map((exchange) => ({ exchange, priority: 0 }));
      },
      resolve4: ((domain: string) => (domain === 'a-only.example' ? ['192.0.2.1'] : none('ENOTFOUND'))) as never,
      resolve6: (() => none('ENODATA')) as never,
    };
  });
  afterAll(() => service.close());

  test.each([
    ['a mail exchanger', 'mx.example', true],
    ['an address of its own', 'a-only.example', true],
    ['a resolver that fails', 'broken.example', true],
    ['the null exchanger', 'null-mx.example', false],
    ['nothing', 'nothing.example', false],
  ])('an address whose domain has %s', async (_what, domain, isAccepted) => {
    const before = await accounts(service);
    const response = await register(service, { email: `somebody@${domain}`, password });
    if (!isAccepted) expectInvalid(response, 'email: INVALID_EMAIL_ADDRESS');
    expect(await accounts(service)).toBe(before + (isAccepted ? 1 : 0));
  });
});

describe('auth 1.5 registration allowances', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ env: { REGISTRATION_ALLOWANCES: 'on' } });
  });
  afterAll(() => service.close());

  const from = (address: string, body: object) => service.anonymous.from(address).post('/v1/auth/register', body);

  function expectSpent(response: TestResponse): void {
    expectApiError(response, 'RATE_LIMITED', { global: false, retry_after: expect.any(Number) });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('x-ratelimit-scope')).toBe('user');
    expect(response.headers.has('x-ratelimit-bucket')).toBe(false);
  }

  test('one submitted email gets three attempts, regardless of letter case and caller', async () => {
    const email = fresh();
    for (const host of [1, 2, 3]) await from(`127.0.1.${host}`, { email, password });
    expectSpent(await from('127.0.1.4', { email: email.toUpperCase(), password }));
  });

  test('one IP address gets three registrations an hour, one /24 fifteen', async () => {
    for (let n = 0; n < 3; n++) expect((await from('127.0.2.1', {})).status).toBe(200);
    expectSpent(await from('127.0.2.1', {}));
    for (let host = 2; host < 14; host++) expect((await from(`127.0.2.${host}`, {})).status).toBe(200);
    expectSpent(await from('127.0.2.14', {}));
  });
});

describe('auth 4.7 username suggestions', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  const suggest = (body: object) => service.anonymous.post('/v1/auth/username-suggestions', body);

  test('suggests one name made of the usable characters of the global name, or none', async () => {
    expect((await suggest({ global_name: 'Grace  Hopper' })).body).toEqual({ suggestions: ['Grace_Hopper'] });
    expect((await suggest({ global_name: '日本' })).body).toEqual({ suggestions: [] });
    expect((await suggest({ global_name: '日本' })).status).toBe(200);
  });

  test('availability is not looked up', async () => {
    await person(service, 'taken');
    expect((await suggest({ global_name: 'taken' })).body).toEqual({ suggestions: ['taken'] });
  });

  test('a missing or invalid name is rejected', async () => {
    expectInvalid(await suggest({}), 'global_name: INVALID_FORMAT');
    expectInvalid(await suggest({ global_name: 'x'.repeat(33) }), 'global_name: GLOBAL_NAME_LENGTH_INVALID');
  });
});
