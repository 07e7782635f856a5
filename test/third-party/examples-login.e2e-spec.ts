import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '../machine/guides.js';
import { freePort } from '../machine/ports.js';
import { describeUnless, missing } from '../machine/programs.js';
import {
  type App,
  eventually,
  type Gatehouse,
  newApp,
  type Persona,
  person,
  verifiedPerson,
} from '../support/index.js';
import { decide, ownService } from './consent.js';
import { type CookieBrowser, cookieBrowser } from './cookie-browser.js';
import { ExampleServer } from './example-server.js';

interface Example {
  /** The main file, and the language of its block in the guide. */
  readonly file: string;
  readonly language: string;
  /** Ends sessions when a logout token arrives. */
  readonly receivesLogoutTokens: boolean;
  readonly command: (port: number) => [string, ...string[]];
  readonly missing?: string | undefined;
}

const PYTHON = '/usr/bin/python3';
const PYTHON_PACKAGES = ['authlib', 'fastapi', 'httpx', 'itsdangerous', 'uvicorn'];

const EXAMPLES: Readonly<Record<string, Example>> = {
  express: {
    ...{ file: 'server.js', language: 'js', receivesLogoutTokens: true },
    command: () => [process.execPath, 'server.js'],
  },
  fastapi: {
    ...{ file: 'main.py', language: 'python', receivesLogoutTokens: false },
    command: (port) => [PYTHON, '-m', 'uvicorn', 'main:app', '--port', `${port}`, '--log-level', 'warning'],
    missing: missing(PYTHON, ...PYTHON_PACKAGES.map((name) => `/usr/lib/python3/dist-packages/${name}`)),
  },
};

const root = join(import.meta.dirname, '../..');

describe.each(Object.entries(EXAMPLES))('examples/%s', (name, example) => {
  test('the guide shows the file of the example', () => {
    const shown = blocksOf(`docs/guides/clients/login-${name}.md`).filter(
      ({ language }) => language === example.language,
    );
    expect(shown.map(({ code }) => code)).toEqual([readFileSync(join(root, 'examples', name, example.file), 'utf8')]);
  });

  describeUnless(example.missing)('the running example', () => {
    let service: Gatehouse;
    let owner: Persona;
    let alice: Persona;
    let app: App;
    let server: ExampleServer;

    beforeAll(async () => {
      service = await ownService({ BACKCHANNEL_ALLOW_PRIVATE_ADDRESSES: 'true' });
      owner = await person(service, 'owner');
      const port = await freePort();
      const site = `http://127.0.0.1:${port}`;
      app = await newApp(service, owner, {
        redirect_uris: [`${site}/login/callback`],
        post_logout_redirect_uris: [site],
        ...(example.receivesLogoutTokens && { backchannel_logout_uri: `${site}/backchannel-logout` }),
      });
      server = await ExampleServer.start(name, example.command(port), {
        ...{ GATEHOUSE_URL: service.url, SITE_URL: site, PORT: `${port}` },
        ...{ CLIENT_ID: app.id, CLIENT_SECRET: app.secret ?? '', SESSION_SECRET: 'a long random value, of 32 bytes' },
      });
    });
    beforeEach(async () => {
      alice = await verifiedPerson(service, 'alice');
    });
    afterAll(async () => {
      await server?.close();
      await service?.close();
    });

    /** Opens the protected page, and follows redirects within the site. Returns the first page that is not one. */
    async function openPrivate(open: CookieBrowser) {
      let page = await open(`${server.url}/private`);
      while (page.location.startsWith(server.url)) page = await open(page.location);
      return page;
    }

    /** Signs in at the page that the site leads to. Returns the redirect of the service. */
    async function allowed(open: CookieBrowser): Promise<URL> {
      const start = await openPrivate(open);
      expect(start.status).toBe(302);
      const url = new URL(start.location);
      expect(`${url.origin}${url.pathname}`).toBe(`${service.url}/v1/oauth2/authorize`);
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        ...{ client_id: app.id, scope: 'openid profile email', redirect_uri: app.redirectUri },
        ...{ nonce: expect.any(String), state: expect.any(String), code_challenge_method: 'S256' },
      });
      return decide(service, alice, url);
    }

    async function signIn(open: CookieBrowser) {
      const back = await allowed(open);
      await open(back.href);
      return openPrivate(open);
    }

    test('a user signs in, sees the claims, and signs out of the site and the service', async () => {
      const open = cookieBrowser();
      const page = await signIn(open);
      expect([page.status, JSON.parse(page.text)]).toEqual([
        200,
        { sub: alice.id, name: expect.any(String), email: alice.email },
      ]);
      const out = new URL((await open(`${server.url}/logout`)).location);
      expect(`${out.origin}${out.pathname}`).toBe(`${service.url}/oauth2/logout`);
      const { id_token_hint, post_logout_redirect_uri, client_id } = Object.fromEntries(out.searchParams);
      const ended = await service
        .as(alice)
        .post('/v1/oauth2/logout', { id_token_hint, post_logout_redirect_uri, client_id });
      expect(ended.body).toMatchObject({ ended: true, redirect_to: server.url });
      expect((await openPrivate(open)).location).toContain(service.url);
    });

    test('a denied request, a code with another state and the code of another browser do not sign in', async () => {
      const denied = cookieBrowser();
      const start = await openPrivate(denied);
      const apiError = await decide(service, alice, new URL(start.location), 'deny');
      expect((await denied(apiError.href)).status).toBeGreaterThanOrEqual(400);
      const forged = cookieBrowser();
      const back = await allowed(forged);
      back.searchParams.set('state', 'another');
      expect((await forged(back.href)).status).toBeGreaterThanOrEqual(400);
      const stolen = cookieBrowser();
      const code = await allowed(cookieBrowser());
      expect((await stolen(code.href)).status).toBeGreaterThanOrEqual(400);
      for (const open of [denied, forged, stolen]) {
        expect((await openPrivate(open)).location).toContain(`${service.url}/v1/oauth2/authorize`);
      }
    });

    if (example.receivesLogoutTokens) {
      test('the end of the login session ends the session of the site, and no other', async () => {
        const [first, second] = [cookieBrowser(), cookieBrowser()];
        await signIn(first);
        const { authorization } = alice;
        alice = await person(service, 'bob');
        await signIn(second);
        expect((await service.as(authorization).post('/v1/auth/logout')).status).toBe(204);
        await eventually('the logout token', async () =>
          (await openPrivate(first)).status === 302 ? true : undefined,
        );
        expect((await openPrivate(second)).status).toBe(200);
      });
    }
  });
});
