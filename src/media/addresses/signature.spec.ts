import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { isSignedBy, opaqueTarget, signatureOf, splitExpiry, urlOfTarget } from './signature.js';

const URL_TEXT = 'https://images.example.com/a%20b.png?x=1';
const OPAQUE = 'v2/aHR0cHM6Ly9pbWFnZXMuZXhhbXBsZS5jb20vYSUyMGIucG5nP3g9MQ';
const SEGMENTED = '%3Fx%3D1/https/images.example.com/a%20b.png';

describe('media.md 5.1 external signature', () => {
  test('the vectors are valid', () => {
    expect(opaqueTarget(URL_TEXT)).toBe(OPAQUE);
    expect(signatureOf('test-secret', OPAQUE)).toBe('dRAT_Zzjb_NOvIA7ohusazq6_xxpJ-og9LSKKu9T6jU');
    expect(signatureOf('test-secret', SEGMENTED)).toBe('fw_GkwEykAFjO6RIkCxcBHWYtkGfHe0FuRrAp06ouoc');
    expect(signatureOf('test-secret', `e/1780000000/${OPAQUE}`)).toBe('A5B8CzHcEs6A8PZTAiUJ0fLhEBblvLEF9mZ-xtWoiQs');
    expect(signatureOf('next-secret', OPAQUE)).toBe('28gqfbxz0q-xjpKVhCt6JLB1KfHhc5xtbYWQJVcGFDU');
  });

  test('the bytes of the path are signed', () => {
    const expected = createHmac('sha256', 's').update(Buffer.of(0x61, 0xe9)).digest('base64url');
    expect(signatureOf('s', 'a\u00e9')).toBe(expected);
  });

  test.each([
    ['https/host', 'https://host/'],
    ['https/host/a', 'https://host/a'],
    ['http/host/a/b', 'http://host/a/b'],
    ['%3fx%3D1%26y/http/host:81/a/', 'http://host:81/a/?x=1&y'],
  ])('the segments %s represent %s', (target, url) => expect(urlOfTarget(target)).toBe(url));

  test('both forms of a target represent one URL', () => {
    expect(urlOfTarget(OPAQUE)).toBe(URL_TEXT);
    expect(urlOfTarget(SEGMENTED)).toBe(URL_TEXT);
  });

  test('any secret of the list verifies, and only bytes that one of them signed', () => {
    const signature = signatureOf('test-secret', OPAQUE);
    expect(isSignedBy(['next-secret', 'test-secret'], signature, OPAQUE)).toBe(true);
    expect(isSignedBy(['next-secret'], signature, OPAQUE)).toBe(false);
    for (const other of [
      '',
      signature.slice(0, 42),
      `${signature}=`,
      signature.toUpperCase(),
      `${signature}${signature}`,
    ]) {
      expect(isSignedBy(['test-secret'], other, OPAQUE)).toBe(false);
    }
  });

  test('no other target has the signature of a target', () => {
    const signature = signatureOf('test-secret', OPAQUE);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 80 }), (other) => {
        fc.pre(other !== OPAQUE);
        expect(isSignedBy(['test-secret'], signature, other)).toBe(false);
      }),
    );
  });

  test('the expiry is signed and can be neither changed nor removed', () => {
    const signed = `e/1780000000/${OPAQUE}`;
    const signature = signatureOf('test-secret', signed);
    expect(splitExpiry(signed)).toEqual({ target: OPAQUE, expires: 1780000000 });
    expect(splitExpiry(OPAQUE)).toEqual({ target: OPAQUE, expires: null });
    for (const other of [OPAQUE, `e/1780000001/${OPAQUE}`, `e/01780000000/${OPAQUE}`, `e//${OPAQUE}`]) {
      expect(isSignedBy(['test-secret'], signature, other)).toBe(false);
    }
    for (const malformed of [
      'e/',
      'e/1780000000',
      'e/01/x',
      'e/-1/x',
      'e/1e9/x',
      'e/123456789012/x',
      'e//x',
      'e/+1/x',
    ]) {
      expect(splitExpiry(malformed)).toBeNull();
    }
  });

  test.each([
    'v2/',
    'v2/====',
    'v2/a',
    'v2/_w',
    'v2/aHR0 ',
    'http',
    'ftp/host/a',
    'https//a',
    '%3F%/https/host/a',
    'x%3F1/https/host/a',
    '',
  ])('%j is not a target', (target) => expect(urlOfTarget(target)).toBeNull());
});
