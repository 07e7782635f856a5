import { randomBytes } from 'node:crypto';
import { Database } from '../../src/platform/database/database.js';
import { superuser } from '../support/admin.js';
import { sweep } from '../support/cleanup-jobs.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  type Answer,
  type Gatehouse,
  gatehouse,
  logIn,
  mailTo,
  newHook,
  type Persona,
  person,
  race,
  sessionsOf,
  signIn,
  withGatehouse,
} from '../support/index.js';
import { recordStatements } from '../support/plans.js';

/** More than 65,535, the maximum number of parameters of a statement. */
const MANY = 65_600;
/** Enough rows to show that no statement has one parameter per row. */
const SOME = 400;
const PARAMETERS = 50;

const ok = ({ status, body }: Answer) =>
  expect({ status, body, isRight: status < 300 }).toMatchObject({ isRight: true });

/**
 * Inserts rows directly, numbered by `n`. The batches are small enough for a slow disk. Foreign keys are not checked,
 * because the owners are known to exist.
 */
async function add(service: Gatehouse, count: number, text: string, values: unknown[]): Promise<void> {
  for (let first = 1; first <= count; first += 5000) {
    const [from, to] = [values.length + 1, values.length + 2];
    const rows = `FROM generate_series($${from}::int, $${to}::int) AS n`;
    await service.app.get(Database).transaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(`${text} ${rows}`, [...values, first, Math.min(first + 4999, count)]);
    });
  }
}

/** Inserts sessions as if they had started before there was a limit. */
const addSessions = (service: Gatehouse, { id }: Persona, count: number) =>
  add(
    service,
    count,
    `INSERT INTO session (id, digest, account_id, ip, last_used_at)
     SELECT $2::bigint + n, sha256(($3 || n)::bytea), $1, '127.0.0.1', now() - interval '1 day' - n * interval '1 second'`,
    [id, `${Number(id.slice(-9))}000000`, randomBytes(8).toString('hex')],
  );

describe('auth 1.7 an account with more sessions than a statement has parameters', () => {
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

  const ENDS: Record<string, { end: (alice: Persona) => Promise<Answer>; left: number }> = {
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
        const answer = await mine('delete')(alice);
        await service.sql("UPDATE account SET deletion_at = now() - interval '1 minute' WHERE id = $1", [alice.id]);
        await sweep(service);
        const [row] = await service.sql(
          `SELECT deleted_at IS NOT NULL AS is_erased,
             (SELECT count(*)::int FROM session s WHERE s.account_id = a.id) AS sessions FROM account a WHERE id = $1`,
          [alice.id],
        );
        expect(row).toEqual({ is_erased: true, sessions: 0 });
        return answer;
      },
      left: 0,
    },
  };

  /** Adds files of the account and its webhook, and uploads of the account. */
  async function addFiles(alice: Persona, hook: { readonly id: string }, count: number): Promise<void> {
    for (const owner of [alice.id, hook.id]) {
      await add(
        service,
        count,
        `INSERT INTO media_object (key, owner_id, account_id, filename, size, sha256, content_type)
         SELECT $1 || '/' || n, $1::bigint, $2, 'x', 1, ''::bytea, 'text/plain'`,
        [owner, alice.id],
      );
    }
    await add(
      service,
      count,
      `INSERT INTO media_upload (id, object_id, owner_id, credential_kind, filename, size)
       SELECT gen_random_uuid(), gen_random_uuid(), $1, 'session', 'x', 1`,
      [alice.id],
    );
  }

  async function addGrants(alice: Persona, owner: Persona, count: number): Promise<void> {
    const first = `${Number(owner.id.slice(-9))}000000`;
    await add(
      service,
      count,
      `INSERT INTO application (id, owner_id, name, client_type) SELECT $2::bigint + n, $1, 'client', 'confidential'`,
      [owner.id, first],
    );
    await add(
      service,
      count,
      `INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
       SELECT $2::bigint + n, $2::bigint + n, $1, '{identify}', sha256(($2 || '/' || n)::bytea)`,
      [alice.id, first],
    );
    await add(service, count, 'INSERT INTO oauth_bot_grant (account_id, application_id) SELECT $1, $2::bigint + n', [
      alice.id,
      first,
    ]);
  }

  async function ends(what: string, alice: Persona): Promise<void> {
    const { end, left } = ENDS[what] as (typeof ENDS)[string];
    ok(await withFewParameters(() => end(alice)));
    expect(await sessionsOf(service, alice)).toBe(left);
    const stays = what === 'is locked down';
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(stays ? 200 : 401);
  }

  test.each(Object.keys(ENDS))('%s all the same', async (what) => {
    const alice = await person(service, 'alice');
    await addSessions(service, alice, SOME);
    await ends(what, alice);
  });

  const hasNoFiles = async ({ id }: Persona) => {
    const [row] = await service.sql(
      `SELECT (SELECT deleted_at IS NOT NULL FROM account WHERE id = $1) AS is_erased,
         (SELECT count(*)::int FROM media_object WHERE account_id = $1) AS objects,
         (SELECT count(*)::int FROM media_upload WHERE owner_id = $1) AS uploads`,
      [id],
    );
    expect(row).toEqual({ is_erased: true, objects: 0, uploads: 0 });
  };

  test('its next sign-in ends all but as many as it may have, and the lists stay short', async () => {
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

  test('webhooks and files of an account or an address count as little as its sessions', async () => {
    const alice = await person(service, 'alice');
    const hook = await newHook(service, alice);
    await addFiles(alice, hook, SOME);
    await withFewParameters(async () => ok(await service.as(alice).delete(`/v1/webhooks/${hook.id}`)));
    await ends('is erased', alice);
    await hasNoFiles(alice);
  });

  const told = async ({ id }: Persona) =>
    (
      await service.sql(
        `SELECT (SELECT count(*)::int FROM oauth_family WHERE account_id = $1) AS families,
           (SELECT count(*)::int FROM oauth_bot_grant WHERE account_id = $1) AS bots,
           (SELECT count(DISTINCT data->>'application_id')::int FROM security_event
            WHERE account_id = $1 AND type = 'application_removed') AS told,
           (SELECT count(*)::int FROM security_event WHERE account_id = $1 AND type = 'application_removed') AS events`,
        [id],
      )
    )[0];

  test('with more of everything than parameters it is locked down, and then erased', async () => {
    const [alice, owner] = [await person(service, 'alice'), await person(service, 'owner')];
    const hook = await newHook(service, alice);
    await addSessions(service, alice, MANY);
    await addGrants(alice, owner, MANY);
    await addFiles(alice, hook, MANY);
    const { body } = await service.as(alice).post('/v1/users/@me/lockdown', {
      password: alice.password,
      include: ['sessions', 'grants'],
    });
    expect(body.ended).toMatchObject({ sessions: MANY, grants: MANY });
    expect(await told(alice)).toEqual({ families: 0, bots: 0, told: MANY, events: MANY });
    await ends('is erased', alice);
    await hasNoFiles(alice);
  });

  test('as many grants end by a lockdown, and each is told once', async () => {
    const [alice, owner] = [await person(service, 'alice'), await person(service, 'owner')];
    await addGrants(alice, owner, SOME);
    const { body } = await withFewParameters(() =>
      service.as(alice).post('/v1/users/@me/lockdown', { password: alice.password, include: ['grants'] }),
    );
    expect(body.ended).toMatchObject({ grants: SOME });
    expect(await told(alice)).toEqual({ families: 0, bots: 0, told: SOME, events: SOME });
  });

  test('oauth 3.2 codes for as many ports of a loopback address are void with its registration', async () => {
    const alice = await person(service, 'alice');
    const uri = 'http://127.0.0.1/callback';
    const { body: app } = await service
      .as(alice)
      .post('/v1/oauth2/applications', { name: 'native', redirect_uris: [uri] });
    await add(
      service,
      MANY,
      `INSERT INTO oauth_code (digest, application_id, account_id, redirect_uri, scopes, consented, announced, expires_at)
       SELECT sha256(('code' || n)::bytea), $1, $2, 'http://127.0.0.1:' || n || '/callback', '{identify}', true, false,
         now() + interval '10 minutes'`,
      [app.id, alice.id],
    );
    ok(await service.as(alice).patch(`/v1/oauth2/applications/${app.id}`, { redirect_uris: [] }));
    expect(await service.sql('SELECT 1 FROM oauth_code WHERE application_id = $1', [app.id])).toEqual([]);
  });
});

describe('auth 1.7 SESSIONS_PER_ACCOUNT', () => {
  const env = { SESSIONS_PER_ACCOUNT: '3' };
  const works = async (service: Gatehouse, token: string) =>
    (await service.as(token).get('/v1/users/@me')).status === 200;

  test('one more session ends the least recently used one, whose sockets close 4004', () =>
    withGatehouse({ env }, async (service) => {
      const alice = await person(service, 'alice');
      const second = await signIn(service, alice);
      const third = await signIn(service, alice);
      await service.sql("UPDATE session SET last_used_at = now() - interval '1 hour' WHERE account_id = $1", [
        alice.id,
      ]);
      await service.sql(
        `UPDATE session SET last_used_at = now() WHERE account_id = $1
           AND id <> (SELECT id FROM session WHERE account_id = $1 ORDER BY id OFFSET 1 LIMIT 1)`,
        [alice.id],
      );
      const { client } = await GatewayClient.identified(service, second);
      const fourth = await signIn(service, alice);
      expect((await client.closed())[0]).toBe(4004);
      expect(
        await Promise.all([alice.authorization, second, third, fourth].map((token) => works(service, token))),
      ).toEqual([true, false, true, true]);
      expect(await sessionsOf(service, alice)).toBe(3);
    }));

  test('of 32 parallel sign-ins as many sessions are left as there may be', () =>
    withGatehouse({ env }, async (service) => {
      const alice = await person(service, 'alice');
      const { answers } = await race(32, () => logIn(service, alice));
      for (const answer of answers) ok(answer);
      expect(await sessionsOf(service, alice)).toBe(3);
    }));
});
