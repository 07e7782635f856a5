import { randomBytes } from 'node:crypto';
import { formatLine, type LedgerLine, parseLine } from './ledger-lines.js';

const [key, other] = [randomBytes(32), randomBytes(32)];
const line: LedgerLine = { number: 7, kind: 'banned', account: '1234', until: '2030-01-01T00:00:00.000Z' };
const text = formatLine(line, key);

test('a line is read with any of the keys', () => {
  expect(parseLine(7, text, [other, key])).toEqual(line);
  expect(text).toHaveLength(text.trimEnd().length + 1);
});

test('a line of an IP address contains the encrypted address, and a line of an account has no such member', () => {
  const ban: LedgerLine = { number: 7, kind: 'ip_banned', account: null, network: 'c2VhbGVk', until: null };
  expect(parseLine(7, formatLine(ban, key), [key])).toEqual(ban);
  expect(text).not.toContain('network');
});

test.each([
  ['truncated', text.slice(0, -1), 'truncated or damaged'],
  ['empty', '', 'truncated or damaged'],
  ['of another instance', formatLine(line, other), 'signed by another instance'],
  ['changed', text.replace('1234', '1235'), 'invalid signature'],
  ['with a changed signature', text.replace(/\.\w/, (first) => (first === '.A' ? '.B' : '.A')), 'invalid signature'],
])('a line that is %s is rejected', (_, changed, message) => {
  expect(() => parseLine(7, changed, [key])).toThrow(message);
});

test('a line in the place of another one is rejected', () => {
  expect(() => parseLine(8, text, [key])).toThrow('it was changed or moved');
});
