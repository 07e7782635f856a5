import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe } from '@jest/globals';
import type { Browser } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where Chromium is on this machine, if it is. */
export const chromiumPath = PATHS.find((path) => existsSync(path));

/** `describe`, or a skipped one that says why, where no Chromium is installed. */
export const describeInBrowser = (title: string, suite: () => void): void => {
  if (chromiumPath) describe(title, suite);
  else describe.skip(`${title} (skipped: no Chromium on this machine)`, suite);
};

/** How long a page may take for a step, on a machine that has other work: little less than a test may. */
export const PATIENCE_MS = 100_000;

export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
}

/** A port that was free a moment ago, for services whose origin must be known before they listen. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
