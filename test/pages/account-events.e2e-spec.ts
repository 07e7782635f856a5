import { type NewEvent, SecurityEvents } from '../../src/accounts/events/security-events.service.js';
import { featureRegistry } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { defineFeature } from '../../src/policy/feature.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { consent, newApp, type Persona, person, sessionsOf, signIn } from '../support/index.js';
import { focusOn, heading, type } from './driving.js';

const notes = defineFeature('notes', {
  securityEvents: { notes_shared: { 'en-US': 'A note was shared.', de: 'Eine Notiz wurde geteilt.' } },
});
const EVENTS = '/v1/users/@me/security-events';

describeInBrowser('web.md 5: /account/events', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;
  let count = 0;
  beforeAll(async () => {
    world = await site({ features: [notes] });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await person(world.service, `alice${++count}`);
    visit = await world.visit();
  });

  const items = () => visit.page.getByRole('list', { name: 'Recent activity' }).getByRole('listitem');
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) =>
    visit.page.locator('dialog[open]').last().getByRole('button', { name, exact: true });
  const prove = async () => {
    await visit.page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
    await type(visit.page, 'password', alice.password);
    await visit.page.keyboard.press('Enter');
  };
  const record = (...events: Omit<NewEvent, 'accountId'>[]) =>
    world.service.app.get(Database).transaction((tx) =>
      world.service.app.get(SecurityEvents).recordAll(
        tx,
        events.map((event) => ({ ...event, accountId: alice.id }) as NewEvent),
      ),
    );
  const speak = async (language: string) => {
    await visit.page.selectOption('select[name=language]', language);
    await visit.page.waitForSelector(`html[lang="${language}"]`);
  };

  test('the newest are first, in words, with device, network, time and details', async () => {
    const app = await newApp(world.service, alice);
    await consent(world.service, alice, app);
    await record(
      { type: 'credential_leaked', data: { kind: 'session' } },
      { type: 'notes_shared' as never, data: { notes: 1 } },
    );
    await visit.arrive('/account/events', alice.authorization);
    await items().first().waitFor();
    const said = await items().allInnerTexts();
    expect(said[0]).toContain('A note was shared.');
    expect(said[1]).toMatch(/A leaked credential was reported[\s\S]*Type: session/);
    expect(said[2]).toMatch(/^.* was given access to your account[\s\S]*Permissions: See your username/);
    expect(said.at(-1)).toMatch(/^Signed in\n+Account created\n+.*20\d\d.* 127\.0\.x\.x$/);
    await visit.look('account-events');
    await speak('de');
    await visit.page.getByText('Eine Notiz wurde geteilt.').waitFor();
    await speak('fr');
    await visit.page.getByText('A note was shared.').waitFor();
    await visit.leave();
  });

  test('every type has a text in every language, without unfilled placeholders', async () => {
    const data = { name: 'Notes', masked_ip: '127.0.x.x', deadline: '2026-01-01T00:00:00.000Z' };
    const ours = [...featureRegistry().securityEvents.keys()];
    await world.service.sql('DELETE FROM security_event WHERE account_id = $1', [alice.id]);
    await record(...ours.map((type) => ({ type: type as never, data })));
    await visit.arrive('/account/events', alice.authorization);
    await button('Show more').press('Enter');
    await button('Show more').waitFor({ state: 'detached' });
    expect(await items().count()).toBe(ours.length);
    const languages = await visit.page
      .locator('select[name=language] option')
      .evaluateAll((options) => options.map((option) => (option as unknown as { value: string }).value));
    const said = new Map<string, string[]>();
    for (const language of languages) {
      await speak(language);
      said.set(language, await visit.page.locator('.list strong').allInnerTexts());
    }
    for (const [language, lines] of said) {
      expect({ language, left: lines.filter((line) => /[{}]|^events\.|^[a-z_]+$/.test(line)) }).toEqual({
        language,
        left: [],
      });
      expect({ language, different: new Set(lines).size }).toEqual({ language, different: ours.length });
    }
    await visit.leave();
  });

  test('"Show more" continues after the last entry, and keeps the keyboard focus there', async () => {
    const { page } = visit;
    const all = Array.from({ length: 30 }, (_, index) => ({
      type: 'webhook_rotated' as const,
      data: { name: `hook ${index}` },
    }));
    await record(...all);
    await visit.arrive('/account/events', alice.authorization);
    await items().first().waitFor();
    expect(await items().count()).toBe(25);
    await button('Show more').press('Enter');
    await button('Show more').waitFor({ state: 'detached' });
    const said = await items().allInnerTexts();
    expect(said).toHaveLength(31);
    expect(new Set(said.slice(0, 30)).size).toBe(30);
    await page
      .locator(':focus')
      .filter({ hasText: /hook 4(?!\d)/ })
      .waitFor();
    await visit.leave();
  });

  test('"This was not me" lists what it ends, ends it, and names the remaining steps', async () => {
    const { page } = visit;
    const other = await signIn(world.service, alice);
    await consent(world.service, alice, await newApp(world.service, alice));
    await visit.arrive('/account/events', alice.authorization);
    await button('Lock my account').press('Enter');
    await page.getByText('You’re signed out on all other devices.').waitFor();
    await visit.look('account-events-lockdown');
    await inDialog('Cancel').press('Enter');
    expect(await sessionsOf(world.service, alice)).toBe(2);
    await button('Lock my account').press('Enter');
    await inDialog('Lock my account').press('Enter');
    await prove();
    await page.getByRole('heading', { name: 'Your account is locked' }).waitFor();
    await page.getByText('1 device signed out').first().waitFor();
    await focusOn(page, 'Your account is locked');
    await items().filter({ hasText: 'Account locked: ' }).waitFor();
    await visit.look('account-events-locked');
    expect((await world.service.as(other).get('/v1/users/@me')).status).toBe(401);
    expect((await world.service.as(alice).get(EVENTS)).body[0]).toMatchObject({ type: 'locked_down' });
    await button('Review your email').waitFor();
    await button('Change password').press('Enter');
    await heading(visit, 'Password');
    await visit.leave();
  });

  test('a user without proof can end all sessions, including this one, and nothing else', async () => {
    const { page } = visit;
    const app = await newApp(world.service, alice);
    await visit.arrive('/account/events', alice.authorization);
    await button('Lock my account').press('Enter');
    await inDialog('Lock my account').press('Enter');
    await page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await sessionsOf(world.service, alice)).toBe(1);
    await button('Only sign out all devices').press('Enter');
    await page.getByText('sign out all devices, including this one').waitFor();
    await inDialog('Only sign out all devices').press('Enter');
    await page.waitForURL('**/login**');
    expect(await sessionsOf(world.service, alice)).toBe(0);
    expect((await world.service.as(app.bot).get('/v1/users/@me')).status).toBe(200);
    await visit.leave();
  });

  test('a lockdown request that is lost ends nothing, shows an error, and can be sent again', async () => {
    const other = await signIn(world.service, alice);
    await visit.arrive('/account/events', alice.authorization);
    await button('Lock my account').press('Enter');
    await visit.context.setOffline(true);
    await inDialog('Lock my account').press('Enter');
    await visit.page.locator('dialog[open]').getByRole('alert').waitFor();
    expect((await world.service.as(other).get('/v1/users/@me')).status).toBe(200);
    await visit.context.setOffline(false);
    await inDialog('Lock my account').press('Enter');
    await prove();
    await visit.page.getByRole('heading', { name: 'Your account is locked' }).waitFor();
    expect((await world.service.as(other).get('/v1/users/@me')).status).toBe(401);
    await visit.leave();
  });
});
