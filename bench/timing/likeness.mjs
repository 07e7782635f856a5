import { randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A random character other than this one. */
function other(character) {
  for (;;) {
    const drawn = LETTERS[randomInt(LETTERS.length)];
    if (drawn !== character) return drawn;
  }
}

/**
 * A secret in which only the second to last character is wrong. The last character of base64url may contain bits that
 * do not count.
 */
export const nearly = (secret) => secret.slice(0, -2) + other(secret.at(-2)) + secret.at(-1);

/**
 * A secret of the same form in which every character after the first `kept` is wrong, except the last one. A different
 * last character may be invalid base64url.
 */
export const astray = (secret, kept = 0) =>
  secret.slice(0, kept) + [...secret.slice(kept, -1)].map(other).join('') + secret.slice(kept).slice(-1);

/** An ID of the same form that is not in use. */
export const unknownId = (id) => (BigInt(id) - BigInt(randomInt(1, 2 ** 40))).toString();

/**
 * Returns one of two guesses. The caller creates both for every request, because creating one may take longer and
 * affect the request.
 */
export const either = (isFirst, first, second) => (isFirst ? first : second);

/** Random letters and digits. */
export const letters = (length) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
