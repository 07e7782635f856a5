import { Database } from '../../src/platform/database/database.js';
import { testOnPostgres } from '../machine/postgres.js';
import { administrator, superuser } from '../support/admin.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  passkeyAsSecondFactor,
  person,
  withPasskey,
  withTotp,
} from '../support/index.js';
import { recordStatements } from '../support/plans.js';

const USERS = '/v1/admin/users';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
});
afterAll(() => service.close());

/** Accounts of this day exist only in this test. */
const DAY = '2001-02-03';
const at = (time: string) => `${DAY}T${time}Z`;
const RANGE = { created_from: at('00:00:00.000'), created_to: at('23:59:59.999') };

interface Member {
  readonly name: string;
  readonly sql?: string;
}

/** Inserts accounts, each one minute after the one before it. Their IDs start at `first`. */
async function insert(first: number, members: readonly Member[]): Promise<void> {
  for (const [index, { name, sql }] of members.entries()) {
    await service.sql(
      `INSERT INTO account (id, username, discriminator, email, created_at) VALUES ($1, $2, 1, $3, $4)`,
      [String(first + index), name, `${name}@list.example`, `${DAY}T10:${String(index).padStart(2, '0')}:00Z`],
    );
    if (sql) await service.sql(`UPDATE account SET ${sql} WHERE id = $1`, [String(first + index)]);
  }
}

const get = (query: Record<string, string>, as: Persona = root) => service.as(as).get(USERS, { query });

/** Usernames that a query finds, in order. The total must match. */
async function found(query: Record<string, string>): Promise<string[]> {
  const { status, body } = await get(query);
  expect({ status, query, body: status === 200 ? undefined : body }).toEqual({ status: 200, query, body: undefined });
  expect(body).toMatchObject({ total: body.users.length, truncated: false, next_cursor: null });
  return body.users.map(({ username }: { username: string }) => username);
}

/** Walks a list by its cursors. */
async function walked(query: Record<string, string>): Promise<{ names: string[]; totals: number[] }> {
  const names: string[] = [];
  const totals: number[] = [];
  let cursor: string | null = null;
  do {
    const { body, status } = await get(cursor === null ? query : { ...query, cursor });
    expect(status).toBe(200);
    names.push(...body.users.map(({ username }: { username: string }) => username));
    totals.push(body.total);
    cursor = body.next_cursor;
  } while (cursor !== null);
  return { names, totals };
}

describe('admin.md, list of GET /users', () => {
  beforeAll(() =>
    insert(1000, [
      { name: 'active' },
      { name: 'disabled', sql: `flags = ${1n << 38n}` },
      { name: 'flagged', sql: `flags = ${1n << 35n}` },
      { name: 'banned', sql: 'banned = true' },
      { name: 'suspended', sql: "banned = true, banned_until = now() + interval '1 hour'" },
      { name: 'served', sql: "banned = true, banned_until = now() - interval '1 hour'" },
      { name: 'pending', sql: "traits = '{registration_pending_approval}'" },
      { name: 'leaving', sql: "deletion_at = now() + interval '1 day'" },
      { name: 'locked', sql: "traits = '{locked_down}'" },
      { name: 'erased', sql: "deleted_at = now(), deletion_at = now(), banned = true, traits = '{locked_down}'" },
    ]),
  );
  afterAll(() => service.sql('DELETE FROM account WHERE id < 2000'));

  test.each([
    ['active', ['served', 'active']],
    ['disabled', ['flagged', 'disabled']],
    ['suspended', ['suspended', 'banned']],
    ['pending_approval', ['pending']],
    ['deletion_scheduled', ['leaving']],
    ['locked', ['locked']],
  ])('state %s', async (state, names) => {
    expect(await found({ ...RANGE, state })).toEqual(names);
    expect(await found({ ...RANGE, state, sort: 'username' })).toEqual([...names].sort());
  });

  test('the creation time is compared to the millisecond, and both ends are included', async () => {
    expect(await found({ created_from: at('10:08:00.000'), created_to: at('10:09:00.000') })).toEqual([
      'erased',
      'locked',
    ]);
    expect(await found({ created_from: at('10:08:00.001'), created_to: at('10:08:59.999') })).toEqual([]);
    expect(await found({ created_to: at('10:00:00Z').slice(0, -1) })).toEqual(['active']);
    expect(await found({ created_from: '9999-12-31T23:59:59Z' })).toEqual([]);
    expect(await found({ created_from: '0000-01-01T00:00:00Z', created_to: '0001-01-01T00:00:00Z' })).toEqual([]);
  });

  test('last seen: never is last, and is in no range', async () => {
    await service.sql("UPDATE account SET last_active_at = '2001-03-01T00:00:00.0005Z' WHERE id = 1001");
    await service.sql("UPDATE account SET last_active_at = '2001-03-02' WHERE id = 1000");
    const range = { last_seen_from: '2001-03-01T00:00:00.000Z', last_seen_to: '2001-03-02T00:00:00Z' };
    expect(await found(range)).toEqual(['disabled', 'active']);
    expect(await found({ ...range, sort: 'last_seen' })).toEqual(['active', 'disabled']);
    expect(await found({ last_seen_to: '2001-03-01T00:00:00.000Z' })).toEqual(['disabled']);
    expect(await found({ ...RANGE, last_seen_to: '2001-03-01T12:00:00Z', state: 'disabled' })).toEqual(['disabled']);
    const seen = await found({ ...RANGE, sort: 'last_seen' });
    expect(seen.slice(0, 3)).toEqual(['active', 'disabled', 'erased']);
    expect(await found({ ...RANGE, sort: 'last_seen', order: 'asc' })).toEqual([...seen].reverse());
  });

  test('email_verified', async () => {
    await service.sql('UPDATE account SET email_verified = true WHERE id = 1003');
    expect(await found({ ...RANGE, email_verified: 'true' })).toEqual(['banned']);
    expect(await found({ ...RANGE, email_verified: 'false', state: 'suspended' })).toEqual(['suspended']);
  });

  test('second_factor: an authenticator app, or passkeys that are enabled as second factor', async () => {
    const [app, key, none] = [
      await person(service, 'app'),
      await person(service, 'key'),
      await person(service, 'none'),
    ];
    await withTotp(service, app);
    await withPasskey(service, none);
    const { authenticator } = await withTotp(service, key);
    const proof = { mfa_method: 'totp', mfa_code: authenticator.next() };
    await passkeyAsSecondFactor(service, key, await withPasskey(service, key, undefined, proof));
    await service.sql('UPDATE account SET totp_secret = NULL WHERE id = $1', [key.id]);
    expect((await walked({ second_factor: 'true', sort: 'username' })).names).toEqual(['app', 'key']);
    expect(await found({ second_factor: 'true', q: 'no' })).toEqual([]);
    expect(await found({ second_factor: 'false', q: 'none' })).toEqual(['none']);
    expect(await found({ second_factor: 'false', q: 'key' })).toEqual([]);
  });

  test('has_acls: accounts with at least one ACL, however they got it', async () => {
    await service.sql("UPDATE account SET acls = '{user:lookup}' WHERE id = 1003");
    expect(await found({ ...RANGE, has_acls: 'true' })).toEqual(['banned']);
    expect(await found({ ...RANGE, has_acls: 'true', state: 'active' })).toEqual([]);
    expect(await found({ ...RANGE, has_acls: 'false', state: 'suspended' })).toEqual(['suspended']);
    await service.sql("UPDATE account SET acls = '{}' WHERE id = 1003");
    expect(await found({ ...RANGE, has_acls: 'true' })).toEqual([]);
  });

  test('provider: `sso`, or a connection that no account uses', async () => {
    for (const issuer of ['https://one.example', 'https://two.example'])
      await service.sql('INSERT INTO sso_identity (issuer, subject, account_id) VALUES ($1, $2, 1004)', [issuer, 's']);
    expect(await found({ provider: 'sso' })).toEqual(['suspended']);
    expect(await found({ provider: 'sso', state: 'suspended', ...RANGE, sort: 'username' })).toEqual(['suspended']);
    expect(await found({ provider: 'sso', state: 'active' })).toEqual([]);
    expect(await found({ provider: 'github' })).toEqual([]);
  });

  test('q is a prefix of the username or display name, whatever its case, and no pattern', async () => {
    await service.sql("UPDATE account SET global_name = 'Élodie 100%' WHERE id = 1000");
    expect(await found({ q: 'BAN' })).toEqual(['banned']);
    expect(await found({ q: 'élodie 1' })).toEqual(['active']);
    expect(await found({ q: 'odie' })).toEqual([]);
    for (const q of ['%%', '__', 'b%', 'b_nned', "b'--"]) expect(await found({ q })).toEqual([]);
    expect(await found({ q: 'banned', state: 'active' })).toEqual([]);
  });

  test('q finds email addresses only with user:update:email', async () => {
    const clerk = await administrator(service, 'user:lookup', 'user:view:email');
    const mailer = await administrator(service, 'user:lookup', 'user:update:email');
    expect((await get({ q: 'suspended@list' }, clerk)).body).toMatchObject({ users: [], total: 0 });
    const { body } = await get({ q: 'suspended@LIST' }, mailer);
    expect(body).toMatchObject({ users: [{ username: 'suspended', email: null }], total: 1 });
  });

  test('email_verified needs user:view:email, which shows it', async () => {
    const clerk = await administrator(service, 'user:lookup');
    expectApiError(await get({ email_verified: 'true' }, clerk), 'MISSING_ACL');
    expect((await get({ state: 'suspended' }, clerk)).status).toBe(200);
  });

  test('filters combine with each other, and not with a selector or an offset', async () => {
    const all = {
      ...RANGE,
      state: 'suspended',
      email_verified: 'false',
      second_factor: 'false',
      has_acls: 'false',
      provider: 'sso',
    };
    expect(await found({ ...all, q: 'susp', sort: 'last_seen', order: 'asc', limit: '1' })).toEqual(['suspended']);
    for (const [name, value] of Object.entries({ ...all, q: 'susp', sort: 'created', order: 'asc', cursor: 'x' })) {
      for (const selector of ['user_id', 'resolve'])
        expectInvalid(await get({ [selector]: '1', [name]: value }), 'root: INVALID_FORMAT');
      expectInvalid(await get({ [name]: value, offset: '0' }), 'root: INVALID_FORMAT');
    }
  });

  test('a selector has no next page', async () => {
    expect((await get({ user_id: '1000' })).body).toMatchObject({ total: 1, next_cursor: null, truncated: false });
    expect((await get({ offset: '1' })).body).toMatchObject({ next_cursor: null, truncated: false });
  });

  test('invalid values', async () => {
    const invalid: [Record<string, string>, string][] = [
      [{ state: 'gone' }, 'state: INVALID_FORMAT'],
      [{ email_verified: '1' }, 'email_verified: INVALID_FORMAT'],
      [{ second_factor: '' }, 'second_factor: INVALID_FORMAT'],
      [{ has_acls: 'user:lookup' }, 'has_acls: INVALID_FORMAT'],
      [{ provider: 'SSO' }, 'provider: INVALID_FORMAT'],
      [{ provider: 'x'.repeat(33) }, 'provider: INVALID_FORMAT'],
      [{ created_from: 'yesterday' }, 'created_from: INVALID_FORMAT'],
      [{ created_to: '2001-02-30T00:00:00Z' }, 'created_to: INVALID_FORMAT'],
      [{ last_seen_from: '2001' }, 'last_seen_from: INVALID_FORMAT'],
      [{ last_seen_to: '' }, 'last_seen_to: INVALID_FORMAT'],
      [{ q: 'x' }, 'q: INVALID_FORMAT'],
      [{ q: 'x'.repeat(65) }, 'q: CONTENT_EXCEEDS_MAX_LENGTH'],
      [{ sort: 'email' }, 'sort: INVALID_FORMAT'],
      [{ order: 'up' }, 'order: INVALID_FORMAT'],
      [{ sort: 'created', limit: '101' }, 'limit: INVALID_FORMAT'],
      [{ sort: 'created', limit: '0' }, 'limit: INVALID_FORMAT'],
    ];
    for (const [query, fault] of invalid) expectInvalid(await get(query), fault);
    expect((await get({ q: 'x'.repeat(64), limit: '100' })).status).toBe(200);
    expect((await get({ limit: '200' })).status).toBe(200);
  });

  test('a cursor of another order, or one that no response contained', async () => {
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { next_cursor: cursor } = (await get({ sort: 'username', limit: '1' })).body;
    expect((await get({ sort: 'username', cursor })).status).toBe(200);
    expect((await get({ sort: 'last_seen', cursor: encoded(['last_seen', 'desc', null, '1']) })).status).toBe(200);
    const bad = [
      ...['x', 'bnVsbA', encoded({}), encoded([]), encoded(['created', 'desc', '1']), encoded(1)],
      ...[encoded(['created', 'desc', null, '1']), encoded(['created', 'desc', '1', 1])],
      ...[encoded(['created', 'desc', 'now', '1']), encoded(['created', 'desc', '9'.repeat(17), '1'])],
      ...[encoded(['created', 'desc', '1', '9'.repeat(19)]), encoded(['created', 'desc', '1', '1 OR true'])],
    ];
    for (const wrong of bad) expectInvalid(await get({ cursor: wrong }), 'cursor: INVALID_FORMAT');
    for (const query of [{}, { sort: 'username', order: 'desc' }, { sort: 'last_seen' }] as Record<string, string>[])
      expectInvalid(await get({ ...query, cursor }), 'cursor: INVALID_FORMAT');
    for (const key of ['a\u0000', 'a'.repeat(129), 5])
      expectInvalid(
        await get({ sort: 'username', cursor: encoded(['username', 'asc', key, '1']) }),
        'cursor: INVALID_FORMAT',
      );
    for (const wrong of ['', 'a b', 'x'.repeat(1025)])
      expectInvalid(await get({ cursor: wrong }), 'cursor: INVALID_FORMAT');
  });
});

describe('cursors', () => {
  const NAMES = Array.from({ length: 12 }, (_, index) => `tie${String(index).padStart(2, '0')}`);
  beforeAll(async () => {
    await insert(
      3000,
      NAMES.map((name) => ({ name })),
    );
    await service.sql("UPDATE account SET created_at = '2001-02-03T10:00:00.123456Z' WHERE id BETWEEN 3002 AND 3009");
    await service.sql(
      "UPDATE account SET last_active_at = '2002-01-01T00:00:00.000001Z' WHERE id BETWEEN 3004 AND 3008",
    );
    await service.sql("UPDATE account SET username = 'Tied', discriminator = id - 3000 WHERE id BETWEEN 3005 AND 3010");
  });
  afterAll(() => service.sql('DELETE FROM account WHERE id BETWEEN 3000 AND 3011'));

  test.each([
    ...['created', 'last_seen', 'username'].flatMap((sort) => [
      ['asc', sort, { q: 'ti' }],
      ['desc', sort, RANGE],
      ['asc', sort, { ...RANGE, email_verified: 'false' }],
      ['desc', sort, { ...RANGE, q: 'ti', state: 'active' }],
    ]),
  ] as [string, string, Record<string, string>][])('walk over ties %s by %s with %j', async (order, sort, filters) => {
    const ids = async (limit: string) => {
      const all: string[] = [];
      let cursor: string | undefined;
      do {
        const { body } = await get({ ...filters, sort, order, limit, ...(cursor ? { cursor } : {}) });
        all.push(...body.users.map(({ id }: { id: string }) => id));
        expect(body.total).toBe(12);
        cursor = body.next_cursor ?? undefined;
      } while (cursor);
      return all;
    };
    const whole = await ids('100');
    expect(new Set(whole).size).toBe(12);
    for (const limit of ['1', '5', '12']) expect(await ids(limit)).toEqual(whole);
  });

  test('an account that is created during a walk by creation does not move others', async () => {
    const first = (await get({ sort: 'created', limit: '2' })).body;
    await person(service, 'late');
    const next = (await get({ sort: 'created', limit: '2', cursor: first.next_cursor })).body;
    const ids = [...first.users, ...next.users].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(next.users.map(({ username }: { username: string }) => username)).not.toContain('late');
  });

  test('the default order is newest first, and names from A to Z', async () => {
    const created = (await get({})).body;
    expect((await get({ sort: 'created', order: 'desc' })).body).toEqual(created);
    const named = (await get({ sort: 'username' })).body;
    expect((await get({ sort: 'username', order: 'asc' })).body).toEqual(named);
    expect(created.users[0].username).toBe('late');
  });

  test('the list writes no audit entry', async () => {
    const count = async () => (await service.as(root).get('/v1/admin/audit-logs')).body.total;
    const before = await count();
    await get({ q: 'ti', state: 'active' });
    expect(await count()).toBe(before);
  });
});

describe('more accounts than one search may read', () => {
  const MANY = 10_050;
  beforeAll(async () => {
    await service.sql(
      `INSERT INTO account (id, username, discriminator, email, created_at, email_verified, banned)
       SELECT n, 'crowd' || n, 1, 'crowd' || n || '@list.example', timestamptz '1999-01-01' + n * interval '1 second',
         n < 100010, true
       FROM generate_series(100001, 100000 + $1::int) n`,
      [MANY],
    );
    await service.sql('ANALYZE account');
  });
  afterAll(() => service.sql('DELETE FROM account WHERE id BETWEEN 100001 AND 200000'));

  const OLD = { created_to: '2000-01-01T00:00:00Z' };

  test('an order that an index has is counted completely', async () => {
    expect((await get(OLD)).body).toMatchObject({ total: MANY, truncated: false });
    const { body } = await get({ ...OLD, sort: 'created', limit: '100' });
    expect(body).toMatchObject({ total: MANY, truncated: false, next_cursor: expect.any(String) });
    expect(body.users[0].username).toBe(`crowd${100_000 + MANY}`);
  });

  test('a filter with too many accounts in its index reads 10,000 of them in the order of the list', async () => {
    for (const filter of [{ q: 'crowd' }, { state: 'suspended' }, { email_verified: 'false' }] as Record<
      string,
      string
    >[]) {
      const { body } = await get({ ...OLD, ...filter, limit: '2' });
      expect(body).toMatchObject({ total: 10_000, truncated: true, next_cursor: expect.any(String) });
      expect(body.users.map(({ id }: { id: string }) => Number(id))).toEqual([100_000 + MANY, 99_999 + MANY]);
    }
  });

  test('after 10,000 accounts without a match, the cursor continues behind them', async () => {
    const rare = { ...OLD, email_verified: 'true', limit: '5' };
    const { body: none } = await get(rare);
    expect(none).toMatchObject({ users: [], total: 0, truncated: true, next_cursor: expect.any(String) });
    const { body: some } = await get({ ...rare, cursor: none.next_cursor });
    const ids = (body: { users: { id: string }[] }) => body.users.map(({ id }) => Number(id));
    expect(ids(some)).toEqual([100_009, 100_008, 100_007, 100_006, 100_005]);
    const { body: rest } = await get({ ...rare, cursor: some.next_cursor });
    expect(ids(rest)).toEqual([100_004, 100_003, 100_002, 100_001]);
    expect(rest.next_cursor).toBeNull();
  });

  test('a second filter with few accounts makes the search complete', async () => {
    expect(await found({ ...OLD, state: 'suspended', email_verified: 'true', q: 'crowd100001' })).toEqual([
      'crowd100001',
    ]);
    const few = {
      state: 'suspended',
      q: 'crowd',
      created_from: '1999-01-02T03:46:41Z',
      created_to: '1999-01-02T03:46:42Z',
    };
    expect(await found({ ...few, sort: 'username' })).toEqual(['crowd100001', 'crowd100002']);
    expect((await get({ ...few, limit: '1' })).body).toMatchObject({ truncated: false, total: 2 });
  });
});

/** The number of accounts in the test of the plans: six times as many as one search may read. */
const PLATFORM = 60_000;

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const rowsOf = (node: Node): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

describe('plans on a platform with many accounts', () => {
  testOnPostgres('no list reads a whole table or more than 10,000 accounts, unless an index counts them', async () => {
    await service.sql(
      `INSERT INTO account (id, username, discriminator, global_name, email, email_verified, created_at, banned,
         last_active_at, traits, flags, deletion_at, passkey_second_factor, totp_secret)
       SELECT n, 'user' || n, 1, CASE WHEN n % 3 = 0 THEN 'User ' || n END, 'user' || n || '@crowd.example', n % 7 > 0,
         timestamptz '2010-01-01' + n * interval '1 minute', n % 11 = 0,
         CASE WHEN n % 5 > 0 THEN timestamptz '2020-01-01' + n * interval '1 second' END,
         CASE WHEN n % 13 = 0 THEN '{locked_down}'::text[] ELSE '{}' END, CASE WHEN n % 17 = 0 THEN 1::bigint << 38 ELSE 0 END,
         CASE WHEN n % 9000 = 0 THEN now() + interval '1 day' END, n % 19 = 0, CASE WHEN n % 2 = 0 THEN '\\x00'::bytea END
       FROM generate_series(1000001, 1000000 + $1::int) n`,
      [PLATFORM],
    );
    await service.sql(
      "INSERT INTO sso_identity (issuer, subject, account_id) SELECT 'https://idp.example', n, n FROM generate_series(1000001, 1050000) n",
    );
    await service.sql(
      `INSERT INTO passkey (id, account_id, name, public_key)
       SELECT 'key' || n, n, 'key', '' FROM generate_series(1000001, 1050000) n`,
    );
    await service.sql('ANALYZE account');
    await service.sql('ANALYZE sso_identity');
    await service.sql('ANALYZE passkey');

    const filters: Record<string, string>[] = [
      ...['active', 'disabled', 'suspended', 'pending_approval', 'deletion_scheduled', 'locked'].map((state) => ({
        state,
      })),
      ...[{ email_verified: 'false' }, { second_factor: 'true' }, { second_factor: 'false' }, { provider: 'sso' }],
      ...[{ last_seen_from: '2020-01-02T00:00:00Z' }, { created_from: '2010-02-01T00:00:00Z' }, { q: 'user' }],
      ...[
        { q: 'user10000' },
        { state: 'suspended', q: 'user1', provider: 'sso' },
        { q: 'user', created_to: '2010-01-02T00:00:00Z' },
      ],
      {
        state: 'active',
        email_verified: 'true',
        second_factor: 'false',
        provider: 'sso',
        q: 'user',
        last_seen_to: '2030-01-01T00:00:00Z',
      },
    ];
    for (const sort of ['created', 'last_seen', 'username']) {
      for (const filter of filters) {
        const recorder = recordStatements();
        const first = await get({ ...filter, sort, limit: '20' });
        const { next_cursor: cursor } = first.body;
        if (cursor) await get({ ...filter, sort, limit: '20', cursor });
        recorder.stop();
        const sent = [...recorder.sent.values()].filter(
          ({ text }) => / LIMIT (?:\d+)/.test(text) && text.includes('account a'),
        );
        const isCounted = Object.keys(filter).length === 1 && `${sort}_from` in filter;
        expect(sent.length).toBeGreaterThan(1);
        for (const { text, values } of sent) {
          const plan = await explained(text, values);
          const read = nodesOf(plan)
            .filter((node) => node['Relation Name'] === 'account')
            .map(rowsOf);
          const types = nodesOf(plan).map((node) => node['Node Type']);
          const found = { filter, sort, text, types };
          expect({ ...found, types: types.filter((type) => /Seq|Bitmap/.test(type)) }).toEqual({ ...found, types: [] });
          // Candidates come from an index, then each of them is read once.
          const isBounded = isCounted || read.every((rows) => rows <= 10_001);
          expect({ ...found, read, isBounded }).toEqual({ ...found, read, isBounded: true });
        }
      }
    }
  });

  async function explained(text: string, values: readonly unknown[]): Promise<Node> {
    return service.app.get(Database).transaction(async (tx) => {
      await tx.query("SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)");
      const [row] = await tx.query<[{ 'QUERY PLAN': [{ Plan: Node }] }]>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [
        ...values,
      ]);
      return row['QUERY PLAN'][0].Plan;
    });
  }
});
