import { AccountCount } from '../../src/admin/statistics/account-count.service.js';
import { Config } from '../../src/core/config/config.js';
import { describeOnPostgres } from '../machine/postgres.js';
import {
  administrator,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  logIn,
  newApp,
  type Persona,
  person,
  runCleanup,
  setAcls,
  signIn,
  superuser,
  withGatehouse,
  withoutAudit,
  withTotp,
} from '../support/index.js';

const DAILY = '/v1/admin/instance/statistics/daily';
const DAY_MS = 86_400_000;

interface Day {
  readonly day: string;
  readonly accounts: number;
  readonly sign_ups: number;
  readonly sign_ins: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly deletions: number;
}

async function daysAt(service: Gatehouse, by: Persona): Promise<Day[]> {
  const { status, body } = await service.as(by).get(DAILY);
  expect({ status, body }).toEqual({ status: 200, body: { days: expect.any(Array) } });
  return body.days;
}
const todayAt = async (service: Gatehouse, by: Persona): Promise<Day> => (await daysAt(service, by)).at(-1) as Day;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const countAccounts = (service: Gatehouse) => service.app.get(AccountCount).run();
const WRONG = ['email: INVALID_EMAIL_OR_PASSWORD', 'password: INVALID_EMAIL_OR_PASSWORD'];
const wrong = (service: Gatehouse, { email }: Persona) => logIn(service, { email, password: 'not the password' });

/** Moves the clock to a time of the next day, so that a test does not depend on the time at which it runs. */
function moveTo(service: Gatehouse, hours: number, minutes = 0, seconds = 0): void {
  const now = service.clock.now();
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  const at = midnight + DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  service.clock.advance({ seconds: (at - now) / 1000 });
}

describe('admin.md daily statistics', () => {
  let service: Gatehouse;
  let root: Persona;
  beforeAll(async () => {
    service = await gatehouse();
    moveTo(service, 12);
    root = await superuser(service);
  });
  afterAll(() => service.close());

  const today = () => todayAt(service, root);

  test('30 days in UTC, today included, and zeros for days without events', async () => {
    await countAccounts(service);
    const days = await daysAt(service, root);
    const now = service.clock.now();
    expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 30 }, (_, n) => dayOf(now - (29 - n) * DAY_MS)));
    const empty = { accounts: 0, sign_ups: 0, sign_ins: 0, failures: {}, deletions: 0 };
    for (const { day, ...numbers } of days.slice(0, -1)) expect([day, numbers]).toEqual([day, empty]);
    expect(days.at(-1)).toEqual({ ...empty, day: dayOf(now), accounts: 1, sign_ups: 1, sign_ins: 1 });
  });

  test('registrations, sign-ins and failed sign-ins by error code', async () => {
    const before = await today();
    const alice = await person(service, 'alice');
    await signIn(service, alice);
    for (let n = 0; n < 3; n++) expectInvalid(await wrong(service, alice), ...WRONG);
    const { body } = await service.anonymous.post('/v1/auth/login', { email: alice.email });
    const [{ code }] = body.errors;
    const after = await today();
    expect(after).toMatchObject({ sign_ups: before.sign_ups + 1, sign_ins: before.sign_ins + 2 });
    expect(after.failures).toEqual({
      ...before.failures,
      INVALID_EMAIL_OR_PASSWORD: (before.failures.INVALID_EMAIL_OR_PASSWORD ?? 0) + 3,
      [code]: (before.failures[code] ?? 0) + 1,
    });
  });

  test('a suspension and a wrong second factor are causes also', async () => {
    const carol = await person(service, 'carol');
    await withTotp(service, carol);
    const { ticket } = (await logIn(service, carol)).body;
    const before = await today();
    const attempt = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: '000000' });
    expectInvalid(attempt, 'code: INVALID_CODE');
    const dave = await person(service, 'dave');
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [dave.id]);
    expectApiError(await logIn(service, dave), 'ACCOUNT_SUSPENDED_PERMANENTLY');
    expect((await today()).failures).toEqual({
      ...before.failures,
      INVALID_CODE: (before.failures.INVALID_CODE ?? 0) + 1,
      ACCOUNT_SUSPENDED_PERMANENTLY: (before.failures.ACCOUNT_SUSPENDED_PERMANENTLY ?? 0) + 1,
    });
  });

  test('errors of other operations, and registrations that fail, are not counted', async () => {
    const alice = await person(service, 'other');
    const before = await today();
    expectApiError(await service.anonymous.get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(
      await service.as(alice).post('/v1/users/@me/delete', { password: 'not the password' }),
      'INVALID_FORM_BODY',
    );
    const again = { email: alice.email, password: 'a long enough password' };
    expectInvalid(await service.anonymous.post('/v1/auth/register', again), 'email: EMAIL_ALREADY_IN_USE');
    expect(await today()).toEqual(before);
  });

  test('32 concurrent sign-ins and failures are each counted once, whatever reads the statistics', async () => {
    const alice = await person(service, 'many');
    const before = await today();
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        await Promise.all([signIn(service, alice), wrong(service, alice)]);
        await today();
      }),
    );
    const after = await today();
    expect(after.sign_ins).toBe(before.sign_ins + 32);
    expect(after.failures.INVALID_EMAIL_OR_PASSWORD).toBe((before.failures.INVALID_EMAIL_OR_PASSWORD ?? 0) + 32);
    expect(after.sign_ups).toBe(before.sign_ups);
  });

  test('an account counts until its data is deleted, and a bot never', async () => {
    const alice = await person(service, 'leaving');
    await newApp(service, alice);
    await countAccounts(service);
    const before = await today();
    const sudo = { password: alice.password };
    expect((await service.as(alice).post('/v1/users/@me/delete', sudo)).status).toBeLessThan(300);
    await countAccounts(service);
    expect(await today()).toMatchObject({ accounts: before.accounts, deletions: before.deletions });
    await service.sql('UPDATE account SET deletion_at = now() WHERE id = $1', [alice.id]);
    await runCleanup(service);
    await countAccounts(service);
    expect(await today()).toMatchObject({ accounts: before.accounts - 1, deletions: before.deletions + 1 });
    const [row] = await service.sql('SELECT count(*)::int AS n FROM account WHERE deleted_at IS NULL AND NOT bot');
    expect(row?.n).toBe(before.accounts - 1);
  });

  test('counts that could not be written are written later', async () => {
    const before = await today();
    const alice = await person(service, 'kept');
    await service.sql('ALTER TABLE instance_statistics RENAME TO instance_statistics_elsewhere');
    expectApiError(await service.as(root).get(DAILY), 'INTERNAL_SERVER_ERROR');
    await wrong(service, alice);
    await service.sql('ALTER TABLE instance_statistics_elsewhere RENAME TO instance_statistics');
    const after = await today();
    expect(after).toMatchObject({ sign_ups: before.sign_ups + 1, sign_ins: before.sign_ins + 1 });
    expect(after.failures.INVALID_EMAIL_OR_PASSWORD).toBe((before.failures.INVALID_EMAIL_OR_PASSWORD ?? 0) + 1);
  });

  test('needs instance:config:view, and writes no audit entry', async () => {
    const before = await today();
    expectApiError(await service.as(await administrator(service, 'user:lookup')).get(DAILY), 'MISSING_ACL');
    expectApiError(await service.anonymous.get(DAILY), 'UNAUTHORIZED');
    const clerk = await administrator(service, 'instance:config:view');
    const { status } = await withoutAudit(service, () => service.as(clerk).get(DAILY));
    expect(status).toBe(200);
    expect((await today()).failures).toEqual(before.failures);
  });
});

describe('admin.md daily statistics and time', () => {
  test('a day ends at midnight UTC, and the accounts of yesterday count until those of today are measured', () =>
    withGatehouse({}, async (service) => {
      moveTo(service, 23, 59, 30);
      const root = await superuser(service);
      await wrong(service, root);
      await countAccounts(service);
      const first = dayOf(service.clock.now());
      // Counts that are written after midnight belong to the day on which they occurred.
      service.clock.advance({ minutes: 1 });
      await signIn(service, root);
      await person(service);
      const [yesterday, today] = (await daysAt(service, root)).slice(-2);
      const failures = { INVALID_EMAIL_OR_PASSWORD: 1 };
      expect(yesterday).toEqual({ day: first, accounts: 1, sign_ups: 1, sign_ins: 1, failures, deletions: 0 });
      const next = { day: dayOf(service.clock.now()), sign_ups: 1, sign_ins: 2, failures: {}, deletions: 0 };
      expect(today).toEqual({ ...next, accounts: 1 });
      await countAccounts(service);
      expect((await daysAt(service, root)).slice(-2)).toEqual([yesterday, { ...next, accounts: 2 }]);
      service.clock.advance({ days: 28 });
      expect((await daysAt(service, root)).slice(0, 2)).toMatchObject([yesterday, { ...next, accounts: 2 }]);
      service.clock.advance({ days: 1 });
      expect((await daysAt(service, root))[0]).toMatchObject({ day: next.day });
    }));

  test('rows are kept for 400 days', () =>
    withGatehouse({}, async (service) => {
      moveTo(service, 12);
      const now = service.clock.now();
      for (const age of [0, 29, 30, 399, 400, 401, 900])
        await service.sql("INSERT INTO instance_statistics VALUES ($1, 'deletions', 7)", [dayOf(now - age * DAY_MS)]);
      await runCleanup(service);
      const left = await service.sql('SELECT day::text AS day FROM instance_statistics ORDER BY day DESC');
      expect(left.map(({ day }) => day)).toEqual([0, 29, 30, 399].map((age) => dayOf(now - age * DAY_MS)));
      const root = await superuser(service);
      expect((await daysAt(service, root)).filter(({ deletions }) => deletions === 7)).toHaveLength(2);
    }));
});

describeOnPostgres('admin.md daily statistics of several replicas', () => {
  test('add up, and a restart keeps them', () =>
    withGatehouse({}, async (first) => {
      moveTo(first, 12);
      const root = await superuser(first);
      const env = { DATABASE_URL: first.app.get(Config).databaseUrl ?? '' };
      const there = async (work: (other: Gatehouse) => Promise<void>) =>
        withGatehouse({ env }, async (other) => {
          moveTo(other, 12);
          await work(other);
        });
      await there(async (second) => {
        const alice = await person(second, 'alice');
        await Promise.all(Array.from({ length: 32 }, (_, n) => signIn(n % 2 ? first : second, alice)));
        await wrong(first, alice);
        await wrong(second, alice);
        await Promise.all([daysAt(first, root), daysAt(second, root)]);
        expect(await todayAt(first, root)).toMatchObject({
          sign_ups: 2,
          sign_ins: 34,
          failures: { INVALID_EMAIL_OR_PASSWORD: 2 },
        });
        await signIn(second, alice);
        await countAccounts(second);
      });
      // The other replica has shut down, and wrote its last sign-in before.
      expect(await todayAt(first, root)).toMatchObject({ accounts: 2, sign_ups: 2, sign_ins: 35 });
      await there(async (second) => {
        await setAcls(second, root, ['*']);
        expect(await todayAt(second, root)).toMatchObject({ accounts: 2, sign_ups: 2, sign_ins: 35 });
      });
    }));
});
