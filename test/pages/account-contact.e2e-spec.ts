import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  ageMail,
  inboxOf,
  mailTo,
  type Persona,
  person,
  sessionsOf,
  settledInboxOf,
  verified,
} from '../support/index.js';
import { focusOn, tabTo, type } from './driving.js';

const PHONE = '+4930123456';

describeInBrowser('web.md 3: /account/contact', () => {
  let world: Site;
  let visit: Visit;
  let count = 0;
  beforeAll(async () => {
    world = await site({ env: { SMS_TRANSPORT: 'inbox' } });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    visit = await world.visit();
  });
  afterEach(() => visit.leave());

  const freshAddress = () => `next${++count}.${Date.now()}@example.net`;
  const codeTo = async (address: string, kind: string, mails = 1): Promise<string> =>
    (await mailTo(world.service, address, kind, mails)).metadata.code ?? '';
  const says = (words: string) => visit.page.getByText(words, { exact: false }).first().waitFor();
  const press = (name: string) => visit.page.getByRole('button', { name, exact: true }).press('Enter');
  const enter = async (field: string, text: string) => {
    await visit.page.waitForSelector(`[name=${field}]`);
    await type(visit.page, field, text);
    await visit.page.keyboard.press('Enter');
  };
  const addressOf = async ({ id }: Persona) => {
    const [row] = await world.service.sql('SELECT email, email_verified, email_bounced FROM account WHERE id = $1', [
      id,
    ]);
    return row;
  };
  const arrive = (owner: Persona) => visit.arrive('/account/contact', owner.authorization);
  const confirmed = (email: string) => ({ email, email_verified: true, email_bounced: false });

  test('an address is changed by keyboard alone, with a code to the former and one to the new; no session ends', async () => {
    const owner = await verified(world.service, 'owner');
    const next = freshAddress();
    const { page } = visit;
    await arrive(owner);
    await says('First we send a code to your present address');
    await visit.look('account-contact');
    await tabTo(visit, 'Change the address');
    await page.keyboard.press('Enter');
    await enter('code', 'AAAA-AAAA');
    await says('This code is wrong.');
    expect(await page.inputValue('[name=code]')).toBe('AAAA-AAAA');
    await visit.look('account-contact-original');
    await page.reload();
    await enter('code', await codeTo(owner.email, 'email_change_original'));
    await page.locator('[name=new_email]:focus').waitFor();
    await enter('new_email', owner.email);
    await says('This is already your address.');
    await enter('new_email', next);
    await enter('code', await codeTo(next, 'email_change_new'));
    await press('Use this address');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await says('Confirm first that it is you.');
    expect(await addressOf(owner)).toEqual(confirmed(owner.email));
    await visit.look('account-contact-apply');
    await press('Use this address');
    await enter('password', owner.password);
    await says(`Your address is now ${next}.`);
    await focusOn(page, 'E-mail address');
    await visit.look('account-contact-changed');
    expect(await addressOf(owner)).toEqual(confirmed(next));
    expect(await sessionsOf(world.service, owner)).toBe(1);
    await mailTo(world.service, owner.email, 'email_change_revert');
  });

  test('each mail is sent again after half a minute; another address may be entered', async () => {
    const owner = await verified(world.service, 'owner');
    const { page } = visit;
    const [first, second] = [freshAddress(), freshAddress()];
    await page.clock.install();
    await arrive(owner);
    await press('Change the address');
    const pause = async (member: string) => {
      const resend = page.getByRole('button', { name: /^Send the mail again in \d+ seconds$/ });
      expect(await resend.getAttribute('aria-disabled')).toBe('true');
      await ageMail(world.service, owner, member, 31);
      await page.clock.fastForward(31_000);
    };
    await pause('original');
    await press('Send the mail again');
    await enter('code', await codeTo(owner.email, 'email_change_original', 2));
    await enter('new_email', first);
    await pause('fresh');
    await press('Send the mail again');
    await mailTo(world.service, first, 'email_change_new', 2);
    await ageMail(world.service, owner, 'fresh', 31);
    await press('Another address');
    await enter('new_email', second);
    await enter('code', await codeTo(second, 'email_change_new'));
    await says(`${second} is confirmed. One more step`);
  });

  test('an address that has an account is refused where it stands, and nothing is mailed; starting again is possible', async () => {
    const [owner, other] = [await person(world.service, 'owner'), await person(world.service, 'other')];
    const { page } = visit;
    await arrive(owner);
    await says('is not confirmed yet');
    await press('Change the address');
    await enter('new_email', other.email);
    await says('This address already has an account.');
    expect(await page.getAttribute('[name=new_email]', 'aria-invalid')).toBe('true');
    expect(await page.inputValue('[name=new_email]')).toBe(other.email);
    expect(await settledInboxOf(world.service, other.email, 'email_change_new')).toEqual([]);
    await world.service.sql("DELETE FROM one_time_secret WHERE subject = $1 AND payload ? 'requiresOriginal'", [
      owner.id,
    ]);
    await enter('new_email', freshAddress());
    await says('This took too long or is no longer valid.');
    await press('Start again');
    await page.getByRole('button', { name: 'Change the address' }).waitFor();
    expect(await addressOf(owner)).toMatchObject({ email: owner.email });
  });

  test('an account without an address gets its first one', async () => {
    const owner = await person(world.service, 'owner');
    await world.service.sql('UPDATE account SET email = NULL, email_verified = false WHERE id = $1', [owner.id]);
    const next = freshAddress();
    await arrive(owner);
    await says('Your account has no address yet.');
    await enter('new_email', next);
    await enter('code', await codeTo(next, 'email_change_new'));
    await press('Use this address');
    await enter('password', owner.password);
    await says(`Your address is now ${next}.`);
    expect(await visit.page.getByText('The former address gets a mail').count()).toBe(0);
    expect(await addressOf(owner)).toEqual(confirmed(next));
  });

  test('one that mail does not reach is replaced without it, by its code alone', async () => {
    const owner = await person(world.service, 'owner');
    await world.service.sql('UPDATE account SET email_bounced = true WHERE id = $1', [owner.id]);
    const next = freshAddress();
    await arrive(owner);
    await says('Mail does not arrive there');
    await visit.look('account-contact-bounced');
    await enter('new_email', next);
    await enter('code', await codeTo(next, 'email_change_new'));
    await says(`Your address is now ${next}.`);
    expect(await addressOf(owner)).toEqual(confirmed(next));
    expect(await inboxOf(world.service, owner.email, 'email_change_revert')).toEqual([]);
  });

  test('a phone number is confirmed by a code; a wrong one is refused and nothing changes', async () => {
    const owner = await person(world.service, 'owner');
    const { page } = visit;
    const isConfirmed = async () =>
      (await world.service.as(owner).get('/v1/users/@me')).body.has_verified_phone as boolean;
    await arrive(owner);
    await says('No phone number is confirmed.');
    await enter('phone', '030 123456');
    await says('Enter the phone number with a plus sign');
    await enter('phone', PHONE);
    await enter('code', 'wrong');
    await says('This code is wrong or has expired.');
    expect(await isConfirmed()).toBe(false);
    await visit.look('account-contact-phone');
    await enter('code', await codeTo(PHONE, 'phone_verification'));
    await says('Your phone number is confirmed.');
    expect(await isConfirmed()).toBe(true);
    await page.reload();
    await says('A phone number is confirmed.');
  });

  test('what the account has to do first is done by the same steps', async () => {
    const owner = await person(world.service, 'owner');
    await world.service.sql('UPDATE account SET suspicious_flags = 5, email_bounced = true WHERE id = $1', [owner.id]);
    const next = freshAddress();
    // The requested view loads later than the view that replaces it.
    let release = () => {};
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    await visit.page.route(/\/assets\/view-/, async (route) => {
      if (asked++ === 0) await late;
      await route.continue();
    });
    await arrive(owner);
    await says('By a new address');
    const arrived = visit.page.waitForResponse(/\/assets\/view-/);
    release();
    await arrived;
    await enter('new_email', next);
    await enter('code', await codeTo(next, 'email_change_new'));
    await visit.page.getByText('By a new address').waitFor({ state: 'detached' });
    await enter('phone', '+4930765432');
    await enter('code', await codeTo('+4930765432', 'phone_verification'));
    await visit.page.getByRole('heading', { level: 1, name: 'E-mail and phone' }).waitFor();
    expect((await world.service.as(owner).get('/v1/users/@me')).body.required_actions).toEqual([]);
  });
});
