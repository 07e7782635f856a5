import { describeInBrowser } from '../machine/browser.js';
import { captchaFor } from '../machine/consent-application.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { type App, asApp, newApp, type Persona, person, picture } from '../support/index.js';
import { heading } from './driving.js';

const LIST = '/account/applications';

describeInBrowser("web.md 3: the user's own applications and bots", () => {
  let world: Site;
  let owner: Persona;
  let visit: Visit;
  let count = 0;

  beforeAll(async () => {
    world = await site({ env: { CAPTCHA_PROVIDER: 'altcha' } });
  });
  afterAll(() => world?.close());

  const human = async () => {
    const headers = await captchaFor(world.service, 'altcha');
    const { service } = world;
    return {
      ...service,
      anonymous: service.anonymous.with(headers),
      as: (who: never) => service.as(who).with(headers),
    };
  };

  beforeEach(async () => {
    owner = await person(await human(), `owner${++count}`);
    visit = await world.visit();
  });

  const arrive = (path = LIST) => visit.arrive(path, owner.authorization);
  const created = async (input: object = {}): Promise<App> => newApp(await human(), owner, { ...input });
  const pathOf = ({ id }: { id: string }) => `${LIST}?id=${id}`;
  const stored = async ({ id }: { id: string }) => {
    const { body } = await world.service.as(owner).get(`/v1/oauth2/applications/${id}`).expect(200);
    return body;
  };
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const dialogButton = (name: string) => visit.page.getByRole('dialog').getByRole('button', { name, exact: true });
  const title = (name: string) => visit.page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
  const focused = (selector: string, hasText?: string) =>
    visit.page.locator(`${selector}:focus`, hasText ? { hasText } : {}).waitFor();
  const drawn = (selector: string) =>
    visit.page.locator(selector).evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
  const isIntrospecting = async (app: App) =>
    (await asApp(world.service, app, '/v1/oauth2/introspect', { token: 'unknown' })).status === 200;
  const isBot = async (token: string) => (await world.service.as(token).get('/v1/applications/@me')).status === 200;
  const confirmByPassword = async () => {
    await visit.page.getByLabel('Password', { exact: true }).fill(owner.password);
    await visit.page.keyboard.press('Enter');
  };
  /** Returns the secrets in the dialog and confirms that they are saved. */
  const keep = async (): Promise<string[]> => {
    const dialog = visit.page.getByRole('dialog').filter({ has: visit.page.locator('code.secret') });
    await dialog.waitFor();
    const secrets = await dialog.locator('code.secret').allTextContents();
    await dialog.getByRole('button', { name: 'I’ve saved it' }).press('Enter');
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    return secrets;
  };

  test('one is created by keyboard: its secrets are shown once and work, and it opens afterwards', async () => {
    const { page } = visit;
    await arrive('/account');
    await page.getByRole('link', { name: 'Your apps' }).press('Enter');
    await page.getByText('You haven’t created any apps yet.').waitFor();
    await button('New app').press('Enter');
    await focused('[name="name"]');
    await page.keyboard.type('Night <b>Reader</b>');
    await button('Add URI').press('Enter');
    await focused('[name="redirect_uris.0"]');
    await page.keyboard.type('https://reader.example/callback');
    await visit.look('account-applications-create');
    await page.locator('[name=name]').press('Enter');
    await page.getByRole('dialog').getByText('Bot token', { exact: true }).waitFor();
    await visit.look('account-applications-secrets');
    await page.keyboard.press('Escape');
    const [id = '', secret = '', token = ''] = await keep();
    await title('Night <b>Reader</b>');
    await focused('section.opened');
    expect(new URL(page.url()).search).toBe(`?id=${id}`);
    expect(await stored({ id })).toMatchObject({ redirect_uris: ['https://reader.example/callback'] });
    expect(await isIntrospecting({ id, secret } as App)).toBe(true);
    expect(await isBot(`Bot ${token}`)).toBe(true);
    expect(await page.content()).not.toContain(secret);
    await visit.leave();
  });

  test('a rejected form keeps the input, with an error at each line; a public application has no secret', async () => {
    const { page } = visit;
    await arrive();
    await button('New app').press('Enter');
    await page.keyboard.type('Pocket');
    await page.getByLabel('Type').selectOption('public');
    for (const uri of ['https://pocket.example/a', 'http://pocket.example/b', 'https://pocket.example/*']) {
      await button('Add URI').press('Enter');
      await focused('[name^=redirect_uris]');
      await page.keyboard.type(uri);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('alert').nth(1).waitFor();
    for (const line of [1, 2]) await page.locator(`[name="redirect_uris.${line}"][aria-invalid=true]`).waitFor();
    expect(await page.locator('[aria-invalid=true]').count()).toBe(2);
    await visit.look('account-applications-refused');
    expect((await world.service.as(owner).get('/v1/users/@me/applications')).body).toEqual([]);
    await button('Remove URI 3').press('Enter');
    await focused('button', 'Add URI');
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
    await page.getByLabel('Redirect URI 2').fill('http://127.0.0.1/b');
    await page.keyboard.press('Enter');
    expect(await keep()).toHaveLength(2);
    await title('Pocket');
    await page.getByText('Single-page, mobile, or desktop app', { exact: false }).waitFor();
    expect(await button('Reset client secret').count()).toBe(0);
    await visit.leave();
  });

  test('an account without a way to sign in again cannot create one, and sees the reason', async () => {
    const { page } = visit;
    await world.service.sql('UPDATE account SET password_hash = NULL WHERE id = $1', [owner.id]);
    await arrive();
    await button('New app').press('Enter');
    await page.keyboard.type('Nobody’s');
    await page.keyboard.press('Enter');
    await page.getByText('Set a password or add a passkey first.', { exact: false }).waitFor();
    expect(await page.locator('[name=name]').inputValue()).toBe('Nobody’s');
    await button('Cancel').press('Enter');
    await focused('button', 'New app');
    await visit.leave();
  });

  test('one opens from the list; back returns to the list, and a reload stays', async () => {
    const { page } = visit;
    const app = await created({ name: 'First' });
    await created({ name: 'Second' });
    await arrive();
    await page.getByRole('main').getByRole('link', { name: 'Second' }).waitFor();
    await visit.look('account-applications');
    await page.getByRole('main').getByRole('link', { name: 'First' }).press('Enter');
    await title('First');
    await visit.look('account-applications-one');
    await page.reload();
    await title('First');
    expect(page.url()).toBe(`${world.origin}${pathOf(app)}`);
    await page.goBack();
    await page.getByRole('main').getByRole('link', { name: 'Second' }).waitFor();
    await page.goForward();
    await title('First');
    await page.getByRole('main').getByRole('link', { name: 'All apps' }).press('Enter');
    await page.getByRole('main').getByRole('link', { name: 'Second' }).waitFor();
    await visit.leave();
  });

  test('name, bot rules and redirect URIs are changed; an invalid URI leaves all unchanged', async () => {
    const { page } = visit;
    const app = await created({ name: 'Before', redirect_uris: ['https://a.example/', 'https://b.example/'] });
    await arrive(pathOf(app));
    await title('Before');
    await page.locator('[name=name]').fill(' After ');
    await page.getByLabel('Public bot: anyone can add it').press('Space');
    await page.getByLabel('Require the OAuth2 code grant', { exact: false }).press('Space');
    await button('Save').press('Enter');
    await title('After');
    expect(await stored(app)).toMatchObject({ name: 'After', bot_public: false, bot_require_code_grant: true });

    await page.getByLabel('Redirect URI 2').fill('https://b.example/#part');
    await button('Save URIs').press('Enter');
    await page.locator('[name="redirect_uris.1"][aria-invalid=true]').waitFor();
    expect((await stored(app)).redirect_uris).toEqual(['https://a.example/', 'https://b.example/']);
    await button('Remove URI 1').press('Enter');
    await page.getByLabel('Redirect URI 1').fill('https://c.example/');
    await button('Add URI').press('Enter');
    await page.getByLabel('Redirect URI 2').fill('https://c.example/');
    await button('Save URIs').press('Enter');
    await page.getByText('Saved', { exact: true }).last().waitFor();
    // The service stores a duplicate URI only once.
    await page.getByLabel('Redirect URI 2').waitFor({ state: 'detached' });
    expect((await stored(app)).redirect_uris).toEqual(['https://c.example/']);
    await visit.leave();
  });

  test('the URLs for signing out are changed by keyboard; an invalid one leaves all unchanged', async () => {
    const { page } = visit;
    const app = await created({ name: 'Before' });
    await arrive(pathOf(app));
    await title('Sign-out');
    await button('Add sign-out URI').press('Enter');
    await focused('[name="post_logout_redirect_uris.0"]');
    await page.keyboard.type('https://a.example/#part');
    await page.getByLabel('Back-channel logout URL').fill('https://127.0.0.1/logout');
    await button('Save sign-out settings').press('Enter');
    await page.locator('[name="post_logout_redirect_uris.0"][aria-invalid=true]').waitFor();
    await page.getByLabel('Sign-out redirect URI 1').fill('https://a.example/out');
    await page.getByLabel('Logout tokens must contain the session ID').press('Space');
    await button('Save sign-out settings').press('Enter');
    await page.locator('[name=backchannel_logout_uri][aria-invalid=true]').waitFor();
    expect(await stored(app)).toMatchObject({ post_logout_redirect_uris: [], backchannel_logout_uri: null });
    await visit.look('account-applications-sign-out');
    await page.getByLabel('Back-channel logout URL').fill('');
    await button('Save sign-out settings').press('Enter');
    await page.getByText('Saved', { exact: true }).last().waitFor();
    expect(await stored(app)).toMatchObject({
      ...{ post_logout_redirect_uris: ['https://a.example/out'], backchannel_logout_uri: null },
      backchannel_logout_session_required: true,
    });
    await visit.leave();
  });

  test('the outcomes of logout tokens are listed, newest first', async () => {
    const { page } = visit;
    const app = await created({ name: 'Informed' });
    await arrive(pathOf(app));
    await title('Sign-out');
    expect(await page.getByRole('heading', { name: 'Logout tokens' }).count()).toBe(0);
    // This service sends logout tokens only to public IP addresses.
    await world.service.sql("UPDATE application SET backchannel_logout_uri = 'https://a.example/' WHERE id = $1", [
      app.id,
    ]);
    await page.reload();
    await page.getByText('No logout token has been sent yet.').waitFor();
    await world.service.sql(
      `INSERT INTO backchannel_logout (application_id, url, host, attempts, ended_at, is_delivered)
       SELECT $1, 'https://a.example/', 'a.example', 1, now(), delivered FROM unnest(ARRAY[true, false]) AS delivered`,
      [app.id],
    );
    await page.reload();
    const list = page.getByRole('list', { name: 'Logout tokens' });
    await list.waitFor();
    expect(await list.locator('strong').allTextContents()).toEqual(['Failed', 'Delivered']);
    await visit.look('account-applications-deliveries');
    await visit.leave();
  });

  test('the bot gets its name, description and images; an oversized file is rejected before it is sent', async () => {
    const { page } = visit;
    const app = await created();
    await arrive(pathOf(app));
    const bot = async () => (await stored(app)).bot;
    const { username: before } = await bot();
    const file = async (name: string, buffer: Buffer) =>
      page.locator(`[name=${name}]`).setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
    await page.getByLabel('Bot username').fill('not a name');
    await page.getByLabel('Description').fill('Reads at night.');
    await file('avatar', Buffer.from('no picture at all'));
    await file('banner', Buffer.alloc(2 * 1024 * 1024 + 1));
    await page.getByText('The image is too large.', { exact: false }).waitFor();
    await button('Save bot').press('Enter');
    await page.getByText('Use only letters A–Z', { exact: false }).waitFor();
    expect(await bot()).toMatchObject({ bio: null, avatar: null, banner: null });
    expect(await page.getByLabel('Description').inputValue()).toBe('Reads at night.');
    await page.getByLabel('Bot username').fill(`night_reader${count}`);
    await button('Save bot').press('Enter');
    await page.getByText('This file isn’t a supported image.', { exact: false }).waitFor();
    expect(await bot()).toMatchObject({ username: before, bio: null, avatar: null });
    await visit.look('account-applications-bot-refused');

    await file('avatar', await picture('png'));
    await file('banner', await picture('png', 200, 40));
    await button('Save bot').press('Enter');
    await page.getByText(`night_reader${count}#`, { exact: false }).waitFor();
    for (const look of ['portrait', 'banner']) await drawn(`form[aria-labelledby=bot] img.${look}`);
    expect(await bot()).toMatchObject({
      ...{ username: `night_reader${count}`, bio: 'Reads at night.' },
      ...{ avatar: expect.any(String), banner: expect.any(String) },
    });

    await button('Remove image').press('Enter');
    await button('Remove banner').press('Enter');
    await page.getByLabel('Description').fill('');
    await button('Save bot').press('Enter');
    await page.locator('form[aria-labelledby=bot] img').first().waitFor({ state: 'detached' });
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    expect(await bot()).toMatchObject({ bio: null, avatar: null, banner: null });
    await visit.leave();
  });

  test('secret and token are reset with only the password, and the old ones stop working immediately', async () => {
    const { page } = visit;
    const app = await created();
    await arrive(pathOf(app));
    await button('Reset client secret').press('Enter');
    await page.getByText('Existing connections stay.', { exact: false }).waitFor();
    await dialogButton('Reset client secret').press('Enter');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByText('Incorrect password.', { exact: false }).waitFor();
    expect(await isIntrospecting(app)).toBe(true);
    await dialogButton('Reset client secret').press('Enter');
    await confirmByPassword();
    const [secret = ''] = await keep();
    await focused('button', 'Reset client secret');
    expect(await isIntrospecting(app)).toBe(false);
    expect(await isIntrospecting({ ...app, secret })).toBe(true);

    await button('Replace all bot tokens').press('Enter');
    await dialogButton('Replace all bot tokens').press('Enter');
    await confirmByPassword();
    const [token = ''] = await keep();
    expect(await isBot(app.bot)).toBe(false);
    expect(await isBot(`Bot ${token}`)).toBe(true);
    await visit.leave();
  });

  test('it is deleted with the password; canceling keeps it, and an old page reports the deletion', async () => {
    const { page } = visit;
    const app = await created({ name: 'Short-lived' });
    await arrive();
    await page.getByRole('main').getByRole('link', { name: 'Short-lived' }).press('Enter');
    await button('Delete app').press('Enter');
    await dialogButton('Delete app').press('Enter');
    await page.getByLabel('Password', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Confirm it’s you first.').waitFor();
    await dialogButton('Cancel').press('Enter');
    await focused('button', 'Delete app');
    expect((await stored(app)).id).toBe(app.id);
    await button('Delete app').press('Enter');
    await dialogButton('Delete app').press('Enter');
    await confirmByPassword();
    await page.getByText('You haven’t created any apps yet.').waitFor();
    await focused('section.opened');
    expect(await isBot(app.bot)).toBe(false);
    await heading(visit, 'Your apps');
    await visit.open(pathOf(app));
    await page.getByText('This app doesn’t exist.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'All apps' }).press('Enter');
    await page.getByText('You haven’t created any apps yet.').waitFor();
    await visit.leave();
  });

  test('the quick start contains the values of the app, and its code signs a user in', async () => {
    const { page } = visit;
    const app = await created({ redirect_uris: [`${world.origin}/forgot`], client_type: 'public' });
    await arrive(pathOf(app));
    await page.locator('summary', { hasText: 'Quick start' }).press('Enter');
    const [authorize = '', exchange = ''] = await page.locator('.code-block code').allTextContents();
    await visit.look('account-applications-start');
    await page.evaluate(`(async () => {${authorize}})()`);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL((url) => url.searchParams.has('code'));
    const token = await page.evaluate(`(async () => {${exchange} return access_token; })()`);
    const { body } = await world.service.as(`Bearer ${token}`).get('/v1/users/@me').expect(200);
    expect(body.id).toBe(owner.id);
    await visit.leave();
  });
});
