import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../machine/browser.js';
import { decide, enter, signedInAs } from '../machine/consent-application.js';
import { blocksOf } from '../machine/guides.js';
import { type Site, site } from '../machine/pages.js';
import { freePort } from '../machine/ports.js';
import { type App, isTokenActive, newApp, type Persona, person, signIn, verifiedPerson } from '../support/index.js';
import { ExampleServer } from './example-server.js';

const root = join(import.meta.dirname, '../..');
const VITE = join(root, 'node_modules/vite/bin/vite.js');

/** Starts the preview server of Vite in the same process, so that a signal ends it. */
const BUILD_AND_SERVE = '"$0" "$1" build && exec "$0" "$1" preview --host 127.0.0.1 --port "$2" --strictPort';

test('the guide shows the files of the example', () => {
  const shown = blocksOf('docs/guides/clients/login-single-page.md').map(({ code }) => code);
  for (const file of ['main.js', 'index.html']) {
    expect(shown).toContain(readFileSync(join(root, 'examples/single-page', file), 'utf8'));
  }
});

describeInBrowser('examples/single-page: a page without a server signs users in with oidc-client-ts', () => {
  let world: Site;
  let app: App;
  let server: ExampleServer;
  let alice: Persona;
  let page: Page;

  beforeAll(async () => {
    world = await site();
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    app = await newApp(world.service, await person(world.service, 'owner'), {
      client_type: 'public',
      redirect_uris: [`${origin}/`],
      post_logout_redirect_uris: [`${origin}/`],
    });
    server = await ExampleServer.start(
      'single-page',
      ['/bin/sh', '-c', BUILD_AND_SERVE, process.execPath, VITE, `${port}`],
      { SITE_URL: origin, VITE_GATEHOUSE_URL: world.origin, VITE_CLIENT_ID: app.id },
    );
  });
  beforeEach(async () => {
    alice = await verifiedPerson(world.service, 'alice');
    const context = await world.browser.newContext({ locale: 'en-US' });
    page = await context.newPage();
    await page.goto(server.url);
  });
  afterEach(() => page.context().close());
  afterAll(async () => {
    await server?.close();
    await world?.close();
  });

  const status = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  async function enterSite(): Promise<void> {
    await press('Sign in');
    await enter(page, alice);
    await decide(page, 'Allow');
    await status(alice.id);
  }

  /** How often Alice is signed in, next to her session at the API. */
  const signIns = async () => (await world.service.as(alice).get('/v1/auth/sessions')).body.length - 1;

  const stored = () =>
    page.evaluate<{ access_token: string; refresh_token: string }>(
      `JSON.parse(sessionStorage.getItem(${JSON.stringify(`oidc.user:${world.origin}:${app.id}`)}))`,
    );

  test('a user signs in, stays signed in after a reload, and signs out', async () => {
    await status('Signed out');
    await enterSite();
    expect(page.url()).toBe(`${server.url}/`);
    await page.reload();
    await status(alice.id);
    expect(await isTokenActive(world.service, (await stored()).access_token)).toBe(true);
    expect(await signIns()).toBe(1);
    const returning = page.waitForRequest((request) => request.url().startsWith(`${world.origin}/oauth2/logout?`));
    await press('Sign out');
    expect(new URL((await returning).url()).searchParams.get('post_logout_redirect_uri')).toBe(`${server.url}/`);
    await page.waitForURL(`${server.url}/`);
    await status('Signed out');
    expect(await signIns()).toBe(0);
  });

  describe('after "Use a different account"', () => {
    let bob: string;
    beforeEach(async () => {
      bob = await signIn(world.service, await verifiedPerson(world.service, 'bob'));
      await signedInAs(page, bob);
      await press('Sign in');
      await press('Use a different account');
      await enter(page, alice);
      await decide(page, 'Allow');
      await status(alice.id);
      expect(await signIns()).toBe(1);
    });
    const isBobSignedIn = async () => (await world.service.as(bob).get('/v1/users/@me')).status === 200;

    test('the sign-out of the page ends the session of that account, and not the session of the browser', async () => {
      await press('Sign out');
      await status('Signed out');
      expect(page.url()).toBe(`${server.url}/`);
      expect(await signIns()).toBe(0);
      expect(await isBobSignedIn()).toBe(true);
    });

    test('a sign-out without an ID token asks, and then ends both sessions', async () => {
      await page.goto(`${world.origin}/oauth2/logout?client_id=${app.id}`);
      await page.getByText('asks you to sign out on this device').waitFor();
      expect([await signIns(), await isBobSignedIn()]).toEqual([1, true]);
      await press('Sign out');
      await page.getByRole('heading', { name: 'You’re signed out' }).waitFor();
      expect([await signIns(), await isBobSignedIn()]).toEqual([0, false]);
    });
  });

  test('tokens are renewed with the refresh token before they expire', async () => {
    await enterSite();
    const before = await stored();
    // The page renews the tokens a minute before they expire.
    await page.evaluate(`
      const name = ${JSON.stringify(`oidc.user:${world.origin}:${app.id}`)};
      const user = JSON.parse(sessionStorage.getItem(name));
      sessionStorage.setItem(name, JSON.stringify({ ...user, expires_at: Math.floor(Date.now() / 1000) + 61 }));
    `);
    const renewing = page.waitForResponse((response) => response.url() === `${world.origin}/v1/oauth2/token`);
    await page.reload();
    const response = await renewing;
    expect(response.status()).toBe(200);
    expect(new URLSearchParams(response.request().postData() ?? '').get('grant_type')).toBe('refresh_token');
    await page.waitForFunction(
      `JSON.parse(sessionStorage.getItem(${JSON.stringify(`oidc.user:${world.origin}:${app.id}`)})).refresh_token !== ${JSON.stringify(before.refresh_token)}`,
    );
    expect(await isTokenActive(world.service, (await stored()).access_token)).toBe(true);
    await status(alice.id);
  });

  test('a denied request leads back without a sign-in', async () => {
    await press('Sign in');
    await enter(page, alice);
    await decide(page, 'Deny');
    await page.waitForURL(`${server.url}/`);
    await status('Signed out');
    expect(await stored()).toBe(null);
  });
});
