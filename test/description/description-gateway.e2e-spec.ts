import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { CLOSING, OP } from '../../src/gateway/protocol/protocol.js';
import { describeInBrowser, openBrowser } from '../machine/browser.js';
import { type Gatehouse, gatehouse } from '../support/index.js';

// biome-ignore lint/suspicious/noExplicitAny: the test reads single members of the document
type Document = any;

let service: Gatehouse;
let document: Document;
beforeAll(async () => {
  service = await gatehouse();
  document = (await service.anonymous.get('/asyncapi.json')).body;
});
afterAll(() => service.close());

describe('/asyncapi.json', () => {
  test('is AsyncAPI 3 without errors, by its own parser', async () => {
    const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document));
    expect(diagnostics.filter(({ severity }) => severity < 1)).toEqual([]);
    expect(parsed?.version()).toBe('3.0.0');
  });

  test('names every opcode, every event and every close code of the contract', () => {
    const contract = readFileSync(join(import.meta.dirname, '../../docs/contract/gateway.md'), 'utf8');
    const events = /## 11\. Events[\s\S]*?\n\n\| Rule/.exec(contract)?.[0] ?? '';
    const rows = events.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
    );
    expect(named.length).toBeGreaterThan(10);
    const messages = Object.keys(document.components.messages);
    for (const name of named) expect(messages).toContain(`EVENT_${name}`);
    expect(messages).toContain('EVENT_REFUSED');
    const said = Object.values<Document>(document.components.messages).map(
      ({ payload }) => payload.properties.op.const,
    );
    expect([...new Set(said)].sort((a, b) => a - b)).toEqual(Object.values(OP).sort((a, b) => a - b));
    expect(document['x-close-codes']).toEqual(Object.values(CLOSING).map(([code, reason]) => ({ code, reason })));
  });

  test('describes each message and the callers of each command', () => {
    for (const [name, { summary }] of Object.entries<Document>(document.components.messages)) {
      expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z].+/)]);
    }
    const received = Object.values<Document>(document.operations).filter(({ action }) => action === 'receive');
    expect(received.map((operation) => operation['x-gatehouse-policy'])).toEqual([
      '@Public()',
      '@Public()',
      '@Public()',
    ]);
  });

  test('is used by the page of the description, and not sent twice', async () => {
    const first = await service.anonymous.get('/asyncapi.json');
    const etag = first.headers.get('etag') ?? '';
    expect((await service.anonymous.get('/asyncapi.json', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await service.anonymous.get('/docs')).text).toContain('/asyncapi.json');
  });
});

describeInBrowser('/docs', () => {
  test('shows both descriptions, without errors or warnings of the page', async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
      await page.goto(`${service.url}/docs`);
      await page.locator('.opblock').first().waitFor();
      const identify = page.locator('#gateway details', { hasText: 'IDENTIFY' }).first();
      await identify.locator('summary').click();
      expect(await identify.locator('pre').innerText()).toContain('"token"');
      expect(await page.locator('#gateway tbody tr').count()).toBe(Object.keys(CLOSING).length);
      expect(await page.locator('.errors-wrapper, .version-pragma').allInnerTexts()).toEqual([]);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test('tries again after a failure that may be temporary, not more often than once a second, and shows others', async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const failures = [
        { status: 503, headers: { 'Retry-After': '1' } },
        { status: 503, headers: { 'Retry-After': '0' } },
        { status: 503, headers: { 'Retry-After': new Date().toUTCString() } },
        null,
      ];
      const times: number[] = [];
      await page.route('**/openapi.json', (route) => {
        const failure = failures[times.push(performance.now()) - 1];
        if (failure === undefined) return route.continue();
        return failure ? route.fulfill(failure) : route.abort();
      });
      let asyncapiRequests = 0;
      await page.route('**/asyncapi.json', (route) => {
        asyncapiRequests++;
        return route.fulfill({ status: 404 });
      });
      await page.goto(`${service.url}/docs`);
      await page.locator('text=/openapi.json could not be loaded (status 503). The page tries again').waitFor();
      await page.locator('text=/asyncapi.json could not be loaded (status 404). Reload the page').waitFor();
      await page.locator('text=/openapi.json could not be loaded (no connection). The page tries again').waitFor();
      await page.locator('.opblock').first().waitFor();
      expect(await page.locator('#description').innerText()).not.toContain('could not be loaded');
      expect(times).toHaveLength(failures.length + 1);
      for (const [index, time] of times.slice(1).entries()) expect(time - (times[index] ?? 0)).toBeGreaterThan(900);
      expect(asyncapiRequests).toBe(1);
    } finally {
      await browser.close();
    }
  });

  test('contains all operations, so that browser search finds them, and filters them by words', async () => {
    const { paths, webhooks } = (await service.anonymous.get('/openapi.json')).body as Document;
    const summaries = [...Object.values<Document>(paths), ...Object.values<Document>(webhooks)].flatMap((methods) =>
      Object.values<Document>(methods).map(({ summary }) => summary),
    );
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`${service.url}/docs`);
      await page.locator('.opblock').first().waitFor();
      const shown = await page.locator('.opblock-summary-description').allInnerTexts();
      expect(shown.sort()).toEqual(summaries.sort());
      const filter = page.locator('.operation-filter-input');
      await filter.fill('delete webhook');
      // Events for other services are a section of their own, which the filter leaves out.
      const operations = page.locator('.opblock:not(.webhooks .opblock)');
      await operations.and(page.locator('.opblock-post')).first().waitFor({ state: 'detached' });
      const found = await operations.locator('.opblock-summary-path').allInnerTexts();
      expect(found.length).toBeGreaterThan(1);
      for (const path of found) expect(path).toContain('webhook');
      await filter.fill('no such operation');
      await page.locator('text=No operation matches the filter.').waitFor();
      expect(await operations.count()).toBe(0);
    } finally {
      await browser.close();
    }
  });

  test.each([
    ['light', 'rgb(246, 247, 249)'],
    ['dark', 'rgb(15, 17, 21)'],
  ] as const)('has the colors of the pages in the %s color scheme', async (colorScheme, background) => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ colorScheme });
      await page.goto(`${service.url}/docs`);
      await page.locator('.opblock').first().waitFor();
      const colorOf = (selector: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
      expect([await colorOf('html'), await colorOf('.swagger-ui')]).toEqual([background, background]);
    } finally {
      await browser.close();
    }
  });
});

describe('the files of /docs', () => {
  test.each(['/docs/swagger-ui-bundle.js', '/docs/tokens.css', '/docs/docs.css', '/openapi.json', '/asyncapi.json'])(
    '%s is compressed if the client accepts it',
    async (path) => {
      const fetchWith = (coding: string) => fetch(`${service.url}${path}`, { headers: { 'accept-encoding': coding } });
      const plain = await fetchWith('identity');
      const text = await plain.text();
      expect(plain.headers.get('content-encoding')).toBeNull();
      for (const coding of ['br', 'gzip']) {
        const response = await fetchWith(coding);
        expect(response.headers.get('content-encoding')).toBe(coding);
        expect(response.headers.get('vary')).toContain('Accept-Encoding');
        expect(Number(response.headers.get('content-length'))).toBeLessThan(text.length / 2);
        expect(await response.text()).toBe(text);
      }
    },
  );
});
