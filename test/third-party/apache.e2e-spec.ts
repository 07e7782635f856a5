import { freePort } from '../machine/ports.js';
import { describeUnless } from '../machine/programs.js';
import {
  type App,
  type Gatehouse,
  gatehouse,
  newApp,
  newTokens,
  type Persona,
  person,
  refresh,
  withGatehouse,
} from '../support/index.js';
import { Apache, apacheMissing } from './apache.js';

/** Apache reads the URLs of the endpoints from the metadata, so `PUBLIC_ORIGIN` has to be correct. */
async function atItsOrigin(env: Record<string, string> = {}) {
  const port = await freePort();
  return { env: { PORT: String(port), PUBLIC_ORIGIN: `http://127.0.0.1:${port}`, ...env } };
}

describeUnless(apacheMissing)('Apache with mod_auth_openidc as a resource server', () => {
  let service: Gatehouse;
  let alice: Persona;
  let app: App;
  let apache: Apache;

  beforeAll(async () => {
    service = await gatehouse(await atItsOrigin());
    alice = await person(service, 'alice');
    app = await newApp(service, await person(service, 'owner'));
    apache = await Apache.open(service.url, { id: app.id, secret: app.secret ?? '' });
  });
  afterAll(async () => {
    await apache?.close();
    await service?.close();
  });

  const requested = (token: string, path = '/index') => apache.asked(path, `Bearer ${token}`);
  const opened = () => ({ status: 200, user: alice.id, text: 'this is index\n' });
  const shut = () => ({ status: 401, user: null, text: expect.not.stringContaining('this is') });

  test('an active token is accepted, and its account is passed on', async () => {
    const { access_token } = await newTokens(service, alice, app);
    expect(await requested(access_token)).toEqual(opened());
    expect(await requested(access_token)).toEqual(opened());
  });

  test('requests without one are rejected', async () => {
    expect(await apache.asked('/index')).toEqual(shut());
    expect(await apache.asked('/index', alice.authorization)).toEqual(shut());
    expect(await requested('A'.repeat(43))).toEqual(shut());
  });

  test('a revoked token is rejected with the next request', async () => {
    const { access_token } = await newTokens(service, alice, app);
    expect(await requested(access_token)).toEqual(opened());
    await service.as(alice).delete(`/v1/oauth2/@me/authorizations/${app.id}`).expect(204);
    expect(await requested(access_token)).toEqual(shut());
  });

  test('an expired token is rejected', async () => {
    const { access_token } = await newTokens(service, alice, app);
    await service.sql(`UPDATE oauth_token SET expires_at = now() - interval '1 second' WHERE account_id = $1`, [
      alice.id,
    ]);
    expect(await requested(access_token)).toEqual(shut());
  });

  test('a token of another application is rejected', async () => {
    const other = await newApp(service, app.owner);
    const { access_token } = await newTokens(service, alice, other);
    expect(await requested(access_token)).toEqual(shut());
  });

  test('a required scope is checked', async () => {
    const all = await newTokens(service, alice, app, 'identify email');
    expect(await requested(all.access_token, '/mail')).toEqual({ ...opened(), text: 'this is mail\n' });
    const { body: less } = await refresh(service, app, all.refresh_token, { scope: 'identify' });
    expect(await requested(less.access_token)).toEqual(opened());
    expect(await requested(less.access_token, '/mail')).toEqual(shut());
  });

  test('with a wrong secret it gets no information, and rejects all requests', async () => {
    const { access_token } = await newTokens(service, alice, app);
    const impostor = await Apache.open(service.url, { id: app.id, secret: 'A'.repeat(43) });
    try {
      expect(await impostor.asked('/index', `Bearer ${access_token}`)).toEqual(shut());
    } finally {
      await impostor.close();
    }
    expect(await requested(access_token)).toEqual(opened());
  });

  test('while rate-limited, it accepts no request based on an earlier response', async () => {
    const limits = { RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: '{"oauth:introspect": "1/1000000"}' };
    await withGatehouse(await atItsOrigin(limits), async (limited) => {
      const owner = await person(limited, 'owner');
      const client = await newApp(limited, owner);
      const { access_token } = await newTokens(limited, owner, client);
      const hurried = await Apache.open(limited.url, { id: client.id, secret: client.secret ?? '' });
      try {
        expect(await hurried.asked('/index', `Bearer ${access_token}`)).toMatchObject({ status: 200, user: owner.id });
        expect(await hurried.asked('/index', `Bearer ${access_token}`)).toEqual(shut());
      } finally {
        await hurried.close();
      }
    });
  });
});
