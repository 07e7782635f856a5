import { redactText } from './log.js';

const HEADER = 'eyJhbGciOiJIUzI1NiJ9';
const CLAIMS = 'eyJzdWIiOiIxIn0';
const SIGNATURE = 'c2lnbmF0dXJl-_';

describe('conventions.md 13: of a JWT in a text nothing that proves anything is left', () => {
  test.each(['', ' ', 'x', '%3D', '"', 'token=', 'eyJ', 'eyJeyJ', 'eyj', '.', 'a.', 'eyJhbGci.', `${HEADER}.`])(
    'behind "%s"',
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

  test('of an encrypted one as well, with and without a key in it', () => {
    for (const key of ['', 'a2V5']) {
      const left = redactText(`said ${HEADER}.${key}.aXY.Y2lwaGVydGV4dA.${SIGNATURE} once`);
      expect(left).toBe('said [redacted] once');
    }
  });

  test('what is no JWT is left as it is', () => {
    for (const text of ['eyJ', 'eyJeyJeyJ', 'eyJ.a', `${HEADER} . ${CLAIMS}`, 'a.b.c'])
      expect(redactText(text)).toBe(text);
  });
});
