import { AdminApplication } from '../../src/accounts/grants/admin-application.service.js';
import { Grants } from '../../src/accounts/grants/grants.service.js';
import { Database, type Tx } from '../../src/platform/database/database.js';
import { runCleanup } from '../support/cleanup.js';
import {
  type App,
  asApp,
  clients,
  consent,
  exchange,
  expectApiError,
  type Gatehouse,
  gatehouse,
  isTokenActive,
  newCode,
  newTokens,
  type Persona,
  parametersOf,
  person,
  refresh,
} from '../support/index.js';

let service: Gatehouse;
let app: App;
let stranger: App;
let publicApp: App;
let adminId: string;
beforeAll(async () => {
  service = await gatehouse();
  ({ app, stranger, publicApp } = await clients(service));
  adminId = service.app.get(AdminApplication).id;
});
afterAll(() => service.close());

const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => service.app.get(Database).transaction(work);
const grants = () => service.app.get(Grants);
const ENDING = { by: 'service', reason: 'account_removed' } as const;

/** Data of an account's security events. For a removal: the application, who removed it, and why. */
const toldOf = async ({ id }: Persona, type: string) =>
  (
    await service.sql('SELECT data FROM security_event WHERE account_id = $1 AND type = $2 ORDER BY id', [id, type])
  ).map(({ data }) => data);
const removed = async (who: Persona) =>
  (await toldOf(who, 'application_removed')).map(
    ({ application_id, by, reason }) => `${application_id} ${by} ${reason}`,
  );

const newAdminFamily = ({ id }: Persona) =>
  service.sql(
    `INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
     VALUES ($1::bigint, $2, $1, '{identify}', sha256(convert_to($1::text, 'UTF8')))`,
    [id, adminId],
  );
const newAdminCode = ({ id }: Persona, digest = id) =>
  service.sql(
    `INSERT INTO oauth_code (digest, application_id, account_id, redirect_uri, scopes, consented, announced, expires_at)
     VALUES (sha256(convert_to($1::text, 'UTF8')), $2, $3, 'x', '{identify}', true, false, now() + interval '1 minute')`,
    [digest, adminId, id],
  );
/** IDs of the applications that have a grant or a code for an account. */
const heldOf = async ({ id }: Persona) => {
  const rows = await service.sql(
    `SELECT application_id AS id FROM oauth_family WHERE account_id = $1
     UNION SELECT application_id FROM oauth_code WHERE account_id = $1
     UNION SELECT application_id FROM oauth_bot_grant WHERE account_id = $1`,
    [id],
  );
  return rows.map((row) => row.id as string).toSorted();
};
const both = [() => app.id, () => stranger.id];
const idsOf = (...ids: (() => string)[]) => ids.map((id) => id()).toSorted();

describe('oauth.md 3.4: revocation of a whole grant', () => {
  test('notifies the account with application, actor and reason; an account without a grant gets no notice', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    await newTokens(service, bob, app);
    const tokens = await newTokens(service, alice, app);
    expect((await asApp(service, app, '/v1/oauth2/token/revoke', { token: tokens.access_token })).status).toBe(200);
    const again = await newTokens(service, alice, app);
    const list = '/v1/oauth2/@me/authorizations';
    expect((await service.as(alice).delete(`${list}/${stranger.id}`)).status).toBe(204);
    expect((await service.as(alice).post(`${list}/revoke`, { application_ids: [app.id] })).status).toBe(204);
    expect(await isTokenActive(service, again.access_token)).toBe(false);
    expect(await toldOf(alice, 'application_removed')).toEqual([
      { application_id: app.id, name: 'Client', by: 'application', reason: 'token_revoked' },
      { application_id: app.id, name: 'Client', by: 'owner', reason: 'deauthorized' },
    ]);
    expect(await removed(bob)).toEqual([]);
  });

  test('all of an account are revoked together, including that of the Admin application, and no others', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    await newTokens(service, bob, app);
    await newAdminFamily(bob);
    await newTokens(service, alice, app);
    await newCode(service, alice, stranger);
    await consent(service, alice, publicApp, { scope: 'bot', redirect_uri: undefined });
    await newAdminFamily(alice);
    const all = idsOf(
      ...both,
      () => publicApp.id,
      () => adminId,
    );
    expect(await heldOf(alice)).toEqual(all);
    const taken = await inTransaction((tx) => grants().revokeAll(tx, alice.id, ENDING));
    expect(taken.toSorted()).toEqual(all);
    expect(await heldOf(alice)).toEqual([]);
    expect((await removed(alice)).toSorted()).toEqual(all.map((id) => `${id} service account_removed`));
    expect(await heldOf(bob)).toEqual(idsOf(both[0] as () => string, () => adminId));
    expect(await inTransaction((tx) => grants().revokeAll(tx, alice.id, ENDING))).toEqual([]);
    expect(await removed(alice)).toHaveLength(all.length);
  });

  test('locks only the grants of its account', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    /** Returns the advisory locks that a separate transaction holds after it ran `take` for an account. */
    const locksOf = ({ id }: Persona, take: (tx: Tx, id: string) => Promise<unknown>) =>
      inTransaction(async (tx) => {
        await take(tx, id);
        return tx.query(
          "SELECT classid, objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted",
        );
      });
    const held = await locksOf(alice, (tx, id) => grants().lockGrants(tx, id));
    expect(held).toHaveLength(1);
    expect(await locksOf(alice, (tx, id) => grants().revoke(tx, id, [app.id], ENDING))).toEqual(held);
    expect(await locksOf(bob, (tx, id) => grants().lockGrants(tx, id))).not.toEqual(held);
  });

  test('that of the Admin application is revoked alone with the sessions of accounts that have one', async () => {
    const people: Persona[] = [];
    for (const name of ['family', 'code', 'none', 'other']) people.push(await person(service, name));
    const [family, code, none, other] = people as [Persona, Persona, Persona, Persona];
    for (const one of people) await newTokens(service, one, app);
    await newAdminFamily(family);
    await newAdminCode(code);
    await newAdminFamily(other);
    await inTransaction((tx) => grants().revokeAdminGrants(tx, [family.id, code.id, none.id], ENDING));
    for (const one of [family, code, none]) expect(await heldOf(one)).toEqual([app.id]);
    expect(await heldOf(other)).toEqual(idsOf(both[0] as () => string, () => adminId));
    const reported = [`${adminId} service account_removed`];
    expect([await removed(family), await removed(code), await removed(none), await removed(other)]).toEqual([
      ...[reported, reported, [], []],
    ]);
    await inTransaction((tx) => grants().revokeAdminGrant(tx, other.id, ENDING));
    expect(await heldOf(other)).toEqual([app.id]);
  });
});

describe('oauth.md 3: cleanup of expired rows', () => {
  const expire = (table: string, condition: string) =>
    service.sql(`UPDATE ${table} SET expires_at = now() - interval '1 second' WHERE ${condition}`);

  test('deletes codes and tokens separately, and a family with its last token', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    const code = await newCode(service, bob, app);
    await newCode(service, alice, stranger);
    await newTokens(service, alice, app);
    const kept = await newTokens(service, bob, app);
    await newAdminFamily(alice);
    await expire('oauth_code', `account_id = ${alice.id}`);
    await expire('oauth_token', `account_id = ${alice.id} OR account_id = ${bob.id} AND kind = 'access'`);
    service.log.length = 0;
    await runCleanup(service);
    // A family that never had a token did not lose its last one.
    expect(await heldOf(alice)).toEqual([adminId]);
    expect(await service.sql('SELECT 1 FROM oauth_token WHERE account_id = $1', [alice.id])).toEqual([]);
    expect(await service.sql('SELECT kind FROM oauth_token WHERE account_id = $1', [bob.id])).toEqual([
      { kind: 'refresh' },
    ]);
    for (const table of ['oauth_code', 'oauth_token']) {
      expect(service.log.filter((line) => line.includes(`"table":"${table}"`))).toHaveLength(1);
    }
    expect((await exchange(service, app, code)).status).toBe(200);
    expect((await refresh(service, app, kept.refresh_token)).status).toBe(200);
  });
});

describe('oauth.md 5.3 and 5.4: a consent', () => {
  const silently = (who: Persona, more: Record<string, string> = {}) =>
    service.as(who).get('/v1/oauth2/authorize', {
      query: { client_id: app.id, redirect_uri: app.redirectUri, scope: 'identify', prompt: 'none', ...more },
    });
  const codesOf = ({ id }: Persona) =>
    service.sql(
      `SELECT extract(epoch FROM expires_at - created_at)::int AS seconds, challenge, consented, announced
       FROM oauth_code WHERE account_id = $1`,
      [id],
    );

  test('notifies the account with the scopes; a silent authorization does not', async () => {
    const alice = await person(service, 'alice');
    await newTokens(service, alice, app, 'email identify');
    const reported = [{ application_id: app.id, name: 'Client', scopes: ['identify', 'email'] }];
    expect(await toldOf(alice, 'application_authorized')).toEqual(reported);
    expect(parametersOf((await silently(alice)).headers.get('location') ?? '')).toHaveProperty('code');
    expect(await toldOf(alice, 'application_authorized')).toEqual(reported);
  });

  test('returns a code for ten minutes, with or without a challenge', async () => {
    const alice = await person(service, 'alice');
    await newCode(service, alice, app);
    const bound = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
    await newCode(service, alice, app, bound);
    const terms = { seconds: 600, consented: true, announced: false };
    expect(await codesOf(alice)).toEqual(
      expect.arrayContaining([
        { ...terms, challenge: null },
        { ...terms, challenge: bound.code_challenge },
      ]),
    );
  });

  test('with an error is rejected with the field, and returns nothing', async () => {
    const alice = await person(service, 'alice');
    for (const [target, more, path] of [
      [app, { code_challenge: 'x' }, 'code_challenge'],
      [publicApp, {}, 'code_challenge'],
      [app, { redirect_uri: undefined, scope: 'nonsense' }, 'redirect_uri'],
      [app, { redirect_uri: undefined, scope: ' ' }, 'redirect_uri'],
      [app, { redirect_uri: undefined, scope: 'bot email' }, 'redirect_uri'],
    ] as const) {
      const response = await consent(service, alice, target, more);
      expectApiError(response, 'INVALID_REQUEST', { error: 'invalid_request' });
      expect(response.body.errors).toEqual([expect.objectContaining({ path })]);
    }
    expect(await heldOf(alice)).toEqual([]);
    expect(await toldOf(alice, 'application_authorized')).toEqual([]);
  });

  test('to the bot of a public client needs no challenge if it returns no code', async () => {
    const alice = await person(service, 'alice');
    const response = await consent(service, alice, publicApp, { scope: 'bot', redirect_uri: undefined });
    expect(response.status).toBe(200);
    expect(await heldOf(alice)).toEqual([publicApp.id]);
    expect(await codesOf(alice)).toEqual([]);
  });

  test('locks the row of the application', async () => {
    const alice = await person(service, 'alice');
    const lockedBy = async () => (await service.sql('SELECT xmax::text FROM application WHERE id = $1', [app.id]))[0];
    const before = await lockedBy();
    expect((await consent(service, alice, app, { decision: 'deny' })).status).toBe(200);
    expect(await lockedBy()).not.toEqual(before);
  });

  test('that cannot be looked up is INTERNAL_SERVER_ERROR, and does not request another consent', async () => {
    const alice = await person(service, 'alice');
    await newTokens(service, alice, app);
    await service.sql('ALTER TABLE oauth_code RENAME TO hidden');
    const response = await silently(alice).finally(() => service.sql('ALTER TABLE hidden RENAME TO oauth_code'));
    expectApiError(response, 'INTERNAL_SERVER_ERROR');
    expect(response.headers.has('location')).toBe(false);
    expect(await codesOf(alice)).toEqual([]);
  });
});
