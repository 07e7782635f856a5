import { ownLinksIn } from '../support/own-links.js';

const ORIGIN = 'https://id.example.com:8443';

describe('our own links in a text', () => {
  test.each([
    ['a line of a mail', `Open ${ORIGIN}/auth/verify#token=aB3.\nThanks`, [`${ORIGIN}/auth/verify#token=aB3`]],
    ['in brackets', `(see ${ORIGIN}/login)`, [`${ORIGIN}/login`]],
    ['markup', `<a href="${ORIGIN}/a?b=1&amp;c=2&#38;d=3">x</a>`, [`${ORIGIN}/a?b=1&c=2&d=3`]],
    ['JSON with escaped slashes', JSON.stringify({ u: `${ORIGIN}/x` }).replaceAll('/', '\\/'), [`${ORIGIN}/x`]],
    ['twice the same', `${ORIGIN}/a ${ORIGIN}/a`, [`${ORIGIN}/a`]],
    ['the origin alone', `At ${ORIGIN}.`, [ORIGIN]],
    ['others that begin alike', `${ORIGIN}0/x ${ORIGIN}.evil.example/x ${ORIGIN}@evil.example`, []],
    ['another origin', 'https://id.example.com/x', []],
  ])('%s', (_, text, links) => {
    expect(ownLinksIn(text, ORIGIN)).toEqual(links);
  });
});
