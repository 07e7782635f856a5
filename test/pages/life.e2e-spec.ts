import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Secret, TOTP } from 'otpauth';
import { describeInBrowser } from '../machine/browser.js';
import { arrival, decide } from '../machine/consent-application.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type AddressProxy, openAddressProxy } from '../machine/proxy-from-address.js';
import { VirtualAuthenticator } from '../machine/virtual-authenticator.js';
import { eventually, inboxOf, isTokenActive, mailTo, ownLinksIn, runCleanup } from '../support/index.js';
import { choose, hasArrived, heading, signInAs, signOut, tabTo, type } from './driving.js';
import { mailedLink } from './mailed.js';

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const ELSEWHERE = '127.44.0.1';
const PASSWORDS = ['four words to begin with', 'four words after the thief', 'four words after the lock'] as const;
const PHONE = 'Safari on iOS';
const APPLICATION = 'Night Reader';
/** The grace period of a deletion is fourteen days (account.md 3). */
const LATE = { days: 13 };
const PAST_THE_DEADLINE = { days: 2 };

describeInBrowser('web.md: the life of an account', () => {
  let world: Site;
  let home: Visit;
  let away: Visit;
  let proxy: AddressProxy;
  let receiver: Server;
  let authenticator: VirtualAuthenticator;
  beforeAll(async () => {
    world = await site({ env: { IP_AUTHORIZATION: 'on' } });
    proxy = await openAddressProxy(ELSEWHERE, world.service.port);
    receiver = createServer((_req, res) => res.end('<title>Arrived</title>')).listen(0, '127.0.0.1');
    home = await world.visit();
    away = await world.visit({ userAgent: SAFARI, proxy: proxy.proxy });
    authenticator = await VirtualAuthenticator.plugIn(home.page);
  });
  afterAll(async () => {
    receiver?.close();
    await world?.close();
    proxy?.close();
  });

  const email = `ada.${randomBytes(6).toString('hex')}@example.com`;
  const says = ({ page }: Visit, words: string | RegExp) => page.getByText(words, { exact: false }).first().waitFor();
  const button = (name: string) => home.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) =>
    home.page.locator('dialog[open]').last().getByRole('button', { name, exact: true });
  const item = (text: string) => home.page.getByRole('listitem').filter({ hasText: text }).last();
  const view = async (name: string) => {
    await home.page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await heading(home, name);
  };
  const enter = async ({ page }: Visit, field: string, text: string) => {
    await page.waitForSelector(`[name=${field}]`);
    await type(page, field, text);
    await page.keyboard.press('Enter');
  };
  const proveBy = {
    password: async (password: string) => {
      await home.page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
      await home.page.getByLabel('Password', { exact: true }).fill(password);
      await home.page.keyboard.press('Enter');
    },
    passkey: async () => {
      await home.page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
      await inDialog('Use a passkey').click();
    },
  };
  const isOver = (visit: Visit): Promise<void> => says(visit, 'You’ve been signed out. Sign in again to continue.');
  const follow = async (type: string) => void (await home.page.goto(await mailedLink(world, email, type)));
  const isInAgain = () => home.page.getByRole('heading', { level: 2, name: 'Ada_Lovelace' }).waitFor();

  const register = async () => {
    const { page } = home;
    await home.open('/login');
    await choose(page, 'Create an account');
    await heading(home, 'Create an account');
    await tabTo(home, 'username');
    await page.keyboard.type('Ada_Lovelace');
    await tabTo(home, 'email');
    await page.keyboard.type(email);
    await tabTo(home, 'password');
    await page.keyboard.type(PASSWORDS[0]);
    await page.keyboard.press('Enter');
    await hasArrived(page);
    await isInAgain();
  };

  const verify = async () => {
    await follow('email_verification');
    await choose(home.page, 'Verify email');
    await heading(home, 'Email verified');
    await home.page.getByRole('link', { name: 'Go to your account' }).click();
    await isInAgain();
  };

  /** After the sign-out, the passkey signs the user in automatically. */
  const enrolPasskey = async () => {
    const { page } = home;
    await view('Passkeys');
    await page.getByLabel('Passkey name').fill('Laptop');
    await button('Add a passkey').click();
    await proveBy.password(PASSWORDS[0]);
    await item('Laptop').waitFor();
    const signedOut = page.waitForURL(/\/login/);
    await signOut(page);
    await signedOut;
    await isInAgain();
  };

  const signInElsewhere = async () => {
    await away.open('/login');
    await signInAs(away.page, { email, password: PASSWORDS[0] });
    await says(away, 'Waiting for you to confirm');
    await follow('ip_authorization');
    await choose(home.page, 'Yes, it was me');
    await heading(home, 'Sign-in approved');
    await hasArrived(away.page);
    await away.waitForGateway();
  };

  const endItFromHere = async () => {
    await home.open('/account');
    await view('Security activity');
    await item('You approved a new network: 127.44.x.x').waitFor();
    await item('You signed in with a passkey').waitFor();
    await view('Devices');
    await item(PHONE).getByText('127.44.x.x').waitFor();
    await item(PHONE).getByRole('button', { name: 'Sign out' }).click();
    await inDialog('Sign out').click();
    await home.page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    const [requested, gone] = [home.page.waitForRequest('**/v1/auth/sessions/logout'), isOver(away)].map((event) =>
      event.then(() => performance.now()),
    );
    await proveBy.passkey();
    const took = Number(await gone) - Number(await requested);
    process.stderr.write(`a session showed ${Math.round(took)} ms after the request that it was ended\n`);
    await item(PHONE).waitFor({ state: 'detached' });
    await view('Security activity');
    await item('You signed out 1 device').waitFor();
  };

  /** @returns the backup codes from the downloaded file */
  const setUpApp = async (): Promise<string[]> => {
    const { page } = home;
    await view('Two-step verification');
    await button('Set up authenticator app').click();
    const key = (await page.locator('code.secret').innerText()).replaceAll(' ', '');
    const app = new TOTP({ secret: Secret.fromBase32(key) });
    await page.getByLabel('Code from your app').fill(app.generate({ timestamp: world.service.clock.now() }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Save your backup codes' }).waitFor();
    const saved = page.waitForEvent('download');
    await inDialog('Download').click();
    const text = await readFile(await (await saved).path(), 'utf8');
    await inDialog('I’ve saved it').click();
    await button('Remove app').waitFor();
    return text.match(/\b[a-z0-9]{4}-[a-z0-9]{4}\b/g) ?? [];
  };

  const signInByBackupCode = async ([code = '']: readonly string[]) => {
    await signInAs(away.page, { email, password: PASSWORDS[0] });
    await choose(away.page, 'Use a backup code instead');
    await enter(away, 'code', code);
    await hasArrived(away.page);
    await away.waitForGateway();
  };

  /**
   * Creates an application and authorizes it as its first user. The test sends the token request of the application
   * itself.
   */
  const connect = async (): Promise<string> => {
    const { page } = home;
    const redirectUri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callback`;
    await view('Your apps');
    await button('New app').click();
    await type(page, 'name', APPLICATION);
    await button('Add URI').click();
    await page.locator('[name="redirect_uris.0"]:focus').waitFor();
    await page.keyboard.type(redirectUri);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Bot token', { exact: true }).waitFor();
    const [id = '', secret = ''] = await page.locator('dialog[open] code.secret').allTextContents();
    await inDialog('I’ve saved it').click();
    await page.getByRole('heading', { level: 2, name: APPLICATION }).waitFor();
    const verifier = randomBytes(32).toString('base64url');
    const request = {
      ...{ client_id: id, response_type: 'code', scope: 'identify email', redirect_uri: redirectUri, state: 'kept' },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    await home.open(`/oauth2/authorize?${new URLSearchParams(request)}`);
    await decide(page, 'Allow');
    const { body } = await world.service.anonymous.form('/v1/oauth2/token', {
      ...{ grant_type: 'authorization_code', code: (await arrival(page)).get('code') ?? '', redirect_uri: redirectUri },
      ...{ code_verifier: verifier, client_id: id, client_secret: secret },
    });
    expect(await isTokenActive(world.service, body.access_token)).toBe(true);
    return body.access_token;
  };

  const disconnect = async (accessToken: string) => {
    await home.open('/account');
    await view('Connected apps');
    await item(APPLICATION).getByRole('button', { name: 'Remove access' }).click();
    await inDialog('Remove access').click();
    await says(home, 'No connected apps');
    expect(await isTokenActive(world.service, accessToken)).toBe(false);
  };

  const moveTo = async (next: string) => {
    const codeTo = async (address: string, kind: string) => (await mailTo(world.service, address, kind)).metadata.code;
    await view('Email and phone');
    await button('Change email').click();
    await enter(home, 'code', (await codeTo(email, 'email_change_original')) ?? '');
    await enter(home, 'new_email', next);
    await enter(home, 'code', (await codeTo(next, 'email_change_new')) ?? '');
    await button('Use this email').click();
    await proveBy.passkey();
    await says(home, `Your email is now ${next}.`);
  };

  /**
   * The attacker changed the email address. The old email address reverts the change, which ends all other sessions.
   */
  const revert = async () => {
    const gone = isOver(away);
    await follow('email_change_revert');
    await heading(home, 'Undo this email change');
    await home.page.waitForSelector('[name=password]');
    await type(home.page, 'password', PASSWORDS[1]);
    await choose(home.page, 'Recover my account');
    await hasArrived(home.page);
    await gone;
    await eventually('a browser without the passkey that was removed', async () =>
      (await authenticator.ids()).length === 0 ? true : undefined,
    );
    await view('Email and phone');
    await says(home, email);
    await view('Passkeys');
    await says(home, 'You don’t have any passkeys yet.');
  };

  const lock = async () => {
    const notice = await eventually('the notice', async () =>
      (await inboxOf(world.service, email, 'security_notice')).find(
        ({ metadata }) => metadata.event === 'email_reverted',
      ),
    );
    await home.page.goto(ownLinksIn(notice.text, world.origin)[0] ?? '');
    await choose(home.page, 'Lock my account');
    await heading(home, 'Your account is locked');
    await signInAs(away.page, { email, password: PASSWORDS[1] });
    await says(away, 'We locked this account because of unusual activity.');
  };

  const recover = async () => {
    await home.page.getByRole('link', { name: 'Set a new password' }).click();
    await heading(home, 'Reset your password');
    await enter(home, 'email', email);
    await heading(home, 'Check your email');
    await follow('password_reset');
    await heading(home, 'Set a new password');
    await enter(home, 'password', PASSWORDS[2]);
    await hasArrived(home.page);
  };

  const takeAlong = async () => {
    await view('Your data');
    const saved = home.page.waitForEvent('download');
    await button('Download data').click();
    await proveBy.password(PASSWORDS[2]);
    const { account } = JSON.parse(await readFile(await (await saved).path(), 'utf8'));
    expect(account).toMatchObject({ email, username: 'Ada_Lovelace' });
    await says(home, 'Download complete');
  };

  const goAndComeBack = async () => {
    const { page } = home;
    const { service } = world;
    const deadline = async () =>
      (await service.sql('SELECT deletion_at FROM account WHERE lower(email) = $1', [email]))[0]?.deletion_at;
    await button('Delete account').click();
    await inDialog('Delete account').click();
    await proveBy.password(PASSWORDS[2]);
    await heading(home, 'Account scheduled for deletion');
    await mailTo(service, email, 'account_deletion_scheduled');
    expect(await deadline()).toBeInstanceOf(Date);
    service.clock.advance(LATE);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.waitForSelector('[name=email]');
    await signInAs(page, { email, password: PASSWORDS[2] });
    await choose(page, 'Continue');
    await hasArrived(page);
    await isInAgain();
    expect(await deadline()).toBeNull();
    service.clock.advance(PAST_THE_DEADLINE);
    await runCleanup(service);
    await page.reload();
    await isInAgain();
  };

  test('only by mouse and keyboard, from the registration to the deletion and back', async () => {
    await register();
    await verify();
    await enrolPasskey();
    await signInElsewhere();
    await endItFromHere();
    const codes = await setUpApp();
    expect(codes).toHaveLength(10);
    await signInByBackupCode(codes);
    await disconnect(await connect());
    await moveTo(`moved.${email}`);
    await revert();
    await lock();
    await recover();
    await takeAlong();
    await goAndComeBack();
    await home.leave();
    await away.leave();
  });
});
