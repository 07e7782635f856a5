import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  ageMail,
  inboxAfterDelivery,
  inboxOf,
  mailTo,
  type Persona,
  person,
  sessionsOf,
  verifiedPerson,
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

  test('an email address is changed only by keyboard, with a code to the old and one to the new; no session ends', async () => {
    const owner = await verifiedPerson(world.service, 'owner');
    const next = freshAddress();
    const { page } = visit;
    await arrive(owner);
    await says('We’ll send one code to your current email');
    await visit.look('account-contact');
    await tabTo(visit, 'Change email');
    await page.keyboard.press('Enter');
    await enter('code', 'AAAA-AAAA');
    await says('Incorrect code.');
    expect(await page.inputValue('[name=code]')).toBe('AAAA-AAAA');
    await visit.look('account-contact-original');
    await page.reload();
    await enter('code', await codeTo(owner.email, 'email_change_original'));
    await page.locator('[name=new_email]:focus').waitFor();
    await enter('new_email', owner.email);
    await says('This is already your email.');
    await enter('new_email', next);
    await enter('code', await codeTo(next, 'email_change_new'));
    await press('Use this email');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await says('Confirm it’s you first.');
    expect(await addressOf(owner)).toEqual(confirmed(owner.email));
    await visit.look('account-contact-apply');
    await press('Use this email');
    await enter('password', owner.password);
    await says(`Your email is now ${next}.`);
    await focusOn(page, 'Email');
    await visit.look('account-contact-changed');
    expect(await addressOf(owner)).toEqual(confirmed(next));
    expect(await sessionsOf(world.service, owner)).toBe(1);
    await mailTo(world.service, owner.email, 'email_change_revert');
  });

  test('each email is sent again after 30 seconds; another address can be entered', async () => {
    const owner = await verifiedPerson(world.service, 'owner');
    const { page } = visit;
    const [first, second] = [freshAddress(), freshAddress()];
    await page.clock.install();
    await arrive(owner);
    await press('Change email');
    const pause = async (member: string) => {
      const resend = page.getByRole('button', { name: /^Resend email in \d+ seconds$/ });
      expect(await resend.getAttribute('aria-disabled')).toBe('true');
      await ageMail(world.service, owner, member, 31);
      await page.clock.fastForward(31_000);
    };
    await pause('original');
    await press('Resend email');
    await enter('code', await codeTo(owner.email, 'email_change_original', 2));
    await enter('new_email', first);
    await pause('fresh');
    await press('Resend email');
    await mailTo(world.service, first, 'email_change_new', 2);
    await ageMail(world.service, owner, 'fresh', 31);
    await press('Use a different email');
    await enter('new_email', second);
    await enter('code', await codeTo(second, 'email_change_new'));
    await says(`${second} is verified. Last step`);
  });

  test('an address with an account is rejected at its field, without an email; the change can be restarted', async () => {
    const [owner, other] = [await person(world.service, 'owner'), await person(world.service, 'other')];
    const { page } = visit;
    await arrive(owner);
    await says('Verify your email. We sent a link');
    await press('Change email');
    await enter('new_email', other.email);
    await says('This email already has an account.');
    expect(await page.getAttribute('[name=new_email]', 'aria-invalid')).toBe('true');
    expect(await page.inputValue('[name=new_email]')).toBe(other.email);
    expect(await inboxAfterDelivery(world.service, other.email, 'email_change_new')).toEqual([]);
    await world.service.sql("DELETE FROM one_time_secret WHERE subject = $1 AND payload ? 'requiresOriginal'", [
      owner.id,
    ]);
    await enter('new_email', freshAddress());
    await says('This timed out or is no longer valid.');
    await press('Start over');
    await page.getByRole('button', { name: 'Change email' }).waitFor();
    expect(await addressOf(owner)).toMatchObject({ email: owner.email });
  });

  test('an account without an address gets its first one', async () => {
    const owner = await person(world.service, 'owner');
    await world.service.sql('UPDATE account SET email = NULL, email_verified = false WHERE id = $1', [owner.id]);
    const next = freshAddress();
    await arrive(owner);
    await says('Your account has no email yet.');
    await enter('new_email', next);
    await enter('code', await codeTo(next, 'email_change_new'));
    await press('Use this email');
    await enter('password', owner.password);
    await says(`Your email is now ${next}.`);
    expect(await visit.page.getByText('We sent your previous email').count()).toBe(0);
    expect(await addressOf(owner)).toEqual(confirmed(next));
  });

  test('a bounced address is replaced with only the code sent to the new one', async () => {
    const owner = await person(world.service, 'owner');
    await world.service.sql('UPDATE account SET email_bounced = true WHERE id = $1', [owner.id]);
    const next = freshAddress();
    await arrive(owner);
    await says('Emails are bouncing');
    await visit.look('account-contact-bounced');
    await enter('new_email', next);
    await enter('code', await codeTo(next, 'email_change_new'));
    await says(`Your email is now ${next}.`);
    expect(await addressOf(owner)).toEqual(confirmed(next));
    expect(await inboxOf(world.service, owner.email, 'email_change_revert')).toEqual([]);
  });

  test('a phone number is verified by a code; a wrong code is rejected and changes nothing', async () => {
    const owner = await person(world.service, 'owner');
    const { page } = visit;
    const isConfirmed = async () =>
      (await world.service.as(owner).get('/v1/users/@me')).body.has_verified_phone as boolean;
    await arrive(owner);
    await says('No phone number yet');
    await enter('phone', '030 123456');
    await says('Enter a phone number with +');
    await enter('phone', PHONE);
    await enter('code', 'wrong');
    await says('Incorrect or expired code. Check it');
    expect(await isConfirmed()).toBe(false);
    await visit.look('account-contact-phone');
    await enter('code', await codeTo(PHONE, 'phone_verification'));
    await says('Phone number verified');
    expect(await isConfirmed()).toBe(true);
    await page.reload();
    await says('You have a verified phone number.');
  });

  test('outstanding requirements are met with the same steps', async () => {
    const owner = await person(world.service, 'owner');
    await world.service.sql('UPDATE account SET suspicious_flags = 5, email_bounced = true WHERE id = $1', [owner.id]);
    const next = freshAddress();
    // The requested view loads later than the view that replaces it.
    let release = () => {};
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    let requested = 0;
    await visit.page.route(/\/assets\/view-/, async (route) => {
      if (requested++ === 0) await late;
      await route.continue();
    });
    await arrive(owner);
    await says('Use a new email');
    const arrived = visit.page.waitForResponse(/\/assets\/view-/);
    release();
    await arrived;
    await enter('new_email', next);
    await enter('code', await codeTo(next, 'email_change_new'));
    await visit.page.getByText('Use a new email').waitFor({ state: 'detached' });
    await enter('phone', '+4930765432');
    await enter('code', await codeTo('+4930765432', 'phone_verification'));
    await visit.page.getByRole('heading', { level: 1, name: 'Email and phone' }).waitFor();
    expect((await world.service.as(owner).get('/v1/users/@me')).body.required_actions).toEqual([]);
  });
});
