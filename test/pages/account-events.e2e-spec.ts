import { readFileSync } from 'node:fs';
import { type NewEvent, SecurityEvents } from '../../src/accounts/events/security-events.service.js';
import { featureRegistry } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { defineFeature } from '../../src/policy/feature.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { consent, newApp, type Persona, person, sessionsOf, signIn } from '../support/index.js';
import { chooseLanguage, focusOn, heading, type } from './driving.js';

const notes = defineFeature('notes', {
  securityEvents: { notes_shared: { 'en-US': 'A note was shared.', de: 'Eine Notiz wurde geteilt.' } },
});
const EVENTS = '/v1/users/@me/security-events';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const ORIGIN = { ip: '127.0.0.1', userAgent: FIREFOX, os: null };
/** The parts of the texts of events after these prefixes: types, methods and reasons. */
const TEXTS = Object.keys(JSON.parse(readFileSync('web/words/en-US.json', 'utf8')).events);
const after = (prefix: string): string[] =>
  TEXTS.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));

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

  const items = () => visit.page.getByRole('region', { name: 'Recent activity' }).getByRole('listitem');
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
  const speak = (language: string) => chooseLanguage(visit.page, language);

  test('the newest are first, in words, with device, network, time and details', async () => {
    const app = await newApp(world.service, alice);
    await consent(world.service, alice, app);
    await record(
      { type: 'credential_leaked', data: { kind: 'session' } },
      { type: 'notes_shared' as never, data: { notes: 1 } },
    );
    await visit.arrive('/account/events', alice.authorization);
    await items().first().waitFor();
    for (const index of [1, 2]) await items().nth(index).locator('summary').press('Enter');
    const said = await items().allInnerTexts();
    expect(said[0]).toContain('A note was shared.');
    expect(said[1]).toMatch(/A leaked credential was reported[\s\S]*Type: session/);
    expect(said[2]).toMatch(/^You gave .* access to your account[\s\S]*Permissions: See your username/);
    expect(said.at(-1)).toMatch(
      /^You created your account from an unknown device\s+127\.0\.x\.x\s+.*\s+\(.*20\d\d.*\)$/,
    );
    await visit.page
      .getByRole('heading', { level: 3, name: /^(?:Today|Yesterday)$/ })
      .first()
      .waitFor();
    await visit.look('account-events');
    await speak('de');
    await visit.page.getByText('Eine Notiz wurde geteilt.').waitFor();
    await speak('fr');
    await visit.page.getByText('A note was shared.').waitFor();
    await visit.leave();
  });

  test('every type, method and reason has a text in every language, without unfilled placeholders', async () => {
    const data = { name: 'Notes', masked_ip: '127.0.x.x', deadline: '2026-01-01T00:00:00.000Z' };
    const ours = [...featureRegistry().securityEvents.keys()];
    const own = after('you_').map((type) => ({ type, data, origin: ORIGIN }));
    const methods = after('signed_in_').map((method) => ({ type: 'signed_in', data: { method }, origin: ORIGIN }));
    const reasons = ['signed_out', ...after('because_')].map((reason) => ({ type: 'session_ended', data: { reason } }));
    const all = [...ours.map((type) => ({ type, data })), ...own, ...methods, ...reasons];
    await world.service.sql('DELETE FROM security_event WHERE account_id = $1', [alice.id]);
    await record(...(all as never[]));
    await visit.arrive('/account/events', alice.authorization);
    for (let shown = 25; shown < all.length; shown += 25) {
      await items()
        .nth(shown - 1)
        .waitFor();
      await button('Show more').press('Enter');
    }
    await items()
      .nth(all.length - 1)
      .waitFor();
    expect(await items().count()).toBe(all.length);
    const said = new Map<string, string[]>();
    for (const language of ['en-US', 'de', 'fr', 'es-ES', 'pt-BR', 'ja', 'ar']) {
      await speak(language);
      said.set(language, await visit.page.locator('.list strong').allInnerTexts());
    }
    for (const [language, lines] of said) {
      expect({ language, left: lines.filter((line) => /[{}]|^events\.|^[a-z_]+$/.test(line)) }).toEqual({
        language,
        left: [],
      });
      expect({ language, different: new Set(lines).size }).toEqual({ language, different: all.length });
    }
    await visit.leave();
  });

  test('the filter is in the URL, searches older events, and says if there are none of its kind', async () => {
    const { page } = visit;
    await record(
      { type: 'passkey_added', origin: ORIGIN },
      ...Array.from({ length: 30 }, (_, index) => ({
        type: 'webhook_rotated' as const,
        data: { name: `hook ${index}` },
      })),
    );
    await visit.arrive('/account/events', alice.authorization);
    const chip = (name: string) => page.getByRole('group', { name: 'Show' }).getByRole('link', { name, exact: true });
    await chip('Password and 2-step').press('Enter');
    await page.waitForURL('**/account/events?show=factors');
    await items().filter({ hasText: 'You added a passkey' }).waitFor();
    expect(await items().count()).toBe(1);
    expect(await chip('Password and 2-step').getAttribute('aria-current')).toBe('true');
    await visit.look('account-events-filtered');
    await page.reload();
    await items().filter({ hasText: 'You added a passkey' }).waitFor();
    await chip('Devices').press('Enter');
    await page.getByText('No activity of this kind').waitFor();
    await page.goBack();
    await items().filter({ hasText: 'You added a passkey' }).waitFor();
    await chip('Sign-ins').press('Enter');
    await items().filter({ hasText: 'You created your account' }).waitFor();
    expect(await items().count()).toBe(1);
    await chip('Everything').press('Enter');
    await page.waitForURL('**/account/events');
    await items().filter({ hasText: 'hook 29' }).waitFor();
    await visit.leave();
  });

  test('repeated events are folded, and sentences name the user and the device', async () => {
    await record(
      { type: 'signed_in', data: { method: 'passkey' }, origin: ORIGIN },
      { type: 'password_reset', origin: ORIGIN },
      ...Array.from({ length: 4 }, () => ({
        type: 'session_ended' as const,
        data: { by: 'owner', reason: 'password_reset' },
        origin: ORIGIN,
      })),
      ...Array.from({ length: 3 }, () => ({ type: 'sudo_granted' as const, origin: ORIGIN })),
      { type: 'session_ended', data: { by: 'administrator', reason: 'sessions_ended' } },
    );
    await visit.arrive('/account/events', alice.authorization);
    await items().first().waitFor();
    const lines = (await items().allInnerTexts()).map((text) => text.split('\n').filter(Boolean).slice(0, -2));
    expect(lines.slice(0, 5)).toEqual([
      ['Signed out'],
      ['You verified your identity 3 times', 'Firefox on Linux · 127.0.x.x'],
      ['4 devices were signed out because you reset your password', 'Firefox on Linux · 127.0.x.x'],
      ['You reset your password by email', 'Firefox on Linux · 127.0.x.x'],
      ['You signed in with a passkey from Firefox on Linux', '127.0.x.x'],
    ]);
    await items().first().locator('summary').press('Enter');
    await items().first().getByText('By an administrator').waitFor();
    expect(await items().first().getByRole('button').count()).toBe(0);
    await items().nth(2).locator('summary').press('Enter');
    await visit.look('account-events-folded');
    await visit.leave();
  });

  test('"This wasn’t me" leads to the end of the session, to the connected apps, or to the lockdown', async () => {
    const { page } = visit;
    const other = await signIn(world.service, alice);
    await consent(world.service, alice, await newApp(world.service, alice));
    await record({ type: 'passkey_added', origin: ORIGIN });
    await visit.arrive('/account/events', alice.authorization);
    const open = async (text: string) => {
      const item = items().filter({ hasText: text });
      await item.locator('summary').press('Enter');
      return item;
    };
    await (await open('You added a passkey')).getByRole('button', { name: 'This wasn’t me' }).press('Enter');
    await focusOn(page, 'Don’t recognize something?');
    await (await open('You signed in with your password'))
      .getByRole('button', { name: 'This wasn’t me' })
      .press('Enter');
    await page.getByText('will be signed out right away. Then change your password', { exact: false }).waitFor();
    await visit.look('account-events-not-me');
    await inDialog('This wasn’t me').press('Enter');
    await prove();
    await heading(visit, 'Password');
    expect((await world.service.as(other).get('/v1/users/@me')).status).toBe(401);
    await page.goBack();
    await (await open('access to your account')).getByRole('link', { name: 'This wasn’t me' }).press('Enter');
    await heading(visit, 'Connected apps');
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
    await items().filter({ hasText: 'You locked your account' }).first().waitFor();
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
