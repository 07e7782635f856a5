import { redactText } from './log.js';

const HEADER = 'eyJhbGciOiJIUzI1NiJ9';
const CLAIMS = 'eyJzdWIiOiIxIn0';
const SIGNATURE = 'c2lnbmF0dXJl-_';

describe('conventions.md 13: a JWT in a text is redacted', () => {
  test.each(['', ' ', 'x', '%3D', '"', 'token=', 'eyJ', 'eyJeyJ', 'eyj', '.', 'a.', 'eyJhbGci.', `${HEADER}.`])(
    'after "%s"',
    (before) => {
      for (const header of [HEADER, `eyJ${HEADER}`, `${HEADER}eyJ`, `${HEADER}${'a'.repeat(2000)}`]) {
        for (const after of ['', '"', ' and more', '&state=1']) {
          const left = redactText(`${before}${header}.${CLAIMS}.${SIGNATURE}${after}`);
          expect(left).not.toContain(SIGNATURE);
          expect(left).toContain('[redacted]');
        }
      }
    },
  );

  test('an encrypted one also, with and without a key in it', () => {
    for (const key of ['', 'a2V5']) {
      const left = redactText(`said ${HEADER}.${key}.aXY.Y2lwaGVydGV4dA.${SIGNATURE} once`);
      expect(left).toBe('said [redacted] once');
    }
  });

  test('a text that is not a JWT is unchanged', () => {
    for (const text of ['eyJ', 'eyJeyJeyJ', 'eyJ.a', `${HEADER} . ${CLAIMS}`, 'a.b.c'])
      expect(redactText(text)).toBe(text);
  });
});

describe('conventions.md 13: credentials are redacted, our own texts are not', () => {
  const secret = 'k8s2bXvQ7rT1nYpL5mWz0aHcJd4fGe6uIoKqRsTvUwx';

  test.each<[title: string, text: string]>([
    ['a session', `flx_${'aB3'.repeat(12)}`],
    ['an Admin key', `fa_123_${'aB3x'.repeat(8)}`],
    ['a bot token', `123.${secret}`],
    ...['Bot', 'Bearer', 'Admin', 'Basic', 'bearer', 'BASIC'].map(
      (scheme) => [scheme, `${scheme} ${secret}`] as [string, string],
    ),
    ['Basic of a client', `Basic ${Buffer.from('user:pass').toString('base64')}`],
    ['letters alone', `Bearer ${secret.replace(/\d/g, '')}`],
  ])('%s', (_title, text) => {
    const left = redactText(`said "${text}" once`);
    expect(left).not.toContain(text.slice(-8));
    expect(left).toMatch(/^said "[^"]*\[redacted\]" once$/);
  });

  test.each([
    'UserController.get (GET /v1/admin) is below /v1/admin without @AdminAcl(). Add it, or use another path',
    'a bot cannot do this; a bearer needs a scope; the Admin API needs a key',
    'Basic authentication is required, as the bearer token has expired',
    'the built-in Admin application is missing',
    'names the unknown ACL admin:everything. Declare it in acls of a feature',
  ])('%s', (text) => {
    expect(redactText(text)).toBe(text);
  });
});
