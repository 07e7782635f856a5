import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../machine/ports.js';
import { describeUnless } from '../machine/programs.js';
import {
  type App,
  eventually,
  type Gatehouse,
  gatehouse,
  newApp,
  type Persona,
  parametersOf,
  person,
  verifiedPerson,
} from '../support/index.js';
import { Apache, apacheMissing } from './apache.js';
import { cookieBrowser } from './cookie-browser.js';

const FOLDER = join(import.meta.dirname, '../../examples/apache');

test('the guide shows the file of the example', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/clients/login-apache.md'), 'utf8');
  const shown = /^ {3}```apache\n([\s\S]*?)^ {3}```$/m.exec(guide)?.[1];
  expect(shown?.replaceAll(/^ {3}/gm, '')).toBe(readFileSync(join(FOLDER, 'gatehouse.conf'), 'utf8'));
});

describeUnless(apacheMissing)('examples/apache: Apache signs users in with mod_auth_openidc', () => {
  let service: Gatehouse;
  let alice: Persona;
  let app: App;
  let apache: Apache;
  const configuration = readFileSync(join(FOLDER, 'gatehouse.conf'), 'utf8');

  beforeAll(async () => {
    const [port, own] = [await freePort(), await freePort()];
    const origin = `http://127.0.0.1:${port}`;
    service = await gatehouse({
      env: { PORT: String(port), PUBLIC_ORIGIN: origin, BACKCHANNEL_ALLOW_PRIVATE_ADDRESSES: 'true' },
    });
    const site = `http://127.0.0.1:${own}`;
    app = await newApp(service, await person(service, 'owner'), {
      redirect_uris: [`${site}/login/callback`],
      post_logout_redirect_uris: [`${site}/index`],
      backchannel_logout_uri: `${site}/login/callback?logout=backchannel`,
    });
    apache = await Apache.start(
      `${configuration}
<Location /private>
  Header set X-User expr=%{REMOTE_USER}
  Header set X-Email expr=%{reqenv:OIDC_CLAIM_email}
</Location>
`,
      {
        port: own,
        env: {
          ...{ GATEHOUSE_URL: origin, SITE_URL: site, CLIENT_ID: app.id, CLIENT_SECRET: app.secret ?? '' },
          SESSION_SECRET: 'a long random value',
        },
      },
    );
  });
  beforeEach(async () => {
    alice = await verifiedPerson(service, 'alice');
  });
  afterAll(async () => {
    await apache?.close();
    await service?.close();
  });

  /** The user allows the request that Apache sent. Returns the URL that leads back. */
  async function allow(location: string): Promise<string> {
    const { response_type, ...rest } = parametersOf(location);
    expect(response_type).toBe('code');
    const { status, body } = await service.as(alice).post('/v1/oauth2/authorize/consent', { response_type, ...rest });
    expect({ status, body }).toEqual({ status: 200, body: { redirect_to: expect.any(String) } });
    return body.redirect_to;
  }

  test('a protected page starts the sign-in, and opens with the claims of the user, who signs out everywhere', async () => {
    const open = cookieBrowser();
    const start = await open(`${apache.url}/private`);
    expect(start.status).toBe(302);
    expect(start.location).toContain(`${service.url}/v1/oauth2/authorize?`);
    expect(parametersOf(start.location)).toMatchObject({
      ...{ client_id: app.id, scope: 'openid profile email', redirect_uri: app.redirectUri },
      ...{ nonce: expect.any(String), state: expect.any(String), code_challenge_method: 'S256' },
    });
    const back = await open(await allow(start.location));
    expect([back.status, back.location]).toEqual([302, `${apache.url}/private`]);
    const page = await open(back.location);
    expect({ status: page.status, text: page.text }).toEqual({ status: 200, text: 'this is private\n' });
    expect(page.headers['x-user']).toMatch(new RegExp(`^${alice.id}(?:@|$)`));
    expect(page.headers['x-email']).toBe(alice.email);
    const returning = `${apache.url}/index`;
    const out = await open(`${apache.url}/login/callback?logout=${encodeURIComponent(returning)}`);
    expect(out.location.split('?')[0]).toBe(`${service.url}/oauth2/logout`);
    const parameters = parametersOf(out.location);
    expect(parameters).toEqual({ id_token_hint: expect.any(String), post_logout_redirect_uri: returning });
    const ended = await service.as(alice).post('/v1/oauth2/logout', parameters);
    expect(ended.body).toMatchObject({ ended: true, redirect_to: returning });
    expect((await open(`${apache.url}/private`)).status).toBe(302);
  });

  test('the end of the login session ends the session at Apache', async () => {
    const open = cookieBrowser();
    const start = await open(`${apache.url}/private`);
    await open(await allow(start.location));
    expect((await open(`${apache.url}/private`)).status).toBe(200);
    expect((await service.as(alice).post('/v1/auth/logout')).status).toBe(204);
    await eventually('the logout token', async () =>
      (await open(`${apache.url}/private`)).status === 302 ? true : undefined,
    );
  });

  test('public files need no sign-in, and another browser cannot use the code', async () => {
    expect((await cookieBrowser()(`${apache.url}/index`)).status).toBe(200);
    const start = await cookieBrowser()(`${apache.url}/private`);
    const stolen = cookieBrowser();
    await stolen(await allow(start.location));
    expect((await stolen(`${apache.url}/private`)).status).toBe(302);
  });
});
