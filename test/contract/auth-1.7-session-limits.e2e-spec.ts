import { AdminApplication } from '../../src/accounts/grants/admin-application.service.js';
import { superuser } from '../support/admin.js';
import { runCleanup } from '../support/cleanup.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  type App,
  expectApiError,
  type Gatehouse,
  gatehouse,
  isTokenActive,
  newTokens,
  type Persona,
  person,
  refresh,
  signIn,
  withGatehouse,
} from '../support/index.js';

const CALLBACK = 'https://panel.example/oauth2_callback';
const SECRET = 'the client secret of the Admin application';
const ADMIN = { ADMIN_OAUTH_CLIENT_SECRET: SECRET, ADMIN_ENDPOINT: 'https://panel.example' };

/** Backdates the start or the last use of the user's sessions by this many seconds. */
const since = (service: Gatehouse, column: 'created_at' | 'last_used_at', { id }: Persona, seconds: number) =>
  service.sql(`UPDATE session SET ${column} = now() - $2::int * interval '1 second' WHERE account_id = $1`, [
    id,
    seconds,
  ]);

const works = async (service: Gatehouse, token: string) => {
  const response = await service.as(token).get('/v1/users/@me');
  if (response.status !== 200) expectApiError(response, 'UNAUTHORIZED');
  return response.status === 200;
};

const endingsOf = async (service: Gatehouse, { id }: Persona) =>
  (
    await service.sql(`SELECT data FROM security_event WHERE account_id = $1 AND type = 'session_ended' ORDER BY id`, [
      id,
    ])
  ).map(({ data }) => data);

describe.each([
  ['SESSION_MAX_SECONDS', 'created_at', '3600', 3600],
  // The last use is written at most once a minute, so the idle limit allows for one minute more.
  ['SESSION_IDLE_SECONDS', 'last_used_at', '1800', 1860],
] as const)('auth 1.7 %s', (name, column, value, limit) => {
  let service: Gatehouse;
  let alice: Persona;
  let panel: App;
  beforeAll(async () => {
    service = await gatehouse({ env: { [name]: value, ...ADMIN } });
    alice = await person(service, 'alice');
    const id = service.app.get(AdminApplication).id;
    panel = { id, owner: alice, secret: SECRET, bot: '', redirectUri: CALLBACK };
  });
  afterAll(() => service.close());
  /** Also backdates `created_at`, because the sweep checks only sessions that have a minimum age. */
  const age = async (who: Persona, seconds: number) => {
    await since(service, 'created_at', who, seconds);
    await since(service, column, who, seconds);
  };

  test('a session works until it expires, and then on no route', async () => {
    const bob = await person(service, 'bob');
    await age(bob, limit - 20);
    expect(await works(service, bob.authorization)).toBe(true);
    await age(bob, limit);
    expect(await works(service, bob.authorization)).toBe(false);
    expectApiError(await service.as(bob).post('/v1/auth/logout'), 'UNAUTHORIZED');
    const client = await GatewayClient.connect(service);
    client.send({ op: 2, d: { token: bob.authorization } });
    expect((await client.closed())[0]).toBe(4004);
  });

  test('after another sign-in, the user has a new session and does not see the expired one', async () => {
    const bob = await person(service, 'bob');
    await age(bob, limit);
    const token = await signIn(service, bob);
    expect(await works(service, token)).toBe(true);
    const { body } = await service.as(token).get('/v1/auth/sessions');
    expect(body).toMatchObject([{ current: true }]);
  });

  test('its sockets close with 4004 within a minute, and its owner is notified that it expired', async () => {
    const bob = await person(service, 'bob');
    const other = await signIn(service, bob);
    const { client } = await GatewayClient.identify(service, bob.authorization);
    const { client: stays } = await GatewayClient.identify(service, other, { ignored_events: ['SESSIONS_REPLACE'] });
    await age(bob, limit);
    await service.sql(
      `UPDATE session SET created_at = now(), last_used_at = now()
       WHERE id = (SELECT max(id) FROM session WHERE account_id = $1)`,
      [bob.id],
    );
    await runCleanup(service);
    expect((await client.closed())[0]).toBe(4004);
    expect(await endingsOf(service, bob)).toEqual([{ by: 'service', reason: 'expired' }]);
    expect(await works(service, other)).toBe(true);
    stays.send({ op: 1, d: null });
    expect((await stays.next()).op).toBe(11);
    await runCleanup(service);
    expect(await endingsOf(service, bob)).toHaveLength(1);
  });

  test('it ends nothing else of its account; the last session ends the grant of the Admin application', async () => {
    const root = await superuser(service);
    const other = await signIn(service, root);
    const tokens = await newTokens(service, root, panel);
    const proof = await service.as(other).post('/v1/auth/sessions/logout', {
      session_id_hashes: [],
      password: root.password,
    });
    expect(proof.status).toBe(204);
    const [before] = await service.sql('SELECT epoch FROM account WHERE id = $1', [root.id]);
    await age(root, limit);
    await service.sql(
      `UPDATE session SET created_at = now(), last_used_at = now()
       WHERE id = (SELECT max(id) FROM session WHERE account_id = $1)`,
      [root.id],
    );
    await runCleanup(service);
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
    expect(await service.sql('SELECT epoch FROM account WHERE id = $1', [root.id])).toEqual([before]);
    await age(root, limit);
    await runCleanup(service);
    expect(await isTokenActive(service, tokens.access_token)).toBe(false);
    expectApiError(await refresh(service, panel, tokens.refresh_token), 'INVALID_GRANT');
  });

  test('a device that it approved gets no session any more', async () => {
    const bob = await person(service, 'bob');
    const { code, poll_secret } = (await service.anonymous.post('/v1/auth/handoff/initiate')).body;
    await service.anonymous.get(`/v1/auth/handoff/${code}/info`);
    const approved = await service.as(bob).post('/v1/auth/handoff/complete', { code, user_id: bob.id });
    expect(approved.status).toBe(204);
    await age(bob, limit);
    const collected = await service.anonymous.post(`/v1/auth/handoff/${code}/status`, { poll_secret });
    expect(collected.body).toEqual({ status: 'expired' });
  });
});

describe('auth 1.7 use of a session', () => {
  test('extends only the idle limit; a new password does not extend a session', () =>
    withGatehouse({ env: { SESSION_MAX_SECONDS: '7200', SESSION_IDLE_SECONDS: '300' } }, async (service) => {
      const alice = await person(service, 'alice');
      await since(service, 'created_at', alice, 7100);
      await since(service, 'last_used_at', alice, 340);
      expect(await works(service, alice.authorization)).toBe(true);
      await runCleanup(service);
      const [{ unused }] = (await service.sql(
        'SELECT extract(epoch FROM now() - last_used_at)::int AS unused FROM session WHERE account_id = $1',
        [alice.id],
      )) as [{ unused: number }];
      expect(unused).toBeLessThan(60);
      const changed = await service
        .as(alice)
        .patch('/v1/users/@me', { new_password: 'another password of hers', password: alice.password });
      expect(changed.status).toBe(200);
      await since(service, 'created_at', alice, 7200);
      expect(await works(service, changed.body.token)).toBe(false);
    }));

  test('without the settings, sessions do not expire', () =>
    withGatehouse({}, async (service) => {
      const alice = await person(service, 'alice');
      await since(service, 'created_at', alice, 10 * 365 * 86_400);
      await since(service, 'last_used_at', alice, 10 * 365 * 86_400);
      await runCleanup(service);
      expect(await works(service, alice.authorization)).toBe(true);
    }));
});
