import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { type Claims, readCapability, signCapability } from './capability.js';

const secret = new Uint8Array(32);
const claims: Claims = { b: 'uploads', k: 'abc', m: 'put', ct: 'image/png', mb: 10, e: 1780000000 };
const T =
  'eyJiIjoidXBsb2FkcyIsImsiOiJhYmMiLCJtIjoicHV0IiwiY3QiOiJpbWFnZS9wbmciLCJtYiI6MTAsImUiOjE3ODAwMDAwMDB9.-_G8FbwgR6EirjBG_wiwbEgaYDrks-bnU9KSaHk5bIA';
const REUSABLE =
  'eyJiIjoidXBsb2FkcyIsImsiOiJhYmMiLCJtIjoicHV0IiwiY3QiOiJpbWFnZS9wbmciLCJtYiI6MTAsImUiOjE3ODAwMDAwMDAsInIiOnRydWV9.gmNOT__H9Jl3cZxfh8dEqZBHo5LeSDAlbY3Iu1i3Xo8';

/** Signs arbitrary bytes with the secret. */
function signed(bytes: Uint8Array): string {
  const half = Buffer.from(bytes).toString('base64url');
  return `${half}.${createHmac('sha256', secret).update(half).digest('base64url')}`;
}

describe('media.md 4.1 relay capability', () => {
  test('the vectors are valid in both directions', () => {
    expect(signCapability(secret, claims)).toBe(T);
    expect(signCapability(secret, { ...claims, r: true })).toBe(REUSABLE);
    expect(readCapability([secret], T)).toEqual(claims);
    expect(readCapability([secret], REUSABLE)).toEqual({ ...claims, r: true });
  });

  test('the first secret signs, all verify, and no other does', () => {
    const next = new Uint8Array(32).fill(7);
    expect(readCapability([next, secret], T)).toEqual(claims);
    expect(readCapability([next], T)).toBeNull();
    expect(readCapability([], T)).toBeNull();
  });

  test('no changed character and no other spelling of the same bytes is accepted', () => {
    fc.assert(
      fc.property(fc.nat(T.length - 1), fc.constantFrom(...'ABab01-_=.+/ '), (at, character) => {
        fc.pre(T[at] !== character);
        expect(readCapability([secret], T.slice(0, at) + character + T.slice(at + 1))).toBeNull();
      }),
    );
    for (const other of [`${T}=`, ` ${T}`, `${T}.`, T.replace('.', '..'), T.slice(0, -1), '', '.', `${T}A`]) {
      expect(readCapability([secret], other)).toBeNull();
    }
  });

  test.each<[string, object]>([
    ['another claim', { x: 1 }],
    ['a bucket that is no text', { b: 1 }],
    ['a key that is no text', { k: 1 }],
    ['a method that is no text', { m: 1 }],
    ['a size that is no number', { mb: '10' }],
    ['a size of zero', { mb: 0 }],
    ['a fraction', { mb: 1.5 }],
    ['an expiry that is text', { e: '1780000000' }],
    ['a type that is null', { ct: null }],
    ['a flag that is a number', { r: 1 }],
    ['a claim named __proto__', JSON.parse('{"__proto__": 1}')],
  ])('%s invalidates it', (_, change) => {
    const payload = Object.defineProperties({ ...claims }, Object.getOwnPropertyDescriptors(change)) as Claims;
    expect(readCapability([secret], signCapability(secret, payload))).toBeNull();
  });

  test('more than 4096 characters are rejected without a check', () => {
    expect(readCapability([secret], signCapability(secret, { ...claims, ct: 'x'.repeat(4000) }))).toBeNull();
    const spare = 3039 - JSON.stringify({ ...claims, ct: '' }).length;
    const longest = { ...claims, ct: 'x'.repeat(spare) };
    expect(signCapability(secret, longest)).toHaveLength(4096);
    expect(readCapability([secret], signCapability(secret, longest))).toEqual(longest);
  });

  test('a type may be omitted, and a size of one byte is valid', () => {
    const { ct: _, ...untyped } = claims;
    for (const right of [untyped, { ...claims, mb: 1 }])
      expect(readCapability([secret], signCapability(secret, right))).toEqual(right);
  });

  test.each(['null', '5', '""', '"text"', '[]', '[1]', 'true', '{}', 'no JSON', ''])(
    'signed values that are not claims are rejected: %s',
    (text) => expect(readCapability([secret], signed(Buffer.from(text)))).toBeNull(),
  );

  test('bytes that are not UTF-8 are not read as other text', () => {
    const text = JSON.stringify({ ...claims, k: 'a?c' });
    expect(readCapability([secret], signed(Buffer.from(text)))).toEqual({ ...claims, k: 'a?c' });
    const bytes = Buffer.from(text);
    bytes[text.indexOf('?')] = 0xff;
    expect(readCapability([secret], signed(bytes))).toBeNull();
  });
});
