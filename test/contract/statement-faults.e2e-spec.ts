import { Statements } from '../machine/statements.js';
import {
  type App,
  asApp,
  exchange,
  type Gatehouse,
  gatehouse,
  logIn,
  newApp,
  newCode,
  newTokens,
  type Persona,
  person,
  refresh,
  signIn,
  superuser,
  type TestResponse,
  withTotp,
} from '../support/index.js';

const NEW = 'a password of the day after';
/** Columns that may change without an operation: last activity, and the delivery state of queued messages. */
const PASSING = [
  'last_used_at',
  'last_active_at',
  'last_active_ip',
  'next_attempt_at',
  'attempts',
  'sent_at',
  'payload',
];
/** Tables that background jobs write to. */
const BESIDE = [
  'journal',
  'replica_statistics',
  'instance_statistics',
  'inbox_message',
  'migration',
  'audit_verification',
];

/** A write operation. `prepare` sets up each attempt and returns a function that sends the request. */
interface Operation {
  readonly title: string;
  prepare(): Promise<() => Promise<TestResponse>>;
}

let service: Gatehouse;
let statements: Statements;
let root: Persona;
let owner: Persona;
let app: App;
beforeAll(async () => {
  // With `MAIL_TRANSPORT=none`, queued emails do not change.
  service = await gatehouse({ env: { MAIL_TRANSPORT: 'none' } });
  root = await superuser(service);
  owner = await person(service, 'owner');
  app = await newApp(service, owner);
  statements = new Statements(service);
});
afterAll(async () => {
  statements.end();
  await service.close();
});

let made = 0;
const OPERATIONS: Operation[] = [
  {
    title: 'registration',
    async prepare() {
      const email = `planted.${++made}@example.com`;
      return () => service.anonymous.post('/v1/auth/register', { email, password: NEW });
    },
  },
  {
    title: 'sign-in',
    async prepare() {
      const alice = await person(service);
      return () => logIn(service, alice);
    },
  },
  {
    title: 'sign-out',
    async prepare() {
      const alice = await person(service);
      return () => service.as(alice).post('/v1/auth/logout', {});
    },
  },
  {
    title: 'a password that is changed',
    async prepare() {
      const alice = await person(service);
      await signIn(service, alice);
      return () => service.as(alice).patch('/v1/users/@me', { password: alice.password, new_password: NEW });
    },
  },
  {
    title: 'a backup code that is used',
    async prepare() {
      const alice = await person(service);
      const { backupCodes } = await withTotp(service, alice);
      const { ticket } = (await logIn(service, alice)).body;
      return () => service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: backupCodes[0] });
    },
  },
  {
    title: 'a code that is exchanged',
    async prepare() {
      const code = await newCode(service, owner, app);
      return () => exchange(service, app, code);
    },
  },
  {
    title: 'a refresh',
    async prepare() {
      const { refresh_token } = await newTokens(service, owner, app);
      return () => refresh(service, app, refresh_token);
    },
  },
  {
    title: 'a token that is revoked',
    async prepare() {
      const { access_token } = await newTokens(service, owner, app);
      return () => asApp(service, app, '/v1/oauth2/token/revoke', { token: access_token });
    },
  },
  {
    title: 'a lockdown',
    async prepare() {
      const alice = await person(service);
      await signIn(service, alice);
      return () => service.as(alice).post('/v1/users/@me/lockdown', { password: alice.password });
    },
  },
  {
    title: 'permissions that an administrator sets',
    async prepare() {
      const { id } = await person(service);
      return () => service.as(root).put(`/v1/admin/users/${id}/acls`, { acls: ['user:lookup'] });
    },
  },
];

/** Returns a digest per table, without `PASSING`. Ignores `sudo_granted` events, which also remain after a failure. */
async function stored(): Promise<Record<string, string>> {
  const tables = await service.sql(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL ($1) ORDER BY 1`,
    [BESIDE],
  );
  const digests = tables.map(
    ({ name }) => `SELECT '${name}' AS name,
      md5(string_agg((to_jsonb(t) - $1::text[])::text, ' ' ORDER BY (to_jsonb(t) - $1::text[])::text)) AS digest
      FROM ${name} t WHERE to_jsonb(t) ->> 'type' IS DISTINCT FROM 'sudo_granted'`,
  );
  const found = await service.sql(digests.join(' UNION ALL '), [PASSING]);
  return Object.fromEntries(found.map(({ name, digest }) => [name, digest]));
}

describe('FLT-14 an error at any statement of an operation: no success, and no partial effect', () => {
  test.each(OPERATIONS.map((operation) => [operation.title, operation] as const))('%s', async (_, { prepare }) => {
    // The first run prepares everything that a connection prepares only once.
    expect((await (await prepare())()).status).toBeLessThan(300);
    const again = await prepare();
    await service.idle();
    const done = { status: 0 };
    const texts = await statements.record(async () => {
      done.status = (await again()).status;
    });
    expect(done.status).toBeLessThan(300);
    const planned = texts.map((text, index): [string, number] => [
      text,
      texts.slice(0, index).filter((other) => other === text).length,
    ]);
    let refused = 0;
    for (const [text, occurrence] of planned) {
      const send = await prepare();
      await service.idle();
      const before = await stored();
      statements.plant(text, occurrence, '57P01');
      const { status } = await send();
      statements.clear();
      if (status < 300) continue;
      refused++;
      await service.idle();
      expect([text, status]).toEqual([text, 503]);
      expect([text, await stored()]).toEqual([text, before]);
      expect([text, (await send()).status]).toEqual([text, done.status]);
    }
    expect(refused).toBeGreaterThan(1);
  });
});

describe('FLT-12, FLT-16: a statement that the database cannot run at present', () => {
  test.each(['40001', '40P01', '55P03', '53100', '53300', '25006', '57014', '08006'])(
    'SQLSTATE %s is 503 with Retry-After; afterwards the operation works',
    async (sqlstate) => {
      const texts = await statements.record(async () => (await OPERATIONS[0]?.prepare())?.());
      const insert = texts.find((text) => text.includes('INSERT INTO "account"')) ?? '';
      expect(insert).not.toBe('');
      const send = (await (OPERATIONS[0] as Operation).prepare()) as () => Promise<TestResponse>;
      await service.idle();
      const before = await stored();
      statements.plant(insert, 0, sqlstate);
      const response = await send();
      expect([response.status, response.headers.get('retry-after'), statements.isRaised]).toEqual([503, '5', true]);
      await service.idle();
      expect(await stored()).toEqual(before);
      expect((await service.as(owner).get('/v1/users/@me')).status).toBe(200);
      expect((await send()).status).toBe(200);
    },
  );
});
