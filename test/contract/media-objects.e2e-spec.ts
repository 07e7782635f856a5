import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '../../src/core/config/config.js';
import {
  expectApiError,
  fetchBytes,
  type Gatehouse,
  gatehouse,
  type Persona,
  pathOf,
  person,
  picture,
  sendRaw,
  uploadFile,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
/** Path of a stored text file with 26 letters. */
let letters: string;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  letters = await store('letters.txt', 'abcdefghijklmnopqrstuvwxyz');
});
afterAll(() => service.close());

const ETAG = '"71c480df93d6ae2f1efad1447c66c952"';
const ROBOTS =
  'noindex, nofollow, nosnippet, noimageindex, notranslate, max-snippet:0, max-image-preview:none, max-video-preview:0';

async function store(filename: string, content: string | Buffer): Promise<string> {
  return pathOf((await uploadFile(service, alice, filename, Buffer.from(content as string))).url);
}

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');

describe('media.md section 9, headers', () => {
  test('a stored object has exactly the documented headers', async () => {
    const { status, text, headers } = await service.anonymous.get(letters);
    expect({ status, text }).toEqual({ status: 200, text: 'abcdefghijklmnopqrstuvwxyz' });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '26',
      'cache-control': 'public, max-age=31536000',
      'cdn-cache-control': 'public, max-age=31536000',
      etag: ETAG,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'accept-ranges': 'bytes',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'attachment; filename="letters.txt"',
      'x-robots-tag': ROBOTS,
    });
    for (const name of ['last-modified', 'expires', 'set-cookie', 'location']) expect(headers.has(name)).toBe(false);
  });

  test('HEAD is GET without a body', async () => {
    const get = await service.anonymous.get(letters);
    const head = await service.anonymous.send('HEAD', letters);
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
    for (const name of ['content-length', 'etag', 'content-type', 'cache-control', 'content-disposition']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect((await service.anonymous.send('HEAD', `${letters}x`)).status).toBe(404);
  });

  test.each([[ETAG], [`W/${ETAG}`], [`"x", ${ETAG}`], ['*']])('If-None-Match %j: 304', async (tag) => {
    const headers = { 'if-none-match': tag, range: 'bytes=999-' };
    const response = await service.anonymous.get(letters, { headers });
    expect({ status: response.status, text: response.text }).toEqual({ status: 304, text: '' });
    expect(response.headers.get('etag')).toBe(ETAG);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000');
    expect(response.headers.get('cdn-cache-control')).toBe('public, max-age=31536000');
    expect(response.headers.get('x-robots-tag')).toBe(ROBOTS);
  });

  test('another tag and If-Modified-Since have no effect', async () => {
    const headers = { 'if-none-match': '"other"', 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' };
    expect((await service.anonymous.get(letters, { headers })).status).toBe(200);
  });

  test('a rejected read allows no origin and is not cached', async () => {
    const response = await service.anonymous.get('/media/attachments/1/2/3', {
      headers: { origin: 'https://a.example' },
    });
    expectApiError(response, 'NOT_FOUND');
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
    expect(response.headers.has('cross-origin-resource-policy')).toBe(false);
    expect(response.headers.has('cdn-cache-control')).toBe(false);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('a preflight succeeds for any origin, without credentials', async () => {
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    const response = await service.anonymous.send('OPTIONS', letters, undefined, { headers });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    expect(response.headers.get('access-control-allow-headers')).not.toMatch(/authorization|client-properties|sudo/i);
  });
});

describe('media.md section 8, ranges', () => {
  const get = (range: string, more: Record<string, string> = {}) =>
    service.anonymous.get(letters, { headers: { range, ...more } });

  test.each([
    ['bytes=0-2', 'abc', 'bytes 0-2/26'],
    ['bytes=23-', 'xyz', 'bytes 23-25/26'],
    ['bytes=-2', 'yz', 'bytes 24-25/26'],
    ['bytes=25-1000', 'z', 'bytes 25-25/26'],
  ])('%s: 206', async (range, text, contentRange) => {
    const response = await get(range);
    expect({ status: response.status, text: response.text }).toEqual({ status: 206, text });
    expect(response.headers.get('content-range')).toBe(contentRange);
    expect(response.headers.get('content-length')).toBe(String(text.length));
    expect(response.headers.get('cdn-cache-control')).toBe('public, max-age=31536000');
  });

  test.each(['bytes=0-1,3-4', 'Bytes=0-1', 'items=0-1', 'bytes=x', 'bytes=-'])('%s is ignored', async (range) => {
    const response = await get(range);
    expect(response.status).toBe(200);
    expect(response.headers.has('content-range')).toBe(false);
  });

  test.each(['bytes=5-2', 'bytes=-0', 'bytes=26-', 'bytes=9999999999999999999-'])('%s: 416', async (range) => {
    const response = await get(range);
    expectApiError(response, 'RANGE_NOT_SATISFIABLE');
    expect(response.headers.get('content-range')).toBe('bytes */26');
    expect(response.headers.get('accept-ranges')).toBe('bytes');
    expect(response.headers.has('etag')).toBe(false);
  });

  test('If-Range applies the range only with the current strong tag', async () => {
    expect((await get('bytes=0-2', { 'if-range': ETAG })).status).toBe(206);
    for (const other of [`W/${ETAG}`, '"other"', 'Fri, 01 Jan 2100 00:00:00 GMT', '*']) {
      expect((await get('bytes=0-2', { 'if-range': other })).status).toBe(200);
    }
  });

  test('HEAD with a range is GET with a range without the body', async () => {
    const response = await service.anonymous.send('HEAD', letters, undefined, { headers: { range: 'bytes=1-3' } });
    expect({ status: response.status, text: response.text }).toEqual({ status: 206, text: '' });
    expect(response.headers.get('content-range')).toBe('bytes 1-3/26');
  });
});

describe('media.md 7.3, type and disposition', () => {
  test.each<[string, Buffer, string, string]>([
    ['a.bin', hex('89504e470d0a1a0a0000000d49484452000000010000000108020000009077 53de'), 'image/png', 'inline'],
    ['a.gif', Buffer.from('GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000;', 'latin1'), 'image/gif', 'inline'],
    ['a.jpg', hex('ffd8ffe000104a46494600010100000100010000ffd9'), 'image/jpeg', 'inline'],
    ['a.webm', hex('1a45dfa3934282847765626d42878104428581021853806701ffffffffffffff'), 'video/webm', 'inline'],
    ['a.mp4', hex('00000018667479706d70343200000000 69736f6d6d703432'), 'video/mp4', 'inline'],
    ['a.mp3', Buffer.concat([hex('fffb9064'), Buffer.alloc(413)]), 'audio/mpeg', 'attachment'],
    ['a.flac', Buffer.from('fLaC\u0000\u0000\u0000\u0022'), 'audio/flac', 'attachment'],
    ['a.wav', Buffer.from('RIFF\u0024\u0000\u0000\u0000WAVEfmt '), 'audio/wav', 'attachment'],
    [
      'a.ogg',
      Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('\u0001vorbis\u0000')]),
      'audio/ogg',
      'attachment',
    ],
    ['a.webp', Buffer.from('RIFF\u0024\u0000\u0000\u0000WEBPVP8 '), 'image/webp', 'inline'],
    ['a.avif', hex('0000001c6674797061766966000000006d696631617669666d696166'), 'image/avif', 'inline'],
    ['a.pdf', Buffer.from('%PDF-1.4\n%'), 'application/pdf', 'attachment'],
    ['a.exe', Buffer.from('%PDF-1.4\n%'), 'application/octet-stream', 'attachment'],
    ['a.pdf', Buffer.from('<html>'), 'application/octet-stream', 'attachment'],
    ['a.txt', Buffer.from('<script>alert(1)</script>'), 'text/plain; charset=utf-8', 'attachment'],
    ['a.txt', Buffer.from('MZ\u0090\u0000\u0003'), 'application/octet-stream', 'attachment'],
    ['a.html', Buffer.from('<!doctype html><script>1</script>'), 'application/octet-stream', 'attachment'],
    ['a.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'application/octet-stream', 'attachment'],
    ['a.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'application/octet-stream', 'attachment'],
    ['a.js', Buffer.from('alert(1)'), 'application/octet-stream', 'attachment'],
    ['a.zip', hex('504b0304140000000000'), 'application/octet-stream', 'attachment'],
  ])('%s of %j is %s, %s', async (filename, content, type, disposition) => {
    const path = await store(filename, content);
    const { headers, bytes } = await fetchBytes(service, path);
    expect(bytes.equals(content)).toBe(true);
    expect(headers.get('content-type')).toBe(type);
    const name = filename === 'a.bin' ? 'a.png' : filename;
    expect(headers.get('content-disposition')).toBe(`${disposition}; filename="${name}"`);
    expect(headers.get('content-security-policy')).toBe(
      disposition === 'inline'
        ? "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"
        : "default-src 'none'; sandbox",
    );
    const noTransform = /^(?:audio|video)/.test(type) ? ', no-transform' : '';
    expect(headers.get('cache-control')).toBe(`public, max-age=31536000${noTransform}`);
  });

  test.each([
    ['x.html', 'x.png'],
    ['x.svg', 'x.png'],
    ['x.png.hta', 'x.png.png'],
    ['x.jpg', 'x.png'],
    ['x.PNG', 'x.PNG'],
    ['x', 'x.png'],
    ['x.', 'x..png'],
    ['x.html ', 'x.html .png'],
  ])(
    'an image named %j is saved as %j, inline or as an attachment, original and transformed',
    async (filename, name) => {
      const path = await store(filename, await picture('png'));
      for (const [query, disposition] of [
        ['', 'inline'],
        ['?download=1', 'attachment'],
        ['?quality=low', 'inline'],
      ]) {
        const { headers } = await fetchBytes(service, path + query);
        expect(headers.get('content-type')).toBe('image/png');
        expect(headers.get('content-disposition')).toBe(`${disposition}; filename="${name}"`);
      }
    },
  );

  test('download returns an image as an attachment; the last value counts', async () => {
    const path = await store('ü.gif', Buffer.from('GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000;', 'latin1'));
    for (const [query, disposition] of [
      ['download=true', 'attachment'],
      ['download=TRUE', 'attachment'],
      ['download=1', 'attachment'],
      ['download=0&download=1', 'attachment'],
      ['download=1&download=0', 'inline'],
      ['download=yes', 'inline'],
      ['nonsense=1&animated=false', 'inline'],
    ]) {
      const { headers } = await fetchBytes(service, `${path}?${query}`);
      expect([query, headers.get('content-disposition')]).toEqual([
        query,
        `${disposition}; filename="_.gif"; filename*=UTF-8''%C3%BC.gif`,
      ]);
    }
  });
});

describe('media.md section 2, keys', () => {
  test.each([
    ...['/x', 'a//b', 'a/', '../a', 'a/../b', '..%2f..%2fetc%2fpasswd', '%2e%2e/a', '%2e', 'a%5cb', 'a%00b', 'a%0ab'],
    ...['%ff', '%c0%ae%c0%ae/a', '%zz', `${'x'.repeat(1025)}`],
  ])('%s violates the key rule', async (key) => {
    expectApiError(await sendRaw(service, [`GET /media/attachments/${key} HTTP/1.1`]), 'BAD_REQUEST');
  });

  test.each([
    ...['%252e%252e/a', '....//'.slice(0, 4), 'file:', 'C:%3a', 'con', 'a.', 'a%20', 'etc/passwd', '~root'],
    ...['media/attachments', '%E2%80%AE'],
  ])('%s is a valid key that is not stored', async (key) => {
    expectApiError(await sendRaw(service, [`GET /media/attachments/${key} HTTP/1.1`]), 'NOT_FOUND');
  });

  test('a key is percent-decoded once: other spellings reach the same object, double encoding does not', async () => {
    const spelt = letters.replace('letters', '%6Cetters');
    expect((await service.anonymous.get(spelt)).status).toBe(200);
    expect(
      (
        await service.anonymous.get(
          letters.replaceAll('/', '%2F').replace('%2Fmedia%2Fattachments%2F', '/media/attachments/'),
        )
      ).status,
    ).toBe(200);
    expectApiError(await service.anonymous.get(letters.replace('letters', '%256Cetters')), 'NOT_FOUND');
    expectApiError(await service.anonymous.get(letters.replace('letters', 'Letters')), 'NOT_FOUND');
  });

  test('unknown paths and wrong methods are not found, and nothing redirects', async () => {
    for (const [method, path] of [
      ['GET', '/media'],
      ['GET', '/media/'],
      ['GET', '/media/attachments'],
      ['GET', '/media/attachments/'],
      ['GET', '/Media/attachments/a'],
      ['POST', letters],
      ['PUT', letters],
      ['DELETE', letters],
      ['PATCH', letters],
    ] as const) {
      const response = await sendRaw(service, [`${method} ${path} HTTP/1.1`]);
      expectApiError(response, 'NOT_FOUND');
      expect(response.headers.has('location')).toBe(false);
      expect(response.headers.has('allow')).toBe(false);
    }
  });

  test('objects of a deleted account are not found immediately', async () => {
    const gone = await person(service, 'gone');
    const path = pathOf((await uploadFile(service, gone, 'a.txt', Buffer.from('x'))).url);
    expect((await service.anonymous.get(path)).status).toBe(200);
    await service.sql('UPDATE account SET deleted_at = now() WHERE id = $1', [gone.id]);
    expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
  });

  test('a row without its bytes is not found', async () => {
    const path = await store('lost.txt', 'x');
    rmSync(join(service.app.get(Config).media.root, 'media'), { recursive: true });
    const response = await service.anonymous.get(path);
    expectApiError(response, 'NOT_FOUND');
    expect(response.headers.has('etag')).toBe(false);
    letters = await store('letters.txt', 'abcdefghijklmnopqrstuvwxyz');
  });
});

describe('5.11 media routes read no credential', () => {
  test('the response does not depend on Authorization and cookies', async () => {
    const plain = await service.anonymous.get(letters);
    for (const authorization of [alice.authorization, 'Bearer nothing', 'Admin x', 'a b c']) {
      const response = await service.as(authorization).get(letters, { headers: { cookie: 'session=1' } });
      expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: plain.text });
    }
    const twice = await sendRaw(service, [`GET ${letters} HTTP/1.1`, 'Authorization: a', 'Authorization: b']);
    expect(twice.status).toBe(200);
  });

  test('the log contains only the route pattern', () => {
    const log = service.log.join('');
    expect(log).toContain('/media/attachments/*path');
    expect(log).not.toContain('letters.txt');
    expect(log).not.toContain(letters.split('/')[4]);
  });
});
