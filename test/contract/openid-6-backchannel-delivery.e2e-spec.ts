import { setTimeout as delay } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { Config } from '../../src/core/config/config.js';
import { LogoutReceiver } from '../machine/logout-receiver.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { superuser } from '../support/admin.js';
import {
  type App,
  eventually,
  exchange,
  expectApiError,
  type Gatehouse,
  gatehouse,
  newApp,
  newCode,
  type Persona,
  person,
  signIn,
} from '../support/index.js';

const env = { BACKCHANNEL_ALLOW_PRIVATE_ADDRESSES: 'true', IP_AUTHORIZATION: 'off' };

let service: Gatehouse;
let owner: Persona;
let receiver: LogoutReceiver;
let count = 0;
beforeAll(async () => {
  service = await gatehouse({ env });
  owner = await superuser(service);
});
afterAll(() => service.close());
// Each test has its own host, because a host has limits.
beforeEach(async () => {
  receiver = await LogoutReceiver.start(`127.0.1.${++count}`);
});
afterEach(() => receiver.stop());

/** A user with sessions that are signed in at an application whose logout tokens go to the receiver. */
async function signedIn(sessions: number) {
  const app: App = await newApp(service, owner, {
    ...{ backchannel_logout_uri: receiver.url, id_token_signed_response_alg: 'ES256' },
  });
  const who = await person(service, 'who');
  for (let made = 0; made < sessions; made++) {
    const authorization = await signIn(service, who);
    const code = await newCode(service, { authorization }, app, { scope: 'openid' });
    expect((await exchange(service, app, code)).status).toBe(200);
  }
  return { who, app };
}

const endAll = async ({ id }: Persona, by = service) =>
  expect((await by.as(owner).delete(`/v1/admin/users/${id}/sessions`)).status).toBe(200);

const rowsOf = ({ id }: App) =>
  service.sql('SELECT * FROM backchannel_logout WHERE application_id = $1 ORDER BY id', [id]);

const until = async (app: App, isDone: (row: Record<string, unknown>) => boolean) =>
  eventually('the state of all deliveries', async () => {
    const rows = await rowsOf(app);
    return rows.length > 0 && rows.every(isDone) ? rows : undefined;
  });

/** Makes everything due, and lets the service look for it. */
async function makeDue(): Promise<void> {
  await service.sql('UPDATE backchannel_host SET next_attempt_at = now()');
  await service.sql('UPDATE backchannel_logout SET next_attempt_at = now() WHERE ended_at IS NULL');
  expect((await service.as(await signIn(service, owner)).post('/v1/auth/logout')).status).toBe(204);
}

describe('6 delivery of logout tokens', () => {
  test('a host gets at most 2 requests at once and 10 per second, and a pause after 20 failures in a row', async () => {
    const { who, app } = await signedIn(23);
    receiver.respond = () => 500;
    receiver.delayMs = 20;
    await endAll(who);
    await eventually('the pause', async () => {
      const attempted = (await rowsOf(app)).filter(({ attempts }) => Number(attempts) > 0);
      return attempted.length >= 20 ? true : undefined;
    });
    const [host] = await service.sql(
      "SELECT next_attempt_at > now() + interval '50 seconds' AS is_paused FROM backchannel_host WHERE host = $1",
      [receiver.address],
    );
    expect(host).toEqual({ is_paused: true });
    // Two requests may be in progress when the limit is reached.
    await eventually('the last request', async () => {
      const before = receiver.received.length;
      await delay(500);
      return receiver.received.length === before || undefined;
    });
    const failed = [...receiver.received];
    expect([20, 21]).toContain(failed.length);
    expect(receiver.mostAtOnce).toBe(2);
    for (const [index, { at }] of failed.slice(10).entries()) {
      expect(at - (failed[index]?.at ?? 0)).toBeGreaterThan(980);
    }
    expect((await rowsOf(app)).filter(({ attempts }) => Number(attempts) === 0)).toHaveLength(23 - failed.length);

    receiver.respond = () => 204;
    await makeDue();
    await until(app, ({ is_delivered }) => is_delivered === true);
    const later = receiver.received.slice(failed.length);
    expect(later.map(({ sid }) => sid).sort()).toEqual([...new Set(later.map(({ sid }) => sid))].sort());
    for (const first of failed) {
      const again = later.find(({ sid }) => sid === first.sid);
      expect(again?.jti).toBe(first.jti);
      expect(again?.token).not.toBe(first.token);
    }
  });

  test.each([302, 404, 429, 500, 503])('%d is tried again, and no redirect is followed', async (status) => {
    const { who, app } = await signedIn(1);
    receiver.respond = (attempt) => (attempt === 1 ? status : 200);
    await endAll(who);
    const [row] = await until(app, ({ attempts }) => attempts === 1);
    expect(row).toMatchObject({ ended_at: null, account_id: who.id });
    expect(receiver.received).toHaveLength(1);
    await makeDue();
    await until(app, ({ is_delivered }) => is_delivered === true);
    expect(receiver.received).toHaveLength(2);
  });

  test('400 is final', async () => {
    const { who, app } = await signedIn(1);
    receiver.respond = () => 400;
    await endAll(who);
    const [row] = await until(app, ({ ended_at }) => ended_at !== null);
    expect(row).toMatchObject({ is_delivered: false, account_id: null, sid: null });
    await makeDue();
    expect(receiver.received).toHaveLength(1);
  });

  test('an attempt after 15 minutes is the last one, and the next attempt is never later', async () => {
    const { who, app } = await signedIn(1);
    receiver.respond = () => 503;
    await endAll(who);
    await until(app, ({ attempts }) => attempts === 1);
    await service.sql(
      "UPDATE backchannel_logout SET attempts = 12, created_at = now() - interval '14 minutes' WHERE application_id = $1",
      [app.id],
    );
    await makeDue();
    await until(app, ({ attempts }) => attempts === 13);
    const [late] = await service.sql(
      "SELECT next_attempt_at = created_at + interval '15 minutes' AS is_bounded FROM backchannel_logout WHERE application_id = $1",
      [app.id],
    );
    expect(late).toEqual({ is_bounded: true });
    await service.sql(
      "UPDATE backchannel_logout SET created_at = now() - interval '15 minutes' WHERE application_id = $1",
      [app.id],
    );
    await makeDue();
    const [row] = await until(app, ({ ended_at }) => ended_at !== null);
    expect(row).toMatchObject({ is_delivered: false, account_id: null, sid: null });
  });

  test('the owner of the application sees only what was delivered or failed, and when', async () => {
    const { who, app } = await signedIn(3);
    const other: App = await newApp(service, owner, { backchannel_logout_uri: receiver.url });
    const path = `/v1/oauth2/applications/${app.id}/backchannel-logouts`;
    const list = async (query: Record<string, string> = {}) => (await service.as(owner).get(path, { query })).body;
    expect(await list()).toEqual([]);
    // The first is delivered, the second fails, and the third is tried again.
    receiver.respond = (attempt) => [204, 400][attempt - 1] ?? 503;
    await endAll(who);
    const rows = await until(app, ({ attempts }) => Number(attempts) > 0);
    const shown = rows
      .filter(({ ended_at }) => ended_at !== null)
      .reverse()
      .map((row) => ({
        id: row.id,
        outcome: row.is_delivered ? 'delivered' : 'failed',
        created_at: (row.created_at as Date).toISOString(),
        completed_at: (row.ended_at as Date).toISOString(),
      }));
    expect(shown.map(({ outcome }) => outcome).sort()).toEqual(['delivered', 'failed']);
    expect(await list()).toEqual(shown);
    expect(await list({ limit: '1' })).toEqual(shown.slice(0, 1));
    expect(await list({ before: shown[0]?.id as string })).toEqual(shown.slice(1));
    const ofOther = await service.as(owner).get(`/v1/oauth2/applications/${other.id}/backchannel-logouts`);
    expect([ofOther.status, ofOther.body]).toEqual([200, []]);
  });

  test('other users, the bot and a former owner do not see the deliveries; an unknown application is 404', async () => {
    const alice = await person(service, 'alice');
    const app = await newApp(service, alice);
    const path = `/v1/oauth2/applications/${app.id}/backchannel-logouts`;
    expect((await service.as(alice).get(path)).status).toBe(200);
    for (const who of [owner, app.bot]) expectApiError(await service.as(who).get(path), 'ACCESS_DENIED');
    expectApiError(await service.anonymous.get(path), 'UNAUTHORIZED');
    expectApiError(await service.as(alice).get(path.replace(app.id, '1')), 'UNKNOWN_APPLICATION');
    const moved = await service.as(owner).patch(`/v1/admin/applications/${app.id}`, { new_owner_id: owner.id });
    expect(moved.status).toBe(200);
    expectApiError(await service.as(alice).get(path), 'ACCESS_DENIED');
    expect((await service.as(owner).get(path)).status).toBe(200);
  });

  test('a host without a response does not delay others, and the first attempt follows within a second', async () => {
    const { who, app } = await signedIn(1);
    await receiver.stop();
    const other = await LogoutReceiver.start('127.0.2.1');
    receiver = other;
    const reached = await signedIn(3);
    await endAll(who);
    const answeredAt = performance.now();
    await endAll(reached.who);
    await until(reached.app, ({ is_delivered }) => is_delivered === true);
    expect(other.received).toHaveLength(3);
    for (const { at } of other.received) expect(at - answeredAt).toBeLessThan(1000);
    await until(app, ({ attempts }) => Number(attempts) > 0);
  });

  test('tokens of a deleted application are not sent', async () => {
    const { who, app } = await signedIn(1);
    receiver.respond = () => 500;
    await endAll(who);
    await until(app, ({ attempts }) => attempts === 1);
    await service.as(owner).delete(`/v1/oauth2/applications/${app.id}`, { password: owner.password });
    await makeDue();
    const [row] = await until(app, ({ ended_at }) => ended_at !== null);
    expect(row).toMatchObject({ is_delivered: false });
    expect(receiver.received).toHaveLength(1);
  });

  test('the service sends nothing over http or to a private address once the operator forbids it', async () => {
    const strict = await gatehouse();
    const alice = await person(strict, 'alice');
    const app = await newApp(strict, alice);
    for (const [index, url] of [receiver.url, `https://${receiver.address}/`].entries()) {
      await strict.sql('UPDATE application SET backchannel_logout_uri = $2 WHERE id = $1', [app.id, url]);
      const authorization = await signIn(strict, alice);
      const code = await newCode(strict, { authorization }, app, { scope: 'openid' });
      expect((await exchange(strict, app, code)).status).toBe(200);
      await strict.sql('UPDATE backchannel_host SET next_attempt_at = now()');
      expect((await strict.as(authorization).post('/v1/auth/logout')).status).toBe(204);
      await eventually('the attempt', async () => {
        const rows = await strict.sql('SELECT 1 FROM backchannel_logout WHERE attempts > 0 AND ended_at IS NULL');
        return rows.length === index + 1 ? true : undefined;
      });
    }
    expect(receiver.received).toEqual([]);
    await strict.close();
  });
});

describeOnPostgres('6 delivery by several replicas', () => {
  test('each token is delivered once, and the limits of a host hold for all replicas', async () => {
    const second = await gatehouse({ env: { ...env, DATABASE_URL: service.app.get(Config).databaseUrl ?? '' } });
    receiver.delayMs = 30;
    const { who, app } = await signedIn(16);
    await endAll(who, second);
    await until(app, ({ is_delivered }) => is_delivered === true);
    await second.close();
    expect(new Set(receiver.received.map(({ jti }) => jti)).size).toBe(16);
    expect(receiver.received).toHaveLength(16);
    expect(receiver.mostAtOnce).toBe(2);
    expect((receiver.received[10]?.at ?? 0) - (receiver.received[0]?.at ?? 0)).toBeGreaterThan(980);
    expect(receiver.received.map(({ token }) => decodeJwt(token).sub)).toEqual(Array(16).fill(who.id));
  });
});
