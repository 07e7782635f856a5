import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Captchas } from '../../src/auth/secrets/captchas.service.js';
import { OneTimeSecrets } from '../../src/auth/secrets/one-time-secrets.service.js';
import type { Call } from '../../src/policy/call.js';
import { fake } from '../machine/policies.js';
import { createCredentialSet, expectApiError, type Gatehouse, gatehouse, race } from '../support/index.js';

/** The tokens that the provider verified or rejected, each with the IP address of the client. */
const requested: string[][] = [];
let provider: Server;
let service: Gatehouse;
let tokens = 0;
const fresh = () => `earned-${++tokens}`;

beforeAll(async () => {
  provider = createServer(async (req, res) => {
    const form = new URLSearchParams(await text(req));
    const token = form.get('response') ?? '';
    requested.push([token, form.get('remoteip') ?? '']);
    res.end(JSON.stringify({ success: token.startsWith('earned') }));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  service = await gatehouse({
    env: {
      ...{ CAPTCHA_PROVIDER: 'hcaptcha', HCAPTCHA_SITE_KEY: 'the-site-key', HCAPTCHA_SECRET: 'the-captcha-secret' },
      CAPTCHA_VERIFY_URL: `http://127.0.0.1:${port}/verify`,
    },
  });
});
afterAll(async () => {
  await service.close();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});
beforeEach(() => {
  requested.length = 0;
});

/**
 * Calls an operation that requires a captcha. The body is invalid, so a request with a valid token fails validation.
 */
const present = (headers: Record<string, string>, client = service.anonymous) =>
  client.with(headers).post('/v1/auth/forgot', {});
const presentToken = (token: string, more: Record<string, string> = {}) =>
  present({ 'x-captcha-token': token, ...more });
const PASSED = 'INVALID_FORM_BODY';
const spent = async () =>
  (await service.sql("SELECT count(*)::int AS n FROM one_time_secret WHERE purpose = 'captcha-spent'"))[0]?.n;

describe('auth.md 1.6: a captcha token', () => {
  test('is required', async () => {
    for (const headers of [{}, { 'x-captcha-token': '' }, { 'x-captcha-type': 'hcaptcha' }] as Record<
      string,
      string
    >[]) {
      expectApiError(await present(headers), 'CAPTCHA_REQUIRED');
    }
    expect([requested, await spent()]).toEqual([[], 0]);
  });

  test('is accepted if the provider accepts it, which receives the IP address of the caller', async () => {
    const token = fresh();
    expectApiError(await presentToken(token), PASSED);
    expect(requested).toEqual([[token, '127.0.0.1']]);
  });

  test('is rejected if the provider rejects it, and is not stored', async () => {
    const before = await spent();
    expectApiError(await presentToken('bought'), 'INVALID_CAPTCHA');
    expect([requested, await spent()]).toEqual([[['bought', '127.0.0.1']], before]);
  });

  test('is rejected if its type has no secret', async () => {
    const token = fresh();
    expectApiError(await presentToken(token, { 'x-captcha-type': 'turnstile' }), 'INVALID_CAPTCHA');
    expect(requested).toEqual([]);
    expectApiError(await presentToken(token, { 'x-captcha-type': 'hcaptcha' }), PASSED);
  });

  test('is verified up to 8192 characters', async () => {
    const longest = fresh().padEnd(8192, 'x');
    expectApiError(await presentToken(`${longest}x`), 'INVALID_CAPTCHA');
    expect(requested).toEqual([]);
    expectApiError(await presentToken(longest), PASSED);
    expect(requested).toHaveLength(1);
  });

  test('is accepted for one of eight parallel requests, and never again', async () => {
    const token = fresh();
    const before = await spent();
    const { codes } = await race(8, () => presentToken(token));
    expect(codes).toEqual({ [PASSED]: 1, INVALID_CAPTCHA: 7 });
    expectApiError(await presentToken(token), 'INVALID_CAPTCHA');
    expect(await spent()).toBe(before + 1);
    const secrets = service.app.get(OneTimeSecrets);
    expect(await secrets.claim('captcha-spent', token, 600)).toBe(false);
  });

  test('is required of every account except exempt ones', async () => {
    const exempt = await createCredentialSet(service, { traits: ['captcha_exempt'] });
    const other = await createCredentialSet(service, { traits: ['captcha', 'exempt'] });
    expectApiError(await present({}, service.as(exempt.session)), PASSED);
    expectApiError(await present({ 'x-captcha-token': 'bought' }, service.as(exempt.session)), PASSED);
    expectApiError(await present({}, service.as(other.session)), 'CAPTCHA_REQUIRED');
    expectApiError(await present({}, service.as(`${exempt.session}x`)), 'CAPTCHA_REQUIRED');
    expect(requested).toEqual([]);
  });

  test('is not required if the instance has no provider', async () => {
    const captchas = new Captchas(fake({ provider: 'none' }), fake({}));
    const call = fake<Call>({ req: { headers: { 'x-captcha-token': 'x' } }, identity: null, address: '' });
    expect(await captchas.demand(call)).toBeUndefined();
  });
});
