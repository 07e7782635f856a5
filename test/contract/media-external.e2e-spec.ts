import { createHmac } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Config } from '../../src/core/config/config.js';
import { signCapability } from '../../src/media/addresses/capability.js';
import { opaqueTarget, signatureOf } from '../../src/media/addresses/signature.js';
import { MediaUrlService } from '../../src/media/addresses/urls.service.js';
import { OutboundFault } from '../../src/platform/outbound/network.js';
import { Outbound } from '../../src/platform/outbound/outbound.js';
import {
  animatedPicture,
  createCredentialSet,
  expectApiError,
  expectInvalid,
  factsOf,
  fetchBytes,
  type Gatehouse,
  gatehouse,
  newWebhook,
  OriginServer,
  type Persona,
  pathOf,
  person,
  picture,
  sendRaw,
  withGatehouse,
} from '../support/index.js';

const OLD = 'the-old-signing-secret-of-32-characters-and-more';
const NEW = 'the-new-signing-secret-of-32-characters-and-more';
const YEAR = 31_536_000;

let origin: OriginServer;
let service: Gatehouse;
let alice: Persona;
let png: Buffer;
beforeAll(async () => {
  origin = await new OriginServer().open();
  service = await gatehouse({
    network: origin,
    env: { MEDIA_SIGNING_SECRETS: `${NEW},${OLD}`, MEDIA_EXTERNAL_MAX_BYTES: '300000' },
  });
  alice = await person(service, 'alice');
  png = await picture('png', 60, 30);
});
beforeEach(() => {
  origin.requests.length = 0;
  origin.resolvedNames.length = 0;
  origin.connections = 0;
  origin.serve(png, { 'content-type': 'image/png' });
});
afterAll(async () => {
  await service.close();
  await origin.close();
});

/** Gives each fetch its own host, so that no fetch waits for the connection of another one. */
let hosts = 0;
const site = (path = '/a.png') => `http://site${hosts++}.example.com${path}`;
const sealed = (signed: string, secret = NEW) => `/media/external/${signatureOf(secret, signed)}/${signed}`;
const pathTo = (url = site(), secret = NEW) => sealed(opaqueTarget(url), secret);
const get = (path: string, headers: Record<string, string> = {}) => fetchBytes(service, path, headers);
/** Returns whether the response ends before it is complete. */
const breaksOff = (path: string): Promise<boolean> =>
  get(path).then(
    () => false,
    () => true,
  );
/** Sends a request that must be rejected, so the response body is never an image. */
const refused = (path: string, headers: Record<string, string> = {}) => service.anonymous.get(path, { headers });

describe('media.md 5.3, the issuer', () => {
  const sign = (body: unknown, who: string | Persona = alice) => service.as(who).post('/v1/media/external', body);

  test('returns an opaque URL that is valid as long as its secret', async () => {
    const { status, body } = await sign({ url: 'https://images.example.com/a%20b.png?x=1#part' });
    const signed = 'v2/aHR0cHM6Ly9pbWFnZXMuZXhhbXBsZS5jb20vYSUyMGIucG5nP3g9MQ';
    expect({ status, body }).toEqual({
      status: 200,
      body: { proxy_url: `http://localhost:8080${sealed(signed)}`, expires_at: null },
    });
  });

  test('with expires_in, the URL expires', async () => {
    const { body } = await sign({ url: site(), expires_in: 60 });
    expect(body.proxy_url).toMatch(/\/media\/external\/[\w-]{43}\/e\/\d{10}\/v2\/[\w-]+$/);
    const unix = Number(/\/e\/(\d+)\//.exec(body.proxy_url)?.[1]);
    expect(body.expires_at).toBe(new Date(unix * 1000).toISOString());
    const path = pathOf(body.proxy_url);
    const response = await get(path);
    expect(response.status).toBe(200);
    const [, maxAge] = /^public, max-age=(\d+)$/.exec(response.headers.get('cache-control') ?? '') ?? [];
    expect(Number(maxAge)).toBeGreaterThan(0);
    expect(Number(maxAge)).toBeLessThanOrEqual(60);
    service.clock.advance({ seconds: 61 });
    expectApiError(await refused(path), 'UNAUTHORIZED');
  });

  test('a URL of this service is returned unchanged', async () => {
    const url = 'http://localhost:8080/media/attachments/1/2/3?x=y';
    expect((await sign({ url })).body).toEqual({ proxy_url: url, expires_at: null });
  });

  test.each<[unknown, string]>([
    [undefined, 'INVALID_FORMAT'],
    [null, 'INVALID_FORMAT'],
    [5, 'INVALID_FORMAT'],
    ['', 'INVALID_MEDIA_URL'],
    ['nonsense', 'INVALID_MEDIA_URL'],
    ['ftp://site.example.com/', 'INVALID_MEDIA_URL'],
    ['http://127.0.0.1/', 'INVALID_MEDIA_URL'],
    ['http://[::1]/', 'INVALID_MEDIA_URL'],
    ['http://localhost/', 'INVALID_MEDIA_URL'],
    ['http://a:b@site.example.com/', 'INVALID_MEDIA_URL'],
    ['http://site.example.com:0/', 'INVALID_MEDIA_URL'],
    ['http://site.example.com./', 'INVALID_MEDIA_URL'],
    ['http://localhost:8080/v1/users/@me', 'INVALID_MEDIA_URL'],
    [`http://site.example.com/${'x'.repeat(8192)}`, 'INVALID_MEDIA_URL'],
  ])('URL %# of the list is rejected without a request to it', async (url, code) => {
    expectInvalid(await sign({ url }), `url: ${code}`);
    expect(origin.resolvedNames).toEqual([]);
  });

  test.each([59, 604_801, 60.5, '60', null, -1])('expires_in %j is rejected', async (expires_in) => {
    expectInvalid(await sign({ url: site(), expires_in }), 'expires_in: INVALID_FORMAT');
  });

  test('only sessions and bots may; suspicious accounts may not', async () => {
    const { session, bot, bearer, adminKey } = await createCredentialSet(service, { scopes: ['identify'] });
    const suspicious = await createCredentialSet(service, { suspicious: 1 });
    for (const who of [session, bot]) expect((await sign({ url: site() }, who)).status).toBe(200);
    expectApiError(await sign({ url: site() }, bearer), 'ACCESS_DENIED');
    expectApiError(await sign({ url: site() }, adminKey), 'UNAUTHORIZED');
    expectApiError(await service.anonymous.post('/v1/media/external', { url: site() }), 'UNAUTHORIZED');
    expectApiError(await sign({ url: site() }, suspicious.session), 'ACCOUNT_SUSPICIOUS_ACTIVITY');
  });

  test('controllers sign with MediaUrlService', () => {
    const urls = service.app.get(MediaUrlService);
    expect(urls.sign('http://10.0.0.1/')).toBeNull();
    expect(urls.sign(site(), { expiresIn: 90 })?.expires_at).toMatch(/Z$/);
  });
});

describe('media.md 5.1 and 5.2, signatures', () => {
  test('both forms of a target, plain and expiring, with each secret of the list', async () => {
    const unix = service.clock.seconds() + 100;
    for (const secret of [NEW, OLD]) {
      for (const target of [
        opaqueTarget(site('/x%20y.png?q=1')),
        `%3Fq%3D1/http/site${hosts++}.example.com/x%20y.png`,
      ]) {
        for (const signed of [target, `e/${unix}/${target}`]) {
          expect((await get(sealed(signed, secret))).status).toBe(200);
        }
      }
    }
    expect(new Set(origin.requests.map(({ url }) => url))).toEqual(new Set(['/x%20y.png?q=1']));
    expect(origin.requests).toHaveLength(8);
  });

  test('the raw path is signed: no other spelling of it has the same signature', async () => {
    const host = `site${hosts++}.example.com`;
    const signed = `http/${host}/%41b`;
    expect((await get(sealed(signed))).status).toBe(200);
    expect(origin.requests.at(-1)?.url).toBe('/%41b');
    const signature = signatureOf(NEW, signed);
    for (const other of [`http/${host}/Ab`, `http/${host}/%41%62`, `%68ttp/${host}/%41b`, `http/${host}/%41b/`]) {
      expectApiError(await sendRaw(service, [`GET /media/external/${signature}/${other} HTTP/1.1`]), 'UNAUTHORIZED');
    }
    expect(origin.requests).toHaveLength(1);
  });

  test('an absolute-form request target means the same path', async () => {
    const path = pathTo();
    const response = await sendRaw(service, [`HEAD http://gatehouse.test${path} HTTP/1.1`]);
    expect(response.status).toBe(200);
  });

  test.each<[string, (signature: string, signed: string) => string]>([
    ['another signature', (_, signed) => `${'A'.repeat(43)}/${signed}`],
    ['a shorter one', (signature, signed) => `${signature.slice(1)}/${signed}`],
    ['a padded one', (signature, signed) => `${signature}=/${signed}`],
    ['one in hexadecimal', (signature, signed) => `${Buffer.from(signature, 'base64url').toString('hex')}/${signed}`],
    ['one of upper case', (signature, signed) => `${signature.toUpperCase()}/${signed}`],
    [
      'one with a changed last bit',
      (signature, signed) => `${signature.slice(0, 42)}${signature[42] === 'A' ? 'B' : 'A'}/${signed}`,
    ],
    ['another target', (signature) => `${signature}/${opaqueTarget('http://other.example.com/')}`],
    ['a longer target', (signature, signed) => `${signature}/${signed}A`],
    ['an expiry in front', (signature, signed) => `${signature}/e/9999999999/${signed}`],
    ['the signature twice', (signature, signed) => `${signature}/${signature}/${signed}`],
    [
      'percent signs in the signature',
      (signature, signed) => `%${signature.charCodeAt(0).toString(16)}${signature.slice(1)}/${signed}`,
    ],
  ])('%s is rejected before any lookup', async (_, spoil) => {
    const signed = opaqueTarget(site());
    expectApiError(
      await sendRaw(service, [`GET /media/external/${spoil(signatureOf(NEW, signed), signed)} HTTP/1.1`]),
      'UNAUTHORIZED',
    );
    expect(origin.resolvedNames).toEqual([]);
  });

  test('the key of upload capabilities signs no media URL, and none of these keys signs a capability', async () => {
    const [relay] = service.app.get(MediaUrlService).relaySecrets;
    const signed = opaqueTarget(site());
    const signature = createHmac('sha256', relay as Uint8Array)
      .update(signed)
      .digest('base64url');
    expectApiError(await refused(`/media/external/${signature}/${signed}`), 'UNAUTHORIZED');
    const claims = { b: 'uploads', k: 'abc', m: 'put', mb: 10, e: service.clock.seconds() + 60 };
    const t = signCapability(Buffer.from(NEW), claims);
    expectApiError(await service.anonymous.put(`/media/relay/abc?t=${t}`, Buffer.from('x')), 'UNAUTHORIZED');
  });

  test('a removed secret neither verifies nor signs', async () => {
    expectApiError(await refused(pathTo(site(), 'another-signing-secret-of-32-characters-and-more')), 'UNAUTHORIZED');
    await withGatehouse({ network: origin, env: { MEDIA_SIGNING_SECRETS: NEW } }, async (rotated) => {
      expect((await fetchBytes(rotated, pathTo(site(), NEW))).status).toBe(200);
      expectApiError(await rotated.anonymous.get(pathTo(site(), OLD)), 'UNAUTHORIZED');
    });
  });

  test('an expiry can be neither changed nor removed, and is rejected like a wrong signature', async () => {
    const target = opaqueTarget(site());
    const now = service.clock.seconds();
    const signed = `e/${now + 1000}/${target}`;
    const signature = signatureOf(NEW, signed);
    for (const other of [`e/${now + 2000}/${target}`, target, `e/${now + 1000}/e/${now + 1000}/${target}`]) {
      expectApiError(await refused(`/media/external/${signature}/${other}`), 'UNAUTHORIZED');
    }
    const expired = await refused(sealed(`e/${now - 1}/${target}`));
    const wrong = await refused(`/media/external/${'A'.repeat(43)}/${target}`);
    expectApiError(expired, 'UNAUTHORIZED');
    expect(expired.text).toBe(wrong.text);
    expect(origin.resolvedNames).toEqual([]);
  });

  test.each(['e/', 'e/1', 'e/x/v2/aa', 'e/01/v2/aa', 'e/-1/v2/aa', 'e/123456789012/v2/aa', 'e/1.5/v2/aa', 'e//v2/aa'])(
    'the expiry of %s is malformed',
    async (signed) => expectApiError(await refused(sealed(signed)), 'BAD_REQUEST'),
  );

  test.each(['abc', 'abc/', `${'A'.repeat(43)}`, `${'A'.repeat(43)}/`])(
    '/media/external/%s has no signature',
    async (rest) => expectApiError(await sendRaw(service, [`GET /media/external/${rest} HTTP/1.1`]), 'BAD_REQUEST'),
  );

  test('a URL without a signature is not found, on one platform not even a route', async () => {
    expectApiError(await sendRaw(service, ['GET /media/external/ HTTP/1.1']), 'NOT_FOUND');
    for (const rest of ['/', '/v2/abc']) {
      const { status } = await sendRaw(service, [`GET /media/external/${rest} HTTP/1.1`]);
      expect([400, 404]).toContain(status);
    }
  });

  test.each([
    ...['v2/', 'v2/a', 'v2/%61', 'v2/a=', 'v3/abc', 'x', 'http', 'http/', 'ftp/site.example.com/a', '%3Fa/ftp/a.b/c'],
    ...['https//a', 'HTTP/site.example.com/a', 'v2/_-__', 'http/site.example.com%2f..%2f/a', 'http/a%00.example.com/'],
  ])('the target %s is invalid', async (signed) => {
    expectApiError(await sendRaw(service, [`GET ${sealed(signed)} HTTP/1.1`]), 'BAD_REQUEST');
    expect(origin.connections).toBe(0);
  });

  test('wrong methods are not found', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expectApiError(await service.anonymous.send(method, pathTo()), 'NOT_FOUND');
    }
    expect(origin.resolvedNames).toEqual([]);
  });
});

describe('media.md section 6, fetching', () => {
  test('the origin receives the URL and four headers of the fetcher, nothing of the caller', async () => {
    const url = site('/deep/a.png?q=1');
    await get(pathTo(url), {
      authorization: alice.authorization,
      cookie: 'session=canary',
      referer: 'https://secret.example/',
      'x-forwarded-for': '1.2.3.4',
      'user-agent': 'browser',
      'accept-language': 'de',
      'if-none-match': '"x"',
    });
    const [request] = origin.requests;
    const { host, connection, accept, ...sent } = request?.headers ?? {};
    expect([request?.method, request?.url, host]).toEqual(['GET', '/deep/a.png?q=1', new URL(url).host]);
    expect(sent).toEqual({ 'user-agent': 'GatehouseMedia/1', 'accept-encoding': 'identity' });
    expect(accept).toContain('image/*');
    expect(connection).toBe('close');
  });

  test.each<[string, string]>([
    ['a literal', 'http://127.0.0.1/'],
    ['a literal that is public', 'http://8.8.8.8/'],
    ['a number', 'http://2130706433/'],
    ['a local name', 'http://localhost:8080/'],
    ['a name of this machine', 'http://a.inner.example/'],
    ['a name with one bad address', 'http://a.half.example/'],
    ['a name with none', 'http://a.nowhere.example/'],
    ['user info', 'http://a@site.example.com/'],
    ['another scheme', 'file:///etc/passwd'],
    ['a trailing dot', 'http://site.example.com./'],
    ['port 0', 'http://site.example.com:0/'],
    ['nothing', ''],
    ['our own host', 'http://localhost/media/attachments/a'],
  ])('%s gets the same response as every rejected target', async (_, url) => {
    const response = await refused(url === '' ? sealed('v2/') : pathTo(url));
    expectApiError(response, 'BAD_REQUEST');
    const { text } = await refused(pathTo('http://127.0.0.1/'));
    expect(response.text).toBe(text);
    expect(origin.connections).toBe(0);
  });

  test('redirects are followed five times, and each target is checked', async () => {
    const hop = (to: (n: number) => string | undefined) => {
      let n = 0;
      origin.respond = (_req, res) => {
        const location = to(n++);
        if (location === undefined) res.writeHead(200).end(png);
        else res.writeHead(302, location === '' ? {} : { location }).end();
      };
    };
    hop((n) => (n < 5 ? `http://hop${n}.example.com/` : undefined));
    expect((await get(pathTo())).bytes.equals(png)).toBe(true);
    hop((n) => `http://hop${n}.example.com/`);
    expectApiError(await refused(pathTo()), 'BAD_GATEWAY');
    expect(origin.requests).toHaveLength(6 + 6);
    hop(() => '/same');
    expectApiError(await refused(pathTo()), 'BAD_GATEWAY');
    hop(() => '');
    expectApiError(await refused(pathTo()), 'BAD_GATEWAY');
    for (const location of [
      'http://127.0.0.1/',
      'http://a.inner.example/',
      'http://a.half.example/',
      'file:///etc/passwd',
      '//localhost/',
      'http://a@b.example.com/',
    ]) {
      const before = origin.connections;
      hop((n) => (n === 0 ? location : undefined));
      expectApiError(await refused(pathTo()), 'BAD_REQUEST');
      expect(origin.connections).toBe(before + 1);
    }
  });

  test('the response never redirects', async () => {
    origin.respond = (_req, res) => void res.writeHead(301, { location: 'http://elsewhere.example.com/' }).end();
    const response = await refused(pathTo());
    expect([response.status, response.headers.has('location')]).toEqual([502, false]);
  });

  test.each([400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 428, 429])(
    'status %i of the origin is kept',
    async (status) => {
      origin.respond = (_req, res) =>
        void res.writeHead(status, { 'www-authenticate': 'Basic' }).end('canary-of-origin');
      const response = await refused(pathTo());
      expect({ status: response.status, code: response.body.code }).toEqual({ status, code: 'UPSTREAM_FETCH_FAILED' });
      expect(response.headers.has('www-authenticate')).toBe(false);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.text).not.toContain('canary');
    },
  );

  test.each([201, 202, 204, 206, 300, 304, 402, 407, 418, 421, 451, 500, 503, 599])(
    'status %i of the origin is a bad gateway',
    async (status) => {
      origin.respond = (_req, res) => void res.writeHead(status).end();
      expectApiError(await refused(pathTo()), 'BAD_GATEWAY');
    },
  );

  test('an origin that breaks off, or uses another protocol, is a bad gateway', async () => {
    origin.respond = (_req, res) => void res.socket?.destroy();
    expectApiError(await refused(pathTo()), 'BAD_GATEWAY');
    origin.respond = (_req, res) => void res.socket?.end('220 smtp ready\r\n');
    expectApiError(await refused(pathTo()), 'BAD_GATEWAY');
    origin.respond = (_req, res) => {
      res.writeHead(200, { 'content-length': '5000' });
      res.write(png.subarray(0, 20), () => res.socket?.destroy());
    };
    expectApiError(await refused(pathTo()), 'BAD_GATEWAY');
  });

  test('an origin that is too slow, and too many parallel fetches', async () => {
    const outbound = service.app.get(Outbound);
    const { fetchForUser } = outbound;
    for (const [reason, code] of [
      ['slow', 'GATEWAY_TIMEOUT'],
      ['busy', 'SERVICE_UNAVAILABLE'],
    ] as const) {
      outbound.fetchForUser = async () => {
        throw new OutboundFault(reason);
      };
      expectApiError(await refused(pathTo()), code);
      expectApiError(await refused(`${pathTo()}?width=10`), code);
    }
    outbound.fetchForUser = fetchForUser;
  });

  test('a second fetch has only the rest of 30 s', async () => {
    const outbound = service.app.get(Outbound);
    const { fetchForUser } = outbound;
    const times: number[] = [];
    outbound.fetchForUser = (request) => {
      times.push(request.timeoutMs ?? 0);
      return fetchForUser.call(outbound, request);
    };
    origin.respond = (req, res) => {
      service.clock.advance({ seconds: 10 });
      res.writeHead(req.headers.range ? 206 : 200, { 'content-length': png.length }).end(png);
    };
    expect((await get(pathTo(), { range: 'bytes=0-3' })).status).toBe(206);
    outbound.fetchForUser = fetchForUser;
    expect(times).toHaveLength(2);
    expect(times[0]).toBeLessThanOrEqual(30_000);
    expect(times[1]).toBeLessThanOrEqual(20_000);
  });

  test('a header block beyond 16 KiB is too much', async () => {
    origin.respond = (_req, res) => void res.writeHead(200, { 'x-long': 'x'.repeat(17_000) }).end();
    expectApiError(await refused(pathTo()), 'GATEWAY_TIMEOUT');
  });

  test('a body beyond the limit is too large if declared, and otherwise ends the connection', async () => {
    origin.serve(Buffer.alloc(300_001), { 'content-length': '300001' });
    expectApiError(await refused(pathTo()), 'PAYLOAD_TOO_LARGE');
    origin.respond = (_req, res) => {
      res.write(Buffer.alloc(200_000));
      res.end(Buffer.alloc(200_000));
    };
    expect(await breaksOff(pathTo())).toBe(true);
    origin.serve(Buffer.alloc(300_000));
    expect((await get(pathTo())).bytes).toHaveLength(300_000);
  });

  test('of 17 parallel fetches to one host, the last is rejected', async () => {
    const waiting: ServerResponse[] = [];
    origin.respond = (_req, res) => void waiting.push(res);
    const url = site();
    const fetches = Array.from({ length: 16 }, () => get(pathTo(url)));
    while (waiting.length < 16) await new Promise((resolve) => setImmediate(resolve));
    const response = await refused(pathTo(url));
    expectApiError(response, 'SERVICE_UNAVAILABLE');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    for (const res of waiting) res.end(png);
    expect((await Promise.all(fetches)).map(({ status }) => status)).toEqual(Array(16).fill(200));
  });

  test('of 33 parallel fetches for one IP address, the last is rejected, and another IP address has its own limit', async () => {
    const waiting: ServerResponse[] = [];
    origin.respond = (_req, res) => void waiting.push(res);
    const ask = (from: string) => sendRaw(service, [`GET ${pathTo()} HTTP/1.1`], { from });
    const until = async (count: number) => {
      while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    const fetches = Array.from({ length: 32 }, () => ask('127.1.0.1'));
    await until(32);
    const refusals = await Promise.all(Array.from({ length: 32 }, () => ask('127.1.0.1')));
    for (const response of refusals) expectApiError(response, 'SERVICE_UNAVAILABLE');
    expect(waiting).toHaveLength(32);
    const other = ask('127.1.0.2');
    await until(33);
    for (const res of waiting) res.end(png);
    expect((await Promise.all([...fetches, other])).map(({ status }) => status)).toEqual(Array(33).fill(200));
    // All slots are free again.
    origin.serve(png);
    const later = await Promise.all(Array.from({ length: 32 }, () => ask('127.1.0.1')));
    expect(later.map(({ status }) => status)).toEqual(Array(32).fill(200));
  });

  test('MEDIA_EXTERNAL_PORTS limits the ports', async () => {
    await withGatehouse(
      {
        network: origin,
        env: { MEDIA_SIGNING_SECRETS: NEW, MEDIA_EXTERNAL_PORTS: '80,443' },
      },
      async (narrow) => {
        expect((await fetchBytes(narrow, pathTo(site()))).status).toBe(200);
        for (const port of [22, 25, 5432, 6379, 8080]) {
          expectApiError(await narrow.anonymous.get(pathTo(`http://ports.example.com:${port}/`)), 'BAD_REQUEST');
        }
        const response = await narrow.as(alice.authorization).get(pathTo(site()));
        expect(response.status).toBe(200);
      },
    );
  });
});

describe('media.md 7.3 and section 9, response headers', () => {
  test('headers of external media', async () => {
    origin.serve(png, {
      'content-type': 'text/html',
      etag: '"theirs"',
      'set-cookie': 'a=b',
      'cache-control': 'private',
      'last-modified': 'Fri, 01 Jan 2021 00:00:00 GMT',
      'x-frame-options': 'x',
      'content-disposition': 'attachment; filename="theirs.exe"',
    });
    const { status, headers, bytes } = await get(pathTo(site('/dir/na%20me.png?x=1')));
    expect([status, bytes.equals(png)]).toEqual([200, true]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'content-disposition': 'inline; filename="na me.png"',
      'cache-control': `public, max-age=${YEAR}`,
      'cdn-cache-control': `public, max-age=${YEAR}`,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'accept-ranges': 'bytes',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
    });
    for (const name of ['etag', 'last-modified', 'set-cookie', 'expires', 'x-frame-options', 'location']) {
      expect(headers.has(name)).toBe(false);
    }
  });

  test.each<[string, Buffer | string, string, string]>([
    ['text/html', '<!doctype html><script>1</script>', 'application/octet-stream', 'attachment'],
    [
      'image/png',
      '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      'application/octet-stream',
      'attachment',
    ],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'application/octet-stream', 'attachment'],
    ['text/plain', 'plain', 'application/octet-stream', 'attachment'],
    ['application/pdf', '%PDF-1.4\n%', 'application/octet-stream', 'attachment'],
    ['text/javascript', 'alert(1)', 'application/octet-stream', 'attachment'],
    ['text/html', 'GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000;<script>', 'image/gif', 'inline'],
    [
      'text/html',
      Buffer.from('1a45dfa3934282847765626d42878104428581021853806701ffffffffffffff', 'hex'),
      'video/webm',
      'inline',
    ],
    ['text/html', Buffer.concat([Buffer.from('fffb9064', 'hex'), Buffer.alloc(413)]), 'audio/mpeg', 'attachment'],
    ['image/png', '', 'application/octet-stream', 'attachment'],
  ])('declared %s, found %j: %s, %s', async (declared, content, type, disposition) => {
    origin.serve(Buffer.from(content as string, 'latin1'), { 'content-type': declared });
    const { headers, status } = await get(pathTo());
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(headers.get('content-disposition')).toMatch(new RegExp(`^${disposition}; `));
    const noTransform = /^(?:audio|video)/.test(type) ? ', no-transform' : '';
    expect(headers.get('cache-control')).toBe(`public, max-age=${YEAR}${noTransform}`);
  });

  test('download returns an image as an attachment', async () => {
    const { headers } = await get(`${pathTo()}?download=1`);
    expect(headers.get('content-disposition')).toBe('attachment; filename="a.png"');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  test('a body without a declared length is passed on', async () => {
    origin.respond = (_req, res) => {
      res.write(png.subarray(0, 30));
      res.end(png.subarray(30));
    };
    const { status, bytes } = await get(pathTo());
    expect([status, bytes.equals(png)]).toEqual([200, true]);
  });

  test('HEAD is GET without a body', async () => {
    const { status, text, headers } = await service.anonymous.send('HEAD', pathTo());
    expect([status, text, headers.get('content-length'), headers.get('content-type')]).toEqual([
      ...[200, '', String(png.length), 'image/png'],
    ]);
    expect(origin.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test('no condition applies without a tag', async () => {
    for (const tag of ['*', '"x"']) expect((await get(pathTo(), { 'if-none-match': tag })).status).toBe(200);
  });
});

describe('media.md section 8, ranges of external media', () => {
  const film = Buffer.concat([Buffer.from('00000018667479706d70343200000000', 'hex'), Buffer.alloc(9000, 7)]);
  /** Makes the origin support range requests. */
  const ranged = (bytes: Buffer, type: string) => {
    origin.respond = (req, res) => {
      const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(req.headers.range ?? '') ?? [];
      if (first === undefined || last === undefined) {
        res.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
        return;
      }
      const start = first === '' ? bytes.length - Number(last) : Number(first);
      const end = first === '' || last === '' ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1);
      const headers = { 'content-type': type, 'content-range': `bytes ${start}-${end}/${bytes.length}` };
      res.writeHead(206, headers).end(bytes.subarray(start, end + 1));
    };
  };
  const part = async (range: string, path = pathTo(site('/film.mp4')), more: Record<string, string> = {}) => {
    const { status, headers, bytes } = await get(path, { range, ...more });
    return { status, range: headers.get('content-range'), type: headers.get('content-type'), bytes };
  };

  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=5000-5999', 5000, 5999],
    ['bytes=9000-', 9000, 9015],
    ['bytes=-16', 9000, 9015],
    ['bytes=9000-99999', 9000, 9015],
  ])('%s is requested from the origin and relayed', async (range, start, end) => {
    ranged(film, 'video/mp4');
    expect(await part(range)).toEqual({
      ...{ status: 206, range: `bytes ${start}-${end}/9016`, type: 'video/mp4' },
      bytes: film.subarray(start, end + 1),
    });
  });

  test('a range from the middle needs a supported declared type; otherwise the complete file is fetched', async () => {
    ranged(film, 'text/html');
    expect(await part('bytes=5000-5001')).toMatchObject({
      status: 206,
      type: 'video/mp4',
      range: 'bytes 5000-5001/9016',
    });
    expect(origin.requests.map(({ headers }) => headers.range)).toEqual(['bytes=5000-5001', undefined]);
  });

  test('a range too short to detect the type fetches the complete file', async () => {
    ranged(film, 'video/mp4');
    expect(await part('bytes=0-1')).toMatchObject({ status: 206, type: 'video/mp4', bytes: film.subarray(0, 2) });
    expect(origin.requests).toHaveLength(2);
  });

  test('an origin without ranges: the range is cut here', async () => {
    origin.serve(film, { 'content-length': String(film.length) });
    expect(await part('bytes=4-7')).toMatchObject({ status: 206, range: 'bytes 4-7/9016', bytes: film.subarray(4, 8) });
    expect(await part('bytes=-2')).toMatchObject({ status: 206, range: 'bytes 9014-9015/9016' });
    expect(origin.requests).toHaveLength(2);
    for (const range of ['bytes=5-2', 'bytes=-0', 'bytes=9016-']) {
      const response = await refused(pathTo(), { range });
      expectApiError(response, 'RANGE_NOT_SATISFIABLE');
      expect(response.headers.get('content-range')).toBe('bytes */9016');
    }
  });

  test('an origin without a declared length: the range is also cut here', async () => {
    origin.respond = (_req, res) => {
      res.write(film.subarray(0, 6000));
      res.end(film.subarray(6000));
    };
    expect(await part('bytes=-2')).toMatchObject({ status: 206, range: 'bytes 9014-9015/9016' });
  });

  test.each<[string, Record<string, string>]>([
    ['another part', { 'content-range': 'bytes 1-4/9016' }],
    ['a longer part', { 'content-range': 'bytes 0-99/9016', 'content-length': '100' }],
    ['no size', { 'content-range': 'bytes 0-3/*' }],
    ['nonsense', { 'content-range': 'bytes x' }],
    ['nothing', {}],
    ['two parts', { 'content-type': 'multipart/byteranges; boundary=x' }],
    ['a size below the part', { 'content-range': 'bytes 0-3/2' }],
  ])('a 206 with %s is not relayed', async (_, headers) => {
    origin.respond = (req, res) => {
      if (req.headers.range) res.writeHead(206, { 'content-type': 'video/mp4', ...headers }).end(Buffer.alloc(100));
      else res.writeHead(200, { 'content-length': film.length }).end(film);
    };
    expect(await part('bytes=0-3')).toMatchObject({ status: 206, range: 'bytes 0-3/9016', bytes: film.subarray(0, 4) });
  });

  test.each(['bytes=0-1,3-4', 'Bytes=0-1', 'bytes=x', `bytes=0-${',1-2'.repeat(1000)}`])(
    'range %# of the list is ignored, here and at the origin',
    async (range) => {
      ranged(film, 'video/mp4');
      expect(await part(range)).toMatchObject({ status: 200, range: null });
      expect(origin.requests.map(({ headers }) => headers.range)).toEqual([undefined]);
    },
  );

  test('If-Range never matches, because there is no tag', async () => {
    ranged(film, 'video/mp4');
    expect((await part('bytes=0-9', pathTo(), { 'if-range': '"x"' })).status).toBe(200);
  });
});

describe('media.md 7.1, transforms of external media', () => {
  test('the query is not signed: one URL works with other sizes and formats', async () => {
    const path = pathTo();
    const { status, headers, bytes } = await get(`${path}?width=20&format=webp`);
    expect([status, headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(await factsOf(bytes)).toEqual({ format: 'webp', width: 20, height: 10, frames: 1, hasMetadata: false });
    expect(headers.has('etag')).toBe(false);
    expect(headers.get('content-disposition')).toBe('inline; filename="a.webp"');
    const tail = await get(`${path}?width=20&format=webp`, { range: 'bytes=-4' });
    expect([tail.status, tail.bytes.equals(bytes.subarray(-4))]).toEqual([206, true]);
    origin.serve(await animatedPicture('gif'));
    expect((await factsOf((await get(`${path}?animated=true`)).bytes)).frames).toBe(3);
    expect(readdirSync(join(service.app.get(Config).dataDir, 'media-cache'))).toEqual([]);
  });

  test.each(['width=0', 'height=16385', 'format=svg', 'format='])('%s is rejected before any fetch', async (query) => {
    expectApiError(await refused(`${pathTo()}?${query}`), 'BAD_REQUEST');
    expect(origin.connections).toBe(0);
  });

  test('video and audio are returned unchanged; anything else that is not a raster image is rejected', async () => {
    const film = Buffer.concat([Buffer.from('00000018667479706d70343200000000', 'hex'), Buffer.alloc(100)]);
    origin.serve(film);
    expect((await get(`${pathTo()}?width=10`)).bytes.equals(film)).toBe(true);
    for (const content of ['<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'text', '%PDF-1.4', '']) {
      origin.serve(content);
      expectApiError(await refused(`${pathTo()}?width=10`), 'BAD_REQUEST');
    }
    origin.serve(png.subarray(0, 60));
    expectApiError(await refused(`${pathTo()}?width=10`), 'BAD_REQUEST');
  });

  test('an image beyond the decoding limits is too large', async () => {
    await withGatehouse({ network: origin, env: { MEDIA_SIGNING_SECRETS: NEW } }, async (wide) => {
      origin.respond = (_req, res) =>
        void res
          .writeHead(200, { 'content-length': 50 * 1024 * 1024 + 1 })
          .write(Buffer.concat([png, Buffer.alloc(5000)]));
      expectApiError(await wide.anonymous.get(`${pathTo()}?width=10`), 'PAYLOAD_TOO_LARGE');
    });
  });
});

describe('media.md sections 10 and 11, secrecy', () => {
  test('neither the log nor an error contains a target, a host or a signature', async () => {
    const url = 'http://canary-of-host.example.com/canary-of-path?canary-of-query';
    const path = pathTo(url);
    await get(path);
    origin.respond = (_req, res) => void res.socket?.destroy();
    const broken = await refused(path);
    const wrong = await refused(path.replace(/external\/./, 'external/_'));
    origin.respond = (_req, res) => {
      res.writeHead(200, { 'content-length': '9999' });
      res.write(Buffer.alloc(5000), () => setImmediate(() => res.socket?.destroy()));
    };
    expect(await breaksOff(path)).toBe(true);
    const log = service.log.join('');
    const [, signature = ''] = /external\/([^/]+)/.exec(path) ?? [];
    for (const secret of ['canary-of', opaqueTarget(url).slice(3), signature, '93.184.216.34']) {
      for (const text of [log, broken.text, wrong.text]) expect(text).not.toContain(secret);
    }
    expect(log).toContain('/media/external/:signature/*path');
  });

  test('URLs in a webhook message are fetched only when viewed, and then without the webhook URL', async () => {
    const hook = await newWebhook(service, alice);
    const url = site('/face.png');
    const { body } = await service.anonymous.post(`${hook.path}?wait=1`, {
      ...{ content: 'x', avatar_url: url },
      embeds: [{ title: 't', image: { url: site() }, footer: { text: 'f', icon_url: site() } }],
    });
    expect(origin.resolvedNames).toEqual([]);
    const referer = { referer: `http://localhost:8080${hook.path}` };
    expect((await get(pathOf(body.author.avatar_url), referer)).bytes.equals(png)).toBe(true);
    expect((await get(pathOf(body.embeds[0].image.proxy_url), referer)).status).toBe(200);
    expect((await get(pathOf(body.embeds[0].footer.proxy_icon_url), referer)).status).toBe(200);
    expect(origin.requests).toHaveLength(3);
    expect(JSON.stringify(origin.requests.map(({ url, rawHeaders }) => [url, rawHeaders]))).not.toContain(hook.token);
    expect(service.log.join('')).not.toContain(hook.token);
  });

  test('none of it counts towards a ban', async () => {
    await withGatehouse(
      {
        network: origin,
        env: { MEDIA_SIGNING_SECRETS: NEW, TRUSTED_PROXIES: '127.0.0.0/8', IP_BAN_SCORE: '1', IP_BAN_STRIKES: '1' },
      },
      async (strict) => {
        const client = strict.anonymous.with({ 'x-forwarded-for': '93.184.216.77' });
        origin.respond = (_req, res) => void res.writeHead(429).end();
        for (let n = 0; n < 5; n++) {
          expectApiError(await client.get(`/media/external/${'A'.repeat(43)}/v2/abc`), 'UNAUTHORIZED');
          expectApiError(await client.put('/media/relay/a?t=b', new Uint8Array(1)), 'UNAUTHORIZED');
          expect((await client.get(pathTo())).status).toBe(429);
        }
        expect((await client.get('/.well-known/service')).status).toBe(200);
        expect(await strict.sql('SELECT * FROM ip_ban')).toEqual([]);
      },
    );
  });
});
