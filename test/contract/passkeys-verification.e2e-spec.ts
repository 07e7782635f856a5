import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { longestHold } from '../support/cpu-time.js';
import {
  coseOf,
  expectApiError,
  expectInvalid,
  type Flaws,
  type Gatehouse,
  gatehouse,
  type Persona,
  passkeySudo,
  person,
  race,
  SoftwareAuthenticator,
  withPasskey,
} from '../support/index.js';

const BASE = '/v1/users/@me/mfa/webauthn/credentials';

let service: Gatehouse;
let alice: Persona;
let mallory: Persona;
let key: SoftwareAuthenticator;
let other: SoftwareAuthenticator;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  mallory = await person(service, 'mallory');
  key = await withPasskey(service, alice);
  other = await withPasskey(service, mallory);
});
afterAll(() => service.close());

const optionsOf = async () => (await service.anonymous.post('/v1/auth/webauthn/authentication-options')).body;

const authenticate = (response: unknown, challenge: string) =>
  service.anonymous.post('/v1/auth/webauthn/authenticate', { response, challenge });

const stored = async () => {
  const [row] = await service.sql('SELECT counter, last_used_at FROM passkey WHERE id = $1', [key.id]);
  return { counter: Number(row?.counter), usedAt: row?.last_used_at as Date | null };
};

const sessionsOf = async (persona: Persona) =>
  (await service.sql('SELECT 1 FROM session WHERE account_id = $1', [persona.id])).length;

/** Sets a flag in the authenticator data without adding the data that the flag announces. */
const withFlag = (bit: number) => (data: Buffer) => {
  const copy = Buffer.from(data);
  copy[32] = (copy[32] as number) | (1 << bit);
  return copy;
};

const assertionFlaws: [string, () => Flaws][] = [
  ['another type', () => ({ type: 'webauthn.create' })],
  ['another challenge', () => ({ challenge: randomBytes(32).toString('base64url') })],
  ['a padded challenge', () => ({ clientData: { challenge: 'x=' } })],
  ['another origin', () => ({ origin: 'https://evil.example' })],
  ['the origin with a slash', () => ({ origin: 'http://localhost:8080/' })],
  ['the origin of another port', () => ({ origin: 'http://localhost:8081' })],
  ['a cross-origin frame', () => ({ crossOrigin: true })],
  ['a cross-origin value that is no boolean', () => ({ clientData: { crossOrigin: 'true' } })],
  ['a top origin', () => ({ topOrigin: 'https://evil.example' })],
  ['a cross-origin frame and a top origin', () => ({ crossOrigin: true, topOrigin: 'http://localhost:8080' })],
  ['the relying party id of another domain', () => ({ rpId: 'evil.example' })],
  ['the relying party id of a subdomain', () => ({ rpId: 'www.localhost' })],
  ['no user presence', () => ({ up: false })],
  ['no user verification', () => ({ uv: false })],
  ['a backup state without eligibility', () => ({ bs: true })],
  ['a backup eligibility that was not there at registration', () => ({ be: true })],
  ['36 bytes of authenticator data', () => ({ authenticatorData: (data) => data.subarray(0, 36) })],
  ['38 bytes of authenticator data', () => ({ authenticatorData: (data) => Buffer.concat([data, Buffer.of(0)]) })],
  ['attested data that is announced and missing', () => ({ authenticatorData: withFlag(6) })],
  ['extension data that is announced and missing', () => ({ authenticatorData: withFlag(7) })],
  ['the signature of another key', () => ({ signature: (_, signed) => other.sign(signed) })],
  ['a signature over other bytes', () => ({ signature: () => key.sign(Buffer.from('other bytes')) })],
  ['a signature as bare numbers', () => ({ signature: (_, signed) => key.signBare(signed) })],
  ['a signature cut short', () => ({ signature: (right) => right.subarray(0, -1) })],
  ['a signature of zeros', () => ({ signature: (right) => Buffer.alloc(right.length) })],
  ['a signature of r = s = 0', () => ({ signature: () => Buffer.from('3006020100020100', 'hex') })],
  ['no signature', () => ({ signature: () => Buffer.alloc(0) })],
  ['no user handle', () => ({ userHandle: null })],
  ['the user handle of another account', () => ({ userHandle: other.userHandle })],
  ['a user handle of 65 bytes', () => ({ userHandle: randomBytes(65).toString('base64url') })],
  ['an unknown credential id', () => ({ id: randomBytes(32).toString('base64url') })],
  ['the credential id of another account', () => ({ id: other.id })],
  ['two different ids', () => ({ rawId: other.id })],
  ['an empty id', () => ({ id: '' })],
  ['another credential type', () => ({ credentialType: 'password' })],
  ['client data that is no JSON', () => ({ clientData: 'hello' })],
  ['client data that is null', () => ({ clientData: 'null' })],
  ['client data of invalid UTF-8', () => ({ clientData: Buffer.from([0x7b, 0xff, 0x7d]) })],
  ['client data of 100 KB', () => ({ clientData: { padding: 'x'.repeat(100_000) } })],
  ['a forbidden key in the client data', () => ({ clientData: JSON.parse('{"__proto__": {"type": "webauthn.get"}}') })],
];

describe('auth.md section 3 verification of an assertion', () => {
  test.each(assertionFlaws)('an assertion with %s is rejected and consumes its challenge', async (_, flaws) => {
    const before = await stored();
    const sessions = await sessionsOf(alice);
    const options = await optionsOf();
    expectApiError(await authenticate(key.get(options, flaws()), options.challenge), 'PASSKEY_AUTHENTICATION_FAILED');
    expect(await stored()).toEqual(before);
    expect(await sessionsOf(alice)).toBe(sessions);
    expectApiError(await authenticate(key.get(options), options.challenge), 'PASSKEY_AUTHENTICATION_FAILED');
  });

  test('a duplicate member in the client data is rejected', async () => {
    const options = await optionsOf();
    const text = `{"type":"webauthn.get","challenge":"${options.challenge}","origin":"https://evil.example","origin":"http://localhost:8080","crossOrigin":false}`;
    const response = key.get(options, { clientData: text });
    expectApiError(await authenticate(response, options.challenge), 'PASSKEY_AUTHENTICATION_FAILED');
  });

  test('unknown members and a byte order mark in the client data are ignored', async () => {
    const [first, second] = [await optionsOf(), await optionsOf()];
    const extra = {
      other_keys_can_be_added_here: 'do not compare clientDataJSON against a template',
      nested: { list: [1] },
    };
    const plain = key.get(first, { clientData: extra });
    expect((await authenticate(plain, first.challenge)).status).toBe(200);
    const text = JSON.stringify({ type: 'webauthn.get', challenge: second.challenge, origin: key.origin });
    const marked = key.get(second, { clientData: Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(text)]) });
    expect((await authenticate(marked, second.challenge)).status).toBe(200);
  });

  test.each([
    ['an empty object', {}],
    ['members of the wrong type', { id: 1, rawId: [], response: 'x', type: {} }],
    ['no inner response', { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }],
    [
      'inner members of the wrong type',
      { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: { clientDataJSON: 7 } },
    ],
  ])('a response with %s is a failed assertion', async (_, response) => {
    const { challenge } = await optionsOf();
    expectApiError(await authenticate(response, challenge), 'PASSKEY_AUTHENTICATION_FAILED');
  });

  test('only an object is accepted as a response, and the challenge has 1 to 1024 characters', async () => {
    const { challenge } = await optionsOf();
    for (const response of [null, [], 'x', 1]) {
      expectInvalid(await authenticate(response, challenge), 'response: INVALID_FORMAT');
    }
    expectInvalid(await authenticate({}, ''), 'challenge: INVALID_FORMAT');
    expectInvalid(await authenticate({}, 'x'.repeat(1025)), 'challenge: CONTENT_EXCEEDS_MAX_LENGTH');
    const options = { challenge };
    expect((await authenticate(key.get(options), challenge)).status).toBe(200);
  });

  test('a challenge that is expired, of another purpose or never issued is rejected', async () => {
    const { body: sudo } = await service.as(alice).post('/v1/users/@me/sudo/webauthn/authentication-options');
    const registration = await service
      .as(alice)
      .post(`${BASE}/registration-options`, await passkeySudo(service, alice, key));
    const expired = await optionsOf();
    await service.sql("UPDATE one_time_secret SET expires_at = now() WHERE purpose = 'webauthn-login'");
    const invented = randomBytes(32).toString('base64url');
    for (const challenge of [sudo.challenge, registration.body.challenge, expired.challenge, invented]) {
      const response = key.get({ challenge });
      expectApiError(await authenticate(response, challenge), 'PASSKEY_AUTHENTICATION_FAILED');
    }
  });

  test('a challenge expires after five minutes by the clock of the database', async () => {
    const options = await optionsOf();
    const [row] = await service.sql(
      "SELECT extract(epoch FROM expires_at - now()) AS left FROM one_time_secret WHERE purpose = 'webauthn-login' ORDER BY created_at DESC LIMIT 1",
    );
    expect(Number(row?.left)).toBeGreaterThan(295);
    expect(Number(row?.left)).toBeLessThanOrEqual(300);
    service.clock.advance({ minutes: 6 });
    expect((await authenticate(key.get(options), options.challenge)).status).toBe(200);
  });

  test('of 32 parallel sign-ins with one assertion, exactly one gets a session', async () => {
    const options = await optionsOf();
    const response = key.get(options);
    const before = await sessionsOf(alice);
    const { responses } = await race(32, () => authenticate(response, options.challenge));
    const lost = responses.filter(({ status }) => status !== 200);
    expect(lost).toHaveLength(31);
    for (const answer of lost) expectApiError(answer, 'PASSKEY_AUTHENTICATION_FAILED');
    expect(await sessionsOf(alice)).toBe(before + 1);
  });
});

describe('auth.md section 3 the signature counter', () => {
  const use = async (counter: number) => {
    const options = await optionsOf();
    return authenticate(key.get(options, { counter }), options.challenge);
  };

  test('the counter must strictly increase: equal, smaller and zero values are rejected and change nothing', async () => {
    const { counter } = await stored();
    expect((await use(counter + 5)).status).toBe(200);
    for (const wrong of [counter + 5, counter + 4, 0]) {
      expectApiError(await use(wrong), 'PASSKEY_AUTHENTICATION_FAILED');
      expect((await stored()).counter).toBe(counter + 5);
    }
    expect((await use(counter + 6)).status).toBe(200);
  });

  test('parallel assertions never decrease the counter, and one value is accepted once', async () => {
    const { counter } = await stored();
    const responses = await Promise.all([3, 1, 2, 3, 2, 3].map((step) => use(counter + step)));
    const won = responses.filter(({ status }) => status === 200);
    expect(won.length).toBeGreaterThanOrEqual(1);
    expect(won.length).toBeLessThanOrEqual(3);
    for (const response of responses)
      if (response.status !== 200) expectApiError(response, 'PASSKEY_AUTHENTICATION_FAILED');
    expect((await stored()).counter).toBe(counter + 3);
  });

  test('the largest counter of 32 bits is accepted', async () => {
    expect((await use(2 ** 32 - 1)).status).toBe(200);
    expect((await stored()).counter).toBe(2 ** 32 - 1);
    await service.sql('UPDATE passkey SET counter = 10 WHERE id = $1', [key.id]);
    key.counter = 10;
  });

  test('an authenticator without a counter may report 0 every time', async () => {
    const still = await withPasskey(
      service,
      alice,
      new SoftwareAuthenticator('ES256', { counts: false }),
      await passkeySudo(service, alice, key),
    );
    for (let i = 0; i < 2; i++) {
      const options = await optionsOf();
      expect((await authenticate(still.get(options), options.challenge)).status).toBe(200);
    }
  });

  test('a backup-eligible passkey stays eligible', async () => {
    const synced = new SoftwareAuthenticator();
    const proof = await passkeySudo(service, alice, key);
    const { body } = await service.as(alice).post(`${BASE}/registration-options`, proof);
    const response = synced.create(body, { be: true, bs: true });
    const { challenge } = body;
    expect((await service.as(alice).post(BASE, { response, challenge, name: 'synced' })).status).toBe(204);
    const first = await optionsOf();
    expectApiError(await authenticate(synced.get(first), first.challenge), 'PASSKEY_AUTHENTICATION_FAILED');
    const second = await optionsOf();
    expect((await authenticate(synced.get(second, { be: true }), second.challenge)).status).toBe(200);
  });
});

const cose = (entries: [number, unknown][]): Map<number, unknown> => new Map(entries);
const rsaKey = (modulusLength: number, publicExponent = 65537) =>
  coseOf(generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey);
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const nested = (depth: number) => Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.of(0x00)]);

/** The valid key of the authenticator with some entries replaced. */
const changed = (authenticator: SoftwareAuthenticator, entries: [number, unknown][]) =>
  cose([...authenticator.publicKey, ...entries]);

const registrationFlaws: [string, (authenticator: SoftwareAuthenticator) => Flaws][] = [
  ['another type', () => ({ type: 'webauthn.get' })],
  ['another challenge', () => ({ challenge: randomBytes(32).toString('base64url') })],
  ['another origin', () => ({ origin: 'https://evil.example' })],
  ['a cross-origin frame', () => ({ crossOrigin: true })],
  ['a top origin', () => ({ topOrigin: 'https://evil.example' })],
  ['the relying party id of another domain', () => ({ rpId: 'evil.example' })],
  ['no user presence', () => ({ up: false })],
  ['a backup state without eligibility', () => ({ bs: true })],
  ['another credential type', () => ({ credentialType: 'password' })],
  ['an id that is not the attested one', () => ({ id: randomBytes(32).toString('base64url') })],
  ['two different ids', () => ({ rawId: randomBytes(32).toString('base64url') })],
  ['a credential id of 1024 bytes', () => ({ credentialId: randomBytes(1024) })],
  ['an empty credential id', () => ({ credentialId: Buffer.alloc(0) })],
  ['the algorithm RS1', () => ({ publicKey: cose([...rsaKey(2048), [3, -65535]]) })],
  [
    'the algorithm HS256',
    () => ({
      publicKey: cose([
        [1, 4],
        [3, 5],
        [-1, bytes('00'.repeat(32))],
      ]),
    }),
  ],
  [
    'the algorithm ES256K',
    (a) => ({
      publicKey: changed(a, [
        [3, -47],
        [-1, 8],
      ]),
    }),
  ],
  [
    'the algorithm ES384',
    (a) => ({
      publicKey: changed(a, [
        [3, -35],
        [-1, 2],
      ]),
    }),
  ],
  ['an algorithm of another key type', (a) => ({ publicKey: changed(a, [[3, -257]]) })],
  ['ES256 on another curve', (a) => ({ publicKey: changed(a, [[-1, 2]]) })],
  ['a point that is not on the curve', (a) => ({ publicKey: changed(a, [[-3, bytes('11'.repeat(32))]]) })],
  [
    'a point of zeros',
    (a) => ({
      publicKey: changed(a, [
        [-2, bytes('00'.repeat(32))],
        [-3, bytes('00'.repeat(32))],
      ]),
    }),
  ],
  ['a coordinate of 33 bytes', (a) => ({ publicKey: changed(a, [[-2, bytes('01'.repeat(33))]]) })],
  ['a missing coordinate', (a) => ({ publicKey: cose([...a.publicKey].slice(0, 4)) })],
  ['an RSA key of 1024 bits', () => ({ publicKey: rsaKey(1024) })],
  ['an RSA exponent of 3', () => ({ publicKey: rsaKey(2048, 3) })],
  ['an RSA exponent of 1', () => ({ publicKey: cose([...rsaKey(2048), [-2, bytes('01')]]) })],
  [
    'an RSA modulus of 16384 bits',
    () => ({ publicKey: cose([...rsaKey(2048), [-1, bytes(`80${'01'.repeat(2047)}`)]]) }),
  ],
  [
    'an Ed25519 point of small order',
    () => ({
      publicKey: cose([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, bytes('00'.repeat(32))],
      ]),
    }),
  ],
  [
    'an Ed25519 key on another curve',
    () => ({
      publicKey: cose([
        [1, 1],
        [3, -8],
        [-1, 7],
        [-2, bytes('09'.repeat(32))],
      ]),
    }),
  ],
  ['a key that is no map', () => ({ publicKey: [1, 2, 3] as never })],
  ['a none attestation with a statement', () => ({ statement: new Map([['sig', bytes('00')]]) })],
  ['an unknown format', () => ({ format: 'acme' })],
  [
    'a packed self attestation that does not fit',
    () => ({
      format: 'packed',
      statement: new Map<string, unknown>([
        ['alg', -7],
        ['sig', bytes('00')],
      ]),
    }),
  ],
  [
    'a packed attestation with a certificate',
    () => ({
      format: 'packed',
      statement: new Map<string, unknown>([
        ['alg', -7],
        ['sig', bytes('00')],
        ['x5c', [bytes('3000')]],
      ]),
    }),
  ],
  [
    'an attestation of an Android device',
    () => ({ format: 'android-key', statement: new Map<string, unknown>([['x5c', [bytes('3000')]]]) }),
  ],
  ['an attestation of a TPM', () => ({ format: 'tpm', statement: new Map() })],
  ['an attestation object cut short', () => ({ attestationObject: (right) => right.subarray(0, -5) })],
  ['an attestation object of nested arrays', () => ({ attestationObject: () => nested(10_000) })],
  [
    'an attestation object that announces 2^60 bytes',
    () => ({ attestationObject: () => Buffer.from('5b1000000000000000', 'hex') }),
  ],
  [
    'an attestation object of indefinite length',
    () => ({ attestationObject: (right) => Buffer.concat([Buffer.of(0xbf), right.subarray(1), Buffer.of(0xff)]) }),
  ],
  [
    'a key twice in the attestation object',
    () => ({
      attestationObject: (right) =>
        Buffer.concat([
          Buffer.of(0xa4),
          right.subarray(1),
          Buffer.from(isoCBOR.encode('fmt')),
          Buffer.from(isoCBOR.encode('none')),
        ]),
    }),
  ],
  ['an attestation object that is a number', () => ({ attestationObject: () => Buffer.of(0x07) })],
  ['an attestation object of 100 KB', () => ({ attestationObject: () => Buffer.alloc(100_000, 0x81) })],
  [
    'authenticator data with something behind it',
    () => ({ authenticatorData: (data) => Buffer.concat([data, Buffer.of(0)]) }),
  ],
  [
    'authenticator data of 37 bytes without attested data',
    () => ({
      authenticatorData: (data) => {
        const copy = Buffer.from(data.subarray(0, 37));
        copy[32] = 0x05;
        return copy;
      },
    }),
  ],
];

describe('account.md 6.3 verification of a registration', () => {
  test.each(registrationFlaws)('a registration with %s is rejected', async (_, flaws) => {
    const { body } = await service
      .as(alice)
      .post(`${BASE}/registration-options`, await passkeySudo(service, alice, key));
    const fresh = new SoftwareAuthenticator();
    const response = fresh.create(body, flaws(fresh));
    const before = (await service.as(alice).get(BASE)).body;
    const held = await longestHold(async () => {
      const answer = await service.as(alice).post(BASE, { response, challenge: body.challenge, name: 'key' });
      expectApiError(answer, 'INVALID_WEBAUTHN_CREDENTIAL');
    });
    expect(held).toBeLessThan(1000);
    expect((await service.as(alice).get(BASE)).body).toEqual(before);
  });

  test('a credential ID of 1023 bytes and a packed self attestation are accepted', async () => {
    const bob = await person(service, 'bob');
    const long = await withPasskey(service, bob, new SoftwareAuthenticator('ES256', { id: randomBytes(1023) }));
    const listed = await service.as(bob).get(BASE);
    expect(listed.body).toHaveLength(1);
    const path = `${BASE}/${long.id}`;
    expectApiError(await service.as(bob).delete(path), 'SUDO_MODE_REQUIRED');
  });
});
