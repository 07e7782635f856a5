import { EventEmitter, once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, CDPSession, Page, WebSocket } from 'playwright-core';
import { type Gatehouse, type GatehouseOptions, gatehouse } from '../support/index.js';
import { WAIT_TIMEOUT_MS } from '../support/timeouts.js';
import { type OwnBrowser, openBrowser } from './browser.js';
import { refuseOverflow, speakInPlace } from './overflow.js';
import { freePort } from './ports.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = [390, 1280] as const;
/** The browser logs every error response of the API to the console. This is not an error of the page. */
const REFUSED = /^Failed to load resource: the server responded with a status of (?:4\d\d|503)/;
/** The browser logs these errors if the network is cut, or if the page is left while a connection is opened. */
const CUT_OFF =
  /^(?:Failed to load resource|WebSocket connection to '[^']*' failed): .*(?:net::ERR_(?:INTERNET_DISCONNECTED|FAILED|ABORTED)|WebSocket is closed before the connection is established)/;

/** A service whose pages are tested, and a browser. */
export interface Site {
  readonly service: Gatehouse;
  readonly origin: string;
  readonly browser: OwnBrowser;
  /** Opens a separate browser context, as for another user. */
  visit(options?: Parameters<Browser['newContext']>[0]): Promise<Visit>;
  close(): Promise<void>;
}

/** A page under observation. Unexpected behavior is recorded and fails the test in `leave`. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a path of the service. */
  open(path: string): Promise<void>;
  /** Opens a path as a user who is already signed in. The browser stores only the session of the user. */
  arrive(path: string, token: string, options?: { readonly isKept: boolean }): Promise<void>;
  /** The latest open WebSocket that has received READY. Waits for one if there is none yet. */
  waitForGateway(): Promise<WebSocket>;
  /** Opens another tab of the same user, which is also observed. */
  tab(): Promise<Page>;
  /**
   * Checks the current page with axe in both color schemes, and each of its states once in a right-to-left language. Also
   * checks that it does not scroll sideways at 320 px or more. `LANGUAGES=all` checks each state for overflow in every
   * language. `SCREENS=<folder>` also saves screenshots.
   */
  look(name: string): Promise<void>;
  /** Ends the visit. @throws Error if a page behaved unexpectedly */
  leave(): Promise<void>;
}

/**
 * The delay of each request of a page in milliseconds, as on a slow network. With it, a test that checks the result
 * before the response arrives fails every time. Without it, such a test fails only once in many runs.
 */
const LAG_MS = Number(process.env.LAG_MS ?? 50);
const LAG = `{
  const [send, later] = [fetch, setTimeout];
  fetch = async (...request) => {
    await new Promise((sent) => later(sent, ${LAG_MS}));
    return send(...request);
  };
}`;

/** Starts a browser and a service whose `PUBLIC_ORIGIN` is its own URL. */
export async function site({ env, ...options }: GatehouseOptions = {}): Promise<Site> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const service = await gatehouse({
    ...options,
    env: { PORT: String(port), PUBLIC_ORIGIN: origin, IP_AUTHORIZATION: 'off', ...env },
  });
  const browser = await openBrowser();
  return {
    service,
    origin,
    browser,
    visit: (contextOptions = {}) => visitOf(browser, origin, contextOptions),
    async close() {
      await browser.close();
      await service.close();
    },
  };
}

async function visitOf(
  browser: OwnBrowser,
  origin: string,
  options: NonNullable<Parameters<Browser['newContext']>[0]>,
): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 }, ...options });
  const faults: string[] = [];
  await context.exposeFunction('reportViolation', (text: string) => void faults.push(text));
  await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    reportViolation('policy violated: ' + event.violatedDirective + ' by ' + event.blockedURI + ' ' + event.sample))`);
  await context.addInitScript(LAG);
  const watch = (page: Page) => {
    page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !REFUSED.test(text) && !CUT_OFF.test(text)) faults.push(`console: ${text}`);
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      const isOwn = url.origin === origin || ['data:', 'blob:'].includes(url.protocol);
      if (!isOwn && !request.isNavigationRequest()) faults.push(`asked another origin: ${url.origin}`);
    });
  };
  context.on('page', watch);
  const page = await context.newPage();
  const greeted = greetings(page);
  return {
    page,
    context,
    waitForGateway: greeted,
    open: async (path) => void (await page.goto(`${origin}${path}`)),
    async arrive(path, token, { isKept } = { isKept: false }) {
      const storage = isKept ? 'localStorage' : 'sessionStorage';
      await context.addInitScript(`if (location.origin === '${origin}' && !sessionStorage.getItem('arrived')) {
        sessionStorage.setItem('arrived', '1');
        ${storage}.setItem('gatehouse.session', ${JSON.stringify(token)});
      }`);
      await page.goto(`${origin}${path}`);
    },
    tab: () => context.newPage(),
    look: (name) => look(page, name),
    async leave() {
      await context.close();
      if (faults.length > 0) throw new Error(`the pages did what they should not:\n${[...new Set(faults)].join('\n')}`);
    },
  };
}

function greetings(page: Page): () => Promise<WebSocket> {
  let latest: WebSocket | undefined;
  const met = new EventEmitter();
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (!String(payload).includes('"READY"')) return;
      latest = socket;
      met.emit('greeted');
    }),
  );
  return async () => {
    while (!latest || latest.isClosed()) await once(met, 'greeted', { signal: AbortSignal.timeout(WAIT_TIMEOUT_MS) });
    return latest;
  };
}

/** The rules of axe that depend only on colors. They take most of its time. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

type Rules = 'all' | 'colors' | 'others';

const OPTIONS: Readonly<Record<Rules, object>> = {
  all: {},
  colors: { runOnly: OF_COLOURS },
  others: { rules: Object.fromEntries(OF_COLOURS.map((rule) => [rule, { enabled: false }])) },
};

/** The violations that axe finds in the current state of the page. */
export async function findings(page: Page, rules: Rules = 'all'): Promise<string[]> {
  // Excludes passed checks, which would be most of the data that the page returns.
  const options = { resultTypes: ['violations'], ...OPTIONS[rules] };
  const run = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html + '\\n' + failureSummary)))`;
  if ((await page.evaluate('typeof axe')) === 'undefined') await define(page);
  return page.evaluate(run);
}

const sessions = new WeakMap<Page, Promise<CDPSession>>();

/**
 * Defines `axe`. `page.evaluate` would parse the script twice. The session stays open, because its end would remove
 * virtual authenticators.
 */
async function define(page: Page): Promise<void> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, session);
  await (await session).send('Runtime.evaluate', { expression: AXE });
}

/** The path of the page with its headings, labels and controls, which tell its states apart. */
const stateOf = (page: Page): Promise<string> =>
  page.evaluate(`[location.pathname, ...[...document.querySelectorAll('h1, h2, h3, label, legend, button, summary, th')]
    .filter((element) => element.checkVisibility()).map(({ textContent }) => textContent)].join('\\n')`);

/** States that this process has already checked in other languages. */
const seenInOtherLanguages = new Set<string>();

/**
 * Waits until the browser has drawn all changes and no CSS transition is running. Even with reduced motion, every color
 * has a short transition. Elements that inherit a color start their own transition only when the first one has ended.
 */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((done) => {
    const isMoving = () =>
      document.getAnimations().some((one) => one instanceof CSSTransition && one.playState !== 'finished');
    const frame = () => requestAnimationFrame(() => requestAnimationFrame(() => (isMoving() ? frame() : done())));
    frame();
  })`);

async function judge(page: Page, what: string, rules: Rules): Promise<void> {
  const found = await findings(page, rules);
  if (found.length > 0) throw new Error(`axe finds on ${what}:\n${found.join('\n\n')}`);
}

async function refuseSideways(page: Page, name: string): Promise<void> {
  for (const width of [320, 640]) {
    await page.setViewportSize({ width, height: 800 });
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    if (Number(over) > 0) throw new Error(`${name} scrolls ${over} px to the side at ${width} px`);
  }
}

/** For users who prefer reduced motion. A transition, even a short one, also delays the layout that a test measures. */
async function refuseTransitions(page: Page, name: string): Promise<void> {
  const moving = await page.evaluate(`[...document.querySelectorAll('*')].filter((element) => {
    const { transitionProperty, transitionDuration } = getComputedStyle(element);
    return transitionProperty !== 'none' && transitionDuration.split(', ').some((duration) => parseFloat(duration) > 0);
  }).map(({ tagName, className }) => tagName.toLowerCase() + '.' + className)`);
  if ((moving as string[]).length > 0) throw new Error(`${name} has transitions despite reduced motion: ${moving}`);
}

async function picture(page: Page, name: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, caret: 'initial' });
}

async function speak(page: Page, language: string): Promise<void> {
  const select = page.locator('select[name=language]');
  // A signed-in page has its languages in the user menu, which would move the focus and close other menus.
  if ((await select.count()) > 0) await select.selectOption(language);
  else await speakInPlace(page, language);
  await page.waitForSelector(`html[lang="${language}"]`);
  await drawn(page);
}

async function look(page: Page, name: string): Promise<void> {
  const former = page.viewportSize() ?? { width: 1280, height: 900 };
  const folder = process.env.SCREENS;
  const [narrow, wide] = WIDTHS;
  await refuseSideways(page, name);
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await drawn(page);
    for (const width of folder ? WIDTHS : [wide]) {
      await page.setViewportSize({ width, height: 900 });
      if (folder) await picture(page, `${name}-${scheme}-${width}`, folder);
    }
    // The schemes differ only in their colors.
    await judge(page, `${name}, ${scheme}`, scheme === 'light' ? 'all' : 'colors');
  }
  await refuseTransitions(page, name);
  const state = await stateOf(page);
  // An open dialog covers the language selection.
  const isNew = !seenInOtherLanguages.has(state);
  seenInOtherLanguages.add(state);
  if (isNew && process.env.LANGUAGES === 'all') await refuseOverflow(page, name);
  if ((folder || isNew) && (await page.locator('dialog[open]').count()) === 0) {
    const spoken = await page.evaluate('document.documentElement.lang');
    await speak(page, 'ar');
    await refuseSideways(page, `${name} from right to left`);
    await page.setViewportSize({ width: narrow, height: 900 });
    if (folder) await picture(page, `${name}-ar`, folder);
    await judge(page, `${name}, from right to left`, 'others');
    await speak(page, String(spoken));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(former);
}
