import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describeInBrowser, type OwnBrowser, openBrowser } from '../machine/browser.js';
import { type Gatehouse, gatehouse, type Persona, pathOf, person, picture, uploadFile } from '../support/index.js';

describeInBrowser('media.md 7.3 in a browser: no stored file is active content', () => {
  let service: Gatehouse;
  let alice: Persona;
  let browser: OwnBrowser;
  let page: Page;
  let site: Server;
  let origin: string;
  /** HTML that the third-party site serves at `/page`, and the paths requested from that site since. */
  let shown = '';
  let requested: string[] = [];

  beforeAll(async () => {
    service = await gatehouse();
    alice = await person(service, 'alice');
    site = createServer((req, res) => {
      requested.push(req.url ?? '');
      res.setHeader('Content-Type', 'text/html; charset=utf-8').end(req.url === '/page' ? shown : '');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    browser = await openBrowser();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    site?.closeAllConnections();
    await new Promise((resolve) => site?.close(resolve));
    await service?.close();
  });

  /** Loads the HTML as a page of the third-party site. Returns all other paths requested from that site. */
  async function visit(html: string): Promise<string[]> {
    shown = `<!doctype html><link rel="icon" href="data:,">${html}`;
    requested = [];
    await page.goto(`${origin}/page`, { waitUntil: 'load' });
    return requested.filter((url) => url !== '/page');
  }

  const embedded = (url: string): string =>
    [
      `<script src="${url}"></script><script type="module" src="${url}"></script>`,
      `<link rel="stylesheet" href="${url}"><img src="${url}"><video src="${url}"></video>`,
      `<iframe src="${url}"></iframe><object data="${url}"></object><embed src="${url}">`,
    ].join('');

  const script = (): string => `new Image().src='${origin}/hit'`;
  const svg = (): string =>
    `<svg xmlns="http://www.w3.org/2000/svg" onload="${script()}"><script>${script()}</script></svg>`;

  test('a page of another site runs content that is active elsewhere', async () => {
    expect(await visit(`<script>${script()}</script>`)).toEqual(['/hit']);
    expect(await visit(`<iframe srcdoc="<script>${script()}</script>"></iframe>`)).toEqual(['/hit']);
    expect(await visit(`<iframe srcdoc='${svg().replaceAll("'", '&apos;')}'></iframe>`)).toContain('/hit');
  });

  test('an image is shown', async () => {
    const { url } = await uploadFile(service, alice, 'a.png', await picture('png', 3, 2));
    await visit(`<img src="${service.url}${pathOf(url)}">`);
    expect(await page.evaluate('document.images[0].naturalWidth')).toBe(3);
  });

  test.each<[string, () => string]>([
    ['a.html', () => `<!doctype html><script>${script()}</script><img src="${origin}/hit">`],
    ['a.txt', () => `<!doctype html><script>${script()}</script><img src="${origin}/hit">`],
    ['a.svg', svg],
    ['a.png', svg],
    [
      'a.xml',
      () => `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>${script()}</script></html>`,
    ],
    ['a.js', script],
    ['a.css', () => `@import url("${origin}/hit"); body { background: url("${origin}/hit") }`],
    ['a.gif', () => `GIF89a=1;${script()}//<script>${script()}</script>`],
    ['a.pdf', () => `%PDF-1.4\n<script>${script()}</script>`],
    ['a.webp', () => `RIFF=1;/*WEBPVP8 */${script()}//<svg onload="${script()}">`],
  ])('%s does nothing, embedded or opened', async (filename, content) => {
    const { url } = await uploadFile(service, alice, filename, Buffer.from(content(), 'latin1'));
    const address = service.url + pathOf(url);
    expect(await visit(embedded(address))).toEqual([]);
    requested = [];
    // If the browser downloads the file, `goto` rejects and the browser stays on its page.
    await page.goto(address, { waitUntil: 'load' }).catch(() => null);
    expect(requested).toEqual([]);
  });
});
