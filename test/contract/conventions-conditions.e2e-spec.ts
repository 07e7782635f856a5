import { fetchBytes, type Gatehouse, gatehouse, pathOf, person, uploadFile } from '../support/index.js';

let service: Gatehouse;
let stored: string;
beforeAll(async () => {
  service = await gatehouse();
  stored = pathOf((await uploadFile(service, await person(service), 'a.txt', Buffer.from('0123456789'))).url);
});
afterAll(() => service.close());

/** All resources that have an ETag. */
const PATHS = ['/login', '/openapi.json', '/asyncapi.json', '/docs/start.js', '/docs/swagger-ui.css', 'stored'];
const pathIn = (path: string): string => (path === 'stored' ? stored : path);

describe('RFC 9110 section 13: conditional requests', () => {
  test.each(PATHS)('%s: a request that names its tag in any form gets 304', async (name) => {
    const path = pathIn(name);
    const { headers, bytes } = await fetchBytes(service, path);
    const tag = headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[^"]+"$/);
    for (const held of [tag, `W/${tag}`, '*', `"other", W/${tag}`, `W/"other,", ${tag}`]) {
      const known = await fetchBytes(service, path, { 'if-none-match': held });
      expect([known.status, known.bytes.length, known.headers.get('etag')]).toEqual([304, 0, tag]);
      expect(
        (await service.anonymous.send('HEAD', path, undefined, { headers: { 'if-none-match': held } })).status,
      ).toBe(304);
    }
    for (const other of ['"other"', `W/"other"`, tag.replaceAll('"', ''), `"x${tag.slice(1)}`]) {
      const response = await fetchBytes(service, path, { 'if-none-match': other });
      expect([response.status, response.bytes.equals(bytes)]).toEqual([200, true]);
    }
  });

  test('a range is served only under its strong tag', async () => {
    const tag = (await fetchBytes(service, stored)).headers.get('etag') ?? '';
    const part = async (condition: string) =>
      (await fetchBytes(service, stored, { range: 'bytes=2-3', 'if-range': condition })).bytes.toString();
    expect(await part(tag)).toBe('23');
    for (const other of [`W/${tag}`, '"other"', '*', 'Fri, 01 Jan 2100 00:00:00 GMT']) {
      expect(await part(other)).toBe('0123456789');
    }
  });
});
