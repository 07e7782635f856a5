import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import ts from 'typescript';
import { blocksOf } from '../machine/guides.js';
import { freePort } from '../machine/ports.js';
import { type App, type Gatehouse, newApp, type Persona, person, verifiedPerson } from '../support/index.js';
import { decide, ownService } from './consent.js';
import { type CookieBrowser, cookieBrowser } from './cookie-browser.js';
import { installExample } from './example-server.js';
import { type ApiRequest, callApiRoute, cookiesOf } from './next-auth.js';

const ROUTE = 'pages/api/auth/[...nextauth].js';
const PAGE = 'pages/private.jsx';
const EXAMPLE = join(import.meta.dirname, '../../examples/nextjs');

test('the guide shows the files of the example', () => {
  const shown = blocksOf('docs/guides/clients/login-nextjs.md').map(({ code }) => code);
  expect(shown).toEqual([ROUTE, PAGE].map((file) => readFileSync(join(EXAMPLE, file), 'utf8')));
});

interface Page {
  getServerSideProps(context: { req: object; res: object }): Promise<Record<'props' | 'redirect', object | undefined>>;
}

/** `next` is too large to be installed for a test, so the files are compiled and called as Next.js does it. */
describe('examples/nextjs: the code of the site signs users in with next-auth', () => {
  let service: Gatehouse;
  let alice: Persona;
  let app: App;
  let server: Server;
  let folder: string;
  let url: string;
  let page: Page;
  const kept = { ...process.env };

  beforeAll(async () => {
    service = await ownService();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    app = await newApp(service, await person(service, 'owner'), {
      redirect_uris: [`${url}/api/auth/callback/gatehouse`],
    });
    Object.assign(process.env, {
      ...{ GATEHOUSE_URL: service.url, CLIENT_ID: app.id, CLIENT_SECRET: app.secret },
      ...{ NEXTAUTH_URL: url, NEXTAUTH_SECRET: 'a long random value' },
    });
    folder = installExample('nextjs', ['next', 'react', 'react-dom']);
    const compilerOptions = { module: ts.ModuleKind.CommonJS, esModuleInterop: true, jsx: ts.JsxEmit.React };
    for (const file of [ROUTE, PAGE]) {
      const { outputText } = ts.transpileModule(readFileSync(join(folder, file), 'utf8'), { compilerOptions });
      writeFileSync(join(folder, file.replace(/x$/, '')), outputText);
    }
    const load = createRequire(join(folder, 'package.json'));
    const route = load(join(folder, ROUTE)) as { default(request: ApiRequest, response: object): Promise<void> };
    page = load(join(folder, 'pages/private.js')) as Page;
    server = createServer((request, response) => {
      void callApiRoute(route.default, '/api/auth/', request, response);
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
  });
  beforeEach(async () => {
    alice = await verifiedPerson(service, 'alice');
  });
  afterAll(async () => {
    process.env = kept;
    server?.closeAllConnections();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
    await service?.close();
  });

  /** Presses "Sign in with Gatehouse". Returns the request to the service. */
  async function start(open: CookieBrowser): Promise<URL> {
    const { csrfToken } = JSON.parse((await open(`${url}/api/auth/csrf`)).text);
    const pressed = await open(`${url}/api/auth/signin/gatehouse`, { csrfToken, callbackUrl: `${url}/private` });
    const request = new URL(pressed.location);
    expect(`${request.origin}${request.pathname}`).toBe(`${service.url}/v1/oauth2/authorize`);
    expect(Object.fromEntries(request.searchParams)).toMatchObject({
      ...{ client_id: app.id, scope: 'openid profile email', redirect_uri: app.redirectUri },
      ...{ nonce: expect.any(String), state: expect.any(String), code_challenge_method: 'S256' },
    });
    return request;
  }

  const sessionOf = async (open: CookieBrowser) => JSON.parse((await open(`${url}/api/auth/session`)).text);

  function render(open: CookieBrowser) {
    const req = { headers: { host: new URL(url).host }, query: {}, cookies: cookiesOf(open.cookies()) };
    return page.getServerSideProps({ req, res: { getHeader() {}, setHeader() {} } });
  }

  test('a user signs in, and the page gets the account ID and the name', async () => {
    const open = cookieBrowser();
    const anonymous = await render(open);
    expect(anonymous.redirect).toMatchObject({ destination: '/api/auth/signin?callbackUrl=/private' });
    const back = await open((await decide(service, alice, await start(open))).href);
    expect(back.location).toBe(`${url}/private`);
    const { user } = await sessionOf(open);
    expect(user).toMatchObject({ id: alice.id, email: alice.email });
    expect((await render(open)).props).toEqual({ id: alice.id, name: user.name });
  });

  test('a denied request, a code with another state and the code of another browser do not sign in', async () => {
    // next-auth logs each failure.
    const log = jest.spyOn(console, 'error').mockImplementation(() => {});
    const [denied, forged, stolen] = [cookieBrowser(), cookieBrowser(), cookieBrowser()];
    await denied((await decide(service, alice, await start(denied), 'deny')).href);
    const back = await decide(service, alice, await start(forged));
    back.searchParams.set('state', 'another');
    await forged(back.href);
    await start(stolen);
    await stolen((await decide(service, alice, await start(cookieBrowser()))).href);
    for (const open of [denied, forged, stolen]) {
      expect(await sessionOf(open)).toEqual({});
      expect((await render(open)).redirect).toBeDefined();
    }
    log.mockRestore();
  });
});
