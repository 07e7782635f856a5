import { createHash, randomBytes } from 'node:crypto';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  passkeyAsSecondFactor,
  passkeySudo,
  person,
  race,
  type SoftwareAuthenticator,
  type TestResponse,
  withGatehouse,
  withPasskey,
  withTotp,
} from '../support/index.js';

const BRIDGE = '/v1/auth/passkey-bridge';
const SUDO_BRIDGE = '/v1/users/@me/passkey-bridge';
const ORIGIN = 'http://localhost:8080';
const OTHER = 'https://app.example';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ env: { WEBAUTHN_ORIGINS: `${ORIGIN},${OTHER}` } });
});
afterAll(() => service.close());

const hashOf = (nonce: string) => createHash('sha256').update(nonce).digest('hex');

/** The client that starts a ceremony and keeps the nonce. */
class Starter {
  readonly nonce = randomBytes(16).toString('hex');

  readonly nonceHash = hashOf(this.nonce);
}

async function start(more: Record<string, unknown> = {}) {
  const starter = new Starter();
  const { status, body } = await service.anonymous.post(BRIDGE, {
    purpose: 'login',
    runner: 'page',
    nonce_hash: starter.nonceHash,
    ...more,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return { id: body.ceremony_id as string, url: body.bridge_url as string | null, nonce: starter.nonce };
}

const at = (origin: string | undefined) =>
  origin === undefined ? service.anonymous : service.anonymous.with({ origin });
const optionsOf = (id: string, origin: string | undefined = ORIGIN) => at(origin).post(`${BRIDGE}/${id}/options`);
const complete = (id: string, response: unknown, origin: string | undefined = ORIGIN) =>
  at(origin).post(`${BRIDGE}/${id}/complete`, { response });
const redeem = (id: string, nonce: string, completion_code: string) =>
  service.anonymous.post(`${BRIDGE}/${id}/redeem`, { nonce, completion_code });

/** Gets the options and completes the ceremony on the bridge origin. */
async function pass(id: string, key: SoftwareAuthenticator): Promise<TestResponse> {
  const { body } = await optionsOf(id);
  return complete(id, key.get(body.options));
}

const codeOf = ({ body }: TestResponse): string =>
  body.completion_code ?? new URLSearchParams(new URL(body.return_url).hash.slice(1)).get('completion_code');

async function guarded(name: string) {
  const persona = await person(service, name);
  const key = await withPasskey(service, persona);
  await passkeyAsSecondFactor(service, persona, key);
  return { persona, key };
}

async function ticketOf({ email, password }: Persona): Promise<string> {
  return (await service.anonymous.post('/v1/auth/login', { email, password })).body.ticket;
}

const sessionsOf = async ({ id }: Persona) =>
  (await service.sql('SELECT 1 FROM session WHERE account_id = $1', [id])).length;

describe('auth.md 4.5 passkey bridge: login', () => {
  test('start, options, complete on the bridge origin, redeem by the starter: a session of the redeemer', async () => {
    const { persona, key } = await guarded('alice');
    const { id, url, nonce } = await start();
    expect(id).toMatch(/^[\w-]{43}$/);
    expect(url).toBe(`${ORIGIN}/passkey-bridge#ceremony_id=${id}`);
    const options = await optionsOf(id);
    expect(options.body).toEqual({
      options: { challenge: expect.any(String), timeout: 60000, rpId: 'localhost', userVerification: 'required' },
      requested_by: {
        client_info: { platform: null, os: null, browser: null, device: 'desktop' },
        masked_ip: '127.0.x.x',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    });
    const hostile = service.anonymous.with({
      'user-agent': 'CALL-15550100/1.0',
      'x-service-client-properties': Buffer.from('{"os":"Call +1 555 0100"}').toString('base64'),
    });
    const requested = { purpose: 'login', runner: 'page', nonce_hash: hashOf('nonce') };
    const planted = await optionsOf((await hostile.post(BRIDGE, requested)).body.ceremony_id);
    expect(planted.body.requested_by.client_info).toEqual(options.body.requested_by.client_info);
    const completed = await complete(id, key.get(options.body.options, { origin: OTHER }), OTHER);
    expect(completed.status).toBe(200);
    expect(completed.body).toEqual({ return_url: expect.any(String), completion_code: null });
    const returned = new URL(completed.body.return_url);
    expect(returned.href.startsWith(`${ORIGIN}/auth/passkey#completion_code=`)).toBe(true);
    expect(new URLSearchParams(returned.hash.slice(1)).get('ceremony_id')).toBe(id);
    const redeemed = await service.anonymous
      .with({ 'user-agent': 'redeemer/1.0' })
      .post(`${BRIDGE}/${id}/redeem`, { nonce, completion_code: codeOf(completed) });
    expect(redeemed.status).toBe(200);
    expect(redeemed.body).toEqual({
      status: 'completed',
      token: expect.stringMatching(/^flx_/),
      user_id: persona.id,
      user: expect.objectContaining({ id: persona.id }),
    });
    const [session] = await service.sql(
      'SELECT user_agent FROM session WHERE account_id = $1 ORDER BY id DESC LIMIT 1',
      [persona.id],
    );
    expect(session?.user_agent).toBe('redeemer/1.0');
  });

  test('a native runner gets no URLs, only the code', async () => {
    const { key } = await guarded('alice');
    const { id, url, nonce } = await start({ runner: 'native' });
    expect(url).toBeNull();
    const completed = await pass(id, key);
    expect(completed.body).toEqual({ return_url: null, completion_code: expect.stringMatching(/^[\w-]{43}$/) });
    expect((await redeem(id, nonce, completed.body.completion_code)).body.status).toBe('completed');
  });

  test('the body of start is checked', async () => {
    const post = (body: object) => service.anonymous.post(BRIDGE, body);
    const { nonceHash } = new Starter();
    const good = { purpose: 'login', runner: 'page', nonce_hash: nonceHash };
    expectInvalid(await post({ ...good, purpose: 'sudo' }), 'purpose: INVALID_FORMAT');
    expectInvalid(await post({ ...good, runner: 'x' }), 'runner: INVALID_FORMAT');
    expectInvalid(await post({ ...good, nonce_hash: nonceHash.toUpperCase() }), 'nonce_hash: INVALID_FORMAT');
    expectInvalid(await post({ ...good, nonce_hash: nonceHash.slice(1) }), 'nonce_hash: INVALID_FORMAT');
    expectInvalid(await post({ ...good, nonce_hash: `${nonceHash}0` }), 'nonce_hash: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await post({ ...good, purpose: 'login_mfa' }), 'ticket: INVALID_FORMAT');
  });

  test('options, complete and cancel need an allowed Origin for a page; a native client may send none', async () => {
    const { key } = await guarded('alice');
    const [page, native] = [await start(), await start({ runner: 'native' })];
    for (const step of ['options', 'complete', 'cancel']) {
      const body = step === 'complete' ? { response: {} } : undefined;
      for (const origin of ['https://evil.example', 'null', `${ORIGIN}/`]) {
        expectApiError(await at(origin).post(`${BRIDGE}/${page.id}/${step}`, body), 'INVALID_API_ORIGIN');
        expectApiError(await at(origin).post(`${BRIDGE}/${native.id}/${step}`, body), 'INVALID_API_ORIGIN');
      }
      expectApiError(await service.anonymous.post(`${BRIDGE}/${page.id}/${step}`, body), 'INVALID_API_ORIGIN');
    }
    const { body } = await service.anonymous.post(`${BRIDGE}/${native.id}/options`);
    const response = await service.anonymous.post(`${BRIDGE}/${native.id}/complete`, {
      response: key.get(body.options),
    });
    expect(response.status).toBe(200);
    expect((await pass(page.id, key)).status).toBe(200);
  });

  test('a ceremony that is unknown or expired is a failed authentication at every step', async () => {
    const expired = await start();
    await service.sql("UPDATE one_time_secret SET expires_at = now() WHERE purpose = 'bridge-ceremony'");
    for (const id of [expired.id, 'A'.repeat(43)]) {
      expectApiError(await optionsOf(id), 'PASSKEY_AUTHENTICATION_FAILED');
      expectApiError(await complete(id, {}), 'PASSKEY_AUTHENTICATION_FAILED');
      expectApiError(await at(ORIGIN).post(`${BRIDGE}/${id}/cancel`), 'PASSKEY_AUTHENTICATION_FAILED');
      expectApiError(await redeem(id, 'x', 'x'), 'PASSKEY_AUTHENTICATION_FAILED');
    }
  });

  test('the order of steps is enforced: no redemption before completion, only redemption after it', async () => {
    const { persona, key } = await guarded('alice');
    const { id, nonce } = await start();
    expectApiError(await redeem(id, nonce, 'x'), 'PASSKEY_AUTHENTICATION_FAILED');
    const completed = await pass(id, key);
    expectApiError(await optionsOf(id), 'PASSKEY_AUTHENTICATION_FAILED');
    expectApiError(await at(ORIGIN).post(`${BRIDGE}/${id}/cancel`), 'PASSKEY_AUTHENTICATION_FAILED');
    const before = await sessionsOf(persona);
    expect((await redeem(id, nonce, codeOf(completed))).status).toBe(200);
    expectApiError(await redeem(id, nonce, codeOf(completed)), 'PASSKEY_AUTHENTICATION_FAILED');
    expect(await sessionsOf(persona)).toBe(before + 1);
  });

  test('an outcome expires with its ceremony', async () => {
    const { key } = await guarded('alice');
    const { id, nonce } = await start();
    const completed = await pass(id, key);
    const [row] = await service.sql(
      "SELECT extract(epoch FROM expires_at - created_at) AS life FROM one_time_secret WHERE purpose = 'bridge-ceremony' ORDER BY created_at DESC LIMIT 1",
    );
    expect(Number(row?.life)).toBe(300);
    await service.sql("UPDATE one_time_secret SET expires_at = now() WHERE purpose = 'bridge-ceremony'");
    expectApiError(await redeem(id, nonce, codeOf(completed)), 'PASSKEY_AUTHENTICATION_FAILED');
  });

  test('a new call of options replaces the challenge; a failed assertion keeps the ceremony open', async () => {
    const { key } = await guarded('alice');
    const { id, nonce } = await start();
    const first = await optionsOf(id);
    const second = await optionsOf(id);
    expectApiError(await complete(id, key.get(first.body.options)), 'PASSKEY_AUTHENTICATION_FAILED');
    expectApiError(await complete(id, key.get(second.body.options, { uv: false })), 'PASSKEY_AUTHENTICATION_FAILED');
    expectApiError(await complete(id, key.get(second.body.options)), 'PASSKEY_AUTHENTICATION_FAILED');
    expectApiError(await complete(id, {}), 'PASSKEY_AUTHENTICATION_FAILED');
    const completed = await pass(id, key);
    expect((await redeem(id, nonce, codeOf(completed))).body.status).toBe('completed');
  });

  test('a challenge of another ceremony or of the ordinary sign-in does not complete', async () => {
    const { key } = await guarded('alice');
    const [mine, theirs] = [await start(), await start()];
    const { body } = await optionsOf(theirs.id);
    expectApiError(await complete(mine.id, key.get(body.options)), 'PASSKEY_AUTHENTICATION_FAILED');
    const login = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    expectApiError(await complete(mine.id, key.get(login.body)), 'PASSKEY_AUTHENTICATION_FAILED');
    const own = await optionsOf(mine.id);
    expectApiError(
      await service.anonymous.post('/v1/auth/webauthn/authenticate', {
        response: key.get(own.body.options),
        challenge: own.body.options.challenge,
      }),
      'PASSKEY_AUTHENTICATION_FAILED',
    );
  });

  test('a canceled ceremony redeems as canceled, once', async () => {
    const { id, nonce } = await start({ runner: 'native' });
    const cancelled = await service.anonymous.post(`${BRIDGE}/${id}/cancel`);
    expect(cancelled.body).toEqual({ return_url: null, completion_code: expect.any(String) });
    const code = cancelled.body.completion_code;
    expectApiError(await redeem(id, 'wrong', code), 'PASSKEY_AUTHENTICATION_FAILED');
    const redeemed = await redeem(id, nonce, code);
    expect([redeemed.status, redeemed.body]).toEqual([200, { status: 'cancelled' }]);
    expectApiError(await redeem(id, nonce, code), 'PASSKEY_AUTHENTICATION_FAILED');
  });

  test('five wrong redemptions destroy the ceremony, four do not', async () => {
    const { key } = await guarded('alice');
    for (const wrong of [4, 5]) {
      const { id, nonce } = await start();
      const code = codeOf(await pass(id, key));
      for (let i = 0; i < wrong; i++) {
        const response = i % 2 ? await redeem(id, 'wrong', code) : await redeem(id, nonce, 'wrong');
        expectApiError(response, 'PASSKEY_AUTHENTICATION_FAILED');
      }
      const last = await redeem(id, nonce, code);
      if (wrong === 4) expect(last.status).toBe(200);
      else expectApiError(last, 'PASSKEY_AUTHENTICATION_FAILED');
    }
  });

  test('of 32 parallel redemptions, exactly one gets a session', async () => {
    const { persona, key } = await guarded('alice');
    const { id, nonce } = await start();
    const code = codeOf(await pass(id, key));
    const before = await sessionsOf(persona);
    const { responses } = await race(32, () => redeem(id, nonce, code));
    for (const response of responses)
      if (response.status !== 200) expectApiError(response, 'PASSKEY_AUTHENTICATION_FAILED');
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await sessionsOf(persona)).toBe(before + 1);
  });

  test('of 32 parallel completions, exactly one ends the ceremony', async () => {
    const { key } = await guarded('alice');
    const { id } = await start();
    const { body } = await optionsOf(id);
    const response = key.get(body.options);
    const { responses } = await race(32, () => complete(id, response));
    for (const answer of responses) if (answer.status !== 200) expectApiError(answer, 'PASSKEY_AUTHENTICATION_FAILED');
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('a passkey deleted, or an account suspended, after completion gets no session', async () => {
    const { persona, key } = await guarded('alice');
    const [first, second] = [await start(), await start()];
    const [one, two] = [codeOf(await pass(first.id, key)), codeOf(await pass(second.id, key))];
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [persona.id]);
    expectApiError(await redeem(first.id, first.nonce, one), 'ACCOUNT_SUSPENDED_PERMANENTLY');
    await service.sql('UPDATE account SET banned = false WHERE id = $1', [persona.id]);
    const proof = await passkeySudo(service, persona, key);
    expect((await service.as(persona).delete(`/v1/users/@me/mfa/webauthn/credentials/${key.id}`, proof)).status).toBe(
      204,
    );
    expectApiError(await redeem(second.id, second.nonce, two), 'PASSKEY_AUTHENTICATION_FAILED');
  });
});

describe('auth.md 4.5 passkey bridge: login_mfa', () => {
  test('the passkey completes the MFA challenge; ticket and ceremony are consumed at redemption', async () => {
    const { persona, key } = await guarded('alice');
    const ticket = await ticketOf(persona);
    const { id, nonce } = await start({ purpose: 'login_mfa', ticket });
    const { body } = await optionsOf(id);
    expect(body.options).toMatchObject({ allowCredentials: [{ id: key.id }], userVerification: 'discouraged' });
    const completed = await complete(id, key.get(body.options, { uv: false, userHandle: null }));
    const redeemed = await redeem(id, nonce, codeOf(completed));
    expect(redeemed.body).toMatchObject({ status: 'completed', user_id: persona.id });
    const again = await service.anonymous.post(BRIDGE, {
      purpose: 'login_mfa',
      runner: 'page',
      nonce_hash: hashOf(nonce),
      ticket,
    });
    expectInvalid(again, 'ticket: SESSION_TIMEOUT');
  });

  test('a ticket that was used in the meantime is SESSION_TIMEOUT at redemption', async () => {
    const { persona, key } = await guarded('alice');
    const ticket = await ticketOf(persona);
    const { id, nonce } = await start({ purpose: 'login_mfa', ticket });
    const completed = await pass(id, key);
    const { body: options } = await service.anonymous.post('/v1/auth/login/mfa/webauthn/authentication-options', {
      ticket,
    });
    const used = await service.anonymous.post('/v1/auth/login/mfa/webauthn', {
      ticket,
      response: key.get(options),
      challenge: options.challenge,
    });
    expect(used.status).toBe(200);
    const before = await sessionsOf(persona);
    expectInvalid(await redeem(id, nonce, codeOf(completed)), 'ticket: SESSION_TIMEOUT');
    expect(await sessionsOf(persona)).toBe(before);
  });

  test('of parallel redemptions and a parallel completion by code, exactly one gets a session', async () => {
    const { persona, key } = await guarded('alice');
    const { authenticator } = await withTotp(service, persona, () => passkeySudo(service, persona, key));
    const ticket = await ticketOf(persona);
    const { id, nonce } = await start({ purpose: 'login_mfa', ticket });
    const code = codeOf(await pass(id, key));
    const before = await sessionsOf(persona);
    const responses = await Promise.all([
      ...Array.from({ length: 31 }, () => redeem(id, nonce, code)),
      service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: authenticator.next() }),
    ]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of responses) expect([200, 400, 401]).toContain(status);
    expect(await sessionsOf(persona)).toBe(before + 1);
  });

  test('the passkey of another account is rejected, and failed assertions count against the ticket', async () => {
    const [{ persona }, { key: theirs }] = [await guarded('alice'), await guarded('mallory')];
    const ticket = await ticketOf(persona);
    const { id } = await start({ purpose: 'login_mfa', ticket });
    for (let i = 0; i < 5; i++) expectApiError(await pass(id, theirs), 'PASSKEY_AUTHENTICATION_FAILED');
    const code = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: '000000' });
    expectInvalid(code, 'ticket: SESSION_TIMEOUT');
  });

  test('a spent allowance of the account is INVALID_CODE@ticket at completion', async () => {
    const { persona, key } = await guarded('alice');
    for (let round = 0; round < 2; round++) {
      const spent = await ticketOf(persona);
      for (let i = 0; i < 5; i++)
        await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: spent, code: '000000' });
    }
    const { id } = await start({ purpose: 'login_mfa', ticket: await ticketOf(persona) });
    expectInvalid(await pass(id, key), 'ticket: INVALID_CODE');
  });
});

describe('account.md 6.4 sudo helpers', () => {
  const startSudo = async (persona: Persona, runner = 'native') => {
    const starter = new Starter();
    const response = await service.as(persona).post(SUDO_BRIDGE, { runner, nonce_hash: starter.nonceHash });
    return { answer: response, id: response.body.ceremony_id as string, nonce: starter.nonce };
  };
  const redeemSudo = (persona: Persona, id: string, nonce: string, completion_code: string) =>
    service.as(persona).post(`${SUDO_BRIDGE}/${id}/redeem`, { nonce, completion_code });

  test('the methods are those of the account', async () => {
    const persona = await person(service, 'alice');
    const methods = async () => (await service.as(persona).get('/v1/users/@me/sudo/mfa-methods')).body;
    expect(await methods()).toEqual({ totp: false, webauthn: false, backup_codes: false, has_mfa: false });
    const key = await withPasskey(service, persona);
    expect(await methods()).toEqual({ totp: false, webauthn: true, backup_codes: false, has_mfa: true });
    await passkeyAsSecondFactor(service, persona, key);
    expect(await methods()).toEqual({ totp: false, webauthn: true, backup_codes: true, has_mfa: true });
    const other = await person(service, 'bob');
    await withTotp(service, other);
    const response = await service.as(other).get('/v1/users/@me/sudo/mfa-methods');
    expect(response.body).toEqual({ totp: true, webauthn: false, backup_codes: true, has_mfa: true });
  });

  test('options name all passkeys of the account; without one they are NO_PASSKEYS_REGISTERED', async () => {
    const persona = await person(service, 'alice');
    const path = '/v1/users/@me/sudo/webauthn/authentication-options';
    expectApiError(await service.as(persona).post(path), 'NO_PASSKEYS_REGISTERED');
    expectApiError((await startSudo(persona)).answer, 'NO_PASSKEYS_REGISTERED');
    const key = await withPasskey(service, persona);
    expect((await service.as(persona).post(path)).body).toEqual({
      challenge: expect.any(String),
      timeout: 60000,
      rpId: 'localhost',
      allowCredentials: [{ id: key.id, type: 'public-key', transports: ['hybrid', 'internal'] }],
      userVerification: 'discouraged',
    });
  });

  test('a completed sudo ceremony redeems to a sudo proof', async () => {
    const persona = await person(service, 'alice');
    const key = await withPasskey(service, persona);
    const { id, nonce, answer: response } = await startSudo(persona, 'page');
    expect(response.body).toEqual({
      ceremony_id: expect.stringMatching(/^[\w-]{43}$/),
      bridge_url: `${ORIGIN}/passkey-bridge#ceremony_id=${id}`,
    });
    const code = codeOf(await pass(id, key));
    const redeemed = await redeemSudo(persona, id, nonce, code);
    expect(redeemed.body).toEqual({
      status: 'completed',
      sudo_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    const used = await service
      .as(persona)
      .sudo(redeemed.body.sudo_token)
      .delete('/v1/users/@me/mfa/webauthn/credentials/unknown');
    expectApiError(used, 'UNKNOWN_WEBAUTHN_CREDENTIAL');
    expectApiError(await redeemSudo(persona, id, nonce, code), 'PASSKEY_AUTHENTICATION_FAILED');
  });

  test('a sudo ceremony is bound to its account and to sudo', async () => {
    const [{ persona, key }, { persona: mallory, key: theirs }] = [await guarded('alice'), await guarded('mallory')];
    const { id, nonce } = await startSudo(persona);
    expectApiError(await pass(id, theirs), 'PASSKEY_AUTHENTICATION_FAILED');
    const code = codeOf(await pass(id, key));
    expectApiError(await redeemSudo(mallory, id, nonce, code), 'PASSKEY_AUTHENTICATION_FAILED');
    expectApiError(await redeem(id, nonce, code), 'PASSKEY_AUTHENTICATION_FAILED');
    const login = await start();
    const loginCode = codeOf(await pass(login.id, key));
    expectApiError(await redeemSudo(persona, login.id, login.nonce, loginCode), 'PASSKEY_AUTHENTICATION_FAILED');
    expect((await redeemSudo(persona, id, nonce, code)).status).toBe(200);
    expect((await redeem(login.id, login.nonce, loginCode)).status).toBe(200);
  });

  test('a ceremony completed before the proofs were revoked gives none', async () => {
    const persona = await person(service, 'alice');
    const key = await withPasskey(service, persona);
    const { id, nonce } = await startSudo(persona);
    const code = codeOf(await pass(id, key));
    await service.sql('UPDATE account SET epoch = epoch + 1 WHERE id = $1', [persona.id]);
    expectApiError(await redeemSudo(persona, id, nonce, code), 'PASSKEY_AUTHENTICATION_FAILED');
  });

  test('of 32 parallel sudo redemptions, exactly one succeeds; a canceled one redeems as canceled', async () => {
    const persona = await person(service, 'alice');
    const key = await withPasskey(service, persona);
    const { id, nonce } = await startSudo(persona);
    const code = codeOf(await pass(id, key));
    const { responses } = await race(32, () => redeemSudo(persona, id, nonce, code));
    for (const response of responses)
      if (response.status !== 200) expectApiError(response, 'PASSKEY_AUTHENTICATION_FAILED');
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const second = await startSudo(persona);
    const cancelled = await at(ORIGIN).post(`${BRIDGE}/${second.id}/cancel`);
    const response = await redeemSudo(persona, second.id, second.nonce, cancelled.body.completion_code);
    expect(response.body).toEqual({ status: 'cancelled' });
  });

  test('none of the helpers is allowed while suspicious', async () => {
    const persona = await person(service, 'alice');
    await service.sql('UPDATE account SET suspicious_flags = 4 WHERE id = $1', [persona.id]);
    const client = service.as(persona);
    for (const response of [
      await client.get('/v1/users/@me/sudo/mfa-methods'),
      await client.post('/v1/users/@me/sudo/webauthn/authentication-options'),
      await client.post(SUDO_BRIDGE, {}),
      await client.post(`${SUDO_BRIDGE}/x/redeem`, {}),
      await client.get('/v1/users/@me/mfa/webauthn/credentials'),
      await client.put('/v1/users/@me/mfa/webauthn/two-factor', {}),
    ]) {
      expectApiError(response, 'ACCOUNT_SUSPICIOUS_ACTIVITY', { data: { suspicious_activity_flags: 4 } });
    }
  });
});

describe('auth.md section 13 the bridge switched off', () => {
  test('PASSKEY_BRIDGE=off: both starts are FEATURE_TEMPORARILY_DISABLED, and discovery shows it', async () => {
    await withGatehouse({ env: { PASSKEY_BRIDGE: 'off' } }, async (off) => {
      const { nonceHash } = new Starter();
      const login = { purpose: 'login', runner: 'page', nonce_hash: nonceHash };
      expectApiError(await off.anonymous.post(BRIDGE, login), 'FEATURE_TEMPORARILY_DISABLED');
      const persona = await person(off, 'alice');
      const sudo = { runner: 'page', nonce_hash: nonceHash };
      expectApiError(await off.as(persona).post(SUDO_BRIDGE, sudo), 'FEATURE_TEMPORARILY_DISABLED');
      const { body } = await off.anonymous.get('/.well-known/service');
      expect(body.features.passkey_bridge).toBe(false);
    });
  });
});
