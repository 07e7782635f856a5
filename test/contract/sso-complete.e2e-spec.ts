import { createHmac, hash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import {
  CompactSign,
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { expectApiError, expectInvalid, type Gatehouse, race, type TestResponse } from '../support/index.js';
import {
  type Claims,
  configureSso,
  gatehouseWithSso,
  json,
  ScriptedProvider,
  signed,
  signInBySso,
  startSso,
} from '../support/sso.js';

let provider: ScriptedProvider;
let service: Gatehouse;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  service = await gatehouseWithSso(provider);
});
afterEach(() => {
  provider.reset();
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

const complete = (body: Record<string, unknown>): Promise<TestResponse> =>
  service.anonymous.post('/v1/auth/sso/complete', body);
const counted = async () =>
  (
    await service.sql(
      `SELECT (SELECT count(*)::int FROM session) AS sessions, (SELECT count(*)::int FROM account) AS accounts,
         (SELECT count(*)::int FROM sso_identity) AS identities`,
    )
  )[0];

/** Asserts that `work` creates no session, account or link. */
async function withoutEffect(work: () => Promise<void>): Promise<void> {
  const before = await counted();
  await work();
  expect(await counted()).toEqual(before);
}

describe('sso.md 2.2 start', () => {
  test('the server creates all values, with PKCE S256', async () => {
    const started = await startSso(service, { redirect_to: '/inbox?x=1#y' });
    expect(started.redirect_uri).toBe('http://localhost:8080/auth/sso/callback');
    expect(started.state).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const url = new URL(started.authorization_url);
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: provider.clientId,
      scope: 'openid email profile',
      redirect_uri: started.redirect_uri,
      state: started.state,
      nonce: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  test('members that set state, nonce or challenge are ignored', async () => {
    const chosen = { state: 'mine', nonce: 'mine', code_challenge: 'mine', return_url: 'https://evil.example' };
    const { authorization_url: url } = await startSso(service, chosen);
    expect(url).not.toContain('mine');
    expect(url).not.toContain('evil');
  });

  test('the state is stored hashed, verifier and nonce encrypted', async () => {
    const { authorization_url: url, state } = await startSso(service);
    const rows = await service.sql("SELECT digest, payload::text FROM one_time_secret WHERE purpose = 'sso-state'");
    const stored = rows.map(({ digest, payload }) => `${digest.toString('latin1')}${payload}`).join('\n');
    expect(stored).not.toContain(state);
    expect(stored).not.toContain(new URL(url).searchParams.get('nonce'));
  });

  test.each([
    ['/inbox', '/inbox'],
    ['/', '/'],
    ['/a//b', '/a//b'],
    ['//evil.example', ''],
    ['/\\evil.example', ''],
    ['https://evil.example', ''],
    ['javascript:alert(1)', ''],
    ['evil.example', ''],
    ['', ''],
    ['/a\nb', ''],
    ['/\tevil.example', ''],
    ['/a\u0000', ''],
    ['/a/../inbox?x=/.//y', '/inbox?x=/.//y'],
    ['/.//evil.example', ''],
    ['/x/..//evil.example', ''],
    ['/%2e//evil.example', ''],
    ['/%2E%2e//evil.example', ''],
    ['/./\\evil.example', ''],
    ['/x/../\\evil.example', ''],
    ['/.///evil.example', ''],
    [null, ''],
  ])('redirect_to %j is returned as %j', (sent, returned) => expectRedirect(sent, returned));

  test('with any returned redirect_to, a browser stays in the web application and opens exactly that URL', async () => {
    const segment = fc.constantFrom(
      '',
      '.',
      '..',
      '%2e',
      '%2E.',
      '\\',
      'x',
      'evil.example',
      'x@evil.example',
      ':80',
      '?',
      '#',
    );
    const samples = fc.sample(fc.array(segment, { minLength: 2, maxLength: 7 }), { numRuns: 60, seed: 33 });
    for (const sent of new Set(samples.map((segments) => `/${segments.join('/')}`))) {
      const { authorization_url: url, state } = await startSso(service, { redirect_to: sent });
      const { redirect_to: returned } = (await complete({ code: provider.visit(url), state })).body;
      if (returned === '') continue;
      const opened = new URL(returned, 'https://app.example');
      expect([opened.origin, opened.pathname + opened.search + opened.hash]).toEqual(['https://app.example', returned]);
    }
  });

  test('redirect_to of 2048 characters is returned, a longer one is not', async () => {
    const longest = `/${'a'.repeat(2047)}`;
    await expectRedirect(longest, longest);
    await expectRedirect(`${longest}a`, '');
  });

  async function expectRedirect(sent: string | null, returned: string): Promise<void> {
    const { authorization_url: url, state } = await startSso(service, { redirect_to: sent });
    const { status, body } = await complete({ code: provider.visit(url), state });
    expect({ status, redirect: body.redirect_to }).toEqual({ status: 200, redirect: returned });
  }

  test('the callback is the configured default or the native one', async () => {
    for (const uri of ['http://localhost:8080/auth/sso/callback', 'service://auth/sso/callback']) {
      const started = await startSso(service, { redirect_uri: uri });
      expect(started.redirect_uri).toBe(uri);
      const { status } = await complete({ code: provider.visit(started.authorization_url), state: started.state });
      expect(status).toBe(200);
    }
    expect((await startSso(service, { redirect_uri: null })).redirect_uri).toMatch(/callback$/);
    const others = ['https://evil.example/cb', 'http://localhost:8080/auth/sso/callback/', 'service://auth/sso', ''];
    for (const uri of [...others, 'http://localhost:8080/auth/sso/callback?x', 'x'.repeat(3000)]) {
      expectInvalid(
        await service.anonymous.post('/v1/auth/sso/start', { redirect_uri: uri }),
        'redirect_uri: INVALID_URL_FORMAT',
      );
    }
  });

  test('nonce_hash is 64 lower-case hex digits', async () => {
    for (const nonceHash of ['', 'a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), 'g'.repeat(64), 5, {}]) {
      expectInvalid(
        await service.anonymous.post('/v1/auth/sso/start', { nonce_hash: nonceHash }),
        'nonce_hash: INVALID_FORMAT',
      );
    }
  });
});

describe('sso.md 2.3 complete', () => {
  test('a valid callback signs in: token, user, no challenge, not cached', async () => {
    const response = await signInBySso(service, provider, { name: 'Ada Lovelace', preferred_username: 'ada' });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      token: expect.stringMatching(/^flx_[A-Za-z0-9]{36}$/),
      user_id: expect.stringMatching(/^\d+$/),
      user: expect.objectContaining({ username: 'ada', global_name: 'Ada Lovelace' }),
      redirect_to: '',
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
    const me = await service.as(response.body.token).get('/v1/users/@me');
    expect(me.body).toEqual(
      expect.objectContaining({ id: response.body.user_id, verified: true, traits: ['sso'], terms_agreed_at: null }),
    );
    const { body: sessions } = await service.as(response.body.token).get('/v1/auth/sessions');
    expect(sessions).toHaveLength(1);
  });

  test('the exchange sends the verifier, the callback and our authentication, and nothing of the caller', async () => {
    provider.calls.length = 0;
    expect((await signInBySso(service, provider)).status).toBe(200);
    const [call] = provider.callsOf('token');
    expect([...(call?.body.keys() ?? [])].sort()).toEqual(['code', 'code_verifier', 'grant_type', 'redirect_uri']);
    expect(call?.authorization).toMatch(/^Basic /);
    expect(provider.callsOf('userinfo')).toHaveLength(0);
  });

  test('step 1: an invalid body does not consume the state', async () => {
    const { authorization_url: url, state } = await startSso(service);
    const code = provider.visit(url);
    expectInvalid(await complete({}), 'code: INVALID_FORMAT', 'state: INVALID_FORMAT');
    expectInvalid(await complete({ code: '', state }), 'code: INVALID_FORMAT');
    expectInvalid(await complete({ code: 'x'.repeat(4097), state }), 'code: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await complete({ code, state: 'x'.repeat(4097) }), 'state: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await complete({ code, state, nonce: '' }), 'nonce: INVALID_FORMAT');
    expectInvalid(await complete({ code, state, nonce: null }), 'nonce: INVALID_FORMAT');
    expectInvalid(await complete({ code, state, nonce: 'x'.repeat(257) }), 'nonce: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await complete({ code, state, iss: '' }), 'iss: INVALID_FORMAT');
    expectInvalid(await complete({ code, state, iss: 'x'.repeat(2049) }), 'iss: CONTENT_EXCEEDS_MAX_LENGTH');
    expect((await complete({ code, state })).status).toBe(200);
  });

  test('step 2: an unknown, expired or consumed state, and a state of another purpose', async () => {
    const { authorization_url: url, state } = await startSso(service);
    const code = provider.visit(url);
    provider.calls.length = 0;
    await withoutEffect(async () => {
      for (const wrong of ['x', randomBytes(32).toString('base64url'), state.toLowerCase(), `${state} `]) {
        expectInvalid(await complete({ code, state: wrong }), 'state: INVALID_OR_EXPIRED_SSO_STATE');
      }
      await service.sql("UPDATE one_time_secret SET expires_at = expires_at - interval '10 minutes'");
      expectInvalid(await complete({ code, state }), 'state: INVALID_OR_EXPIRED_SSO_STATE');
    });
    expect(provider.callsOf('token')).toHaveLength(0);
  });

  test('step 2: of 32 parallel callbacks with one state, exactly one gets a session', async () => {
    const { authorization_url: url, state } = await startSso(service);
    const code = provider.visit(url);
    provider.calls.length = 0;
    const { responses } = await race(32, () => complete({ code, state }));
    const winners = responses.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const response of responses) {
      if (response !== winners[0]) expectInvalid(response, 'state: INVALID_OR_EXPIRED_SSO_STATE');
    }
    expect(provider.callsOf('token')).toHaveLength(1);
    const [row] = await service.sql('SELECT count(*)::int AS n FROM session WHERE account_id = $1', [
      winners[0]?.body.user_id,
    ]);
    expect(row?.n).toBe(1);
  });

  test('step 2: a state that was started with nonce_hash requires the nonce of that browser', async () => {
    const nonce = randomBytes(16).toString('hex');
    const start = () => startSso(service, { nonce_hash: hash('sha256', nonce, 'hex') });
    const first = await start();
    const code = provider.visit(first.authorization_url);
    expectInvalid(await complete({ code, state: first.state }), 'nonce: INVALID_FORMAT');
    expect((await complete({ code, state: first.state, nonce })).status).toBe(200);
    const second = await start();
    const secondCode = provider.visit(second.authorization_url);
    await withoutEffect(async () => {
      const body = { code: secondCode, state: second.state };
      expectInvalid(await complete({ ...body, nonce: 'of another' }), 'state: INVALID_OR_EXPIRED_SSO_STATE');
      expectInvalid(await complete({ ...body, nonce }), 'state: INVALID_OR_EXPIRED_SSO_STATE');
    });
  });

  test('step 2: iss, if sent, is the configured issuer', async () => {
    const first = await startSso(service);
    const code = provider.visit(first.authorization_url);
    expect((await complete({ code, state: first.state, iss: provider.issuer })).status).toBe(200);
    for (const iss of ['https://evil.example', `${provider.issuer}/`]) {
      const { authorization_url: url, state } = await startSso(service);
      const other = provider.visit(url);
      expectInvalid(await complete({ code: other, state, iss }), 'state: INVALID_OR_EXPIRED_SSO_STATE');
      expectInvalid(await complete({ code: other, state }), 'state: INVALID_OR_EXPIRED_SSO_STATE');
    }
  });

  test('step 3: the provider rejects the code; the state is consumed, and the code is not repeated', async () => {
    const { state } = await startSso(service);
    const code = randomBytes(24).toString('base64url');
    await withoutEffect(async () => {
      const response = await complete({ code, state });
      expectInvalid(response, 'code: INVALID_SSO_AUTHORIZATION_CODE');
      expect(response.text).not.toContain(code);
      expectInvalid(await complete({ code, state }), 'state: INVALID_OR_EXPIRED_SSO_STATE');
    });
    expect(service.log.join('')).not.toContain(code);
  });

  test('step 3: a code of another start does not match the verifier', async () => {
    const first = await startSso(service);
    const second = await startSso(service);
    const code = provider.visit(first.authorization_url);
    await withoutEffect(async () => {
      expectInvalid(await complete({ code, state: second.state }), 'code: INVALID_SSO_AUTHORIZATION_CODE');
    });
  });

  test('step 3: a provider that rejects our client authentication is SSO_MISCONFIGURED', async () => {
    await withoutEffect(async () => {
      for (const error of ['invalid_client', 'unauthorized_client']) {
        provider.overrides.token = (_req, res) => json(res, 400, { error });
        expectInvalid(await signInBySso(service, provider), 'code: SSO_MISCONFIGURED');
      }
      provider.overrides.token = (_req, res) => void res.writeHead(401, { 'www-authenticate': 'Basic' }).end();
      expectInvalid(await signInBySso(service, provider), 'code: SSO_MISCONFIGURED');
    });
  });

  test('a public client relies on PKCE; a rotated secret applies from the next exchange', async () => {
    const { authorization_url: url, state } = await startSso(service);
    const code = provider.visit(url);
    const before = provider.clientSecret;
    provider.clientSecret = undefined;
    await configureSso(service, { client_secret: null });
    provider.calls.length = 0;
    expect((await complete({ code, state })).status).toBe(200);
    expect(provider.callsOf('token').map(({ authorization }) => authorization)).toEqual([undefined]);
    provider.clientSecret = 'ä new: s%cret+';
    await configureSso(service, { client_secret: provider.clientSecret });
    expect((await signInBySso(service, provider)).status).toBe(200);
    provider.clientSecret = before;
    await configureSso(service, { client_secret: before });
  });
});

describe('sso.md 2.3 step 4: the ID token', () => {
  const now = () => provider.seconds();
  const REFUSED: [name: string, claims: () => Claims][] = [
    ['another issuer', () => ({ iss: 'https://evil.example' })],
    ['an issuer that differs by a slash', () => ({ iss: `${provider.issuer}/` })],
    ['an issuer that is a list', () => ({ iss: [provider.issuer] })],
    ['no issuer', () => ({ iss: undefined })],
    ['the audience of another client', () => ({ aud: 'another' })],
    ['no audience', () => ({ aud: undefined })],
    ['an empty list of audiences', () => ({ aud: [] })],
    ['several audiences without azp', () => ({ aud: [provider.clientId, 'another'] })],
    ['several audiences with the azp of another', () => ({ aud: [provider.clientId, 'another'], azp: 'another' })],
    ['one audience with the azp of another', () => ({ azp: 'another' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['an empty nonce', () => ({ nonce: '' })],
    ['another nonce', () => ({ nonce: randomBytes(32).toString('base64url') })],
    ['a nonce that is a list', () => ({ nonce: ['x'] })],
    ['no expiry', () => ({ exp: undefined })],
    ['an expiry more than 60 s ago', () => ({ exp: now() - 61 })],
    ['an expiry that is text', () => ({ exp: String(now() + 300) })],
    ['no time of issue', () => ({ iat: undefined })],
    ['a time of issue more than 60 s ahead', () => ({ iat: now() + 120, exp: now() + 600 })],
    ['a validity that begins more than 60 s ahead', () => ({ nbf: now() + 120 })],
    ['no subject', () => ({ sub: undefined })],
    ['an empty subject', () => ({ sub: '' })],
    ['a subject of 256 characters', () => ({ sub: 'x'.repeat(256) })],
    ['a subject that is a number', () => ({ sub: 5 })],
    ['a subject with a NUL', () => ({ sub: 'a\u0000b' })],
  ];
  test.each(REFUSED)('%s is rejected', async (_name, claims) => {
    await withoutEffect(async () => {
      expectInvalid(await signInBySso(service, provider, claims()), 'code: INVALID_SSO_TOKEN');
    });
  });

  const ACCEPTED: [name: string, claims: () => Claims][] = [
    ['a clock that is behind by less than 60 s', () => ({ iat: now() + 50, nbf: now() + 50 })],
    ['an expiry less than 60 s ago', () => ({ exp: now() - 50 })],
    ['our client among several, with our azp', () => ({ aud: [provider.clientId, 'b'], azp: provider.clientId })],
    ['a subject of 255 characters', () => ({ sub: randomBytes(128).toString('hex').slice(1) })],
  ];
  test.each(ACCEPTED)('%s is accepted', async (_name, claims) => {
    expect((await signInBySso(service, provider, claims())).status).toBe(200);
  });

  const FORGED: [name: string, sign: NonNullable<Parameters<typeof signInBySso>[3]>['sign']][] = [
    ['alg none', (claims) => new UnsecuredJWT(claims).encode()],
    ['alg nOnE', (claims) => `${part({ alg: 'nOnE' })}.${part(claims)}.`],
    ['no signature', async (claims, key) => (await signed(claims, key)).replace(/[^.]*$/, '')],
    ['a broken signature', async (claims, key) => (await signed(claims, key)).replace(/.{8}$/, 'AAAAAAAA')],
    [
      'other claims than were signed',
      async (claims, key) => {
        const [header, , signature] = (await signed(claims, key)).split('.');
        return `${header}.${part({ ...claims, sub: 'victim' })}.${signature}`;
      },
    ],
    [
      'a key of its own under the published id',
      async (claims, { kid, alg }) => {
        const { privateKey } = await generateKeyPair(alg);
        return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey);
      },
    ],
    [
      'a key of its own in the header',
      async (claims, { kid, alg }) => {
        const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
        const jwk = await exportJWK(publicKey);
        const header = { alg, kid, jwk, jku: 'https://evil.example/keys', x5u: 'https://evil.example/x' };
        return new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
      },
    ],
    [
      'HS256 with the published key as secret',
      async (claims, { kid, jwk }) => {
        const pem = await exportSPKI((await importJWK(jwk, 'ES256', { extractable: true })) as CryptoKey);
        const input = `${part({ alg: 'HS256', kid })}.${part(claims)}`;
        return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
      },
    ],
    [
      'HS256 with the client secret',
      (claims, { kid }) => {
        const secret = new TextEncoder().encode(provider.clientSecret?.padEnd(32, '0'));
        return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
      },
    ],
    [
      'an unknown critical header',
      async (claims, { kid, alg, privateKey }) => {
        const payload = new TextEncoder().encode(JSON.stringify(claims));
        const header = { alg, kid, crit: ['b64x'], b64x: true };
        return new CompactSign(payload).setProtectedHeader(header).sign(privateKey, { crit: { b64x: true } });
      },
    ],
    ['text', () => 'no token'],
    ['nothing', () => ''],
    ['five parts', () => 'a.b.c.d.e'],
    ['a list as claims', (_claims, { alg, kid }) => `${part({ alg, kid })}.${part([1])}.AAAA`],
  ];
  test.each(FORGED)('a token with %s is rejected', async (_name, sign) => {
    await withoutEffect(async () => {
      expectInvalid(await signInBySso(service, provider, {}, { sign }), 'code: INVALID_SSO_TOKEN');
    });
  });

  test('RS/HS confusion: an RSA key as HMAC secret is rejected', async () => {
    await provider.rotate('RS256');
    service.clock.advance({ minutes: 11 });
    expect((await signInBySso(service, provider)).status).toBe(200);
    await withoutEffect(async () => {
      const response = await signInBySso(
        service,
        provider,
        {},
        {
          sign: async (claims, { kid, jwk }) => {
            const pem = await exportSPKI((await importJWK(jwk, 'RS256', { extractable: true })) as CryptoKey);
            const input = `${part({ alg: 'HS256', kid })}.${part(claims)}`;
            return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
          },
        },
      );
      expectInvalid(response, 'code: INVALID_SSO_TOKEN');
    });
    await provider.rotate('ES256');
    service.clock.advance({ minutes: 11 });
  });

  test.each(['RS256', 'RS512', 'PS256', 'PS384', 'ES256', 'ES384', 'EdDSA'])('%s is accepted', async (alg) => {
    await provider.rotate(alg);
    service.clock.advance({ minutes: 11 });
    expect((await signInBySso(service, provider)).status).toBe(200);
  });

  test('a token without a key ID is tried with every matching key', async () => {
    const old = provider.signer;
    const fresh = await provider.rotate(old.alg);
    provider.keys = [old, fresh];
    service.clock.advance({ minutes: 11 });
    const sign = (claims: Claims, { alg, privateKey }: typeof fresh) =>
      new SignJWT(claims).setProtectedHeader({ alg }).sign(privateKey);
    expect((await signInBySso(service, provider, {}, { sign })).status).toBe(200);
    const forged = async (claims: Claims, { alg }: typeof fresh) => {
      const { privateKey } = await generateKeyPair(alg);
      return new SignJWT(claims).setProtectedHeader({ alg }).sign(privateKey);
    };
    expectInvalid(await signInBySso(service, provider, {}, { sign: forged }), 'code: INVALID_SSO_TOKEN');
  });

  test('a token response without an ID token or access token is rejected', async () => {
    await withoutEffect(async () => {
      for (const body of [{ access_token: 'x', token_type: 'Bearer' }, { id_token: 'x' }, {}]) {
        provider.overrides.token = (_req, res) => json(res, 200, body);
        expectInvalid(await signInBySso(service, provider), 'code: INVALID_SSO_TOKEN');
      }
    });
  });
});

describe('sso.md 2.3 steps 5 and 6: userinfo and email address', () => {
  const NO_EMAIL = { email: undefined, email_verified: undefined };
  const subject = () => randomBytes(8).toString('hex');

  test('userinfo is requested if the ID token has no email claims', async () => {
    const sub = subject();
    const email = `${sub}@info.example.com`;
    const info = { sub, email, email_verified: true, name: 'From Userinfo' };
    provider.calls.length = 0;
    const { status, body } = await signInBySso(service, provider, { ...NO_EMAIL, sub }, { info });
    expect(status).toBe(200);
    expect(provider.callsOf('userinfo')).toEqual([
      expect.objectContaining({ authorization: expect.stringMatching(/^Bearer /) }),
    ]);
    const me = await service.as(body.token).get('/v1/users/@me');
    expect([me.body.email, me.body.global_name]).toEqual([email, 'From Userinfo']);
  });

  test('variants of providers are accepted: the verification as a text, members without a value as null', async () => {
    const sub = subject();
    provider.tokenMembers = { refresh_token: null, scope: null, expires_in: null };
    const claims = { sub, email: `${sub}@corp.example.com`, email_verified: 'true' };
    const { status, body } = await signInBySso(service, provider, claims);
    provider.reset();
    expect(status).toBe(200);
    expect((await service.as(body.token).get('/v1/users/@me')).body).toMatchObject({
      email: claims.email,
      verified: true,
    });
  });

  test('a verification without its address verifies nothing', async () => {
    const sub = subject();
    await withoutEffect(async () => {
      const claims = { sub, email: `${sub}@corp.example.com`, email_verified: undefined };
      expectInvalid(
        await signInBySso(service, provider, claims, { info: { sub, email_verified: true } }),
        'code: INVALID_SSO_TOKEN',
      );
      expectInvalid(
        await signInBySso(service, provider, { ...NO_EMAIL, sub, email_verified: true }, { info: { sub } }),
        'code: SSO_PROVIDER_DID_NOT_RETURN_EMAIL',
      );
    });
  });

  test('userinfo of another subject', async () => {
    const info = { sub: 'somebody else', email: 'a@corp.example.com', email_verified: true };
    await withoutEffect(async () => {
      expectInvalid(
        await signInBySso(service, provider, { ...NO_EMAIL, sub: subject() }, { info }),
        'code: SSO_IDENTITY_MISMATCH',
      );
    });
  });

  test('userinfo that cannot be fetched', async () => {
    await withoutEffect(async () => {
      for (const status of [204, 302, 401, 403, 500, 503]) {
        provider.overrides.userinfo = (_req, res) => void res.writeHead(status, { location: provider.issuer }).end();
        expectInvalid(await signInBySso(service, provider, NO_EMAIL), 'code: FAILED_TO_FETCH_SSO_USER_INFO');
      }
      provider.overrides.userinfo = (_req, res) => void res.socket?.destroy();
      expectInvalid(await signInBySso(service, provider, NO_EMAIL), 'code: FAILED_TO_FETCH_SSO_USER_INFO');
    });
  });

  test('userinfo that is malformed', async () => {
    await withoutEffect(async () => {
      for (const text of ['', 'no json', '[]', '"text"', 'null', '{"email":"a@corp.example.com"}', '{"sub":5}']) {
        provider.overrides.userinfo = (_req, res) => void res.end(text);
        expectInvalid(await signInBySso(service, provider, NO_EMAIL), 'code: FAILED_TO_PARSE_SSO_USER_INFO');
      }
    });
  });

  test.each([
    [{ email: '' }, 'SSO_PROVIDER_DID_NOT_RETURN_EMAIL'],
    [{ email: 5 }, 'INVALID_EMAIL_ADDRESS'],
    [{ email: ['a@corp.example.com'] }, 'INVALID_EMAIL_ADDRESS'],
    [{ email: 'no address' }, 'INVALID_EMAIL_ADDRESS'],
    [{ email: 'a@corp' }, 'INVALID_EMAIL_ADDRESS'],
    [{ email: 'a@corp.example.com, b@corp.example.com' }, 'INVALID_EMAIL_ADDRESS'],
    [{ email: 'a\u0000@corp.example.com' }, 'INVALID_EMAIL_ADDRESS'],
    [{ email: 'ａdmin@corp.example.com' }, 'INVALID_EMAIL_ADDRESS'],
    [{ email: `${'a'.repeat(65)}@corp.example.com` }, 'INVALID_EMAIL_ADDRESS'],
    [{ email_verified: false }, 'INVALID_SSO_TOKEN'],
    [{ email_verified: 'True' }, 'INVALID_SSO_TOKEN'],
    [{ email_verified: 'false' }, 'INVALID_SSO_TOKEN'],
    [{ email_verified: '' }, 'INVALID_SSO_TOKEN'],
    [{ email: 'a@bücher.example' }, 'INVALID_EMAIL_ADDRESS'],
    [{ email_verified: 1 }, 'INVALID_SSO_TOKEN'],
    [{ email_verified: [true] }, 'INVALID_SSO_TOKEN'],
  ])('claims %j are rejected with %s', async (claims, code) => {
    await withoutEffect(async () => {
      expectInvalid(await signInBySso(service, provider, claims), `code: ${code}`);
    });
  });

  test('only allowed domains, compared case-insensitively and completely, not as a suffix', async () => {
    await configureSso(service, { allowed_domains: ['Corp.Example.com', 'bücher.example', 'corp.example.com'] });
    const [row] = await service.sql("SELECT value FROM instance WHERE name = 'sso'");
    expect(row?.value.allowedDomains).toEqual(['corp.example.com', 'xn--bcher-kva.example']);
    expect((await signInBySso(service, provider, { email: `${subject()}@CORP.example.com` })).status).toBe(200);
    expect((await signInBySso(service, provider, { email: `${subject()}@xn--bcher-kva.example` })).status).toBe(200);
    await withoutEffect(async () => {
      for (const domain of [
        'evil.example',
        'evilcorp.example.com',
        'sub.corp.example.com',
        'corp.example.com.evil.io',
      ]) {
        expectInvalid(
          await signInBySso(service, provider, { email: `a@${domain}` }),
          'code: EMAIL_DOMAIN_NOT_ALLOWED_FOR_SSO',
        );
      }
    });
    await configureSso(service, { allowed_domains: [] });
  });

  test('a provider response above 1 MiB is not read', async () => {
    provider.overrides.token = (_req, res) => json(res, 200, { access_token: 'x'.repeat(1024 * 1024 + 1) });
    expectApiError(await signInBySso(service, provider), 'BAD_GATEWAY');
  });
});

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
