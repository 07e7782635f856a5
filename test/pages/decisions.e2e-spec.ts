import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../machine/browser.js';
import { type Asking, asking } from '../machine/consent-application.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { VirtualAuthenticator } from '../machine/virtual-authenticator.js';
import { type Persona, person } from '../support/index.js';

const TOKEN = 'x'.repeat(43);
/** The test decides whether the window is in front, so the result does not depend on the speed of the machine. */
const FRONT = 'document.hasFocus = () => window.isInFront === true';

interface Decision {
  readonly path: () => Promise<string>;
  readonly button: string;
  /** The end of the URL of the request that sends the decision. */
  readonly request: string;
  readonly fill?: Readonly<Record<string, string>>;
}

describeInBrowser('web.md 1: linkable pages that end in a decision', () => {
  let world: Site;
  let app: Asking;
  let owner: Persona;
  let visit: Visit;
  let page: Page;
  beforeAll(async () => {
    world = await site();
    app = await asking(world.service, async () => ({}));
    owner = await person(world.service, 'owner');
  });
  afterAll(async () => {
    app?.close();
    await world?.close();
  });
  beforeEach(async () => {
    visit = await world.visit();
    ({ page } = visit);
    await visit.context.addInitScript(FRONT);
    await visit.arrive('/forgot', owner.authorization);
  });
  afterEach(() => visit.leave());

  const consent = async () => app.path();
  const handoff = async () =>
    `/handoff#code=${(await world.service.anonymous.post('/v1/auth/handoff/initiate')).body.code}`;
  const bridge = async () => {
    const nonce_hash = createHash('sha256').update('nonce').digest('hex');
    const { body } = await world.service.anonymous
      .post('/v1/auth/passkey-bridge', { purpose: 'login', runner: 'native', nonce_hash })
      .expect(200);
    const authenticator = await VirtualAuthenticator.plugIn(page);
    await authenticator.enroll(world.service, await person(world.service, 'bridged'));
    return `/passkey-bridge#ceremony_id=${body.ceremony_id}`;
  };
  const link = (path: string) => async () => `${path}#token=${TOKEN}`;
  const password = { password: 'a password of four words' };
  const decisions: Readonly<Record<string, Decision>> = {
    'consent, allowed': { path: consent, button: 'Allow', request: '/consent' },
    'consent, denied': { path: consent, button: 'Deny', request: '/consent' },
    'a handoff, approved': { path: handoff, button: 'Approve', request: '/complete', fill: { confirmation: '42' } },
    'a handoff, refused': { path: handoff, button: 'Decline', request: '/complete' },
    'the passkey bridge, used': { path: bridge, button: 'Use a passkey', request: '/complete' },
    'the passkey bridge, refused': { path: bridge, button: 'Decline', request: '/cancel' },
    'an IP address': { path: link('/auth/authorize-ip'), button: 'Yes, it was me', request: '/authorize-ip' },
    'an email revert': {
      ...{
        path: link('/auth/email-revert'),
        button: 'Recover my account',
        request: '/email-revert',
        fill: password,
      },
    },
    'a lockdown': { path: link('/auth/lockdown'), button: 'Lock my account', request: '/lockdown' },
  };

  test.each(Object.keys(decisions))(
    '%s: a press counts if it starts after the page was in front for a second',
    async (name) => {
      const decision = decisions[name] as Decision;
      let sent = 0;
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith(decision.request)) sent++;
      });
      await visit.open(await decision.path());
      const button = page.getByRole('button', { name: decision.button });
      const [off, on] = [page.locator('button[aria-disabled]'), page.locator('button:not([aria-disabled])')].map(
        (state) => state.filter({ hasText: decision.button }),
      ) as [typeof button, typeof button];
      await off.waitFor();
      for (const [field, value] of Object.entries(decision.fill ?? {})) await page.fill(`[name=${field}]`, value);
      const show = async () => {
        await page.evaluate('window.isInFront = true; dispatchEvent(new Event("focus"))');
        await on.waitFor();
      };
      const hide = async () => {
        await page.evaluate('window.isInFront = false; dispatchEvent(new Event("blur"))');
        await off.waitFor();
      };
      const pressed = async (options?: { clickCount: number }) => {
        await button.hover();
        await page.mouse.down(options);
      };

      // While the page is in the background, all clicks and key presses are ignored.
      await pressed();
      await page.mouse.up();
      await button.evaluate('(button) => button.click()');
      await button.focus();
      for (const key of ['Enter', ' ']) await page.keyboard.press(key);
      for (const field of Object.keys(decision.fill ?? {})) await page.press(`[name=${field}]`, 'Enter');
      expect(sent).toBe(0);

      // A press that began in the background does not count later: button, key and repeated key.
      await pressed();
      await show();
      await page.mouse.up();
      await hide();
      await button.focus();
      await page.keyboard.down(' ');
      await show();
      await page.keyboard.up(' ');
      await hide();
      await page.keyboard.down('Enter');
      await show();
      for (let repeat = 0; repeat < 3; repeat++) await page.keyboard.down('Enter');
      await page.keyboard.up('Enter');
      // The second half of a double click, whose first half went to another window.
      await pressed({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      // When the window comes to the front again, the reading time starts again.
      await hide();
      await page.evaluate('window.isInFront = true; dispatchEvent(new Event("focus"))');
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await on.waitFor();
      expect(sent).toBe(0);

      const answered = page.waitForResponse((response) => response.url().endsWith(decision.request));
      await pressed();
      await page.mouse.up();
      await answered;
      expect(sent).toBe(1);
    },
  );

  test('the full second is required', async () => {
    await visit.open(`/auth/lockdown#token=${TOKEN}`);
    await page.locator('button[aria-disabled]').filter({ hasText: 'Lock my account' }).waitFor();
    const waited = await page.evaluate(`new Promise((done) => {
      const button = document.querySelector('button[aria-disabled]');
      const from = performance.now();
      new MutationObserver(() => done(performance.now() - from)).observe(button, { attributeFilter: ['aria-disabled'] });
      window.isInFront = true;
      dispatchEvent(new Event('focus'));
    })`);
    expect(waited).toBeGreaterThan(990);
  });
});
