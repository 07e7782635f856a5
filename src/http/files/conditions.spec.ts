import type { IncomingMessage } from 'node:http';
import { isNotModified, mayServeRange } from './conditions.js';

const request = (headers: IncomingMessage['headers']) => ({ headers }) as IncomingMessage;

describe('RFC 9110 section 13.1.2, If-None-Match compares weakly', () => {
  test.each<[string | undefined, string | null, boolean]>([
    ['"a"', '"a"', true],
    ['W/"a"', '"a"', true],
    ['"a"', 'W/"a"', true],
    ['W/"a"', 'W/"a"', true],
    ['*', '"a"', true],
    ['"b", "a"', '"a"', true],
    ['"b",W/"a"', '"a"', true],
    ['"b,c", "a"', '"a"', true],
    ['"x, "a", y"', '"b"', false],
    ['"b"', '"a"', false],
    ['a', '"a"', false],
    ['w/"a', '"a"', false],
    ['"A"', '"a"', false],
    ['', '"a"', false],
    [undefined, '"a"', false],
    ['*', null, false],
    ['"a"', null, false],
  ])('%j for %j', (header, etag, holds) =>
    expect(isNotModified(request(header === undefined ? {} : { 'if-none-match': header }), etag)).toBe(holds),
  );
});

describe('RFC 9110 section 13.1.5, If-Range compares strongly', () => {
  test.each<[string | undefined, string | null, boolean]>([
    [undefined, '"a"', true],
    [undefined, null, true],
    ['"a"', '"a"', true],
    ['W/"a"', '"a"', false],
    ['W/"a"', 'W/"a"', false],
    ['"a"', 'W/"a"', false],
    ['"b"', '"a"', false],
    ['*', '"a"', false],
    ['Fri, 01 Jan 2021 00:00:00 GMT', '"a"', false],
    ['"a"', null, false],
  ])('%j for %j', (header, etag, holds) =>
    expect(mayServeRange(request(header === undefined ? {} : { 'if-range': header }), etag)).toBe(holds),
  );
});
