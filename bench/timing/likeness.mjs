import { randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Another character than this one. */
function other(character) {
  for (;;) {
    const drawn = LETTERS[randomInt(LETTERS.length)];
    if (drawn !== character) return drawn;
  }
}

/**
 * A secret that is right but for its last character but one: the last of base64url may hold bits that do not count.
 */
export const nearly = (secret) => secret.slice(0, -2) + other(secret.at(-2)) + secret.at(-1);

/** A secret of the same form of which no character behind the first `kept` is right but the last: with another one it may be no base64url. */
export const astray = (secret, kept = 0) =>
  secret.slice(0, kept) + [...secret.slice(kept, -1)].map(other).join('') + secret.slice(kept).slice(-1);

/** An id of the same form that nothing has. */
export const unknownId = (id) => (BigInt(id) - BigInt(randomInt(1, 2 ** 40))).toString();

/** One of two guesses, both of which are made for every request: to draw one may take longer, and the next request with it. */
export const either = (isFirst, first, second) => (isFirst ? first : second);

/** As many letters and digits. */
export const letters = (length) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
