import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Instance } from '../../src/platform/instance/instance.js';
import { ALL_PAGES, COMPONENTS, CONSENT, LOGOUT } from '../../src/web/paths.js';
import {
  expectApiError,
  type Gatehouse,
  gatehouse,
  PRODUCTION_HASHES,
  superuser,
  type TestResponse,
  withGatehouse,
} from '../support/index.js';

const ORIGIN = 'https://gate.example';
const ASSET = /\/assets\/[\w-]+\.(?:js|css)/g;

/** Returns the response as sent. Other clients would decompress it. */
const raw = (service: Gatehouse, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
    request(`${service.url}${path}`, { headers, method }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode, headers: response.headers, bytes });
    })
      .on('error', reject)
      .end();
  });

describe('web.md 1: how the pages are served', () => {
  let service: Gatehouse;
  let page: string;
  beforeAll(async () => {
    service = await gatehouse({
      env: { PUBLIC_ORIGIN: ORIGIN, PRODUCT_NAME: 'Tür & "Tor" <b>', BRAND_ACCENT: '#8a2be2' },
    });
    ({ text: page } = await service.anonymous.get('/login'));
  });
  afterAll(() => service.close());

  test.each([...ALL_PAGES])('%s is the page, with its security headers', async (path) => {
    const { status, headers, text } = await service.anonymous.get(path);
    expect(status).toBe(200);
    expect(text).toBe(page);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    // The URLs of these pages contain the request of an application.
    expect(headers.get('cache-control')).toBe([CONSENT, LOGOUT].includes(path) ? 'no-store' : 'no-cache');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('permissions-policy')).toMatch(
      /^publickey-credentials-create=\(self\), publickey-credentials-get=\(self\)(?:, [a-z-]+=\(\))+$/,
    );
    expect(headers.get('content-security-policy')).toBe(
      [
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: https://gate.example",
        "connect-src 'self' wss://gate.example https://gate.example; form-action 'none'; base-uri 'none'",
        "frame-ancestors 'none'; require-trusted-types-for 'script'",
      ].join('; '),
    );
  });

  test('an account has a page with its ID in the path', async () => {
    expect((await service.anonymous.get('/admin/people/1466055124025344000')).text).toBe(page);
    for (const path of ['x', '1/2', '-1', '1'.repeat(21)]) {
      expectApiError(await service.anonymous.get(`/admin/people/${path}`), 'NOT_FOUND');
    }
  });

  test('the callback of a connection is a page with its ID in the path', async () => {
    expect((await service.anonymous.get('/auth/connections/my-corp-1/callback?code=a&state=b')).text).toBe(page);
    for (const id of ['A', 'a_b', 'a/b', 'a'.repeat(33)]) {
      expectApiError(await service.anonymous.get(`/auth/connections/${id}/callback`), 'NOT_FOUND');
    }
  });

  test('it contains nothing of a request, and no inline script or style', async () => {
    const requested = await service.anonymous.get('/login?return_to=%3Cscript%3E&x=canary', {
      headers: { 'accept-language': 'canary', 'x-forwarded-host': 'canary.example' },
    });
    expect(requested.text).toBe(page);
    expect(page).not.toMatch(/<script(?![^>]*\ssrc="\/assets\/)|<style|\sstyle=|\son\w+=/);
    expect(page).toContain('<title>Tür &#38; &#34;Tor&#34; &#60;b&#62;</title>');
  });

  test('the instance name in it changes with the configuration', async () => {
    const instance = service.app.get(Instance);
    expect(instance.current.branding.productName).toBe('Tür & "Tor" <b>');
    const before = await service.anonymous.get('/login');
    expect(
      (await service.anonymous.get('/login', { headers: { 'if-none-match': before.headers.get('etag') ?? '' } }))
        .status,
    ).toBe(304);
  });

  test.each([
    '/account/nothing',
    '/account/password/nothing',
    '/admin/nothing',
    '/admin/nothing/x',
    '/login//',
    '//login/',
    '/auth/nothing',
    '/assets/',
    '/assets/x.js',
    '/assets/../package.json',
    '/guides/nothing',
  ])('other paths below a mount are not found: %s', async (path) => {
    expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
    const asPage = await service.anonymous.get(path, { headers: { accept: 'text/html' } });
    expect(asPage.status).toBe(404);
    expect(asPage.text).not.toBe(page);
    const isFile = path.startsWith('/assets/');
    if (isFile) return;
    expect(asPage.text).toContain('<h1>Page not found</h1>');
    expect(asPage.headers.get('cache-control')).toBe('no-store');
    expect(asPage.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  test('without JavaScript, a page explains what it needs, and it describes itself', () => {
    expect(page).toContain('<h1>JavaScript is off</h1>');
    expect(page).toMatch(/<meta name="theme-color" content="#\w{6}" media="\(prefers-color-scheme: dark\)">/);
    expect(page).toContain(
      '<meta name="description" content="Sign in to Tür &#38; &#34;Tor&#34; &#60;b&#62; and manage your account.">',
    );
    expect(page).toMatch(/<link rel="apple-touch-icon" href="\/assets\/touch-icon-[\w-]+\.png">/);
  });

  test('a browser gets other errors of a page as a page, with the request ID of a server error', async () => {
    await withGatehouse({ env: { PUBLIC_ORIGIN: ORIGIN, RATE_LIMITS: 'on' } }, async ({ anonymous }) => {
      // 120 requests are allowed, and two more in each second that these take.
      const refusedOf = async (options: { headers?: Record<string, string> }) =>
        (await Promise.all(Array.from({ length: 300 }, () => anonymous.get('/login', options)))).find(
          ({ status }) => status !== 200,
        );
      const refused = await refusedOf({ headers: { accept: 'text/html' } });
      expect([refused?.status, refused?.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
      expect(refused?.text).toContain('<h1>This page can’t be shown</h1>');
      expect(refused?.text).toContain('RATE_LIMITED');
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
      expectApiError((await refusedOf({})) as TestResponse, 'RATE_LIMITED');
    });
  });

  test('until the instance has an administrator, its pages say so', async () => {
    await withGatehouse({ env: { PUBLIC_ORIGIN: ORIGIN } }, async (own) => {
      const needs = async () => (await own.anonymous.get('/')).text.includes('needsAdministrator&#34;:true');
      expect(await needs()).toBe(true);
      await superuser(own);
      expect(await needs()).toBe(false);
    });
  });

  test.each([
    ['/account/', '/account'],
    ['/account/nothing/', '/account/nothing'],
    ['/account/password//', '/account/password/'],
    ['/account/password/?a=//b', '/account/password?a=//b'],
    ['/admin/', '/admin'],
    ['/admin/audit/', '/admin/audit'],
    ['/login/?return_to=%2Fx', '/login?return_to=%2Fx'],
    ['/oauth2/authorize/', '/oauth2/authorize'],
  ])('a browser request with an extra slash is redirected to the page: %s', async (path, wanted) => {
    expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await raw(service, path, { accept: 'text/html' }, method);
      expect([status, headers.location]).toEqual([302, wanted]);
    }
    expectApiError(await service.anonymous.post(path, {}, { headers: { accept: 'text/html' } }), 'NOT_FOUND');
  });

  test('if administration is disabled, its pages are unknown paths', async () => {
    await withGatehouse({ env: { ADMIN_ALLOW_NETWORKS: '192.0.2.0/24' } }, async ({ anonymous }) => {
      const browser = { headers: { accept: 'text/html' } };
      const unknown = await anonymous.get('/nothing', browser);
      for (const path of ['/admin', '/admin/', '/admin/audit', '/admin/audit/', '/admin/nothing']) {
        const { status, text } = await anonymous.get(path, browser);
        expect([status, text]).toEqual([404, unknown.text]);
        expectApiError(await anonymous.get(path), 'NOT_FOUND');
      }
    });
  });

  test('files have a content hash in their name, are cached for a year and are compressed', async () => {
    const files = [...new Set(page.match(ASSET))];
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) {
      const plain = await raw(service, file);
      expect(plain.status).toBe(200);
      expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(plain.headers['content-encoding']).toBeUndefined();
      const br = await raw(service, file, { 'accept-encoding': 'gzip, br;q=0.5' });
      expect(br.headers['content-encoding']).toBe('br');
      expect(br.headers.vary).toContain('Accept-Encoding');
      expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
      const gzip = await raw(service, file, { 'accept-encoding': 'gzip, br;q=0' });
      expect(gzip.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
      const etag = plain.headers.etag ?? '';
      expect((await raw(service, file, { 'if-none-match': etag })).status).toBe(304);
      const head = await service.anonymous.send('HEAD', file);
      expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
      expect(head.headers.get('content-length')).toBe(String(plain.bytes.length));
    }
  });

  test('the pages of the browser router are those that the service serves', () => {
    const known = readFileSync(join(import.meta.dirname, '../../web/pages.ts'), 'utf8');
    const views = ['account', 'admin']
      .map((part) => readFileSync(join(import.meta.dirname, `../../web/${part}/views.ts`), 'utf8'))
      .join('\n');
    const paths = [...known.matchAll(/^ {2}'(\/[^']*)': \(\) =>/gm), ...views.matchAll(/path: '(\/[^']*)'/g)].map(
      ([, path]) => path,
    );
    const besides = new Set<string>([COMPONENTS]);
    expect([...new Set(paths)].filter((path) => !besides.has(path ?? '')).sort()).toEqual([...ALL_PAGES].sort());
  });
});

describe('web.md 1: the widget of a captcha', () => {
  test('is allowed on the pages that may require one, and on no other', async () => {
    const env = { CAPTCHA_PROVIDER: 'hcaptcha', HCAPTCHA_SITE_KEY: 'site', HCAPTCHA_SECRET: 'secret' };
    await withGatehouse({ env: { PUBLIC_ORIGIN: ORIGIN, ...env } }, async (service) => {
      const letIn = [];
      for (const path of ALL_PAGES) {
        const { headers } = await service.anonymous.get(path);
        if (headers.get('content-security-policy')?.includes('hcaptcha.com')) letIn.push(path);
      }
      const asking = [
        '/login',
        '/register',
        '/forgot',
        '/auth/reset',
        '/account/applications',
        '/admin/setup',
        CONSENT,
      ];
      expect(letIn.sort()).toEqual(asking.sort());
    });
  });
});

describe('web.md: instances with their own pages', () => {
  const OFF: Record<string, Record<string, string>> = {
    'a front end and a consent page elsewhere': {
      WEB_APP_URL: 'https://app.example',
      OAUTH_CONSENT_URL: 'https://app.example/consent',
    },
    'no pages wanted': { WEB_PAGES: 'off' },
  };

  test.each(Object.keys(OFF))('%s: there are no pages', async (name) => {
    await withGatehouse({ env: { PUBLIC_ORIGIN: ORIGIN, ...OFF[name] } }, async (service) => {
      for (const path of ALL_PAGES) expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
    });
  });

  test('WEB_ADMIN=off removes only the console', async () => {
    await withGatehouse({ env: { PUBLIC_ORIGIN: ORIGIN, WEB_ADMIN: 'off' } }, async (service) => {
      const gone = [];
      for (const path of ALL_PAGES) {
        const response = await service.anonymous.get(path);
        if (response.status === 200) continue;
        expectApiError(response, 'NOT_FOUND');
        gone.push(path);
      }
      expect(gone).toEqual([...ALL_PAGES].filter((path) => path.startsWith('/admin')));
    });
  });

  test('in production the components page does not exist', async () => {
    await withGatehouse({}, async (service) => {
      expect((await service.anonymous.get('/dev/components')).status).toBe(200);
    });
    const production = {
      NODE_ENV: 'production',
      MAIL_TRANSPORT: 'none',
      EMBEDDED_DATABASE: 'true',
      PUBLIC_ORIGIN: ORIGIN,
      ...PRODUCTION_HASHES,
    };
    await withGatehouse({ env: { ...production, RATE_LIMITS: 'on' } }, async (service) => {
      expectApiError(await service.anonymous.get('/dev/components'), 'NOT_FOUND');
      expect((await service.anonymous.get('/login')).status).toBe(200);
    });
  });
});
