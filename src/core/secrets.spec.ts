import { randomBytes } from 'node:crypto';
import type { Config } from './config/config.js';
import {
  digest,
  equalsInConstantTime,
  Keyring,
  mintFrom,
  mintSessionToken,
  mintToken,
  randomLetters,
  SESSION_TOKEN,
  sealWithSecret,
  TOKEN,
  tokenChecksum,
  unsealWithSecret,
} from './secrets.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Chi-square of how often each letter of `alphabet` occurs. */
function chiSquare(text: string, alphabet: string): number {
  const counts = new Map([...alphabet].map((letter) => [letter, 0]));
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? Number.NaN) + 1);
  const expected = text.length / alphabet.length;
  return [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('generated secrets', () => {
  test('every character is equally likely, with any alphabet', () => {
    for (const alphabet of ['0123456789', 'ABCDEFGHJKMNPQRSTUVWXYZ23456789', LETTERS]) {
      const text = mintFrom(alphabet, 300_000);
      expect(text).toHaveLength(300_000);
      // Fair draws exceed this in fewer than one in a billion runs. A bias of one part in 256 exceeds it by far.
      expect(chiSquare(text, alphabet)).toBeLessThan(alphabet.length + 11 * Math.sqrt(2 * alphabet.length));
    }
  });

  test('session tokens have their form and do not repeat', () => {
    const tokens = new Set(Array.from({ length: 20_000 }, mintSessionToken));
    expect(tokens.size).toBe(20_000);
    for (const token of tokens) expect(token).toMatch(/^flx_[A-Za-z0-9]{36}$/);
    expect(randomLetters(64)).toMatch(/^[A-Za-z0-9]{64}$/);
  });

  test('a session token ends with a checksum of its other characters, four digits from its CRC-32', () => {
    // The check value of CRC-32 is cbf43926.
    expect(tokenChecksum('123456789')).toBe('ZRME');
    const token = mintSessionToken();
    expect(tokenChecksum(token.slice(0, -4))).toBe(token.slice(-4));
  });

  test('other tokens are 32 bytes', () => {
    const tokens = new Set(Array.from({ length: 1000 }, mintToken));
    expect(tokens.size).toBe(1000);
    for (const token of tokens) {
      expect(token).toMatch(TOKEN);
      expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    }
  });

  test.each([
    [SESSION_TOKEN, mintSessionToken()],
    [TOKEN, mintToken()],
  ])('only the exact form matches %s', (form, token) => {
    expect(form.test(token)).toBe(true);
    const others = [
      `x${token}`,
      `${token}x`,
      `${token}\n`,
      token.slice(0, -1),
      `${token.slice(0, -1)}.`,
      token.slice(0, 5),
    ];
    for (const other of others) expect(form.test(other)).toBe(false);
  });
});

describe('comparison of secrets', () => {
  test('a digest is SHA-256 (FIPS 180-4, "abc")', () => {
    const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(digest('abc').toString('hex')).toBe(expected);
  });

  test('bytes match only equal bytes of the same length', () => {
    expect(equalsInConstantTime(Buffer.from('abc'), Buffer.from('abc'))).toBe(true);
    for (const other of ['abd', 'ab', 'abcd', ''])
      expect(equalsInConstantTime(Buffer.from('abc'), Buffer.from(other))).toBe(false);
  });
});

describe('encrypted values', () => {
  const keyring = (secret: Buffer, secretPrevious?: Buffer) => new Keyring({ secret, secretPrevious } as Config);
  const [old, current] = [randomBytes(32), randomBytes(32)];

  test('can be decrypted only with the same key, purpose and context, and unchanged', () => {
    const ring = keyring(current);
    const box = ring.encrypt('totp', 'a secret', '7');
    expect(ring.decrypt('totp', box, '7')).toBe('a secret');
    expect(ring.encrypt('totp', 'a secret', '7')).not.toEqual(box);
    expect(box.toString('latin1')).not.toContain('a secret');
    expect(() => ring.decrypt('totp', box, '8')).toThrow();
    expect(() => ring.decrypt('outbox', box, '7')).toThrow();
    expect(() => keyring(old).decrypt('totp', box, '7')).toThrow('No key decrypts this totp');
    for (let byte = 0; byte < box.length; byte++) {
      const changed = Buffer.from(box);
      changed[byte] = (changed[byte] as number) ^ 1;
      expect(() => ring.decrypt('totp', changed, '7')).toThrow();
      expect(() => ring.decrypt('totp', box.subarray(0, byte), '7')).toThrow();
    }
  });

  test('from before a rotation can be decrypted while both secrets are set, and are renewed once', () => {
    const box = keyring(old).encrypt('totp', 'a secret', '7');
    const both = keyring(current, old);
    expect(both.decrypt('totp', box, '7')).toBe('a secret');
    const renewed = both.renew('totp', box, '7') as Buffer;
    expect(keyring(current).decrypt('totp', renewed, '7')).toBe('a secret');
    expect(both.renew('totp', renewed, '7')).toBeNull();
    expect(() => keyring(current).renew('totp', box, '7')).toThrow();
  });

  test('can be decrypted by every later version', () => {
    const ring = keyring(Buffer.alloc(32, 7));
    const box = 'W3NIM2D1WvVSCUcAiW3lRh-Z_laiJUuOPv7oen_BN6YYezdY5cE0gQ';
    expect(ring.decrypt('totp', Buffer.from(box, 'base64url'), '7')).toBe('a secret');
    expect(unsealWithSecret('ticket', 'ip-session', '0UyAFWC26ZKiwD4UeTRobQLCezw9xY7A7uebHBEB9Tfy_-vd')).toBe(
      'a tokén',
    );
  });

  test('a key is derived once for each purpose, from each configured secret', () => {
    const ring = keyring(current);
    expect(ring.keys('totp')).toHaveLength(1);
    expect(ring.keys('totp')).toBe(ring.keys('totp'));
    expect(
      keyring(current, old)
        .keys('totp')
        .map(({ id }) => id),
    ).toEqual([ring.signing('totp').id, keyring(old).signing('totp').id]);
  });

  test('for a holder of a token can be decrypted with the token', () => {
    const box = sealWithSecret('ticket', 'ip-session', 'a token');
    expect(unsealWithSecret('ticket', 'ip-session', box)).toBe('a token');
    expect(() => unsealWithSecret('another', 'ip-session', box)).toThrow();
    expect(() => unsealWithSecret('ticket', 'other', box)).toThrow();
  });
});
