import { expect } from '@jest/globals';
import type { Site } from '../machine/pages.js';
import { mailTo, ownLinksIn } from '../support/index.js';

/** Waits for `count` emails and returns the link of the newest. Both parts of the email must contain it. */
export async function mailedLink({ service, origin }: Site, address: string, type: string, count = 1): Promise<string> {
  const { text, html } = await mailTo(service, address, type, count);
  const [link, ...others] = ownLinksIn(text, origin);
  expect({ link, others }).toEqual({ link: expect.stringContaining('#token='), others: [] });
  expect(ownLinksIn(html ?? '', origin)).toContain(link);
  return link as string;
}
