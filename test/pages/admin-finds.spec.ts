import { extractSearchTerms, queryOf } from '../../web/admin/search/search-terms.js';
import { cpuTime, minimumOf } from '../support/cpu-time.js';
import { attacksOn, patternsOf } from '../support/patterns.js';

const patterns = patternsOf('web/admin/search').map(({ name, pattern }) => [name, pattern] as const);
const HASH = `${'aB3_'.repeat(10)}x-9`;
const UUID = '0b5e2c1e-6b0c-4e6f-9d3a-1f2e3d4c5b6a';
const saidOf = (text: string): string[] => extractSearchTerms(text).finds.map(({ kind, value }) => `${kind} ${value}`);

describe('web.md 4: search terms in a text', () => {
  test.each([
    [
      'an id',
      '1466055124025344000',
      ['id 1466055124025344000', 'name 1466055124025344000', 'request 1466055124025344000'],
    ],
    ['a short number', '12', ['id 12', 'name 12', 'request 12']],
    ['a number that no id reaches', '9999999999999999999', ['name 9999999999999999999', 'request 9999999999999999999']],
    ['a name', ' alice ', ['name alice', 'request alice']],
    ['a name with @', '@alice', ['name alice']],
    ['a name with its number', 'alice#0042', ['tag alice#0042']],
    ['an e-mail address', 'a.b+c@example.com', ['email a.b+c@example.com']],
    ['a phone number as people write it', '+49 (30) 123-456', ['phone +4930123456']],
    ['an address', '203.0.113.9', ['address 203.0.113.9']],
    ['an address of version 6 in another spelling', '2001:DB8:0:0::1', ['address 2001:db8::1']],
    ['an address of version 4 in version 6', '::ffff:203.0.113.9', ['address 203.0.113.9']],
    ['a range', '203.0.113.0/24', ['network 203.0.113.0/24']],
    ['a range of version 6', '2001:db8:1::/48', ['network 2001:db8:1::/48']],
    ['an address with its network', '203.0.113.9/24', ['address 203.0.113.9']],
    ['a range of one', '2001:db8::1/128', ['address 2001:db8::1']],
    ['an address and no range', '203.0.113.0/33', ['address 203.0.113.0']],
    ['the hash of a session', HASH, [`session ${HASH}`]],
    ['a request id', UUID, [`request ${UUID}`]],
    ['a request of the console', `cli-${UUID}`, [`request cli-${UUID}`]],
    ['what a caller named its request', 'edge.7-a', ['request edge.7-a']],
    ['empty', ' ', []],
    ['words', 'who did this', []],
  ])('%s', (_, text, expected) => {
    expect(saidOf(text)).toEqual(expected);
  });

  test.each([
    [
      'a line of JSON',
      `{"level":30,"time":"2026-11-23T04:00:17.123Z","route":"/v1/users/:id","status":404,"ms":12,"request_id":"${UUID}","msg":"request rejected"}`,
      [`request ${UUID}`],
    ],
    ['what a caller named its request', '{"status":500,"request_id":"edge.7-a"}', ['request edge.7-a']],
    ['a header', 'X-Request-ID: edge.7', ['request edge.7']],
    ['an address with a port', '{"peer":"203.0.113.9:51234"}', ['address 203.0.113.9']],
    ['an address of version 6 with a port', '[2001:db8::1]:443 refused.', ['address 2001:db8::1']],
    ['an address at the end', 'came from 203.0.113.9.', ['address 203.0.113.9']],
    ['a link', 'https://id.example.com/admin/person?id=1466055124025344000&x=1', ['id 1466055124025344000']],
    ['a mail', 'From: Alice <mailto:alice@example.com>', ['email alice@example.com']],
    ['times, versions and places in files', '04:00:17 v1.2.3 a/b.ts:12:3 ::', []],
    ['the same twice', '203.0.113.9, 203.0.113.9', ['address 203.0.113.9']],
  ])('in a text: %s', (_, text, expected) => {
    expect(saidOf(text)).toEqual(expected);
  });

  test('secrets are neither searched for nor shown, only the account of a credential', () => {
    const token = `flx_${'a1B2'.repeat(9)}`;
    expect(saidOf(`fa_1466055124025344000_${'a1B2'.repeat(8)}`)).toContain('id 1466055124025344000');
    expect(saidOf(`Got 1466055124025344001.${HASH}`)).toEqual(['id 1466055124025344001']);
    const text = `authorization: ${token} Bearer ${HASH} /v1/webhooks/1466055124025344002/${'a1B2'.repeat(16)} eyJhbGciOi.eyJzdWIi.c2ln`;
    expect(saidOf(text)).toEqual(['id 1466055124025344002']);
    expect(queryOf(text)).not.toMatch(/flx_|aB3_|a1B2|eyJ/);
    for (const key of ['', 'a2V5']) {
      expect(queryOf(`eyJhbGci.${key}.aXY.Y2lwaGVy.dGFn 1466055124025344002`)).toBe('1466055124025344002');
    }
  });

  test('only the first dozen are used; the URL of the page has them also', () => {
    const ids = Array.from({ length: 40 }, (_, n) => `1466055124025344${String(n).padStart(3, '0')}`);
    const text = `${'word '.repeat(900)} request_id=edge ${ids.join(' ')}`;
    expect(extractSearchTerms(text)).toEqual({ finds: expect.any(Array), isCut: true });
    expect(saidOf(text)).toEqual(ids.slice(0, 12).map((id) => `id ${id}`));
    expect(extractSearchTerms(queryOf(text)).finds).toEqual(extractSearchTerms(text).finds);
    expect(queryOf('alice')).toBe('alice');
    const mail = `${'é'.repeat(60)}@${'é'.repeat(180)}.example`;
    expect(encodeURIComponent(queryOf(Array.from({ length: 12 }, (_, n) => n + mail).join(' '))).length).toBeLessThan(
      4001,
    );
    expect(queryOf(`${'x '.repeat(3000)} request_id=edge`)).toBe('request_id=edge');
  });

  test.each(patterns)('no pasted text takes long: %s', async (_, pattern) => {
    for (const attack of attacksOn(pattern)) {
      const isSuspect = cpuTime(() => void extractSearchTerms(attack(1024))) > 4;
      if (!isSuspect) continue;
      const text = attack(10_000);
      const ms = await minimumOf({ enough: 100, hopeless: 400 }, () => cpuTime(() => void queryOf(text)));
      expect({ text: text.slice(0, 40), isSlow: ms > 400 }).toEqual({ text: text.slice(0, 40), isSlow: false });
    }
  });
});
