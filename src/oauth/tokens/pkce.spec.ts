import { challengeOf, isPkceFaulty } from './pkce.js';

/** RFC 7636 appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('oauth.md 3.1: an authorization request', () => {
  test.each<[challenge: string | undefined, method: string | undefined, isRequired: boolean, isFaulty: boolean]>([
    [undefined, undefined, false, false],
    [undefined, undefined, true, true],
    [undefined, 'S256', false, true],
    [undefined, '', false, true],
    [CHALLENGE, 'S256', false, false],
    [CHALLENGE, 'S256', true, false],
    [CHALLENGE, undefined, false, true],
    [CHALLENGE, '', false, true],
    [CHALLENGE, 'plain', false, true],
    [CHALLENGE, 's256', true, true],
    [CHALLENGE.slice(1), 'S256', false, true],
    [`${CHALLENGE}A`, 'S256', false, true],
    [`${CHALLENGE.slice(1)}=`, 'S256', false, true],
    ['', 'S256', false, true],
  ])('challenge %j, method %j, required: %j; invalid: %j', (challenge, method, isRequired, isFaulty) => {
    expect(isPkceFaulty(challenge, method, isRequired)).toBe(isFaulty);
  });
});

describe('oauth.md 3.1: a verifier', () => {
  test.each([VERIFIER, '-._~'.padEnd(43, 'a'), 'Z9'.padEnd(128, '0')])(
    '%s matches one challenge, required or not',
    (verifier) => {
      const challenge = challengeOf(verifier, false);
      expect(challenge).toMatch(/^[\w-]{43}$/);
      expect(challengeOf(verifier, true)).toBe(challenge);
      expect(isPkceFaulty(challenge ?? undefined, 'S256', true)).toBe(false);
    },
  );

  test('matches by its SHA-256', () => {
    expect(challengeOf(VERIFIER, false)).toBe(CHALLENGE);
  });

  test('that is missing matches a code without a challenge, unless every client needs one', () => {
    expect(challengeOf(undefined, false)).toBeNull();
    expect(challengeOf(undefined, true)).toBe('');
  });

  test.each([
    ...['', VERIFIER.slice(1), 'a'.repeat(129), `${VERIFIER}+`, `+${VERIFIER}`, `${VERIFIER}\n`, ` ${VERIFIER}`],
    ...['+'.repeat(43), `${VERIFIER}${'a'.repeat(85)}+`],
  ])('%j matches neither a challenge nor its absence', (verifier) => {
    for (const isRequired of [false, true]) expect(challengeOf(verifier, isRequired)).toBe('');
  });
});
