import { FACTS } from '../../src/decisions/facts.js';
import { type Subject, Tags } from '../../src/decisions/tags.js';
import { Database } from '../../src/platform/database/database.js';
import { defineFeature } from '../../src/policy/feature.js';
import {
  type App,
  administrator,
  asApp,
  ban,
  basic,
  clients,
  exchange,
  type Gatehouse,
  gatehouse,
  newApp,
  newCode,
  newTokens,
  type Persona,
  person,
  race,
  refresh,
  signIn,
} from '../support/index.js';
import { RevocationClient } from '../support/revocations.js';

const text = { 'en-US': 'Read notes' };
const notes = defineFeature('notes', {
  scopes: { 'notes.read': text },
  servicePolicies: {
    'notes-any': { accepts: 'authenticated', scope: 'notes.read' },
    'notes-open': { accepts: 'public' },
  },
});

let service: Gatehouse;
let root: Persona;
let resource: App;
let app: App;
let stream: RevocationClient;
beforeAll(async () => {
  service = await gatehouse({ env: { OAUTH_REFRESH_REUSE_LEEWAY_SECONDS: '0' }, features: [notes] });
  root = await administrator(service, '*');
  const { alice } = await clients(service);
  resource = await newApp(service, alice);
  app = await newApp(service, alice);
  await allow(resource, ['notes-any', 'notes-open']);
  stream = await RevocationClient.open(service, resource);
});
afterAll(async () => {
  stream.close();
  await service.close();
});

const admin = () => service.as(root);
const allow = (client: App, policies: readonly string[]) =>
  admin().patch(`/v1/admin/applications/${client.id}`, { resource_policies: policies }).expect(200);
const decide = async (authorization: string, more: object = {}) =>
  (
    await service
      .as(basic(resource.id, resource.secret ?? ''))
      .post('/v1/decisions', { policy: 'notes-any', authorization, ...more })
      .expect(200)
  ).body;
const tagOf = (...subjects: Subject[]) => service.app.get(Tags).of(resource.id, subjects);

/** A credential with its account, its application and what issued it. */
interface Held {
  readonly who: Persona;
  readonly authorization: string;
  readonly app: App;
  readonly secret?: string;
}

const session = async (): Promise<Held> => {
  const who = await person(service, 'alice');
  return { who, app, authorization: await signIn(service, who) };
};
const token = async (): Promise<Held> => {
  const who = await person(service, 'bob');
  const tokens = await newTokens(service, who, app, 'notes.read');
  return { who, app, authorization: `Bearer ${tokens.access_token}`, secret: tokens.refresh_token };
};
const personal = async (): Promise<Held> => {
  const who = await person(service, 'carol');
  const input = { name: 'Script', password: who.password, scopes: ['notes.read'] };
  const { body } = await service.as(who).post('/v1/users/@me/access-tokens', input).expect(201);
  return { who, app, authorization: `Bearer ${body.token}`, secret: body.id };
};
const bot = async (): Promise<Held> => {
  const who = await person(service, 'owner');
  const own = await newApp(service, who);
  return { who, app: own, authorization: own.bot };
};
const withPassword = ({ who }: Held, more: object = {}) => ({ password: who.password, ...more });
const user = ({ who }: Held) => service.as(who);
const target = (path: string) => `/v1/admin/users/${path}`;

const MAKE = { session, token, personal, bot };
type Kind = keyof typeof MAKE;

/** Every way to end or narrow a credential, with the kinds that it ends (oauth.md 3.4, credentials.md 7). */
const WAYS: readonly (readonly [name: string, kinds: readonly Kind[], end: (held: Held) => PromiseLike<unknown>])[] = [
  ['logout', ['session'], ({ authorization }) => service.as(authorization).post('/v1/auth/logout').expect(204)],
  [
    'an administrator ends the sessions',
    ['session'],
    ({ who }) =>
      admin()
        .delete(target(`${who.id}/sessions`))
        .expect(200),
  ],
  [
    'a password change',
    ['session'],
    (held) =>
      user(held)
        .patch('/v1/users/@me', withPassword(held, { new_password: 'another horse battery 7' }))
        .expect(200),
  ],
  [
    'disabling the account',
    ['session', 'token', 'personal'],
    (held) => user(held).post('/v1/users/@me/disable', withPassword(held)).expect(204),
  ],
  [
    'deleting the account',
    ['session', 'token', 'personal'],
    (held) => user(held).post('/v1/users/@me/delete', withPassword(held)).expect(204),
  ],
  ['lockdown', ['session', 'personal'], (held) => user(held).post('/v1/users/@me/lockdown', withPassword(held))],
  [
    'a ban',
    ['session', 'token', 'personal'],
    ({ who }) =>
      admin()
        .put(target(`${who.id}/ban`), { duration_hours: 1 })
        .expect(200),
  ],
  [
    'a ban of the bot',
    ['bot'],
    ({ app: { id } }) =>
      admin()
        .put(target(`${id}/ban`), { duration_hours: 1 })
        .expect(200),
  ],
  [
    'a scheduled deletion',
    ['session', 'token', 'personal'],
    ({ who }) =>
      admin()
        .put(target(`${who.id}/deletion`), { reason_code: 2 })
        .expect(200),
  ],
  [
    'suspicious activity',
    ['session', 'token', 'personal'],
    ({ who }) =>
      admin()
        .put(target(`${who.id}/suspicious-activity-disablement`), { flags: 1 })
        .expect(200),
  ],
  [
    'a flag of suspicious activity',
    ['session', 'token', 'personal'],
    ({ who }) =>
      admin()
        .put(target(`${who.id}/suspicious-activity-flags`), { flags: 0b1000 })
        .expect(200),
  ],
  [
    'revocation of the token',
    ['token'],
    ({ secret = '' }) => asApp(service, app, '/v1/oauth2/token/revoke', { token: secret }),
  ],
  ['deauthorization', ['token'], (held) => user(held).delete(`/v1/oauth2/@me/authorizations/${app.id}`).expect(204)],
  [
    'reuse of a refresh token',
    ['token'],
    async ({ secret = '' }) => {
      await refresh(service, app, secret);
      await refresh(service, app, secret);
    },
  ],
  [
    'deletion of a personal access token',
    ['personal'],
    (held) => user(held).delete(`/v1/users/@me/access-tokens/${held.secret}`).expect(204),
  ],
  [
    'an administrator deletes a personal access token',
    ['personal'],
    ({ who, secret }) => admin().delete(target(`${who.id}/access-tokens/${secret}`)),
  ],
  [
    'a reset of the bot token',
    ['bot'],
    (held) => user(held).post(`/v1/oauth2/applications/${held.app.id}/bot/reset-token`, withPassword(held)).expect(200),
  ],
  [
    'deletion of one bot token',
    ['bot'],
    async (held) => {
      const path = `/v1/oauth2/applications/${held.app.id}/bot/tokens`;
      await user(held)
        .post(path, withPassword(held, { name: 'Second' }))
        .expect(201);
      const { tokens } = (await user(held).get(path).expect(200)).body;
      await user(held).delete(`${path}/${tokens[0].id}`, withPassword(held)).expect(204);
    },
  ],
  [
    'deletion of the application',
    ['bot'],
    (held) => user(held).delete(`/v1/oauth2/applications/${held.app.id}`, withPassword(held)).expect(204),
  ],
];

const CASES = WAYS.flatMap(([name, kinds, end]) => kinds.map((kind) => [name, kind, end] as const));

describe('forward-auth.md 3: every way to end or narrow a credential', () => {
  test.each(CASES)('%s: a tag of the %s is revoked, and the next decision rejects it', async (_name, kind, end) => {
    const held = await MAKE[kind]();
    const before = await decide(held.authorization);
    expect(before).toMatchObject({ admitted: true });
    const from = stream.events.length;
    await end(held);
    await stream.revoked(before.tags, from);
    expect(await decide(held.authorization)).toMatchObject({ admitted: false, expires_in: 0 });
  });

  test('deletion of the application ends its tokens, and a replay of the code its family', async () => {
    const who = await person(service, 'dave');
    const own = await newApp(service, who);
    const first = await newTokens(service, who, own, 'notes.read');
    const before = await decide(`Bearer ${first.access_token}`);
    const from = stream.events.length;
    await service.as(who).delete(`/v1/oauth2/applications/${own.id}`, { password: who.password }).expect(204);
    await stream.revoked(before.tags, from);
    const code = await newCode(service, who, app, { scope: 'notes.read' });
    const { access_token } = (await exchange(service, app, code)).body;
    const second = await decide(`Bearer ${access_token}`);
    const next = stream.events.length;
    expect((await exchange(service, app, code)).status).toBe(400);
    await stream.revoked(second.tags, next);
    expect(await decide(`Bearer ${access_token}`)).toMatchObject({ status: 401 });
  });

  test('a password change rotates the own session', async () => {
    const held = await session();
    const before = await decide(held.authorization);
    const from = stream.events.length;
    const body = withPassword(held, { new_password: 'another horse battery 7' });
    await service.as(held.authorization).patch('/v1/users/@me', body).expect(200);
    await stream.revoked(before.tags, from);
    expect(await decide(held.authorization)).toMatchObject({ status: 401 });
  });

  test('a new username is announced, because a decision names it', async () => {
    const { who, authorization } = await session();
    const before = await decide(authorization);
    const from = stream.events.length;
    await service.as(who).patch('/v1/users/@me', { username: 'renamed', password: who.password }).expect(200);
    await stream.revoked(before.tags, from);
    expect((await decide(authorization)).identity.username).toMatch(/^renamed#/);
  });

  test('a ban of an IP address or network revokes the decisions for it', async () => {
    const { authorization } = await session();
    for (const [address, value] of [
      ['203.0.113.20', '203.0.113.20'],
      ['2001:db8:1:2::9', '2001:db8:1:2::9'],
      ['198.51.100.9', '198.51.100.0/24'],
    ] as const) {
      const before = await decide(authorization, { address });
      expect(before).toMatchObject({ admitted: true });
      const from = stream.events.length;
      await ban(service, value, 3600);
      await stream.revoked(before.tags, from);
      expect(await decide(authorization, { address })).toMatchObject({ status: 403 });
    }
  });
});

/** Another value of a column, in SQL. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  acls: `'{user:lookup}'`,
  banned: 'NOT banned',
  banned_until: `now() + interval '1 day'`,
  client_type: `CASE client_type WHEN 'public' THEN 'confidential' ELSE 'public' END`,
  deleted_at: 'now()',
  digest: `sha256('other')`,
  discriminator: '9998 - discriminator',
  email: `'other@example.com'`,
  email_bounced: 'NOT email_bounced',
  email_verified: 'NOT email_verified',
  epoch: 'epoch + 1',
  expires_at: `now() + interval '1 minute'`,
  flags: 'flags | 1',
  has_verified_phone: 'NOT has_verified_phone',
  networks: `'{198.51.100.0/24}'`,
  resource_policies: `'{}'`,
  scopes: `'{}'`,
  secret_digest: `sha256('other')`,
  suspicious_flags: '4',
  traits: `'{other}'`,
  username: `'other'`,
};

describe('forward-auth.md 3: a trigger announces each column', () => {
  const columns = Object.entries(FACTS).flatMap(([table, declared]) =>
    Object.entries(declared).flatMap(([column, by]) => (by === 'trigger' ? [[table, column] as const] : [])),
  );
  const SUBJECTS: Readonly<Record<string, (id: string) => Subject>> = {
    account: (id) => `account:${id}`,
    oauth_token: (id) => `credential:${id}`,
    personal_token: (id) => `credential:${id}`,
  };

  test.each(columns.filter(([table]) => table !== 'application'))('%s.%s', async (table, column) => {
    const { who } = await (table === 'personal_token' ? personal() : token());
    const owner = table === 'account' ? 'id' : 'account_id';
    const rows =
      table === 'personal_token'
        ? 'SELECT max(p.id) AS id FROM personal_token p JOIN oauth_token t USING (id) WHERE t.account_id = $1'
        : `SELECT max(id) AS id FROM ${table} WHERE ${owner} = $1 ${table === 'account' ? '' : "AND kind = 'access'"}`;
    const [{ id }] = (await service.sql(rows, [who.id])) as [{ id: string }];
    const tags = tagOf(SUBJECTS[table]?.(id) as Subject);
    const from = stream.events.length;
    await service.sql(`UPDATE ${table} SET ${column} = ${OTHER_VALUES[column]} WHERE id = $1`, [id]);
    await stream.revoked(tags, from);
  });

  test('and the deletion of each row that is still valid', async () => {
    const { who } = await token();
    await signIn(service, who);
    const [{ id }] = (await service.sql('SELECT max(id) AS id FROM session WHERE account_id = $1', [who.id])) as [
      { id: string },
    ];
    let from = stream.events.length;
    await service.sql('DELETE FROM session WHERE id = $1', [id]);
    await stream.revoked(tagOf(`credential:${id}`), from);
    const [{ family }] = (await service.sql('SELECT id AS family FROM oauth_family WHERE account_id = $1', [
      who.id,
    ])) as [{ family: string }];
    from = stream.events.length;
    await service.sql('DELETE FROM account WHERE id = $1', [who.id]);
    await stream.revoked(tagOf(`account:${who.id}`), from);
    await stream.revoked(tagOf(`family:${family}`), from);
  });

  test('in the transaction that revokes: nothing is announced if it is rolled back', async () => {
    const { who, authorization } = await session();
    const before = await decide(authorization);
    const from = stream.events.length;
    const rolledBack = service.app.get(Database).transaction(async (tx) => {
      await tx.query('UPDATE account SET banned = true WHERE id = $1', [who.id]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await stream.next('alive', stream.events.length + 1);
    const tags = stream.events.slice(from).flatMap(({ data }) => data.tags ?? []);
    expect(tags.filter((tag) => before.tags.includes(tag))).toEqual([]);
  });
});

test('forward-auth.md 3: a race of 32 revocations and decisions: none admits after the first response', async () => {
  const held = await session();
  const before = await decide(held.authorization);
  const from = stream.events.length;
  let isEnded = false;
  const late: boolean[] = [];
  await race(32, async (n) => {
    if (n % 2 === 0) {
      const response = await service.as(held.authorization).post('/v1/auth/logout');
      isEnded = true;
      return response;
    }
    const isLate = isEnded;
    const input = { policy: 'notes-any', authorization: held.authorization };
    const response = await service.as(basic(resource.id, resource.secret ?? '')).post('/v1/decisions', input);
    if (isLate) late.push(response.body.admitted);
    return response;
  });
  expect(late).not.toContain(true);
  await stream.revoked(before.tags, from);
  expect(await decide(held.authorization)).toMatchObject({ admitted: false });
});
