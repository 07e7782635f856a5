import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { PATIENCE_MS } from '../support/patience.js';

/** The shell first: Chromium without the windows that nobody sees, at half the processor time. */
const PATHS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

/** Where Chromium is on this machine, if it is. */
export const chromiumPath = PATHS.find((path) => existsSync(path));

/** `describe`, or a skipped one that says why, where no Chromium is installed. */
export const describeInBrowser = (title: string, suite: () => void): void => {
  if (chromiumPath) describe(title, suite);
  else describe.skip(`${title} (skipped: no Chromium on this machine)`, suite);
};

/** A browser each of whose pages has the patience of all tests. */
export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    timeout: PATIENCE_MS,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
  const open = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await open(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}
