import { readFile } from 'node:fs/promises';
import { Secret, TOTP } from 'otpauth';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { ageMail, logIn, mailsTo, type Persona, person, verifiedPerson, withTotp } from '../support/index.js';
import { focusOn, tabTo } from './driving.js';

const CHALLENGE = 'backup_codes_challenge';
const PRINTED = 'globalThis.printed';

describeInBrowser('web.md 3: /account/factors', () => {
  let world: Site;
  let visit: Visit;
  let alice: Persona;
  let count = 0;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    alice = await verifiedPerson(world.service, `alice${++count}`);
    visit = await world.visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  });

  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const dialog = () => visit.page.locator('dialog[open]').last();
  const meOf = async () => (await world.service.as(alice).get('/v1/users/@me')).body;
  const shownCodes = (): Promise<string[]> => dialog().locator('li').allInnerTexts();
  /** The current code of an authenticator app with this secret. */
  const codeOf = (secret: string): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.service.clock.now() });

  test('an app is set up with the key next to the QR code; the backup codes can be copied, saved and printed, and work', async () => {
    const { page } = visit;
    await page.addInitScript(`${PRINTED} = 0; globalThis.print = () => { ${PRINTED}++; };`);
    await visit.arrive('/account/factors', alice.authorization);
    await button('Set up authenticator app').waitFor();
    await visit.look('account-factors-off');
    await button('Set up authenticator app').press('Enter');
    await page.getByRole('img', { name: 'QR code', exact: false }).locator('path').waitFor();
    await focusOn(page, /^Scan the QR code/);
    await visit.look('account-factors-set-up');
    await button('Copy key').press('Enter');
    await page.getByText('Copied').waitFor();
    const secret = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect((await page.locator('code.secret').innerText()).replaceAll(' ', '')).toBe(secret);

    await page.getByLabel('Code from your app').fill('000000');
    await page.keyboard.press('Enter');
    await page.getByLabel('Password', { exact: true }).fill(alice.password);
    await page.keyboard.press('Enter');
    await page.getByText('Incorrect or expired code.', { exact: false }).waitFor();
    expect(await meOf()).toMatchObject({ mfa_enabled: false });
    expect(await page.getByLabel('Code from your app').inputValue()).toBe('000000');

    await page.getByLabel('Code from your app').fill(codeOf(secret));
    await page.keyboard.press('Enter');
    await page.getByLabel('Password', { exact: true }).fill(alice.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Save your backup codes' }).waitFor();
    await visit.look('account-factors-codes');
    const codes = await shownCodes();
    expect(codes).toHaveLength(10);
    expect(await meOf()).toMatchObject({ mfa_enabled: true, authenticator_types: [0] });

    await dialog().getByRole('button', { name: 'Copy', exact: true }).press('Enter');
    await page.waitForFunction(
      `navigator.clipboard.readText().then((text) => text === ${JSON.stringify(codes.join('\n'))})`,
    );
    const saved = page.waitForEvent('download');
    await dialog().getByRole('button', { name: 'Download' }).press('Enter');
    const file = await saved;
    expect(file.suggestedFilename()).toBe('Gatehouse-backup-codes.txt');
    expect(await readFile(await file.path(), 'utf8')).toContain(codes.join('\n'));
    await dialog().getByRole('button', { name: 'Print' }).press('Enter');
    expect(await page.evaluate(PRINTED)).toBe(1);
    await page.emulateMedia({ media: 'print' });
    await page.getByText('Keep them somewhere safe', { exact: false }).waitFor({ state: 'hidden' });
    expect(await page.getByText(codes[0] as string).isVisible()).toBe(true);
    await page.emulateMedia({ media: null });
    await page.keyboard.press('Escape');
    await dialog().getByRole('button', { name: 'I’ve saved it' }).press('Enter');
    await button('Remove app').waitFor();
    await visit.look('account-factors-on');

    const { body } = await logIn(world.service, alice);
    const response = await world.service.anonymous.post('/v1/auth/login/mfa/totp', {
      ticket: body.ticket,
      code: codes[0],
    });
    expect(response.status).toBe(200);
    await visit.leave();
  });

  test('the app is removed with one code, and a wrong one stays for correction', async () => {
    const { page } = visit;
    const { authenticator } = await withTotp(world.service, alice);
    await visit.arrive('/account/factors', alice.authorization);
    await button('Remove app').press('Enter');
    await dialog().getByRole('textbox').fill('000000');
    await page.keyboard.press('Enter');
    await dialog().getByRole('alert').waitFor();
    await visit.look('account-factors-remove');
    expect(await meOf()).toMatchObject({ mfa_enabled: true });
    await dialog().getByRole('textbox').fill(authenticator.next());
    await page.keyboard.press('Enter');
    await button('Set up authenticator app').waitFor();
    expect(await meOf()).toMatchObject({ mfa_enabled: false });
    expect(await page.getByRole('heading', { name: 'Backup codes' }).count()).toBe(0);
    await visit.leave();
  });

  test('new backup codes with an emailed code: it is resent later and checked, and the old backup codes stop working', async () => {
    const { page } = visit;
    const { backupCodes } = await withTotp(world.service, alice);
    await visit.arrive('/account/factors', alice.authorization);
    await button('Generate new codes').press('Enter');
    await page.getByText(`Enter the code we emailed to ${alice.email}.`, { exact: false }).waitFor();
    await focusOn(page, /^Enter the code we emailed/);
    const resend = page.getByRole('button', { name: /^Resend email in \d+ seconds?$/ });
    await resend.waitFor();
    expect(await resend.getAttribute('aria-disabled')).toBe('true');
    await visit.look('account-factors-challenge');
    const [first] = await mailsTo(world.service, alice.email, CHALLENGE, 1);

    // Advances the time by half a minute, for the service and for the page.
    await ageMail(world.service, alice, 'lastSent', 31);
    await ageMail(world.service, alice, 'sent', 31);
    await page.clock.install();
    await page.clock.fastForward(31_000);
    await button('Resend email').press('Enter');
    const [second] = await mailsTo(world.service, alice.email, CHALLENGE, 2);
    await page.getByLabel('Code from email').fill(String(first?.metadata.code));
    await page.keyboard.press('Enter');
    await page.getByText('Incorrect code. Check the latest email.').waitFor();
    await page.getByLabel('Code from email').fill(String(second?.metadata.code));
    await page.keyboard.press('Enter');
    await page.getByText('10 codes left').waitFor();
    await tabTo(visit, 'Generate new codes');
    await button('Generate new codes').press('Enter');
    await page.getByRole('heading', { name: 'Save your backup codes' }).waitFor();
    const codes = await shownCodes();
    expect(codes.filter((code) => backupCodes.includes(code))).toEqual([]);
    const { body } = await logIn(world.service, alice);
    const use = (code = '') => world.service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: body.ticket, code });
    expect((await use(backupCodes[0])).status).toBe(400);
    expect((await use(codes[0])).status).toBe(200);
    await dialog().getByRole('button', { name: 'I’ve saved it' }).press('Enter');
    await button('Generate new codes').waitFor();
    await visit.leave();
  });

  test('the number of remaining codes is shown after a proof', async () => {
    const { page } = visit;
    const { backupCodes } = await withTotp(world.service, alice);
    await visit.arrive('/account/factors', alice.authorization);
    await button('Check how many are left').press('Enter');
    await dialog()
      .getByRole('textbox')
      .fill(backupCodes[0] as string);
    await page.keyboard.press('Enter');
    await page.getByText('9 codes left').waitFor();
    await world.service.sql('UPDATE backup_code SET consumed_at = now() WHERE account_id = $1', [alice.id]);
    await page.reload();
    await page.getByText('You’ve used all your backup codes.', { exact: false }).waitFor();
    await visit.leave();
  });

  test('an unverified address is reported before the setup starts', async () => {
    const bob = await person(world.service, 'bob');
    await visit.arrive('/account/factors', bob.authorization);
    await visit.page.getByText('Verify your email first', { exact: false }).waitFor();
    expect(await button('Set up authenticator app').count()).toBe(0);
    await visit.leave();
  });
});
