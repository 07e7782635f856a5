import { LastUsed } from '../../src/auth/sessions/last-used.service.js';
import { Statements } from '../machine/statements.js';
import { superuser } from '../support/admin.js';
import { runCleanup } from '../support/cleanup.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  type Gatehouse,
  gatehouse,
  logIn,
  mailTo,
  newWebhook,
  type Persona,
  person,
  race,
  sessionsOf,
  signIn,
  type TestResponse,
  withGatehouse,
} from '../support/index.js';
import { addFiles, addGrants, addSessions, filesOf, removalsOf } from '../support/many-rows.js';
import { recordStatements } from '../support/plans.js';

/** Enough rows to show that no statement has one parameter per row. test/faults/many-rows has more rows. */
const SOME = 400;
const PARAMETERS = 50;
/** More sessions than two statements may end. */
const VERY_MANY = 10_001;
/** A statement that returned more rows would need much memory for them. */
const ROWS_PER_STATEMENT = 5000;

const ok = ({ status, body }: TestResponse) =>
  expect({ status, body, isRight: status < 300 }).toMatchObject({ isRight: true });

describe('auth 1.7 an account with more sessions than a statement can have parameters', () => {
  let service: Gatehouse;
  let admin: Persona;
  let statements: ReturnType<typeof recordStatements>;
  beforeAll(async () => {
    statements = recordStatements();
    statements.pause();
    service = await gatehouse();
    admin = await superuser(service);
  });
  afterAll(async () => {
    statements.stop();
    await service.close();
  });

  /** Runs the work, and asserts that none of its statements had one parameter per affected row. */
  async function withFewParameters<T>(work: () => Promise<T>): Promise<T> {
    statements.sent.clear();
    statements.resume();
    try {
      return await work();
    } finally {
      statements.pause();
      expect(statements.sent.size).toBeGreaterThan(0);
      const long = [...statements.sent.values()].filter(({ values }) => values.length > PARAMETERS);
      expect(long.map(({ text }) => text.slice(0, 200))).toEqual([]);
    }
  }

  const asAdmin = (method: string, path: string, body?: object) => (alice: Persona) =>
    service.as(admin).send(method, `/v1/admin/users/${alice.id}/${path}`, body);
  const mine =
    (path: string, more: object = {}) =>
    (alice: Persona) =>
      service.as(alice).post(`/v1/users/@me/${path}`, { password: alice.password, ...more });

  const ENDS: Record<string, { end: (alice: Persona) => Promise<TestResponse>; left: number }> = {
    'is locked down': { end: mine('lockdown'), left: 1 },
    'is banned': { end: asAdmin('PUT', 'ban', { duration_hours: 0 }), left: 0 },
    'has its sessions ended': { end: asAdmin('DELETE', 'sessions'), left: 0 },
    'is disabled': { end: mine('disable'), left: 0 },
    'is deleted': { end: mine('delete'), left: 0 },
    'has its password changed': {
      end: (alice) =>
        service.as(alice).patch('/v1/users/@me', { password: alice.password, new_password: 'a brand new password' }),
      left: 1,
    },
    'has its password reset': {
      end: async ({ email }) => {
        await service.anonymous.post('/v1/auth/forgot', { email });
        const { token } = (await mailTo(service, email, 'password_reset')).metadata;
        return service.anonymous.post('/v1/auth/reset', { token, password: 'a brand new password' });
      },
      left: 1,
    },
    'is erased': {
      end: async (alice) => {
        const response = await mine('delete')(alice);
        await service.sql("UPDATE account SET deletion_at = now() - interval '1 minute' WHERE id = $1", [alice.id]);
        await runCleanup(service);
        const [row] = await service.sql(
          `SELECT deleted_at IS NOT NULL AS is_erased,
             (SELECT count(*)::int FROM session s WHERE s.account_id = a.id) AS sessions FROM account a WHERE id = $1`,
          [alice.id],
        );
        expect(row).toEqual({ is_erased: true, sessions: 0 });
        return response;
      },
      left: 0,
    },
  };

  async function ends(what: string, alice: Persona): Promise<void> {
    const { end, left } = ENDS[what] as (typeof ENDS)[string];
    ok(await withFewParameters(() => end(alice)));
    expect(await sessionsOf(service, alice)).toBe(left);
    const stays = what === 'is locked down';
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(stays ? 200 : 401);
  }

  test.each(Object.keys(ENDS))('%s completely', async (what) => {
    const alice = await person(service, 'alice');
    await addSessions(service, alice, SOME);
    await ends(what, alice);
  });

  test.each(['has its sessions ended', 'is erased'])('%s by several statements with few rows each', async (what) => {
    const alice = await person(service, 'alice');
    await addSessions(service, alice, VERY_MANY);
    const recorded = new Statements(service);
    try {
      await recorded.record(() => ends(what, alice));
    } finally {
      recorded.end();
    }
    expect(recorded.mostRows).toBe(ROWS_PER_STATEMENT);
  });

  test('its next sign-in ends all sessions beyond the limit, and the lists stay short', async () => {
    const alice = await person(service, 'alice');
    await addSessions(service, alice, 2 * SOME);
    const listed = await service.as(alice).get('/v1/auth/sessions');
    expect(listed.body).toHaveLength(250);
    const token = await withFewParameters(() => signIn(service, alice));
    expect(await sessionsOf(service, alice)).toBe(250);
    expect((await service.as(token).get('/v1/auth/sessions')).body).toHaveLength(250);
    // The session of the registration is kept, because only the new session was used more recently.
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
    const seen = await service.as(admin).get(`/v1/admin/users/${alice.id}/sessions`);
    expect(seen.body.sessions).toHaveLength(500);
  });

  test('webhooks and files of an account or an IP address may also exceed it', async () => {
    const alice = await person(service, 'alice');
    const hook = await newWebhook(service, alice);
    await addFiles(service, alice, hook, SOME);
    await withFewParameters(async () => ok(await service.as(alice).delete(`/v1/webhooks/${hook.id}`)));
    await ends('is erased', alice);
    expect(await filesOf(service, alice)).toEqual({ is_erased: true, objects: 0, uploads: 0 });
  });

  test('a lockdown ends as many grants, and each is announced once', async () => {
    const [alice, owner] = [await person(service, 'alice'), await person(service, 'owner')];
    await addGrants(service, alice, owner, SOME);
    const { body } = await withFewParameters(() =>
      service.as(alice).post('/v1/users/@me/lockdown', { password: alice.password, include: ['grants'] }),
    );
    expect(body.ended).toMatchObject({ grants: SOME });
    expect(await removalsOf(service, alice)).toEqual({ families: 0, bots: 0, told: SOME, events: SOME });
  });
});

describe('auth 1.7 SESSIONS_PER_ACCOUNT', () => {
  const env = { SESSIONS_PER_ACCOUNT: '3' };
  const works = async (service: Gatehouse, token: string) =>
    (await service.as(token).get('/v1/users/@me')).status === 200;

  test('a session beyond the limit ends the least recently used one, whose sockets close with 4004', () =>
    withGatehouse({ env }, async (service) => {
      const alice = await person(service, 'alice');
      const second = await signIn(service, alice);
      const third = await signIn(service, alice);
      await service.app.get(LastUsed).flushNow();
      await service.sql("UPDATE session SET last_used_at = now() - interval '1 hour' WHERE account_id = $1", [
        alice.id,
      ]);
      await service.sql(
        `UPDATE session SET last_used_at = now() WHERE account_id = $1
           AND id <> (SELECT id FROM session WHERE account_id = $1 ORDER BY id OFFSET 1 LIMIT 1)`,
        [alice.id],
      );
      const { client } = await GatewayClient.identify(service, second);
      const fourth = await signIn(service, alice);
      expect((await client.closed())[0]).toBe(4004);
      expect(
        await Promise.all([alice.authorization, second, third, fourth].map((token) => works(service, token))),
      ).toEqual([true, false, true, true]);
      expect(await sessionsOf(service, alice)).toBe(3);
    }));

  test('after 32 parallel sign-ins, exactly the allowed number of sessions is left', () =>
    withGatehouse({ env }, async (service) => {
      const alice = await person(service, 'alice');
      const { responses } = await race(32, () => logIn(service, alice));
      for (const response of responses) ok(response);
      expect(await sessionsOf(service, alice)).toBe(3);
    }));
});
