import { describeUnless } from '../machine/programs.js';
import {
  type App,
  asApp,
  type Gatehouse,
  isTokenActive,
  newApp,
  newTokens,
  type Persona,
  parametersOf,
  person,
  type ServiceEndpoint,
} from '../support/index.js';
import { authlibMissing, ofAuthlib } from './authlib.js';
import { decide, ownService } from './consent.js';
import { LIBRARIES, type Library, type Pair, type Registration } from './libraries.js';

const PAST = "now() - interval '1 second'";

let service: Gatehouse;
let limited: Gatehouse;
beforeAll(async () => {
  service = await ownService();
  limited = await ownService({ RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: '{"oauth:token": "1/1000000"}' });
});
afterAll(async () => {
  await service.close();
  await limited.close();
});

/** Gives requests a new IP address, so that they have separate rate limits. */
let lastAddress = 10;
const fromElsewhere = ({ url, anonymous, as }: ServiceEndpoint): ServiceEndpoint => {
  const address = `127.0.0.${++lastAddress}`;
  return { url, anonymous: anonymous.from(address), as: (credential) => as(credential).from(address) };
};

const hold = (make: (registration: Registration) => Promise<Library>) => {
  let alice: Persona;
  let app: App;
  let library: Library;
  const open: Library[] = [];

  const taught = async (of: Gatehouse, { id, secret = '' }: App): Promise<Library> => {
    const made = await make({ origin: of.url, id, secret });
    open.push(made);
    return made;
  };
  const signedIn = async (): Promise<Pair> => {
    const login = await library.begin();
    return login.redeem(await decide(service, alice, login.url));
  };
  const refused = async (work: Promise<unknown>): Promise<string | undefined> =>
    work.then(
      () => 'not at all',
      (thrown) => library.errorOf(thrown),
    );
  const introspected = async (token: string) =>
    (await asApp(service, app, '/v1/oauth2/introspect', { token })).body as { active: boolean };

  beforeAll(async () => {
    alice = await person(service, 'alice');
    app = await newApp(service, await person(service, 'owner'));
    library = await taught(service, app);
  });
  afterAll(async () => {
    for (const made of open) await made.close?.();
  });

  test('code, profile, refresh and revocation', async () => {
    const first = await signedIn();
    expect(await introspected(first.access)).toMatchObject({ active: true, sub: alice.id, scope: 'identify email' });
    if (library.subjectOf) expect(await library.subjectOf(first.access)).toBe(alice.id);
    const second = await library.refresh(first.refresh);
    expect(await isTokenActive(service, second.access)).toBe(true);
    if (!library.revoke) return;
    await library.revoke(second);
    expect([await introspected(first.access), await introspected(second.refresh)]).toEqual([
      { active: false },
      { active: false },
    ]);
    expect(await refused(library.refresh(second.refresh))).toBe('invalid_grant');
  });

  test('a used code is rejected, and its tokens are revoked', async () => {
    const login = await library.begin();
    const back = await decide(service, alice, login.url);
    const pair = await login.redeem(back);
    const later = await library.begin();
    const replayed = await decide(service, alice, later.url);
    replayed.searchParams.set('code', back.searchParams.get('code') ?? '');
    expect(await refused(later.redeem(replayed))).toBe('invalid_grant');
    expect(await isTokenActive(service, pair.access)).toBe(false);
    expect(await refused(library.refresh(pair.refresh))).toBe('invalid_grant');
  });

  test('an expired code is rejected', async () => {
    const login = await library.begin();
    const back = await decide(service, alice, login.url);
    await service.sql(`UPDATE oauth_code SET expires_at = ${PAST} WHERE account_id = $1`, [alice.id]);
    expect(await refused(login.redeem(back))).toBe('invalid_grant');
  });

  test('a wrong secret is rejected, and the code stays unused', async () => {
    const stranger = await taught(service, { ...app, secret: 'not the secret' });
    const login = await stranger.begin();
    const back = await decide(service, alice, login.url);
    const unused = () =>
      service.sql(`SELECT 1 FROM oauth_code WHERE digest = sha256(convert_to($1, 'UTF8'))`, [
        back.searchParams.get('code'),
      ]);
    expect(await unused()).toHaveLength(1);
    expect(await refused(login.redeem(back))).toBe('invalid_client');
    expect(await unused()).toHaveLength(1);
    const { refresh } = await signedIn();
    expect(await refused(stranger.refresh(refresh))).toBe('invalid_client');
    expect(await introspected(refresh)).toMatchObject({ active: true });
  });

  test('a used refresh token revokes all tokens of the code', async () => {
    const first = await signedIn();
    const second = await library.refresh(first.refresh);
    const third = await library.refresh(second.refresh);
    expect(await refused(library.refresh(first.refresh))).toBe('invalid_grant');
    expect(await isTokenActive(service, third.access)).toBe(false);
    expect(await refused(library.refresh(third.refresh))).toBe('invalid_grant');
  });

  test('tabs and parallel server requests refresh one token and all stay signed in', async () => {
    const first = await signedIn();
    const tabs = await Promise.all(Array.from({ length: 8 }, () => taught(service, app)));
    const pairs = await Promise.all(tabs.map((tab) => tab.refresh(first.refresh)));
    expect(new Set(pairs.map(({ refresh }) => refresh)).size).toBe(1);
    const [{ access, refresh } = first] = pairs;
    expect(await isTokenActive(service, access)).toBe(true);
    expect(await isTokenActive(service, (await library.refresh(refresh)).access)).toBe(true);
  });

  test('after a lost response, the same token returns the same pair', async () => {
    const first = await signedIn();
    const lost = await library.refresh(first.refresh);
    expect(await library.refresh(first.refresh)).toEqual(lost);
    await service.sql(
      "UPDATE oauth_token SET consumed_at = consumed_at - interval '11 seconds', settled_at = settled_at - interval '11 seconds'",
    );
    expect(await refused(library.refresh(first.refresh))).toBe('invalid_grant');
    expect(await isTokenActive(service, lost.access)).toBe(false);
  });

  test('expired tokens are rejected', async () => {
    const { access, refresh } = await signedIn();
    await service.sql(`UPDATE oauth_token SET expires_at = ${PAST} WHERE account_id = $1`, [alice.id]);
    expect(await refused(library.refresh(refresh))).toBe('invalid_grant');
    expect(await isTokenActive(service, access)).toBe(false);
    if (library.subjectOf) {
      const status = await library.subjectOf(access).then(() => 200, library.statusOf);
      expect(status).toBe(401);
    }
  });

  test('tokens of a revoked grant are rejected', async () => {
    const { access, refresh } = await signedIn();
    await service.as(alice).delete(`/v1/oauth2/@me/authorizations/${app.id}`).expect(204);
    expect(await refused(library.refresh(refresh))).toBe('invalid_grant');
    expect(await isTokenActive(service, access)).toBe(false);
  });

  test('a denial gives no tokens, and returns the state', async () => {
    const login = await library.begin();
    const back = await decide(service, alice, login.url, 'deny');
    expect(parametersOf(back.href)).toMatchObject({ error: 'access_denied', state: expect.any(String) });
    expect(back.searchParams.get('state')).toBe(login.url.searchParams.get('state'));
    await expect(login.redeem(back)).rejects.toThrow();
  });

  test('a 429 does not count as the end of the grant', async () => {
    const front = fromElsewhere(limited);
    const owner = await person(front, 'owner');
    const client = await newApp(front, owner);
    const { refresh_token } = await newTokens(front, owner, client);
    await limited.anonymous.form('/v1/oauth2/token', { client_id: client.id });
    const hurried = await taught(limited, client);
    const thrown = await hurried.refresh(refresh_token).catch((error) => error);
    expect(hurried.statusOf(thrown)).toBe(429);
    expect(hurried.errorOf(thrown)).not.toBe('invalid_grant');
    const { body } = await asApp(front, client, '/v1/oauth2/introspect', { token: refresh_token });
    expect(body).toMatchObject({ active: true });
  });
};

for (const [name, make] of LIBRARIES) describe(name, () => hold(make));
describeUnless(authlibMissing)('Authlib of Python', () => hold(ofAuthlib));
