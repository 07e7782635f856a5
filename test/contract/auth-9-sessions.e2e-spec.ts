import { createHash } from 'node:crypto';
import { LastUsed } from '../../src/auth/sessions/last-used.service.js';
import { Database } from '../../src/platform/database/database.js';
import { testOnPostgres } from '../machine/postgres.js';
import {
  createCredentialSet,
  eventually,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  person,
  race,
  signIn,
  sudoProof,
  withTotp,
} from '../support/index.js';

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';

interface Shown {
  id_hash: string;
  current: boolean;
  approx_last_used_at: string;
}

describe('auth 9 sessions', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  const list = async (credential: string | Persona): Promise<Shown[]> =>
    (await service.as(credential).get('/v1/auth/sessions')).body;
  /** Sends one request and writes the queued times of use. */
  const use = async (alice: Persona): Promise<void> => {
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
    await service.app.get(LastUsed).flushNow();
  };
  const usedAgo = async ({ id }: Persona, seconds: number): Promise<void> => {
    const at = `now() - interval '${seconds} seconds'`;
    await service.sql(`UPDATE session SET last_used_at = ${at} WHERE account_id = $1`, [id]);
    await service.sql(`UPDATE account SET last_active_at = ${at} WHERE id = $1`, [id]);
  };
  /** Returns the seconds since the last use of the session or of the account, whichever is longer ago. */
  const secondsSinceUse = async ({ id }: Persona): Promise<number> => {
    const [row] = await service.sql(
      `SELECT extract(epoch FROM now() - least(a.last_active_at, s.last_used_at))::float8 AS lag
       FROM account a JOIN session s ON s.account_id = a.id WHERE a.id = $1`,
      [id],
    );
    return row?.lag;
  };
  const end = (alice: Persona, session_id_hashes: unknown, more: object = { password: alice.password }) =>
    service.as(alice).post('/v1/auth/sessions/logout', { session_id_hashes, ...more });

  test('lists client, masked IP address and last use of every session, and marks the calling one', async () => {
    const alice = await person(service, 'alice');
    const properties = Buffer.from(JSON.stringify({ os: 'TempleOS', browser: 'x' })).toString('base64');
    const phone = await service.anonymous
      .with({ 'user-agent': SAFARI, 'x-service-client-properties': properties })
      .post('/v1/auth/login', { email: alice.email, password: alice.password });
    const sessions = await list(phone.body.token);
    expect(sessions).toHaveLength(2);
    expect(sessions.find(({ current }) => current)).toEqual({
      id_hash: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      client_info: { platform: 'mobile', os: 'TempleOS', browser: 'Safari', device: 'mobile' },
      masked_ip: '127.0.x.x',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      approx_last_used_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      current: true,
    });
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
  });

  test('an unknown browser has no name', async () => {
    const alice = await person(service, 'alice');
    const { body } = await service.anonymous
      .with({ 'user-agent': 'curl/8.0' })
      .post('/v1/auth/login', { email: alice.email, password: alice.password });
    const session = (await list(body.token)).find(({ current }) => current);
    const client_info = { platform: null, os: null, browser: null, device: 'desktop' };
    expect(session).toMatchObject({ client_info });
  });

  test('malformed client properties are ignored', async () => {
    for (const value of ['not base64 json', 'x'.repeat(5000), Buffer.from('{"os":7}').toString('base64')]) {
      const { body } = await service.anonymous
        .with({ 'user-agent': SAFARI, 'x-service-client-properties': value })
        .post('/v1/auth/register', {});
      const [session] = (await service.as(body.token).get('/v1/auth/sessions')).body;
      expect(session.client_info.os).toBe('iOS');
    }
  });

  test('the current session comes first with its time, then the latest activity', async () => {
    const alice = await person(service, 'alice');
    const tokens = [await signIn(service, alice), await signIn(service, alice), await signIn(service, alice)];
    const hashes = tokens.map((token) => createHash('sha256').update(token).digest('base64url'));
    // Write the times of use of these requests now. The requests of the next minute then write none.
    for (const token of tokens) await list(token);
    await service.app.get(LastUsed).flushNow();
    // The later a session was created, the longer ago its last use is.
    await service.sql(
      `UPDATE session SET last_used_at = now() - interval '1 day' * (SELECT count(*) FROM session s WHERE s.id <= session.id)
       WHERE account_id = $1`,
      [alice.id],
    );
    for (const [index, token] of tokens.entries()) {
      const before = Date.now();
      const shown = (await list(token)).map(({ id_hash }) => id_hash);
      expect(shown[0]).toBe(hashes[index]);
      expect(shown.filter((hash) => hashes.includes(hash) && hash !== hashes[index])).toEqual(
        hashes.filter((hash) => hash !== hashes[index]),
      );
      const [inUse, ...others] = await list(token);
      // The clocks of the service and its database can differ slightly.
      expect(Date.parse(inUse?.approx_last_used_at ?? '')).toBeGreaterThan(before - 60_000);
      for (const other of others) expect(Date.parse(other.approx_last_used_at)).toBeLessThan(before - 3_600_000);
    }
  });

  test('use is written later, at most once a minute', async () => {
    const alice = await person(service, 'alice');
    const of = (columns: string) => service.sql(`SELECT ${columns} FROM account WHERE id = $1`, [alice.id]);
    await list(alice);
    const active = await eventually('activity', async () => {
      const [row] = await of('last_active_at, last_active_ip');
      return row?.last_active_at ? row : undefined;
    });
    expect(active.last_active_ip).toBe('127.0.0.1');
    await usedAgo(alice, 3600);
    await use(alice);
    expect(await secondsSinceUse(alice)).toBeGreaterThan(3500);
    service.clock.advance({ minutes: 1 });
    await use(alice);
    expect(await secondsSinceUse(alice)).toBeLessThan(60);
  });

  test('a use that is too early to be written is written when the minute is over', async () => {
    const alice = await person(service, 'alice');
    await use(alice);
    service.clock.advance({ minutes: 1 });
    // By the clock of the database, the minute since the last write is not over.
    await usedAgo(alice, 30);
    await use(alice);
    expect(await secondsSinceUse(alice)).toBeGreaterThan(25);
    await usedAgo(alice, 61);
    service.clock.advance({ seconds: 31 });
    await use(alice);
    expect(await secondsSinceUse(alice)).toBeLessThan(25);
  });

  test.each(['session', 'account'])(
    'a use that could not be written to its %s is written with the next one',
    async (table) => {
      const alice = await person(service, 'alice');
      await use(alice);
      await usedAgo(alice, 3600);
      service.clock.advance({ minutes: 1 });
      await service.sql(`CREATE FUNCTION refuse_use() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'no'; END $$`);
      await service.sql(
        `CREATE TRIGGER refuse_use BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_use()`,
      );
      await use(alice);
      await service.sql('DROP FUNCTION refuse_use() CASCADE');
      expect(await secondsSinceUse(alice)).toBeGreaterThan(3500);
      await use(alice);
      expect(await secondsSinceUse(alice)).toBeLessThan(60);
    },
  );

  testOnPostgres('a use whose row another transaction was changing is written with the next one', async () => {
    const alice = await person(service, 'alice');
    await use(alice);
    for (const table of ['session', 'account']) {
      await usedAgo(alice, 3600);
      service.clock.advance({ minutes: 1 });
      await service.app.get(Database).transaction(async (tx) => {
        const key = table === 'session' ? 'account_id' : 'id';
        await tx.query(`SELECT 1 FROM ${table} WHERE ${key} = $1 FOR UPDATE`, [alice.id]);
        await use(alice);
      });
      expect(await secondsSinceUse(alice)).toBeGreaterThan(3500);
      await use(alice);
      expect(await secondsSinceUse(alice)).toBeLessThan(60);
    }
  });

  test('immediately ends the sessions with the given hashes, optionally including the calling one', async () => {
    const alice = await person(service, 'alice');
    const [second, third] = [await signIn(service, alice), await signIn(service, alice)];
    const hashes = (await list(second)).filter(({ current }) => current).map(({ id_hash }) => id_hash);
    expect((await end(alice, hashes)).status).toBe(204);
    expectApiError(await service.as(second).get('/v1/users/@me'), 'UNAUTHORIZED');
    expect(await list(third)).toHaveLength(2);
    expect(
      (
        await end(
          alice,
          (await list(alice)).map(({ id_hash }) => id_hash),
        )
      ).status,
    ).toBe(204);
    for (const token of [alice.authorization, third]) {
      expectApiError(await service.as(token).get('/v1/users/@me'), 'UNAUTHORIZED');
    }
  });

  test('unknown hashes and those of another account are ignored, an empty list changes nothing, repeating is harmless', async () => {
    const alice = await person(service, 'alice');
    const bob = await person(service, 'bob');
    const foreign = (await list(bob)).map(({ id_hash }) => id_hash);
    for (const hashes of [foreign, [], ['unknown', '', 'A'.repeat(43), '%']]) {
      const { status, text } = await end(alice, hashes);
      expect({ status, text }).toEqual({ status: 204, text: '' });
    }
    expect(await list(alice)).toHaveLength(1);
    expect(await list(bob)).toHaveLength(1);
  });

  test.each<[what: string, hashes: unknown, fault: string]>([
    ['a missing list', undefined, 'session_id_hashes: INVALID_FORMAT'],
    ['text', 'A', 'session_id_hashes: INVALID_FORMAT'],
    ['101 hashes', Array.from({ length: 101 }, () => 'A'), 'session_id_hashes: INVALID_FORMAT'],
    ['a number among them', ['A', 1], 'session_id_hashes.1: INVALID_FORMAT'],
  ])('%s is rejected before a factor is consumed', async (_what, hashes, fault) => {
    const alice = await person(service, 'alice');
    expectInvalid(await end(alice, hashes, { password: 'not the password' }), fault);
  });

  test('terminating needs sudo, and issues a proof to an account with a factor', async () => {
    const alice = await person(service, 'alice');
    const hashes = (await list(alice)).map(({ id_hash }) => id_hash);
    expectApiError(await end(alice, hashes, {}), 'SUDO_MODE_REQUIRED', {
      has_mfa: false,
      methods: { totp: false, webauthn: false, backup_codes: false },
    });
    expectInvalid(await end(alice, hashes, { password: 'not the password' }), 'password: INVALID_PASSWORD');
    expect(await list(alice)).toHaveLength(1);
    const { authenticator } = await withTotp(service, alice);
    expect(await sudoProof(service, alice, authenticator)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  test('listing and terminating are allowed for accounts with an outstanding requirement', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [alice.id]);
    expect(await list(alice)).toHaveLength(1);
    expect((await end(alice, [])).status).toBe(204);
  });
});

describe('auth 4.6 logout', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  test('revokes only the calling session; repeating it is 401', async () => {
    const alice = await person(service, 'alice');
    const second = await signIn(service, alice);
    const { status, text } = await service.as(second).post('/v1/auth/logout');
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expectApiError(await service.as(second).post('/v1/auth/logout'), 'UNAUTHORIZED');
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
  });

  test('is allowed for accounts with an outstanding requirement', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [alice.id]);
    expect((await service.as(alice).post('/v1/auth/logout')).status).toBe(204);
  });

  test('a bot token gets 204 and revokes nothing, an access token is rejected', async () => {
    const { bot, bearer } = await createCredentialSet(service);
    for (let n = 0; n < 2; n++) expect((await service.as(bot).post('/v1/auth/logout')).status).toBe(204);
    expectApiError(await service.as(bearer).post('/v1/auth/logout'), 'ACCESS_DENIED');
  });

  test('32 parallel logouts of one session all get 204 or 401, and the session is ended', async () => {
    const alice = await person(service, 'alice');
    const { responses } = await race(32, () => service.as(alice).post('/v1/auth/logout'));
    expect(responses.every(({ status }) => status === 204 || status === 401)).toBe(true);
    expectApiError(await service.as(alice).get('/v1/users/@me'), 'UNAUTHORIZED');
  });
});
