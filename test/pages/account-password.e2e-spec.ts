import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { ageMail, logIn, mailTo, type Persona, person, sessionsOf, signIn } from '../support/index.js';
import { heading, heldSession, type } from './driving.js';

const NEW_PASSWORD = 'a password of four words';
const UNKNOWN = 'Forgot your password?';

describeInBrowser('account.md 4.1: a new password by email', () => {
  let world: Site;
  let visit: Visit;
  let owner: Persona;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    owner = await person(world.service, 'owner');
    visit = await world.visit();
  });
  afterEach(() => visit.leave());

  const says = (words: string) => visit.page.getByText(words, { exact: false }).first().waitFor();
  const press = (name: string) => visit.page.getByRole('button', { name, exact: true }).press('Enter');
  const mailed = () => visit.page.getByRole('region', { name: UNKNOWN });
  const enterCode = async (code: string) => {
    await visit.page.waitForSelector('[name=code]');
    await type(visit.page, 'code', code);
    await visit.page.keyboard.press('Enter');
  };
  const codeOf = async (count = 1) =>
    (await mailTo(world.service, owner.email, 'password_change', count)).metadata.code ?? '';
  const choosePassword = async (password: string) => {
    const field = mailed().getByLabel('New password', { exact: true });
    await field.fill(password);
    await field.press('Enter');
  };

  test('an emailed code allows a new password without the current one; only this session stays', async () => {
    const { page } = visit;
    await signIn(world.service, owner);
    await visit.arrive('/account/password', owner.authorization, { isKept: true });
    await press('Send a code');
    await enterCode('WRONG');
    await says('Incorrect code.');
    await visit.look('account-password-code');
    await page.reload();
    await enterCode(await codeOf());
    await mailed().locator('[name=new_password]:focus').waitFor();
    await choosePassword('password');
    await says('This password is too common.');
    await visit.look('account-password-mailed');
    expect(await sessionsOf(world.service, owner)).toBe(2);
    expect((await logIn(world.service, owner)).status).toBe(200);
    await choosePassword(NEW_PASSWORD);
    await says('Password changed.');
    expect(await sessionsOf(world.service, owner)).toBe(1);
    const { token, isKept } = await heldSession(visit);
    expect([token === owner.authorization, isKept]).toEqual([false, true]);
    await page.reload();
    await heading(visit, 'Password');
    expect((await logIn(world.service, { ...owner, password: NEW_PASSWORD })).status).toBe(200);
  });

  test('the email is sent again after 30 seconds; an expired challenge is restarted', async () => {
    const { page } = visit;
    await page.clock.install();
    await visit.arrive('/account/password', owner.authorization);
    await press('Send a code');
    await page.getByRole('button', { name: /^Resend email in \d+ seconds$/ }).waitFor();
    await ageMail(world.service, owner, 'sent', 31);
    await page.clock.fastForward(31_000);
    await press('Resend email');
    await codeOf(2);
    await world.service.sql('UPDATE one_time_secret SET expires_at = now() WHERE subject = $1', [owner.id]);
    await enterCode('AAAA-AAAA');
    await says('This timed out or is no longer valid.');
    await press('Start over');
    await mailed().getByRole('button', { name: 'Send a code' }).waitFor();
  });

  test('it is not offered without an email address, or without a password', async () => {
    await world.service.sql('UPDATE account SET email = NULL, email_verified = false WHERE id = $1', [owner.id]);
    await visit.arrive('/account/password', owner.authorization);
    await visit.page.getByLabel('Current password', { exact: true }).waitFor();
    expect(await mailed().count()).toBe(0);
  });
});
