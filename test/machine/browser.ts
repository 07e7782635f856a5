import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import { WAIT_TIMEOUT_MS } from '../support/timeouts.js';

/** `chromium-headless-shell` comes first. It is Chromium without windows and needs half the CPU time. */
const PATHS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

/** The path of Chromium on this machine, if it is installed. */
export const chromiumPath = PATHS.find((path) => existsSync(path));

/** `describe`, or a skipped suite with the reason in its title if Chromium is not installed. */
export const describeInBrowser = (title: string, suite: () => void): void => {
  if (chromiumPath) describe(title, suite);
  else describe.skip(`${title} (skipped: no Chromium on this machine)`, suite);
};

/** One browser per process. It does not keep the process running while no test uses it. */
interface Shared {
  readonly browser: Browser;
  readonly handles: readonly Handle[];
  users: number;
}

interface Handle {
  ref(): void;
  unref(): void;
}

interface Child extends Handle {
  readonly pid?: number;
  readonly spawnfile?: string;
  readonly stdio: readonly (Handle | null)[];
}

const SHARED = Symbol.for('gatehouse.browser');
const ofProcess = globalThis as { [SHARED]?: Promise<Shared> };

/** The process of the browser and its pipes. Playwright does not expose them. */
function handlesOf(path: string): Handle[] {
  const { _getActiveHandles } = process as unknown as { _getActiveHandles(): Child[] };
  const children = _getActiveHandles().filter(({ spawnfile }) => spawnfile === path);
  return children.flatMap((child) => [child, ...child.stdio.filter((stream) => stream !== null)]);
}

async function launch(): Promise<Shared> {
  const { chromium } = await import('playwright-core');
  const path = chromiumPath ?? '';
  const browser = await chromium.launch({
    executablePath: path,
    timeout: WAIT_TIMEOUT_MS,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
  return { browser, handles: handlesOf(path), users: 0 };
}

/** The browser of this process, or a new one if the previous one has crashed. */
async function sharedBrowser(): Promise<Shared> {
  const former = ofProcess[SHARED];
  const isThere = await former?.then(
    ({ browser }) => browser.isConnected(),
    () => false,
  );
  if (!isThere && ofProcess[SHARED] === former) ofProcess[SHARED] = launch();
  return ofProcess[SHARED] as Promise<Shared>;
}

/**
 * The part of a browser that belongs to one test. Its contexts share no cookies, storage or emulation with other tests.
 */
export type OwnBrowser = Pick<Browser, 'newContext' | 'newPage' | 'close'>;

/**
 * Opens a browser whose pages use the timeout of all tests. All files of a worker share one browser process, because a
 * start costs more than most tests do. `close` closes the contexts that were opened here.
 */
export async function openBrowser(): Promise<OwnBrowser> {
  const shared = await sharedBrowser();
  const contexts = new Set<BrowserContext>();
  if (shared.users++ === 0) for (const handle of shared.handles) handle.ref();
  const newContext: Browser['newContext'] = async (options) => {
    const context = await shared.browser.newContext(options);
    contexts.add(context);
    context.once('close', () => contexts.delete(context));
    context.setDefaultTimeout(WAIT_TIMEOUT_MS);
    return context;
  };
  let isOpen = true;
  return {
    newContext,
    async newPage(options) {
      const context = await newContext(options);
      const page = await context.newPage();
      page.once('close', () => void context.close());
      return page;
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await Promise.all([...contexts].map((context) => context.close()));
      if (--shared.users === 0) for (const handle of shared.handles) handle.unref();
    },
  };
}
