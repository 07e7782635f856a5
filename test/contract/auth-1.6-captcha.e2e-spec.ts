import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { expectApiError, type Gatehouse, gatehouse, type Persona, race } from '../support/index.js';

const fresh = (): string => randomBytes(12).toString('hex');
const GUARDED = ['/v1/auth/register', '/v1/auth/login', '/v1/auth/forgot'];

/** A captcha provider on the loopback interface. It records the requests and returns a configurable response. */
class Provider {
  readonly asked: URLSearchParams[] = [];
  answer: { status?: number; body?: string; silent?: boolean } = {};
  private server: Server | undefined;

  async open(): Promise<string> {
    this.server = createServer((req, res) => {
      let text = '';
      req.on('data', (chunk) => (text += chunk));
      req.on('end', () => {
        this.asked.push(new URLSearchParams(text));
        if (this.answer.silent) return;
        if (this.answer.status === 302) res.setHeader('location', '/success');
        res.writeHead(req.url === '/success' ? 200 : (this.answer.status ?? 200));
        res.end(req.url === '/success' ? '{"success":true}' : (this.answer.body ?? '{"success":true}'));
      });
    });
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/verify`;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}

describe.each(['hcaptcha', 'turnstile'] as const)('conventions 8 captcha by %s', (type) => {
  const other = type === 'hcaptcha' ? 'turnstile' : 'hcaptcha';
  const provider = new Provider();
  let service: Gatehouse;

  beforeAll(async () => {
    service = await gatehouse({
      env: {
        CAPTCHA_PROVIDER: type,
        [`${type.toUpperCase()}_SITE_KEY`]: 'the-site-key',
        [`${type.toUpperCase()}_SECRET`]: 'the-captcha-secret',
        CAPTCHA_VERIFY_URL: await provider.open(),
        CAPTCHA_HOSTNAMES: 'App.example.com, www.example.com',
      },
    });
  });
  afterAll(async () => {
    await service.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.answer = { body: JSON.stringify({ success: true, hostname: 'app.example.com' }) };
    provider.asked.length = 0;
  });

  const register = (headers: Record<string, string>, client = service.anonymous) =>
    client.with(headers).post('/v1/auth/register', {});

  test('discovery names the provider and the public key of the active one only', async () => {
    expect((await service.anonymous.get('/.well-known/service')).body.captcha).toEqual({
      provider: type,
      hcaptcha_site_key: type === 'hcaptcha' ? 'the-site-key' : null,
      turnstile_site_key: type === 'turnstile' ? 'the-site-key' : null,
    });
    expectApiError(await service.anonymous.get('/v1/captcha/challenge'), 'NOT_FOUND');
  });

  test.each(GUARDED)('%s needs a token, before its body is read', async (path) => {
    for (const headers of [{}, { 'x-captcha-token': '' }] as Record<string, string>[]) {
      expectApiError(await service.anonymous.with(headers).post(path, { email: 7 }), 'CAPTCHA_REQUIRED');
    }
    provider.answer = { body: '{"success":false}' };
    const headers = { 'x-captcha-token': fresh() };
    expectApiError(await service.anonymous.with(headers).post(path, { email: 7 }), 'INVALID_CAPTCHA');
  });

  test('an explicit success is accepted; the provider receives secret, token, IP address and site key', async () => {
    const token = fresh();
    expect((await register({ 'x-captcha-token': token })).status).toBe(200);
    expect(provider.asked.map((form) => Object.fromEntries(form))).toEqual([
      { secret: 'the-captcha-secret', response: token, remoteip: '127.0.0.1', sitekey: 'the-site-key' },
    ]);
  });

  test('an absent or unknown type is the configured one, and a type without a secret is rejected', async () => {
    expect((await register({ 'x-captcha-token': fresh(), 'x-captcha-type': 'whatever' })).status).toBe(200);
    expect((await register({ 'x-captcha-token': fresh(), 'x-captcha-type': type })).status).toBe(200);
    for (const foreign of [other, 'altcha']) {
      const headers = { 'x-captcha-token': fresh(), 'x-captcha-type': foreign };
      expectApiError(await register(headers), 'INVALID_CAPTCHA');
    }
    expect(provider.asked).toHaveLength(2);
  });

  test.each<[what: string, answer: Provider['answer']]>([
    ['a refusal', { body: '{"success":false,"error-codes":["invalid-input-response"]}' }],
    ['text that is almost true', { body: '{"success":"true","hostname":"app.example.com"}' }],
    ['no verdict', { body: '{}' }],
    ['null', { body: 'null' }],
    ['no JSON', { body: '<html>' }],
    ['an error', { status: 500 }],
    ['success with an error status', { status: 400, body: '{"success":true,"hostname":"app.example.com"}' }],
    ['a redirect', { status: 302 }],
    ['another hostname', { body: '{"success":true,"hostname":"evil.example"}' }],
    ['no hostname', { body: '{"success":true}' }],
    [
      'an endless answer',
      { body: `{"success":true,"hostname":"app.example.com","x":"${'x'.repeat(2 * 1024 * 1024)}"}` },
    ],
  ])('%s of the provider is INVALID_CAPTCHA', async (_what, response) => {
    provider.answer = response;
    const before = (await service.sql('SELECT 1 FROM account')).length;
    expectApiError(await register({ 'x-captcha-token': fresh() }), 'INVALID_CAPTCHA');
    expect(await service.sql('SELECT 1 FROM account')).toHaveLength(before);
  });

  test('a token works once: of 32 parallel presentations, one is accepted', async () => {
    const token = fresh();
    const { responses } = await race(32, () => register({ 'x-captcha-token': token }));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 200))
      expectApiError(response, 'INVALID_CAPTCHA');
    expectApiError(await register({ 'x-captcha-token': token }), 'INVALID_CAPTCHA');
  });

  test('a token of 8192 characters is verified, a longer one is not', async () => {
    expect((await register({ 'x-captcha-token': fresh().padEnd(8192, 'x') })).status).toBe(200);
    provider.asked.length = 0;
    expectApiError(await register({ 'x-captcha-token': fresh().padEnd(8193, 'x') }), 'INVALID_CAPTCHA');
    expect(provider.asked).toEqual([]);
  });

  test('the credential of an exempt account waives it; that of another account and an invalid one do not', async () => {
    const alice: Persona = await registered();
    const as = service.as(alice);
    expectApiError(await register({}, as), 'CAPTCHA_REQUIRED');
    await service.sql("UPDATE account SET traits = '{captcha_exempt}' WHERE id = $1", [alice.id]);
    expect((await register({}, as)).status).toBe(200);
    await as.post('/v1/auth/logout');
    expectApiError(await register({}, as), 'CAPTCHA_REQUIRED');
  });

  test('no member of the body waives it', async () => {
    const body = { captcha_exempt: true, traits: ['captcha_exempt'], captcha_token: fresh() };
    expectApiError(await service.anonymous.post('/v1/auth/register', body), 'CAPTCHA_REQUIRED');
  });

  async function registered(): Promise<Persona> {
    const { body } = await register({ 'x-captcha-token': fresh() });
    return { id: body.user_id, email: '', password: '', username: '', authorization: body.token };
  }
});

describe('conventions 8 a captcha provider that does not respond', () => {
  test('is INVALID_CAPTCHA after 10 seconds', async () => {
    const provider = new Provider();
    const env = { CAPTCHA_PROVIDER: 'turnstile', TURNSTILE_SITE_KEY: 'k', TURNSTILE_SECRET: 's' };
    const service = await gatehouse({ env: { ...env, CAPTCHA_VERIFY_URL: await provider.open() } });
    const requested: number[] = [];
    const real = AbortSignal.timeout;
    AbortSignal.timeout = (milliseconds) => {
      requested.push(milliseconds);
      return real.call(AbortSignal, milliseconds === 10_000 ? 100 : milliseconds);
    };
    try {
      provider.answer = { silent: true };
      const response = await service.anonymous.with({ 'x-captcha-token': fresh() }).post('/v1/auth/register', {});
      expectApiError(response, 'INVALID_CAPTCHA');
      expect(requested).toContain(10_000);
    } finally {
      AbortSignal.timeout = real;
      await service.close();
      await provider.close();
    }
  });

  test('is INVALID_CAPTCHA if it cannot be reached', async () => {
    const env = { CAPTCHA_PROVIDER: 'hcaptcha', HCAPTCHA_SITE_KEY: 'k', HCAPTCHA_SECRET: 's' };
    const service = await gatehouse({ env: { ...env, CAPTCHA_VERIFY_URL: 'http://127.0.0.1:9' } });
    try {
      const response = await service.anonymous.with({ 'x-captcha-token': fresh() }).post('/v1/auth/register', {});
      expectApiError(response, 'INVALID_CAPTCHA');
    } finally {
      await service.close();
    }
  });
});

describe('conventions 8 captcha by proof of work', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ env: { CAPTCHA_PROVIDER: 'altcha' } });
  });
  afterAll(() => service.close());

  const register = (headers: Record<string, string>) => service.anonymous.with(headers).post('/v1/auth/register', {});

  async function solved(): Promise<string> {
    const { status, body: challenge } = await service.anonymous.get('/v1/captcha/challenge');
    expect(status).toBe(200);
    const solution = await solveChallenge({ challenge, deriveKey });
    return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
  }

  test('a solved challenge is accepted once', async () => {
    const token = await solved();
    const { responses } = await race(32, () => register({ 'x-captcha-token': token }));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 200))
      expectApiError(response, 'INVALID_CAPTCHA');
  });

  test('a challenge stays consumed in every other spelling of its solution', async () => {
    const token = await solved();
    expect((await register({ 'x-captcha-token': token })).status).toBe(200);
    const payload = JSON.parse(Buffer.from(token, 'base64').toString());
    for (const text of [
      JSON.stringify({ ...payload, more: 1 }),
      JSON.stringify(payload, null, 1),
      ` ${JSON.stringify(payload)}`,
    ]) {
      expectApiError(await register({ 'x-captcha-token': Buffer.from(text).toString('base64') }), 'INVALID_CAPTCHA');
    }
  });

  test('an invalid value, a challenge that we did not sign and another type are rejected', async () => {
    const [payload, token] = [JSON.parse(Buffer.from(await solved(), 'base64').toString()), await solved()];
    payload.challenge.signature = '0'.repeat(64);
    const forged = Buffer.from(JSON.stringify(payload)).toString('base64');
    for (const headers of [
      { 'x-captcha-token': 'garbage' },
      { 'x-captcha-token': Buffer.from('{}').toString('base64') },
      { 'x-captcha-token': forged },
      { 'x-captcha-token': token, 'x-captcha-type': 'hcaptcha' },
    ] as Record<string, string>[]) {
      expectApiError(await register(headers), 'INVALID_CAPTCHA');
    }
    expect((await register({ 'x-captcha-token': token, 'x-captcha-type': 'altcha' })).status).toBe(200);
  });
});
