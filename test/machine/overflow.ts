import { readdirSync } from 'node:fs';
import type { Page } from 'playwright-core';

const LANGUAGES = readdirSync('web/words').map((name) => name.replace('.json', ''));
const WIDTHS = [320, 1280] as const;

/** Changes the language like another tab does. The focus and open menus and dialogs stay. */
export async function speakInPlace(page: Page, language: string): Promise<void> {
  const event = JSON.stringify({ key: 'gatehouse.language', newValue: language });
  await page.evaluate(`dispatchEvent(new StorageEvent('storage', ${event}))`);
  await page.waitForSelector(`html[lang="${language}"]`, { state: 'attached' });
}

/**
 * Lists texts and elements that are wider than their box, squeezed texts, buttons that are too low, and a page that
 * scrolls sideways.
 */
const OVERFLOWS = `(() => {
  const found = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push('the page scrolls ' + (scrollWidth - clientWidth) + ' px to the side');
  const isInline = (element) => ['inline', 'contents'].includes(getComputedStyle(element).display);
  const isOutside = (inner, outer) => inner.width > 0 && (inner.left < outer.left - 1 || inner.right > outer.right + 1);
  const report = (what, element) => found.push(what + ': ' + element.outerHTML.slice(0, 200));
  /** The closest box around an element or a text. Null if the content may leave it, or is scrolled or hidden there. */
  const boxAround = (node) => {
    let box = node.parentElement;
    while (isInline(box)) box = box.parentElement;
    return getComputedStyle(box).overflowX === 'visible' && box !== document.documentElement ? box : null;
  };
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('.unseen, noscript, select, svg svg, svg *') || !element.checkVisibility()) continue;
    const { position } = getComputedStyle(element);
    if (!['absolute', 'fixed', 'sticky'].includes(position) && !isInline(element)) {
      const box = boxAround(element);
      if (box && isOutside(element.getBoundingClientRect(), box.getBoundingClientRect())) report('wider than its box', element);
    }
    if (element.matches('button, .button, .badge') && element.scrollHeight > element.clientHeight + 1 && element.clientHeight > 0)
      report('higher than its box', element);
    for (const text of element.childNodes) {
      if (text.nodeType !== Node.TEXT_NODE || text.data.trim() === '') continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const box = boxAround(text);
      const outer = box?.getBoundingClientRect();
      const parts = [...range.getClientRects()];
      if (outer && parts.some((rect) => isOutside(rect, outer))) report('text wider than its box', element);
      const { length } = text.data.trim();
      const lines = new Set(parts.map(({ top }) => Math.round(top))).size;
      if (outer && length > 5 && lines > length / 2) report('text with one or two characters in a line', element);
    }
  }
  return found;
})()`;

/**
 * Checks the current state in every language on a narrow and a wide screen, and then restores the language.
 * @throws Error with the elements that overflow
 */
export async function refuseOverflow(page: Page, name: string): Promise<void> {
  // The browser may not have all languages yet.
  if (!(await page.evaluate('navigator.onLine'))) return;
  const spoken = String(await page.evaluate('document.documentElement.lang'));
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const language of LANGUAGES) {
      await speakInPlace(page, language);
      const found = (await page.evaluate(OVERFLOWS)) as string[];
      if (found.length > 0) throw new Error(`${name} overflows at ${width} px in ${language}:\n${found.join('\n')}`);
    }
  }
  await speakInPlace(page, spoken);
}
