import fc from 'fast-check';
import { decodeOnce, isKey, plainFilename, rawPath, urlPath } from './keys.js';

describe('media.md section 2, key rule', () => {
  test.each(['a', 'a/b/c.png', '1/2/über.txt', '...', 'a/..b', 'a b', '%2e%2e', 'a:b', 'C:'])('%j is a key', (key) =>
    expect(isKey(key)).toBe(true),
  );

  test.each([
    ...['', '/a', 'a/', 'a//b', '.', '..', 'a/../b', 'a/.', './a', 'a\\b', '..\\a', 'a\u0000', 'a\u001fb', 'a\u0085'],
    'x'.repeat(1025),
    'ü'.repeat(513),
  ])('%j is not a key', (key) => expect(isKey(key)).toBe(false));

  test('a path is decoded exactly once', () => {
    expect(decodeOnce('a%2fb')).toBe('a/b');
    expect(decodeOnce('%252e%252e')).toBe('%2e%2e');
    expect(decodeOnce('%c3%bc')).toBe('ü');
    for (const bad of ['%', '%2', '%zz', '%ff', '%c0%ae', '%ed%a0%80']) expect(decodeOnce(bad)).toBeNull();
  });

  test('every key is unchanged after encoding in a URL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (key) => {
        fc.pre(isKey(key));
        expect(decodeOnce(rawPath(`/media/attachments/${urlPath(key)}?width=1`, '/media/attachments/'))).toBe(key);
      }),
    );
  });
});

describe('media.md section 3, file names', () => {
  test.each([
    ['a.txt', 'a.txt'],
    ['/etc/passwd', 'passwd'],
    ['C:\\temp\\x.png', 'x.png'],
    ['..', 'file'],
    ['.htaccess', 'htaccess'],
    ['a/', 'file'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['a\r\nb', 'ab'],
    ['über.png', 'über.png'],
  ])('%j becomes %j', (given, plain) => expect(plainFilename(given)).toBe(plain));

  test('for any input, the result is one segment of a key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 255 }), (name) => {
        fc.pre(name.isWellFormed());
        const plain = plainFilename(name);
        expect(plain).not.toContain('/');
        expect(isKey(`9223372036854775807/00000000-0000-4000-8000-000000000000/${plain}`)).toBe(true);
      }),
    );
  });

  test('a name that is too long for a key keeps its extension', () => {
    const plain = plainFilename(`${'𝒳'.repeat(251)}.png`);
    expect(plain.endsWith('𝒳.png')).toBe(true);
    expect(isKey(`9223372036854775807/00000000-0000-4000-8000-000000000000/${plain}`)).toBe(true);
  });
});
