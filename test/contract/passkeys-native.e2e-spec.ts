import { loadConfig } from '../../src/features.js';
import {
  expectApiError,
  type Gatehouse,
  gatehouse,
  type Persona,
  passkeySudo,
  person,
  SoftwareAuthenticator,
  withPasskey,
} from '../support/index.js';

const CREDENTIALS = '/v1/users/@me/mfa/webauthn/credentials';
const ANDROID = `android:apk-key-hash:${'A'.repeat(43)}`;
const OTHER_APP = `android:apk-key-hash:${'B'.repeat(42)}A`;
const WEB = 'http://localhost:8080';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ env: { WEBAUTHN_ORIGINS: `${WEB}, ${ANDROID}` } });
});
afterAll(() => service.close());

const signInBy = async (
  key: SoftwareAuthenticator,
  change: (response: ReturnType<typeof key.get>) => object = (r) => r,
) => {
  const { body } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
  return service.anonymous.post('/v1/auth/webauthn/authenticate', {
    response: change(key.get(body, { uv: true })),
    challenge: body.challenge,
  });
};
const listOf = async (persona: Persona) => (await service.as(persona).get(CREDENTIALS)).body as { id: string }[];

describe('WEBAUTHN_ORIGINS: Android apps', () => {
  test('an app listed by its signing key can add passkeys and sign in with them; another app cannot', async () => {
    const alice = await person(service, 'alice');
    const key = await withPasskey(service, alice, new SoftwareAuthenticator('ES256', { origin: ANDROID }));
    expect((await signInBy(key)).body).toMatchObject({ user_id: alice.id });
    const stranger = await person(service, 'bob');
    const foreign = new SoftwareAuthenticator('ES256', { origin: OTHER_APP });
    await expect(withPasskey(service, stranger, foreign)).rejects.toThrow();
    expect(await listOf(stranger)).toEqual([]);
  });

  test('only web origins are listed for browsers', async () => {
    const { body } = await service.anonymous.get('/.well-known/webauthn');
    expect(body).toEqual({ origins: [WEB] });
  });

  test.each([
    'android:apk-key-hash:',
    `android:apk-key-hash:${'A'.repeat(42)}`,
    `android:apk-key-hash:${'A'.repeat(44)}`,
    `android:apk-key-hash:${'A'.repeat(42)}B`,
    `android:apk-key-hash:${'A'.repeat(42)}=`,
    `ios:apk-key-hash:${'A'.repeat(43)}`,
    'https://gate.example/',
  ])('%s is not a valid origin', (origin) => {
    const env = { GATEHOUSE_SECRET: Buffer.alloc(48, 7).toString('base64'), WEBAUTHN_ORIGINS: `${WEB},${origin}` };
    expect(() => loadConfig(env)).toThrow(/WEBAUTHN_ORIGINS must be a list of origins or android:apk-key-hash:/);
  });
});

describe('auth.md 3: the ID of a passkey', () => {
  const ID = Buffer.from('fbefbe00'.repeat(8), 'hex');
  const forms = (id: string) => [id, `${id}=`, Buffer.from(id, 'base64url').toString('base64')];

  test('has the same bytes as unpadded base64url, padded, and in the Base64 alphabet', async () => {
    const alice = await person(service, 'alice');
    const key = new SoftwareAuthenticator('ES256', { id: ID });
    const [plain = '', padded = '', standard = ''] = forms(key.id);
    expect(new Set([plain, padded, standard]).size).toBe(3);
    await withPasskey(service, alice, Object.assign(key, { create: made(key, padded) }));
    expect(await listOf(alice)).toMatchObject([{ id: plain }]);
    for (const id of [plain, padded, standard]) {
      const answer = await signInBy(key, (response) => ({ ...response, id, rawId: id }));
      expect(answer.body).toMatchObject({ user_id: alice.id });
    }
    for (const id of [`${plain}==`, `${plain}A`, `=${plain}`, ` ${plain}`, plain.slice(1)]) {
      expectApiError(
        await signInBy(key, (response) => ({ ...response, id, rawId: id })),
        'PASSKEY_AUTHENTICATION_FAILED',
      );
    }
  });

  const made = (key: SoftwareAuthenticator, id: string) => (options: { challenge: string; user?: { id: string } }) =>
    SoftwareAuthenticator.prototype.create.call(key, options, { id });

  test.each([1, 16, 768, 1023])('of %i bytes is registered, renamed and removed', async (bytes) => {
    const alice = await person(service, 'alice');
    const key = await withPasskey(
      service,
      alice,
      new SoftwareAuthenticator('ES256', { id: Buffer.alloc(bytes, bytes) }),
    );
    expect(await listOf(alice)).toHaveLength(1);
    const proof = async () => passkeySudo(service, alice, key);
    const path = `${CREDENTIALS}/${key.id}`;
    expect((await service.as(alice).patch(path, { name: 'renamed', ...(await proof()) })).status).toBe(204);
    expect(await listOf(alice)).toMatchObject([{ id: key.id, name: 'renamed' }]);
    expect((await service.as(alice).delete(path, await proof())).status).toBe(204);
    expect(await listOf(alice)).toEqual([]);
  });
});
