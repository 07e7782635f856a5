import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type Persona, person, sessionsOf } from '../support/index.js';
import { choose, hasArrived, keptIn } from './driving.js';

describeInBrowser('web.md 2: /login with another device', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await person(world.service, 'alice');
    visit = await world.visit();
    await visit.open('/login');
    await choose(visit.page, 'Sign in with another device');
    await visit.page.locator('svg.qr path').waitFor();
  });

  const codeShown = async () => (await visit.page.textContent('output'))?.replace('-', '') ?? '';
  const approve = async (code: string) => {
    const approver = world.service.as(alice);
    expect((await approver.get(`/v1/auth/handoff/${code}/info`)).body.status).toBe('pending');
    const confirmation = (await visit.page.locator('p strong').last().textContent())?.trim();
    const approval = { code, user_id: alice.id, confirmation };
    expect((await approver.post('/v1/auth/handoff/complete', approval)).status).toBe(204);
  };

  test('code and QR code are shown, and the page continues after the approval, also after a reload', async () => {
    const { page } = visit;
    expect(await page.textContent('output')).toMatch(/^[A-HJKMNP-Z2-9]{6}-[A-HJKMNP-Z2-9]{6}$/);
    await visit.look('login-handoff');
    const code = await codeShown();
    await page.reload();
    await page.locator('output').waitFor();
    expect(await codeShown()).toBe(code);
    await approve(code);
    await hasArrived(page);
    expect(await keptIn(page)).toEqual({ tab: expect.stringMatching(/^flx_/), browser: null });
    expect(await sessionsOf(world.service, alice)).toBe(2);
    await visit.leave();
  });

  test('canceling deletes the code and returns to the form', async () => {
    const { page } = visit;
    const code = await codeShown();
    const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await choose(page, 'Cancel');
    expect((await deleted).status()).toBe(204);
    await page.waitForSelector('[name=email]');
    expect((await world.service.as(alice).get(`/v1/auth/handoff/${code}/info`)).body.status).toBe('expired');
    await visit.leave();
  });

  test('an expired code is reported, and a new one works', async () => {
    const { page } = visit;
    const former = await codeShown();
    await world.service.anonymous.delete(`/v1/auth/handoff/${former}`);
    await page.getByText('This code expired or the sign-in was declined.').waitFor();
    await visit.look('login-handoff-expired');
    await choose(page, 'Get a new code');
    await page.locator('output').waitFor();
    expect(await codeShown()).not.toBe(former);
    await approve(await codeShown());
    await hasArrived(page);
    await visit.leave();
  });

  test('an account that is locked in the meantime is explained', async () => {
    const { page } = visit;
    const code = await codeShown();
    // The page asks again only after the account is locked.
    let lock: () => void = () => undefined;
    const locked = new Promise<void>((resolve) => {
      lock = resolve;
    });
    await page.route('**/v1/auth/handoff/*/status', async (route) => {
      await locked;
      await route.continue();
    });
    await approve(code);
    await world.service.sql('UPDATE account SET flags = $2 WHERE id = $1', [alice.id, String(1n << 35n)]);
    lock();
    await page.getByText('locked this account because of unusual activity').waitFor();
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await visit.leave();
  });
});
