import { hash } from 'node:crypto';
import { deflateRawSync, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import {
  animatedPicture,
  expectApiError,
  factsOf,
  fetchBytes,
  type Gatehouse,
  gatehouse,
  type Persona,
  pathOf,
  person,
  picture,
  uploadFile,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
/** Paths of a still image (400 x 200) and of an animation (40 x 20, 3 frames). */
let still: string;
let moving: string;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  still = await store('still.png', await picture('png', 400, 200));
  moving = await store('moving.gif', await animatedPicture('gif'));
});
afterAll(() => service.close());

async function store(filename: string, bytes: Uint8Array): Promise<string> {
  return pathOf((await uploadFile(service, alice, filename, bytes)).url);
}
const fetched = async (path: string) => {
  const { status, headers, bytes } = await fetchBytes(service, path);
  expect({ path, status, text: status === 200 ? '' : bytes.toString() }).toEqual({ path, status: 200, text: '' });
  return { headers, bytes, facts: await factsOf(bytes) };
};

describe('media.md 7.1, transforms of attachments', () => {
  test.each<[string, number, number]>([
    ['width=100', 100, 50],
    ['height=100', 200, 100],
    ['width=100&height=100', 100, 100],
    ['width=50&height=150', 50, 150],
    ['width=800', 400, 200],
    ['width=16384&height=16384', 400, 200],
    ['width=800&height=100', 400, 100],
    ['width=100&width=200', 200, 100],
    ['quality=low', 400, 200],
    ['animated=true', 400, 200],
  ])('%s gives %i x %i', async (query, width, height) => {
    const { facts, headers } = await fetched(`${still}?${query}`);
    expect(facts).toEqual({ format: 'png', width, height, frames: 1, hasMetadata: false });
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('content-disposition')).toBe('inline; filename="still.png"');
  });

  test('both sides crop from the center', async () => {
    const left = await picture('png', 100, 100, '#ff0000');
    const bytes = await sharp({ create: { width: 300, height: 100, channels: 3, background: '#0000ff' } })
      .composite([{ input: left, left: 100, top: 0 }])
      .png()
      .toBuffer();
    const { bytes: cut } = await fetched(`${await store('c.png', bytes)}?width=100&height=100`);
    const { channels } = await sharp(cut).stats();
    expect(channels.slice(0, 3).map(({ mean }) => Math.round(mean))).toEqual([255, 0, 0]);
  });

  test.each([
    ['png', 'png'],
    ['JPG', 'jpeg'],
    ['jpeg', 'jpeg'],
    ['webp', 'webp'],
    ['gif', 'gif'],
    ['avif', 'avif'],
  ])('format=%s', async (format, wanted) => {
    const { facts, headers } = await fetched(`${still}?format=${format}`);
    expect(facts.format).toBe(wanted === 'avif' ? 'heif' : wanted);
    expect(headers.get('content-type')).toBe(`image/${wanted}`);
    expect(headers.get('content-disposition')).toBe(`inline; filename="still.${wanted}"`);
  });

  test.each([
    ['format=png', 'lossless'],
    ['format=jpeg', 'high'],
    ['format=webp', 'lossless'],
    ['format=avif', 'lossless'],
    ['format=webp&animated=true', 'auto'],
  ])('%s has the quality %s by default', async (query, quality) => {
    const path = query.includes('animated') ? moving : still;
    const { bytes } = await fetched(`${path}?${query}`);
    expect((await fetched(`${path}?${query}&quality=${quality}`)).bytes.equals(bytes)).toBe(true);
  });

  test('an animated image is still unless animated is true, and animated only in formats that support it', async () => {
    const frames = async (query: string) => (await fetched(`${moving}?${query}`)).facts.frames;
    expect(await frames('width=20')).toBe(1);
    expect(await frames('width=20&animated=false')).toBe(1);
    expect(await frames('width=20&animated=true')).toBe(3);
    expect(await frames('animated=1&format=webp')).toBe(3);
    expect(await frames('animated=TRUE&format=png')).toBe(1);
    expect(await frames('animated=yes&width=10')).toBe(1);
  });

  test.each([
    ...[
      'width=0',
      'width=',
      'width=-1',
      'width=16385',
      'width=1.5',
      'width=1e2',
      'width=0x10',
      'height=x',
      'width=%31%30a',
    ],
    ...[
      'format=',
      'format=svg',
      'format=tiff',
      'format=auto',
      'format=heic',
      'width=100&width=x',
      'format=png&height=0',
    ],
  ])('%s is rejected', async (query) =>
    expectApiError(await service.anonymous.get(`${still}?${query}`), 'BAD_REQUEST'),
  );

  test.each(['size=10', 'fmt=webp', 'unknown=1', 'animated=false', 'download=false', 'Width=10'])(
    '%s starts no transform',
    async (query) => {
      const plain = await fetchBytes(service, still);
      const response = await fetchBytes(service, `${still}?${query}`);
      expect(response.bytes.equals(plain.bytes)).toBe(true);
      expect(response.headers.get('etag')).toBe(plain.headers.get('etag'));
    },
  );

  test('the query is form-decoded', async () => {
    expect((await fetched(`${still}?%77idth=%31%30`)).facts.width).toBe(10);
  });

  test('the tag is that of the object, the selectors and the pipeline', async () => {
    const source = (await fetchBytes(service, still)).bytes;
    const { headers } = await fetched(`${still}?height=50&width=60&quality=nonsense&other=1`);
    const text = `${hash('sha256', source, 'hex')}|animated=false&format=png&height=50&quality=high&width=60|2`;
    expect(headers.get('etag')).toBe(`"${hash('sha256', text, 'hex').slice(0, 32)}"`);
    const again = await service.anonymous.get(`${still}?width=60&quality=high&height=50`, {
      headers: { 'if-none-match': headers.get('etag') as string },
    });
    expect(again.status).toBe(304);
  });

  test('ranges apply to the transformed bytes', async () => {
    const { bytes, headers } = await fetched(`${still}?width=30`);
    const etag = headers.get('etag') as string;
    const part = await fetchBytes(service, `${still}?width=30`, { range: 'bytes=-5', 'if-range': etag });
    expect([part.status, part.bytes.equals(bytes.subarray(-5))]).toEqual([206, true]);
    const whole = await fetchBytes(service, `${still}?width=30`, { range: 'bytes=-5', 'if-range': '"other"' });
    expect(whole.status).toBe(200);
  });

  test('the output never has metadata, and is turned upright', async () => {
    const bytes = await sharp(await picture('jpeg', 60, 30))
      .withExif({ IFD0: { Copyright: 'canary-of-metadata' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const path = await store('exif.jpg', bytes);
    expect((await fetchBytes(service, path)).bytes.equals(bytes)).toBe(true);
    const { facts, bytes: made } = await fetched(`${path}?quality=low`);
    expect(facts).toEqual({ format: 'jpeg', width: 30, height: 60, frames: 1, hasMetadata: false });
    expect(made.includes('canary-of-metadata')).toBe(false);
  });

  test.each<[string, string | Buffer]>([
    ['a.txt', 'plain text'],
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'],
    ['a.png', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'],
    ['a.pdf', '%PDF-1.4\n%'],
    ['a.tiff', Buffer.from('49492a0008000000', 'hex')],
    ['a.bmp', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)])],
    ['a.psd', Buffer.from('8BPS\u0000\u0001')],
    ['a.heic', Buffer.from('0000001c6674797068656963000000006d696631686569636d696166', 'hex')],
    ['a.jp2', Buffer.from('0000000c6a5020200d0a870a00000014667479706a703220', 'hex')],
    ['a.exr', Buffer.from('762f310102000000', 'hex')],
    ['a.pgm', 'P5 10 10 255\n'],
    ['a.mp4', Buffer.from('00000018667479706d70343200000000 69736f6d6d703432'.replace(' ', ''), 'hex')],
    ['a.v', Buffer.from('b6a6f208', 'hex')],
  ])('%s is not a raster image', async (filename, content) => {
    const path = await store(filename, Buffer.from(content as string));
    expectApiError(await service.anonymous.get(`${path}?width=10`), 'BAD_REQUEST');
    expect((await fetchBytes(service, path)).status).toBe(200);
  });
});

/** A PNG whose header claims a size. Its pixels are zeros, which compress 1000 to 1. */
function png(width: number, height: number, rows: number): Buffer {
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const pixels = deflateSync(Buffer.alloc((width * 3 + 1) * rows), { level: 9 });
  const start = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([start, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** A GIF with `frames` frames of one pixel on a canvas of any size. */
function gif(width: number, height: number, frames: number): Buffer {
  const screen = Buffer.alloc(13);
  screen.write('GIF89a', 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  screen[10] = 0x80;
  const frame = Buffer.from('21f90400010000002c000000000100010000020244010 0'.replace(/ /g, ''), 'hex');
  return Buffer.concat([screen, Buffer.alloc(6), ...Array(frames).fill(frame), Buffer.from(';')]);
}

describe('media.md 7.2, decoding limits', () => {
  test('images within them are decoded', async () => {
    expect((await fetched(`${await store('ok.png', png(64, 64, 64))}?width=8`)).facts.width).toBe(8);
    expect((await fetched(`${await store('ok.gif', gif(4, 4, 3))}?width=2`)).facts.width).toBe(2);
  });

  test.each<[string, string, Buffer]>([
    ['an edge beyond 16384', 'a.png', png(16385, 1, 1)],
    ['a frame beyond 64 Mpx', 'a.png', png(8200, 8200, 1)],
    ['a header that claims 2^31-1 squared', 'a.png', png(0x7fffffff, 0x7fffffff, 0)],
    ['no width', 'a.png', png(0, 10, 1)],
    ['a bomb of zeros', 'a.png', png(16384, 16384, 64)],
    ['1001 frames', 'a.gif', gif(1, 1, 1001)],
    ['frames that are too large together', 'a.gif', gif(2000, 2000, 65)],
    ['pixels that end early', 'a.png', png(500, 500, 10)],
    ['a header alone', 'a.png', png(50, 50, 50).subarray(0, 40)],
    ['half an image', 'a.jpg', Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex')],
    ['a WebP of nothing', 'a.webp', Buffer.from('RIFF\u0010\u0000\u0000\u0000WEBPVP8L\u0000\u0000\u0000\u0000')],
    [
      'a compressed page in an image header',
      'a.png',
      Buffer.concat([png(1, 1, 0).subarray(0, 33), deflateRawSync('x')]),
    ],
  ])('%s is rejected', async (_, filename, bytes) => {
    const path = await store(filename, bytes);
    for (const query of ['width=10', 'animated=true', 'format=webp']) {
      expectApiError(await service.anonymous.get(`${path}?${query}`), 'BAD_REQUEST');
    }
  });

  test('as an avatar, each of them is rejected', async () => {
    const bombs = [png(16385, 1, 1), png(8200, 8200, 1), gif(1, 1, 1001), gif(2000, 2000, 65), png(500, 500, 10)];
    for (const bomb of bombs) {
      const { status, body } = await service.as(alice).patch('/v1/users/@me', { avatar: bomb.toString('base64') });
      expect({ status, code: body.errors?.[0]?.code }).toEqual({ status: 400, code: 'INVALID_IMAGE_FORMAT' });
    }
    expect((await service.as(alice).get('/v1/users/@me')).body.avatar).toBeNull();
  });

  test('input beyond 50 MiB is too large', async () => {
    const path = await store('large.png', await picture('png', 12, 12));
    await service.sql('UPDATE media_object SET size = $1 WHERE filename = $2', [50 * 1024 * 1024 + 1, 'large.png']);
    expectApiError(await service.anonymous.get(`${path}?width=10`), 'PAYLOAD_TOO_LARGE');
  });

  test('polyglot files are returned as images only', async () => {
    const script = '<script>canary-of-script</script>';
    for (const [name, bytes] of [
      ['tail.png', Buffer.concat([await picture('png', 90, 90), Buffer.from(script)])],
      ['tail.gif', Buffer.concat([await picture('gif', 90, 90), Buffer.from(script)])],
    ] as const) {
      const path = await store(name, bytes);
      const plain = await fetchBytes(service, path);
      expect(plain.headers.get('content-type')).toBe(`image/${name.slice(-3)}`);
      expect(plain.headers.get('x-content-type-options')).toBe('nosniff');
      expect(plain.headers.get('content-security-policy')).toContain('sandbox');
      expect((await fetched(`${path}?width=10`)).bytes.includes('canary-of-script')).toBe(false);
    }
    const gifScript = Buffer.from('GIF89a/*\u0000\u0000\u0000\u0000\u0000\u0000*/=1;alert(1)', 'latin1');
    expectApiError(await service.anonymous.get(`${await store('x.gif', gifScript)}?width=10`), 'BAD_REQUEST');
  });
});
