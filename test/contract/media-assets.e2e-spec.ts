import { hash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { Config } from '../../src/core/config/config.js';
import { Images } from '../../src/media/images/images.service.js';
import { Storage } from '../../src/platform/storage/storage.js';
import { runCleanup } from '../support/cleanup.js';
import {
  animatedPicture,
  type CreatedWebhook,
  Events,
  expectApiError,
  expectInvalid,
  factsOf,
  fetchBytes,
  type Gatehouse,
  gatehouse,
  newApp,
  newWebhook,
  type Persona,
  person,
  picture,
  sendRaw,
  withGatehouse,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

const ME = '/v1/users/@me';
const base64 = (bytes: Buffer) => bytes.toString('base64');
const change = async (body: object, who: Persona = alice) => {
  const response = await service.as(who).patch(ME, body);
  expect({ status: response.status, body: response.body }).toMatchObject({ status: 200, body: { id: who.id } });
  return response.body;
};
const avatarOf = async (bytes: Buffer, who?: Persona): Promise<string> =>
  (await change({ avatar: base64(bytes) }, who)).avatar;
const fetched = async (path: string) => {
  const { status, headers, bytes } = await fetchBytes(service, path);
  expect({ path, status, text: status === 200 ? '' : bytes.toString() }).toEqual({ path, status: 200, text: '' });
  return { headers, bytes, facts: await factsOf(bytes) };
};
const rowsOf = async (ownerId: string) =>
  (await service.sql('SELECT key FROM media_object WHERE owner_id = $1 ORDER BY key', [ownerId])).map(({ key }) => key);

describe('media.md section 2, storing assets', () => {
  test('decoded, turned upright, stripped of all metadata and encoded again; named by its stored bytes', async () => {
    const sent = await sharp(await picture('jpeg', 60, 30))
      .withExif({ IFD0: { Copyright: 'canary-of-metadata', Orientation: '6' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect((await factsOf(sent)).hasMetadata).toBe(true);
    const avatar = await avatarOf(sent);
    const { bytes, facts, headers } = await fetched(`/media/avatars/${alice.id}/${avatar}.png`);
    expect(facts).toEqual({ format: 'png', width: 30, height: 60, frames: 1, hasMetadata: false });
    expect(headers.get('content-type')).toBe('image/png');
    const [{ sha256 }] = (await service.sql('SELECT sha256 FROM media_object WHERE owner_id = $1', [alice.id])) as [
      { sha256: Buffer },
    ];
    expect(sha256.toString('hex').slice(0, 32)).toBe(avatar);
    const stored = await service.app.get(Storage).read('media', `avatars/${alice.id}/${avatar}`);
    const raw = Buffer.concat((await stored?.toArray()) ?? []);
    expect(hash('sha256', raw, 'hex').slice(0, 32)).toBe(avatar);
    expect(raw.includes('canary-of-metadata')).toBe(false);
    expect(bytes.includes('canary-of-metadata')).toBe(false);
  });

  test('data after an image is not stored: a polyglot file loses its other part', async () => {
    const polyglot = Buffer.concat([
      await picture('gif'),
      Buffer.from('<script>canary-of-script</script>PK\u0003\u0004'),
    ]);
    const { bytes } = await fetched(`/media/avatars/${alice.id}/${await avatarOf(polyglot)}.gif`);
    expect(bytes.includes('canary-of-script')).toBe(false);
  });

  test('an animated image is marked, keeps its frames, and shows the first one on request', async () => {
    const avatar = await avatarOf(await animatedPicture('gif'));
    expect(avatar).toMatch(/^a_[0-9a-f]{32}$/);
    const at = (rest: string) => fetched(`/media/avatars/${alice.id}/${rest}`);
    expect((await at(`${avatar}.gif`)).facts).toMatchObject({ format: 'gif', frames: 3 });
    expect((await at(`${avatar}.webp`)).facts).toMatchObject({ format: 'webp', frames: 3 });
    expect((await at(`${avatar}.png`)).facts).toMatchObject({ format: 'png', frames: 1 });
    expect((await at(`${avatar}.gif?animated=false`)).facts.frames).toBe(1);
    expect((await at(`${avatar.slice(2)}.gif`)).facts.frames).toBe(1);
    expect((await at(`${avatar.slice(2)}.gif?animated=true`)).facts.frames).toBe(3);
  });

  test('a new image replaces the old one, which is not found immediately and deleted from disk later', async () => {
    const bob = await person(service, 'bob');
    const first = await avatarOf(await picture('png', 40, 20, '#101010'), bob);
    const second = await avatarOf(await picture('png', 40, 20, '#202020'), bob);
    expect(await rowsOf(bob.id)).toEqual([`avatars/${bob.id}/${second}`]);
    expectApiError(await service.anonymous.get(`/media/avatars/${bob.id}/${first}.png`), 'NOT_FOUND');
    await fetched(`/media/avatars/${bob.id}/${second}.png`);
    await service.sql("UPDATE media_garbage SET since = since - interval '21 minutes'");
    await runCleanup(service);
    const size = (name: string) => service.app.get(Storage).size('media', `avatars/${bob.id}/${name}`);
    expect(await size(first)).toBeNull();
    expect(await size(second)).not.toBeNull();
    await change({ avatar: null }, bob);
    expectApiError(await service.anonymous.get(`/media/avatars/${bob.id}/${second}.png`), 'NOT_FOUND');
  });

  test('of 16 parallel changes, one remains, and only its object', async () => {
    const carol = await person(service, 'carol');
    const images = await Promise.all(
      Array.from({ length: 16 }, (_, n) => picture('png', 8, 8, `#${(n + 16).toString(16)}0000`)),
    );
    await Promise.all(images.map((image) => service.as(carol).patch(ME, { avatar: base64(image) })));
    const { avatar } = (await service.as(carol).get(ME)).body;
    expect(await rowsOf(carol.id)).toEqual([`avatars/${carol.id}/${avatar}`]);
    await fetched(`/media/avatars/${carol.id}/${avatar}.png`);
  });

  test('a change that fails keeps the old image', async () => {
    const dave = await person(service, 'dave');
    const avatar = await avatarOf(await picture('png'), dave);
    const half = base64((await picture('png', 300, 300)).subarray(0, 80));
    expectInvalid(
      await service.as(dave).patch(ME, { avatar: base64(await picture('gif')), banner: half }),
      'banner: INVALID_IMAGE_FORMAT',
    );
    expect(await rowsOf(dave.id)).toEqual([`avatars/${dave.id}/${avatar}`]);
  });

  test('images of a deleted account are not found', async () => {
    const erin = await person(service, 'erin');
    const path = `/media/avatars/${erin.id}/${await avatarOf(await picture('png'), erin)}.png`;
    await fetched(path);
    await service.sql('UPDATE account SET deleted_at = now() WHERE id = $1', [erin.id]);
    expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
  });
});

describe('oauth.md 6.5, images of a bot', () => {
  test('the owner sets and clears them; callers who may see the bot see them', async () => {
    const { id } = await newApp(service, alice);
    const path = `/v1/oauth2/applications/${id}/bot`;
    const both = { avatar: base64(await picture('png')), banner: base64(await picture('webp', 600, 200)) };
    const events = new Events(service);
    const { status, body } = await service.as(alice).patch(path, both);
    expect(status).toBe(200);
    expect(events.of({ id })).toEqual(['USER_UPDATE']);
    expect(body).toMatchObject({ avatar: expect.any(String), banner: expect.any(String) });
    expect((await fetched(`/media/avatars/${id}/${body.avatar}.webp`)).facts.format).toBe('webp');
    expect((await fetched(`/media/banners/${id}/${body.banner}.webp`)).facts).toMatchObject({
      width: 480,
      height: 160,
    });
    const shown = (await service.anonymous.get(`/v1/oauth2/applications/${id}/public`)).body;
    expect(shown).toMatchObject({ icon: body.avatar, bot: { avatar: body.avatar, banner: body.banner } });
    const cleared = await service.as(alice).patch(path, { avatar: null });
    expect(cleared.body).toMatchObject({ avatar: null, banner: body.banner });
    expectApiError(await service.anonymous.get(`/media/avatars/${id}/${body.avatar}.webp`), 'NOT_FOUND');
  });

  test('a file that is not an image changes nothing', async () => {
    const { id } = await newApp(service, alice);
    const path = `/v1/oauth2/applications/${id}/bot`;
    const text = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
    expectInvalid(await service.as(alice).patch(path, { avatar: text, bio: 'x' }), 'avatar: INVALID_IMAGE_FORMAT');
    const large = Buffer.alloc(2 * 1024 * 1024 + 1).toString('base64');
    expectInvalid(await service.as(alice).patch(path, { banner: large }), 'banner: IMAGE_SIZE_EXCEEDS_LIMIT');
    const { body } = await service.anonymous.get(`/v1/oauth2/applications/${id}/public`);
    expect(body.bot).toMatchObject({ avatar: null, banner: null, bio: null });
    expect(await rowsOf(id)).toEqual([]);
    const mallory = await person(service, 'mallory');
    expectApiError(await service.as(mallory).patch(path, { avatar: base64(await picture('png')) }), 'ACCESS_DENIED');
    expect(await rowsOf(id)).toEqual([]);
  });

  test('they are deleted with the application', async () => {
    const { id } = await newApp(service, alice);
    const { body } = await service
      .as(alice)
      .patch(`/v1/oauth2/applications/${id}/bot`, { avatar: base64(await picture('png')) });
    const { password } = alice;
    expect((await service.as(alice).delete(`/v1/oauth2/applications/${id}`, { password })).status).toBe(204);
    expectApiError(await service.anonymous.get(`/media/avatars/${id}/${body.avatar}.png`), 'NOT_FOUND');
  });
});

describe('webhooks.md section 2, avatar of a webhook', () => {
  let hook: CreatedWebhook;
  const owned = () => `/v1/webhooks/${hook.id}`;
  beforeAll(async () => {
    hook = await newWebhook(service, alice, { name: 'hook', avatar: base64(await picture('png')) });
  });

  test('is set on creation, by the owner and by the token, cleared by null, and deleted with the webhook', async () => {
    const { avatar } = hook as unknown as { avatar: string };
    expect((await fetched(`/media/avatars/${hook.id}/${avatar}.png`)).facts.format).toBe('png');
    const byOwner = await service.as(alice).patch(owned(), { avatar: base64(await picture('gif', 40, 20, '#30c060')) });
    expectApiError(await service.anonymous.get(`/media/avatars/${hook.id}/${avatar}.png`), 'NOT_FOUND');
    await fetched(`/media/avatars/${hook.id}/${byOwner.body.avatar}.png`);
    const byToken = await service.anonymous.patch(hook.path, { avatar: base64(await animatedPicture('webp')) });
    expect(byToken.body.avatar).toMatch(/^a_/);
    await fetched(`/media/avatars/${hook.id}/${byToken.body.avatar}.webp`);
    expect(await rowsOf(hook.id)).toHaveLength(1);
    expect((await service.anonymous.patch(hook.path, { avatar: null })).body.avatar).toBeNull();
    expect(await rowsOf(hook.id)).toEqual([]);
    const last = (await service.as(alice).patch(owned(), { avatar: base64(await picture('avif')) })).body.avatar;
    const sent = await service.anonymous.post(`${hook.path}?wait=true`, { content: 'x' });
    expect(sent.body.author.avatar).toBe(last);
    await service.as(alice).delete(owned());
    expectApiError(await service.anonymous.get(`/media/avatars/${hook.id}/${last}.png`), 'NOT_FOUND');
  });

  test.each<[string, unknown, string]>([
    ['no base64', '<>', 'INVALID_BASE64_FORMAT'],
    ['too large', Buffer.alloc(2 * 1024 * 1024 + 1).toString('base64'), 'IMAGE_SIZE_EXCEEDS_LIMIT'],
    ['no image', Buffer.from('plain text').toString('base64'), 'INVALID_IMAGE_FORMAT'],
    ['no text', 5, 'INVALID_FORMAT'],
  ])('%s is rejected and nothing is created', async (_, avatar, code) => {
    const before = await service.sql('SELECT count(*) FROM webhook');
    const create = service.as(alice).post('/v1/users/@me/webhooks', { name: 'x', avatar });
    expectInvalid(await create, `avatar: ${code}`);
    expect(await service.sql('SELECT count(*) FROM webhook')).toEqual(before);
  });
});

describe('media.md 7.1, selectors of avatars and banners', () => {
  let avatar: string;
  let banner: string;
  beforeAll(async () => {
    const body = await change({
      avatar: base64(await picture('png', 1200, 1200)),
      banner: base64(await picture('jpeg', 3000, 1000)),
    });
    avatar = `/media/avatars/${alice.id}/${body.avatar}`;
    banner = `/media/banners/${alice.id}/${body.banner}`;
  });

  test.each([
    ['', 128],
    ['?size=16', 128],
    ['?size=129', 160],
    ['?size=600', 600],
    ['?size=601', 640],
    ['?size=4096', 1024],
    ['?size=99999', 128],
    ['?size=0', 128],
    ['?size=-5', 128],
    ['?size=1e3', 128],
    ['?size=x', 128],
    ['?size=600&size=300', 300],
  ])('an avatar%s is %i wide', async (query, width) => {
    expect((await fetched(`${avatar}.webp${query}`)).facts).toMatchObject({ width, height: width });
  });

  test.each([
    ['', 480],
    ['?size=512', 512],
    ['?size=2048', 2048],
    ['?size=16384', 2400],
  ])('a banner%s is %i wide and keeps its aspect ratio', async (query, width) => {
    const { facts } = await fetched(`${banner}.webp${query}`);
    expect(facts).toMatchObject({ width, height: Math.round(width / 3) });
  });

  test.each([
    ['.png', 'png'],
    ['.PNG', 'png'],
    ['.jpg', 'jpeg'],
    ['.jpeg', 'jpeg'],
    ['.gif', 'gif'],
    ['.webp', 'webp'],
    ['.avif', 'avif'],
    ['.png?fmt=webp', 'webp'],
    ['.png?fmt=JPG', 'jpeg'],
    ['.png?fmt=auto', 'webp'],
    ['.png?fmt=tiff', 'png'],
    ['.png?format=webp', 'png'],
    ['.png?quality=nonsense&width=x&animated=maybe&other=1', 'png'],
  ])('%s is %s', async (rest, format) => {
    const { facts, headers } = await fetched(avatar + rest);
    expect(facts.format).toBe(format === 'avif' ? 'heif' : format);
    expect(headers.get('content-type')).toBe(`image/${format}`);
    expect(headers.get('content-disposition')).toMatch(/^inline; filename="[0-9a-f]{32}\.(?:png|jpeg|gif|webp|avif)"$/);
  });

  test('a lower quality gives fewer bytes; download gives an attachment with the same bytes', async () => {
    const noise = await sharp({
      create: { width: 200, height: 200, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 30 } } as never,
    })
      .png()
      .toBuffer();
    const path = `/media/avatars/${alice.id}/${await avatarOf(noise)}.webp`;
    const sizes: number[] = [];
    for (const quality of ['low', 'auto', 'high', 'lossless']) {
      sizes.push((await fetched(`${path}?quality=${quality}`)).bytes.length);
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    expect(new Set(sizes).size).toBe(4);
    const [plain, unknown, saved] = await Promise.all(
      ['', '?quality=x', '?download=1'].map((query) => fetched(path + query)),
    );
    expect(unknown?.bytes.equals(plain?.bytes as Buffer)).toBe(true);
    expect(saved?.bytes.equals(plain?.bytes as Buffer)).toBe(true);
    expect(saved?.headers.get('content-disposition')).toMatch(/^attachment; filename="[0-9a-f]{32}\.webp"$/);
    avatar = path.slice(0, -5);
  });

  test('headers, conditions and ranges are those of a stored object', async () => {
    const { headers, bytes } = await fetched(`${avatar}.png`);
    const [row] = await service.sql("SELECT encode(sha256, 'hex') AS sha FROM media_object WHERE key LIKE $1", [
      `avatars/${alice.id}/%`,
    ]);
    const tag = hash('sha256', `${row?.sha}|animated=false&format=png&quality=high&size=128|2`, 'hex').slice(0, 32);
    expect(Object.fromEntries(headers)).toMatchObject({
      etag: `"${tag}"`,
      'cache-control': 'public, max-age=31536000',
      'cdn-cache-control': 'public, max-age=31536000',
      'content-length': String(bytes.length),
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
    });
    const known = await service.anonymous.get(`${avatar}.png`, { headers: { 'if-none-match': `"${tag}"` } });
    expect({ status: known.status, text: known.text }).toEqual({ status: 304, text: '' });
    const part = await fetchBytes(service, `${avatar}.png`, { range: 'bytes=4-7' });
    expect({ status: part.status, bytes: part.bytes }).toEqual({ status: 206, bytes: bytes.subarray(4, 8) });
    expect(part.headers.get('content-range')).toBe(`bytes 4-7/${bytes.length}`);
    const head = await service.anonymous.send('HEAD', `${avatar}.png`);
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', String(bytes.length)]);
    expectApiError(
      await service.anonymous.get(`${avatar}.png`, { headers: { range: 'bytes=9999999-' } }),
      'RANGE_NOT_SATISFIABLE',
    );
  });

  test('the same transform requested in parallel is computed once, and later not again', async () => {
    const images = service.app.get(Images);
    const render = images.render.bind(images);
    let renders = 0;
    images.render = (...args) => {
      renders++;
      return render(...args);
    };
    const all = await Promise.all(Array.from({ length: 32 }, () => fetchBytes(service, `${avatar}.gif?size=256`)));
    for (const { status, bytes } of all) {
      expect([status, bytes.equals(all[0]?.bytes as Buffer)]).toEqual([200, true]);
    }
    await fetched(`${avatar}.gif?size=256`);
    expect(renders).toBe(1);
    images.render = render;
  });

  test('a stored image that can no longer be decoded is a service error', async () => {
    const frank = await person(service, 'frank');
    const name = await avatarOf(await picture('png', 30, 30, '#123456'), frank);
    const key = `avatars/${frank.id}/${name}`;
    const digest = hash('sha256', key, 'hex');
    writeFileSync(join(service.app.get(Config).media.root, 'media', digest.slice(0, 2), digest), 'broken');
    const response = await service.anonymous.get(`/media/avatars/${frank.id}/${name}.png`);
    expectApiError(response, 'TRANSCODE_FAILED');
    expect(response.headers.has('etag')).toBe(false);
    await service.app.get(Storage).remove('media', key);
    expectApiError(await service.anonymous.get(`/media/avatars/${frank.id}/${name}.png`), 'NOT_FOUND');
  });
});

describe('media.md section 2, asset grammar', () => {
  const HASH = '0123456789abcdef0123456789abcdef';
  test.each([
    ...['1', '1/', `1/${HASH}`, `1/${HASH}.`, `1/${HASH}.svg`, `1/${HASH}.png.png`, `1/${HASH.toUpperCase()}.png`],
    ...[`1/${HASH}0.png`, `1/${HASH.slice(1)}.png`, `x/${HASH}.png`, `-1/${HASH}.png`, `1/A_${HASH}.png`],
    ...[
      `1/b_${HASH}.png`,
      `1/2/${HASH}.png`,
      `1%2F${HASH}.png`,
      `1/${HASH}.png/`,
      `1/a_a_${HASH}.png`,
      `1/${HASH}%20.png`,
    ],
    ...[`1/${HASH}.png%0A`.slice(0, -3), `99999999999999999999999/${HASH}.png`, `1.0/${HASH}.png`],
  ])('%s is not found', async (path) => {
    for (const kind of ['avatars', 'banners']) {
      const response = await sendRaw(service, [`GET /media/${kind}/${path} HTTP/1.1`]);
      expectApiError(response, 'NOT_FOUND');
      expect(response.headers.has('location')).toBe(false);
    }
  });

  test.each([
    `..%2f..%2f/${HASH}.png`,
    `1/..%2f${HASH}.png`,
    `1/${HASH}.png%00`,
    `1/%5c${HASH}.png`,
    `%2e%2e/${HASH}.png`,
  ])('%s violates the key rule', async (path) => {
    expectApiError(await sendRaw(service, [`GET /media/avatars/${path} HTTP/1.1`]), 'BAD_REQUEST');
  });

  test('an asset is not an attachment, and one of another kind or owner is not found', async () => {
    const grace = await person(service, 'grace');
    const name = await avatarOf(await picture('png'), grace);
    await fetched(`/media/avatars/${grace.id}/${name}.png`);
    for (const path of [
      `/media/attachments/avatars/${grace.id}/${name}`,
      `/media/banners/${grace.id}/${name}.png`,
      `/media/avatars/${alice.id}/${name}.png`,
    ]) {
      expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
    }
  });
});

describe('media.md 7.2, the local cache', () => {
  test('is limited: the least recently used files are deleted first', async () => {
    await withGatehouse({ env: { MEDIA_CACHE_BYTES: '3000' } }, async (small) => {
      const owner = await person(small, 'owner');
      const { body } = await small.as(owner).patch(ME, { avatar: base64(await picture('png', 600, 600)) });
      const path = `/media/avatars/${owner.id}/${body.avatar}.png`;
      const directory = join(small.app.get(Config).dataDir, 'media-cache');
      for (const size of [128, 160, 240, 256, 300, 320, 480, 512, 600]) {
        expect((await fetchBytes(small, `${path}?size=${size}`)).status).toBe(200);
      }
      const total = (
        await Promise.all(
          readdirSync(directory).map(async (name) => (await import('node:fs/promises')).stat(join(directory, name))),
        )
      ).reduce((sum, { size }) => sum + size, 0);
      expect(total).toBeGreaterThan(0);
      expect(total).toBeLessThanOrEqual(3000);
    });
  });
});
