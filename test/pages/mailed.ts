import { expect } from '@jest/globals';
import type { Site } from '../machine/pages.js';
import { mailTo, ownLinksIn } from '../support/index.js';

/** The link of a mail in the inbox, which both its parts have; of the mail that follows `count - 1` others. */
export async function mailedLink({ service, origin }: Site, address: string, type: string, count = 1): Promise<string> {
  const { text, html } = await mailTo(service, address, type, count);
  const [link, ...others] = ownLinksIn(text, origin);
  expect({ link, others }).toEqual({ link: expect.stringContaining('#token='), others: [] });
  expect(ownLinksIn(html ?? '', origin)).toContain(link);
  return link as string;
}
