import { createHmac, hkdfSync } from 'node:crypto';
import type { Config } from '../../core/config/config.js';
import { digest, Keyring } from '../../core/secrets.js';
import { TokenMint, type TokenPair } from './token-mint.service.js';

const SECRET = Buffer.alloc(32, 7);
const OTHER = Buffer.alloc(32, 8);
/** One in 16 million. Its first successor under SECRET has the prefix of a session token. */
const COLLIDING = '0000000000000000000000000000000000011858564';
/** Like `COLLIDING`, for the second candidate. */
const COLLIDING_NEXT = '0000000000000000000000000000000000040751253';

const mintOf = (secret = SECRET, secretPrevious?: Buffer) =>
  new TokenMint(new Keyring({ secret, secretPrevious } as unknown as Config));
const digestsOf = ({ access, refresh }: TokenPair) => ({ access: digest(access), refresh: digest(refresh) });
const macOf = (text: string) =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', SECRET, 'gatehouse', 'oauth-successor', 32)))
    .update(text)
    .digest('base64url');

describe('oauth.md 3: a new pair', () => {
  test('is two tokens of 43 characters, never equal', () => {
    const mint = mintOf();
    const tokens = [mint.mintPair(), mint.mintPair()].flatMap(({ access, refresh }) => [access, refresh]);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
    expect(new Set(tokens).size).toBe(4);
  });

  test('has no access token with the prefix of a session token', () => {
    const minted = ['flx_one', 'flx_two', 'flx-three_flx_', 'flx_four'];
    expect(mintOf().mintPair(() => minted.shift() as string)).toEqual({
      access: 'flx-three_flx_',
      refresh: 'flx_four',
    });
  });
});

describe('oauth.md 3.3: the pair that replaces a refresh token', () => {
  test('is derived from the token and the key of the service: every version derives the same', () => {
    expect(mintOf().deriveSuccessor('a token')).toEqual({
      access: macOf('access\0a token'),
      refresh: macOf('refresh\0a token'),
    });
  });

  test('has no access token with the prefix of a session token', () => {
    expect(macOf(`access\0${COLLIDING}`)).toMatch(/^flx_/);
    const pair = { access: macOf(`access1\0${COLLIDING}`), refresh: macOf(`refresh\0${COLLIDING}`) };
    expect(mintOf().deriveSuccessor(COLLIDING)).toEqual(pair);
    expect(mintOf().findSuccessor(COLLIDING, digestsOf(pair))).toEqual(pair);
  });

  test('is derived again with the next number if it has that prefix, any number of times', () => {
    expect(macOf(`access1\0${COLLIDING_NEXT}`)).toMatch(/^flx_/);
    // No token is known for which both candidates have the prefix. This object returns another text each time that it
    // is read.
    const read = [COLLIDING, COLLIDING_NEXT, 'a token', 'a token'];
    const twice = { toString: () => read.shift() } as unknown as string;
    expect(mintOf().deriveSuccessor(twice)).toEqual({
      access: macOf('access2\0a token'),
      refresh: macOf('refresh\0a token'),
    });
  });

  test('is found by its digests while either secret is known', () => {
    const pair = mintOf().deriveSuccessor('a token');
    for (const mint of [mintOf(), mintOf(OTHER, SECRET), mintOf(SECRET, OTHER)]) {
      expect(mint.findSuccessor('a token', digestsOf(pair))).toEqual(pair);
    }
    expect(mintOf(OTHER).findSuccessor('a token', digestsOf(pair))).toBeNull();
    expect(mintOf(OTHER, SECRET).deriveSuccessor('a token')).not.toEqual(pair);
  });

  test('does not match another token, or a mixture of two pairs', () => {
    const [mint, own, other] = [mintOf(), mintOf().deriveSuccessor('a token'), mintOf().deriveSuccessor('another')];
    expect(mint.findSuccessor('a token', digestsOf(other))).toBeNull();
    expect(mint.findSuccessor('a token', digestsOf({ ...own, access: other.access }))).toBeNull();
    expect(mint.findSuccessor('a token', digestsOf({ ...own, refresh: other.refresh }))).toBeNull();
  });
});
