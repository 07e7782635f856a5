import type { Page } from 'playwright-core';

/** Types into a field by its name, by keyboard, over what stands there. */
export async function type(page: Page, name: string, text: string): Promise<void> {
  await page.focus(`[name=${name}]`);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

/** Fills in the first step of a sign-in and sends it. */
export async function signInAs(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await type(page, 'email', email);
  await type(page, 'password', password);
  await page.keyboard.press('Enter');
}

/** Waits until what has the focus does something: a decision has to be read first. */
const isOn = (page: Page): Promise<void> => page.locator(':focus:not([aria-disabled="true"])').waitFor();

/** Goes on by Tab until a control with these words has the focus, and presses Enter there. */
export async function choose(page: Page, words: string): Promise<void> {
  await page.getByText(words, { exact: true }).first().waitFor();
  for (let step = 0; step < 40; step++) {
    const focused = await page.evaluate('document.activeElement?.textContent ?? ""');
    if (focused === words) {
      await isOn(page);
      await page.keyboard.press('Enter');
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`no keyboard reaches "${words}"`);
}

/** Where the browser keeps a session: of the tab alone, or for longer. */
export const keptIn = (page: Page): Promise<{ tab: string | null; browser: string | null }> =>
  page.evaluate(
    `({ tab: sessionStorage.getItem('gatehouse.session'), browser: localStorage.getItem('gatehouse.session') })`,
  );

export const hasArrived = (page: Page): Promise<void> => page.waitForURL(/\/account/);

/** The session that this tab holds, and whether it is kept. */
export async function heldSession({
  page,
}: {
  readonly page: Page;
}): Promise<{ token: string | null; isKept: boolean }> {
  const [kept, token] = (await page.evaluate(
    "[localStorage.getItem('gatehouse.session'), sessionStorage.getItem('gatehouse.session')]",
  )) as [string | null, string | null];
  return { token: kept ?? token, isKept: kept !== null };
}

/** Waits until the page has that heading of the first rank. */
export const heading = ({ page }: { readonly page: Page }, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Presses Tab until what has that name has the focus, as somebody without a mouse does. */
export async function tabTo({ page }: { readonly page: Page }, name: string): Promise<void> {
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(`(() => {
      const element = document.activeElement;
      return element?.name || element?.textContent?.trim() || '';
    })()`);
    if (focused === name) return isOn(page);
  }
  throw new Error(`${name} is out of reach of the keyboard`);
}

/** Waits until what has the focus says this: a page gives it once it has shown what is new. */
export async function focusOn(page: Page, text: string | RegExp): Promise<void> {
  const focused = 'document.activeElement?.textContent';
  const isIt = typeof text === 'string' ? `${focused} === ${JSON.stringify(text)}` : `${text}.test(${focused})`;
  await page.waitForFunction(isIt).catch(async () => expect(await page.evaluate(focused)).toMatch(text));
}
