import { Controller, HttpCode, Module, Post } from '@nestjs/common';
import { createChallenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { Captcha, Public, UserOnly } from '../../src/policy/decorators.js';
import {
  captchaToken,
  createCredentialSet,
  expectApiError,
  fetchSolution,
  type Gatehouse,
  gatehouse,
  race,
  solveCaptcha,
} from '../support/index.js';

@Controller('v1/probe')
class ProbeController {
  @Post()
  @HttpCode(204)
  @Public()
  @Captcha()
  open() {}

  @Post('closed')
  @HttpCode(204)
  @UserOnly()
  @Captcha()
  closed() {}
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ modules: [ProbeModule], env: { CAPTCHA_PROVIDER: 'altcha', RATE_LIMITS: 'off' } });
});
afterAll(() => service.close());

const present = (headers: Record<string, string>, client = service.anonymous) =>
  client.with(headers).post('/v1/probe', undefined);
const presentToken = (token: string, type?: string) =>
  present({ 'x-captcha-token': token, ...(type === undefined ? {} : { 'x-captcha-type': type }) });

describe('conventions.md 8: captcha', () => {
  test('no token, or an empty one, is CAPTCHA_REQUIRED', async () => {
    expectApiError(await present({}), 'CAPTCHA_REQUIRED');
    expectApiError(await present({ 'x-captcha-token': '' }), 'CAPTCHA_REQUIRED');
    expectApiError(await present({ 'x-captcha-token': '  ' }), 'CAPTCHA_REQUIRED');
    expectApiError(await present({ 'x-captcha-type': 'altcha' }), 'CAPTCHA_REQUIRED');
  });

  test('an earned token is accepted once', async () => {
    const token = await solveCaptcha(service);
    expect((await presentToken(token)).status).toBe(204);
    expectApiError(await presentToken(token), 'INVALID_CAPTCHA');
    expectApiError(await presentToken(token, 'altcha'), 'INVALID_CAPTCHA');
  });

  test('a challenge is accepted once, in any encoding of its solution', async () => {
    const { challenge, solution } = await fetchSolution(service);
    expect((await presentToken(captchaToken({ challenge, solution }))).status).toBe(204);
    const again = await solveChallenge({ challenge, deriveKey, counterStart: (solution?.counter ?? 0) + 1 });
    const spellings = [
      captchaToken({ solution, challenge }),
      captchaToken({ challenge, solution, more: 1 }),
      Buffer.from(JSON.stringify({ challenge, solution }, null, 1)).toString('base64'),
      Buffer.from(JSON.stringify({ challenge, solution })).toString('base64url'),
      captchaToken({ challenge, solution: again }),
    ];
    for (const token of spellings) expectApiError(await presentToken(token), 'INVALID_CAPTCHA');
  });

  test('of 32 parallel presentations, exactly one is accepted', async () => {
    const token = await solveCaptcha(service);
    const { responses } = await race(32, () => presentToken(token));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array(31).fill(400)]);
    for (const response of responses) if (response.status !== 204) expectApiError(response, 'INVALID_CAPTCHA');
  });

  test('a token that was not earned is INVALID_CAPTCHA', async () => {
    const { challenge, solution } = await fetchSolution(service);
    const other = await fetchSolution(service);
    const parameters = { ...challenge.parameters };
    const foreign = await createChallenge({ ...parameters, deriveKey, hmacSignatureSecret: 'another secret' } as never);
    const tokens = [
      ...['x', '{}', Buffer.from('null').toString('base64'), captchaToken({}), captchaToken([]), 'A'.repeat(8193)],
      captchaToken({ challenge }),
      captchaToken({ solution }),
      captchaToken({ challenge, solution: other.solution }),
      captchaToken({ challenge, solution: { ...solution, counter: (solution?.counter ?? 0) + 1 } }),
      captchaToken({ challenge: { ...challenge, signature: undefined }, solution }),
      captchaToken({
        challenge: { parameters: { ...parameters, expiresAt: 9_999_999_999 }, signature: challenge.signature },
        solution,
      }),
      captchaToken({
        challenge: { parameters: { ...parameters, keyPrefix: '' }, signature: challenge.signature },
        solution,
      }),
      captchaToken({ challenge: foreign, solution: await solveChallenge({ challenge: foreign, deriveKey }) }),
    ];
    for (const token of tokens) expectApiError(await presentToken(token), 'INVALID_CAPTCHA');
    expect((await presentToken(captchaToken({ challenge, solution }))).status).toBe(204);
  });

  test('a challenge expires after five minutes', async () => {
    service.clock.advance({ seconds: -301 });
    const late = await solveCaptcha(service);
    service.clock.advance({ seconds: 301 });
    expectApiError(await presentToken(late), 'INVALID_CAPTCHA');
  });

  test('a type without a secret is rejected, an unknown type is the configured one', async () => {
    const token = await solveCaptcha(service);
    for (const type of ['hcaptcha', 'turnstile']) expectApiError(await presentToken(token, type), 'INVALID_CAPTCHA');
    expect((await presentToken(token, 'something')).status).toBe(204);
    expect((await presentToken(await solveCaptcha(service), 'altcha')).status).toBe(204);
  });

  test('the captcha is checked before the credential', async () => {
    expectApiError(await service.anonymous.post('/v1/probe/closed'), 'CAPTCHA_REQUIRED');
    const token = await solveCaptcha(service);
    const client = service.anonymous.with({ 'x-captcha-token': token });
    expectApiError(await client.post('/v1/probe/closed'), 'UNAUTHORIZED');
  });

  test('a credential of an exempt account waives it, without a visible sign', async () => {
    const exempt = await createCredentialSet(service, { traits: ['captcha_exempt'], scopes: ['identify'] });
    const earned = await presentToken(await solveCaptcha(service));
    for (const value of [exempt.session, `Bearer ${exempt.session}`, exempt.bot, exempt.bearer]) {
      const response = await present({}, service.as(value));
      expect([response.status, [...response.headers.keys()]]).toEqual([204, [...earned.headers.keys()]]);
    }
  });

  test('nothing else waives it', async () => {
    const exempt = await createCredentialSet(service, { traits: ['captcha_exempt'] });
    const plain = await createCredentialSet(service, { traits: ['captcha', 'exempt'], acls: ['*'], flags: 1n << 47n });
    for (const value of [plain.session, plain.bot, `${exempt.session}x`, exempt.adminKey, 'captcha_exempt']) {
      expectApiError(await present({}, service.as(value)), 'CAPTCHA_REQUIRED');
    }
    for (const body of [{ captcha_exempt: true }, { traits: ['captcha_exempt'] }, { 'x-captcha-token': 'x' }]) {
      expectApiError(await service.anonymous.post('/v1/probe', body), 'CAPTCHA_REQUIRED');
    }
    const token = await solveCaptcha(service);
    for (const path of [`/v1/probe?x-captcha-token=${encodeURIComponent(token)}`, '/v1/probe?captcha_exempt=true']) {
      expectApiError(await service.anonymous.post(path), 'CAPTCHA_REQUIRED');
    }
    expectApiError(await present({ cookie: `x-captcha-token=${token}` }), 'CAPTCHA_REQUIRED');
  });

  test('a token never appears in the log', async () => {
    const token = await solveCaptcha(service);
    await presentToken(token);
    await presentToken(token);
    expect(service.log.join('')).not.toContain(token);
  });

  test('the operations of the contract require it', async () => {
    for (const path of ['/v1/auth/register', '/v1/auth/login', '/v1/auth/forgot']) {
      expectApiError(await service.anonymous.post(path, {}), 'CAPTCHA_REQUIRED');
    }
  });

  test('the challenge is public and signed', async () => {
    const { status, body, headers } = await service.anonymous.get('/v1/captcha/challenge');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({ parameters: expect.any(Object), signature: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const { body: discovery } = await service.anonymous.get('/.well-known/service');
    expect(discovery.captcha).toEqual({ provider: 'altcha', hcaptcha_site_key: null, turnstile_site_key: null });
  });
});
