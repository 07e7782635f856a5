import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site } from '../machine/pages.js';
import { BAN, of, ok, ROWS, type StateChange, stateChanges } from '../machine/state-changes.js';
import { superuser } from '../support/admin.js';
import { expectApiError, logIn, mailTo, type Persona, signIn, verifiedPerson } from '../support/index.js';
import { environmentOf, ScriptedProvider } from '../support/sso.js';
import { hasArrived, signInAs } from './driving.js';

const WORDS = JSON.parse(readFileSync('web/words/en-US.json', 'utf8'));
const ADMIN = '/v1/admin/users/:user_id/';

/** The text that shows the change on a page other than that of the events. Without one, the user can sign in again. */
const TEXTS: Readonly<Record<string, (persona: Persona) => string | RegExp>> = {
  [`\`PUT ${ADMIN}ban\``]: () => /temporarily suspended/,
  [`\`PUT ${ADMIN}deletion\``]: () => /Incorrect email or password/,
  [`\`PUT ${ADMIN}suspicious-activity-flags\``]: () => 'verify a phone number',
  [`\`PUT ${ADMIN}phone-verification\``]: () => 'You have a verified phone number. No one else can see it.',
  [`\`PUT ${ADMIN}email-verification\``]: () => 'Verified',
  [`\`PUT ${ADMIN}email-bounce\``]: () => 'Emails are bouncing',
  [`\`PATCH ${ADMIN}email\``]: ({ email }) => email,
  [`\`PUT ${ADMIN}acls\``]: () => 'You have 1 permission:',
  '`PATCH /v1/admin/instance/pending-registrations/:user_id` to `rejected`': () => /wasn’t approved/,
};

describeInBrowser('auth.md 2: the page of docs/account-changes.md shows the change', () => {
  let provider: ScriptedProvider;
  let world: Site;
  let root: Persona;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    world = await site({ env: environmentOf(provider) });
    root = await superuser(world.service);
  });
  afterAll(async () => {
    await world?.close();
    await provider?.stop();
  });

  /** Signs in after a change. Without a password, its user resets it. */
  async function tokenAfter(persona: Persona): Promise<string> {
    const { status } = await logIn(world.service, persona);
    if (status === 200) return signIn(world.service, persona);
    ok(await world.service.anonymous.post('/v1/auth/forgot', { email: persona.email }));
    const { metadata } = await mailTo(world.service, persona.email, 'password_reset');
    const reset = { token: metadata.token, password: 'another password of hers' };
    return ok(await world.service.anonymous.post('/v1/auth/reset', reset)).token;
  }

  /** The event in the words of its user or in others. */
  const eventOf = (page: Page, event: string) => {
    const texts = [event, `you_${event}`].flatMap((key) => WORDS.events[key]?.split('{')[0] ?? []);
    return page
      .getByRole('region', { name: 'Recent activity' })
      .getByRole('listitem')
      .filter({ hasText: new RegExp(texts.join('|')) })
      .first();
  };

  test.each(ROWS)('%s: %s, %s, %s', async (operation = '', _mail, event = '', path = '') => {
    const alice = await verifiedPerson(world.service, 'alice');
    const { before, make } = stateChanges(world.service, root, provider.issuer)[operation] as StateChange;
    await before?.(alice);
    await make(alice);
    const persona = event === 'email_changed' ? { ...alice, email: `new.${alice.email}` } : alice;
    const visit = await world.visit();
    const { page } = visit;
    if (path === '/login' || path === 'none') {
      await visit.open('/login');
      await signInAs(page, persona);
    } else await visit.arrive(path, await tokenAfter(persona));
    const text = TEXTS[operation]?.(persona);
    if (path === '/account/events') await eventOf(page, event).waitFor();
    else if (text) await page.getByText(text, { exact: true }).waitFor();
    else await hasArrived(page);
    await visit.leave();
  });

  test.each([
    ['for a time', 24, () => /^Your account is temporarily suspended\. The suspension ends on (.+)\. Reason: (.+)$/],
    ['for good', 0, () => /^Your account is suspended\..* (The suspension is permanent)\. Reason: (.+)$/],
  ])('a user who is banned %s sees the end and the public reason on /login', async (_, duration_hours, pattern) => {
    const alice = await verifiedPerson(world.service, 'alice');
    ok(await world.service.as(root).put(of(alice, 'ban'), { ...BAN, duration_hours }));
    const response = await logIn(world.service, alice);
    expectApiError(response, duration_hours ? 'ACCOUNT_SUSPENDED_TEMPORARILY' : 'ACCOUNT_SUSPENDED_PERMANENTLY');
    const visit = await world.visit();
    await visit.open('/login');
    await signInAs(visit.page, alice);
    const notice = visit.page.getByText(/^Your account is (?:temporarily )?suspended/);
    const [, end, reason] = pattern().exec(await notice.innerText()) ?? [];
    const until = response.body.banned_until;
    const format = { dateStyle: 'medium', timeStyle: 'short' } as const;
    const expected = until
      ? new Intl.DateTimeFormat('en-US', format).format(new Date(until))
      : 'The suspension is permanent';
    expect([end, reason]).toEqual([expected, BAN.reason]);
    await visit.leave();
  });
});
