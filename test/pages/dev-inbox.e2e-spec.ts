import { describeInBrowser, type OwnBrowser, openBrowser } from '../machine/browser.js';
import { findings } from '../machine/pages.js';
import { freePort } from '../machine/ports.js';
import { type Gatehouse, gatehouse, mailTo, person } from '../support/index.js';

describeInBrowser('the development inbox', () => {
  const reported: string[] = [];
  let browser: OwnBrowser;
  let service: Gatehouse;
  let origin: string;
  beforeAll(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    service = await gatehouse({ env: { PUBLIC_ORIGIN: origin, PORT: String(port) } });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const open = async (path: string, colorScheme: 'light' | 'dark' = 'light', width = 1280) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    page.on('console', (message) => reported.push(message.text()));
    page.on('pageerror', (error) => reported.push(String(error)));
    await page.goto(`${origin}${path}`);
    return page;
  };

  test('an empty inbox shows a message when it arrives, as HTML and text; by keyboard, it is filtered and emptied', async () => {
    const page = await open('/dev/inbox');
    await page.getByText('No messages yet.', { exact: false }).waitFor();
    const alice = await person(service, 'alice');
    await mailTo(service, alice.email, 'email_verification');
    await page.getByText(`to ${alice.email}`).waitFor();
    await page.frameLocator('article iframe').getByRole('link').first().waitFor();
    const bob = await person(service, 'bob');
    await mailTo(service, bob.email, 'email_verification');
    await page.locator('article').nth(1).waitFor();
    expect(await page.locator('article').first().getByText(`to ${bob.email}`).count()).toBe(1);

    await page.getByLabel('Recipient').focus();
    await page.keyboard.type(alice.email);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('to') === alice.email);
    await page.getByText(`to ${alice.email}`).waitFor();
    expect(await page.locator('article').count()).toBe(1);
    await page.getByRole('link', { name: 'Show all' }).press('Enter');
    await page.locator('article').nth(1).waitFor();
    await page.getByRole('button', { name: 'Empty the inbox' }).press('Enter');
    await page.getByText('No messages yet.', { exact: false }).waitFor();
    expect(reported).toEqual([]);
    await page.context().close();
  });

  test('a link in the HTML of a message opens its page', async () => {
    const alice = await person(service, 'alice');
    await mailTo(service, alice.email, 'email_verification');
    const page = await open(`/dev/inbox?to=${alice.email}`);
    const opened = page.context().waitForEvent('page');
    await page.frameLocator('iframe').getByRole('link').first().click();
    await (await opened).getByRole('heading', { name: 'Verify your email' }).waitFor();
    await page.context().close();
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 320],
  ] as const)('axe finds nothing, %s, %d px', async (scheme, width) => {
    for (const path of ['/dev/inbox', '/dev/mails', '/dev/mails?kind=password_reset&language=de']) {
      const page = await open(path, scheme, width);
      if (process.env.SCREENS) {
        const name = `dev${path.replace(/\W+/g, '-')}-${scheme}-${width}`;
        await page.screenshot({ path: `${process.env.SCREENS}/${name}.png` });
      }
      expect(await findings(page)).toEqual([]);
      const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect([path, over]).toEqual([path, 0]);
      await page.context().close();
    }
  });
});
