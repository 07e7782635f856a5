import type { Page } from 'playwright-core';

/** Types into a field by its name, by keyboard, and replaces its text. */
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

/** Waits until the focused control is enabled. A button for a decision is disabled during the reading time. */
const isOn = (page: Page): Promise<void> => page.locator(':focus:not([aria-disabled="true"])').waitFor();

/** Presses Tab until a control with this text has the focus, and presses Enter there. */
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

/** Where the browser stores the session: only for the tab, or for longer. */
export const keptIn = (page: Page): Promise<{ tab: string | null; browser: string | null }> =>
  page.evaluate(
    `({ tab: sessionStorage.getItem('gatehouse.session'), browser: localStorage.getItem('gatehouse.session') })`,
  );

export const hasArrived = (page: Page): Promise<void> => page.waitForURL(/\/account/);

/** The session of this tab, and whether the browser keeps it. */
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

/** Waits until the page has this level 1 heading. */
export const heading = ({ page }: { readonly page: Page }, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Presses Tab until the control with this name has the focus, like a user without a mouse. */
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

/** Waits until the focused element has this text. A page moves the focus after it has shown new content. */
export async function focusOn(page: Page, text: string | RegExp): Promise<void> {
  // The Content Security Policy of the pages blocks `waitForFunction` with a text.
  const escaped = String(text).replace(/[.*+?^$()|[\]{}\\]/g, '\\$&');
  const hasText = typeof text === 'string' ? new RegExp(`^\\s*${escaped}\\s*$`) : text;
  await page.locator(':focus').filter({ hasText }).waitFor();
}

/** Chooses a language in the menu of the user, by keyboard. */
export async function chooseLanguage(page: Page, language: string): Promise<void> {
  await page.locator('header [aria-haspopup=menu]').press('Enter');
  await page.locator('[role=menu] [role=menuitem][aria-expanded]').press('Enter');
  await page.locator(`[role=menuitemradio][lang="${language}"]`).press('Enter');
  await page.waitForSelector(`html[lang="${language}"]`);
}

/** Signs out with the menu of the user, by keyboard. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account menu' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter');
}
