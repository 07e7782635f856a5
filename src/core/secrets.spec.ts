import { randomBytes } from 'node:crypto';
import type { Config } from './config/config.js';
import { Keyring, mintFrom, mintLetters, mintSessionToken, sealFor, unsealBy } from './secrets.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Chi-square of how often each letter of `alphabet` occurs. */
function chiSquare(text: string, alphabet: string): number {
  const counts = new Map([...alphabet].map((letter) => [letter, 0]));
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? Number.NaN) + 1);
  const expected = text.length / alphabet.length;
  return [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('what is minted', () => {
  test('every letter is as likely as every other, whatever the length of the alphabet', () => {
    for (const alphabet of ['0123456789', 'ABCDEFGHJKMNPQRSTUVWXYZ23456789', LETTERS]) {
      const text = mintFrom(alphabet, 300_000);
      expect(text).toHaveLength(300_000);
      // Of fair draws fewer than one in a thousand million is beyond this; a bias of one part in 256 is far beyond it.
      expect(chiSquare(text, alphabet)).toBeLessThan(alphabet.length + 11 * Math.sqrt(2 * alphabet.length));
    }
  });

  test('session tokens have their form and do not repeat', () => {
    const tokens = new Set(Array.from({ length: 20_000 }, mintSessionToken));
    expect(tokens.size).toBe(20_000);
    for (const token of tokens) expect(token).toMatch(/^flx_[A-Za-z0-9]{36}$/);
    expect(mintLetters(64)).toMatch(/^[A-Za-z0-9]{64}$/);
  });
});

describe('what is sealed', () => {
  const keyring = (secret: Buffer, secretPrevious?: Buffer) => new Keyring({ secret, secretPrevious } as Config);
  const [old, current] = [randomBytes(32), randomBytes(32)];

  test('opens for its key, purpose and context only, and never when it was changed', () => {
    const ring = keyring(current);
    const box = ring.encrypt('totp', 'a secret', '7');
    expect(ring.decrypt('totp', box, '7')).toBe('a secret');
    expect(ring.encrypt('totp', 'a secret', '7')).not.toEqual(box);
    expect(box.toString('latin1')).not.toContain('a secret');
    expect(() => ring.decrypt('totp', box, '8')).toThrow();
    expect(() => ring.decrypt('outbox', box, '7')).toThrow();
    expect(() => keyring(old).decrypt('totp', box, '7')).toThrow();
    for (let byte = 0; byte < box.length; byte++) {
      const changed = Buffer.from(box);
      changed[byte] = (changed[byte] as number) ^ 1;
      expect(() => ring.decrypt('totp', changed, '7')).toThrow();
      expect(() => ring.decrypt('totp', box.subarray(0, byte), '7')).toThrow();
    }
  });

  test('of before a rotation it opens while both secrets are set, and is renewed once', () => {
    const box = keyring(old).encrypt('totp', 'a secret', '7');
    const both = keyring(current, old);
    expect(both.decrypt('totp', box, '7')).toBe('a secret');
    const renewed = both.renew('totp', box, '7') as Buffer;
    expect(keyring(current).decrypt('totp', renewed, '7')).toBe('a secret');
    expect(both.renew('totp', renewed, '7')).toBeNull();
    expect(() => keyring(current).renew('totp', box, '7')).toThrow();
  });

  test('for a holder it opens by what the holder has', () => {
    const box = sealFor('ticket', 'ip-session', 'a token');
    expect(unsealBy('ticket', 'ip-session', box)).toBe('a token');
    expect(() => unsealBy('another', 'ip-session', box)).toThrow();
    expect(() => unsealBy('ticket', 'other', box)).toThrow();
  });
});
