import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { SIGNING_ALGORITHMS } from '../../src/accounts/grants/oauth.entities.js';
import { type App, exchange, type Gatehouse, newApp, newCode, type Persona, verifiedPerson } from '../support/index.js';
import { authlibMissing, signInWithAuthlib } from './authlib.js';
import { decide, ownService } from './consent.js';

interface Expected {
  readonly token: string;
  readonly id: string;
  readonly nonce: string | null;
  /** Without an access token, `at_hash` is not compared. */
  readonly access_token: string | null;
}

interface Verdict {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly error?: string;
  readonly message?: string;
}

const describeWithAuthlib = authlibMissing ? describe.skip : describe;

describeWithAuthlib('openid.md 8: Authlib verifies ID tokens (skipped if Python or Authlib is missing)', () => {
  let service: Gatehouse;
  let alice: Persona;
  let keys: unknown;
  beforeAll(async () => {
    service = await ownService();
    alice = await verifiedPerson(service, 'alice');
  });
  afterAll(() => service.close());

  const verdictOf = (expected: Expected): Verdict => {
    const input = `${JSON.stringify({ ...expected, keys, issuer: service.url })}\n`;
    const script = join(import.meta.dirname, 'authlib_id_tokens.py');
    const { status, stdout, stderr } = spawnSync('/usr/bin/python3', [script], { input, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return JSON.parse(stdout);
  };

  async function signInAt(app: App, nonce: string): Promise<Expected> {
    const code = await newCode(service, alice, app, { scope: 'openid profile email', nonce });
    const { status, body } = await exchange(service, app, code);
    expect(status).toBe(200);
    keys = (await service.anonymous.get('/.well-known/jwks.json')).body;
    return { token: body.id_token, access_token: body.access_token, id: app.id, nonce };
  }

  const half = (token: string, part: 0 | 1 | 2, change: (text: string) => string): string =>
    token
      .split('.')
      .map((text, index) => (index === part ? change(text) : text))
      .join('.');
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  test.each(SIGNING_ALGORITHMS)('signed with %s, with the claims of the user', async (alg) => {
    const app = await newApp(service, alice, { id_token_signed_response_alg: alg });
    const given = await signInAt(app, `nonce of ${alg}`);
    // Authlib 1.2 knows no hash for EdDSA, so it cannot compare `at_hash`.
    expect(verdictOf(alg === 'EdDSA' ? { ...given, access_token: null } : given)).toMatchObject({
      header: { alg, typ: 'JWT' },
      claims: { sub: alice.id, iss: service.url, aud: app.id, nonce: given.nonce, email: alice.email },
    });
  });

  test('a sign-in and a refresh by Authlib itself give ID tokens of the user', async () => {
    const app = await newApp(service, alice);
    const registration = { origin: service.url, id: app.id, secret: app.secret ?? '' };
    const { first, next } = await signInWithAuthlib(registration, (url) => decide(service, alice, url));
    keys = (await service.anonymous.get('/.well-known/jwks.json')).body;
    expect(next.access_token).not.toBe(first.access_token);
    for (const { id_token: token = '', access_token } of [first, next]) {
      expect(verdictOf({ token, access_token, id: app.id, nonce: null })).toMatchObject({
        claims: { sub: alice.id, aud: app.id, name: expect.any(String), email: alice.email },
      });
    }
  });

  test('a replayed nonce, another application, another access token and another issuer are rejected', async () => {
    const app = await newApp(service, alice);
    const other = await newApp(service, alice);
    const first = await signInAt(app, 'first');
    const second = await signInAt(app, 'second');
    // The token of an earlier sign-in does not answer the next request.
    expect(verdictOf({ ...second, token: first.token, access_token: first.access_token })).toMatchObject({
      error: 'InvalidClaimError',
      message: expect.stringContaining('nonce'),
    });
    expect(verdictOf({ ...first, id: other.id })).toMatchObject({ message: expect.stringContaining('aud') });
    expect(verdictOf({ ...first, access_token: second.access_token })).toMatchObject({
      message: expect.stringContaining('at_hash'),
    });
    expect(verdictOf(first)).toMatchObject({ claims: { sub: alice.id } });
  });

  test('a changed signature, payload or algorithm is rejected', async () => {
    const app = await newApp(service, alice);
    const given = await signInAt(app, 'n');
    const [header = '', payload = ''] = given.token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
    for (const token of [
      half(given.token, 2, (text) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`),
      half(given.token, 1, () => encoded({ ...claims, sub: '1' })),
      `${encoded({ alg: 'none', typ: 'JWT' })}.${payload}.`,
      half(given.token, 0, () => encoded({ alg: 'HS256', typ: 'JWT', kid })),
      half(given.token, 0, () => encoded({ alg: 'RS256', typ: 'JWT', kid: 'x' })),
    ]) {
      const verdict = verdictOf({ ...given, token });
      expect(verdict).toMatchObject({ error: expect.any(String) });
      expect(verdict).not.toHaveProperty('claims');
    }
  });
});
