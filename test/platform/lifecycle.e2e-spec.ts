import { LifecycleEvents } from '../../src/accounts/events/lifecycle-events.service.js';
import { Database, defineFeature, GatewayEvents, type LifecycleDeclarations, SecurityEvents } from '../../src/index.js';
import { LIFECYCLE_TYPES } from '../../src/policy/lifecycle.js';
import { InLedger, ledger } from '../fixtures/ledger/ledger.js';
import {
  changeEmail,
  eraseAccount,
  expectApiError,
  type Gatehouse,
  gatehouse,
  logIn,
  newApp,
  newTokens,
  person,
  race,
  runJobs,
  sessionsOf,
  signIn,
  superuser,
  verifyEmail,
} from '../support/index.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ features: [ledger] });
});
afterAll(() => service.close());

const entries = async (written: 'in' | 'after', id: string) =>
  (
    await service.sql(`SELECT event FROM ledger_entry WHERE written = $1 AND event->>'account_id' = $2 ORDER BY id`, [
      written,
      id,
    ])
  ).map(({ event }) => event as { type: string } & Record<string, unknown>);
const subscriber = () => service.app.get(InLedger, { strict: false });
const register = (email: string) =>
  service.anonymous.post('/v1/auth/register', { email, password: 'a long enough password', username: 'reg' });

test('every event is delivered in its transaction, and after the commit by a job', async () => {
  const root = await superuser(service);
  const alice = await person(service, 'alice');
  await verifyEmail(service, alice);
  const second = await signIn(service, alice);
  await service.as(second).post('/v1/auth/logout').expect(204);
  const to = `new.${alice.email}`;
  await changeEmail(service, alice, { to });
  const moved = { ...alice, email: to };
  await service.as(alice).post('/v1/users/@me/disable', { password: alice.password }).expect(204);
  let authorization = await signIn(service, moved);
  const app = await newApp(service, root);
  await newTokens(service, { authorization }, app);
  await service.as(authorization).delete(`/v1/oauth2/@me/authorizations/${app.id}`).expect(204);
  await service.as(root).put(`/v1/admin/users/${alice.id}/ban`, { duration_hours: 1 }).expect(200);
  await service.as(root).delete(`/v1/admin/users/${alice.id}/ban`).expect(200);
  authorization = await signIn(service, moved);
  await service.as(authorization).post('/v1/users/@me/delete', { password: alice.password }).expect(204);
  await signIn(service, moved);
  await eraseAccount(service, alice);

  const found = await entries('in', alice.id);
  const types = found.map(({ type }) => type);
  expect([...new Set(types)].sort()).toEqual([...LIFECYCLE_TYPES].sort());
  const session_id_hash = expect.stringMatching(/^[\w-]{43}$/);
  const of = (type: string) => found.filter((event) => event.type === type);
  const { id: account_id } = alice;
  expect(of('registered')).toEqual([{ type: 'registered', account_id }]);
  expect(of('erased')).toEqual([{ type: 'erased', account_id }]);
  expect(of('signedOut')).toEqual([{ type: 'signedOut', account_id, session_id_hash }]);
  expect(of('signedIn')[1]).toEqual({ type: 'signedIn', account_id, session_id_hash, method: 'password' });
  expect(of('sessionEnded')[0]).toEqual({
    ...{ type: 'sessionEnded', account_id, by: 'owner', reason: 'signed_out' },
    session_id_hash: of('signedOut')[0]?.session_id_hash,
  });
  expect(of('banned')).toEqual([{ type: 'banned', account_id, until: expect.stringMatching(/Z$/) }]);
  expect(of('deletionScheduled')[0]?.deadline).toEqual(expect.stringMatching(/Z$/));
  expect(of('applicationAuthorized')[0]).toEqual({ type: 'applicationAuthorized', account_id, application_id: app.id });
  expect(of('applicationDeauthorized')[0]?.application_id).toBe(app.id);

  expect(await entries('after', alice.id)).toEqual([]);
  await runJobs(service);
  const after = (await entries('after', alice.id)).map((event) => JSON.stringify(event)).sort();
  expect(after).toEqual(found.map((event) => JSON.stringify(event)).sort());
});

test('32 registrations at the same time are 32 events', async () => {
  const { statuses, responses } = await race(32, (n) => register(`race.${n}@example.com`));
  expect(statuses).toEqual({ 200: 32 });
  for (const { body } of responses) {
    const types = (await entries('in', body.user_id)).map(({ type }) => type);
    expect(types).toEqual(['registered', 'signedIn']);
  }
});

describe('a subscriber that rejects', () => {
  afterEach(() => {
    subscriber().rejected = undefined;
    subscriber().fails = false;
    subscriber().onEvent = async () => {};
  });
  const count = async (table: string) => (await service.sql(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n as number;
  const counts = () => Promise.all(['account', 'session', 'ledger_entry', 'pgboss_job', 'security_event'].map(count));

  test('a registration leaves nothing of it', async () => {
    subscriber().rejected = 'registered';
    const before = await counts();
    expectApiError(await register('rejected@example.com'), 'LEDGER_CLOSED');
    expect(await counts()).toEqual(before);
  });

  test('a sign-in leaves no session', async () => {
    const bob = await person(service, 'bob');
    subscriber().rejected = 'signedIn';
    const before = await counts();
    expectApiError(await logIn(service, bob), 'LEDGER_CLOSED');
    expect(await counts()).toEqual(before);
  });

  test('a sign-out or a ban does not stop it, and is logged', async () => {
    const carol = await person(service, 'carol');
    subscriber().rejected = 'signedOut';
    await service.as(carol).post('/v1/auth/logout').expect(204);
    expect(await sessionsOf(service, carol)).toBe(0);
    expect((await entries('in', carol.id)).map(({ type }) => type)).toEqual(['registered', 'signedIn', 'sessionEnded']);
    expect(service.log.join('')).toContain('handling a lifecycle event failed');
  });

  test('and one that fails in the database is undone, and the operation continues', async () => {
    subscriber().fails = true;
    const dora = await person(service, 'dora');
    expect(await entries('in', dora.id)).toEqual([]);
    await service.as(dora).get('/v1/users/@me').expect(200);
  });

  test('and one that takes too long is undone and logged, its later statements fail, and the operation continues', async () => {
    const root = await superuser(service);
    const frank = await person(service, 'frank');
    Object.assign(service.app.get(LifecycleEvents), { limitMs: 100 });
    const messageOf = (statement: Promise<unknown>) => statement.then(String, ({ message }: Error) => message);
    let respond = () => {};
    const responded = new Promise<void>((resolve) => (respond = resolve));
    let late: Promise<string[]> | undefined;
    subscriber().onEvent = async (tx, { type }) => {
      if (type !== 'banned') return;
      await service.app.get(GatewayEvents).announce(tx, { type: 'LEDGER_LATE', account_id: frank.id, d: {} });
      const { manager } = service.app.get(Database);
      late = responded.then(() =>
        Promise.all([
          messageOf(tx.query('DELETE FROM session')),
          messageOf(service.app.get(Database).statement('late', 'DELETE FROM session', [], tx)),
          messageOf(manager.query('SELECT 1')),
        ]),
      );
      await late;
    };
    const before = await sessionsOf(service, root);
    await service.as(root).put(`/v1/admin/users/${frank.id}/ban`, { duration_hours: 1 }).expect(200);
    respond();
    const rejected = expect.stringContaining('Its statements are rejected');
    expect(await late).toEqual([rejected, rejected, '[object Object]']);
    expect(await sessionsOf(service, root)).toBe(before);
    expect((await entries('in', frank.id)).map(({ type }) => type)).not.toContain('banned');
    expect(await service.sql(`SELECT FROM journal WHERE data::text LIKE '%LEDGER_LATE%'`)).toEqual([]);
    expect(service.log.join('')).toMatch(/"subscriber":"InLedger".*took too long, and was undone/);
    expectApiError(await service.as(frank).get('/v1/users/@me'), 'UNAUTHORIZED');
  });
});

test('an operation whose security event cannot be recorded changes nothing', async () => {
  const root = await superuser(service);
  const erin = await person(service, 'erin');
  await service.sql('ALTER TABLE security_event RENAME TO security_event_moved');
  try {
    expectApiError(
      await service.as(root).put(`/v1/admin/users/${erin.id}/ban`, { duration_hours: 1 }),
      'INTERNAL_SERVER_ERROR',
    );
  } finally {
    await service.sql('ALTER TABLE security_event_moved RENAME TO security_event');
  }
  await service.as(erin).get('/v1/users/@me').expect(200);
  expect((await entries('in', erin.id)).map(({ type }) => type)).toEqual(['registered', 'signedIn']);
});

test('only operations that can cause a refusable event list the errors of its subscribers', async () => {
  const { paths, components } = (await service.anonymous.get('/openapi.json').expect(200)).body;
  const operations = Object.entries<Record<string, { responses: Record<string, { $ref?: string }> }>>(paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({
        name: `${method.toUpperCase()} ${path}`,
        responses,
      })),
  );
  const listing = operations
    .filter(({ responses }) =>
      Object.values(responses).some(({ $ref = '' }) =>
        JSON.stringify(components.responses[$ref.replace('#/components/responses/', '')] ?? {}).includes(
          'LedgerClosed',
        ),
      ),
    )
    .map(({ name }) => name);
  expect(listing).toEqual(
    expect.arrayContaining([
      ...['POST /v1/auth/register', 'POST /v1/auth/login', 'POST /v1/users/@me/disable', 'POST /v1/users/@me/delete'],
      'POST /v1/oauth2/authorize/consent',
    ]),
  );
  for (const other of ['POST /v1/auth/logout', 'POST /v1/users/@me/webhooks', 'PUT /v1/admin/users/{user_id}/acls']) {
    expect(operations.map(({ name }) => name)).toContain(other);
    expect(listing).not.toContain(other);
  }
});

test.each<[LifecycleDeclarations, string]>([
  [{ registered: { afterCommit: 'broken:job' } }, 'names the unknown job broken:job'],
  [{ registered: { rejectsWith: ['BROKEN_CODE'] } }, 'names the unknown error code BROKEN_CODE'],
  [{ erased: { rejectsWith: ['ACCESS_DENIED'] } }, 'its operation cannot be rejected'],
  [{ registred: {} } as LifecycleDeclarations, "lifecycle.registred is not an event. Did you mean 'registered'?"],
  [{ banned: { inTransaction: InLedger } }, 'Add InLedger to the providers of a module'],
  [{ banned: { required: SecurityEvents } }, 'only built-in features may require that banned is handled'],
])('the declaration %j is rejected at the start', async (lifecycle, message) => {
  const broken = defineFeature('broken', { lifecycle });
  await expect(gatehouse({ features: [broken] })).rejects.toThrow(message);
});

test('a misspelled event or part of a feature does not compile', () => {
  // @ts-expect-error
  const event = defineFeature('broken', { lifecycle: { erased: {}, registred: {} } });
  // @ts-expect-error
  const part = defineFeature('broken', { jobs: {}, lifecycles: {} });
  expect([event.name, part.name]).toEqual(['broken', 'broken']);
});
