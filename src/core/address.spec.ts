import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { addressKey, clientAddress, maskAddress, subnetKey } from './address.js';
import type { Cidr } from './config/reader.js';

const TRUSTED = ['127.0.0.0/8', '10.0.0.0/8', '2001:db8:ffff::/48'].map((text): Cidr => ipaddr.parseCIDR(text));

const seen = (peer: string, forwarded: string | undefined, trusted: readonly Cidr[] = TRUSTED): string | null =>
  clientAddress(
    { socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': forwarded } } as unknown as IncomingMessage,
    trusted,
  );

describe('conventions.md 1: the client address', () => {
  test.each([
    ['198.51.100.1', '203.0.113.7', '198.51.100.1'],
    ['::ffff:198.51.100.1', '203.0.113.7', '198.51.100.1'],
    ['2001:db8::0001', '203.0.113.7', '2001:db8::1'],
  ])('an untrusted peer is the client, whatever it forwards: %s', (peer, forwarded, expected) => {
    expect(seen(peer, forwarded)).toBe(expected);
    expect(seen(peer, forwarded, [])).toBe(expected);
    expect(seen(peer, undefined, [])).toBe(expected);
  });

  test.each([
    ['203.0.113.7', '203.0.113.7'],
    [' \t203.0.113.7 ', '203.0.113.7'],
    ['1.1.1.1, 203.0.113.7', '203.0.113.7'],
    ['1.1.1.1,203.0.113.7', '203.0.113.7'],
    ['10.9.9.9, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['203.0.113.7, 10.1.2.3, 127.0.0.1', '203.0.113.7'],
    ['203.0.113.7, 2001:db8:ffff::1', '203.0.113.7'],
    ['nonsense, 203.0.113.7', '203.0.113.7'],
    [', 203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, ::ffff:10.0.0.1', '203.0.113.7'],
    ['2001:DB8:0:0::0001', '2001:db8::1'],
    ['1.1.1.1, 2001:db8::1', '2001:db8::1'],
    ['203.0.113.7:80', '203.0.113.7'],
    ['203.0.113.7:0, 10.1.2.3:65535', '203.0.113.7'],
    ['[2001:db8::1]:80', '2001:db8::1'],
    ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
  ])('behind trusted proxies, it is the rightmost untrusted hop: %j', (forwarded, expected) => {
    for (const peer of ['127.0.0.1', '::ffff:10.0.0.9', '2001:db8:ffff::2'])
      expect(seen(peer, forwarded)).toBe(expected);
  });

  test.each([
    ...['', ' ', ',', 'unknown', '_hidden', '[2001:db8::1]', '203.0.113.7:', '203.0.113.7:65536', '"203.0.113.7"'],
    ...['1.2.3', '1.2', '1', '0x7f.1', '0x7f000001', '2130706433', '010.0.0.1', '1.2.3.04', '256.1.1.1', '1.2.3.4.5'],
    ...['1.2.3.4/32', '-1.2.3.4', '1.2.3.4\u00a0', '\u0661.2.3.4', 'fe80::1%eth0', '::1::', '2001:db8', 'for=1.2.3.4'],
    ...['203.0.113.7, ', '203.0.113.7, nonsense', '203.0.113.7, nonsense, 10.0.0.1', '203.0.113.7,,10.0.0.1'],
    ...['nonsense, 10.0.0.1', ', 10.0.0.1, 127.0.0.1'],
  ])('a value that a trusted proxy omits is not guessed: %j', (forwarded) => {
    expect(seen('127.0.0.1', forwarded)).toBeNull();
  });

  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.1, 127.0.0.1', '10.0.0.1'],
    ['127.0.0.1, 10.0.0.1, 10.0.0.2', '127.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:ffff::7, 10.0.0.1', '2001:db8:ffff::7'],
  ])('if every hop is trusted, it is the leftmost: %j', (forwarded, expected) => {
    for (const peer of ['127.0.0.1', '::ffff:10.0.0.9', '2001:db8:ffff::2'])
      expect(seen(peer, forwarded)).toBe(expected);
  });

  test('a missing header is not guessed either, nor a missing peer', () => {
    expect(seen('127.0.0.1', undefined)).toBeNull();
    expect(seen('', undefined, [])).toBeNull();
  });

  test('no text makes it throw, and the result is an IP address in canonical form', () => {
    const hop = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.constantFrom('', '10.0.0.1', '::1'));
    fc.assert(
      fc.property(fc.array(hop, { maxLength: 5 }), (hops) => {
        const address = seen('10.0.0.1', hops.join(','));
        if (address === null) return;
        expect(ipaddr.process(address).toString()).toBe(address);
        expect(seen('10.0.0.1', address)).toBe(address);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('conventions.md 1: an IP address as a key', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7', '203.0.113.0/24', '203.0.x.x'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48', '2001:db8:x:x:x:x:x:x'],
    ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48', '2001:db8:x:x:x:x:x:x'],
    ['::1', '0:0:0:0::/64', '0:0:0::/48', '0:0:x:x:x:x:x:x'],
  ])('%s', (address, key, subnet, masked) => {
    expect([addressKey(address), subnetKey(address), maskAddress(address)]).toEqual([key, subnet, masked]);
  });

  test('two IPv6 addresses share a key exactly when they share 64 bits', () => {
    const groups = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, groups, (a, b) => {
        const share = a.slice(0, 4).join() === b.slice(0, 4).join();
        const keys = [a, b].map((parts) => addressKey(ipaddr.parse(parts.join(':')).toString()));
        expect(keys[0] === keys[1]).toBe(share);
      }),
    );
  });
});
