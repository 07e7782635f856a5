import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import { IdTokenHints } from '../../src/oauth/openid/id-token-hints.service.js';
import { SigningKeys } from '../../src/oauth/openid/signing-keys.service.js';
import {
  type App,
  exchange,
  expectApiError,
  type Gatehouse,
  gatehouse,
  newApp,
  newCode,
  type Persona,
  person,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let app: App;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  app = await newApp(service, alice);
});
afterAll(() => service.close());

const partOf = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function idTokenOf(of: App = app): Promise<string> {
  const code = await newCode(service, alice, of, { scope: 'openid' });
  return (await exchange(service, of, code)).body.id_token;
}

/** Signs with the current key of the service. */
async function signed(claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
  const keys = service.app.get(SigningKeys);
  const key = await keys.current('RS256');
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.kid, ...header })
    .sign(await keys.privateKey(key));
}

const isValid = async (hint: string, audience = app.id) =>
  (await service.app.get(IdTokenHints).verify(hint, { audience })) !== null;

describe('4 id_token_hint is valid', () => {
  test('for its application, with or without one, also after it has expired', async () => {
    const hint = await idTokenOf();
    const { sub, sid } = partOf(hint, 1);
    service.clock.advance({ minutes: 120 });
    const hints = service.app.get(IdTokenHints);
    for (const options of [{}, { audience: app.id }]) {
      expect(await hints.verify(hint, options)).toMatchObject({ sub: alice.id, aud: app.id, sid });
    }
    expect(sub).toBe(alice.id);
  });

  test.each(['ES256', 'EdDSA'])('if the application chose %s', async (alg) => {
    const own = await newApp(service, alice, { id_token_signed_response_alg: alg });
    expect(await isValid(await idTokenOf(own), own.id)).toBe(true);
  });

  test('for 400 days after its key was replaced, but not after the key was withdrawn', async () => {
    const hint = await idTokenOf();
    await service.sql("UPDATE openid_key SET published_at = published_at - interval '1 day'");
    expect(await service.app.get(SigningKeys).rotate(false)).toBe('rotated');
    await service.sql('UPDATE openid_key SET published_until = now() WHERE retired_at IS NOT NULL');
    const { body } = await service.anonymous.get('/.well-known/jwks.json');
    expect(body.keys.map(({ kid }: { kid: string }) => kid)).not.toContain(partOf(hint, 0).kid);
    expect(await isValid(hint)).toBe(true);
    await service.sql("UPDATE openid_key SET retired_at = now() - interval '399 days' WHERE retired_at IS NOT NULL");
    expect(await isValid(hint)).toBe(true);
    await service.sql("UPDATE openid_key SET retired_at = now() - interval '401 days' WHERE retired_at IS NOT NULL");
    expect(await isValid(hint)).toBe(false);

    const fresh = await idTokenOf();
    expect(await isValid(fresh)).toBe(true);
    expect(await service.app.get(SigningKeys).rotate(true)).toBe('rotated');
    expect(await isValid(fresh)).toBe(false);
  });
});

test('4 a fault of the service does not make an id_token_hint invalid', async () => {
  const own = await gatehouse();
  const owner = await person(own, 'owner');
  const of = await newApp(own, owner);
  const { id_token } = (await exchange(own, of, await newCode(own, owner, of, { scope: 'openid' }))).body;
  const logOut = () => own.as(owner).post('/v1/oauth2/logout', { id_token_hint: id_token });
  await own.sql(`UPDATE openid_key SET public_jwk = '{"alg": "RS256", "kty": "RSA"}' WHERE alg = 'RS256'`);
  expectApiError(await logOut(), 'INTERNAL_SERVER_ERROR');
  expect((await own.as(owner).get('/v1/users/@me')).status).toBe(200);
  await own.close();
});

describe('4 id_token_hint is invalid', () => {
  test('for another application', async () => {
    const other = await newApp(service, alice);
    expect(await isValid(await idTokenOf(other))).toBe(false);
  });

  test('if it is a logout token, an assertion, or of no type', async () => {
    const claims = partOf(await idTokenOf(), 1);
    expect(await isValid(await signed(claims))).toBe(true);
    for (const typ of ['logout+jwt', 'gatehouse-assertion+jwt', 'at+jwt', undefined]) {
      expect({ typ, isValid: await isValid(await signed(claims, { typ })) }).toEqual({ typ, isValid: false });
    }
  });

  test('if a claim is missing or of another issuer', async () => {
    const claims = partOf(await idTokenOf(), 1);
    for (const name of ['iss', 'aud', 'sub', 'sid', 'exp']) {
      const { [name]: _, ...rest } = claims;
      expect({ name, isValid: await isValid(await signed(rest)) }).toEqual({ name, isValid: false });
    }
    expect(await isValid(await signed({ ...claims, iss: 'https://other.example' }))).toBe(false);
  });

  test('if a byte of it was changed, or it is not a token', async () => {
    const [header, payload, signature] = (await idTokenOf()).split('.') as [string, string, string];
    const forged = encoded({ ...partOf(`.${payload}`, 1), sub: '1' });
    for (const hint of [
      `${header}.${forged}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      'x',
      '..',
    ]) {
      expect({ hint, isValid: await isValid(hint) }).toEqual({ hint, isValid: false });
    }
  });

  test('if the header confuses algorithms', async () => {
    const [header, payload] = (await idTokenOf()).split('.') as [string, string];
    const { kid } = partOf(header, 0);
    expect(await isValid(`${encoded({ alg: 'none', typ: 'JWT', kid })}.${payload}.`)).toBe(false);
    // The public key as an HMAC secret, in each form that a library may take.
    const { body } = await service.anonymous.get('/.well-known/jwks.json');
    const jwk = body.keys.find((key: { kid: string }) => key.kid === kid);
    const pem = await exportSPKI((await importJWK(jwk, 'RS256', { extractable: true })) as never);
    for (const secret of [pem, pem.trim(), JSON.stringify(jwk), jwk.n]) {
      const hint = await new SignJWT(partOf(`.${payload}`, 1))
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid })
        .sign(new TextEncoder().encode(secret));
      expect(await isValid(hint)).toBe(false);
    }
    // An algorithm of the same key type.
    const keys = service.app.get(SigningKeys);
    for (const alg of ['ES256', 'EdDSA', 'RS384']) {
      const other = `${encoded({ alg, typ: 'JWT', kid })}.${payload}.${(await signed({})).split('.')[2]}`;
      expect({ alg, isValid: await isValid(other) }).toEqual({ alg, isValid: false });
    }
    expect((await keys.current('RS256')).kid).toBe(kid);
  });

  test('if it names or brings a key of its own', async () => {
    const hint = await idTokenOf();
    const claims = partOf(hint, 1);
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(publicKey);
    const { kid } = partOf(hint, 0);
    const [next] = await service.sql("SELECT kid FROM openid_key WHERE alg = 'RS256' AND activated_at IS NULL");
    const headers: Record<string, unknown>[] = [
      ...[{ kid }, { kid, jwk }, { kid: next?.kid, jwk }, { jwk }, { kid: 'x', jku: 'http://127.0.0.1:1/keys' }],
      ...[
        { kid: "' OR '1'='1" },
        { kid: '\u0000' },
        { kid: '../../dev/null' },
        { kid: 1 },
        { kid: [kid] },
        { kid: null },
      ],
    ];
    for (const header of headers) {
      const forged = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...header })
        .sign(privateKey);
      expect({ header, isValid: await isValid(forged) }).toEqual({ header, isValid: false });
    }
  });
});
