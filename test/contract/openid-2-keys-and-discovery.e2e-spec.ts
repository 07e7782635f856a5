import { createLocalJWKSet, jwtVerify } from 'jose';
import { SigningKeys } from '../../src/oauth/openid/signing-keys.service.js';
import { ColumnEncryption } from '../../src/platform/keys/column-encryption.service.js';
import { cleanUp } from '../support/cleanup.js';
import {
  exchange,
  expectApiError,
  type Gatehouse,
  gatehouse,
  newApp,
  newCode,
  newTokens,
  person,
  refresh,
} from '../support/index.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const keySet = async () =>
  (await service.anonymous.get('/.well-known/jwks.json')).body.keys as Record<string, string>[];
const kids = async () => (await keySet()).map(({ kid }) => kid ?? '');
const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
const rotate = (compromised = false) => service.app.get(SigningKeys).rotate(compromised);
const age = (hours: number) =>
  service.sql(`UPDATE openid_key SET published_at = published_at - $1::int * interval '1 hour'`, [hours]);

async function idTokenOf(app: Awaited<ReturnType<typeof newApp>>, authorization: string): Promise<string> {
  const code = await newCode(service, { authorization }, app, { scope: 'openid' });
  return (await exchange(service, app, code)).body.id_token;
}

describe('2 key set', () => {
  test('rotation before the first use has no effect', async () => {
    expect(await rotate()).toBe('unused');
    expect(await service.sql('SELECT 1 FROM openid_key')).toEqual([]);
  });

  test('parallel first requests create one current and one next key of each algorithm', async () => {
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => service.anonymous.get('/.well-known/jwks.json')),
    );
    for (const { status } of responses) expect(status).toBe(200);
    const keys = await keySet();
    expect(keys.map(({ alg }) => alg)).toEqual(['ES256', 'ES256', 'EdDSA', 'EdDSA', 'RS256', 'RS256']);
    expect(await service.sql('SELECT 1 FROM openid_key WHERE activated_at IS NOT NULL')).toHaveLength(3);
  });

  test('every request gets the same set while the first keys are created', async () => {
    await service.sql('DELETE FROM openid_key');
    let isCreated = false;
    const sets = new Set<string>();
    const askRepeatedly = async () => {
      while (!isCreated) {
        sets.add((await kids()).join(' '));
        isCreated = (await service.sql('SELECT 1 FROM openid_key')).length === 6;
      }
    };
    await Promise.all(Array.from({ length: 8 }, askRepeatedly));
    sets.add((await kids()).join(' '));
    expect([...sets]).toHaveLength(1);
  });

  test('contains only public members, and may be cached and read from every origin', async () => {
    const { headers, body } = await service.anonymous.get('/.well-known/jwks.json');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    for (const key of body.keys) {
      expect(key.use).toBe('sig');
      for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(name);
      if (key.kty === 'RSA') expect(Buffer.from(key.n, 'base64url')).toHaveLength(256);
    }
  });

  test('a private key is decrypted once per process, and cannot be exported', async () => {
    const keys = service.app.get(SigningKeys);
    const stored = await keys.current('RS256');
    const key = await keys.privateKey(stored);
    expect(key.extractable).toBe(false);
    expect(await keys.privateKey(stored)).toBe(key);
  });

  test('private keys are encrypted at rest', async () => {
    for (const { private_key: box } of await service.sql('SELECT private_key FROM openid_key')) {
      expect(box.includes('"d":')).toBe(false);
    }
  });
});

test('2 a private key that could not be imported once is read again', async () => {
  const own = await gatehouse();
  const alice = await person(own, 'alice');
  const app = await newApp(own, alice);
  await own.anonymous.get('/.well-known/jwks.json');
  const [{ kid, private_key } = {}] = await own.sql(
    "SELECT kid, private_key FROM openid_key WHERE alg = 'RS256' AND activated_at IS NOT NULL",
  );
  const store = (box: unknown) => own.sql('UPDATE openid_key SET private_key = $2 WHERE kid = $1', [kid, box]);
  const redeem = async () => exchange(own, app, await newCode(own, alice, app, { scope: 'openid' }));
  await store(own.app.get(ColumnEncryption).encrypt('signing keys', '{"kty":"RSA"}', String(kid)));
  expectApiError(await redeem(), 'INTERNAL_SERVER_ERROR');
  await store(private_key);
  expect((await redeem()).body.id_token).toEqual(expect.any(String));
  await own.close();
});

describe('2 rotation', () => {
  test('next keys that are younger than 24 hours stay next', async () => {
    const before = await kids();
    expect(await rotate()).toBe('young');
    expect(await kids()).toEqual(before);
    const ageOne = (hours: number) =>
      service.sql(
        "UPDATE openid_key SET published_at = published_at + $1::int * interval '1 hour' WHERE alg = 'ES256' AND activated_at IS NULL",
        [-hours],
      );
    await ageOne(24);
    expect(await rotate()).toBe('young');
    expect((await kids()).toSorted()).toEqual(before.toSorted());
    await ageOne(-24);
  });

  test('tokens of the previous key can be verified until the last one has expired', async () => {
    const alice = await person(service, 'alice');
    const app = await newApp(service, alice);
    const old = await idTokenOf(app, alice.authorization);
    const before = await kids();
    await age(24);
    expect(await rotate()).toBe('rotated');
    const fresh = await idTokenOf(app, alice.authorization);
    expect(kidOf(fresh)).not.toBe(kidOf(old));
    // The new key was published before it signed.
    expect(before).toContain(kidOf(fresh));
    const keys = createLocalJWKSet({ keys: (await keySet()) as never });
    for (const token of [old, fresh]) await jwtVerify(token, keys);
    // The lifetime of an ID token, and a minute for replicas that still sign with the old key.
    const [{ seconds } = {}] = await service.sql(
      `SELECT extract(epoch FROM published_until - retired_at)::int AS seconds FROM openid_key WHERE kid = $1`,
      [kidOf(old)],
    );
    expect(seconds).toBe(3660);
    await service.sql(
      "UPDATE openid_key SET published_until = now() - interval '1 second' WHERE retired_at IS NOT NULL",
    );
    expect(await kids()).not.toContain(kidOf(old));
    const [former] = await service.sql('SELECT private_key FROM openid_key WHERE kid = $1', [kidOf(old)]);
    expect(former).toEqual({ private_key: null });
  });

  test('of 32 rotations at the same time, one takes effect', async () => {
    await age(24);
    const outcomes = await Promise.all(Array.from({ length: 32 }, () => rotate()));
    expect(outcomes.filter((outcome) => outcome === 'rotated')).toHaveLength(1);
  });

  test('a compromised key is withdrawn immediately', async () => {
    const bob = await person(service, 'bob');
    const app = await newApp(service, bob);
    const old = await idTokenOf(app, bob.authorization);
    expect(await rotate(true)).toBe('rotated');
    expect(await kids()).not.toContain(kidOf(old));
    expect(await service.sql('SELECT 1 FROM openid_key WHERE kid = $1', [kidOf(old)])).toEqual([]);
    expect(kidOf(await idTokenOf(app, bob.authorization))).not.toBe(kidOf(old));
  });

  test('cleanup rotates keys after OPENID_KEY_DAYS and deletes public keys after 400 days', async () => {
    const current = async () =>
      (
        await service.sql(
          'SELECT kid FROM openid_key WHERE activated_at IS NOT NULL AND retired_at IS NULL ORDER BY alg',
        )
      ).map(({ kid }) => kid);
    const before = await current();
    await cleanUp(service.app);
    expect(await current()).toEqual(before);
    await service.sql("UPDATE openid_key SET activated_at = now() - interval '90 days' WHERE activated_at IS NOT NULL");
    await cleanUp(service.app);
    // The next keys are too young.
    expect(await current()).toEqual(before);
    await age(24);
    await cleanUp(service.app);
    const after = await current();
    for (const kid of before) expect(after).not.toContain(kid);
    expect(await service.sql('SELECT 1 FROM openid_key WHERE activated_at IS NULL')).toHaveLength(3);
    await service.sql("UPDATE openid_key SET retired_at = now() - interval '401 days' WHERE retired_at IS NOT NULL");
    await cleanUp(service.app);
    expect(await service.sql('SELECT 1 FROM openid_key WHERE retired_at IS NOT NULL')).toEqual([]);
  });
});

describe('2 discovery', () => {
  test('contains the metadata of OAuth2 and that of OpenID Connect', async () => {
    const { body: oauth } = await service.anonymous.get('/.well-known/oauth-authorization-server');
    const { status, body, headers } = await service.anonymous.get('/.well-known/openid-configuration');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const { issuer } = oauth;
    expect(body).toEqual({
      ...oauth,
      ...{ userinfo_endpoint: `${issuer}/v1/oauth2/openid/userinfo`, jwks_uri: `${issuer}/.well-known/jwks.json` },
      end_session_endpoint: `${issuer}/oauth2/logout`,
      scopes_supported: ['identify', 'email', 'bot', 'openid', 'profile', 'offline_access'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      claims_supported: [
        ...['iss', 'aud', 'azp', 'sub', 'iat', 'exp', 'auth_time', 'nonce', 'at_hash', 'sid', 'amr', 'acr'],
        ...['name', 'preferred_username', 'picture', 'locale', 'updated_at', 'email', 'email_verified'],
      ],
      acr_values_supported: ['urn:gatehouse:acr:1', 'urn:gatehouse:acr:2', 'phr'],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      ui_locales_supported: ['en-US', 'de', 'fr', 'es-ES', 'pt-BR', 'ja', 'ar'],
      claim_types_supported: ['normal'],
      ...{ claims_parameter_supported: false, request_parameter_supported: false },
      ...{ request_uri_parameter_supported: false, backchannel_logout_supported: true },
      backchannel_logout_session_supported: true,
    });
  });
});

describe('OPENID=off', () => {
  test('only the key set remains, the scopes do not exist, and refreshes continue without ID tokens', async () => {
    const off = await gatehouse({ env: { OPENID: 'off' } });
    try {
      expectApiError(await off.anonymous.get('/.well-known/openid-configuration'), 'NOT_FOUND');
      expectApiError(await off.anonymous.get('/v1/oauth2/openid/userinfo'), 'NOT_FOUND');
      expectApiError(await off.anonymous.post('/v1/oauth2/openid/userinfo'), 'NOT_FOUND');
      expect((await off.anonymous.get('/.well-known/jwks.json')).status).toBe(200);
      const { body } = await off.anonymous.get('/.well-known/oauth-authorization-server');
      expect(body.scopes_supported).toEqual(['identify', 'email', 'bot']);
      const carol = await person(off, 'carol');
      const app = await newApp(off, carol);
      const tokens = await newTokens(off, carol, app);
      await off.sql("UPDATE oauth_family SET scopes = '{identify,openid}'");
      await off.sql("UPDATE oauth_token SET scopes = '{identify,openid}'");
      const refreshed = await refresh(off, app, tokens.refresh_token);
      expect(refreshed.status).toBe(200);
      expect(refreshed.body).toMatchObject({ scope: 'identify' });
      expect(refreshed.body).not.toHaveProperty('id_token');
      const consented = await off.as(carol).post('/v1/oauth2/authorize/consent', {
        ...{ client_id: app.id, redirect_uri: app.redirectUri, scope: 'openid' },
      });
      expectApiError(consented, 'INVALID_SCOPE', { error: 'invalid_scope' });
      expect(await off.sql('SELECT 1 FROM oauth_code')).toEqual([]);
    } finally {
      await off.close();
    }
  });
});
