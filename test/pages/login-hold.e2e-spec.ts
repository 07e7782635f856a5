import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { mailTo, type Persona, person, sessionsOf } from '../support/index.js';
import { choose, hasArrived, keptIn, signInAs } from './driving.js';

const ELSEWHERE = '127.0.20.1';

describeInBrowser('web.md 2: /login from a new network', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;
  beforeAll(async () => {
    world = await site({ env: { IP_AUTHORIZATION: 'on' } });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    const { service } = world;
    alice = await person({ url: service.url, as: service.as, anonymous: service.anonymous.from(ELSEWHERE) }, 'alice');
    visit = await world.visit();
    await visit.open('/login');
  });

  const held = async () => {
    await signInAs(visit.page, alice);
    await visit.page.getByText('Waiting for you to confirm').waitFor();
  };
  const openLink = async (count = 1) => {
    const { metadata } = await mailTo(world.service, alice.email, 'ip_authorization', count);
    expect((await world.service.anonymous.post('/v1/auth/authorize-ip', { token: metadata.token })).status).toBe(204);
  };

  test('it waits and continues after the link is opened; a reload in between loses nothing', async () => {
    const { page } = visit;
    await page.focus('[name=keep]');
    await page.keyboard.press('Space');
    await held();
    expect(await page.title()).toMatch(/^Check your email/);
    await page.getByText(alice.email).waitFor();
    await page.getByText('Linux', { exact: true }).waitFor();
    const facts = (await page.locator('dl.facts').innerText()).split('\n').filter(Boolean);
    expect(facts).toEqual(['Browser', 'Chrome', 'Operating system', 'Linux', 'Time', expect.stringMatching(/20\d\d/)]);
    // The email describes the same device.
    const { text } = await mailTo(world.service, alice.email, 'ip_authorization');
    expect(text).toContain(`${facts[1]} on ${facts[3]}`);
    await visit.look('login-hold');
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await page.reload();
    await page.getByText('Waiting for you to confirm').waitFor();
    expect((await page.locator('dl.facts').innerText()).split('\n').filter(Boolean).at(-1)).toBe(facts.at(-1));
    await openLink();
    await hasArrived(page);
    expect(await keptIn(page)).toEqual({ tab: null, browser: expect.stringMatching(/^flx_/) });
    expect(await sessionsOf(world.service, alice)).toBe(2);
    await visit.leave();
  });

  test('the email is sent again once, after 30 seconds', async () => {
    const { page } = visit;
    await page.clock.install();
    await page.reload();
    await held();
    const resend = page.getByText(/^Resend email in \d+ seconds$/);
    expect(await resend.getAttribute('aria-disabled')).toBe('true');
    await world.service.sql("UPDATE one_time_secret SET created_at = created_at - interval '31 seconds'");
    await page.clock.fastForward(31_000);
    await choose(page, 'Resend email');
    await page.getByText('Email sent. Only the newest link works.').waitFor();
    expect(await page.getByText('Resend email').count()).toBe(0);
    await visit.look('login-hold-resent');
    await openLink(2);
    await page.clock.fastForward(4000);
    await hasArrived(page);
    await visit.leave();
  });

  test('an expired hold returns to the first step, with the input', async () => {
    const { page } = visit;
    await held();
    await world.service.sql('UPDATE one_time_secret SET expires_at = now()');
    await page.getByText('This sign-in is no longer waiting for approval.').waitFor();
    expect(await page.inputValue('[name=email]')).toBe(alice.email);
    await visit.look('login-hold-over');
    await visit.leave();
  });

  test('offline while waiting shows an error; the sign-in can be restarted at any time', async () => {
    const { page, context } = visit;
    await held();
    await context.setOffline(true);
    await page.getByText('You’re offline.').waitFor();
    await context.setOffline(false);
    await page.getByText('Waiting for you to confirm').waitFor();
    await choose(page, 'Start over');
    await page.waitForSelector('[name=email]');
    await page.reload();
    await page.waitForSelector('[name=email]');
    await visit.leave();
  });
});
