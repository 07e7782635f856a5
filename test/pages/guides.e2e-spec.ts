import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeInBrowser } from '../machine/browser.js';
import { findings, type Site, site } from '../machine/pages.js';
import { expectApiError, type Gatehouse, gatehouse } from '../support/index.js';

const root = join(import.meta.dirname, '..', '..');

/** Builds the guides before any service starts, because a service looks for them only once. */
beforeAll(() => {
  if (existsSync(join(root, 'dist/guides/start.html'))) return;
  const { status, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs'], { cwd: root, encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({ status: 0 });
});

describe('/guides', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service?.close());
  const get = (path: string, headers = {}) => fetch(`${service.url}${path}`, { redirect: 'manual', headers });

  test('leads to its first page, which may load nothing but its own files', async () => {
    const way = await get('/guides');
    expect([way.status, way.headers.get('location')]).toEqual([302, '/guides/start']);
    const slash = await get('/guides/');
    expect([slash.status, slash.headers.get('location')]).toEqual([302, '/guides']);
    const page = await get('/guides/start');
    expect(page.status).toBe(200);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='; connect-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
    });
    expect((await get('/guides/start', { 'if-none-match': page.headers.get('etag') })).status).toBe(304);
    const html = await page.text();
    const files = [...html.matchAll(/(?:src|href)="(\/guides\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path as string);
    expect(files.length).toBeGreaterThan(4);
    for (const path of files) {
      const file = await get(path);
      expect([path, file.status]).toEqual([path, 200]);
      const isNamedByContent = path.startsWith('/guides/assets/');
      expect(file.headers.get('cache-control')).toBe(
        isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    }
  });

  test.each([
    '/guides/nowhere',
    '/guides/assets',
    '/guides/start.html.br',
    '/guides/..%2fdescription.json',
    '/guides/start/',
  ])('%s is no page', async (path) => {
    const answer = await get(path);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
  });

  test('goes with the documentation', async () => {
    const silent = await gatehouse({ env: { DOCS_ENABLED: 'false' } });
    try {
      expectApiError(await silent.anonymous.get('/guides'), 'NOT_FOUND');
      expectApiError(await silent.anonymous.get('/guides/start'), 'NOT_FOUND');
    } finally {
      await silent.close();
    }
  });
});

describeInBrowser('/guides in a browser', () => {
  let world: Site;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  test('search finds a page offline, no policy is violated, and axe finds nothing in both schemes', async () => {
    const visit = await world.visit();
    const { page } = visit;
    await visit.open('/guides');
    await page.waitForURL('**/guides/start');
    await page.getByRole('heading', { level: 1, name: 'Guides' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findings(page)).toEqual([]);
    }
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('sudo');
    await page.getByRole('option').filter({ hasText: /sudo/i }).first().click();
    await page.waitForURL((url) => url.pathname.startsWith('/guides/') && !url.pathname.endsWith('/start'));
    await page.getByRole('link', { name: 'Sudo mode', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Sudo mode' }).waitFor();
    await page.waitForFunction('document.querySelectorAll(".vp-doc pre code span[class]").length > 0');
    expect(await findings(page)).toEqual([]);
    // `leave` fails if the page sent a request to another origin or violated the Content Security Policy.
    await visit.leave();
  });
});
