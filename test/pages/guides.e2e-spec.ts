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

  test('redirects to its first page, which may load only its own files', async () => {
    const way = await get('/guides');
    expect([way.status, way.headers.get('location')]).toEqual([302, '/guides/start']);
    const slash = await get('/guides/');
    expect([slash.status, slash.headers.get('location')]).toEqual([302, '/guides']);
    const page = await get('/guides/start');
    expect(page.status).toBe(200);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
    });
    expect((await get('/guides/start', { 'if-none-match': page.headers.get('etag') })).status).toBe(304);
    const html = await page.text();
    const files = [...html.matchAll(/(?:src|href)="(\/guides\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path as string);
    expect(files.length).toBe(2);
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
  ])('%s is not a page', async (path) => {
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
  });

  test('is absent without the documentation', async () => {
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

  test('search finds a page offline, no policy is violated, and axe finds nothing in both color schemes', async () => {
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
    const box = page.getByRole('combobox', { name: 'Search' });
    await box.fill('sudo mode');
    await page.getByRole('option').first().waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/guides/clients/sudo');
    await page.getByRole('heading', { level: 1, name: 'Sudo mode' }).waitFor();
    await page.getByRole('button', { name: 'Copy' }).first().waitFor();
    expect(await findings(page)).toEqual([]);
    await box.fill('qqqqqqqq');
    await page.getByText('No results for “qqqqqqqq”').waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    // `leave` fails if the page sent a request to another origin or violated the Content Security Policy.
    await visit.leave();
  });

  test.each([320, 768, 1280, 2560])('at %i px nothing is wider than the window', async (width) => {
    const visit = await world.visit();
    const { page } = visit;
    await page.setViewportSize({ width, height: 800 });
    for (const path of ['/guides/start', '/guides/tour', '/guides/reference/routes', '/guides/manual/architecture']) {
      await visit.open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const extent = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect([path, extent]).toEqual([path, 0]);
    }
    await visit.leave();
  });
});
