import { contentDisposition } from '../addresses/types.js';
import { rangeOf } from './delivery.js';

describe('media.md section 8 ranges', () => {
  test.each<[string | undefined, number, unknown]>([
    ['bytes=0-0', 10, { start: 0, end: 0 }],
    ['bytes=2-5', 10, { start: 2, end: 5 }],
    ['bytes=2-', 10, { start: 2, end: 9 }],
    ['bytes=2-999', 10, { start: 2, end: 9 }],
    ['bytes=-3', 10, { start: 7, end: 9 }],
    ['bytes=-999', 10, { start: 0, end: 9 }],
    [undefined, 10, null],
    ['Bytes=0-1', 10, null],
    ['items=0-1', 10, null],
    ['bytes=0-1,3-4', 10, null],
    ['bytes=0-0,-1', 10, null],
    ['bytes=-', 10, null],
    ['bytes=', 10, null],
    ['bytes=a-b', 10, null],
    ['bytes= 0-1', 10, null],
    ['bytes=5-2', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=99999999999999999999999-', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-1', 0, 'unsatisfiable'],
  ])('%j of %d bytes', (header, size, expected) => expect(rangeOf(header, size)).toEqual(expected));
});

describe('media.md 7.3 Content-Disposition', () => {
  test.each([
    ['a b.txt', 'attachment; filename="a b.txt"'],
    ['a"b\\c.txt', 'attachment; filename="a_b_c.txt"; filename*=UTF-8\'\'a%22b%5Cc.txt'],
    ['ü(1).png', 'attachment; filename="_(1).png"; filename*=UTF-8\'\'%C3%BC%281%29.png'],
  ])('%j', (filename, header) => expect(contentDisposition('attachment', filename)).toBe(header));
});
