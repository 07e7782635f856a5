import { readFileSync } from 'node:fs';
import { ACCOUNT_CHANGES, BAN, of, ok, ROWS, type StateChange, stateChanges } from '../machine/state-changes.js';
import { setAcls, superuser } from '../support/admin.js';
import {
  expectApiError,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  logIn,
  type Persona,
  person,
  verifiedPerson,
} from '../support/index.js';
import { environmentOf, ScriptedProvider } from '../support/sso.js';

let service: Gatehouse;
let root: Persona;
let provider: ScriptedProvider;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  service = await gatehouse({ env: environmentOf(provider) });
  root = await superuser(service);
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

const mine = (persona: Persona, what: string) =>
  service.as(persona).post(`/v1/users/@me/${what}`, { password: persona.password });
const set = (columns: string) => (persona: Persona) =>
  service.sql(`UPDATE account SET ${columns} WHERE id = $1`, [persona.id]);

const eventsOf = async ({ id }: Persona) =>
  (await service.sql('SELECT type FROM security_event WHERE account_id = $1', [id])).map(({ type }) => type as string);
/** The types of emails that an account received, except the verification email that it requested itself. */
const mailsOf = async ({ email }: Persona) =>
  (await inboxAfterDelivery(service, email))
    .map(({ type, metadata }) => (type === 'security_notice' ? `${type} ${metadata.event}` : type))
    .filter((type) => type !== 'email_verification');
const fresh = (all: readonly string[], before: readonly string[]) => {
  const left = [...before];
  return all.filter((one) => !left.includes(one) || left.splice(left.indexOf(one), 1).length === 0);
};

describe('auth.md 2, admin.md: the user is notified of every change of state', () => {
  test('the table lists every operation that changes the state of an account; exceptions are listed also', () => {
    expect(Object.keys(stateChanges(service, root, provider.issuer)).sort()).toEqual(
      ROWS.map(([operation]) => operation).sort(),
    );
    const routes = readFileSync('test/routes.snapshot.txt', 'utf8')
      .split('\n')
      .map((line) => line.split(' ').slice(0, 2).join(' '))
      .filter((route) => !route.startsWith('GET '))
      .filter((route) =>
        /\/admin\/(users|instance\/pending-registrations)\/:user_id|@me\/(disable|delete|lockdown)$/.test(route),
      );
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter((route) => !ACCOUNT_CHANGES.includes(`\`${route}\``))).toEqual([]);
  });

  test.each(ROWS)('%s: %s, %s', async (operation = '', mail, event) => {
    const persona = await verifiedPerson(service, 'alice');
    const { before, make } = stateChanges(service, root, provider.issuer)[operation] as StateChange;
    await before?.(persona);
    const [events, mails] = [await eventsOf(persona), await mailsOf(persona)];
    await make(persona);
    expect(fresh(await eventsOf(persona), events)).toContain(event);
    const expected = { none: [], security_notice: [`security_notice ${event}`] }[mail as string] ?? [mail];
    expect(fresh(await mailsOf(persona), mails)).toEqual(expected);
  });
});

describe('admin.md 5.3 a ban is explained', () => {
  test('its end and its public reason are in the email, the event and every sign-in error; lifting the ban deletes them', async () => {
    const target = await verifiedPerson(service, 'target');
    const { user } = ok(await service.as(root).put(of(target, 'ban'), BAN));
    const refused = await logIn(service, target);
    expectApiError(refused, 'ACCOUNT_SUSPENDED_TEMPORARILY');
    expect(refused.body).toMatchObject({ banned_until: user.temp_banned_until, reason: BAN.reason });
    const [mail] = await inboxAfterDelivery(service, target.email, 'security_notice');
    expect(mail?.metadata).toEqual({
      event: 'account_suspended',
      until: user.temp_banned_until,
      public_reason: BAN.reason,
    });
    expect(mail?.text).toContain(`Reason: ${BAN.reason}`);
    expect(mail?.text).toContain('Ends: ');
    expect(mail?.html).not.toContain('<b>five');
    const [event] = await service.sql(
      "SELECT data FROM security_event WHERE account_id = $1 AND type = 'account_suspended'",
      [target.id],
    );
    expect(event?.data).toEqual({ until: user.temp_banned_until, public_reason: BAN.reason });
    ok(await service.as(root).delete(of(target, 'ban')));
    expect(await service.sql('SELECT ban_reason FROM account WHERE id = $1', [target.id])).toEqual([
      { ban_reason: null },
    ]);
  });

  test('without an end and a reason, both are absent', async () => {
    const target = await verifiedPerson(service, 'target');
    ok(await service.as(root).put(of(target, 'ban'), { duration_hours: 0 }));
    const refused = await logIn(service, target);
    expectApiError(refused, 'ACCOUNT_SUSPENDED_PERMANENTLY');
    expect(refused.body).toMatchObject({ banned_until: null, reason: null });
    const [mail] = await inboxAfterDelivery(service, target.email, 'security_notice');
    expect(mail?.metadata).toEqual({ event: 'account_suspended', until: null });
    expect(mail?.text).toContain('Ends: Permanent');
  });

  test('a deletion by an administrator shows its public reason', async () => {
    const target = await verifiedPerson(service, 'target');
    ok(await service.as(root).put(of(target, 'deletion'), { reason_code: 5, public_reason: 'A court said so' }));
    const [mail] = await inboxAfterDelivery(service, target.email, 'account_deletion_scheduled');
    expect(mail?.text).toContain('Reason: A court said so');
  });
});

describe('auth.md 2 step 6: the response reports what a sign-in ended', () => {
  test.each([
    ['disable', 'disabled'],
    ['delete', 'deletion'],
  ])('%s: once, for one of 32 sign-ins', async (operation, reactivated) => {
    const alice = await person(service, 'alice');
    ok(await mine(alice, operation));
    const responses = await Promise.all(Array.from({ length: 32 }, () => logIn(service, alice)));
    const said = responses.map((response) => ok(response).reactivated);
    expect(said.filter((one) => one !== undefined)).toEqual([reactivated]);
    expect(ok(await logIn(service, alice))).not.toHaveProperty('reactivated');
  });

  test('an expired suspension does not count as reactivation by the user', async () => {
    const alice = await person(service, 'alice');
    await set("banned = true, banned_until = now() - interval '1 second'")(alice);
    expect(ok(await logIn(service, alice))).not.toHaveProperty('reactivated');
  });
});

test('permissions that stay as they are are not reported', async () => {
  const alice = await verifiedPerson(service, 'alice');
  await setAcls(service, alice, ['admin:authenticate']);
  ok(await service.as(root).put(of(alice, 'acls'), { acls: ['admin:authenticate'] }));
  expect(await mailsOf(alice)).toEqual([]);
});
